//! `tewari selfplay` plays games to their end and resumes an interrupted run; its games become the trainer's rows.

use crate::common::{interrupted, program};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tewari::go::{Komi, Position, Rules};
use tewari::lab::training::selfplay_games::SelfplayGame;

fn tewari(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = program();
    command.args(arguments).current_dir(folder).output().expect("the program runs")
}

fn play(folder: &Path, out: &str, games: &str, concurrency: &str) {
    let numbers =
        ["--games", games, "--concurrency", concurrency, "--simulations", "60", "--short-simulations", "20"];
    let output =
        tewari(folder, &[&["selfplay", "-q", "--out", out, "--size", "5,6x4"][..], &numbers].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Plays short games with additional options; returns them by number.
fn play_with(folder: &Path, out: &str, options: &[&str]) -> Vec<SelfplayGame> {
    let output = tewari(folder, &[&["selfplay", "-q", "--out", out], options].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    games(folder, out)
}

/// Returns the games of a folder by number; ignores lines that are not games.
fn games(folder: &Path, out: &str) -> Vec<SelfplayGame> {
    let text = std::fs::read_to_string(folder.join(out).join("games.jsonl")).expect("the games");
    let mut games: Vec<SelfplayGame> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| SelfplayGame::parse(line, index + 1).ok())
        .collect();
    games.sort_by_key(|game| game.number);
    games
}

#[test]
fn games_are_legal_take_the_boards_in_turn_and_end_with_owners() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "8", "2");
    let games = games(folder.path(), "games");
    assert_eq!(games.iter().map(|game| game.number).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    for game in &games {
        let size = game.board().expect("a board");
        assert_eq!(size.to_string(), ["5x5", "6x4"][game.number as usize % 2]);
        let mut position = Position::new(size, Rules::CHINESE, Komi(0));
        for &mv in &game.moves {
            position.try_play(tewari::base::game::Move(mv)).expect("a legal move");
        }
        assert_eq!(game.owners.len(), size.points());
        assert!(game.searches.iter().all(|search| search.visits.iter().all(|&(_, visits)| visits <= 60)));
    }
    assert!(games.iter().any(|game| !game.searches.is_empty()));
    // A game that ends with a proof may have unsettled points.
    let is_owned = |game: &&SelfplayGame| 2 * game.owners.matches(['b', 'w']).count() > game.owners.len();
    assert!(games.iter().filter(is_owned).count() >= 6, "{games:?}");
    let komis: BTreeSet<i32> = games.iter().map(|game| game.komis[0].1).collect();
    assert!(komis.len() > 1 && komis.iter().all(|komi| komi % 2 != 0), "{komis:?}");
}

#[test]
fn a_decided_game_goes_on_with_an_even_komi_unless_it_is_to_keep_its_own() {
    let folder = TempDir::new().expect("a folder");
    let changes_of_komi = |out: &str, options: &[&str]| {
        let few = ["--games", "8", "--simulations", "30", "--short-simulations", "20", "--size", "5"];
        let games = play_with(folder.path(), out, &[&few[..], options].concat());
        assert_eq!(games.len(), 8);
        games.iter().map(|game| game.komis.len() - 1).sum::<usize>()
    };
    assert!(changes_of_komi("even", &[]) > 0);
    assert_eq!(changes_of_komi("kept", &["--keep-komi"]), 0);
}

#[test]
fn openings_are_as_long_as_they_are_asked_to_be() {
    let folder = TempDir::new().expect("a folder");
    let mean_opening = |out: &str, options: &[&str]| {
        let few = ["--games", "12", "--simulations", "4", "--short-simulations", "2", "--size", "7"];
        play_with(folder.path(), out, &[&few[..], options].concat())
            .iter()
            .map(|game| game.opening)
            .sum::<usize>() as f64
            / 12.0
    };
    // With the same random numbers each opening is longer, but none exceeds half of the board.
    let [short, long] = [("short", "1"), ("long", "10")]
        .map(|(out, opening)| mean_opening(out, &["--opening", opening, "--opening-temperature", "2"]));
    assert!(short < 3.0 && long > 4.0 && long <= 24.0, "{short} {long}");
    for wrong in ["0", "-1", "x", "1001", "nan"] {
        let arguments = ["selfplay", "-q", "--out", "wrong", "--opening-temperature", wrong];
        assert!(!tewari(folder.path(), &arguments).status.success(), "{wrong}");
    }
}

#[test]
fn a_run_goes_on_where_it_was_cut_off_and_plays_the_same_games() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "whole", "6", "1");
    play(folder.path(), "parts", "4", "2");
    let file = folder.path().join("parts/games.jsonl");
    let mut bytes = std::fs::read(&file).expect("the games");
    bytes.truncate(bytes.len() - 20);
    std::fs::write(&file, bytes).expect("cut");
    play(folder.path(), "parts", "6", "2");
    assert_eq!(games(folder.path(), "parts"), games(folder.path(), "whole"));
    // The interrupted line is gone, and the folder can be used for training.
    let prepare = ["network", "prepare", "parts", "--out", "rows", "--validation", "1", "--size", "5"];
    let prepared = tewari(folder.path(), &prepare);
    assert!(prepared.status.success(), "{}", String::from_utf8_lossy(&prepared.stderr));
}

