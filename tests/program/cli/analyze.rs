//! `tewari analyze`: the output for a position.

use super::{GAME, analyze, analyze_json, directory, file, objects, run, run_with_input};
use serde_json::Value;

#[test]
fn a_game_is_analysed_position_by_position_for_people_to_read() {
    let directory = directory();
    let text = analyze(&[&file(&directory, "game.sgf", GAME)]);
    let paragraphs: Vec<&str> = text.split("\n\n").filter(|part| !part.is_empty()).skip(1).collect();
    assert_eq!(paragraphs.len(), 5, "{text}");
    for (turn, paragraph) in paragraphs.iter().enumerate() {
        let played =
            ["Start", "Move 1, Black E5", "Move 2, White G7", "Move 3, Black C7", "Move 4, White G3"];
        assert!(paragraph.starts_with(&format!("{} · ", played[turn])), "{paragraph}");
        let to_play = ["Black to play", "White to play"][turn % 2];
        for fragment in [to_play, "Black wins ", "visits", "line"] {
            assert!(paragraph.contains(fragment), "no {fragment:?} in {paragraph}");
        }
        assert!(!paragraph.contains("table"), "only with --verbose: {paragraph}");
    }
    assert!(!text.contains(directory.path().to_str().expect("UTF-8")), "names, not paths: {text}");
}

#[test]
fn one_position_has_a_board_with_the_best_moves_and_the_move_that_was_played() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    let text = analyze(&[&path, "--move", "3"]);
    let is_row = |line: &&str| line.get(..7).is_some_and(|row| row.trim().len() == 1 && row.ends_with(' '));
    let board: Vec<&str> = text.lines().filter(is_row).take(9).collect();
    assert_eq!(board.len(), 9, "{text}");
    assert!(board[2].starts_with("     7 . .(X).") && board[2].contains(" O"), "{text}");
    assert!(board.iter().any(|line| line.contains('1')), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("(played")).collect();
    assert!(rows.len() == 1 && rows[0].contains("G3"), "{text}");
    let table = analyze(&[&path, "--move", "3", "--verbose"]);
    for fragment in ["table ", "of positions found", "evicted"] {
        assert!(table.contains(fragment), "no {fragment:?} in {table}");
    }
}

#[test]
fn games_on_several_boards_have_a_table_each() {
    let directory = directory();
    let path = file(&directory, "games.sgf", "(;SZ[9];B[ee])(;SZ[7];B[dd])(;SZ[9];B[cc])");
    let table = directory.path().join("go.tewari");
    let table = table.to_str().expect("UTF-8");
    for _ in 0..2 {
        let text = analyze(&[&path, "--table", table]);
        assert_eq!(text.matches("· komi").count(), 3, "{text}");
    }
    assert!(directory.path().join("go-7x7.tewari").exists());
}

#[test]
fn a_record_takes_komi_and_rules_from_the_table_of_its_own_board() {
    let directory = directory();
    let path = file(&directory, "games.sgf", "(;SZ[9];B[ee])(;SZ[7];B[dd])");
    let table = directory.path().join("go.tewari");
    let table = table.to_str().expect("UTF-8");
    let create = [
        "table",
        "create",
        table,
        "--size",
        "9",
        "--komi",
        "3.5",
        "--rules",
        "tromp-taylor",
        "--table-size",
        "1MiB",
    ];
    assert_eq!(run(&create).code, Some(0));
    let text = analyze(&[&path, "--table", table]);
    let is_head = |line: &&str| line.contains("· komi");
    let heads: Vec<&str> = text.lines().filter(is_head).collect();
    assert!(heads[0].contains("9x9 · komi 3.5 · rules tromp-taylor"), "{text}");
    assert!(heads[1].contains("7x7 · komi 7.5 · rules chinese"), "{text}");
    let beside = std::fs::metadata(directory.path().join("go-7x7.tewari")).expect("the file");
    assert!(beside.len() <= 1 << 20, "{} bytes beside a table of 1 MiB", beside.len());
}

