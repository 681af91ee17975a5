//! One search on several ranks of an MPI job, with `mpirun` on this machine. Skipped where it is absent.

use crate::common::controller::Controller;
use crate::common::program;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Options of each rank.
const SMALL: [&str; 4] = ["--memory", "32MiB", "--size", "9"];

/// Returns `mpirun`, for ranks of this machine alone; `None`, with a message, where it is absent.
fn mpirun() -> Option<Command> {
    let mut command = Command::new("mpirun");
    command.env("TEWARI_CONFIG", "none");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader,tcp"]);
    command.args(["--mca", "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo"]);
    let found = Command::new("mpirun").arg("--version").output();
    if found.is_ok_and(|it| it.status.success()) {
        return Some(command);
    }
    println!("skipped: mpirun is absent");
    None
}

/// Returns a command for the program on `ranks` ranks.
fn on_ranks(ranks: usize, arguments: &[&str]) -> Option<Command> {
    let mut command = mpirun()?;
    command.arg("-n").arg(ranks.to_string()).arg(program().get_program()).args(arguments).args(SMALL);
    command.stdin(Stdio::null());
    Some(command)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the simulations of each rank in the lines for the user.
fn simulations(output: &Output) -> Vec<u64> {
    let text = stderr(output);
    let of_rank = |rank: usize| {
        let prefix = format!("rank {rank}: ");
        let line = text.lines().find_map(|line| line.strip_prefix(&prefix))?;
        line.split_once(" simulations")?.0.parse().ok()
    };
    (0..).map_while(of_rank).collect()
}

#[test]
fn two_and_four_ranks_are_one_search() {
    for ranks in [2, 4] {
        let arguments = ["analyze", "--simulations", "2001", "--format", "json"];
        let Some(mut command) = on_ranks(ranks, &arguments) else { return };
        let output = command.output().expect("mpirun");
        assert!(output.status.success(), "{}", stderr(&output));
        let object: Value = serde_json::from_slice(&output.stdout).expect("one object, of rank 0");
        let by_rank = simulations(&output);
        assert_eq!((by_rank.len(), by_rank.iter().sum::<u64>()), (ranks, 2001), "{}", stderr(&output));
        assert_eq!(object["rootInfo"]["visits"], 2001, "{object}");
    }
}

#[test]
fn a_session_on_two_ranks_is_a_session() {
    let arguments = ["gtp", "--time", "0.2", "--ponder"];
    let Some(mut command) = on_ranks(2, &arguments) else { return };
    let mut session = Controller::start(&mut command);
    assert_eq!(session.ask("name"), "Tewari");
    session.ask("genmove b");
    session.ask("genmove w");
    session.ask("time_settings 10 0 0");
    session.ask("time_left b 1 0");
    let started = Instant::now();
    session.ask("genmove b");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    session.ask("boardsize 7");
    session.ask("clear_board");
    session.ask("genmove b");
    session.ask("clear_cache");
    session.quit();
}

#[test]
fn queries_are_answered_by_both_ranks() {
    let Some(mut command) = mpirun() else { return };
    command.args(["-n", "2"]).arg(program().get_program()).args(["analysis", "--memory", "32MiB"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun");
    let query = |id: u8, side: u8| {
        format!(
            r#"{{"id":"{id}","moves":[["B","C3"]],"rules":"chinese","komi":7,"boardXSize":{side},"boardYSize":{side},"maxVisits":300}}"#
        )
    };
    let queries = format!("{}\n{}\n", query(1, 9), query(2, 7));
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), queries.as_bytes()).expect("queries");
    let output = child.wait_with_output().expect("an end");
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let visits: Vec<_> = answers.iter().map(|it| it["rootInfo"]["visits"].as_u64()).collect();
    assert_eq!(visits, [Some(300); 2], "{answers:?} {}", stderr(&output));
    assert_eq!(simulations(&output).iter().sum::<u64>(), 300);
}

#[test]
fn a_rank_with_another_board_is_refused_in_one_line() {
    let Some(mut command) = mpirun() else { return };
    let program = program().get_program().to_owned();
    command.args(["-n", "1"]).arg(&program).args(["gtp", "--size", "9", "--memory", "32MiB"]);
    command.args([":", "-n", "1"]).arg(&program).args(["gtp", "--size", "13", "--memory", "32MiB"]);
    let output = command.stdin(Stdio::null()).output().expect("mpirun");
    let text = stderr(&output);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("rank 1 has another board")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].contains("expected 9x9, found 13x13"), "{text}");
    assert!(!output.status.success());
}

