//! Commands of live analysis and their arguments.

use crate::base::game::{Move, Player};
use crate::go::Size;
use crate::protocols::gtp::arguments::Arguments;
use crate::protocols::gtp::error::GtpError;
use std::time::Duration;

/// The format of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocols::gtp) enum Dialect {
    /// Whole numbers, with win rates in ten-thousandths: `lz-analyze`.
    LeelaZero,
    /// [`Dialect::LeelaZero`] with leads in points: `analyze`, which Sabaki prefers.
    Sabaki,
    /// Numbers from 0 to 1, scores, ownership: `kata-analyze`.
    KataGo,
    /// A line of JSON: `cgos-genmove_analyze`.
    Cgos,
}

/// The use of the move that a search chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocols::gtp) enum Purpose {
    /// No move is chosen: the search continues until the next line comes.
    Analysis,
    /// The move is played.
    Play,
    /// The move is returned without being played.
    Search,
    /// As [`Purpose::Search`], but the next line cancels the search.
    CancellableSearch,
}

/// The commands of live analysis.
const COMMANDS: [(&str, Dialect, Purpose); 9] = [
    ("analyze", Dialect::Sabaki, Purpose::Analysis),
    ("cgos-genmove_analyze", Dialect::Cgos, Purpose::Play),
    ("genmove_analyze", Dialect::Sabaki, Purpose::Play),
    ("kata-analyze", Dialect::KataGo, Purpose::Analysis),
    ("kata-genmove_analyze", Dialect::KataGo, Purpose::Play),
    ("kata-search_analyze", Dialect::KataGo, Purpose::Search),
    ("kata-search_analyze_cancellable", Dialect::KataGo, Purpose::CancellableSearch),
    ("lz-analyze", Dialect::LeelaZero, Purpose::Analysis),
    ("lz-genmove_analyze", Dialect::LeelaZero, Purpose::Play),
];

/// Returns the names of the commands of live analysis.
pub(in crate::protocols::gtp) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|&(name, ..)| name)
}

/// The parts of a line that are written on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineParts {
    pub(super) ownership: bool,
    pub(super) moves_ownership: bool,
    pub(super) pv_visits: bool,
    pub(super) pv_edge_visits: bool,
    pub(super) root_info: bool,
}

/// A command of live analysis.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::protocols::gtp) struct Request {
    pub(in crate::protocols::gtp) player: Player,
    pub(super) dialect: Dialect,
    pub(super) purpose: Purpose,
    /// Time between two lines; `None`: one line at the end.
    pub(super) interval: Option<Duration>,
    /// The moves to search, by move number; `None`: all.
    pub(in crate::protocols::gtp) root_moves: Option<Vec<bool>>,
    /// Maximum number of moves in a line.
    pub(super) max_moves: usize,
    /// Minimum number of moves in a line, if there are as many: those without visits come last.
    pub(super) min_moves: usize,
    pub(super) parts: LineParts,
    /// Requested keys of KataGo's that the dialect does not support.
    pub(super) unsupported: Vec<String>,
}

impl Request {
    /// Parses the arguments of the command `name`: a colour and an interval in hundredths of a second, both optional,
    /// then pairs of a key and a value. Returns `None` if `name` is not a command of live analysis.
    pub(in crate::protocols::gtp) fn parse(
        name: &str,
        rest: &str,
        to_play: Player,
        size: Size,
    ) -> Option<Result<Request, GtpError>> {
        let &(_, dialect, purpose) = COMMANDS.iter().find(|(known, ..)| *known == name)?;
        let request = Request {
            player: to_play,
            dialect,
            purpose,
            interval: None,
            root_moves: None,
            max_moves: usize::MAX,
            min_moves: 0,
            parts: LineParts::default(),
            unsupported: Vec::new(),
        };
        Some(request.with_arguments(Arguments::new(rest), to_play, size))
    }

    /// Returns true if no move is chosen.
    pub(in crate::protocols::gtp) fn is_analysis(&self) -> bool {
        self.purpose == Purpose::Analysis
    }

