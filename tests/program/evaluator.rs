//! Searches with an evaluator in another process, here `examples/evaluator_stand_in`.

use crate::common::{program, stand_in};
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

fn analyze(evaluator: &str, arguments: &[&str]) -> Output {
    let mut command = program();
    command.args([
        "analyze",
        "--size",
        "5",
        "--format",
        "json",
        "--table-size",
        "1MiB",
        "--evaluator",
        evaluator,
    ]);
    command.args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the visits of the position that was analysed.
fn visits(output: &Output) -> u64 {
    let found: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    found["rootInfo"]["visits"].as_u64().unwrap_or_else(|| panic!("{found}"))
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

#[test]
fn an_analysis_in_a_table_file_asks_nothing_the_second_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let (counted, table) = (folder.path().join("answers"), folder.path().join("go.tewari"));
    let Some(evaluator) = stand_in(&format!("--count {}", counted.display())) else { return };
    let arguments = ["--visits", "300", "--table", table.to_str().expect("UTF-8"), "--threads", "4"];
    let first = analyze(&evaluator, &arguments);
    assert!(visits(&first) >= 300, "{first:?}");
    let answers = length(&counted);
    assert!((100..=320).contains(&answers), "{answers}");
    let without_program = "/nowhere/katago analysis -model other/small-model.bin.gz";
    let second = analyze(without_program, &arguments);
    assert_eq!((visits(&second), second.stderr.len()), (visits(&first), 0), "{second:?}");
    assert_eq!(length(&counted), answers);
    let more = analyze(without_program, &["--visits", "400", "--table", table.to_str().expect("UTF-8")]);
    let error = text(&more.stderr);
    assert!(error.contains("cannot start") && error.contains("which are kept"), "{more:?}");
    assert_eq!((more.status.code(), more.stdout.len()), (Some(1), 0), "{more:?}");
}

#[test]
fn a_search_that_the_evaluator_ends_is_an_error_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let [record, table, reviews] = ["game.sgf", "go.tewari", "reviews"].map(|name| folder.path().join(name));
    std::fs::write(&record, "(;SZ[5];B[cc];W[dd];B[bb])").expect("a record");
    std::fs::create_dir(&reviews).expect("a folder");
    let Some(evaluator) = stand_in("") else { return };
    let review = |evaluator: &str, visits: &str| {
        let mut command = program();
        command.arg("review").arg(&record).arg("--resume").arg("-o").arg(&reviews).args(["--format", "json"]);
        command.arg("--table").arg(&table).args([
            "--evaluator",
            evaluator,
            "--visits",
            visits,
            "--threads",
            "2",
        ]);
        command.output().expect("the program runs")
    };
    let arguments = ["--visits", "20", "--table", table.to_str().expect("UTF-8")];
    assert!(analyze(&evaluator, &arguments).status.success());
    let Some(refusing) = stand_in("--refuse-after 9") else { return };
    let missing = "/nowhere/katago analysis -model small-model.bin.gz";
    for (failing, fragment) in [(refusing.as_str(), "this board is too large"), (missing, "cannot start")] {
        let failed = review(failing, "3000");
        assert_eq!(failed.status.code(), Some(1), "{failed:?}");
        assert!(text(&failed.stderr).contains(fragment), "{failed:?}");
        assert!(!reviews.join("game.json").exists());
    }
    let whole = review(&evaluator, "30");
    assert!(whole.status.success() && reviews.join("game.json").exists(), "{whole:?}");
}

#[test]
fn a_server_answers_a_search_that_the_evaluator_ended_with_an_error() {
    let Some(evaluator) = stand_in("--refuse-after 9") else { return };
    let query =
        r#"{"id":"x","moves":[],"rules":"chinese","boardXSize":5,"boardYSize":5,"komi":6.5,"maxVisits":500}"#;
    let output = run(&["analysis", "--threads", "4"], &evaluator, &format!("{query}\n"));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(answer["id"] == "x" && error.contains("this board is too large"), "{answer}");
}

#[test]
fn a_move_is_played_from_what_is_stored_when_the_evaluator_fails() {
    let Some(evaluator) = stand_in("--refuse-after 30") else { return };
    let arguments = ["gtp", "--size", "5", "--visits", "3000", "--threads", "2"];
    let output = run(&arguments, &evaluator, "genmove b\nquit\n");
    let (answer, messages) = (text(&output.stdout), text(&output.stderr));
    assert!(answer.starts_with("= ") && messages.contains("the move comes from them"), "{output:?}");
}

