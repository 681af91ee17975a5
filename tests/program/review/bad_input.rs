//! Requests that are refused, and files that are cut off.

use super::{GAME, SHORT, directory, file, path, read, review, run};
#[cfg(unix)]
use {super::command, std::process::Command, std::time::Duration};

#[test]
fn an_output_that_exists_is_kept_unless_it_is_forced() {
    let directory = directory();
    let (game, out) = (file(&directory, "game.sgf", GAME), file(&directory, "out.html", "mine"));
    for arguments in [vec![&*game, "-o", &*out], vec![&*game, "--save", &*out]] {
        let run = run(&[&arguments[..], &SHORT].concat());
        assert_eq!(run.code, Some(1));
        assert!(run.errors.contains("out.html exists") && run.errors.contains("--force"), "{}", run.errors);
        assert_eq!((run.errors.lines().count(), run.output.as_str()), (1, ""));
        assert_eq!(read(&out), "mine");
    }
    review(&[&game, "-o", &out, "--force"]);
    assert!(read(&out).contains("Ann"));
}

#[cfg(unix)]
#[test]
fn pipes_and_links_that_are_written_to_stay_what_they_are() {
    use std::os::unix::fs::FileTypeExt;
    let directory = directory();
    let (game, out) = (file(&directory, "game.sgf", GAME), file(&directory, "out.html", "mine"));
    let (link, pipe) = (path(&directory, "link.html"), path(&directory, "pipe.html"));
    std::os::unix::fs::symlink(&out, &link).expect("a link");
    review(&[&game, "-o", &link, "--force"]);
    assert!(std::fs::symlink_metadata(&link).expect("the link").is_symlink() && read(&out).contains("Ann"));
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader =
        Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().expect("a reader");
    review(&[&game, "-o", &pipe, "--force"]);
    // A replaced pipe would leave its reader waiting forever.
    assert!(std::fs::symlink_metadata(&pipe).expect("the pipe").file_type().is_fifo());
    let read = reader.wait_with_output().expect("what was read").stdout;
    assert!(String::from_utf8_lossy(&read).contains("Ann"));
}

#[test]
fn a_broken_file_is_named_the_rest_goes_on_and_the_exit_code_says_so() {
    let directory = directory();
    let good = file(&directory, "good.sgf", GAME);
    let (broken, missing) = (file(&directory, "broken.sgf", "no game"), path(&directory, "missing.sgf"));
    let run = run(&[&[&*broken, &*good, &*missing, "--format", "csv"][..], &SHORT].concat());
    assert_eq!(run.code, Some(1));
    assert!(run.output.contains("good.sgf"), "{}", run.output);
    let lines: Vec<&str> = run.errors.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.errors);
    assert!(lines[0].contains("broken.sgf: no game found"), "{}", run.errors);
    assert!(lines[1].contains("missing.sgf"), "{}", run.errors);
}

#[test]
fn what_is_no_kept_review_is_refused_in_one_line() {
    let directory = directory();
    let saved = path(&directory, "saved.json");
    review(&[&file(&directory, "game.sgf", GAME), "--save", &saved]);
    let whole = read(&saved);
    for (text, fragment) in [
        ("", "other contents"),
        ("{}", "other contents"),
        (&whole[..whole.len() / 2], "other contents"),
        (&*whole.replacen("tewari review", "other", 1), "found \"other\""),
        (&*whole.replacen("\"version\":1", "\"version\":2", 1), "version 2"),
        (&*whole.replacen("\"columns\":9", "\"columns\":8", 1), "the file is damaged"),
        (&*whole.replacen("\"vertex\":\"E5\"", "\"vertex\":\"Z5\"", 1), "the file is damaged"),
        (&*whole.replacen("\"winrate\":0.", "\"winrate\":7.", 1), "win rates from 0 to 1"),
    ] {
        let run = run(&["--from", &file(&directory, "bad.json", text)]);
        assert_eq!((run.code, run.output.as_str()), (Some(1), ""), "{fragment}");
        assert_eq!(run.errors.lines().count(), 1, "{}", run.errors);
        assert!(run.errors.contains("bad.json") && run.errors.contains(fragment), "{}", run.errors);
    }
}

#[test]
fn mistakes_on_the_command_line_are_usage_errors() {
    for arguments in [
        &[][..],
        &["--from", "saved", "game.sgf"],
        &["--from", "saved", "--simulations", "5"],
        &["game.sgf", "--thresholds", "10,5,20"],
        &["game.sgf", "--format", "pdf"],
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.errors.lines().count()), (Some(2), 1), "{arguments:?}: {}", run.errors);
    }
}

#[cfg(unix)]
#[test]
fn a_review_that_is_interrupted_writes_what_it_has_and_says_that_it_is_incomplete() {
    let directory = directory();
    let (game, saved) = (file(&directory, "game.sgf", GAME), path(&directory, "saved.json"));
    let page = path(&directory, "page.html");
    let child = command(&[&game, "--time", "0.7", "--save", &saved, "-o", &page]).spawn().expect("it starts");
    std::thread::sleep(Duration::from_secs(3));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(read(&page).contains("\"complete\":false"));
    let text = super::show(&["--from", &saved]);
    assert!(text.contains("Incomplete: the search was ended after"), "{text}");
    let rows = super::show(&["--from", &saved, "--format", "json"]);
    assert!(rows.contains("\"winrate\":null") && rows.contains("\"winrate\":0."), "{rows}");
    for format in ["sgf", "csv"] {
        assert!(
            super::show(&["--from", &saved, "--format", format]).contains("ncomplete") || format == "csv"
        );
    }
}