#[test]
fn an_empty_board_is_analysed_in_every_pass() {
    let arguments = ["--size", "5", "--passes", "3", "--network", "none"];
    let found = analyze_json(&arguments);
    let passes: Vec<String> = found.iter().map(|analysis| analysis["pass"].to_string()).collect();
    assert_eq!(passes, ["1", "2", "3"]);
    assert_eq!(analyze(&arguments).matches("Start").count(), 1, "the last pass");
}

#[test]
fn two_passes_of_one_player_do_not_end_the_game() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9];B[ee];W[cc];B[];B[];W[gg])");
    let text = analyze(&[&path]);
    assert!(!text.contains("the game is over"), "{text}");
}

#[test]
fn positions_are_counted_from_the_end_too() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    for (turn, expected) in [("-1", "4"), ("-5", "0")] {
        assert_eq!(analyze_json(&[&path, "--move", turn])[0]["turnNumber"].to_string(), expected);
    }
    super::refuse(&["analyze", &path, "--move", "-6"], 1, &["--move -6", "from -5 to 4"]);
}

#[test]
fn owners_of_all_points_are_told_on_request_as_a_board_and_in_json() {
    let directory = directory();
    // Black's wall on the third line leaves White no territory, then both pass.
    let wall: String = ('a'..='i').map(|column| format!("AB[{column}g]")).collect();
    let game = format!("(;SZ[9]KM[0.5]{wall};B[cc];W[];B[])");
    let path = file(&directory, "wall.sgf", &game);
    let analyses = analyze_json(&[&path, "--ownership"]);
    assert_eq!(analyses.len(), 4);
    for analysis in &analyses {
        let owners: Vec<f64> =
            analysis["ownership"].as_array().expect("owners").iter().filter_map(Value::as_f64).collect();
        assert_eq!(owners.len(), 81);
        assert!(owners.iter().all(|owner| (-1.0..=1.0).contains(owner)), "{owners:?}");
        assert!(owners[54..63].iter().all(|&owner| owner > 0.6), "{owners:?}");
    }
    assert_eq!(analyses[3]["ownership"], Value::from(vec![1.0; 81]), "the game has ended");
    assert!(analyze_json(&[&path]).iter().all(|analysis| analysis["ownership"].is_null()));
    let text = analyze(&[&path, "--ownership", "--move", "3"]);
    assert!(text.contains(&format!("\n 9 {}\n", " X".repeat(9))) && text.contains("\n    A B C D"), "{text}");
}

#[test]
fn every_json_field_is_there_with_its_type_and_range() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    let analyses = analyze_json(&[&path]);
    assert_eq!(analyses.len(), 5);
    for (turn, analysis) in analyses.iter().enumerate() {
        assert_eq!(analysis["id"], *path);
        assert_eq!(analysis["turnNumber"], turn);
        assert_eq!(analysis["perspective"], "black");
        assert_eq!(analysis["komi"], 6.5);
        assert_eq!(analysis["rules"], "chinese");
        assert_eq!((&analysis["boardXSize"], &analysis["boardYSize"]), (&Value::from(9), &Value::from(9)));
        let root = &analysis["rootInfo"];
        assert_eq!(root["currentPlayer"], ["B", "W"][turn % 2]);
        assert_share(&root["winrate"]);
        assert_lead(&root["scoreLead"]);
        assert!(count(&root["visits"]) >= 60, "{root}");
        let moves = analysis["moveInfos"].as_array().expect("an array");
        assert!(!moves.is_empty());
        let mut edge_visits = 0;
        for (order, info) in moves.iter().enumerate() {
            assert_eq!(info["order"], order);
            let line = info["pv"].as_array().expect("an array");
            assert_eq!(line[0], info["move"]);
            assert!(line.iter().all(|vertex| vertex.as_str().is_some_and(is_vertex)), "{info}");
            assert_share(&info["winrate"]);
            assert_share(&info["prior"]);
            // A move that led only to a known position has had no playout in this search.
            if order == 0 || !info["scoreLead"].is_null() {
                assert_lead(&info["scoreLead"]);
            }
            assert!(count(&info["edgeVisits"]) > 0 && count(&info["visits"]) > 0, "{info}");
            edge_visits += count(&info["edgeVisits"]);
        }
        assert!(edge_visits <= count(&root["visits"]), "{analysis}");
        assert_table(&analysis["table"]);
    }
}