#[test]
fn sixteen_workers_stop_at_the_limit_of_visits() {
    let Some(evaluator) = stand_in("") else { return };
    for limit in [1, 2, 5, 17, 40] {
        let output = analyze(&evaluator, &["--visits", &limit.to_string()]);
        assert_eq!(visits(&output), limit, "{output:?}");
    }
}

#[test]
fn an_evaluator_has_no_raw_network() {
    let Some(evaluator) = stand_in("") else { return };
    let mut command = program();
    command.args(["gtp", "--evaluator", &evaluator]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(b"kata-raw-nn 0\n").expect("written");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(answer.contains("found an external evaluator: start without --evaluator"), "{answer}");
}

#[test]
fn an_evaluator_that_dies_is_started_again() {
    let Some(evaluator) = stand_in("--die-after 40") else { return };
    let output = analyze(&evaluator, &["--visits", "200", "--threads", "3"]);
    assert!(output.status.success() && visits(&output) >= 200, "{output:?}");
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn an_evaluator_that_is_of_no_use_is_given_up_with_one_line() {
    for (arguments, expected) in [
        ("-model missing.bin.gz", None),
        ("--die-after 0", Some("died as asked")),
        ("--garbage-after 0", Some("sent no answer of KataGo's analysis protocol")),
        ("--refuse", Some("refuses a position: this board is too large")),
        ("--gtp", Some("answers like a GTP engine")),
    ] {
        let Some(mut evaluator) = stand_in(arguments) else { return };
        if expected.is_none() {
            evaluator = evaluator.replace("small-model", "missing");
        }
        let output = analyze(&evaluator, &["--visits", "50"]);
        let error = text(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(expected.unwrap_or("cannot load the model")), "{error}");
    }
}

#[test]
fn the_messages_of_an_evaluator_are_appended_to_its_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("evaluator.log");
    std::fs::write(&log, "an earlier line\n").expect("a log");
    let Some(evaluator) = stand_in("--die-after 40") else { return };
    let path = log.to_str().expect("UTF-8");
    let output = analyze(&evaluator, &["--visits", "100", "--evaluator-log", path]);
    assert!(output.status.success() && visits(&output) >= 100, "{output:?}");
    let logged = std::fs::read_to_string(&log).expect("a log");
    assert!(logged.starts_with("an earlier line\n") && logged.contains("died as asked"), "{logged}");
    let missing = folder.path().join("missing").join("evaluator.log");
    let output = analyze(&evaluator, &["--visits", "9", "--evaluator-log", missing.to_str().expect("UTF-8")]);
    let error = text(&output.stderr);
    assert!(error.contains("cannot open its log") && error.lines().count() == 1, "{output:?}");
}

#[test]
fn results_of_another_model_are_not_mixed_in() {
    let Some(evaluator) = stand_in("") else { return };
    let output = analyze(&evaluator, &["--visits", "50", "--evaluator-name", "large-model"]);
    let error = text(&output.stderr);
    assert!(error.contains("runs the model small-model.bin.gz") && output.stdout.is_empty(), "{output:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("go.tewari");
    let table = ["--visits", "50", "--table", path.to_str().expect("UTF-8")];
    assert!(analyze(&evaluator, &table).status.success());
    let other = evaluator.replace("small-model", "large-model");
    assert!(text(&analyze(&other, &table).stderr).contains("expected a table made with"));
}

#[test]
fn a_slow_evaluator_does_not_hold_up_the_clock() {
    for arguments in ["--delay 30", "--hang-after 5"] {
        let Some(evaluator) = stand_in(arguments) else { return };
        let started = Instant::now();
        let output = analyze(&evaluator, &["--time", "1"]);
        let elapsed = started.elapsed();
        assert!(output.status.success() && visits(&output) > 2, "{output:?}");
        assert!((Duration::from_secs(1)..Duration::from_secs(3)).contains(&elapsed), "{elapsed:?}");
    }
}

#[test]
fn reports_with_ownership_hold_up_neither_the_clock_nor_the_next_command() {
    let Some(slow) = stand_in("--delay 30") else { return };
    let within = |limit: f64, action: &dyn Fn() -> Output| {
        let started = Instant::now();
        let output = action();
        assert!(started.elapsed() < Duration::from_secs_f64(limit), "{:?}: {output:?}", started.elapsed());
        output
    };
    let analysed = within(3.0, &|| {
        let query = r#"{"id":"x","moves":[],"rules":"chinese","boardXSize":5,"boardYSize":5,"komi":6.5,"maxVisits":99999,
            "overrideSettings":{"maxTime":1},"includeOwnership":true,"includeMovesOwnership":true,"reportDuringSearchEvery":0.1}"#;
        run(&["analysis", "--threads", "4"], &slow, &format!("{}\n", query.replace('\n', "")))
    });
    let last = text(&analysed.stdout).lines().last().map(str::to_owned).expect("an answer");
    let last: serde_json::Value = serde_json::from_str(&last).expect("JSON");
    assert_eq!((&last["isDuringSearch"], &last["ownership"][0]), (&false.into(), &0.25.into()), "{last}");
    assert_eq!(last["moveInfos"][0]["ownership"].as_array().map(Vec::len), Some(25), "{last}");
    let Some(hanging) = stand_in("--hang-after 30") else { return };
    let timed = within(3.0, &|| analyze(&hanging, &["--time", "1", "--ownership", "--threads", "4"]));
    assert!(visits(&timed) > 2, "{timed:?}");
    within(3.0, &|| {
        run(
            &["gtp", "--size", "5", "--threads", "4"],
            &hanging,
            "time_settings 0 1 1\nkata-genmove_analyze b 10 ownership true movesOwnership true\nquit\n",
        )
    });
}

#[test]
fn a_loaded_evaluator_that_hangs_does_not_stop_the_clock() {
    let Some(evaluator) = stand_in("--hang-after 0") else { return };
    let started = Instant::now();
    let output = analyze(&evaluator, &["--time", "0.5"]);
    assert!(text(&output.stderr).contains("has not answered") && output.stdout.is_empty(), "{output:?}");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn hundreds_of_questions_at_a_time_need_few_threads() {
    let Some(evaluator) = stand_in("--delay 100") else { return };
    let mut command = program();
    command.args([
        "analyze",
        "--size",
        "9",
        "--format",
        "json",
        "--table-size",
        "4MiB",
        "--evaluator",
        &evaluator,
    ]);
    command.args(["--threads", "200", "--time", "3"]).stdout(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let tasks = format!("/proc/{}/task", child.id());
    let mut most = 0;
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(100));
        most = most.max(std::fs::read_dir(&tasks).map_or(0, Iterator::count));
    }
    let output = child.wait_with_output().expect("the program ends");
    // One after the other, thirty would be answered; 16 at a time, 480.
    assert!(output.status.success() && visits(&output) > 700, "{output:?}");
    assert!(most < 16, "{most} threads");
}

#[test]
fn the_time_that_an_evaluator_takes_to_load_does_not_count() {
    let Some(evaluator) = stand_in("--load 1500") else { return };
    let output = analyze(&evaluator, &["--time", "0.5"]);
    assert!(output.status.success() && visits(&output) > 10, "{output:?}");
}

#[test]
fn a_table_file_needs_the_name_of_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("go.tewari");
    let output = analyze("some-engine", &["--table", path.to_str().expect("UTF-8")]);
    assert!(text(&output.stderr).contains("give --evaluator-name") && !path.exists(), "{output:?}");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for (arguments, expected) in [
        (["--network", "none"], "cannot be used with"),
        (["--policy", "rave"], "the policy rave cannot use --evaluator"),
        (["--policy", "ucb1"], "the policy ucb1 cannot use --evaluator"),
    ] {
        let output = analyze("katago analysis", &arguments);
        assert!(!output.status.success() && text(&output.stderr).contains(expected), "{output:?}");
    }
}

