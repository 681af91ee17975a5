//! `tewari analyze`: the use of a record, and its errors.

use super::{GAME, SHORT, analyze, analyze_json, directory, file, objects, refuse, run};
use serde_json::Value;

/// Returns komi and rules of the first position.
fn terms(arguments: &[&str]) -> (Value, Value) {
    let analysis = analyze_json(&[arguments, &["--move", "0"]].concat()).remove(0);
    (analysis["komi"].clone(), analysis["rules"].clone())
}

#[test]
fn komi_and_rules_are_the_files_unless_they_are_given() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9]KM[5.5]RU[Tromp-Taylor];B[ee])");
    assert_eq!(terms(&[&path]), (Value::from(5.5), Value::from("tromp-taylor")));
    assert_eq!(terms(&[&path, "--komi", "0.5"]), (Value::from(0.5), Value::from("tromp-taylor")));
    let rules = "ko=simple,suicide=no";
    assert_eq!(terms(&[&path, "--rules", rules]), (Value::from(5.5), Value::from(rules)));
}

#[test]
fn a_file_that_names_neither_komi_nor_rules_gets_the_defaults() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9];B[ee])");
    assert_eq!(terms(&[&path]), (Value::from(7.5), Value::from("chinese")));
}

#[test]
fn the_stones_of_a_handicap_are_set_up_and_white_begins() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9]KM[0.5]HA[2]AB[cg][gc];W[ee])");
    let analysis = &analyze_json(&[&path, "--move", "0"])[0];
    assert_eq!(analysis["rootInfo"]["currentPlayer"], "W");
    let moves = analysis["moveInfos"].as_array().expect("an array");
    assert!(moves.iter().all(|info| info["move"] != "C3" && info["move"] != "G7"), "{analysis}");
}

#[test]
fn rectangles_have_columns_before_rows() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[5:7];B[cd])");
    let analysis = &analyze_json(&[&path, "--move", "1"])[0];
    assert_eq!((&analysis["boardXSize"], &analysis["boardYSize"]), (&Value::from(5), &Value::from(7)));
}

#[test]
fn the_charset_of_the_names_changes_nothing() {
    let directory = directory();
    let record = |charset: &str, name: &[u8]| {
        let start = format!("(;CA[{charset}]SZ[9]KM[6.5]PB[");
        [start.as_bytes(), name, b"];B[ee];W[gc];B[cc])"].concat()
    };
    let utf_16: Vec<u8> = "\u{feff}(;SZ[9]KM[6.5]PB[本因坊];B[ee];W[gc];B[cc])"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let records = [
        record("UTF-8", "本因坊".as_bytes()),
        // The second byte of 十 and of ソ is a backslash.
        record("Shift_JIS", b"\x8f\x5c\x83\x5c"),
        record("GB18030", b"\xb1\xbe\xd2\xf2\xb7\xbb"),
        record("EUC-KR", b"\xc1\xb6\xc8\xc6\xc7\xf6"),
        record("ISO-8859-1", b"Andr\xe9"),
        record("nonsense", b"?"),
        [b"\xef\xbb\xbf", &record("UTF-8", b"bom")[..]].concat(),
        utf_16,
    ];
    let mut answers = Vec::new();
    for (number, bytes) in records.iter().enumerate() {
        let path = file(&directory, &format!("{number}.sgf"), bytes);
        let run = run(&[&["analyze", &path, "--move", "3", "--format", "json"], &SHORT[..]].concat());
        assert_eq!(run.code, Some(0), "{number}: {}", run.errors);
        answers.push(objects(&run.output).remove(0)["moveInfos"].clone());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[test]
fn illegal_moves_are_played_and_named_with_the_reason() {
    let directory = directory();
    let cases = [
        ("(;SZ[9];B[ee];W[ee];B[cc])", 4, ["move 2, white E5", "occupied"]),
        ("(;SZ[9]AB[aa]AW[ab][bb][ca];B[ee];W[ff];B[ba])", 4, ["move 3, black B9", "suicide"]),
        ("(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb])", 3, ["move 2, white B8", "ko"]),
    ];
    for (record, analysed, fragments) in cases {
        let path = file(&directory, "game.sgf", record);
        let run = run(&[&["analyze", &path, "--format", "json"], &SHORT[..]].concat());
        let objects = objects(&run.output);
        assert_eq!((run.code, objects.len()), (Some(0), analysed), "{record}: {}", run.errors);
        let said = objects[0]["assumed"].to_string();
        assert!(fragments.iter().all(|fragment| said.contains(fragment)), "{said}");
    }
}

#[test]
fn what_is_illegal_depends_on_the_rules() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9]AB[aa]AW[ab][bb][ca];B[ee];W[ff];B[ba];W[gg])");
    assert_eq!(analyze_json(&[&path, "--rules", "tromp-taylor"]).len(), 5);
}

