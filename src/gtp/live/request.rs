//! What a command of live analysis asks for.

use crate::game::{Move, Player};
use crate::go::Size;
use crate::gtp::arguments::Arguments;
use crate::gtp::error::GtpError;
use std::time::Duration;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gtp) enum Dialect {
    /// Whole numbers, win rates in hundredths of a per cent: `lz-analyze`.
    LeelaZero,
    /// Numbers from 0 to 1, scores, ownership: `kata-analyze`, and `analyze`, which some GUIs prefer.
    KataGo,
    /// A line of JSON: `cgos-genmove_analyze`.
    Cgos,
}

/// The commands, by name: how they write, and whether they play the move that they find.
const COMMANDS: [(&str, Dialect, bool); 7] = [
    ("analyze", Dialect::KataGo, false),
    ("cgos-genmove_analyze", Dialect::Cgos, true),
    ("genmove_analyze", Dialect::KataGo, true),
    ("kata-analyze", Dialect::KataGo, false),
    ("kata-genmove_analyze", Dialect::KataGo, true),
    ("lz-analyze", Dialect::LeelaZero, false),
    ("lz-genmove_analyze", Dialect::LeelaZero, true),
];

/// Every command of live analysis.
pub(in crate::gtp) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|&(name, ..)| name)
}

/// What to analyse, and what to tell of it.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::gtp) struct Request {
    pub(super) player: Player,
    pub(super) dialect: Dialect,
    /// Whether the best move is played at the end.
    pub(super) plays: bool,
    /// Time between two lines; `None`: one line at the end.
    pub(super) interval: Option<Duration>,
    /// The moves to look at, by their number; `None`: all.
    pub(super) root_moves: Option<Vec<bool>>,
    /// Moves to tell at most.
    pub(super) most_moves: usize,
    /// Moves to tell at least, if there are as many: those without visits come last.
    pub(super) least_moves: usize,
    pub(super) has_ownership: bool,
    pub(super) has_pv_visits: bool,
    pub(super) has_root_info: bool,
}

impl Request {
    /// Reads the arguments of the command `name`, `None` if it is no such command: a colour and an interval in
    /// hundredths of a second, each of which may be missing, then pairs of a key and a value.
    pub(in crate::gtp) fn parse(
        name: &str,
        rest: &str,
        to_play: Player,
        size: Size,
    ) -> Option<Result<Request, GtpError>> {
        let &(_, dialect, plays) = COMMANDS.iter().find(|(known, ..)| *known == name)?;
        let request = Request {
            player: to_play,
            dialect,
            plays,
            interval: None,
            root_moves: None,
            most_moves: usize::MAX,
            least_moves: 0,
            has_ownership: dialect == Dialect::Cgos,
            has_pv_visits: false,
            has_root_info: false,
        };
        Some(request.with_arguments(Arguments::new(rest), to_play, size))
    }

    fn with_arguments(
        mut self,
        mut arguments: Arguments<'_>,
        to_play: Player,
        size: Size,
    ) -> Result<Request, GtpError> {
        let mut restriction = Restriction::new(size);
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
                    let depth: u32 = arguments.number("a number of moves")?;
                    if player == self.player && depth > 0 {
                        restriction.add(key == "allow", &moves);
                    }
                }
                "minmoves" => self.least_moves = arguments.number("a number of moves")?,
                "maxmoves" => self.most_moves = arguments.number("a number of moves")?,
                "ownership" => self.has_ownership = flag(&mut arguments)?,
                "pvVisits" => self.has_pv_visits = flag(&mut arguments)?,
                "rootInfo" => self.has_root_info = flag(&mut arguments)?,
                // Known to clients, but nothing that a search of playouts has.
                "movesOwnership" | "ownershipStdev" | "pvEdgeVisits" | "noResultValue" => {
                    flag(&mut arguments)?;
                }
                other => return Err(GtpError::syntax(KEYS, Some(other))),
            }
            word = arguments.next_word();
        }
        // GUIs analyse for the player whose turn it is, servers ask by colour.
        debug_assert!(self.player == to_play || self.player == to_play.other());
        self.root_moves = restriction.allowed;
        Ok(self)
    }
}

const INTERVAL: &str = "an interval in hundredths of a second";
const VERTICES: &str = "vertices separated by commas";
const KEYS: &str =
    "a colour, an interval, or interval, avoid, allow, minmoves, maxmoves, ownership, pvVisits or rootInfo";

/// Longer intervals are as good as this one.
const LONGEST_INTERVAL: f64 = 1e6;

fn centiseconds(text: &str) -> Result<Duration, GtpError> {
    let number: Option<f64> = text.parse().ok().filter(|&number| number >= 0.0);
    let number = number.ok_or_else(|| GtpError::syntax(INTERVAL, Some(text)))?;
    Ok(Duration::from_secs_f64(number.min(LONGEST_INTERVAL) / 100.0))
}

fn flag(arguments: &mut Arguments<'_>) -> Result<bool, GtpError> {
    const EXPECTED: &str = "true or false";
    match arguments.word(EXPECTED)? {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(GtpError::syntax(EXPECTED, Some(other))),
    }
}

fn vertices(text: &str, size: Size) -> Result<Vec<Move>, GtpError> {
    let moves = text.split(',').map(|word| size.parse_vertex(word));
    moves.collect::<Option<_>>().ok_or_else(|| GtpError::syntax(VERTICES, Some(text)))
}

/// The moves that several `avoid` and `allow` leave.
struct Restriction {
    moves: usize,
    allowed: Option<Vec<bool>>,
    has_allowed: bool,
}

impl Restriction {
    fn new(size: Size) -> Restriction {
        Restriction { moves: size.points() + 1, allowed: None, has_allowed: false }
    }

    /// The first `allow` leaves nothing else, further ones add to it; `avoid` takes away.
    fn add(&mut self, is_allowed: bool, moves: &[Move]) {
        let begins_empty = is_allowed && !self.has_allowed;
        self.has_allowed |= is_allowed;
        let allowed = self.allowed.get_or_insert_with(|| vec![true; self.moves]);
        if begins_empty {
            allowed.fill(false);
        }
        for mv in moves {
            allowed[mv.index()] = is_allowed;
        }
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
