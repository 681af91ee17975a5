//! The rules agree with other programs and with published numbers: GNU Go, sgfmill and Fuego through
//! `../shared/testdata/rules`, Tromp & Farnebäck's counts of legal positions.

use crate::common;

use crate::common::naive::NaiveBoard;
use serde::Deserialize;
use sha1::{Digest, Sha1};
use std::collections::HashSet;
use tewari::base::game::{Game, Move, Player};
use tewari::go::position::IllegalMove;
use tewari::go::score::area_score;
use tewari::go::{Board, KoRule, Komi, Point, Position, Record, Rules, Size};

const KOMI: Komi = Komi(13);

/// Returns the text of a file of the test data; `None` if the data is absent.
fn rules_file(name: &str) -> Option<String> {
    let path = common::testdata()?.join("rules").join(name);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn json_lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    let rows: Vec<T> = text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    assert!(!rows.is_empty());
    rows
}

fn square(side: usize) -> Size {
    Size::new(side, side).expect("a size")
}

/// Returns the rules by the name that the test data uses.
fn rules_called(name: &str) -> Rules {
    match name {
        "simpleko_nosuicide" => Rules { ko: KoRule::Simple, suicide: false, ..Rules::CHINESE },
        "psk_nosuicide" => Rules { ko: KoRule::Positional, suicide: false, ..Rules::CHINESE },
        "ssk_nosuicide" => Rules { ko: KoRule::Situational, suicide: false, ..Rules::CHINESE },
        "psk_suicide(tromp-taylor)" => Rules::TROMP_TAYLOR,
        _ => panic!("unknown rules {name}"),
    }
}

fn player_called(name: &str) -> Player {
    match name {
        "b" | "B" | "black" => Player::Black,
        "w" | "W" | "white" => Player::White,
        _ => panic!("unknown player {name}"),
    }
}

fn mv(size: Size, vertex: &str) -> Move {
    size.parse_vertex(vertex).unwrap_or_else(|| panic!("{vertex} on {size}"))
}

fn point(board: &Board, vertex: &str) -> Point {
    board.geometry().point_of(mv(board.size(), vertex)).unwrap_or_else(|| panic!("{vertex} is no point"))
}

/// Returns `X`, `O` and `.`, rows from the top.
fn drawing(board: &Board) -> String {
    let symbol = |&point: &Point| match board.stone_at(point) {
        Some(Player::Black) => 'X',
        Some(Player::White) => 'O',
        None => '.',
    };
    board.geometry().points.chunks(board.size().columns()).rev().flatten().map(symbol).collect()
}

