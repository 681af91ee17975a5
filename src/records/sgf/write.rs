//! Writing played games as SGF. The crate `sgf-parse` is not used, since it writes a square board as `SZ[9:9]`, which
//! FF\[4\] forbids.

use super::game_record::GameRecord;
use super::parse::Parser;
use crate::base::game::{Game, Move, Player};
use crate::go::geometry::Point;
use crate::go::record::RecordPart;
use crate::go::{HandicapBonus, Komi, Position, Record, Rules, Size};
use std::fmt::Write;

/// Name of this program in `AP`.
pub(super) const PROGRAM: &str = "Tewari";

/// A played game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame<'a> {
    /// Board.
    pub size: Size,
    /// Rules.
    pub rules: Rules,
    /// Komi.
    pub komi: Komi,
    /// The players' names, Black first.
    pub names: [&'a str; 2],
    /// The result, such as `B+3.5`.
    pub result: &'a str,
    /// The comment of the first node; may be empty.
    pub comment: &'a str,
    /// The moves.
    pub moves: &'a [(Player, Move)],
}

/// Returns the game as SGF, ten moves a line.
#[must_use]
pub fn write(game: &PlayedGame<'_>) -> String {
    let size = game.size;
    let mut text = header(size, game.komi, game.rules);
    let texts = [
        ("PB", game.names[0].to_owned()),
        ("PW", game.names[1].to_owned()),
        ("RE", game.result.to_owned()),
        ("C", game.comment.to_owned()),
    ];
    for (property, value) in texts.iter().filter(|(_, value)| !value.is_empty()) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{property}[{}]", escaped(value));
    }
    write_moves(&mut text, size, game.moves);
    text.push_str(")\n");
    text
}

/// A move and its continuations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The player and the move; `None` at the root, which is a position.
    pub played: Option<(Player, Move)>,
    /// The comment; may be empty.
    pub comment: String,
    /// The next moves, the best first.
    pub next: Vec<Variation>,
}

/// Returns SGF of a position, set up by its stones, with variations.
#[must_use]
pub fn write_variations(position: &Position, root: &Variation) -> String {
    let mut text = header_of(position, position.rules());
    write_comment(&mut text, &root.comment);
    for next in &root.next {
        write_variation(&mut text, position.size(), next);
    }
    text.push_str(")\n");
    text
}

/// Information on a game that does not concern its moves. Missing and empty items are not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameInformation {
    /// The players' names, Black first.
    pub names: [Option<String>; 2],
    /// The players' ranks, Black first.
    pub ranks: [Option<String>; 2],
    /// The result, such as `B+3.5`.
    pub result: Option<String>,
    /// The date.
    pub date: Option<String>,
    /// The event.
    pub event: Option<String>,
    /// The title of the game.
    pub title: Option<String>,
}

impl GameInformation {
    /// Returns the information in a record.
    #[must_use]
    pub fn of(record: &GameRecord) -> GameInformation {
        GameInformation {
            names: record.names.clone(),
            ranks: record.ranks.clone(),
            result: record.result.clone(),
            date: record.date.clone(),
            event: record.event.clone(),
            title: record.title.clone(),
        }
    }

    fn write(&self, text: &mut String) {
        let ([black, white], [black_rank, white_rank]) = (&self.names, &self.ranks);
        for (property, value) in [
            ("GN", &self.title),
            ("EV", &self.event),
            ("DT", &self.date),
            ("PB", black),
            ("BR", black_rank),
            ("PW", white),
            ("WR", white_rank),
            ("RE", &self.result),
        ] {
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                // Writing to a string cannot fail.
                let _ = write!(text, "{property}[{}]", escaped(value));
            }
        }
    }
}

/// Returns SGF of a game from its first position, which may be set up, ten moves a line.
#[must_use]
pub fn write_record(record: &Record) -> String {
    write_game(record, &GameInformation::default())
}

/// Returns the record as [`write_record`] does, with information on the game.
#[must_use]
pub fn write_game(record: &Record, information: &GameInformation) -> String {
    let (stones, rules) = (record.compensated_stones(), record.start().rules());
    let text = game_text(record, rules, stones, information);
    match counted_handicap(&text) {
        counted if counted == stones => text,
        // A reader would compensate White for stones that the record does not compensate for.
        _ if stones == 0 => {
            let rules = Rules { handicap_bonus: HandicapBonus::None, ..rules };
            game_text(record, rules, 0, information)
        }
        // Some handicap stones are not on the board: their moves have been undone.
        counted => game_text(record, rules, counted, information),
    }
}

/// Returns the handicap that a reader finds in a written game.
fn counted_handicap(text: &str) -> usize {
    let game = Parser::new(text).next_game().and_then(Result::ok);
    game.map_or(0, |game| game.handicap_stones())
}

/// Returns the text of a game with these rules and this handicap, which is left out below two stones.
fn game_text(record: &Record, rules: Rules, handicap: usize, information: &GameInformation) -> String {
    let parts: Vec<&RecordPart> = record.parts().collect();
    let start = parts[0].start();
    let mut text = header_of(start, rules);
    if handicap >= 2 {
        // Writing to a string cannot fail.
        let _ = write!(text, "HA[{handicap}]");
    }
    information.write(&mut text);
    write_moves(&mut text, start.size(), parts[0].moves());
    for (before, part) in parts.iter().zip(&parts[1..]) {
        write_setup(&mut text, before.position(), part.start());
        write_moves(&mut text, start.size(), part.moves());
    }
    let to_play = record.position().to_play();
    if record.moves().last().is_some_and(|&(last, _)| last == to_play) {
        text.push_str("\n;");
        write_to_play(&mut text, record.position());
    }
    text.push_str(")\n");
    text
}

