//! Commands beyond the standard, as GoGui, KGS, KataGo's clients and gomill send them.

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
            // GoGui opens an error dialog for a value that is not a number.
            let is_number = |value: &str| value.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(rows.iter().flat_map(|row| row.split(' ')).all(is_number), "{command}: {answer}");
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
        "tewari-param ponder 5",
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
    for count in
        ["kata-set-param maxVisits 1.5", "kata-set-param maxPlayouts 0.5", "tewari-param threads 1.5"]
    {
        refuse(&mut session, count, "? syntax error: expected a whole number from 0 on");
    }
    refuse(&mut session, "tewari-param resign 1e20", "? syntax error: expected a probability from 0 to 1");
}

/// Returns a session with an engine of `memory` bytes in all.
fn session_within(memory: u64, side: usize, threads: usize) -> Session {
    let mut options = EngineOptions {
        size: Size::new(side, side).unwrap(),
        memory: MemoryBudget::Engine(memory),
        ..EngineOptions::default()
    };
    options.parameters.threads = threads;
    Session::new(Engine::new(options).unwrap(), super::options(30))
}

#[test]
fn threads_are_those_that_the_memory_has_room_for() {
    let mut session = session_within(24 << 20, 9, 3);
    tell(&mut session, &["kata-set-param numSearchThreads 1", "tewari-param threads 3"]);
    let refused =
        "? cannot set threads: 200 threads do not fit into the memory beside the table: expected at most 3;";
    refuse(&mut session, "kata-set-param numSearchThreads 200", refused);
    assert_eq!(ask(&mut session, "kata-get-param numSearchThreads"), "= 3");
    tell(&mut session, &["boardsize 13"]);
    // No memory limit was requested here.
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
    // Earlier moves stay, as in KataGo, though the new rules forbid suicide.
    tell(&mut session, &["clear_board", "play w A2", "play w B1", "play b A1", "kgs-rules chinese"]);
    assert_eq!(session.engine().record().move_count(), 3);
    tell(&mut session, &["undo"]);
    refuse(&mut session, "play b A1", "? illegal move");
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
    let below =
        "? syntax error: expected a maximum of the main time that is at least the main time, found \"59\"";
    refuse(&mut session, "kata-time_settings fischer-capped 60 5 59 -1", below);
    tell(&mut session, &["kata-time_settings fischer-capped 60 5 60 5"]);
    refuse(&mut session, "kata-time_settings hourglass 60", "? syntax error: expected none,");
}

