//! `tewari network compare`: a network against a search without one.

use super::games::read_selfplay_games;
use super::source::NetworkSource;
use crate::base::memory::MemoryBudget;
use crate::cli::print::{print_error, print_line};
use crate::engine::EngineOptions;
use crate::go::Size;
use crate::lab::selfplay::comparison::{
    ComparisonKomi, EvaluatorForecasts, ForecastComparison, Forecasts, STAGES, compare,
};
use crate::search::Limits;
use anyhow::{Result, bail, ensure};
use clap::Args;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Bytes of a table in which a small search evicts nothing.
const TABLE_BYTES: u64 = 16 << 20;

#[derive(Args)]
pub(super) struct CompareArguments {
    /// Folders of self-play.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Number of games to use, the last ones, which `prepare` keeps for validation; one position of each.
    #[arg(long, value_name = "N", default_value = "1000")]
    validation: NonZeroUsize,
    /// The board to use, if the games of self-play are on several boards.
    #[arg(long)]
    size: Option<Size>,
    /// Simulations of the search without a network.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    simulations: u64,
    /// Use the komi that each game began with, even where self-play replaced it later by one that evens the game.
    #[arg(long)]
    first_komi: bool,
    /// Also print the loss of the values in each stage of a game, by the percentage of empty points.
    #[arg(long)]
    by_stage: bool,
    /// Seed of the positions and of the search.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    source: NetworkSource,
}

pub(super) fn run(arguments: &CompareArguments) -> Result<()> {
    let (games, _) = read_selfplay_games(&arguments.games, arguments.size)?;
    let games = &games[games.len().saturating_sub(arguments.validation.get())..];
    let mut options = EngineOptions {
        networks: Some(arguments.source.networks()?),
        memory: MemoryBudget::Table(TABLE_BYTES),
        ..EngineOptions::default()
    };
    options.parameters.seed = arguments.seed;
    let limits = Limits { simulations: Some(arguments.simulations), ..Limits::default() };
    let komi = if arguments.first_komi { ComparisonKomi::First } else { ComparisonKomi::InForce };
    let comparison = compare(games, &options, limits, komi)?;
    let left_out = games.len() - comparison.positions;
    if left_out > 0 {
        print_error(&format!("left out {left_out} games without a search or with an illegal move"));
    }
    ensure!(comparison.positions > 0, "expected games with a search, found none");
    let search = format!("search, {} simulations", arguments.simulations);
    let rows = [row("network", &comparison.network)?, row(&search, &comparison.search)?];
    print_line(format_args!(
        "one position of each of {} games, {} with an evened komi; losses in nats after calibration by one temperature",
        comparison.positions, comparison.evened
    ))?;
    print_line(format_args!("{:28} {:>10} {:>10} {:>12} {:>12}", "", "value", "sign", "owners", "points"))?;
    print_line(format_args!("{}", rows.join("\n")))?;
    if arguments.by_stage {
        print_line(format_args!("{}", stages(&comparison)))?;
    }
    Ok(())
}

/// Returns a table of the value losses in each stage, calibrated by one temperature for each stage and forecaster; it
/// begins with an empty line.
fn stages(comparison: &ForecastComparison) -> String {
    let mut table =
        format!("\n{:28} {:>10} {:>10} {:>10}", "value, by empty points", "positions", "network", "search");
    let mut below = 101;
    for (least, (network, search)) in
        STAGES.iter().zip(comparison.network.values_by_stage.iter().zip(&comparison.search.values_by_stage))
    {
        let name = format!("{least} to {} %", below - 1);
        let loss = |forecasts: &Forecasts| {
            forecasts.quality().map_or_else(|| "-".to_owned(), |quality| format!("{:.4}", quality.loss))
        };
        let (network_loss, search_loss) = (loss(network), loss(search));
        let _ = write!(table, "\n{name:28} {:>10} {network_loss:>10} {search_loss:>10}", network.count());
        below = *least;
    }
    table
}

fn row(name: &str, forecasts: &EvaluatorForecasts) -> Result<String> {
    let (Some(value), Some(owners)) = (forecasts.values.quality(), forecasts.owners.quality()) else {
        bail!(
            "expected a network that was trained on scores and owners, found one that was not: see network info"
        );
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    Ok(format!(
        "{name:28} {:>10.4} {:>10} {:>12.4} {:>12}",
        value.loss,
        percent(value.right),
        owners.loss,
        percent(owners.right)
    ))
}