fn assert_table(table: &Value) {
    let (bytes, used) = (count(&table["bytes"]), count(&table["bytesUsed"]));
    assert!(0 < used && used <= bytes && bytes <= 1 << 20, "{table}");
    assert_share(&table["occupancy"]);
    let share = table["occupancy"].as_f64().expect("a number");
    assert!((share - used as f64 / bytes as f64).abs() < 0.01, "{table}");
    assert!(count(&table["hits"]) > 0 && count(&table["misses"]) > 0, "{table}");
    let (_, _) = (count(&table["transpositions"]), count(&table["evictions"]));
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

fn assert_share(value: &Value) {
    assert!(value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{value} is no share");
}

/// Checks that a value is a possible lead on 9x9 with komi 6.5.
fn assert_lead(value: &Value) {
    assert!(value.as_f64().is_some_and(|lead| (-87.5..=74.5).contains(&lead)), "{value} is no lead");
}

fn is_vertex(text: &str) -> bool {
    tewari::go::Size::new(9, 9).is_ok_and(|size| size.parse_vertex(text).is_some())
}

#[test]
fn win_rates_and_leads_are_blacks_whoever_is_to_move() {
    let directory = directory();
    // Black owns the whole board; White's only stone is captured next.
    let black = "AB[aa][ba][ca][ab][cb][ac][bc][cc][da][db][dc][dd][ad][bd]AW[cd]";
    for to_play in ["B", "W"] {
        let path = file(&directory, "won.sgf", format!("(;SZ[5]KM[0.5]{black}PL[{to_play}])"));
        let analysis = &analyze_json(&[&path])[0];
        assert_eq!(analysis["rootInfo"]["currentPlayer"], to_play);
        assert!(analysis["rootInfo"]["winrate"].as_f64() > Some(0.5), "{analysis}");
        assert!(analysis["rootInfo"]["scoreLead"].as_f64() > Some(0.0), "{analysis}");
    }
}

#[test]
fn one_position_is_chosen_by_its_number_of_moves() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    for turn in ["0", "2", "4"] {
        let analyses = analyze_json(&[&path, "--move", turn]);
        assert_eq!(analyses.len(), 1);
        assert_eq!(analyses[0]["turnNumber"].to_string(), turn);
    }
    let text = analyze(&[&path, "--move", "4"]);
    assert!(text.contains("Move 4, White G3 · Black to play"), "{text}");
}

#[test]
fn without_a_file_the_empty_board_of_a_size_is_analysed() {
    for (size, columns, rows) in [("5", 5, 5), ("3x7", 3, 7), ("7x3", 7, 3), ("1", 1, 1), ("19", 19, 19)] {
        let analysis = &analyze_json(&["--size", size, "--komi", "-1.5"])[0];
        let boards = (&analysis["boardXSize"], &analysis["boardYSize"]);
        assert_eq!(boards, (&Value::from(columns), &Value::from(rows)));
        assert_eq!((&analysis["turnNumber"], &analysis["komi"]), (&Value::from(0), &Value::from(-1.5)));
    }
}

#[test]
fn small_boards_are_proven_won_just_below_their_value_and_lost_just_above_it() {
    for (size, below, above) in [("3x1", "2.5", "3.5"), ("4x1", "3.5", "4.5"), ("3x3", "8.5", "9.5")] {
        assert_proven(&["--size", size, "--komi", below], "black wins (proven)");
        assert_proven(&["--size", size, "--komi", above], "white wins (proven)");
    }
    assert_proven(&["--size", "3x1", "--komi", "3"], "draw (proven)");
}

/// Runs `tewari analyze` without a limit on `position` and checks the proven value.
fn assert_proven(position: &[&str], expected: &str) {
    let run = run(&[&["analyze", "--memory", "16MiB"], position].concat());
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""), "{position:?}");
    let first = run.output.lines().nth(2).unwrap_or_default().to_lowercase();
    assert!(first.contains(expected), "{position:?}: {first}");
}