    fn with_arguments(
        mut self,
        mut arguments: Arguments<'_>,
        to_play: Player,
        size: Size,
    ) -> Result<Request, GtpError> {
        let mut restriction = RootRestriction::new(size);
        let mut word = arguments.next_word();
        if let Some(player) = word.and_then(|word| Arguments::new(word).player().ok()) {
            self.player = player;
            word = arguments.next_word();
        }
        if let Some(text) = word.filter(|word| word.starts_with(|first: char| first.is_ascii_digit())) {
            self.interval = Some(centiseconds(text)?);
            word = arguments.next_word();
        }
        while let Some(key) = word {
            match key {
                "interval" => self.interval = Some(centiseconds(arguments.word(INTERVAL)?)?),
                "avoid" | "allow" => {
                    let player = arguments.player()?;
                    let moves = vertices(arguments.word(VERTICES)?, size)?;
                    let depth: u32 = arguments.number("a number of moves of at least 1")?;
                    if depth == 0 {
                        return Err(GtpError::syntax("a number of moves of at least 1", Some("0")));
                    }
                    if player == self.player {
                        restriction.add(key == "allow", &moves);
                    }
                }
                "minmoves" => self.min_moves = arguments.number("a number of moves")?,
                "maxmoves" => self.max_moves = arguments.number("a number of moves")?,
                _ if self.dialect.ignores(key) => {
                    if flag(&mut arguments)? {
                        self.unsupported.push(key.to_owned());
                    }
                }
                "ownership" => self.parts.ownership = flag(&mut arguments)?,
                "movesOwnership" => self.parts.moves_ownership = flag(&mut arguments)?,
                "pvVisits" => self.parts.pv_visits = flag(&mut arguments)?,
                "pvEdgeVisits" => self.parts.pv_edge_visits = flag(&mut arguments)?,
                "rootInfo" => self.parts.root_info = flag(&mut arguments)?,
                other => return Err(GtpError::syntax(KEYS, Some(other))),
            }
            word = arguments.next_word();
        }
        // GUIs analyse for the player to move, servers ask by colour.
        debug_assert!(self.player == to_play || self.player == to_play.other());
        self.root_moves = restriction.root_moves();
        Ok(self)
    }
}

const INTERVAL: &str = "an interval in hundredths of a second";
const VERTICES: &str = "vertices separated by commas";
const KEYS: &str = "a colour, an interval, or interval, avoid, allow, minmoves, maxmoves, ownership, movesOwnership, \
                    pvVisits, pvEdgeVisits or rootInfo";
/// Keys of KataGo's that are accepted although no dialect writes anything for them.
const UNSUPPORTED_KEYS: [&str; 3] = ["ownershipStdev", "movesOwnershipStdev", "noResultValue"];
/// Keys of parts that lines of whole numbers do not have.
const PART_KEYS: [&str; 5] = ["ownership", "movesOwnership", "pvVisits", "pvEdgeVisits", "rootInfo"];

impl Dialect {
    fn ignores(self, key: &str) -> bool {
        let has_parts = matches!(self, Dialect::KataGo | Dialect::Cgos);
        UNSUPPORTED_KEYS.contains(&key) || !has_parts && PART_KEYS.contains(&key)
    }
}

/// Maximum interval in hundredths of a second; longer ones are cut to it.
const MAX_INTERVAL: f64 = 1e6;

fn centiseconds(text: &str) -> Result<Duration, GtpError> {
    let number: Option<f64> = text.parse().ok().filter(|&number| number >= 0.0);
    let number = number.ok_or_else(|| GtpError::syntax(INTERVAL, Some(text)))?;
    Ok(Duration::from_secs_f64(number.min(MAX_INTERVAL) / 100.0))
}

fn flag(arguments: &mut Arguments<'_>) -> Result<bool, GtpError> {
    const EXPECTED: &str = "true or false";
    match arguments.word(EXPECTED)? {
        word if word.eq_ignore_ascii_case("true") => Ok(true),
        word if word.eq_ignore_ascii_case("false") => Ok(false),
        other => Err(GtpError::syntax(EXPECTED, Some(other))),
    }
}

fn vertices(text: &str, size: Size) -> Result<Vec<Move>, GtpError> {
    let moves = text.split(',').filter(|word| !word.is_empty()).map(|word| size.parse_vertex(word));
    moves.collect::<Option<_>>().ok_or_else(|| GtpError::syntax(VERTICES, Some(text)))
}