/// Runs the program with a table of 1 MiB and an evaluator.
fn run(arguments: &[&str], evaluator: &str, input: &str) -> Output {
    let mut command = program();
    command.args(arguments).args(["--table-size", "1MiB", "--evaluator", evaluator]);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
    child.wait_with_output().expect("an end")
}

#[test]
fn ownership_and_policy_are_in_the_table_the_second_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (table, resized) = (path("go.tewari"), path("small.tewari"));
    let Some(evaluator) = stand_in("") else { return };
    let query = concat!(
        r#"{"id":"a","moves":[["B","C3"]],"rules":"chinese","komi":5.5,"boardXSize":5,"boardYSize":5,"maxVisits":60,"#,
        r#""includePolicy":true,"includeOwnership":true,"includeMovesOwnership":true}"#,
        "\n"
    );
    let ask = |evaluator: &str, table: &str| -> serde_json::Value {
        let output = run(&["analysis", "--table", table], evaluator, query);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    };
    let first = ask(&evaluator, &table);
    let resize = [
        "table",
        "resize",
        &path("go-5x5.tewari"),
        "--table-size",
        "512KiB",
        "--out",
        &path("small-5x5.tewari"),
    ];
    let made = program().args(resize).output().expect("the program runs");
    assert!(made.status.success(), "{made:?}");
    for table in [&table, &resized] {
        let verified = program()
            .args(["table", "verify", &table.replace(".tewari", "-5x5.tewari")])
            .output()
            .expect("the program runs");
        assert!(verified.status.success(), "{verified:?}");
        let second = ask("/nowhere/katago analysis -model small-model", table);
        let owners = |answer: &serde_json::Value| -> Vec<f64> {
            let moves = answer["moveInfos"].as_array().into_iter().flatten();
            let visited = moves.filter(|it| it["visits"].as_u64() > Some(1)).map(|it| &it["ownership"]);
            let all = std::iter::once(&answer["ownership"]).chain(visited);
            all.flat_map(|it| it.as_array().expect("an ownership")).filter_map(|it| it.as_f64()).collect()
        };
        let (one, other) = (owners(&first), owners(&second));
        assert!(one.len() > 25 && one.len() == other.len(), "{first} {second}");
        assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 0.02), "{one:?} {other:?}");
        let policy =
            |answer: &serde_json::Value, point: usize| answer["policy"][point].as_f64().expect("a policy");
        for info in second["moveInfos"].as_array().into_iter().flatten() {
            let name = info["move"].as_str().expect("a move");
            let point = match name.as_bytes() {
                [column, row] => usize::from(b'5' - row) * 5 + usize::from(column - b'A'),
                _ => 25,
            };
            let prior = info["prior"].as_f64().expect("a prior");
            assert!((prior - policy(&second, point)).abs() < 1e-6, "{name}: {second}");
        }
        for point in 0..26 {
            let (one, other) = (policy(&first, point), policy(&second, point));
            assert!((one - other).abs() < 0.02, "{point}: {one} {other}");
        }
    }
}

