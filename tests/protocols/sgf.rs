//! Game records: SGF files as found in practice, no input makes the reader panic, and agreement with another reader,
//! sgfmill, on the files of `../shared/testdata/sgf`.

mod charsets;
mod damaged;
mod oracle;
mod repeated;
mod terms;

use proptest::prelude::*;
use tewari::base::game::{Game, Player};
use tewari::go::position::IllegalMove;
use tewari::go::{KoRule, Komi, Position, Rules, Scoring};
use tewari::records::sgf::{
    self, ChosenTerms, DefaultTerms, GameRecord, RecordMove, RecordPoint, ReplayError, SgfError,
};

const RULES: Rules = Rules::CHINESE;
const KOMI: Komi = Komi(13);

fn game(text: &str) -> GameRecord {
    games(text.as_bytes()).swap_remove(0)
}

fn games(bytes: &[u8]) -> Vec<GameRecord> {
    sgf::read(bytes).unwrap_or_else(|error| panic!("{error}")).games
}

fn error(text: &str) -> SgfError {
    sgf::read(text.as_bytes()).expect_err(text)
}

/// Returns line and column of the error.
fn place_of_error(text: &str) -> (u32, u32) {
    let at = error(text).location().expect("a place");
    (at.line, at.column)
}

/// Returns the moves as GTP vertices, on boards up to 19x19.
fn vertices(record: &GameRecord) -> Vec<String> {
    let size =
        tewari::go::Size::new(usize::from(record.columns), usize::from(record.rows)).expect("a small board");
    let vertex = |place: &RecordMove| match place {
        RecordMove::Point(p) => {
            size.vertex(size.move_at(usize::from(p.column), usize::from(p.row)).expect("on board"))
        }
        RecordMove::Pass => "pass".to_owned(),
        RecordMove::Unreadable(unreadable) => unreadable.to_string(),
    };
    record.moves().map(|(player, place)| format!("{player} {}", vertex(place))).collect()
}

