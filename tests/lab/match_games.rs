//! `tewari match`: fair games, a strict referee, and a folder that survives interruptions.

mod bad_input;
mod faults;
mod folder;

use crate::common::program;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use tewari::base::game::{Game, Player};
use tewari::go::score::area_score;
use tewari::go::{Komi, Rules};

/// An engine that plays fast games on a small board.
const QUICK: &str = "self:--simulations 20 --table-size 64KiB";

/// A GTP engine as a shell script: it is correct until it is asked for a move, then acts as its argument states.
const ENGINE: &str = r#"
mode=$1
[ "$mode" = silent ] && exec sleep 1000
if [ "$mode" = tired ]; then
    echo started >> "$2"
    case $(($(wc -l < "$2"))) in 2|3|5) echo 'no more' >&2; exit 3 ;; esac
fi
[ "$mode" = dead ] && { echo 'cannot open the pattern database' >&2; exit 3; }
while read -r command rest; do
    case "$mode $command" in
    noise*) echo 'Segmentation fault' ;;
    'poor list_commands') printf '= boardsize\nplay\n\n' ;;
    *list_commands) printf '= boardsize\nclear_board\nclear_cache\nkomi\nplay\ngenmove\nfinal_score\n\n' ;;
    'small boardsize') printf '? unacceptable size\n\n' ;;
    'crash genmove') echo 'out of luck' >&2; exit 3 ;;
    'hang genmove') exec sleep 1000 ;;
    'parent genmove') sleep 1000 & echo $! > "$2"; wait ;;
    'garbage genmove') printf '= Z99\n\n' ;;
    'refusing play') printf '? illegal move\n\n' ;;
    'occupied genmove') printf '= C3\n\n' ;;
    *genmove) printf '= pass\n\n' ;;
    'blind final_status_list') printf '? I see nothing\n\n' ;;
    'liar final_score') printf '= B+99\n\n' ;;
    'reporting final_score') printf '= %s\n\n' "$2" ;;
    'unable final_score') printf '? cannot score\n\n' ;;
    'chatty final_score') printf 'White wins by 0.5\n= W+0.5\n\n' ;;
    *quit) printf '=\n\n'; exit 0 ;;
    *) printf '=\n\n' ;;
    esac
done
"#;

/// The folder of one test, with the shell engine in it.
struct Laboratory {
    folder: TempDir,
}

