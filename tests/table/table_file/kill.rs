//! Processes that are killed at any moment.

use super::process::{Folder, analysis, info, object, root_visits, start_analysis, tewari, verify};
use std::time::Duration;
use tewari::base::rng::PlayoutRng;

/// Returns the number of processes to kill; `TEWARI_KILLS=200` for the long run.
fn kills() -> u32 {
    std::env::var("TEWARI_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

#[test]
fn a_killed_search_leaves_a_table_that_goes_on() {
    let mut rng = PlayoutRng::new(1, 0);
    // A table with room, and one with constant replacement.
    for size in ["4MiB", "48KiB"] {
        let folder = Folder::new();
        let path = folder.path("a.tewari");
        let mut visits = root_visits(&analysis(&path, &["--table-size", size, "--simulations", "100"]));
        for number in 0..kills() / 2 {
            let threads = (1 + number % 3).to_string();
            let mut child = start_analysis(
                &path,
                &["--time", "60", "--threads", &threads, "--seed", &number.to_string()],
            );
            std::thread::sleep(Duration::from_micros(5_000 + rng.below(120_000) as u64));
            child.kill().expect("killed");
            child.wait().expect("it ends");
            verify(&path);
            let now = root_visits(&analysis(&path, &["--simulations", "20"]));
            assert!(now >= visits + 20, "{size}, kill {number}: {visits} visits, then {now}");
            visits = now;
        }
        let found = info(&path);
        // A killed process leaves at most one unfinished entry and page for each thread.
        assert!(found["unfinishedEntries"].as_u64() <= Some(3 * u64::from(kills())), "{found}");
        assert!(found["unfinishedBlocks"].as_u64() <= Some(3 * u64::from(kills())), "{found}");
    }
}

#[test]
fn one_of_three_goes_on_when_the_others_are_killed() {
    for size in ["4MiB", "48KiB"] {
        let folder = Folder::new();
        let path = folder.path("a.tewari");
        analysis(&path, &["--table-size", size, "--simulations", "100"]);
        let survivor = start_analysis(&path, &["--simulations", "8000"]);
        let others = [1, 2].map(|seed| start_analysis(&path, &["--time", "60", "--seed", &seed.to_string()]));
        for mut other in others {
            std::thread::sleep(Duration::from_millis(150));
            other.kill().expect("killed");
            other.wait().expect("it ends");
        }
        let found = object(&survivor.wait_with_output().expect("it ends"));
        assert_eq!(found["rootInfo"]["simulations"], 8_000);
        assert!(root_visits(&found) >= 8_100);
        verify(&path);
    }
}

#[test]
fn a_killed_resize_or_snapshot_leaves_the_table_as_it_was_or_as_it_is_to_be() {
    let mut rng = PlayoutRng::new(2, 0);
    let folder = Folder::new();
    let path = folder.path("a.tewari");
    let copy = folder.path("copy");
    let visits = root_visits(&analysis(&path, &["--table-size", "16MiB", "--simulations", "500"]));
    for number in 0..kills() {
        let mut command = tewari();
        command.arg("table");
        if number % 2 == 0 {
            // Alternating sizes, so that there is always work to do.
            command
                .args(["resize", "--table-size", if number % 4 == 0 { "8MiB" } else { "16MiB" }])
                .arg(&path);
        } else {
            command.arg("snapshot").arg(&path).arg("--force").arg("-o").arg(&copy);
        }
        let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_micros(rng.below(60_000) as u64));
        child.kill().expect("killed");
        child.wait().expect("it ends");
        verify(&path);
        let found = analysis(&path, &["--table-mode", "cow", "--simulations", "1"]);
        assert_eq!(root_visits(&found), visits + 1, "kill {number}");
        if copy.exists() {
            verify(&copy);
        }
    }
}
