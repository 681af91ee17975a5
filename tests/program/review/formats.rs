//! The contents of each format, and the same contents from a saved review.

use super::{GAME, MOVES, directory, file, path, read, review, show};
use serde_json::Value;

#[test]
fn text_names_the_players_the_verdict_and_the_costliest_moves_in_80_columns() {
    let directory = directory();
    let text = review(&[&file(&directory, "game.sgf", GAME)]);
    for fragment in [
        "Ann (3k) – Ben\n",
        "komi 6.5",
        "result B+R",
        "Black won by resignation.",
        "Costliest moves",
        "mean loss a move",
    ] {
        assert!(text.contains(fragment), "no {fragment:?} in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // White's stones in the corners are the blunders of the game: one is listed, with a board that shows it.
    let costliest = text.split("Costliest moves").nth(1).expect("a list");
    assert!(["A9", "J9", "A1"].iter().any(|corner| costliest.contains(corner)), "{text}");
    assert!(costliest.contains("(O)") && costliest.contains("White's win rate falls from"), "{text}");
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing_and_escapes_what_it_is_given() {
    let directory = directory();
    let name = "</script><script>alert(1)</script><!--";
    let record = format!("(;SZ[5]PB[{name}]PW[& {name}]C[{name}];B[cc]C[{name}];W[bb])");
    let html = review(&[&file(&directory, "game.sgf", record), "--format", "html"]);
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    assert!(html.contains("default-src 'none'"), "a policy that forbids requests");
    assert!(!html.contains("alert(1)</script>") && !html.contains("<!--"), "{html}");
    assert_eq!(html.matches("</script>").count(), 3, "the page's own scripts");
    for needed in ["src=", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!html.contains(needed), "{needed}");
    }
    for place in ["title", "style", "script", "data"] {
        assert!(!html.contains(&format!("{{{{{place}}}}}")), "{place} is not filled");
    }
    let data =
        html.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    let games: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(games[0]["names"][0], name);
    assert_eq!(games[0]["turns"].as_array().map(Vec::len), Some(3));
    assert_eq!(games[0]["turns"][1]["comment"], name);
}

#[test]
fn tables_have_a_row_a_move_with_the_documented_columns() {
    let directory = directory();
    let game = file(&directory, "game.sgf", GAME);
    let csv = review(&[&game, "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader.headers().expect("names").iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("rows");
    assert_eq!(rows.len(), MOVES);
    let json = review(&[&game, "--format", "json"]);
    let objects: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), MOVES);
    let help = show(&["--help"]);
    for (number, (row, object)) in rows.iter().zip(&objects).enumerate() {
        for (column, name) in header.iter().enumerate() {
            assert!(help.contains(&format!("  {name} ")), "{name} is not documented");
            let value = &object[name];
            let text = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Array(line) => line.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
                other => other.to_string(),
            };
            assert_eq!(row[column], text, "{name} of move {number}");
        }
        assert_eq!(object["move"], number + 1);
        let loss = object["loss"].as_f64().expect("a loss");
        assert!((0.0..=1.0).contains(&loss), "{object}");
        assert!(object["best"] != object["vertex"] || loss == 0.0, "{object}");
    }
}

#[test]
fn a_kept_review_is_shown_again_in_any_format_and_with_other_thresholds() {
    let directory = directory();
    let (game, saved) = (file(&directory, "game.sgf", GAME), path(&directory, "saved.json"));
    let text = review(&[&game, "--save", &saved]);
    assert_eq!(show(&["--from", &saved]), text);
    for format in ["html", "sgf", "csv", "json"] {
        let at_once = review(&[&game, "--format", format]);
        assert_eq!(show(&["--from", &saved, "--format", format]), at_once, "{format}");
    }
    let strict = show(&["--from", &saved, "--thresholds", "90,95,99"]);
    assert!(strict.contains("No judged move was costly."), "{strict}");
    let one = show(&["--from", &saved, "--mistakes", "1", "--thresholds", "0.1,0.2,0.3"]);
    let listed = one.split("points\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    assert_eq!(listed.lines().count(), 1, "{one}");
}

#[test]
fn a_review_without_all_searches_judges_no_course_of_the_game() {
    let directory = directory();
    let (game, saved) = (file(&directory, "game.sgf", GAME), path(&directory, "saved.json"));
    review(&[&game, "--save", &saved, "-o", &path(&directory, "whole.txt")]);
    let whole: Value = serde_json::from_str(&read(&saved)).expect("JSON");
    for (name, missing) in [("begin", 0..MOVES - 3), ("end", MOVES - 3..MOVES + 1), ("one", 5..6)] {
        let mut part = whole.clone();
        part["reviews"][0]["is_complete"] = false.into();
        let searched = MOVES + 1 - missing.len();
        for turn in missing {
            part["reviews"][0]["turns"][turn]["finding"] = Value::Null;
        }
        let part = file(&directory, &format!("{name}.json"), part.to_string());
        for format in ["text", "html", "sgf"] {
            let shown = show(&["--from", &part, "--format", format]).replace('\n', " ").replace("\\:", ":");
            let headline = format!(
                "The course of the game is not judged: {searched} of {} positions were searched.",
                MOVES + 1
            );
            assert!(shown.contains(&headline), "{name}, {format}: {shown}");
            for claim in ["from the start", "The game turned", "little by little", "last ahead"] {
                assert!(!shown.contains(claim), "{name}, {format}: {shown}");
            }
        }
        // The result of the record stays, and no win rate before the end stands for it.
        assert!(show(&["--from", &part]).contains("Black won by resignation."), "{name}");
        let unknown = read(&part).replace("\"result\":\"B+R\"", "\"result\":null");
        let shown = show(&["--from", &file(&directory, "unknown.json", unknown)]);
        assert_eq!(shown.contains("at its end"), name != "end", "{name}: {shown}");
    }
}

#[test]
fn the_end_of_a_game_is_judged_as_analyze_judges_it() {
    let directory = directory();
    // Black's wall with a dead white stone behind it, and two passes.
    let game = "(;SZ[5]KM[0.5]AB[ca][cb][cc][cd][ce][ea]AW[ba][bb][bc][bd][be];B[];W[])";
    let game = file(&directory, "end.sgf", game);
    let json = review(&[&game, "--format", "json"]);
    let last: Value = serde_json::from_str(json.lines().last().expect("a row")).expect("JSON");
    assert_eq!((&last["winrate"], &last["lead"]), (&Value::from(1.0), &Value::from(4.5)), "{last}");
    assert_eq!(last["loss"], Value::Null, "a pass that ends the game is no choice");
    let text = review(&[&game]);
    assert!(text.contains("By the final count Black wins by 4.5."), "{text}");
}

#[test]
fn a_game_lost_by_its_last_move_is_not_said_to_be_won() {
    let directory = directory();
    // Black fills one of the two eyes of all his stones.
    let black = "AB[ab][ac][ad][ba][bb][bc][bd][be][ca][cb][cc][cd][ce]";
    let white = "AW[da][db][dc][dd][de][eb][ec][ed]";
    for result in ["", "RE[W+R]"] {
        let game = format!("(;SZ[5]KM[0.5]RU[Chinese]{result}{black}{white}PL[W];W[];B[aa])");
        let text = review(&[&file(&directory, "blunder.sgf", game)]);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("The game turned at move 2."), "{text}");
        assert!(!text.contains("The engine disagrees"), "{text}");
    }
}

#[test]
fn a_result_that_names_no_winner_leaves_the_end_to_say_who_won() {
    let directory = directory();
    let of = |record: &str, written: &str| {
        let record = record.replace("RE[B+R]", &format!("RE[{written}]"));
        review(&[&file(&directory, "game.sgf", record)])
    };
    for written in ["?", "Void", "黑负"] {
        let text = of(GAME, written);
        assert!(text.contains(&format!("as {written}; at its end Black is ahead.")), "{text}");
        assert!(!text.contains("Neither side was clearly ahead"), "{text}");
    }
    let ended = GAME.replace(";B[gb]", ";B[gb];W[];B[]");
    assert!(of(&ended, "?").contains("as ?. By the final count "), "{}", of(&ended, "?"));
    for (written, winner) in
        [("白中盘胜", "White"), ("黒1目半勝ち", "Black"), ("흑 불계승", "Black"), ("W", "White")]
    {
        assert!(of(GAME, written).contains(&format!("{winner} won")), "{written}");
    }
    assert!(of(&ended, "0").contains("The engine disagrees: it sees "), "{}", of(&ended, "0"));
    for written in ["0", "Draw", "Jigo", "持碁"] {
        let text = of(GAME, written);
        assert!(
            text.contains(&format!("as {written}. Neither side was clearly ahead at the end.")),
            "{text}"
        );
    }
}

#[test]
fn the_passes_that_end_a_decided_game_cost_nothing() {
    let directory = directory();
    // With White's dead stones alive, Black would have lost by passing.
    let stones = "(;SZ[5]KM[0.5]RU[Chinese]AB[ca][cb][cc][cd][ce][ba][bc]AW[da][db][dc][dd][de][ab]PL[B]";
    for (moves, passes) in [
        (";B[];W[];B[])", &[1, 2, 3][..]),
        // The players continued.
        (";B[];W[];B[ea];W[eb];B[];W[])", &[1, 2, 5, 6]),
    ] {
        let game = file(&directory, "passes.sgf", format!("{stones}{moves}"));
        let json = review(&[&game, "--format", "json"]);
        let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for row in passes.iter().map(|turn| &rows[turn - 1]) {
            assert!(row["loss"].as_f64().is_none_or(|loss| loss == 0.0), "{row}");
        }
    }
}

#[test]
fn a_pass_that_throws_an_open_game_away_is_judged() {
    let directory = directory();
    // A pass on an almost empty board: the first one loses the game if the opponent passes, too, or the last one does.
    for (name, game, costly) in [
        ("first", "(;GM[1]SZ[9]KM[7.5];B[ee];W[];B[])", 2),
        ("last", "(;GM[1]SZ[9]KM[-0.5];B[ee];W[cc];B[];W[])", 4),
    ] {
        let game = file(&directory, &format!("{name}.sgf"), game);
        let json = review(&[&game, "--format", "json"]);
        let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(rows[costly - 1]["loss"].as_f64() > Some(0.1), "{name}: {}", rows[costly - 1]);
        let last = rows.last().expect("a row");
        assert_eq!(last["loss"].is_null(), name == "first", "{name}: {last}");
        let text = review(&[&game]);
        assert!(!text.contains("No judged move was costly"), "{name}: {text}");
        assert!(text.contains(&format!("The game turned at move {costly}.")), "{name}: {text}");
    }
}

#[test]
fn what_the_name_of_the_output_says_is_written_and_a_folder_gets_a_file_for_each() {
    let directory = directory();
    let games = path(&directory, "games");
    std::fs::create_dir_all(format!("{games}/more")).expect("a folder");
    let copies = ["one.sgf", "two.SGF", "more/one.sgf"].map(|name| {
        let place = format!("games/{name}");
        file(&directory, &place, GAME)
    });
    file(&directory, "games/notes.txt", "no record");
    let page = path(&directory, "page.html");
    review(&[&copies[0], "-o", &page]);
    assert!(read(&page).starts_with("<!DOCTYPE html>"));
    let out = path(&directory, "out/");
    review(&[&games, "--format", "csv", "-o", &out]);
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert_eq!(names, ["one-2.csv", "one.csv", "sources.jsonl", "two.csv"]);
    let all = path(&directory, "all.csv");
    review(&[&games, "-o", &all]);
    assert_eq!(read(&all).lines().count(), 3 * MOVES + 1);
}
