//! Commands beyond the standard, which GoGui, KGS, KataGo's clients and gomill send.

use super::*;

#[test]
fn a_sequence_is_played_as_a_whole_or_not_at_all() {
    let mut session = session(5);
    tell(&mut session, &["gogui-play_sequence b A1 w B2 b pass w C3"]);
    assert_eq!(ask(&mut session, "list_stones w"), "= B2 C3");
    refuse(&mut session, "gogui-play_sequence b D4 w D4", "? illegal move");
    refuse(&mut session, "gogui-play_sequence b D4 w", "? invalid color or coordinate");
    tell(&mut session, &["gg-undo 4"]);
    assert_eq!(ask(&mut session, "list_stones b"), "=");
}

#[test]
fn stones_are_set_up_before_the_first_move_only() {
    let mut session = session(5);
    tell(&mut session, &["gogui-setup b A1 w B2 w B1", "gogui-setup b E5", "gogui-setup_player w"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= A1 E5");
    assert_eq!(ask(&mut session, "list_stones w"), "= B1 B2");
    refuse(&mut session, "gogui-setup b A1", "? bad vertex list: A1: ");
    tell(&mut session, &["play w A2"]);
    refuse(&mut session, "gogui-setup b C3", "? board not empty");
    tell(&mut session, &["undo"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= A1 E5");
}

#[test]
fn what_gogui_is_offered_is_answered() {
    let mut session = session(5);
    tell(&mut session, &["genmove b"]);
    let offered = ask(&mut session, "gogui-analyze_commands");
    for line in offered.trim_start_matches("= ").lines() {
        let [kind, _, command] = line.split('/').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let answer = ask(&mut session, &command.replace("%c", "w"));
        assert!(answer.starts_with('='), "{command}: {answer}");
        if kind == "dboard" {
            let rows: Vec<_> = answer.trim_start_matches("= ").lines().collect();
            assert!(rows.len() == 5 && rows.iter().all(|row| row.split(' ').count() == 5), "{answer}");
        }
    }
    assert!(ask(&mut session, "tewari-variation w").split(' ').count() > 1);
}

#[test]
fn settings_are_changed_while_it_runs() {
    let mut session = session(5);
    tell(&mut session, &["tewari-param simulations 64", "kata-set-param numSearchThreads 2"]);
    tell(&mut session, &["tewari-param time 2.5", "tewari-param ponder 1", "tewari-param visits 0"]);
    assert_eq!(ask(&mut session, "kata-get-param maxPlayouts"), "= 64");
    assert_eq!(ask(&mut session, "kata-get-param maxTime"), "= 2.5");
    let settings = ask(&mut session, "tewari-param");
    assert!(settings.contains("[string] threads 2\n") && settings.ends_with("[bool] ponder 1"), "{settings}");
    for line in [
        "tewari-param simulations -1",
        "tewari-param threads 0",
        "kata-set-param maxTime x",
        "tewari-param x 1",
    ] {
        refuse(&mut session, line, "? syntax error: expected");
    }
    tell(&mut session, &["genmove b"]);
    assert!(
        ask(&mut session, "gomill-explain_last_move").contains(" 64 simulations")
            || session.totals().simulations >= 64
    );
}

#[test]
fn a_parameter_can_be_set_to_what_is_reported_of_it() {
    let mut session = session(5);
    let get = |session: &mut Session, name: &str| ask(session, &format!("kata-get-param {name}"));
    for name in ["maxVisits", "maxPlayouts", "maxTime", "numSearchThreads"] {
        let told = get(&mut session, name);
        let value = told.trim_start_matches("= ");
        tell(&mut session, &[&format!("kata-set-param {name} {value}")]);
        assert_eq!(get(&mut session, name), told, "{name}");
    }
    for (name, unlimited, told) in [
        ("maxVisits", "1125899906842624", "= 1125899906842624"),
        ("maxPlayouts", "1e18", "= 1125899906842624"),
        ("maxTime", "1e20", "= 100000000000000000000"),
    ] {
        tell(&mut session, &[&format!("kata-set-param {name} 7")]);
        assert_eq!(get(&mut session, name), "= 7");
        tell(&mut session, &[&format!("kata-set-param {name} {unlimited}")]);
        assert_eq!(get(&mut session, name), told);
    }
    refuse(&mut session, "kata-set-param maxVisits nan", "? syntax error: expected a number from 0 on");
    refuse(&mut session, "tewari-param resign 1e20", "? syntax error: expected a probability from 0 to 1");
}

/// A session whose engine has so many bytes for everything.
fn session_within(memory: u64, side: usize, threads: usize) -> Session {
    let mut options = EngineOptions {
        size: Size::new(side, side).unwrap(),
        memory: Budget::Engine(memory),
        ..EngineOptions::default()
    };
    options.parameters.threads = threads;
    Session::new(Engine::new(options).unwrap(), super::options(30))
}

#[test]
fn threads_are_those_that_the_memory_has_room_for() {
    let mut session = session_within(24 << 20, 9, 3);
    tell(&mut session, &["kata-set-param numSearchThreads 1", "tewari-param threads 3"]);
    let refused = "? cannot set threads: expected at most 3 threads";
    refuse(&mut session, "kata-set-param numSearchThreads 200", refused);
    assert_eq!(ask(&mut session, "kata-get-param numSearchThreads"), "= 3");
    tell(&mut session, &["boardsize 13"]);
    // Nobody asked for a limit here.
    let engine = Engine::new(EngineOptions { size: Size::new(9, 9).unwrap(), ..EngineOptions::default() });
    let mut session = Session::new(engine.unwrap(), super::options(30));
    tell(&mut session, &["kata-set-param numSearchThreads 8"]);
    assert_eq!(ask(&mut session, "kata-get-param numSearchThreads"), "= 8");
}

#[test]
fn a_larger_board_leaves_room_for_a_larger_network() {
    let bytes = |side: usize, line: &str| {
        let mut session = session_within(24 << 20, side, 4);
        tell(&mut session, &[line]);
        table(&mut session, "bytes")
    };
    assert_eq!(bytes(9, "boardsize 19"), bytes(19, "clear_board"));
}

#[test]
fn rules_are_set_by_name_or_object_and_told() {
    let mut session = session(5);
    tell(&mut session, &["play b A1", "play w B2", "kata-set-rules tromp-taylor"]);
    let told = ask(&mut session, "kata-get-rules");
    assert!(told.contains("\"ko\":\"POSITIONAL\"") && told.contains("\"suicide\":true"), "{told}");
    assert_eq!(ask(&mut session, "list_stones b"), "= A1");
    tell(
        &mut session,
        &["kata-set-rules {\"ko\": \"SIMPLE\", \"scoring\": \"TERRITORY\", \"suicide\": false}"],
    );
    assert_eq!(session.engine().position().rules(), Rules::JAPANESE);
    tell(&mut session, &["kgs-rules new_zealand"]);
    assert_eq!(session.engine().position().rules(), Rules::NEW_ZEALAND);
    refuse(&mut session, "kata-set-rules chess", "? syntax error: unknown rules \"chess\": expected chinese");
    refuse(
        &mut session,
        "kata-set-rules {\"ko\": \"SOMETIMES\"}",
        "? syntax error: ko: expected SIMPLE, POSITIONAL or SITUATIONAL, found \"SOMETIMES\"",
    );
    // A game with a suicide in it cannot go on where that is forbidden.
    tell(&mut session, &["clear_board", "play w A2", "play w B1", "play b A1"]);
    refuse(&mut session, "kgs-rules chinese", "? illegal move");
}

#[test]
fn fischer_time_is_understood() {
    let mut session = session(5);
    assert!(ask(&mut session, "kata-list_time_settings").contains("fischer-capped"));
    tell(&mut session, &["kata-time_settings fischer 60 5", "kata-time_settings fischer-capped 60 5 90 20"]);
    tell(&mut session, &["kata-time_settings byoyomi 60 30 5", "time_left b 20 0"]);
    tell(&mut session, &["kata-time_settings fischer-capped 60 5 -1 -1"]);
    refuse(&mut session, "kata-time_settings fischer 60", "? syntax error: expected a number of seconds");
    refuse(
        &mut session,
        "kata-time_settings fischer-capped 60 5 90",
        "? syntax error: expected a number of s",
    );
    refuse(
        &mut session,
        "kata-time_settings fischer-capped 60 5 90 x",
        "? syntax error: expected a number of s",
    );
    refuse(&mut session, "kata-time_settings hourglass 60", "? syntax error: expected none,");
}

#[test]
fn the_game_is_printed_as_sgf_and_read_back() {
    let mut session = session(5);
    tell(&mut session, &["gogui-setup b A1 w B2", "play b C3", "play w pass", "play b D4"]);
    let text = ask(&mut session, "printsgf");
    let collection = tewari::sgf::read(text.trim_start_matches("= ").as_bytes()).unwrap();
    let game = &collection.games[0];
    assert!(game.warnings.is_empty() && game.move_count() == 3, "{text}");
    let last = game.steps(Rules::CHINESE, Komi(15)).unwrap().last().unwrap().unwrap();
    assert_eq!(last.position.board().key(), session.engine().position().board().key());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game 1.sgf");
    tell(&mut session, &[&format!("printsgf {}", path.display()), "clear_board"]);
    tell(&mut session, &[&format!("loadsgf {}", path.display())]);
    assert_eq!(ask(&mut session, "list_stones b"), "= A1 C3 D4");
    assert!(ask(&mut session, "printsgf /nowhere/x.sgf").starts_with("? cannot write file: /nowhere/x.sgf"));
}

#[test]
fn dead_stones_are_captured_before_a_pass_on_kgs() {
    let mut session = session_with(5, options(200));
    // White's stone in Black's area; Black has won by far and might as well pass.
    tell(&mut session, &["komi 0.5"]);
    for vertex in ["A2", "B2", "C2", "D2", "E2", "B3", "D3", "C4"] {
        tell(&mut session, &[&format!("play b {vertex}")]);
    }
    tell(&mut session, &["play w A5", "play w pass"]);
    assert_eq!(ask(&mut session, "final_status_list dead"), "= A5");
    assert_eq!(ask(&mut session, "genmove b"), "= pass");
    tell(&mut session, &["undo"]);
    let mut captured = false;
    for _ in 0..10 {
        assert_ne!(ask(&mut session, "kgs-genmove_cleanup b"), "= pass");
        tell(&mut session, &["play w pass"]);
        captured = ask(&mut session, "list_stones w") == "=";
        if captured {
            break;
        }
    }
    assert!(captured, "{}", ask(&mut session, "showboard"));
    assert_eq!(ask(&mut session, "kgs-genmove_cleanup b"), "= pass");
}

#[test]
fn all_stones_count_where_nobody_agrees_on_dead_ones() {
    let score = |dead_stones| {
        let mut session = session_with_dead(5, Some(dead_stones), options(30));
        tell(&mut session, &["komi 0"]);
        for vertex in ["A2", "B2", "C2", "D2", "E2", "B3", "D3", "C4"] {
            tell(&mut session, &[&format!("play b {vertex}")]);
        }
        tell(&mut session, &["play w A5"]);
        (ask(&mut session, "final_score"), ask(&mut session, "final_status_list dead"))
    };
    // The whole board, less a point for each stone of a handicap of eight.
    assert_eq!(score(DeadStones::Agreement), ("= B+17.0".to_owned(), "= A5".to_owned()));
    let (all, dead) = score(DeadStones::None);
    assert!(all.starts_with("= B+") && all != "= B+17.0" && dead == "=", "{all} {dead}");
}

#[test]
fn dead_stones_are_those_of_the_rules_that_hold_now() {
    let scores = |dead_stones| {
        let mut session = session_with_dead(5, dead_stones, options(30));
        tell(&mut session, &["komi 0"]);
        for vertex in ["A2", "B2", "C2", "D2", "E2", "B3", "D3", "C4"] {
            tell(&mut session, &[&format!("play b {vertex}")]);
        }
        tell(&mut session, &["play w A5"]);
        ["tromp-taylor", "chinese", "japanese"].map(|rules| {
            tell(&mut session, &[&format!("kata-set-rules {rules}")]);
            ask(&mut session, "final_status_list dead")
        })
    };
    assert_eq!(scores(None), ["=", "= A5", "= A5"]);
    assert_eq!(scores(Some(DeadStones::Agreement)), ["= A5"; 3]);
    assert_eq!(scores(Some(DeadStones::None)), ["="; 3]);
}