/// Returns the number of the process that is `rank` of the job of `mpirun`.
#[cfg(target_os = "linux")]
fn process_of(mpirun: &Child, rank: usize) -> u32 {
    let is_it = |id: u32| {
        let has = |file: &str, text: &str| {
            std::fs::read(format!("/proc/{id}/{file}")).is_ok_and(|bytes| {
                bytes.split(|byte| *byte == 0 || *byte == b'\n').any(|it| it == text.as_bytes())
            })
        };
        has("environ", &format!("OMPI_COMM_WORLD_RANK={rank}"))
            && has("status", &format!("PPid:\t{}", mpirun.id()))
    };
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        let numbers = processes.filter_map(|it| it.file_name().to_string_lossy().parse().ok());
        if let Some(found) = numbers.into_iter().find(|id| is_it(*id)) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no rank {rank}");
}

/// Returns the processor time of a process in clock ticks, of which there are a hundred a second.
#[cfg(target_os = "linux")]
fn ticks(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("statistics");
    let fields: Vec<&str> = text.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    [11, 12].iter().map(|&at| fields[at].parse::<u64>().expect("a number")).sum()
}

/// Checks a rank's table and returns the visits of its most visited position.
#[cfg(target_os = "linux")]
fn verified_visits(table: &Path) -> u64 {
    let output = program().args(["table", "verify"]).arg(table).output().expect("the program runs");
    assert!(output.status.success(), "{}: {}", table.display(), stderr(&output));
    let opened =
        tewari::table::Table::open(table, tewari::table::TableMode::ReadOnly, None).expect("a table");
    opened.scan(&mut |_| {}).most_visits
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_rank_ends_the_job_and_leaves_valid_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("go.tewari");
    let table = table.to_str().expect("UTF-8");
    let arguments = ["gtp", "--quiet", "--table", table];
    let of_rank = |rank: usize| folder.path().join(format!("go-rank{rank}.tewari"));
    let mut visits = 0;
    for victim in [1, 0] {
        let Some(mut command) = on_ranks(2, &arguments) else { return };
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut job = command.spawn().expect("mpirun");
        let input = job.stdin.as_mut().expect("a pipe");
        std::io::Write::write_all(input, b"lz-analyze b 10\n").expect("a command");
        let process = process_of(&job, victim);
        std::thread::sleep(Duration::from_millis(2_000));
        Command::new("kill").args(["-KILL", &process.to_string()]).status().expect("kill");
        let output = job.wait_with_output().expect("an end");
        assert!(!output.status.success());
        assert!(stderr(&output).contains("signal 9"), "{}", stderr(&output));
        let after = [0, 1].map(|rank| verified_visits(&of_rank(rank)));
        assert!(after.iter().all(|now| *now > visits), "{after:?} after {visits}");
        visits = after[0].max(after[1]);
    }
    let Some(mut command) = on_ranks(2, &arguments) else { return };
    let mut session = Controller::start(&mut command);
    session.ask("genmove b");
    session.quit();
}

#[test]
#[cfg(target_os = "linux")]
fn idle_ranks_use_no_processor_time() {
    let Some(mut command) = on_ranks(2, &["gtp", "--simulations", "50", "--quiet"]) else { return };
    let mut job = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("mpirun");
    let mut input = job.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"genmove b\n").expect("a command");
    let processes = [0, 1].map(|rank| process_of(&job, rank));
    std::thread::sleep(Duration::from_secs(6));
    let before = processes.map(ticks);
    std::thread::sleep(Duration::from_secs(4));
    let used: Vec<u64> = processes.iter().zip(before).map(|(&it, before)| ticks(it) - before).collect();
    assert!(used.iter().all(|ticks| *ticks <= 8), "{used:?} hundredths of a second in 4 s");
    std::io::Write::write_all(&mut input, b"quit\n").expect("a command");
    drop(input);
    assert!(job.wait().expect("an end").success());
}