fn position(text: &str, turn: usize) -> Position {
    game(text).position_after(turn, RULES, KOMI).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the rows from the top, `.XO`, separated by `/`.
fn drawing(position: &Position) -> String {
    let (columns, board) = (position.size().columns(), position.board());
    let symbol = |&point| match board.stone_at(point) {
        None => '.',
        Some(Player::Black) => 'X',
        Some(Player::White) => 'O',
    };
    let rows: Vec<String> =
        board.geometry().points.chunks(columns).rev().map(|row| row.iter().map(symbol).collect()).collect();
    rows.join("/")
}

#[test]
fn rows_count_from_the_top_in_the_file_and_from_the_bottom_in_our_moves() {
    assert_eq!(vertices(&game("(;SZ[9];B[ab];W[ia])")), ["black A8", "white J9"]);
    assert_eq!(drawing(&position("(;SZ[3];B[ca];W[bc])", 2)), "..X/.../.O.");
}

#[test]
fn a_move_on_tt_is_a_pass_up_to_size_nineteen() {
    assert_eq!(vertices(&game("(;SZ[19];B[tt];W[])")), ["black pass", "white pass"]);
    assert_eq!(vertices(&game("(;SZ[19:13];B[tt])")), ["black pass"]);
    let large = game("(;SZ[21];B[tt];W[])");
    let point = RecordMove::Point(RecordPoint { column: 19, row: 1 });
    assert_eq!(*large.nodes[1].moves, [(Player::Black, point)]);
    assert_eq!(*large.nodes[2].moves, [(Player::White, RecordMove::Pass)]);
}

#[test]
fn komi_is_read_however_it_is_written() {
    for (text, komi) in [
        ("(;KM[6.5])", Some(6.5)),
        ("(;KM[])", None),
        ("(;KM[6,5])", Some(6.5)),
        ("(;KM[ 6.5 ])", Some(6.5)),
        ("(;KM[0.00])", Some(0.0)),
        ("(;KM[-3])", Some(-3.0)),
        ("(;)", None),
        ("(;KoMi[7])", Some(7.0)),
    ] {
        let record = game(text);
        assert_eq!((record.komi, record.warnings.len()), (komi, 0), "{text}");
    }
    for text in ["(;KM[six])", "(;KM[NaN])", "(;KM[inf])"] {
        let record = game(text);
        assert_eq!(record.komi, None, "{text}");
        assert!(record.warnings[0].contains("line 1, column 5: expected a number, found KM["), "{text}");
    }
}

#[test]
fn sizes_may_be_rectangles_and_up_to_fifty_two() {
    let size = |text| (game(text).columns, game(text).rows);
    assert_eq!(size("(;)"), (19, 19));
    assert_eq!(size("(;SZ[])"), (19, 19));
    assert_eq!(size("(;SZ[16:8])"), (16, 8));
    assert_eq!(size("(;SZ[52])"), (52, 52));
    assert_eq!(size("(;AB[aa]SZ[9])"), (9, 9), "the size may follow the stones");
    for text in ["(;SZ[0])", "(;SZ[53])", "(;SZ[9:])", "(;SZ[nine])", "(;SZ[300])"] {
        assert!(matches!(error(text), SgfError::BoardSize { .. }), "{text}");
        assert_eq!(place_of_error(text), (1, 5));
    }
}

#[test]
fn a_board_above_nineteen_is_read_but_not_replayed() {
    let record = game("(;SZ[21];B[uu])");
    assert_eq!(record.nodes[1].moves[0].1, RecordMove::Point(RecordPoint { column: 20, row: 0 }));
    let error = record.position_after(0, RULES, KOMI).map(|_| ()).expect_err("too large");
    assert!(matches!(error, ReplayError::Size(_)));
    assert!(error.to_string().contains("21x21") && error.to_string().contains("19"), "{error}");
}

#[test]
fn long_property_names_lose_their_small_letters() {
    let record = game("(;GaMe[1]FileFormat[3]SiZe[9]PlayerBlack[Shu];Black[ee];White[cc])");
    assert_eq!(vertices(&record), ["black E5", "white C7"]);
    assert_eq!(record.names, [Some("Shu".to_owned()), None]);
    assert!(matches!(error("(;size[9])"), SgfError::Syntax { .. }));
}

#[test]
fn white_space_may_stand_between_all_tokens() {
    let record = game("\n( \t;\r\nSZ \n[5]\n;B\n[ aa ]\n;W [ee]\n)\n");
    assert_eq!(vertices(&record), ["black A5", "white E1"]);
}

#[test]
fn points_may_be_given_in_rectangles_and_properties_repeatedly() {
    let text = "(;SZ[4]AB[aa]AW[da:db]AB[ab:bc][dd];AE[bb:bc][aa]AB[ca])";
    let record = game(text);
    assert_eq!(record.nodes[0].setup().len(), 8);
    let end = record.final_position(RULES, KOMI).unwrap();
    assert_eq!(drawing(&end), "..XO/X..O/X.../...X");
}

#[test]
fn setup_in_mid_game_makes_a_new_history_that_starts_with_it() {
    // Black captures a ko, the setup changes stones elsewhere, White recaptures at once.
    let text = "(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];AB[ee];W[bb])";
    assert_eq!(drawing(&position(text, 2)), ".XO../XO.O./.XO../...../....X");
    assert_eq!(position(text, 1).to_play(), Player::White);
    let without_setup = text.replace("AB[ee]", "");
    let reasons = |text: &str| {
        let illegal = game(text).illegal_moves(RULES);
        illegal.iter().map(|&(turn, player, _, reason)| (turn, player, reason)).collect::<Vec<_>>()
    };
    assert_eq!(reasons(&without_setup), [(2, Player::White, IllegalMove::Ko)]);
    assert_eq!(reasons(text), []);
}

#[test]
fn the_position_set_up_belongs_to_the_history() {
    // The setup is a position in the middle of a ko fight; after two passes White may recapture by the ko rule, but the
    // recapture repeats the position that was set up.
    let text = "(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb])";
    let illegal = game(text).illegal_moves(RULES);
    assert!(matches!(illegal[..], [(4, Player::White, _, IllegalMove::Superko)]), "{illegal:?}");
    assert_eq!(game(text).illegal_moves(Rules { ko: KoRule::Simple, ..RULES }), []);
}

#[test]
fn the_player_to_move_follows_pl_then_the_next_move_then_the_handicap() {
    for (text, turn, player) in [
        ("(;)", 0, Player::Black),
        ("(;HA[2]AB[dd][pp])", 0, Player::White),
        ("(;HA[2])", 0, Player::Black),
        ("(;AB[dd][pp])", 0, Player::Black),
        ("(;HA[2]AB[dd][pp];B[qq])", 0, Player::Black),
        ("(;;W[qq])", 0, Player::White),
        ("(;PL[W];B[qq])", 0, Player::White),
        ("(;PLayer[White])", 0, Player::White),
        ("(;B[qq];W[cc])", 2, Player::Black),
        ("(;B[qq];B[cc])", 1, Player::Black),
        ("(;B[qq];PL[B])", 1, Player::Black),
        ("(;B[qq];AB[dd])", 1, Player::White),
        ("(;B[qq]PL[B];W[cc])", 1, Player::White),
    ] {
        assert_eq!(position(text, turn).to_play(), player, "{text}");
    }
    assert_eq!(game("(;PL[x])").warnings.len(), 1);
}

#[test]
fn a_move_by_the_wrong_colour_is_accepted() {
    assert_eq!(drawing(&position("(;SZ[3]PL[W];B[aa];B[ba];W[cc]B[ca])", 4)), "XXX/.../..O");
}

#[test]
fn steps_give_every_turn_and_stop_before_a_move_that_is_no_point() {
    let record = game("(;SZ[3];B[aa];W[bb];B[zz];W[cc])");
    let mut steps = record.steps(RULES, KOMI).unwrap();
    for (turn, stones) in [(0, [0, 0]), (1, [1, 0]), (2, [1, 1])] {
        let step = steps.next().unwrap().unwrap();
        assert_eq!((step.turn, step.position.board().stones()), (turn, stones));
        assert_eq!(step.played.is_some(), turn > 0);
    }
    let error = steps.next().unwrap().map(|_| ()).unwrap_err();
    assert!(matches!(error, ReplayError::Unreadable { turn: 2, .. }), "{error}");
    assert!(steps.next().is_none() && steps.next().is_none());
    assert!(record.position_after(2, RULES, KOMI).is_ok());
    assert!(record.position_after(3, RULES, KOMI).is_err());
}

/// Returns a text with its coordinates under each symmetry of a board of `side` lines, with exchanged colours in every
/// second one.
fn in_all_symmetries(text: &str, side: u8) -> Vec<String> {
    let turn = |column: u8, row: u8, symmetry: u8| {
        let (column, row) = if symmetry & 1 == 0 { (column, row) } else { (side - 1 - column, row) };
        let (column, row) = if symmetry & 2 == 0 { (column, row) } else { (column, side - 1 - row) };
        if symmetry & 4 == 0 { (column, row) } else { (row, column) }
    };
    let of_other = |name: &str| match name {
        "B" => "W".to_owned(),
        "W" => "B".to_owned(),
        "AB" => "AW".to_owned(),
        "AW" => "AB".to_owned(),
        other => other.to_owned(),
    };
    let mut texts = Vec::new();
    for symmetry in 0..16 {
        let mut out = String::new();
        for piece in text.split_inclusive(']') {
            let Some((before, value)) = piece.split_once('[') else {
                out.push_str(piece);
                continue;
            };
            let letters: Vec<u8> = value.bytes().filter(u8::is_ascii_lowercase).collect();
            let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
            let name = &before[start..];
            let name = if symmetry & 8 == 0 { name.to_owned() } else { of_other(name) };
            out.push_str(&before[..start]);
            out.push_str(&name);
            match letters[..] {
                [column, row] => {
                    let (column, row) = turn(column - b'a', row - b'a', symmetry & 7);
                    out.push_str(&format!("[{}{}]", char::from(b'a' + column), char::from(b'a' + row)));
                }
                _ => out.push_str(&format!("[{value}")),
            }
        }
        texts.push(out);
    }
    texts
}

#[test]
fn illegal_moves_are_executed_as_sgf_defines_them_in_all_symmetries() {
    for (text, turn, reason, stones) in [
        ("(;SZ[5];B[bc];W[bc];B[dd])", 2, IllegalMove::Occupied, 2),
        ("(;SZ[5];B[bc];B[bc];W[dd])", 2, IllegalMove::Occupied, 2),
        // The new stone replaces one and captures another that has no other liberty.
        ("(;SZ[5]AB[aa]AW[ba];B[ab];W[ab];B[dd])", 2, IllegalMove::Occupied, 3),
        ("(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb];B[ee])", 2, IllegalMove::Ko, 8),
        ("(;SZ[5]AB[aa]AW[ab][bb][ca];B[ee];W[dd];B[ba];W[de])", 3, IllegalMove::Suicide, 6),
        ("(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb];B[ee])", 4, IllegalMove::Superko, 8),
    ] {
        for text in in_all_symmetries(text, 5) {
            let record = game(&text);
            let illegal = record.illegal_moves(RULES);
            assert!(
                illegal.len() == 1 && (illegal[0].0, illegal[0].3) == (turn, reason),
                "{text}: {illegal:?}"
            );
            let end = record.final_position(RULES, KOMI).map(|end| end.board().stones());
            let count = end.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(count.iter().map(|&it| usize::from(it)).sum::<usize>(), stones, "{text}");
            let terms = record.terms(ChosenTerms { rules: Some(RULES), komi: None }, DefaultTerms::default());
            let assumed = terms.expect("terms").assumed;
            let said = format!("move {turn}, ");
            assert!(
                assumed.iter().any(|line| line.starts_with(&said) && line.contains("SGF")),
                "{assumed:?}"
            );
        }
    }
}

#[test]
fn a_turn_beyond_the_end_is_an_error_that_names_the_last_one() {
    let error = game("(;;B[aa])").position_after(7, RULES, KOMI).map(|_| ()).unwrap_err();
    assert_eq!(error, ReplayError::NoSuchTurn { turn: 7, last: 1 });
}

#[test]
fn a_point_off_the_board_only_matters_to_who_replays_it() {
    let record = game("(;SZ[9]\n;B[cg];W[rs];B[aa])");
    assert_eq!((record.move_count(), record.moves().count()), (2, 3));
    assert!(record.position_after(1, RULES, KOMI).is_ok());
    let error = record.position_after(2, RULES, KOMI).map(|_| ()).unwrap_err();
    let expected = "after move 1: line 2, column 9: expected a point of the 9x9 board, found W[rs]; \
                    correct the record there";
    assert_eq!(error.to_string(), expected);
    assert!(game("(;SZ[9]AE[];B[aa])").position_after(1, RULES, KOMI).is_ok(), "an empty list");
    let setup = game("(;SZ[9]AB[aa][jj])");
    assert_eq!(setup.nodes[0].setup().len(), 1);
    assert!(matches!(setup.position_after(0, RULES, KOMI), Err(ReplayError::Unreadable { turn: 0, .. })));
}

#[test]
fn setup_without_liberties_is_refused_with_its_place() {
    let error = game("(;SZ[5]AB[aa][ab]AW[ac][ba][bb])").position_after(0, RULES, KOMI).map(|_| ());
    assert!(
        matches!(error, Err(ReplayError::IllegalSetup { turn: 0, reason: IllegalMove::Suicide, .. })),
        "{error:?}"
    );
}

#[test]
fn later_setup_of_a_point_wins_over_earlier() {
    assert_eq!(drawing(&position("(;SZ[3]AB[aa]AW[aa]AB[bb];AE[bb])", 0)), "O../.../...");
}

#[test]
fn other_games_are_read_but_not_replayed() {
    let record = game("(;GM[2]SZ[8];B[c4])");
    assert_eq!((record.game, record.columns, record.total_nodes, record.move_count()), (2, 8, 2, 0));
    let error = record.final_position(RULES, KOMI).map(|_| ()).unwrap_err();
    assert_eq!(error, ReplayError::NotGo { game: 2 });
}

#[test]
fn anything_may_stand_around_the_games_of_a_file() {
    let found = games(b"From: x (nobody)\n\n( ;SZ[9](;B[aa])(;W[bb];B[cc]))--junk)\n(\n;SZ[5])trailer (");
    assert_eq!(found.iter().map(|game| game.columns).collect::<Vec<_>>(), [9, 5]);
    assert_eq!((found[0].total_nodes, found[0].forks, found[0].nodes.len()), (4, 1, 2));
    for nothing in ["", "()", "hello", "(B[aa])", "(\r\nTE[x]\r\n;B[pd])"] {
        assert_eq!(error(nothing), SgfError::NoGame, "{nothing}");
    }
}

#[test]
fn syntax_errors_say_where_what_and_what_to_do() {
    for (text, place) in [
        ("(;SZ[9]\n  ;B aa])", (2, 4)),
        ("(;C[a] b])", (1, 8)),
        ("(;C[x]\r\n;B[aa])\r(;()", (3, 4)),
        ("(;(;B[aa]);W[bb])", (1, 11)),
        ("(;(;B[aa])C[x])", (1, 11)),
        ("(;;([aa]))", (1, 5)),
        ("(;[aa])", (1, 3)),
        ("(;C[é]!)", (1, 7)),
    ] {
        assert!(matches!(error(text), SgfError::Syntax { .. }), "{text}: {:?}", error(text));
        assert_eq!(place_of_error(text), place, "{text}");
    }
    assert_eq!(
        error("(;C[a] b] c)").to_string(),
        "line 1, column 8: expected a property with a value in brackets, found b without one; \
         inside a value, write \"]\" as \"\\]\""
    );
}

#[test]
fn a_file_that_is_cut_off_is_an_error_anywhere() {
    let text = "(;SZ[9]C[a\\]b](;B[aa];W[bb])(;B[cc]))";
    for length in 2..text.len() {
        let cut = &text[..length];
        assert!(matches!(error(cut), SgfError::Truncated { .. }), "{cut}: {}", error(cut));
        assert_eq!(place_of_error(cut), (1, length as u32 + 1));
    }
    assert!(error("(;\nC[a").to_string().contains("the \"]\" of the value that starts at line 2, column 2"));
}

#[test]
fn whole_games_before_an_error_are_there_for_who_asks() {
    let (collection, error) = sgf::read_prefix(b"(;SZ[9])(;SZ[5]) (;SZ[3];B[");
    assert_eq!(collection.games.len(), 2);
    assert!(matches!(error, Some(SgfError::Truncated { .. })));
}

#[test]
fn text_loses_its_escapes_and_soft_line_breaks() {
    let record = game("(;PB[a\\]\nb\\\\]GN[a\\:b]C[one\r\ntwo\\\nthree\\]\ttab])");
    assert_eq!(record.names[0].as_deref(), Some("a] b\\"));
    assert_eq!(record.title.as_deref(), Some("a:b"));
    assert_eq!(record.nodes[0].comment(), Some("one\ntwothree] tab"));
}

#[test]
fn what_the_first_node_does_not_say_of_the_game_is_taken_from_later_ones() {
    let record =
        game("(;GM[1]SZ[9]EV[x];PB[a]PW[b]KM[0.5]RU[Japanese]EV[y];B[ee](;W[cc]RE[W+R])(;W[gg]DT[z]))");
    assert_eq!((record.komi, record.rules.as_deref()), (Some(0.5), Some("Japanese")));
    assert_eq!(record.names, [Some("a".to_owned()), Some("b".to_owned())]);
    assert_eq!((record.result.as_deref(), record.event.as_deref()), (Some("W+R"), Some("x")));
    assert_eq!((record.date, record.warnings.len()), (None, 0), "a variation is not the game");
}

#[test]
fn handicap_zero_is_none_and_the_stones_are_not_counted() {
    assert_eq!(game("(;HA[0])").handicap, None);
    assert_eq!(game("(;HA[7]AB[aa])").handicap, Some(7));
    assert_eq!(game("(;HA[])").handicap, None);
    assert_eq!(game("(;HA[many])").warnings.len(), 1);
}

#[test]
fn depth_and_length_cost_no_stack() {
    const DEPTH: usize = 200_000;
    let line = format!("(;SZ[9]{})", ";B[];W[]".repeat(DEPTH / 2));
    let nested = format!("(;SZ[9]{}{})", "(;B[]".repeat(DEPTH), ")".repeat(DEPTH));
    let branches = format!("(;SZ[9]{};{})", "(;B[]".repeat(DEPTH), "(;W[]))".repeat(DEPTH));
    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let check = move || {
        for (text, nodes, forks) in
            [(line, DEPTH + 1, 0), (nested, DEPTH + 1, 0), (branches, DEPTH + 3, DEPTH - 1)]
        {
            let record = game(&text);
            assert_eq!((record.nodes.len(), record.forks), (nodes, forks));
            assert!(record.final_position(RULES, KOMI).is_ok());
        }
        assert!(matches!(error(&"(;".repeat(DEPTH)), SgfError::Truncated { .. }));
    };
    small_stack.spawn(check).unwrap().join().unwrap();
}

#[test]
fn files_that_would_fill_the_memory_are_refused() {
    let error = |bytes: &[u8]| sgf::read(bytes).unwrap_err();
    let large = vec![b' '; sgf::MAX_BYTES + 1];
    assert!(matches!(error(&large), SgfError::TooLarge { .. }));
    let rectangles = format!("(;SZ[52]AB{})", "[aa:ZZ]".repeat(10_000));
    assert!(matches!(error(rectangles.as_bytes()), SgfError::TooMany { .. }));
    let nodes = format!("({})", ";B[!]".repeat(sgf::MAX_MAIN_LINE_ITEMS / 2 + 1));
    assert!(matches!(error(nodes.as_bytes()), SgfError::TooMany { .. }));
    let games = "(;)".repeat(sgf::MAX_GAMES + 1);
    assert!(matches!(error(games.as_bytes()), SgfError::TooMany { .. }));
    let values = format!("(;LB{})", "[]".repeat(300_000));
    assert!(matches!(error(values.as_bytes()), SgfError::TooMany { .. }));
}

const VALID: &str = "(;FF[4]GM[1]CA[UTF-8]SZ[9]KM[6.5]HA[2]AB[cc:dd][gg]PL[W]C[a \\] b]PB[本]\
                     (;W[ee];B[tt]AE[cc](;W[aa])(;W[bb]))(;B[]))(;SZ[3:4];B[aa])";

/// Calls every reading function on a file; none may panic.
fn ask_everything(bytes: &[u8]) {
    let (collection, error) = sgf::read_prefix(bytes);
    if let Some(error) = error {
        assert!(!error.to_string().is_empty());
    }
    let damaged = sgf::read_damaged(bytes).map(|collection| collection.games).unwrap_or_default();
    for game in collection.games.iter().chain(&damaged) {
        let _ =
            game.terms(ChosenTerms::default(), DefaultTerms::default()).map_err(|error| error.to_string());
        for step in game.steps(RULES, KOMI).into_iter().flatten() {
            let _ = step.map(|step| step.turn).map_err(|error| error.to_string());
        }
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        ask_everything(&bytes);
        ask_everything(&[b"(;", bytes.as_slice()].concat());
        ask_everything(&[b"(;CA[", bytes.as_slice()].concat());
    }

    #[test]
    fn random_tokens_never_panic(tokens in prop::collection::vec(
        prop::sample::select(vec!["(", ")", ";", "[", "]", "B", "W", "AB", "AE", "aa", "tt", "aa:cc", "\\",
            "SZ[5]", ";B[aa]", ";W[bb]", "AW[aa:bb]", "PL[W]", "CA[", "\u{feff}", "\0", "é", "KM[7]"]), 0..60,
    )) {
        ask_everything(format!("(;{}", tokens.concat()).as_bytes());
        ask_everything(format!("(;{})", tokens.concat()).as_bytes());
    }

    #[test]
    fn random_mutations_of_a_valid_file_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..8),
    ) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (index, byte, kind) in edits {
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        ask_everything(&bytes);
    }
}