impl Laboratory {
    fn new() -> Laboratory {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("engine.sh"), ENGINE).expect("the shell engine");
        Laboratory { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the command line of the shell engine; a file that the mode uses may follow it.
    fn engine(&self, mode: &str) -> String {
        format!("sh {} {mode}", self.path("engine.sh").display())
    }

    /// Writes openings on 5x5; returns the file's path.
    fn openings(&self) -> PathBuf {
        let path = self.path("openings.jsonl");
        let lines = "{\"id\": \"one\", \"size\": 5, \"moves\": [[\"b\", \"C3\"], [\"w\", \"C2\"]]}\n\
                     {\"id\": \"two\", \"size\": 5, \"moves\": [[\"b\", \"B3\"], [\"w\", \"C3\"]]}\n";
        std::fs::write(&path, lines).expect("openings");
        path
    }
}

/// Returns the command `tewari match` on 5x5. Without other rules in the arguments they are Tromp-Taylor's: under those the
/// engine needs no status of stones, which is most of the time of a game of few simulations.
fn command(arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(["match", "--size", "5", "--komi", "0.5", "--quiet"]).args(arguments);
    if !arguments.contains(&"--rules") {
        command.args(["--rules", "tromp-taylor"]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command; returns its exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(arguments).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs a match that must succeed, with its games in `folder`.
fn play(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let folder_name = folder.to_str().expect("UTF-8");
    let (code, _, errors) = run(&[&["--out", folder_name], arguments].concat());
    assert_eq!(code, Some(0), "{errors}");
    rows(folder)
}

/// Returns the games in a folder, ordered by number.
fn rows(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("games.jsonl")).expect("games");
    let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    rows.sort_by_key(|row| row["game"].as_u64());
    rows
}

/// Returns the fields of the games that do not depend on time.
fn essence(rows: &[Value]) -> Vec<String> {
    let fields = ["game", "black_is", "winner", "result", "ending", "opening", "moves"];
    rows.iter().map(|row| fields.map(|field| row[field].to_string()).join(" ")).collect()
}

#[test]
fn a_round_robin_ends_in_a_ranking_and_a_crosstable() {
    let laboratory = Laboratory::new();
    let out = laboratory.path("out");
    let players = ["--player", "random=self:--level 1", "--player", "weak=self:--level 3", "--player"];
    let rest = ["better=self:--level 5", "--games", "4", "--out", out.to_str().unwrap()];
    let (code, output, errors) = run(&[&players[..], &rest].concat());
    assert_eq!(code, Some(0), "{errors}");
    let ranking = output.split_once("ranking: Elo against the mean of all").expect("a ranking").1;
    for player in ["random", "weak", "better"] {
        assert!(
            ranking.lines().any(|line| line.contains(player) && line.contains(" of 8 points")),
            "{output}"
        );
    }
    assert!(ranking.contains("crosstable: ") && ranking.contains("/4"), "{output}");
    let text = std::fs::read_to_string(out.join("standings.json")).expect("the standings");
    let standings: Value = serde_json::from_str(&text).expect("JSON");
    let points: f64 = (0..3).map(|place| standings["places"][place]["points"].as_f64().unwrap()).sum();
    assert_eq!(points, 12.0, "{text}");
}

#[test]
fn every_opening_is_played_twice_with_colours_exchanged() {
    let laboratory = Laboratory::new();
    let openings = laboratory.openings();
    let openings = openings.to_str().unwrap();
    let games =
        play(
            &laboratory.path("out"),
            &[
                &[
                    "--black",
                    QUICK,
                    "--white",
                    "self:--simulations 10",
                    "--games",
                    "6",
                    "--openings",
                    openings,
                ][..],
                &["--rules", "chinese"],
            ]
            .concat(),
        );
    let numbers: BTreeSet<u64> = games.iter().map(|row| row["game"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..6).collect());
    for (index, row) in games.iter().enumerate() {
        assert_eq!(row["black_is"], index % 2);
        assert_eq!(row["opening"], ["one", "two", "one"][index / 2]);
        assert_eq!(row["black"].as_str().unwrap() == QUICK, index % 2 == 0);
        assert!(row["search"][0]["simulations"].as_u64().unwrap() > 0);
    }
}

#[test]
fn records_replay_to_the_result_in_the_row() {
    let laboratory = Laboratory::new();
    let folder = laboratory.path("out");
    // Without resignation every game is scored.
    let player = "self:--simulations 20 --resign 0 --table-size 64KiB";
    let options = ["--games", "4", "--scoring", "area", "--rules", "chinese"];
    let games = play(&folder, &[&["--black", player, "--white", player][..], &options].concat());
    for row in &games {
        let path = folder.join(format!("sgf/{:06}.sgf", row["game"].as_u64().unwrap()));
        let record = tewari::records::sgf::read(&std::fs::read(path).expect("a record")).expect("SGF");
        let last =
            record.games[0].steps(Rules::CHINESE, Komi(1)).unwrap().last().unwrap().expect("legal moves");
        assert_eq!(last.turn as u64, row["moves"].as_u64().unwrap());
        assert_eq!(row["ending"], "score");
        assert!(last.position.terminal_score().is_some());
        let score = f64::from(area_score(last.position.board())) - 0.5;
        let winner = if score > 0.0 { Player::Black } else { Player::White };
        let letter = if winner == Player::Black { 'B' } else { 'W' };
        assert_eq!(row["result"], format!("{letter}+{}", score.abs()));
        let winner_is = if winner == Player::Black {
            &row["black_is"]
        } else {
            &Value::from(1 - row["black_is"].as_u64().unwrap())
        };
        assert_eq!(&row["winner"], winner_is);
    }
}

#[test]
fn a_seed_names_its_games_however_many_are_played_at_a_time() {
    let laboratory = Laboratory::new();
    let play = |name: &str, seed: &str, concurrency: &str| {
        let options = ["--games", "6", "--seed", seed, "--concurrency", concurrency];
        essence(&play(
            &laboratory.path(name),
            &[&["--black", QUICK, "--white", QUICK][..], &options].concat(),
        ))
    };
    let first = play("a", "7", "1");
    assert_eq!(first, play("b", "7", "3"));
    assert_ne!(first, play("c", "8", "1"));
}

#[test]
fn programs_with_a_seed_in_their_command_lines_play_no_game_twice() {
    let laboratory = Laboratory::new();
    let engine = |seed: u32| {
        let program = env!("CARGO_BIN_EXE_tewari");
        format!(
            "{program} gtp --quiet --seed {seed} --simulations 20 --table-size 64KiB --rules tromp-taylor"
        )
    };
    let (black, white, folder) = (engine(3), engine(4), laboratory.path("out"));
    play(&folder, &["--black", &black, "--white", &white, "--games", "6", "--concurrency", "6"]);
    let moves = |game: u32| {
        let record = std::fs::read(folder.join(format!("sgf/{game:06}.sgf"))).expect("a record");
        let record = tewari::records::sgf::read(&record).expect("SGF");
        let steps = record.games[0].steps(Rules::CHINESE, Komi(1)).unwrap();
        steps.map(|step| format!("{:?}", step.expect("a legal move").played)).collect::<String>()
    };
    let different: BTreeSet<String> = [0, 2, 4].into_iter().map(moves).collect();
    assert_eq!(different.len(), 3, "{different:?}");
}

#[test]
fn a_table_is_kept_only_when_asked() {
    let laboratory = Laboratory::new();
    let second_game = |name: &str, options: &[&str]| {
        let arguments =
            [&["--black", QUICK, "--white", QUICK, "--games", "2", "--concurrency", "1"][..], options]
                .concat();
        play(&laboratory.path(name), &arguments).remove(1)
    };
    let games = [second_game("fresh", &[]), second_game("kept", &["--keep-table"])];
    let [fresh, kept] = games.each_ref().map(|game| game["search"][0]["entries_used"].as_u64().unwrap());
    assert!(kept > fresh, "{kept} and {fresh} entries after the second game");
    // Only the table is kept; the numbers of searches are those of one game.
    for game in &games {
        let searches = game["search"][0]["searches"].as_u64().unwrap();
        assert!((1..=game["generated"][0].as_u64().unwrap()).contains(&searches), "{game}");
    }
}

#[test]
fn a_program_and_an_engine_in_the_process_play_the_same_games() {
    let laboratory = Laboratory::new();
    let program = format!(
        "{} gtp --rules tromp-taylor --simulations 20 --table-size 64KiB",
        env!("CARGO_BIN_EXE_tewari")
    );
    for (name, black) in [("own", QUICK), ("program", &program)] {
        let games = play(&laboratory.path(name), &["--black", black, "--white", QUICK, "--games", "4"]);
        assert!(
            games.iter().all(|row| row["ending"] == "score" || row["ending"] == "resignation"),
            "{games:?}"
        );
    }
}

#[test]
fn a_round_robin_plays_every_pairing_and_a_ladder_neighbours() {
    let laboratory = Laboratory::new();
    let players: Vec<String> =
        [5, 10, 20].iter().map(|n| format!("s{n}=self:--simulations {n} --table-size 64KiB")).collect();
    let mut arguments: Vec<&str> = players.iter().flat_map(|player| ["--player", player]).collect();
    arguments.extend(["--games", "2"]);
    let pairings = |folder: &str, arguments: &[&str]| -> BTreeSet<String> {
        let games = play(&laboratory.path(folder), arguments);
        games.iter().map(|row| row["pairing"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(pairings("robin", &arguments), ["s5 - s10", "s5 - s20", "s10 - s20"].map(String::from).into());
    arguments.push("--ladder");
    assert_eq!(pairings("ladder", &arguments), ["s5 - s10", "s10 - s20"].map(String::from).into());
}

#[test]
fn a_sequential_test_stops_when_it_is_decided() {
    let strong = "self:--network none --simulations 200 --table-size 1MiB";
    let weak = "self:--network none --simulations 2 --table-size 64KiB";
    let arguments =
        ["--black", strong, "--white", weak, "--games", "2000", "--sprt", "0,100", "--format", "json"];
    let (code, output, errors) = run(&arguments);
    assert_eq!(code, Some(0), "{errors}");
    let report: Value = serde_json::from_str(&output).expect("JSON");
    assert!(report["games"].as_u64().unwrap() < 500, "{report}");
    assert_eq!(report["sprt"]["verdict"], "H1", "{report}");
}
