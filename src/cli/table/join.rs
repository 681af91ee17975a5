//! `tewari table merge`, `resize` and `clear`.

use super::statistics::{MIB, progress};
use crate::cli::interrupt::{Interrupted, stop_on_interrupt};
use crate::cli::output_file::is_same_file;
use crate::cli::print::{plural, print_line};
use crate::cli::value_parsers::parse_bytes;
use crate::engine::TableGameSettings;
use crate::table::{MergeCounts, MergeError, Table, TableMode};
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

#[derive(Args)]
pub(super) struct MergeArguments {
    /// The table files to add up. Analyses of the same record that were learned in two of them count twice: learn a record in
    /// one of them, or in the merged table.
    #[arg(required = true, num_args = 2..)]
    files: Vec<PathBuf>,
    /// The table file to create.
    #[arg(long, short)]
    out: PathBuf,
    /// The table that all of them are copies of; its statistics count once.
    #[arg(long)]
    base: Option<PathBuf>,
    /// Size of the new table. Default: the sum of the sizes of all files.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    table_size: Option<u64>,
}

#[derive(Args)]
pub(super) struct ResizeArguments {
    /// The table file.
    file: PathBuf,
    /// New size of the table.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    table_size: u64,
    /// Create another table file, and leave this one unchanged.
    #[arg(long, short)]
    out: Option<PathBuf>,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<()> {
    let MergeArguments { files, out, base, table_size } = arguments;
    for (number, file) in files.iter().enumerate() {
        let is_given = files[..number].iter().any(|other| is_same_file(other, file));
        ensure!(!is_given, "{}: expected different files, found one twice: give it once", file.display());
    }
    let open = |path: &PathBuf| Table::open(path, TableMode::ReadOnly, None);
    let sources = files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    check_keys(&sources)?;
    let sources: Vec<&Table> = sources.iter().collect();
    let base = base.as_ref().map(open).transpose()?;
    let all = || sources.iter().map(|source| source.layout().bytes()).sum();
    let bytes = table_size.map_or_else(|| Ok(all()), usize::try_from)?;
    write_joined(out, &sources, base.as_ref(), bytes, false)
}

/// Returns an error if the tables have keys of different policies: a search would find the positions of one alone.
fn check_keys(sources: &[Table]) -> Result<()> {
    let keys_of = |table: &Table| TableGameSettings::read(&table.identity()?.game_settings).keys;
    let mut known = sources.iter().filter_map(|table| Some((table, keys_of(table)?)));
    let Some((first, expected)) = known.next() else { return Ok(()) };
    let name = |table: &Table| table.path().map_or_else(String::new, |path| path.display().to_string());
    known.try_for_each(|(table, found)| {
        ensure!(
            found == expected,
            "{}: expected a table with keys {expected}, as {} has, found one with keys {found}: give tables of one --key-policy",
            name(table),
            name(first)
        );
        Ok(())
    })
}

pub(super) fn resize(arguments: &ResizeArguments) -> Result<()> {
    let ResizeArguments { file, table_size, out } = arguments;
    let table = Table::open(file, TableMode::ReadOnly, None)?;
    let bytes = usize::try_from(*table_size)?;
    match out {
        Some(out) => write_joined(out, &[&table], None, bytes, false),
        None => {
            table.lock_exclusively()?;
            // A link stays a link: the file it points to is replaced.
            write_joined(&file.canonicalize()?, &[&table], None, bytes, true)
        }
    }
}

fn write_joined(
    out: &Path,
    sources: &[&Table],
    base: Option<&Table>,
    bytes: usize,
    may_replace: bool,
) -> Result<()> {
    let stop = stop_on_interrupt();
    let bar = progress(0);
    let joined = Table::merge(out, sources, base, bytes, may_replace, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
        !stop.load(Relaxed)
    });
    bar.finish_and_clear();
    let (table, kept) = joined.map_err(|error| match error {
        MergeError::Interrupted => anyhow!(Interrupted(error.to_string())),
        error => error.into(),
    })?;
    print_line(format_args!(
        "{}: {:.1} MiB; {}",
        out.display(),
        table.layout().bytes() as f64 / MIB,
        describe_kept(&kept, sources.len())
    ))
}

fn describe_kept(kept: &MergeCounts, tables: usize) -> String {
    let share = |part: u64, whole: u64| if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 };
    let shared = match tables {
        1 => String::new(),
        _ => format!("; {} in more than one of the {tables} tables", plural(kept.shared, "position")),
    };
    format!(
        "kept {} of {} positions, {} of {} expanded ones, {:.1} % of the visits{shared}",
        kept.positions_kept,
        kept.positions,
        kept.expanded_kept,
        kept.expanded,
        share(kept.visits_kept, kept.visits)
    )
}

pub(super) fn clear(file: &Path) -> Result<()> {
    let mut table = Table::open(file, TableMode::ReadWrite, None)?;
    table.lock_exclusively()?;
    table.clear();
    print_line(format_args!("{}: empty", file.display()))
}
