//! `tewari join`: shards of an experiment put together.

use super::experiments::sweep_title;
use super::match_games::{self, MatchResults};
use super::output_file::{check_absent, write_file};
use super::print::print_line;
use super::{suite, sweep};
use crate::base::folder::{NewFolder, check_unused, write_atomically};
use crate::base::shard::ShardedCommand;
use crate::lab::arena::experiment::GameRow;
use crate::lab::arena::report::pair_counts;
use crate::lab::arena::schedule::Schedule;
use crate::lab::arena::suite::{NumberedTestRow, TestRow};
use crate::lab::arena::sweep::SweepRow;
use crate::lab::join::review_sources;
use crate::lab::join::reviews;
use crate::lab::join::rows::JoinedRows;
use crate::lab::join::shards::ShardSet;
use anyhow::{Context, Result};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct JoinArguments {
    /// The folder to create; for shards of `suite` the file. It is written as a whole or not at all.
    out: PathBuf,
    /// The folders of all shards, in any order.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
}

pub(super) fn run(arguments: &JoinArguments) -> Result<()> {
    let JoinArguments { out, folders } = arguments;
    // Without the name of the new folder, the first shard would be taken for it.
    check_unused(out)?;
    let set = ShardSet::open(folders)?;
    match set.command {
        ShardedCommand::Match => join_match(out, &set),
        ShardedCommand::Sweep => join_sweep(out, &set),
        ShardedCommand::Suite => join_suite(out, &set),
        ShardedCommand::Selfplay => {
            let rows = set.rows()?;
            write_folder(out, |folder| Ok(rows.write(folder)?))?;
            print_line(format_args!("{}: {} games", out.display(), rows.count()))
        }
        ShardedCommand::Prepare => {
            set.check_samples()?;
            write_folder(out, |folder| Ok(set.write_samples(folder)?))?;
            print_line(format_args!("{}: positions of {} games", out.display(), set.total))
        }
        ShardedCommand::Review => {
            let reviews = set.reviews()?;
            let sources = set.review_sources()?;
            write_folder(out, |folder| {
                reviews::copy(&reviews, folder)?;
                Ok(review_sources::append(folder, &sources)?)
            })?;
            print_line(format_args!("{}: {} reviews", out.display(), reviews.len()))
        }
    }
}

/// Writes a folder under a temporary name and renames it.
fn write_folder(out: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = NewFolder::begin(out)?;
    write(folder.part())?;
    Ok(folder.finish()?)
}

/// Writes the games and files with the names and contents `beside`.
fn write_games(out: &Path, rows: &JoinedRows<'_>, beside: &[(&str, String)]) -> Result<()> {
    write_folder(out, |folder| {
        rows.write(folder)?;
        let write = |(name, text): &(&str, String)| write_atomically(&folder.join(name), text.as_bytes());
        Ok(beside.iter().try_for_each(write)?)
    })
}

/// Returns the schedule of complete games; an error if a pairing has no game.
fn schedule(games: &[GameRow], rows: &ShardSet) -> Result<Schedule> {
    Schedule::of_rows(games, rows.members()).context("expected a game of every pairing")
}

fn join_match(out: &Path, set: &ShardSet) -> Result<()> {
    let rows = set.rows()?;
    let games: Vec<GameRow> = rows.parse()?;
    let results = MatchResults::new(&schedule(&games, set)?, &games, None);
    write_games(out, &rows, &results.files()?)?;
    results.print(match_games::Format::Text)
}

fn join_sweep(out: &Path, set: &ShardSet) -> Result<()> {
    let rows = set.rows()?;
    let games: Vec<GameRow> = rows.parse()?;
    let schedule = schedule(&games, set)?;
    let Some(first) = set.folders.first().map(|folder| folder.path.join(sweep::CSV)) else { return Ok(()) };
    let hint = "the shard was interrupted after its last game: run its command again with --resume";
    // Memory and processor time of each point are those of the first shard.
    let points = sweep::read_rows(&first).context(hint)?;
    let point = |point: &SweepRow| {
        let label = point.label();
        let games: Vec<&GameRow> = games.iter().filter(|row| row.pairing == label).collect();
        point.with_games(&games, &pair_counts(&schedule, &games))
    };
    let results: Vec<SweepRow> = points.iter().map(point).collect();
    let reference = points.first().map_or("", |point| point.reference.as_str());
    let title = sweep_title(set.value("size"), set.value("komi"));
    write_games(out, &rows, &sweep::files(&results, &title, reference)?)?;
    sweep::show(&results)
}

fn join_suite(out: &Path, set: &ShardSet) -> Result<()> {
    check_absent(out, false)?;
    let tests: Vec<NumberedTestRow> = set.rows()?.parse()?;
    let tests: Vec<TestRow> = tests.into_iter().map(|test| test.row).collect();
    write_file(out, &suite::lines(&tests)?, false)?;
    print_line(suite::summary(&tests, suite::Format::Text)?.trim_end())
}