#[test]
fn positions_before_an_unreadable_move_can_be_chosen_and_later_ones_cannot() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9];B[ee];W[zz];B[cc])");
    assert_eq!(analyze_json(&[&path, "--move", "1"]).len(), 1);
    refuse(&["analyze", &path, "--move", "2"], 1, &["after move 1"]);
}

#[test]
fn a_number_of_moves_beyond_the_last_is_refused_with_the_last() {
    let directory = directory();
    let path = file(&directory, "game.sgf", GAME);
    for turn in ["5", "18446744073709551615"] {
        refuse(&["analyze", &path, "--move", turn], 1, &["game.sgf", turn, "from 0 to 4"]);
    }
}

#[test]
fn a_game_of_a_collection_is_chosen_by_its_number() {
    let directory = directory();
    let path = file(&directory, "games.sgf", "(;SZ[9]KM[1];B[aa])(;SZ[5]KM[2];B[aa])");
    assert_eq!(analyze_json(&[&path, "--move", "1"])[0]["komi"], 1.0);
    assert_eq!(analyze_json(&[&path, "--game", "2", "--move", "1"])[0]["komi"], 2.0);
    refuse(&["analyze", &path, "--game", "3"], 1, &["games.sgf", "2 games", "no game 3"]);
    refuse(&["analyze", &path, "--game", "0"], 2, &["--game"]);
}

/// Returns the number of positions analysed and the text on standard error; the run must succeed.
fn analyse_damaged(record: &str, arguments: &[&str]) -> (usize, String) {
    let directory = directory();
    let path = file(&directory, "broken.sgf", record);
    let run = run(&[&["analyze", &path, "--format", "json"], arguments, &SHORT[..]].concat());
    assert_eq!(run.code, Some(0), "{record}: {}", run.errors);
    (objects(&run.output).len(), run.errors)
}

#[test]
fn a_damaged_record_is_analysed_as_far_as_it_goes_with_one_warning_that_names_the_place() {
    for (record, positions, place) in [
        ("(;SZ[9]\n;B[ee]\n;W[gc", 2, "line 3, column 6"),
        ("(;SZ[9];B[ee];W", 2, "line 1, column 16"),
        ("(;SZ[9];B[ee];W[gc]", 3, "line 1, column 20"),
        ("(;SZ[9]\r\n;B[ee]\r\n;W gc])", 2, "line 3, column 2"),
        ("(;SZ[9];B[ee](;W[gc];B[cc])(;W[gg]", 4, "line 1, column 35"),
    ] {
        let (found, errors) = analyse_damaged(record, &[]);
        assert_eq!((found, errors.lines().count()), (positions, 1), "{record}: {errors}");
        assert!(errors.contains("broken.sgf") && errors.contains(place), "{record}: {errors}");
        assert!(errors.contains("read up to there"), "{errors}");
    }
}

#[test]
fn a_missing_semicolon_is_no_obstacle() {
    for record in ["(SZ[9];B[ee];W[gc])", "(;SZ[9];B[ee](W[gc]))"] {
        let (found, errors) = analyse_damaged(record, &[]);
        assert_eq!((found, errors.lines().count()), (3, 1), "{record}: {errors}");
        assert!(errors.contains("expected \";\" before a property"), "{errors}");
    }
}

#[test]
fn all_games_of_a_collection_are_analysed_damaged_ones_too() {
    let directory = directory();
    let sound = "(;GM[1]SZ[9];B[ee])(;SZ[5];B[cc];W[dd])";
    let path = file(&directory, "games.sgf", sound);
    let analyses = analyze_json(&[&path]);
    let found: Vec<_> =
        analyses.iter().map(|it| (it["boardXSize"].clone(), it["turnNumber"].clone())).collect();
    assert_eq!(
        found,
        [(9, 0), (9, 1), (5, 0), (5, 1), (5, 2)].map(|(x, n)| (Value::from(x), Value::from(n)))
    );
    assert!(analyses[4]["id"].as_str().is_some_and(|id| id.ends_with("games.sgf, game 2")));
    for (damaged, positions) in [
        // The closing parenthesis of the first game is missing.
        ("(;SZ[9];B[ee]\n(;SZ[5];B[cc];W[dd])", 5),
        // A comment of the first game contains an unescaped bracket.
        ("(;SZ[9];B[ee];C[a] b];W[aa])(;SZ[5];B[cc];W[dd])", 5),
        // The second game is cut off.
        ("(;SZ[9];B[ee])(;SZ[5];B[cc];W[d", 4),
    ] {
        let (found, errors) = analyse_damaged(damaged, &[]);
        assert_eq!((found, errors.lines().count()), (positions, 1), "{damaged}: {errors}");
    }
}