/// Writes a node that makes `after` of `before`.
fn write_setup(text: &mut String, before: &Position, after: &Position) {
    text.push_str("\n;");
    let properties = [(Some(Player::Black), "AB"), (Some(Player::White), "AW"), (None, "AE")];
    for (stone, property) in properties {
        let is_changed =
            |point| after.board().stone_at(point) == stone && before.board().stone_at(point) != stone;
        write_points(text, property, after, is_changed);
    }
    write_to_play(text, after);
}

fn write_moves(text: &mut String, size: Size, moves: &[(Player, Move)]) {
    for (index, &(player, mv)) in moves.iter().enumerate() {
        if index % 10 == 0 {
            text.push('\n');
        }
        let colour = if player == Player::Black { 'B' } else { 'W' };
        // Writing to a string cannot fail.
        let _ = write!(text, ";{colour}[{}]", point(size, mv));
    }
}

/// Returns the start of the first node, with the position's stones and the player to move.
fn header_of(position: &Position, rules: Rules) -> String {
    let size = position.size();
    let mut text = header(size, position.komi(), rules);
    for (player, property) in [(Player::Black, "AB"), (Player::White, "AW")] {
        write_points(&mut text, property, position, |point| position.board().stone_at(point) == Some(player));
    }
    write_to_play(&mut text, position);
    text
}

/// Writes a property with the points that are `chosen`, or nothing if there is none.
fn write_points(text: &mut String, property: &str, position: &Position, chosen: impl Fn(Point) -> bool) {
    let geometry = position.board().geometry();
    let points = geometry.points.iter().filter(|&&on| chosen(on));
    let values: Vec<String> =
        points.map(|&on| format!("[{}]", point(position.size(), geometry.move_of(on)))).collect();
    if !values.is_empty() {
        text.push_str(property);
        text.push_str(&values.concat());
    }
}

fn write_to_play(text: &mut String, position: &Position) {
    text.push_str(if position.to_play() == Player::Black { "PL[B]" } else { "PL[W]" });
}

pub(super) fn write_variation(text: &mut String, size: Size, first: &Variation) {
    text.push_str("\n(");
    let mut here = first;
    loop {
        if let Some((player, mv)) = here.played {
            let colour = if player == Player::Black { 'B' } else { 'W' };
            let _ = write!(text, ";{colour}[{}]", point(size, mv));
        }
        write_comment(text, &here.comment);
        match here.next.as_slice() {
            [] => break,
            [only] => here = only,
            several => {
                several.iter().for_each(|next| write_variation(text, size, next));
                break;
            }
        }
    }
    text.push(')');
}

fn write_comment(text: &mut String, comment: &str) {
    if !comment.is_empty() {
        let _ = write!(text, "C[{}]", escaped(comment));
    }
}

/// Returns the start of the first node.
fn header(size: Size, komi: Komi, rules: Rules) -> String {
    let side = if size.columns() == size.rows() {
        size.columns().to_string()
    } else {
        format!("{}:{}", size.columns(), size.rows())
    };
    let rules = match rules {
        Rules::CHINESE => "Chinese".to_owned(),
        Rules::AGA => "AGA".to_owned(),
        Rules::NEW_ZEALAND => "NZ".to_owned(),
        other => other.to_string(),
    };
    let version = env!("CARGO_PKG_VERSION");
    format!("(;FF[4]GM[1]CA[UTF-8]AP[{PROGRAM}:{version}]SZ[{side}]KM[{komi}]RU[{}]", escaped(&rules))
}

pub(super) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]").replace(':', "\\:")
}

/// Returns a point as two letters, column and row from the upper left; empty for a pass.
#[must_use]
pub fn point(size: Size, mv: Move) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    size.coordinates(mv).map_or_else(String::new, |(column, row)| {
        [letter(column), letter(size.rows() - 1 - row)].iter().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for side in ["9", "7x5"] {
            let size: Size = side.parse().unwrap();
            let moves = [
                (Player::Black, size.parse_vertex("D5").unwrap()),
                (Player::White, size.parse_vertex("A1").unwrap()),
                (Player::Black, size.pass()),
            ];
            let text = write(&PlayedGame {
                size,
                rules: Rules::CHINESE,
                komi: Komi(13),
                names: ["self:--policy a:b=1", "odd ] name \\"],
                result: "B+3.5",
                comment: "opening op9-002",
                moves: &moves,
            });
            let collection = crate::records::sgf::read(text.as_bytes()).unwrap();
            let game = &collection.games[0];
            assert!(game.warnings.is_empty() && collection.warnings.is_empty(), "{:?}", game.warnings);
            assert_eq!(
                game.names,
                [Some("self:--policy a:b=1".to_owned()), Some("odd ] name \\".to_owned())]
            );
            assert_eq!((game.komi, game.result.as_deref()), (Some(6.5), Some("B+3.5")));
            assert_eq!(game.known_rules(), Some(Rules::CHINESE));
            let last = game.steps(Rules::CHINESE, Komi(13)).unwrap().last().unwrap().unwrap();
            assert_eq!(last.turn, 3);
            let board = last.position.board();
            let stone = |vertex| {
                let point = board.geometry().point_of(size.parse_vertex(vertex).unwrap()).unwrap();
                board.stone_at(point)
            };
            assert_eq!((stone("D5"), stone("A1")), (Some(Player::Black), Some(Player::White)));
        }
    }
}