#[test]
fn an_interrupted_run_says_so_and_goes_on() {
    let folder = TempDir::new().expect("a folder");
    let options = ["selfplay", "-q", "--out", "games", "--size", "5", "--concurrency", "2", "--games"];
    let mut command = program();
    command.args(options).arg("100000").current_dir(folder.path()).stderr(Stdio::piped());
    let output = interrupted(command.spawn().expect("the program runs"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{errors}");
    let played = games(folder.path(), "games").len();
    let expected = format!("interrupted after {played} of 100000 games; the same command continues");
    assert!(errors.contains(&expected), "{errors}");
    let rest = (played + 1).to_string();
    let continued = tewari(folder.path(), &[&options[..], &[&rest]].concat());
    assert!(continued.status.success() && games(folder.path(), "games").len() == played + 1);
}

#[test]
fn zeros_at_the_end_of_a_file_are_removed() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "2", "1");
    let file = folder.path().join("games/games.jsonl");
    let whole = std::fs::read(&file).expect("the games");
    for end in [&b"\0\0\0\0"[..], b"{\"num\0\0", b"{\"number\":7,\"si\0\0"] {
        std::fs::write(&file, [&whole, end].concat()).expect("written");
        play(folder.path(), "games", "2", "1");
        assert_eq!(std::fs::read(&file).expect("the games"), whole, "{end:?}");
    }
}