#[test]
fn games_and_protocols_use_the_evaluator() {
    let Some(evaluator) = stand_in("") else { return };
    let gtp = ["gtp", "--size", "5", "--visits", "60"];
    let played = run(&gtp, &evaluator, "genmove b\ngenmove w\n");
    assert_eq!(text(&played.stdout).matches("= ").count(), 2, "{played:?}");
    let input = "genmove b\n1 kata-genmove_analyze b 10\n2 lz-analyze b 10\n3 name\n";
    let failed = run(&gtp, "/nowhere/katago", input);
    let answers = text(&failed.stdout);
    let starts: Vec<&str> = answers.lines().filter(|line| !line.is_empty()).collect();
    let expected = ["? the evaluator: cannot start", "?1 the evaluator: cannot start", "=2", "=3 Tewari"];
    let is_as_expected = starts.iter().zip(expected).all(|(line, start)| line.starts_with(start));
    assert!(starts.len() == expected.len() && is_as_expected, "{failed:?}");
    let query = r#"{"id":"a","moves":[["B","C3"]],"rules":"chinese","komi":5.5,"boardXSize":5,"boardYSize":5,
        "maxVisits":60,"includePolicy":true,"includeOwnership":true}"#;
    let query = format!("{}\n", query.replace('\n', ""));
    let analysed = run(&["analysis"], &evaluator, &query);
    let answer: serde_json::Value =
        serde_json::from_slice(&analysed.stdout).unwrap_or_else(|_| panic!("{analysed:?}"));
    assert_eq!(answer["policy"].as_array().map(Vec::len), Some(26), "{answer}");
    // From the point of view of White, to move.
    assert_eq!(answer["ownership"][0], -0.25, "{answer}");
    let refused = run(&["analysis"], "/nowhere/katago", &query);
    assert!(text(&refused.stdout).contains("\"error\":\"the evaluator: cannot start"), "{refused:?}");
}