/// The moves allowed by several `avoid` and `allow` keys.
struct RootRestriction {
    /// True for moves named by `allow`, by move number; `None` if there is no such key.
    allowed: Option<Vec<bool>>,
    /// True for moves named by `avoid`, by move number.
    avoided: Vec<bool>,
}

impl RootRestriction {
    fn new(size: Size) -> RootRestriction {
        RootRestriction { allowed: None, avoided: vec![false; size.points() + 1] }
    }

    /// Adds the moves of a key.
    fn add(&mut self, is_allowed: bool, moves: &[Move]) {
        let count = self.avoided.len();
        let named = match is_allowed {
            true => self.allowed.get_or_insert_with(|| vec![false; count]),
            false => &mut self.avoided,
        };
        moves.iter().for_each(|mv| named[mv.index()] = true);
    }

    /// Returns the moves to search: those of `allow`, or else all, without those of `avoid`; `None` without any key.
    fn root_moves(self) -> Option<Vec<bool>> {
        if self.allowed.is_none() && !self.avoided.contains(&true) {
            return None;
        }
        let mut moves = self.allowed.unwrap_or_else(|| vec![true; self.avoided.len()]);
        moves.iter_mut().zip(self.avoided).for_each(|(is_allowed, is_avoided)| *is_allowed &= !is_avoided);
        Some(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, rest: &str) -> Result<Request, String> {
        let size = Size::new(9, 9).expect("a size");
        let request = Request::parse(name, rest, Player::Black, size).expect("a command");
        request.map_err(|error| error.to_string())
    }

    #[test]
    fn colour_and_interval_may_be_missing_or_come_by_name() {
        let seconds = |rest: &str| {
            let request = parse("lz-analyze", rest).expect("a request");
            (request.player, request.interval.map(|interval| interval.as_secs_f64()))
        };
        assert_eq!(seconds(""), (Player::Black, None));
        assert_eq!(seconds("50"), (Player::Black, Some(0.5)));
        assert_eq!(seconds("white 7"), (Player::White, Some(0.07)));
        assert_eq!(seconds("W interval 100 maxmoves 3"), (Player::White, Some(1.0)));
    }

    #[test]
    fn moves_are_avoided_and_allowed_for_the_player_asked_about() {
        let moves = |rest: &str| {
            let allowed = parse("kata-analyze", rest).expect("a request").root_moves?;
            Some(allowed.iter().filter(|allowed| **allowed).count())
        };
        assert_eq!(moves("b 10"), None);
        assert_eq!(moves("b 10 avoid b D4,E5,pass 1"), Some(79));
        assert_eq!(moves("b 10 avoid w D4,E5 1"), None);
        assert_eq!(moves("w 10 allow w D4,E5 1 allow w F6 3"), Some(3));
        assert_eq!(moves("b 10 avoid b E5 1 allow b E5,D4 1"), Some(1));
        assert_eq!(moves("b 10 allow b E5,D4 1 avoid b E5 1"), Some(1));
    }

    #[test]
    fn keys_for_which_a_dialect_writes_nothing_are_named() {
        let unsupported =
            |name: &str, rest: &str| parse(name, rest).map(|request| request.unsupported.join(" "));
        let keys = "ownership true pvVisits false rootInfo true ownershipStdev true";
        assert_eq!(unsupported("lz-analyze", keys).as_deref(), Ok("ownership rootInfo ownershipStdev"));
        assert_eq!(unsupported("analyze", keys).as_deref(), Ok("ownership rootInfo ownershipStdev"));
        assert_eq!(unsupported("kata-analyze", keys).as_deref(), Ok("ownershipStdev"));
        assert!(unsupported("lz-analyze", "ownership maybe").is_err());
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for rest in [
            "b x",
            "b 10 avoid b Z9 1",
            "b 10 avoid b",
            "b 10 ownership maybe",
            "b 10 maxmoves -1",
            "interval",
        ] {
            let error = parse("analyze", rest).expect_err(rest);
            assert!(error.starts_with("syntax error: expected"), "{rest}: {error}");
        }
    }
}