/// Returns the first 16 hexadecimal digits of the SHA-1 of the drawing.
fn hash(board: &Board) -> String {
    Sha1::digest(drawing(board)).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn sorted(mut vertices: Vec<String>) -> Vec<String> {
    vertices.sort_unstable();
    vertices
}

/// A game of `random_games.dev.jsonl`. `legal` and `n_legal` leave pass out; `ko_illegal` are the points refused for ko
/// or superko. A move states the number of stones it captures, negative for a suicide; its stones count as captured
/// by the opponent.
#[derive(Deserialize)]
struct RandomGame {
    id: String,
    size: usize,
    rules: String,
    moves: Vec<(String, String, i64)>,
    checkpoints: Vec<Checkpoint>,
    final_board: String,
    final_board_sha1: String,
    stones_captured_by_black: u32,
    stones_captured_by_white: u32,
    final_tt_area_score_b_minus_w: i16,
    suicides: u32,
    ended_by: String,
}

#[derive(Deserialize)]
struct Checkpoint {
    ply: usize,
    to_play: String,
    board_sha1: String,
    n_legal: usize,
    caps_by_black: u32,
    caps_by_white: u32,
    tt_area_score_b_minus_w: i16,
    legal: Option<Vec<String>>,
    ko_illegal: Option<Vec<String>>,
}

fn assert_checkpoint(position: &Position, expected: &Checkpoint, context: &str) {
    let size = position.size();
    assert_eq!(hash(position.board()), expected.board_sha1, "{context}");
    assert_eq!(position.to_play(), player_called(&expected.to_play), "{context}");
    assert_eq!(position.prisoners(), [expected.caps_by_black, expected.caps_by_white], "{context}");
    assert_eq!(area_score(position.board()), expected.tt_area_score_b_minus_w, "{context}");
    let legal: Vec<String> = position.legal_moves().map(|mv| size.vertex(mv)).collect();
    assert_eq!(legal.len(), expected.n_legal, "{context}");
    if let Some(expected) = &expected.legal {
        assert_eq!(sorted(legal), sorted(expected.clone()), "{context}");
    }
    if let Some(expected) = &expected.ko_illegal {
        let refused = (0..size.points() as u16)
            .map(Move)
            .filter(|&mv| matches!(position.check(mv), Err(IllegalMove::Ko | IllegalMove::Superko)));
        assert_eq!(
            sorted(refused.map(|mv| size.vertex(mv)).collect()),
            sorted(expected.clone()),
            "{context}"
        );
    }
}

#[test]
fn random_games_are_what_gnu_go_and_sgfmill_say_they_are() {
    let Some(text) = rules_file("random_games.dev.jsonl") else { return };
    for game in json_lines::<RandomGame>(&text) {
        let size = square(game.size);
        let mut position = Position::new(size, rules_called(&game.rules), KOMI);
        let mut checkpoints = game.checkpoints.iter().peekable();
        let (mut suicides, mut checked) = (0, 0);
        for (ply, (colour, vertex, captured)) in game.moves.iter().enumerate() {
            let context = format!("{} before move {ply}", game.id);
            while let Some(checkpoint) = checkpoints.next_if(|checkpoint| checkpoint.ply == ply) {
                assert_checkpoint(&position, checkpoint, &context);
                checked += 1;
            }
            let (player, mv) = (player_called(colour), mv(size, vertex));
            assert_eq!(position.to_play(), player, "{context}");
            let before = position.prisoners();
            suicides += u32::from(position.loses_stones(mv)[player.index()]);
            assert_eq!(position.try_play(mv), Ok(()), "{context}: {vertex}");
            let taken = |by: Player| i64::from(position.prisoners()[by.index()] - before[by.index()]);
            assert_eq!(taken(player) - taken(player.other()), *captured, "{context}: {vertex}");
        }
        assert_eq!(checked, game.checkpoints.len(), "{}", game.id);
        assert_eq!(suicides, game.suicides, "{}", game.id);
        assert_eq!(drawing(position.board()), game.final_board, "{}", game.id);
        assert_eq!(hash(position.board()), game.final_board_sha1, "{}", game.id);
        let prisoners = [game.stones_captured_by_black, game.stones_captured_by_white];
        assert_eq!(position.prisoners(), prisoners, "{}", game.id);
        assert_eq!(area_score(position.board()), game.final_tt_area_score_b_minus_w, "{}", game.id);
        let ended = game.ended_by == "two_passes";
        assert_eq!(position.terminal_score().is_some(), ended, "{}", game.id);
    }
}

#[derive(Deserialize)]
struct Counts {
    perft: Vec<Perft>,
    legal_positions: serde_json::Value,
}

#[derive(Deserialize)]
struct Perft {
    size: usize,
    rules: String,
    passes: String,
    leaves: Vec<u64>,
}

/// Returns the number of games of `depth` moves; a game that ends earlier counts, too.
fn leaves(position: &Position, with_passes: bool, depth: usize) -> u64 {
    if depth == 0 || position.terminal_score().is_some() {
        return 1;
    }
    let pass = with_passes.then(|| position.size().pass());
    let moves = position.legal_moves().chain(pass);
    moves
        .map(|mv| {
            let mut next = position.clone();
            next.play(mv);
            leaves(&next, with_passes, depth - 1)
        })
        .sum()
}

#[test]
fn as_many_games_of_each_length_exist_as_gnu_go_and_sgfmill_count() {
    let Some(text) = rules_file("counts_and_values.json") else { return };
    let counts: Counts = serde_json::from_str(&text).expect("counts");
    assert!(!counts.perft.is_empty());
    for row in counts.perft {
        let with_passes = row.passes.starts_with("included");
        assert!(with_passes || row.passes == "excluded", "{}", row.passes);
        let start = Position::new(square(row.size), rules_called(&row.rules), KOMI);
        for (depth, &expected) in (1..).zip(&row.leaves) {
            let context = format!("{} moves, size {}, {}, passes {}", depth, row.size, row.rules, row.passes);
            assert_eq!(leaves(&start, with_passes, depth), expected, "{context}");
        }
    }
}

/// A case of `superko_is_legal.dev.jsonl`, from Fuego, where `superko` is the situational rule.
#[derive(Deserialize)]
struct SuperkoCase {
    id: String,
    size: usize,
    ko_rule: String,
    setup_black: Vec<String>,
    setup_white: Vec<String>,
    moves: Vec<(String, String)>,
    colour: String,
    vertex: String,
    legal: bool,
    black: Vec<String>,
    white: Vec<String>,
}

#[test]
fn repetitions_are_judged_as_fuego_judges_them() {
    let Some(text) = rules_file("superko_is_legal.dev.jsonl") else { return };
    for case in json_lines::<SuperkoCase>(&text) {
        let size = square(case.size);
        let ko = match case.ko_rule.as_str() {
            "simple" => KoRule::Simple,
            "superko" => KoRule::Situational,
            "pos_superko" => KoRule::Positional,
            other => panic!("{}: unknown rule {other}", case.id),
        };
        let of = |player, vertices: &[String]| -> Vec<(Player, Move)> {
            vertices.iter().map(|vertex| (player, mv(size, vertex))).collect()
        };
        let setup = [of(Player::Black, &case.setup_black), of(Player::White, &case.setup_white)].concat();
        let to_play = player_called(&case.moves[0].0);
        let start = Position::with_stones(
            size,
            Rules { ko, suicide: false, ..Rules::CHINESE },
            KOMI,
            &setup,
            to_play,
        );
        let mut record = Record::from_position(start.expect("a legal setup"));
        for (colour, vertex) in &case.moves {
            assert_eq!(record.play(player_called(colour), mv(size, vertex)), Ok(()), "{} {vertex}", case.id);
        }
        for (player, vertices) in [(Player::Black, &case.black), (Player::White, &case.white)] {
            let board = record.position().board();
            assert_eq!(usize::from(board.stones()[player.index()]), vertices.len(), "{}", case.id);
            for vertex in vertices {
                assert_eq!(board.stone_at(point(board, vertex)), Some(player), "{} {vertex}", case.id);
            }
        }
        let played = record.play(player_called(&case.colour), mv(size, &case.vertex));
        assert_eq!(played.is_ok(), case.legal, "{}: {played:?}", case.id);
        assert!(case.legal || matches!(played, Err(IllegalMove::Ko | IllegalMove::Superko)), "{}", case.id);
    }
}

/// Name, moves of colours in any order, board, ko point, area score.
type PlayTest = (String, Vec<String>, String, Option<String>, i16);
/// Name, board, area score.
type ScoreTest = (String, String, i16);
/// Name; black, white and empty points; board after the stones without liberties are removed; true if none were removed.
type SetupTest = (String, Vec<String>, Vec<String>, Vec<String>, String, bool);

/// `sgfmill_board_tests.json`: boards of 9x9 with coordinates around them.
#[derive(Deserialize)]
struct SgfmillTests {
    play_tests: Vec<PlayTest>,
    score_tests: Vec<ScoreTest>,
    setup_tests: Vec<SetupTest>,
}

/// Returns `X`, `O` and `.` of an sgfmill drawing, rows from the top.
fn from_sgfmill(text: &str) -> String {
    NaiveBoard::from_drawing(9, 9, text).drawing()
}

fn sgfmill_tests() -> Option<SgfmillTests> {
    Some(serde_json::from_str(&rules_file("sgfmill_board_tests.json")?).expect("tests"))
}

#[test]
fn stones_are_captured_as_on_the_board_of_sgfmill() {
    let Some(tests) = sgfmill_tests() else { return };
    assert!(!tests.play_tests.is_empty());
    for (name, moves, expected, ko, score) in tests.play_tests {
        let mut board = Board::new(square(9));
        for text in &moves {
            let (colour, vertex) = text.split_once(' ').expect("a colour and a vertex");
            board.place(point(&board, vertex), player_called(colour));
        }
        assert_eq!(drawing(&board), from_sgfmill(&expected), "{name}");
        let expected_ko = ko.map_or(Point::NONE, |vertex| point(&board, &vertex));
        assert_eq!(board.ko(), expected_ko, "{name}");
        assert_eq!(area_score(&board), score, "{name}");
    }
}

#[test]
fn area_is_counted_as_on_the_board_of_sgfmill() {
    let Some(tests) = sgfmill_tests() else { return };
    assert!(!tests.score_tests.is_empty());
    for (name, text, score) in tests.score_tests {
        let naive = NaiveBoard::from_drawing(9, 9, &text);
        let mut board = Board::new(square(9));
        for (at, cell) in naive.cells.iter().enumerate() {
            if let &Some(player) = cell {
                board.place(board.geometry().points[at], player);
            }
        }
        assert_eq!(drawing(&board), naive.drawing(), "{name}");
        assert_eq!(area_score(&board), score, "{name}");
        assert_eq!(naive.area_score(), i32::from(score), "{name}: the model of the other tests");
    }
}

#[test]
fn a_setup_is_refused_exactly_when_sgfmill_has_to_remove_stones_from_it() {
    let Some(tests) = sgfmill_tests() else { return };
    assert!(!tests.setup_tests.is_empty());
    for (name, black, white, _, expected, legal) in tests.setup_tests {
        let size = square(9);
        let of = |player, vertices: Vec<String>| -> Vec<(Player, Move)> {
            vertices.iter().map(|vertex| (player, mv(size, vertex))).collect()
        };
        let stones = [of(Player::Black, black), of(Player::White, white)].concat();
        match Position::with_stones(size, Rules::CHINESE, KOMI, &stones, Player::Black) {
            Ok(position) => assert!(legal && drawing(position.board()) == from_sgfmill(&expected), "{name}"),
            Err((_, error)) => assert!(!legal && error == IllegalMove::Suicide, "{name}: {error}"),
        }
    }
}

/// Numbers of legal positions by columns and rows.
///
/// Source: J. Tromp & G. Farnebäck, "Combinatorics of Go" (2016) and OEIS A094777 for the squares; the rectangles were
/// counted by an independent brute-force program. In one row L(n) = 3 L(n-1) - L(n-2) + L(n-3).
const LEGAL_POSITIONS: [(usize, usize, usize); 13] = [
    (1, 1, 1),
    (1, 2, 5),
    (1, 3, 15),
    (4, 1, 41),
    (1, 5, 113),
    (6, 1, 313),
    (1, 7, 867),
    (1, 8, 2401),
    (9, 1, 6649),
    (2, 2, 57),
    (2, 3, 489),
    (4, 2, 4125),
    (3, 3, 12675),
];

#[test]
fn as_many_setups_are_legal_as_published() {
    for (columns, rows, expected) in LEGAL_POSITIONS {
        let size = Size::new(columns, rows).expect("a size");
        let mut legal = 0;
        for code in 0..3_usize.pow(size.points() as u32) {
            let digit = |at: usize| code / 3_usize.pow(at as u32) % 3;
            let stones: Vec<(Player, Move)> = (0..size.points())
                .filter(|&at| digit(at) != 0)
                .map(|at| (Player::BOTH[digit(at) - 1], Move(at as u16)))
                .collect();
            let position = Position::with_stones(size, Rules::CHINESE, KOMI, &stones, Player::Black);
            legal += usize::from(position.is_ok());
        }
        assert_eq!(legal, expected, "{size}");
    }
}

#[test]
fn exactly_the_published_number_of_positions_is_reached_by_play() {
    for (columns, rows, expected) in LEGAL_POSITIONS.into_iter().chain([(3, 4, 321_689)]) {
        let start = Board::new(Size::new(columns, rows).expect("a size"));
        let mut reached = HashSet::from([start.key()]);
        let mut open = vec![start];
        while let Some(board) = open.pop() {
            for &point in board.empty_points() {
                for player in Player::BOTH {
                    // Distinguished by key only: a collision would appear as a missing position.
                    if reached.insert(board.key_and_ko_after(point, player).0) {
                        let mut next = board.clone();
                        next.place(point, player);
                        open.push(next);
                    }
                }
            }
        }
        assert_eq!(reached.len(), expected, "{columns}x{rows}");
    }
}

#[test]
fn the_counts_used_here_are_those_of_the_test_data() {
    let Some(text) = rules_file("counts_and_values.json") else { return };
    let counts: Counts = serde_json::from_str(&text).expect("counts");
    for (columns, rows, expected) in LEGAL_POSITIONS {
        if columns == rows {
            let given = &counts.legal_positions["n=1..9"][columns - 1];
            assert_eq!(given.as_str(), Some(expected.to_string().as_str()), "{columns}x{rows}");
        }
    }
}
