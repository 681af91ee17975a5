//! `tewari table verify` and `tewari table snapshot`: checks, repairs and copies of tables.

use super::statistics::{MIB, progress, soundness, survey};
use crate::cli::interrupt::{Interrupted, stop_on_interrupt};
use crate::cli::print::{plural, print_error, print_line};
use crate::table::{FileProblem, Table, TableMode, TableStatistics};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

#[derive(Args)]
pub(super) struct VerifyArguments {
    /// The table file.
    file: PathBuf,
    /// Remove damaged and unfinished entries and pages, and report them.
    #[arg(long)]
    repair: bool,
}

#[derive(Args)]
pub(super) struct SnapshotArguments {
    /// The table file.
    file: PathBuf,
    /// The file of the copy.
    #[arg(long, short)]
    out: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
}

pub(super) fn verify(arguments: &VerifyArguments) -> Result<()> {
    let name = arguments.file.display();
    let survey = if arguments.repair {
        let mut table = Table::open(&arguments.file, TableMode::ReadWrite, None)?;
        table.lock_exclusively()?;
        let bar = progress((table.layout().entries() + table.layout().pages) as u64);
        let survey = table.repair(&mut |done| bar.set_position(done as u64));
        bar.finish_and_clear();
        survey
    } else {
        survey(&Table::open(&arguments.file, TableMode::ReadOnly, None)?)
    };
    print_line(format_args!(
        "{name}: {}, {}, {}",
        plural(survey.entries, "position"),
        plural(survey.pages, "edge page"),
        soundness(&survey)
    ))?;
    for fault in &survey.described {
        print_error(&format!("{name}: {fault}"));
    }
    if arguments.repair {
        print_line(format_args!("{name}: {}", losses(&survey)))?;
    } else if survey.faults > 0 {
        bail!(
            "{name}: expected a sound table, found {}; `tewari table verify --repair` drops them",
            plural(survey.faults, "fault")
        );
    }
    Ok(())
}

/// Returns a summary of a repair.
fn losses(survey: &TableStatistics) -> String {
    let entries = survey.bad_entries + survey.unfinished_entries;
    let blocks = survey.bad_pages + survey.unfinished_pages + survey.orphans;
    format!(
        "dropped {} and {}, raised the visits of {}",
        plural(entries, "position"),
        plural(blocks, "edge page"),
        plural(survey.behind, "position")
    )
}

pub(super) fn snapshot(arguments: &SnapshotArguments) -> Result<()> {
    let SnapshotArguments { file, out, force } = arguments;
    let table = Table::open(file, TableMode::ReadOnly, None)?;
    let stop = stop_on_interrupt();
    let made = table.snapshot(out, *force, &|| !stop.load(Relaxed)).map_err(|error| match error.problem {
        FileProblem::Interrupted => anyhow!(Interrupted(error.to_string())),
        _ => error.into(),
    })?;
    print_line(format_args!(
        "{}: {:.1} MiB{}; {}, {}; left out {} and {} that were being written, are damaged or are not used",
        out.display(),
        table.layout().bytes() as f64 / MIB,
        if made.is_clone { ", shared on the disk" } else { "" },
        plural(made.entries, "position"),
        plural(made.pages, "edge page"),
        plural(made.entries_dropped, "position"),
        plural(made.pages_dropped, "edge page")
    ))
}
