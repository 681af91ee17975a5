//! The ranks of an MPI job: the commands that search together are gtp, analyze and analysis.

use super::exit_codes::USAGE_ERROR;
use super::print::print_error;
use crate::base::platform::job;
use crate::engine::EngineOptions;
use crate::engine::ranks::{self, Ranks};
use crate::go::{Komi, Rules, Size};
use anyhow::{Result, bail, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time for rank 0 to print an error before another rank ends: `mpirun` kills all ranks when one has failed.
const TIME_TO_PRINT: Duration = Duration::from_secs(5);

/// The use of a command on several ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RankUse {
    /// The ranks search together.
    Together,
    /// Each rank does its own part, or prints the same.
    Apart,
    /// Each rank would do all work of the command.
    Repeated,
}

/// Checks that several ranks are of use to a command. Only rank 0 returns the error.
///
/// # Errors
/// Returns an error if each rank would do the same alone.
pub(super) fn check(rank_use: RankUse) -> Result<()> {
    let Some(place) = job::place().filter(|place| place.ranks > 1) else { return Ok(()) };
    let problem = match rank_use {
        RankUse::Together if cfg!(feature = "mpi") => return Ok(()),
        RankUse::Together => {
            "this program was built without MPI, and each would search alone: build it with `cargo build --release --features mpi`, or start it without mpirun"
        }
        RankUse::Apart => return Ok(()),
        RankUse::Repeated => {
            "only gtp, analyze and analysis search together, and each would do all of this command: start it without mpirun, or give each rank a shard (--shard I/N, where the command has it)"
        }
    };
    if place.rank > 0 {
        std::thread::sleep(TIME_TO_PRINT);
        std::process::exit(USAGE_ERROR);
    }
    bail!("mpirun started {} ranks, but {problem}", place.ranks)
}

/// Joins the other ranks of the job; `None` if this process is alone. After each search rank 0 prints a line for each rank,
/// unless `is_quiet`.
///
/// # Errors
/// Returns an error if MPI cannot be started.
pub(super) fn join(is_quiet: bool) -> Result<Option<Arc<Ranks>>> {
    let Some(place) = job::place().filter(|place| place.ranks > 1) else { return Ok(None) };
    let say = move |line: &str| {
        if !is_quiet {
            // A closed standard error must not end the program.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    };
    let ranks = connected(say)?;
    let found = ranks.as_ref().map_or(1, |ranks| ranks.count() as u64);
    // A starter of another MPI library leaves each process alone.
    ensure!(
        found == place.ranks,
        "MPI connects {found} of {} ranks: start them with the mpirun of the MPI library that the program was built with",
        place.ranks
    );
    Ok(ranks)
}

#[cfg(feature = "mpi")]
fn connected(say: impl Fn(&str) + Send + Sync + 'static) -> Result<Option<Arc<Ranks>>> {
    let Some(link) = ranks::connect() else { bail!("MPI cannot be started: start all ranks with mpirun") };
    Ok(Some(Arc::new(Ranks::new(link, say))))
}

#[cfg(not(feature = "mpi"))]
fn connected(_: impl Fn(&str) + Send + Sync + 'static) -> Result<Option<Arc<Ranks>>> {
    Ok(None)
}

/// Follows the requests of rank 0 until it ends, if this is another rank; returns false on rank 0 and on a process alone.
///
/// # Errors
/// Returns an error if the connection ends or a search cannot be run.
pub(super) fn has_served(
    ranks: Option<&Arc<Ranks>>,
    make_options: &dyn Fn(Size, Rules, Komi) -> EngineOptions,
) -> Result<bool> {
    let Some(ranks) = ranks.filter(|ranks| ranks.rank() > 0) else { return Ok(false) };
    let rank = ranks.rank();
    if let Err(error) = ranks::serve(Arc::clone(ranks), make_options) {
        print_error(&format!("rank {rank}: {error}"));
        // Without the end of MPI, so that mpirun ends the other ranks.
        std::process::exit(1);
    }
    Ok(true)
}

/// Returns the path of a rank's table: `go-rank1.tewari` for `go.tewari`.
pub(super) fn table_path(path: &Path, rank: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-rank{rank}");
    match path.extension() {
        Some(extension) => path.with_file_name(name + "." + &extension.to_string_lossy()),
        None => path.with_file_name(name),
    }
}

/// Returns the number of ranks on this machine.
pub(super) fn on_this_machine() -> u64 {
    job::place().map_or(1, |place| place.ranks_here.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_a_table_of_its_own() {
        let name = |path: &str, rank| table_path(Path::new(path), rank).display().to_string();
        assert_eq!(name("x/go.tewari", 0), "x/go-rank0.tewari");
        assert_eq!(name("table", 12), "table-rank12");
    }
}
