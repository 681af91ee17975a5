//! Damaged files: their sound part is read, and the damage is reported.

use super::*;

fn damaged(text: &str) -> Vec<GameRecord> {
    sgf::read_damaged(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).games
}

#[test]
fn a_sound_file_is_read_as_ever_without_a_warning() {
    let text = "(;SZ[9];B[aa](;GM[1]W[bb])(;W[cc]))(;SZ[5])";
    assert_eq!(damaged(text), games(text.as_bytes()));
}

#[test]
fn a_file_that_is_cut_off_anywhere_keeps_the_whole_moves_before() {
    let text = "(;SZ[9]C[a\\]b](;B[aa];W[bb])(;B[cc]))";
    for length in text.find("(;B").unwrap()..text.len() {
        let cut = &text[..length];
        let record = damaged(cut).swap_remove(0);
        let whole = ["B[aa]", "W[bb]"].iter().filter(|mv| cut.contains(*mv)).count();
        assert_eq!((record.columns, record.move_count(), record.warnings.len()), (9, whole, 1), "{cut}");
        assert!(record.warnings[0].contains(&format!("column {}", length + 1)), "{:?}", record.warnings);
    }
}

#[test]
fn a_game_without_its_parenthesis_ends_where_the_next_one_starts() {
    let found = damaged("(;SZ[9];B[aa];W[bb]\n(;FF[4]SZ[5];B[cc](;W[dd])\n(;GM[1]SZ[7];B[ee])");
    let sides: Vec<_> = found.iter().map(|game| (game.columns, game.move_count())).collect();
    assert_eq!(sides, [(9, 2), (5, 2), (7, 1)]);
    assert_eq!(found.iter().map(|game| game.warnings.len()).collect::<Vec<_>>(), [1, 1, 0]);
}

#[test]
fn the_variations_of_a_damaged_game_are_no_games() {
    let found = damaged("(;SZ[9];B[aa] oops (;W[bb])(;W[cc]))(;SZ[5];B[cc])");
    assert_eq!(found.iter().map(|game| game.columns).collect::<Vec<_>>(), [9, 5]);
}

#[test]
fn a_game_that_has_no_node_left_is_named_and_left_out() {
    let collection = sgf::read_damaged(b"(;SZ[99];B[aa])(;SZ[5];B[cc])").unwrap();
    assert_eq!((collection.games.len(), collection.games[0].columns), (1, 5));
    assert!(collection.warnings[0].contains("SZ[99]"), "{:?}", collection.warnings);
}

#[test]
fn a_missing_semicolon_is_read_as_if_it_stood_there() {
    for text in ["(SZ[9]B[aa];W[bb])", "( SZ[9];B[aa](W[bb]))", "(;SZ[9];B[aa](W[bb])(W[cc]))"] {
        let record = damaged(text).swap_remove(0);
        assert_eq!((record.columns, record.move_count(), record.warnings.len()), (9, 2, 1), "{text}");
        assert!(record.warnings[0].contains("expected \";\""), "{:?}", record.warnings);
    }
}

#[test]
fn what_holds_no_node_is_an_error() {
    for nothing in ["", "hello", "()", "(;", "(;SZ[9", "see (me)"] {
        assert!(sgf::read_damaged(nothing.as_bytes()).is_err(), "{nothing}");
    }
}

#[test]
fn depth_and_length_cost_neither_stack_nor_patience() {
    let deep = "(;B[aa]".repeat(1_000_000);
    assert_eq!(damaged(&deep)[0].move_count(), 1_000_000);
    assert_eq!(damaged(&format!("{deep}{}", ")".repeat(999_999)))[0].total_nodes, 1_000_000);
    assert!(sgf::read_damaged("(".repeat(1 << 22).as_bytes()).is_err());
    // Every parenthesis may start a game, and no value ends.
    let opens = "(;C[".repeat(1 << 18);
    assert!(sgf::read_damaged(opens.as_bytes()).is_err());
}
