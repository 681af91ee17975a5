//! `tewari table info`: the purpose and the content of a table.

use super::statistics::{MIB, soundness, survey};
use crate::cli::print::{plural, print_line};
use crate::table::{CloseState, Table, TableMode, TableStatistics};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct InfoArguments {
    /// The table file.
    file: PathBuf,
    /// Output format: text for people, or one JSON object.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn info(arguments: &InfoArguments) -> Result<()> {
    let table = Table::open(&arguments.file, TableMode::ReadOnly, None)?;
    let survey = survey(&table);
    match arguments.format {
        Format::Text => print_line(describe(&table, &survey)),
        Format::Json => print_line(json_of(&table, &survey)),
    }
}

fn describe(table: &Table, survey: &TableStatistics) -> String {
    let (layout, identity) = (table.layout(), table.identity());
    let mut lines = Vec::new();
    if let (Some(path), Some(identity), Some(lineage)) = (table.path(), identity, table.lineage()) {
        lines.push(path.display().to_string());
        lines.push(format!("  made for      {}, {}", identity.game, identity.game_settings));
        if !identity.policy_state.is_empty() {
            lines.push(format!("  policy        {}", identity.policy_state));
        }
        let network = identity.network.map_or_else(|| "none".to_owned(), |network| format!("{network:016x}"));
        lines.push(format!("  network       {network}"));
        lines.push(format!("  key seed      {:#x}", identity.key_seed));
        lines.push(format!("  samples of    {}", plural(lineage.tables() as u64, "table")));
    }
    let per_mille = |part: u64, whole: usize| 1000.0 * part as f64 / whole.max(1) as f64;
    lines.push(format!("  size          {} bytes ({:.1} MiB)", layout.bytes(), layout.bytes() as f64 / MIB));
    lines.push(format!(
        "  positions     {} of {} ({:.0} per mille)",
        survey.entries,
        layout.entries(),
        per_mille(survey.entries, layout.entries())
    ));
    lines.push(format!(
        "  edge pages    {} of {} ({:.0} per mille), {} orphaned, {} lost",
        survey.pages,
        layout.pages,
        per_mille(survey.pages, layout.pages),
        survey.orphans,
        survey.lost_pages
    ));
    let [pages, edges, bytes] = density(table, survey);
    lines.push(format!(
        "  density       {pages:.2} pages per expanded position, {edges:.1} moves with visits on a page, {bytes:.0} bytes per \
         visit of the most visited position"
    ));
    lines.push(format!("  proofs        {} positions with proven bounds", survey.bounded));
    lines.push(format!("  generation    {}, opened {} times", table.generation(), table.open_count()));
    if let Some(ending) = table.close_state() {
        lines.push(format!("  state         {}", ending.describe()));
    }
    lines.push(format!("  last visit    {}", ages(survey)));
    lines.push("  visits        positions".to_owned());
    for (bits, &count) in survey.visits.iter().enumerate().filter(|(_, count)| **count > 0) {
        let least = if bits == 0 { 0 } else { 1_u64 << (bits - 1) };
        lines.push(format!("  {least:>12}+ {count}"));
    }
    lines.push(format!("  {}", soundness(survey)));
    lines.join("\n")
}

/// Returns the pages of a position that has any, the edges with visits of a page, and the bytes in use for each visit of the
/// most visited position; 0 where there are none.
fn density(table: &Table, survey: &TableStatistics) -> [f64; 3] {
    let ratio = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    [
        ratio(survey.pages, survey.expanded),
        ratio(survey.edges_visited, survey.pages),
        ratio(table.census().bytes_used as u64, survey.most_visits),
    ]
}

/// Returns the numbers of positions in a few classes of age.
fn ages(survey: &TableStatistics) -> String {
    let sum = |range: std::ops::Range<usize>| survey.ages[range].iter().sum::<u64>();
    format!(
        "{} in this generation, {} in the one before, {} up to 7 before, {} earlier",
        sum(0..1),
        sum(1..2),
        sum(2..8),
        sum(8..survey.ages.len())
    )
}

fn json_of(table: &Table, survey: &TableStatistics) -> serde_json::Value {
    let (layout, identity) = (table.layout(), table.identity());
    let [pages_per_position, edges_per_page, bytes_per_visit] = density(table, survey);
    serde_json::json!({
        "file": table.path().map(|path| path.display().to_string()),
        "game": identity.map(|identity| &identity.game),
        "setting": identity.map(|identity| &identity.game_settings),
        "policyState": identity.map(|identity| &identity.policy_state),
        "network": identity.and_then(|identity| identity.network).map(|network| format!("{network:016x}")),
        "keySeed": identity.map(|identity| format!("{:#x}", identity.key_seed)),
        "tables": table.lineage().map(crate::table::Lineage::tables),
        "bytes": layout.bytes(),
        "entries": layout.entries(),
        "entriesUsed": survey.entries,
        "blocks": layout.pages,
        "blocksUsed": survey.pages,
        "ranked": layout.shape.ranked,
        "pagesPerPosition": pages_per_position,
        "edgesPerPage": edges_per_page,
        "bytesPerVisit": bytes_per_visit,
        "orphans": survey.orphans,
        "lostBlocks": survey.lost_pages,
        "bounded": survey.bounded,
        "voidBounds": survey.void_bounds,
        "generation": table.generation(),
        "openings": table.open_count(),
        "ages": survey.ages,
        "visits": survey.visits,
        "unfinishedEntries": survey.unfinished_entries,
        "unfinishedBlocks": survey.unfinished_pages,
        "faults": survey.faults,
        "found": table.close_state().map(CloseState::describe),
    })
}
