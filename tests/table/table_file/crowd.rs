//! Many processes with many threads in a table that holds a fraction of their positions.

use super::process::{Folder, analysis, info, object, root_visits, start_analysis, verify};
use serde_json::Value;

const PROCESSES: u64 = 4;
const THREADS: u64 = 3;
const SIMULATIONS: u64 = 5_000;

/// Returns the sum of a table's counter over the processes.
fn sum(found: &[Value], name: &str) -> u64 {
    found.iter().map(|one| one["table"][name].as_u64().expect("a number")).sum()
}

#[test]
fn many_processes_and_threads_replace_in_one_file_and_leave_it_sound() {
    for (size, replacement) in [("24KiB", "always"), ("48KiB", "visits-and-generation"), ("400KiB", "visits")]
    {
        let folder = Folder::new();
        let path = folder.path("a.tewari");
        analysis(&path, &["--table-size", size, "--simulations", "100"]);
        let (simulations, threads) = (SIMULATIONS.to_string(), THREADS.to_string());
        let options = ["--simulations", &simulations, "--threads", &threads, "--replacement", replacement];
        let children: Vec<_> = (0..PROCESSES)
            .map(|seed| start_analysis(&path, &[&options[..], &["--seed", &seed.to_string()]].concat()))
            .collect();
        let found: Vec<Value> =
            children.into_iter().map(|child| object(&child.wait_with_output().expect("it ends"))).collect();
        let told = format!("{size}, {replacement}: {found:?}");
        assert!(found.iter().all(|one| one["rootInfo"]["simulations"] == SIMULATIONS), "{told}");
        let evicted = sum(&found, "evictions") + sum(&found, "blockEvictions");
        assert!(evicted > 1_000, "{told}");
        // Each worker except the evicting one may be about to write to an evicted entry or page.
        let late = sum(&found, "lateUpdates");
        assert!(late <= (PROCESSES * THREADS - 1) * evicted, "{late} of {evicted}: {told}");
        // A visit that was written between the check of the owner and the write; it is counted at each visit of such a
        // page.
        let foreign = sum(&found, "collisions");
        assert!(foreign * 100 <= evicted, "{foreign} of {evicted}: {told}");
        // The root is on every path, so it is never evicted. Each worker may lose its first simulation, if another gave
        // the root its page meanwhile.
        let all = 100 + PROCESSES * SIMULATIONS;
        let visits = root_visits(&analysis(&path, &["--simulations", "1"])) - 1;
        assert!((all - PROCESSES * THREADS..=all).contains(&visits), "{visits} of {all}: {told}");
        verify(&path);
        let census = info(&path);
        assert_eq!((&census["unfinishedEntries"], &census["unfinishedBlocks"]), (&0.into(), &0.into()));
        assert_eq!(census["orphans"], 0, "{told}");
    }
}
