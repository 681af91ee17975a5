//! Boards, moves, undo, handicap, the end of a game.

use super::*;

#[test]
fn boardsize_begins_an_empty_game_and_takes_rectangles() {
    let mut session = session(5);
    tell(&mut session, &["play b A1", "boardsize 7"]);
    assert_eq!(ask(&mut session, "list_stones b"), "=");
    tell(&mut session, &["play b G7", "rectangular_boardsize 2 4", "play b B4"]);
    refuse(&mut session, "play b C1", "? invalid color or coordinate");
    tell(&mut session, &["boardsize 4 2", "play b D2", "boardsize 1", "genmove b", "genmove w"]);
    tell(&mut session, &["boardsize 19", "play w T19"]);
}

#[test]
fn vertices_are_read_in_either_case_and_both_colours_may_move_twice() {
    let mut session = session(9);
    tell(&mut session, &["play BLACK e5", "play b J9", "play White pAsS", "play W h1", "play w a9"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= E5 J9");
    assert_eq!(ask(&mut session, "list_stones w"), "= H1 A9");
}

#[test]
fn occupied_points_suicide_ko_and_superko_are_illegal() {
    let (mut session, notes) = with_notes(session(5));
    tell(&mut session, &KO);
    refuse(&mut session, "play b C2", "? illegal move");
    refuse(&mut session, "play w A1", "? illegal move");
    refuse(&mut session, "play w B2", "? illegal move");
    assert_eq!(ask(&mut session, "is_legal w B2"), "= 0");
    tell(&mut session, &["play w pass", "play b pass"]);
    // Not a ko any more, but the position before the capture is repeated.
    refuse(&mut session, "play w B2", "? illegal move");
    let notes = notes.lock().unwrap();
    let reasons: Vec<&str> = notes.iter().filter_map(|note| note.rsplit(": ").next()).collect();
    assert_eq!(reasons, ["the point is occupied", "suicide", "ko", "superko"]);
}

#[test]
fn legal_moves_are_listed_without_pass() {
    let mut session = session(5);
    tell(&mut session, &["rectangular_boardsize 3 1", "play b A1"]);
    assert_eq!(ask(&mut session, "all_legal w"), "= B1 C1");
    assert_eq!(ask(&mut session, "is_legal w B1"), "= 1");
    assert_eq!(ask(&mut session, "is_legal w A1"), "= 0");
    assert_eq!(ask(&mut session, "is_legal w pass"), "= 1");
}

#[test]
fn undo_restores_captures_prisoners_and_ko() {
    let mut session = session(5);
    tell(&mut session, &KO[..7]);
    let before = ask(&mut session, "showboard");
    tell(&mut session, &[KO[7]]);
    assert!(ask(&mut session, "showboard").contains("Black (X) has captured 1, White (O) 0"));
    tell(&mut session, &["undo"]);
    assert_eq!(ask(&mut session, "showboard"), before);
    assert_eq!(ask(&mut session, "list_stones w"), "= C1 B2 D2 C3");
    tell(&mut session, &[KO[7], "play w E5", "undo"]);
    refuse(&mut session, "play w B2", "? illegal move");
    tell(&mut session, &["gg-undo 3", "gg-undo 0", "gg-undo"]);
    assert_eq!(ask(&mut session, "list_stones w"), "= C1");
    refuse(&mut session, "gg-undo 5", "? cannot undo");
    tell(&mut session, &["gg-undo 4"]);
    refuse(&mut session, "undo", "? cannot undo");
}

#[test]
fn undo_after_clear_board_and_after_handicap_has_nothing_to_take_back() {
    let mut session = session(9);
    tell(&mut session, &["play b A1", "clear_board"]);
    refuse(&mut session, "undo", "? cannot undo");
    tell(&mut session, &["fixed_handicap 2", "genmove w", "undo"]);
    refuse(&mut session, "undo", "? cannot undo");
    assert_eq!(ask(&mut session, "list_stones b"), "= C3 G7");
}

#[test]
fn komi_is_kept_over_games_and_boards_in_half_points() {
    let mut session = session(5);
    tell(&mut session, &["play b C3", "komi 7", "komi 6.5"]);
    let expected = "? syntax error: expected whole or half points, found";
    for odd in ["7.75", "6.3", "-0.1"] {
        refuse(&mut session, &format!("komi {odd}"), &format!("{expected} \"{odd}\""));
    }
    assert_eq!(ask(&mut session, "get_komi"), "= 6.5");
    assert_eq!(ask(&mut session, "list_stones b"), "= C3");
    tell(&mut session, &["clear_board", "boardsize 9"]);
    assert_eq!(ask(&mut session, "get_komi"), "= 6.5");
    for komi in ["-3", "-3.5", "0"] {
        tell(&mut session, &[&format!("komi {komi}")]);
        assert_eq!(ask(&mut session, "get_komi"), format!("= {komi}"));
    }
}

#[test]
fn the_board_is_shown_from_a_line_of_its_own_without_empty_lines() {
    let mut session = session(5);
    tell(&mut session, &KO);
    assert_eq!(
        ask(&mut session, "3 showboard"),
        "=3\n 5  . . . . .\n 4  . . . . .\n 3  . X O . .\n 2  X . X O .\n 1  . X O . .\n    A B C D E\n\
         White (O) to play after 8 moves\nBlack (X) has captured 1, White (O) 0\nKomi 7.5, rules chinese"
    );
}

#[test]
fn dead_stones_are_listed_a_chain_a_line_and_leave_the_score() {
    let mut session = session(5);
    for row in 1..=5 {
        tell(&mut session, &[&format!("play b B{row}"), &format!("play w C{row}")]);
    }
    tell(&mut session, &["komi 0", "play b E3"]);
    assert_eq!(ask(&mut session, "final_status_list dead"), "= E3");
    assert_eq!(ask(&mut session, "final_status_list alive"), "= B1 B2 B3 B4 B5\nC1 C2 C3 C4 C5");
    assert_eq!(ask(&mut session, "final_status_list seki"), "=");
    assert_eq!(ask(&mut session, "final_score"), "= W+5.0");
    tell(&mut session, &["komi -5.5"]);
    assert_eq!(ask(&mut session, "final_score"), "= B+0.5");
    tell(&mut session, &["komi -5"]);
    assert_eq!(ask(&mut session, "final_score"), "= 0");
}

#[test]
fn handicap_is_placed_on_any_board_and_white_moves_next() {
    let mut session = session(19);
    assert_eq!(ask(&mut session, "fixed_handicap 3"), "= D4 Q16 D16");
    assert!(ask(&mut session, "showboard").contains("White (O) to play after 0 moves"));
    tell(&mut session, &["clear_board"]);
    // Fewer stones than requested are allowed.
    assert_eq!(ask(&mut session, "place_free_handicap 20").split_whitespace().count(), 1 + 9);
    tell(&mut session, &["clear_board", "set_free_handicap A1 a2 T19"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= A1 A2 T19");
    tell(&mut session, &["boardsize 5"]);
    assert_eq!(ask(&mut session, "place_free_handicap 3").split_whitespace().count(), 1 + 3);
    tell(&mut session, &["rectangular_boardsize 3 1"]);
    assert_eq!(ask(&mut session, "place_free_handicap 2"), "= A1 C1");
    tell(&mut session, &["boardsize 1"]);
    refuse(&mut session, "place_free_handicap 2", "? invalid handicap: a 1x1 board takes none, found 2");
}

#[test]
fn white_gets_what_the_rules_give_for_a_handicap() {
    let mut session = session_with_dead(9, Some(DeadStones::Keep), options(30));
    tell(&mut session, &["komi 0.5"]);
    // Black owns the whole board: 81 points of area, 78 of territory.
    let scores = [
        ("chinese", "= B+77.5", "N"),
        ("aga", "= B+78.5", "N-1"),
        ("nz", "= B+80.5", "0"),
        ("tromp-taylor", "= B+80.5", "0"),
        ("japanese", "= B+77.5", "0"),
    ];
    for (rules, score, bonus) in scores {
        tell(&mut session, &[&format!("kata-set-rules {rules}")]);
        let told = ask(&mut session, "kata-get-rules");
        assert!(told.contains(&format!("\"whiteHandicapBonus\":\"{bonus}\"")), "{told}");
        for command in ["fixed_handicap 3", "place_free_handicap 3", "set_free_handicap C3 G7 E5"] {
            tell(&mut session, &["clear_board", command]);
            assert_eq!(ask(&mut session, "final_score"), score, "{rules} {command}");
        }
    }
    for (rules, score, _) in scores {
        tell(&mut session, &[&format!("kata-set-rules {rules}")]);
        assert_eq!(ask(&mut session, "final_score"), score, "the game goes on by {rules} rules");
    }
    tell(&mut session, &["kata-set-rules chinese", "clear_board", "play b C3"]);
    assert_eq!(ask(&mut session, "final_score"), "= B+80.5");
}

/// Returns White's compensation besides komi.
fn compensation(session: &Session) -> f64 {
    session.engine().position().compensation().points()
}

#[test]
fn handicap_stones_sent_as_plays_count_as_those_that_are_set_up() {
    let with_passes = ["play b C3", "play w pass", "play b G7", "play w pass", "play b E5"];
    for side in [5, 9, 13] {
        let mut session = session(side);
        for (rules, points) in [("chinese", 3.0), ("aga", 2.0), ("nz", 0.0), ("japanese", 0.0)] {
            tell(&mut session, &[&format!("kata-set-rules {rules}"), "clear_board"]);
            tell(&mut session, &["set_free_handicap A1 B2 C3", "play w D4"]);
            assert_eq!(compensation(&session), points, "{rules}");
            tell(&mut session, &["clear_board", "play b A1", "play b B2", "play b C3", "play w D4"]);
            assert_eq!(compensation(&session), points, "{rules}");
            tell(&mut session, &["play b A4", "play b A5"]);
            assert_eq!(compensation(&session), points, "a move passed over later, {rules}");
        }
        if side < 9 {
            continue;
        }
        tell(&mut session, &["kata-set-rules chinese", "clear_board"]);
        tell(&mut session, &with_passes);
        assert_eq!(compensation(&session), 3.0, "White passes between the stones");
        tell(&mut session, &["undo"]);
        assert_eq!(compensation(&session), 2.0);
        tell(&mut session, &["undo", "undo"]);
        assert_eq!(compensation(&session), 0.0, "one stone is none");
        tell(&mut session, &["play w D4", "play b E5", "play b F6", "play b G7"]);
        assert_eq!(compensation(&session), 0.0, "several moves in the middle of a game");
        tell(&mut session, &["clear_board", "play b A1", "play b B2", "play b C3"]);
        tell(&mut session, &["kata-set-rules aga"]);
        assert_eq!(compensation(&session), 2.0, "by rules that are set later");
        tell(&mut session, &["kata-set-rules chinese", "play w D4", "play w E5"]);
        assert_eq!(compensation(&session), 0.0, "a position made by moves, first Black's, then White's");
    }
}

#[test]
fn a_handicap_bonus_in_rules_is_obeyed() {
    let mut session = session(5);
    let object = |bonus: &str| {
        format!(
            "kata-set-rules {{\"ko\":\"SIMPLE\",\"scoring\":\"AREA\",\"tax\":\"NONE\",\"suicide\":false,\
                 \"hasButton\":false,\"whiteHandicapBonus\":\"{bonus}\",\"friendlyPassOk\":true}}"
        )
    };
    for (bonus, points) in [("0", 0.0), ("N-1", 4.0), ("N", 5.0)] {
        tell(&mut session, &[&object(bonus), "clear_board", "set_free_handicap b1 b2 b3 b4 b5"]);
        assert_eq!(compensation(&session), points);
        let told = ask(&mut session, "kata-get-rules");
        assert!(told.contains(&format!("\"whiteHandicapBonus\":\"{bonus}\"")), "{told}");
        tell(&mut session, &[&told.replacen("= ", "kata-set-rules ", 1)]);
        assert_eq!(compensation(&session), points, "what is told is read again");
    }
    for (bonus, points) in [("0", 0.0), ("N-1", 4.0), ("N", 5.0)] {
        tell(&mut session, &[&object(bonus)]);
        assert_eq!(compensation(&session), points, "the game goes on with {bonus}");
    }
}

#[test]
fn parts_of_rules_that_are_not_played_are_refused_by_name() {
    let mut session = session(5);
    tell(&mut session, &["kata-set-rules aga"]);
    let before = ask(&mut session, "kata-get-rules");
    for (rules, field, expected) in [
        (r#"{"hasButton":true}"#, "hasButton:", "expected false"),
        (r#"{"scoring":"AREA","tax":"ALL"}"#, "tax:", "expected NONE with scoring AREA"),
        (r#"{"scoring":"AREA","tax":"SEKI"}"#, "tax:", "found \"SEKI\""),
        (r#"{"scoring":"TERRITORY","tax":"NONE"}"#, "tax:", "SEKI with TERRITORY"),
        (r#"{"ko":"SPIGHT"}"#, "ko:", "expected SIMPLE, POSITIONAL or SITUATIONAL, found \"SPIGHT\""),
        (r#"{"suicide":"maybe"}"#, "suicide:", "expected true or false, found \"maybe\""),
        (r#"{"whiteHandicapBonus":"2N"}"#, "whiteHandicapBonus:", "expected 0, N-1 or N, found \"2N\""),
        (r#"{"friendlyPassOk":7}"#, "friendlyPassOk:", "expected true or false, found 7"),
        (r#"{"superko":true}"#, "rules:", "found superko"),
        (r#"{"ko":"#, "rules:", "expected a JSON object"),
        ("stone-scoring", "stone-scoring", "a group tax"),
        ("aga-button", "aga-button", "a button"),
        ("koSIMPLEscoreAREAtaxALLsui0", "tax:", "found \"ALL\""),
        ("lasker", "lasker", "expected chinese"),
        ("", "unknown rules", "expected chinese"),
    ] {
        let answer = ask(&mut session, &format!("kata-set-rules {rules}"));
        assert!(answer.starts_with("? syntax error: "), "{rules}: {answer}");
        assert!(answer.contains(field) && answer.contains(expected), "{rules}: {answer}");
    }
    assert_eq!(ask(&mut session, "kata-get-rules"), before, "nothing changed");
}

#[test]
fn dead_stones_count_where_the_rules_do_not_let_players_pass_over_them() {
    let mut session = session(7);
    let black = ["C7", "C6", "C5", "C4", "C3", "C2", "C1", "F4"];
    let white = ["D7", "D6", "D5", "D4", "D3", "D2", "D1", "pass"];
    let friendly = [(r#","friendlyPassOk":true"#, "= W+0.5"), (r#","friendlyPassOk":false"#, "= B+21.5")];
    // As in KataGo, an object that does not name it says no.
    for (friendly, score) in friendly.into_iter().chain([("", "= B+21.5")]) {
        let object = format!(r#"{{"ko":"SIMPLE","suicide":false{friendly}}}"#);
        tell(&mut session, &[&format!("kata-set-rules {object}"), "clear_board", "komi -6.5"]);
        for (black, white) in black.iter().zip(white) {
            tell(&mut session, &[&format!("play b {black}"), &format!("play w {white}")]);
        }
        tell(&mut session, &["play b pass"]);
        assert_eq!(ask(&mut session, "final_score"), score, "{object}");
    }
}