#[test]
fn a_game_that_cannot_be_replayed_does_not_keep_the_others_from_being_analysed() {
    let directory = directory();
    let path = file(&directory, "games.sgf", "(;SZ[9];B[ee];W[zz])(;GM[2]SZ[8])(;SZ[5];B[cc])");
    let run = run(&[&["analyze", &path, "--format", "json"], &SHORT[..]].concat());
    assert_eq!(
        (run.code, objects(&run.output).len(), run.errors.lines().count()),
        (Some(1), 4, 2),
        "{run:?}"
    );
    for fragment in ["after move 1: line 1", "game 2: expected a game of Go"] {
        assert!(run.errors.contains(fragment), "{}", run.errors);
    }
}

#[test]
fn a_file_without_any_node_is_refused_with_its_place() {
    for record in ["(", "(;SZ[9", "(;SZ[99];B[aa])"] {
        let directory = directory();
        let path = file(&directory, "broken.sgf", record);
        refuse(&["analyze", &path], 1, &["broken.sgf"]);
    }
}

#[test]
fn files_that_hold_no_game_of_ours_are_refused() {
    let directory = directory();
    for (record, fragment) in [
        (&b""[..], "no game"),
        (b"Dear diary, today I lost by half a point.", "no game"),
        (b"\x00\x01\x02\xff\xfe\xfd", "no game"),
        (b"(;SZ[25];B[aa])", "25x25"),
        (b"(;SZ[20:3];B[aa])", "20x3"),
        (b"(;SZ[0])", "line 1, column"),
        (b"(;GM[2]SZ[8])", "GM[2]"),
    ] {
        let path = file(&directory, "file.sgf", record);
        refuse(&["analyze", &path], 1, &["file.sgf", fragment]);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_refused_by_name() {
    let directory = directory();
    let missing = directory.path().join("missing.sgf");
    refuse(&["analyze", missing.to_str().expect("UTF-8")], 1, &["missing.sgf", "os error 2"]);
    let refused = if cfg!(unix) { "directory" } else { "os error 5" };
    refuse(&["analyze", directory.path().to_str().expect("UTF-8")], 1, &[refused]);
}

#[test]
fn an_unusable_komi_is_refused_unless_another_is_given() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9]KM[7.3];B[ee])");
    refuse(&["analyze", &path], 1, &["game.sgf", "KM[7.3]", "half points"]);
    assert_eq!(terms(&[&path, "--komi", "6.5"]).0, 6.5);
}

#[test]
fn what_was_assumed_of_a_record_is_said() {
    let directory = directory();
    let path = file(&directory, "game.sgf", "(;SZ[9]KM[375]RU[Chinese]PB[Shu]BR[9d]PW[Yi]RE[B+2.5];B[ee])");
    let text = analyze(&[&path]);
    let lines: Vec<&str> = text.lines().take(3).collect();
    assert!(lines[0].ends_with("game.sgf · 9x9 · komi 7.5 · rules chinese"), "{text}");
    assert_eq!(lines[1], "    Black Shu (9d) · White Yi · result B+2.5");
    assert!(lines[2].starts_with("    assumed: KM[375] is in hundredths of stones"), "{text}");
    assert_eq!(text.matches("assumed:").count(), 1, "once for the game: {text}");
    for analysis in analyze_json(&[&path]) {
        assert_eq!((&analysis["komi"], &analysis["rules"]), (&Value::from(7.5), &Value::from("chinese")));
        assert_eq!(analysis["players"]["black"]["name"], "Shu");
        assert_eq!(analysis["players"]["black"]["rank"], "9d");
        assert_eq!(analysis["players"]["white"]["rank"], Value::Null);
        assert_eq!(analysis["result"], "B+2.5");
        assert_eq!(analysis["assumed"].as_array().expect("a list").len(), 1, "{analysis}");
    }
}

#[test]
fn what_a_record_says_commands_no_terminal() {
    let directory = directory();
    let record =
        "(;SZ[9]PB[\x1b[2J\x1b[31m\u{9b}X]BR[\x07]RU[\x1b[2Jodd]RE[\x1b[5mB+1]C[\x1b[2Jc\nd];B[ee]C[\x08])";
    let path = file(&directory, "game.sgf", record);
    let saved = directory.path().join("saved.review");
    let saved = saved.to_str().expect("UTF-8");
    let analysed = analyze(&[&path]);
    let reviewed = run(&[&["review", &path, "--save", saved], &SHORT[..]].concat()).output;
    assert!(analysed.contains("[31m") && reviewed.contains("RU[") && reviewed.contains("B+1"), "{reviewed}");
    // A saved review may contain any text.
    let kept = std::fs::read_to_string(saved).expect("a review").replace("RU[", "\\u001b[2J");
    let forged = file(&directory, "forged.review", kept);
    let shown = run(&["review", "--from", &forged]).output;
    for text in [analysed, reviewed, shown] {
        assert!(
            text.lines().count() > 1 && !text.contains(|c: char| c.is_control() && c != '\n'),
            "{text:?}"
        );
    }
}
