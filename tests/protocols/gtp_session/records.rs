//! Game records.

use super::*;
use std::io::Write;

fn file(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().prefix("a game ").suffix(".sgf").tempfile().unwrap();
    file.write_all(content).unwrap();
    file
}

#[test]
fn a_game_record_is_loaded_up_to_the_position_before_a_move() {
    let game = file(b"(;GM[1]SZ[9]KM[5.5]HA[2]AB[cc][gg];W[ee];B[ec];W[])");
    let path = game.path().display();
    let mut session = session(5);
    tell(&mut session, &[&format!("loadsgf {path}")]);
    assert_eq!(ask(&mut session, "get_komi"), "= 5.5");
    assert_eq!(session.engine().position().size(), Size::new(9, 9).unwrap());
    assert_eq!(ask(&mut session, "list_stones b"), "= G3 C7 E7");
    assert_eq!(session.engine().record().moves().len(), 3);
    assert!(ask(&mut session, "showboard").contains("Black (X) to play"));
    tell(&mut session, &["undo", "undo"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= G3 C7");
    tell(&mut session, &[&format!("loadsgf {path} 2")]);
    assert_eq!(ask(&mut session, "list_stones w"), "= E5");
    tell(&mut session, &[&format!("loadsgf {path} 1")]);
    assert_eq!(ask(&mut session, "list_stones w"), "=");
    assert_eq!(ask(&mut session, "list_stones b"), "= G3 C7");
    assert_eq!(session.engine().record().handicap(), 2);
    tell(&mut session, &[&format!("loadsgf {path} 1000")]);
    assert_eq!(session.engine().record().moves().len(), 3);
    refuse(&mut session, &format!("loadsgf {path} 0"), "? syntax error: expected a move number from 1");
}

#[test]
fn it_is_the_turn_of_who_moves_next_in_the_record_or_is_named_there() {
    let handicap = file(b"(;SZ[9]RU[Chinese]KM[0.5]HA[2];B[cg];B[gc];W[ee];B[cc];W[gg])");
    let named = file(b"(;SZ[9];B[cg];W[gc];PL[W])");
    let mut session = session(5);
    let turn = |session: &mut Session| {
        let board = ask(session, "showboard");
        if board.contains("Black (X) to play") { "black" } else { "white" }
    };
    tell(&mut session, &[&format!("loadsgf {} 2", handicap.path().display())]);
    assert_eq!(turn(&mut session), "black");
    tell(&mut session, &["kata-set-rules aga"]);
    assert_eq!(turn(&mut session), "black", "by other rules too");
    tell(&mut session, &["play b G7", "undo"]);
    assert_eq!(turn(&mut session), "black", "after a move that was taken back too");
    tell(&mut session, &[&format!("loadsgf {}", named.path().display())]);
    assert_eq!(turn(&mut session), "white");
    tell(&mut session, &["undo"]);
    assert_eq!(turn(&mut session), "white");
}

#[test]
fn moves_that_ko_forbids_are_kept_saved_and_undone() {
    let moves = ";B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc];B[cc];W[ee]";
    let game = file(format!("(;SZ[5]KM[0.5]RU[Chinese]{moves})").as_bytes());
    let mut session = session(5);
    tell(&mut session, &[&format!("loadsgf {}", game.path().display())]);
    assert!(ask(&mut session, "printsgf").replace('\n', "").contains(moves));
    tell(&mut session, &["kata-set-rules japanese"]);
    for _ in 0..moves.matches(';').count() {
        tell(&mut session, &["undo"]);
    }
    refuse(&mut session, "undo", "? cannot undo");
}

#[test]
fn stones_set_up_between_moves_are_loaded_too() {
    let game = file(b"(;SZ[5];B[aa];W[bb];AB[cc]AE[aa];W[dd])");
    let mut session = session(5);
    tell(&mut session, &[&format!("loadsgf {}", game.path().display())]);
    assert_eq!(ask(&mut session, "list_stones b"), "= C3");
    assert_eq!(ask(&mut session, "list_stones w"), "= D2 B4");
    tell(&mut session, &["undo"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= C3");
    tell(&mut session, &["gg-undo 2"]);
    assert_eq!(ask(&mut session, "list_stones b"), "=");
    refuse(&mut session, "undo", "? cannot undo");
}

#[test]
fn a_saved_game_has_the_moves_and_prisoners_before_setup_replaced_stones_and_suicide() {
    let moves = "B[ba];W[aa];B[ab];W[cc];B[dd];W[aa];AE[dd]AB[ee];W[cc];B[cc];W[dd]";
    let game = file(format!("(;SZ[5]KM[6.5]RU[Japanese];{moves})").as_bytes());
    let saved = file(b"");
    let (game, saved) = (game.path().display(), saved.path().display());
    let mut session = session(5);
    tell(&mut session, &[&format!("loadsgf {game}"), "kata-set-rules chinese", "kata-set-rules japanese"]);
    let board = ask(&mut session, "showboard");
    assert!(board.contains("after 9 moves\nBlack (X) has captured 2,"), "{board}");
    tell(&mut session, &[&format!("printsgf {saved}"), "clear_board", &format!("loadsgf {saved}")]);
    assert_eq!(ask(&mut session, "showboard"), board);
    tell(&mut session, &[&format!("loadsgf {game}"), "gg-undo 2"]);
    assert_eq!(ask(&mut session, "list_stones w"), "= C3", "the stone that Black replaced");
    tell(&mut session, &["gg-undo 3"]);
    let printed = ask(&mut session, "printsgf").replace('\n', "");
    assert!(printed.ends_with("PL[B];B[ba];W[aa];B[ab];W[cc])"), "{printed}");
    tell(&mut session, &["gg-undo 4"]);
    refuse(&mut session, "undo", "? cannot undo");
}

#[test]
fn any_number_of_setups_and_replaced_stones_needs_no_more_stack() {
    const PARTS: usize = 20_000;
    // 52 bytes a part. Functions that move a position of 10 KiB need half of it for one part.
    const STACK_BYTES: usize = 1 << 20;
    let pairs = ";B[aa];AE[aa];W[bb];B[bb];AE[bb]".repeat(PARTS / 4);
    let game = file(format!("(;SZ[2]RU[Chinese]{pairs};B[ab])").as_bytes());
    let path = game.path().display().to_string();
    let mut session = session(2);
    let talk = move || {
        tell(&mut session, &[&format!("loadsgf {path}"), "komi 1", "kata-set-rules japanese"]);
        tell(&mut session, &["gogui-play_sequence w B2", "kata-set-rule ko POSITIONAL", "kgs-rules chinese"]);
        assert_eq!(session.engine().record().move_count(), PARTS / 4 * 3 + 2);
        assert!(ask(&mut session, "printsgf").matches("AE").count() >= PARTS / 2);
        tell(&mut session, &[&format!("gg-undo {}", PARTS / 4 * 3 + 2), "clear_board"]);
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(talk).unwrap().join().unwrap();
}

#[test]
fn a_file_that_gives_no_position_is_refused_with_the_reason() {
    let mut session = session(5);
    tell(&mut session, &["play b C3"]);
    for (content, reason) in [
        (&b"hello"[..], "? cannot load file: no game found"),
        (b"(;SZ[25];B[aa])", "? cannot load file: the record's board is too large"),
        (b"(;SZ[5];B[aa];W[zz])", "? cannot load file: after move 1: line 1, column"),
        (b"(;GM[11];B[aa])", "? cannot load file: expected a game of Go"),
        (b"(;SZ[5]KM[7.3];B[aa])", "? cannot load file: expected a komi in whole or half points"),
    ] {
        let game = file(content);
        refuse(&mut session, &format!("loadsgf {}", game.path().display()), reason);
    }
    // The moves before the unreadable move can be loaded.
    let game = file(b"(;SZ[5];B[aa];W[zz])");
    tell(&mut session, &[&format!("loadsgf {} 2", game.path().display())]);
    assert_eq!(ask(&mut session, "list_stones b"), "= A5");
}

#[test]
fn a_record_is_loaded_by_its_own_rules_as_far_as_it_goes_and_what_is_missing_is_noted() {
    let (mut session, notes) = with_notes(session(5));
    for (content, moves, rules, noted) in [
        (
            &b"(;SZ[9]KM[6.5]RU[Tromp-Taylor];B[ba];W[aa];B[bb];W[gg];B[ac];W[ab];B[cc])"[..],
            7,
            "tromp-taylor",
            "",
        ),
        (b"(;SZ[9]KM[6.5]RU[NZ];B[ba];W[aa];B[bb];W[gg];B[ac];W[ab];B[cc])", 7, "new-zealand", ""),
        (b"(;SZ[9]KM[6.5]RU[Japanese rules];B[ee];W[cc]", 2, "japanese", "cut off"),
        (b"(;SZ[9]KM[6.5]RU[Chinese];B[ee];W[cc];B[", 2, "chinese", "read up to there"),
        (b"(\nSZ[9]KM[6.5]\n;B[ee];W[cc])", 2, "chinese", "expected \";\" before a property"),
        (b"(;SZ[9]RU[Japanese];B[ee])", 1, "japanese", "no komi in the record: 6.5 is assumed"),
        (b"(;SZ[9]HA[3]RU[Japanese];W[ee])", 1, "japanese", "HA[3]: expected handicap stones"),
        (b"(;SZ[9]KM[6.5]RU[AGA];B[ee];W[ee])", 2, "aga", "move 2, white E5, is on an occupied point"),
    ] {
        notes.lock().unwrap().clear();
        let game = file(content);
        tell(
            &mut session,
            &["clear_board", "kata-set-rules chinese", &format!("loadsgf {}", game.path().display())],
        );
        let (record, said) = (session.engine().record(), notes.lock().unwrap().join("\n"));
        assert_eq!(record.move_count(), moves, "{said}");
        assert!(record.position().rules().to_string().starts_with(rules), "{}", record.position().rules());
        assert!(said.contains(noted), "{said}");
    }
}

#[test]
fn a_komi_in_another_unit_is_converted_and_that_is_noted() {
    let (mut session, notes) = with_notes(session(5));
    for (written, komi) in [("650", "6.5"), ("375", "7.5"), ("3.75", "7.5")] {
        let game = file(format!("(;SZ[5]KM[{written}];B[aa])").as_bytes());
        tell(&mut session, &[&format!("loadsgf {}", game.path().display())]);
        assert_eq!(ask(&mut session, "get_komi"), format!("= {komi}"));
        let last = notes.lock().unwrap().last().cloned().unwrap_or_default();
        assert!(last.contains(&format!("KM[{written}]")) && last.contains(komi), "{last}");
    }
    for impossible in ["6.75", "733"] {
        let game = file(format!("(;SZ[19]KM[{impossible}];B[aa])").as_bytes());
        let load = format!("loadsgf {}", game.path().display());
        assert!(ask(&mut session, &load).contains("expected a komi in whole or half points"), "{impossible}");
    }
    let large = file(b"(;SZ[19]KM[180];B[aa])");
    tell(&mut session, &[&format!("loadsgf {}", large.path().display())]);
    assert_eq!(ask(&mut session, "get_komi"), "= 180");
}

#[test]
fn a_record_that_is_printed_and_loaded_has_the_same_score() {
    let mut session = session_with_dead(9, Some(DeadStones::Keep), options(30));
    let saved = file(b"");
    let path = saved.path().display();
    let chinese = file(b"(;SZ[9]KM[0.5]RU[Chinese]HA[3];B[cc];B[gg];B[gc];W[ee])");
    let load = format!("loadsgf {}", chinese.path().display());
    for (rules, begin) in [
        ("chinese", "fixed_handicap 4"),
        ("aga", "fixed_handicap 4"),
        ("japanese", "fixed_handicap 4"),
        ("tromp-taylor", "fixed_handicap 4"),
        ("chinese", "gogui-setup b C3 b G7"),
        ("chinese", &load),
    ] {
        tell(&mut session, &[&format!("kata-set-rules {rules}"), "clear_board", begin, "play w D5"]);
        let score = ask(&mut session, "final_score");
        tell(&mut session, &[&format!("printsgf {path}"), "clear_board", &format!("loadsgf {path}")]);
        assert_eq!(ask(&mut session, "final_score"), score, "{rules} {begin}");
    }
}

#[test]
fn a_record_that_is_loaded_and_printed_again_and_again_stays_the_same() {
    let mut session = session(9);
    let saved = file(b"");
    let path = saved.path().display();
    for (content, kept) in [
        ("HA[2]AB[gc][cg];W[ee]", "HA[2]"),
        ("HA[2]AB[gc][cg]", "HA[2]"),
        ("HA[2]KM[0.5];B[gc];B[cg];W[ee]", "HA[2]"),
        ("RU[Japanese]HA[2]AB[gc][cg];W[ee]", "HA[2]"),
        ("RU[Japanese];B[gc];B[cg];W[ee]", "HA[2]"),
        ("RU[AGA]KM[3.5]HA[4]AB[gc][cg];W[ee]", "RU[AGA]"),
        ("RU[Chinese]HA[2]AB[gc][cg];B[cc];W[ee]", "HA[2]"),
        (";AB[aa]B[cc];W[dd]", "RU[Chinese]"),
        ("RU[Chinese];AB[aa]B[cc];W[dd]", "RU[Chinese]"),
        ("RU[Chinese]AB[aa][bb];B[cc];W[dd]", "RU[Chinese]"),
        ("RU[Chinese];B[aa];W[bb];AE[bb]AB[cc];B[dd];W[ee]", "RU[Chinese]"),
        ("RU[Lasker]KM[3];B[aa];B[bb];W[cc];W[dd]", "KM[3]"),
    ] {
        for moves in [" 1", " 2", ""] {
            let game = file(format!("(;SZ[9]{content})").as_bytes());
            tell(&mut session, &[&format!("loadsgf {}{moves}", game.path().display())]);
            let printed = ask(&mut session, "printsgf");
            assert!(printed.contains(kept) || !moves.is_empty(), "{content}: {printed}");
            let score = session.engine().position().area_komi();
            tell(&mut session, &[&format!("printsgf {path}"), &format!("loadsgf {path}")]);
            assert_eq!(ask(&mut session, "printsgf"), printed, "{content}{moves}");
            assert_eq!(session.engine().position().area_komi(), score, "{content}{moves}");
        }
    }
}

#[test]
fn assumed_rules_give_no_points_for_a_handicap_until_rules_are_set() {
    let game = file(b"(;SZ[9]KM[0.5]HA[2]AB[cc][gg];W[ee])");
    let mut session = session(9);
    tell(&mut session, &[&format!("loadsgf {}", game.path().display())]);
    assert_eq!(session.engine().position().compensation(), Komi(0));
    assert!(ask(&mut session, "kata-get-rules").contains("\"whiteHandicapBonus\":\"0\""));
    tell(&mut session, &["kata-set-rules chinese"]);
    assert_eq!(session.engine().position().compensation(), Komi(4));
    assert!(ask(&mut session, "kata-get-rules").contains("\"whiteHandicapBonus\":\"N\""));
}

#[test]
fn the_handicap_told_of_a_record_is_the_one_that_white_is_compensated_for() {
    let mut session = session(9);
    for (content, stones) in [
        ("HA[4]KM[7.5]RU[Chinese];B[dd];W[ff]", 0),
        ("HA[4]RU[Chinese]AB[dd][ee];W[ff]", 2),
        ("HA[2]RU[Chinese]AB[dd][ee];B[cc];W[ff]", 2),
        ("RU[Chinese]AB[dd][ee];B[cc];W[ff]", 0),
        ("RU[Chinese];B[dd];B[ee];W[ff]", 2),
    ] {
        let game = file(format!("(;SZ[9]{content})").as_bytes());
        tell(&mut session, &[&format!("loadsgf {}", game.path().display())]);
        assert_eq!(ask(&mut session, "get_handicap"), format!("= {stones}"), "{content}");
        assert_eq!(session.engine().position().compensation(), Komi(2 * stones), "{content}");
    }
}

#[test]
fn what_is_assumed_for_a_record_ends_with_it() {
    let handicap = file(b"(;SZ[9]HA[2]AB[cc][gg];W[ee])");
    let even = file(b"(;SZ[9];B[cc];W[ee])");
    let repeated = file(b"(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb];B[ee])");
    let implausible = file(b"(;SZ[9]AP[foxwq]HA[2]KM[7.5]AB[cc][gg];W[ee])");
    let japanese = file(b"(;SZ[9]RU[Japanese]KM[5.5];B[cc];W[ee])");
    let mut session = session_with_dead(9, Some(DeadStones::Keep), options(30));
    let terms = |session: &mut Session| {
        let (komi, rules) = (ask(session, "get_komi"), session.engine().position().rules());
        (komi.trim_start_matches("= ").to_owned(), rules.to_string())
    };
    let expect = |session: &mut Session, komi: &str, rules: &str| {
        for begin in ["clear_board", "boardsize 9"] {
            tell(session, &[begin]);
            assert_eq!(terms(session), (komi.to_owned(), rules.to_owned()));
        }
        tell(session, &[&format!("loadsgf {}", even.path().display())]);
        assert_eq!(terms(session), (komi.to_owned(), rules.to_owned()), "a later record");
    };
    for assumed in [&handicap, &repeated, &implausible] {
        tell(&mut session, &[&format!("loadsgf {}", assumed.path().display())]);
        assert_ne!(session.engine().position().komi(), Komi(2));
        expect(&mut session, "7.5", "chinese");
    }
    tell(
        &mut session,
        &[&format!("loadsgf {}", handicap.path().display()), "komi 3", "kata-set-rule ko SIMPLE"],
    );
    assert!(ask(&mut session, "kata-get-rules").contains("\"whiteHandicapBonus\":\"0\""));
    expect(&mut session, "3", "ko=simple,suicide=no,handicap=n");
    tell(&mut session, &[&format!("loadsgf {}", handicap.path().display()), "kgs-rules aga", "komi 7.5"]);
    expect(&mut session, "7.5", "aga");
    tell(&mut session, &[&format!("loadsgf {}", japanese.path().display())]);
    expect(&mut session, "5.5", "japanese");
    tell(
        &mut session,
        &["kata-set-rules chinese", &format!("loadsgf {}", handicap.path().display()), "undo"],
    );
    tell(&mut session, &["clear_board", "komi 0.5", "set_free_handicap C3 G7 C7 G3"]);
    assert_eq!(ask(&mut session, "final_score"), "= B+76.5");
}

#[test]
fn what_white_gets_for_a_handicap_is_kept_until_the_rules_change() {
    let game = file(b"(;SZ[9]KM[0.5]RU[Chinese]HA[2];B[cc];B[gg];W[ee])");
    let mut session = session(9);
    tell(&mut session, &[&format!("loadsgf {}", game.path().display())]);
    let compensation = |session: &Session| session.engine().position().compensation();
    assert_eq!(compensation(&session), Komi(4));
    tell(&mut session, &["kata-set-rules chinese", "undo"]);
    assert_eq!(compensation(&session), Komi(4));
    tell(&mut session, &["kata-set-rules aga"]);
    assert_eq!(compensation(&session), Komi(2));
    tell(&mut session, &["kata-set-rules nz"]);
    assert_eq!(compensation(&session), Komi(0));
}