#[test]
fn a_folder_has_games_of_one_process_played_with_one_set_of_options() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "2", "1");
    let file = folder.path().join("games/games.jsonl");
    let before = std::fs::read(&file).expect("the games");
    let go_on = |arguments: &[&str]| {
        let options = ["selfplay", "-q", "--out", "games", "--games", "3", "--simulations", "60"];
        let output =
            tewari(folder.path(), &[&options[..], &["--short-simulations", "20"], arguments].concat());
        (output.status.success(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    for (other, key) in [
        (&["--size", "5"][..], "sizes"),
        (&["--size", "5,6x4", "--seed", "2"], "seed"),
        (&["--size", "5,6x4", "--network", "none"], "network"),
        (&["--size", "5,6x4", "--keep-komi"], "keep-komi"),
        (&["--size", "5,6x4", "--policy", "ucb1"], "network"),
        (&["--size", "5,6x4", "--policy", "rave:puct=1"], "policy"),
        (&["--size", "5,6x4", "--playout-policy", "light"], "playout-policy"),
        (&["--size", "5,6x4", "--expand-at", "5"], "expand-at"),
        (&["--size", "5,6x4", "--catch-up", "stop"], "catch-up"),
        (&["--size", "5,6x4", "--replacement", "always"], "replacement"),
        (&["--size", "5,6x4", "--network-value", "9"], "network-value"),
    ] {
        let (is_done, told) = go_on(other);
        assert!(!is_done && told.contains(&format!("its {key} is")), "{told}");
    }
    let lock = std::fs::File::open(&file).expect("the games");
    lock.lock().expect("a lock");
    let (is_done, told) = go_on(&["--size", "5,6x4"]);
    assert!(!is_done && told.contains("is being written by another process"), "{told}");
    drop(lock);
    assert_eq!(std::fs::read(&file).expect("the games"), before);
    // A folder of a version that did not record the options of its games.
    std::fs::remove_file(folder.path().join("games/selfplay.json")).expect("removed");
    let (is_done, told) = go_on(&["--size", "5,6x4"]);
    assert!(is_done && told.contains("the options of its 2 games are not recorded"), "{told}");
    assert_eq!(go_on(&["--size", "5,6x4"]), (true, String::new()));
}

#[test]
fn a_run_of_more_games_than_memory_could_count_begins_at_once() {
    let folder = TempDir::new().expect("a folder");
    let mut command = program();
    let most = u64::MAX.to_string();
    let few = ["--simulations", "4", "--short-simulations", "2", "--size", "3", "--concurrency", "1"];
    command.args(["selfplay", "-q", "--out", "games", "--games", &most]).args(few).current_dir(folder.path());
    let mut child = command.spawn().expect("the program runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    let has_games = || !std::fs::read(folder.path().join("games/games.jsonl")).unwrap_or_default().is_empty();
    while !has_games() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("a process to end");
    child.wait().expect("an end");
    assert!(has_games());
}

#[test]
fn a_folder_is_taken_once_and_a_broken_line_is_told() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "4", "2");
    let refusal = |arguments: &[&str]| {
        let output = tewari(folder.path(), &[&["network"], arguments].concat());
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            !output.status.success() && output.stdout.is_empty() && errors.lines().count() == 1,
            "{errors}"
        );
        errors
    };
    for command in [&["compare", "games", "./games"][..], &["prepare", "games", "games", "--out", "rows"]] {
        assert!(refusal(command).contains("name each folder once"));
    }
    assert!(refusal(&["compare", "games", "--size", "7"]).contains("found 5x5, 6x4"));
    assert!(refusal(&["compare", "absent"]).contains("that tewari selfplay --out has made"));
    let file = folder.path().join("games/games.jsonl");
    let text = std::fs::read_to_string(&file).expect("the games");
    let lines: Vec<&str> = text.lines().collect();
    let half = &lines[1][..lines[1].len() / 2];
    std::fs::write(&file, [lines[0], half, lines[2], ""].join("\n")).expect("written");
    let told = refusal(&["compare", "games", "--size", "5"]);
    assert!(told.contains("line 2 is no game of self-play") && told.contains("remove the line"), "{told}");
}

#[test]
fn a_game_that_is_there_twice_is_prepared_once() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "4", "2");
    let file = folder.path().join("games/games.jsonl");
    // The state in which two concurrent processes would leave it.
    std::fs::remove_file(folder.path().join("games/selfplay.json")).expect("removed");
    let once = std::fs::read_to_string(&file).expect("the games");
    let prepare = |out: &str| {
        let options = ["network", "prepare", "games", "--validation", "1", "--size", "5", "--out", out];
        let output = tewari(folder.path(), &options);
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(output.status.success(), "{errors}");
        let rows = ["train.rows", "validation.rows"].map(|name| folder.path().join(out).join(name));
        (rows.map(|path| std::fs::read(path).expect("rows")), errors)
    };
    let (expected, _) = prepare("once");
    std::fs::write(&file, once.repeat(2)).expect("written");
    let (found, errors) = prepare("twice");
    assert!(
        found == expected && errors.contains("left out 4 games with a number that occurs twice"),
        "{errors}"
    );
}

#[test]
fn a_file_of_something_else_is_refused_and_kept() {
    let folder = TempDir::new().expect("a folder");
    for content in ["my notes\n", "my notes", "{\"mine\": 1}"] {
        let file = folder.path().join("games.jsonl");
        std::fs::write(&file, content).expect("written");
        let refused = tewari(folder.path(), &["selfplay", "--out", ".", "--games", "1"]);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains("expected games of self-play"), "{told}");
        assert_eq!(std::fs::read_to_string(&file).expect("kept"), content);
    }
}