#[test]
fn the_game_is_printed_as_sgf_and_read_back() {
    let mut session = session(5);
    tell(&mut session, &["gogui-setup b A1 w B2", "play b C3", "play w pass", "play b D4"]);
    let text = ask(&mut session, "printsgf");
    let collection = tewari::records::sgf::read(text.trim_start_matches("= ").as_bytes()).unwrap();
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
    // White has a dead stone in Black's area; Black is far ahead and could pass.
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
fn a_cleanup_plays_only_to_capture_dead_stones_and_then_passes() {
    let black = "E1 E2 E3 E4 E5 E6 E7 E8 E9 C3 C6 B5 D4 B8 B2 H5 J9";
    let white = "F1 F2 F3 F4 F5 F6 F7 F8 F9 H3 H6 H8 C4 D6 D7 A1";
    let stones =
        |player, points: &str| points.split(' ').map(|it| format!(" {player} {it}")).collect::<String>();
    let dead = [("b", "w", "A1 C4 D6 D7", "ABCD", 7), ("w", "b", "H5 J9", "GHJ", 5)];
    for (player, opponent, dead, area, most) in dead {
        let mut session = session_with(9, options(50));
        tell(
            &mut session,
            &[&format!("gogui-setup{}{}", stones("b", black), stones("w", white)), "komi 0.5"],
        );
        let score = ask(&mut session, "final_score");
        tell(&mut session, &["kata-set-rules japanese"]);
        let mut moves = Vec::new();
        loop {
            tell(&mut session, &[&format!("play {opponent} pass")]);
            let answer = ask(&mut session, &format!("kgs-genmove_cleanup {player}"));
            let vertex = answer.trim_start_matches("= ").to_owned();
            if vertex == "pass" {
                break;
            }
            assert!(area.contains(&vertex[..1]), "{player} {moves:?} {vertex}");
            moves.push(vertex);
            assert!(moves.len() <= most, "{player} {moves:?}");
        }
        let left = ask(&mut session, &format!("list_stones {opponent}"));
        assert!(
            dead.split(' ').all(|stone| !left.contains(&format!(" {stone}"))),
            "{player} {moves:?} {left}"
        );
        tell(&mut session, &["kata-set-rules chinese", "komi 0.5"]);
        assert_eq!(ask(&mut session, "final_score"), score, "{player} {moves:?}");
    }
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
    // The whole board, minus a point for each stone of a handicap of eight.
    assert_eq!(score(DeadStones::Agreement), ("= B+17.0".to_owned(), "= A5".to_owned()));
    let (all, dead) = score(DeadStones::Keep);
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
    assert_eq!(scores(Some(DeadStones::Keep)), ["="; 3]);
}

#[test]
fn the_network_s_own_output_is_told_under_each_symmetry() {
    let mut session = session(5);
    tell(&mut session, &["play b C3", "play w C2"]);
    let output = |session: &mut Session, rest: &str| ask(session, &format!("kata-raw-nn {rest}"));
    let numbers = |answer: &str, key: &str| -> Vec<f64> {
        let words =
            answer.trim_start_matches("= ").split_whitespace().skip_while(|word| *word != key).skip(1);
        words.map_while(|word| word.parse().ok()).collect()
    };
    let answer = output(&mut session, "0");
    assert!(answer.starts_with("= symmetry 0\n"), "{answer}");
    let [win, loss] = ["whiteWin", "whiteLoss"].map(|key| numbers(&answer, key)[0]);
    assert!((win + loss - 1.0).abs() < 1e-5 && win > 0.0 && loss > 0.0, "{answer}");
    let policy = numbers(&answer, "policy");
    assert!(policy.len() == 25 && policy.iter().filter(|chance| chance.is_nan()).count() == 2, "{answer}");
    let sum: f64 = policy.iter().filter(|chance| !chance.is_nan()).sum();
    assert!((sum + numbers(&answer, "policyPass")[0] - 1.0).abs() < 1e-4, "{answer}");
    assert_eq!(numbers(&answer, "whiteOwnership").len(), 25);
    for key in ["noResult", "whiteLead", "whiteScoreSelfplay", "whiteScoreSelfplaySq"] {
        assert_eq!(numbers(&answer, key).len(), 1, "{key}: {answer}");
    }
    assert_eq!(output(&mut session, "all").matches("symmetry ").count(), 8);
    assert_eq!(output(&mut session, "B 0"), answer, "Black is to move");
    assert_ne!(output(&mut session, "w 0"), answer);
    for wrong in ["", "8", "-1", "x", "w"] {
        refuse(&mut session, &format!("kata-raw-nn {wrong}"), "? syntax error: expected a colour or none");
    }
    let without = EngineOptions { networks: None, ..engine_options(5) };
    refuse(&mut session_of(without, options(30)), "kata-raw-nn 0", "? expected a network, found none");
}

#[test]
fn one_part_of_the_rules_is_set_or_refused_by_name() {
    let mut session = session(5);
    tell(&mut session, &["kata-set-rule ko SIMPLE", "kata-set-rule suicide true"]);
    let told = ask(&mut session, "kata-get-rules");
    assert!(told.contains("\"ko\":\"SIMPLE\"") && told.contains("\"suicide\":true"), "{told}");
    for (line, refusal) in [
        (
            "kata-set-rule ko SOMETIMES",
            "? cannot set rule: ko: expected SIMPLE, POSITIONAL or SITUATIONAL, found",
        ),
        ("kata-set-rule hasButton true", "? cannot set rule: hasButton: expected false"),
        ("kata-set-rule komi 7", "? cannot set rule: komi: expected no komi among the rules"),
        ("kata-set-rule ko", "? syntax error: expected its value"),
        ("kata-set-param playoutDoublingAdvantage 1", "? syntax error: expected maxVisits, maxPlayouts"),
    ] {
        refuse(&mut session, line, refusal);
    }
    assert_eq!(ask(&mut session, "kata-get-rules"), told);
}

#[test]
fn rules_that_are_accepted_are_told_as_they_were_given() {
    let mut session = session(5);
    for (ko, scoring, tax) in [("SIMPLE", "TERRITORY", "SEKI"), ("POSITIONAL", "AREA", "NONE")] {
        for (friendly, suicide, bonus) in
            [("false", "false", "0"), ("true", "true", "N"), ("false", "true", "N-1")]
        {
            let object = format!(
                "{{\"friendlyPassOk\":{friendly},\"hasButton\":false,\"ko\":\"{ko}\",\"scoring\":\"{scoring}\",\
                 \"suicide\":{suicide},\"tax\":\"{tax}\",\"whiteHandicapBonus\":\"{bonus}\"}}"
            );
            tell(&mut session, &[&format!("kata-set-rules {object}")]);
            assert_eq!(ask(&mut session, "kata-get-rules"), format!("= {object}"));
            for told in ["true", "false"] {
                tell(&mut session, &[&format!("kata-set-rule friendlyPassOk {told}")]);
                let rules = ask(&mut session, "kata-get-rules");
                assert!(rules.contains(&format!("\"friendlyPassOk\":{told}")), "{rules}");
            }
            tell(
                &mut session,
                &[&format!("kata-set-rule tax {tax}"), &format!("kata-set-rule scoring {scoring}")],
            );
        }
    }
    // KataGo's Japanese rules.
    tell(&mut session, &["kata-set-rules japanese"]);
    let japanese = ask(&mut session, "kata-get-rules");
    assert!(japanese.contains("\"friendlyPassOk\":false"), "{japanese}");
    let refusal = "? cannot set rule: scoring: expected TERRITORY, since tax is SEKI";
    refuse(&mut session, "kata-set-rule scoring AREA", refusal);
    refuse(&mut session, "kata-set-rule tax NONE", "? cannot set rule: tax: expected NONE with scoring AREA");
    tell(&mut session, &["kata-set-rules chinese"]);
    let refusal = "? cannot set rule: scoring: expected AREA, since tax is NONE";
    refuse(&mut session, "kata-set-rule scoring TERRITORY", refusal);
}

#[test]
fn dead_stones_are_removed_under_territory_scoring_however_players_pass() {
    let mut session = session(5);
    for friendly in [true, false] {
        let rules = format!("{{\"scoring\":\"TERRITORY\",\"ko\":\"SIMPLE\",\"friendlyPassOk\":{friendly}}}");
        tell(&mut session, &[&format!("kata-set-rules {rules}"), "clear_board", "komi 0.5"]);
        for move_number in 1..=5 {
            tell(&mut session, &[&format!("play b C{move_number}"), &format!("play w D{move_number}")]);
        }
        tell(&mut session, &["play b E3", "play w pass", "play b pass"]);
        assert_eq!(ask(&mut session, "final_status_list dead"), "= E3");
    }
}

#[test]
fn the_handicap_is_told_however_it_was_placed() {
    let mut session = session(9);
    assert_eq!(ask(&mut session, "get_handicap"), "= 0");
    tell(&mut session, &["fixed_handicap 4"]);
    assert_eq!(ask(&mut session, "get_handicap"), "= 4");
    tell(&mut session, &["clear_board", "play b C3", "play b G7", "play w E5"]);
    assert_eq!(ask(&mut session, "get_handicap"), "= 2");
}

#[test]
fn regression_tests_may_leave_the_colour_out() {
    let answer_to = |line: &str| {
        let mut session = session(5);
        tell(&mut session, &["set_random_seed 1", "play b C3"]);
        ask(&mut session, line)
    };
    assert_eq!(answer_to("reg_genmove"), answer_to("reg_genmove w"));
    let mut session = session(5);
    refuse(&mut session, "reg_genmove x", "? invalid color");
    assert_eq!(ask(&mut session, "list_stones w"), "=");
}

#[test]
fn moves_are_read_as_columns_and_rows_from_the_top_left() {
    let mut session = session(5);
    tell(&mut session, &["play b (0,0)", "play w (4,1)"]);
    assert_eq!(ask(&mut session, "list_stones b"), "= A5");
    assert_eq!(ask(&mut session, "list_stones w"), "= E4");
    for wrong in ["(5,0)", "(0,5)", "(0,18446744073709551615)", "(0)", "(0,0", "(-1,0)", "()"] {
        refuse(&mut session, &format!("play b {wrong}"), "? invalid color or coordinate");
    }
}

#[test]
fn an_analysis_of_no_legal_move_is_refused() {
    let mut session = session(5);
    tell(&mut session, &["play b C3"]);
    for rest in ["w 1 allow w C3 1", "w 1 allow w A1 1 avoid w A1 1"] {
        for command in ["kata-analyze", "lz-genmove_analyze", "analyze"] {
            refuse(&mut session, &format!("{command} {rest}"), "? nothing to search: avoid and allow");
        }
    }
    assert_eq!(ask(&mut session, "list_stones w"), "=");
}

#[test]
fn the_name_is_the_one_that_a_client_insists_on() {
    let options = SessionOptions { name: "KataGo by Tewari".to_owned(), ..options(30) };
    assert_eq!(ask(&mut session_with(5, options), "name"), "= KataGo by Tewari");
}