#[test]
fn the_proof_of_a_small_board_needs_no_option_at_all() {
    let run = run(&["analyze", "--size", "3x3", "--komi", "8.5"]);
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""));
    assert!(run.output.contains("wins (proven)"), "{}", run.output);
}

#[test]
fn a_proof_is_in_the_json_too_with_an_exact_win_rate() {
    let analysis = &analyze_json(&["--size", "3x1", "--komi", "2.5", "--simulations", "1000"][..4])[0];
    assert_eq!(analysis["rootInfo"]["proven"], "B");
    assert_eq!(analysis["rootInfo"]["winrate"], 1.0);
    assert_eq!(analysis["moveInfos"][0]["proven"], true);
}

#[test]
fn a_finished_game_has_no_moves_and_is_counted_and_not_proven() {
    let directory = directory();
    let path = file(&directory, "over.sgf", "(;SZ[5]KM[0.5];B[cc];W[];B[tt])");
    let analysis = &analyze_json(&[&path, "--move", "3"])[0];
    assert_eq!(analysis["moveInfos"], Value::Array(Vec::new()));
    assert_eq!(analysis["rootInfo"]["scoreLead"], 24.5);
    assert_eq!(analysis["rootInfo"]["proven"], Value::Null);
    assert_eq!(analysis["end"]["result"], "B+24.5");
}

#[test]
fn simulations_are_new_work_and_visits_count_what_was_there() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    for flag in ["--simulations", "--playouts"] {
        let run = run(&["analyze", &path, flag, "70", "--table-size", "1MiB", "--format", "json"]);
        for analysis in objects(&run.output) {
            assert_eq!(analysis["rootInfo"]["simulations"], 70);
        }
    }
    let run = run(&["analyze", &path, "--visits", "300", "--table-size", "1MiB", "--format", "json"]);
    let analyses = objects(&run.output);
    assert!(analyses.iter().all(|analysis| analysis["rootInfo"]["visits"] == 300), "{}", run.output);
    let work: Vec<u64> =
        analyses.iter().map(|analysis| count(&analysis["rootInfo"]["simulations"])).collect();
    assert!(work[0] == 300 && work.iter().any(|&simulations| simulations < 300), "{work:?}");
}

#[test]
fn time_limits_a_search() {
    let before = std::time::Instant::now();
    let run = run(&["analyze", "--size", "9", "--time", "0.2", "--table-size", "1MiB"]);
    assert_eq!(run.code, Some(0));
    let elapsed = before.elapsed().as_secs_f64();
    assert!((0.2..10.0).contains(&elapsed), "{elapsed} s");
}

#[test]
fn one_seed_gives_one_answer_and_another_seed_another() {
    let with_seed = |seed| analyze_json(&["--size", "9", "--seed", seed]);
    assert_eq!(with_seed("5"), with_seed("5"));
    assert_ne!(with_seed("5")[0]["moveInfos"], with_seed("6")[0]["moveInfos"]);
}

#[test]
fn several_threads_share_the_work() {
    let analysis = &analyze_json(&["--size", "9", "--threads", "3"])[0];
    assert_eq!(analysis["rootInfo"]["simulations"], 60);
}

#[test]
fn a_game_is_also_read_from_standard_input() {
    let run = run_with_input(&["analyze", "-", "--move", "1", "--visits", "9"], GAME.as_bytes());
    assert_eq!((run.code, run.errors.as_str()), (Some(0), ""));
    assert!(run.output.contains("Move 1, Black E5 · White to play"), "{}", run.output);
}