/// Returns the number of positions after the opening, without those of short searches with a komi outside the
/// range of the network's inputs.
fn positions_written(game: &SelfplayGame) -> usize {
    let komi_at = |turn| game.komis.iter().rfind(|(from, _)| *from <= turn).map_or(0, |&(_, komi)| komi);
    let is_long = |turn| game.searches.iter().any(|search| search.turn == turn);
    (game.opening..game.moves.len()).filter(|&turn| is_long(turn) || komi_at(turn).abs() <= 31).count()
}

#[test]
fn games_become_rows_of_one_board_and_a_folder_without_games_is_refused() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "8", "2");
    let prepare = |arguments: &[&str]| {
        tewari(
            folder.path(),
            &[&["network", "prepare", "games", "--out", "rows", "--validation", "1"][..], arguments].concat(),
        )
    };
    let mixed = prepare(&[]);
    let errors = String::from_utf8(mixed.stderr).expect("UTF-8");
    assert!(!mixed.status.success() && errors.contains("choose with --size"), "{errors}");
    let done = prepare(&["--size", "6x4", "--every", "1"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let rows = std::fs::read(folder.path().join("rows/train.rows")).expect("rows");
    let row = u32::from_le_bytes(rows[16..20].try_into().expect("four bytes")) as usize;
    let searched: usize = games(folder.path(), "games")
        .iter()
        .filter(|game| game.size == "6x4" && game.number < 7)
        .map(positions_written)
        .sum();
    assert_eq!((rows[12], rows[13], rows[14], (rows.len() - 128) / row), (6, 4, 1, searched));
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    let output = tewari(folder.path(), &["network", "prepare", "empty", "--out", "rows"]);
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(!output.status.success() && errors.lines().count() == 1, "{errors}");
}

#[test]
fn a_network_and_a_search_are_compared_on_games_kept_apart() {
    let folder = TempDir::new().expect("a folder");
    play(folder.path(), "games", "8", "2");
    let compare = |arguments: &[&str]| {
        tewari(
            folder.path(),
            &[&["network", "compare", "games", "--simulations", "30"][..], arguments].concat(),
        )
    };
    let output = compare(&["--size", "5", "--validation", "3"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success() && text.starts_with("one position of each of 3 games"), "{text}");
    for (line, name) in text.lines().skip(2).zip(["network", "search, 30 simulations"]) {
        let numbers = line.strip_prefix(name).expect("a judge").replace('%', "");
        let numbers: Vec<f64> =
            numbers.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let [value, sign, owners, points] = numbers[..] else { panic!("{line}") };
        // A calibrated forecast is not worse than a probability of one half everywhere.
        assert!((0.0..=0.694).contains(&value) && (0.0..=0.694).contains(&owners), "{line}");
        assert!((0.0..=100.0).contains(&sign) && (0.0..=100.0).contains(&points), "{line}");
    }
    assert_eq!(text.lines().count(), 4);
    let output = compare(&["--size", "5", "--by-stage"]);
    let staged = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{staged}");
    let stages: Vec<Vec<&str>> =
        staged.lines().skip(6).map(|line| line.split_whitespace().rev().collect()).collect();
    assert_eq!(stages.len(), 6, "{staged}");
    // One position of each game on this board; a stage without any has no losses.
    let positions = |stage: &Vec<&str>| stage[2].parse::<usize>().expect("a count");
    assert_eq!(stages.iter().map(positions).sum::<usize>(), 4, "{staged}");
    assert!(stages.iter().all(|stage| (positions(stage) == 0) == (stage[0] == "-")), "{staged}");
    let evened = |arguments: &[&str]| -> usize {
        let text = String::from_utf8(compare(arguments).stdout).expect("UTF-8");
        let words: Vec<&str> = text.split_whitespace().collect();
        let with = words.iter().position(|&word| word == "with").expect("how many were made even");
        words[with - 1].parse().expect("a count")
    };
    assert!(["1", "2", "3", "4"].iter().any(|seed| evened(&["--size", "5", "--seed", seed]) > 0));
    for seed in ["1", "2", "3", "4"] {
        assert_eq!(evened(&["--size", "5", "--seed", seed, "--first-komi"]), 0);
    }
    let none = compare(&["--size", "7"]);
    let errors = String::from_utf8(none.stderr).expect("UTF-8");
    assert!(!none.status.success() && errors.contains("expected games"), "{errors}");
}
