//! `tewari sweep`.

use super::contestants;
use super::laboratory::{GameArguments, Verdict};
use super::options::{LimitArguments, parse_bytes, parse_seconds};
use crate::arena::contestant::ContestantSpec;
use crate::arena::experiment::{Experiment, GameRow};
use crate::arena::report::pair_counts;
use crate::arena::sweep::{MoveLimit, PointRow, points};
use crate::table::Replacement;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::io::Write;
use std::time::Duration;

/// Where nothing says how long engines think.
const DEFAULT_SIMULATIONS: u64 = 1_000;

#[derive(Args)]
pub(super) struct Arguments {
    /// Sizes of the table, for example 32KiB,128KiB,512KiB,2MiB,8MiB.
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',', value_parser = parse_bytes, required = true)]
    table_size: Vec<u64>,
    /// Ways of replacing: visits-and-generation, visits, least-recently-used, always.
    #[arg(long, value_name = "POLICY,...", value_delimiter = ',', default_value = "visits-and-generation")]
    replacement: Vec<Replacement>,
    /// Budgets of equal work: simulations a move.
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    simulations: Vec<u64>,
    /// Budgets of equal time: seconds a move.
    #[arg(long, value_name = "SECONDS,...", value_delimiter = ',', value_parser = parse_seconds)]
    time: Vec<Duration>,
    /// The engine whose table is varied: self, or self:OPTIONS.
    #[arg(long, value_name = "SELF", default_value = "self")]
    engine: String,
    /// What every point plays against: self:OPTIONS, which gets the point's budget, or a GTP command line. Default: the
    /// engine with a table of 64MiB.
    #[arg(long, value_name = "CMD")]
    reference: Option<String>,
    /// Games of each point.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    #[command(flatten)]
    games_arguments: GameArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let common = &arguments.games_arguments;
    let no_limits = LimitArguments { visits: None, simulations: None, time: None };
    let setting = common.setting(no_limits);
    let ContestantSpec::Own { engine, session, .. } = contestants::parse(&arguments.engine, &setting)? else {
        bail!("--engine {:?}: expected self or self:OPTIONS, whose table can be varied", arguments.engine);
    };
    let reference =
        contestants::parse(arguments.reference.as_deref().unwrap_or(&arguments.engine), &setting)?;
    let points = points(&arguments.table_size, &arguments.replacement, &arguments.limits());
    for (index, point) in points.iter().enumerate() {
        ensure!(!points[..index].contains(point), "the point {point} is there twice");
        point.layout(&engine).with_context(|| format!("table size {point}"))?;
    }
    let experiment = Experiment {
        pairings: points.iter().map(|point| point.pairing(&engine, &session, &reference)).collect(),
        conditions: common.conditions(no_limits),
        openings: common.read_openings()?,
        seed: common.seed,
        keep_table: false,
    };
    let mut identity = common.identity(&experiment, no_limits);
    identity.insert("engine".to_owned(), arguments.engine.clone());
    let games = arguments.games * points.len() as u64;
    let played = common.play(&experiment, &identity, games, &mut |rows| Verdict {
        line: format!("{} points, {:.1} games each", points.len(), rows.len() as f64 / points.len() as f64),
        stop: false,
    })?;
    let rows: Vec<PointRow> = points
        .iter()
        .map(|point| {
            let label = point.to_string();
            let games: Vec<&GameRow> = played.rows.iter().filter(|row| row.pairing == label).collect();
            let layout = point.layout(&engine)?;
            Ok(PointRow::new(point, &layout, &games, &pair_counts(&experiment, &games), None))
        })
        .collect::<Result<_>>()?;
    let csv = csv_text(&rows)?;
    if let Some(store) = &played.store {
        store.write("sweep.csv", &csv)?;
    }
    std::io::stdout().lock().write_all(csv.as_bytes())?;
    if played.interrupted {
        bail!("interrupted after {} of {games} games; --resume goes on", played.rows.len());
    }
    Ok(())
}

impl Arguments {
    fn limits(&self) -> Vec<MoveLimit> {
        let simulations = self.simulations.iter().map(|&count| MoveLimit::Simulations(count));
        let limits: Vec<MoveLimit> =
            simulations.chain(self.time.iter().map(|&time| MoveLimit::Time(time))).collect();
        if limits.is_empty() { vec![MoveLimit::Simulations(DEFAULT_SIMULATIONS)] } else { limits }
    }
}

fn csv_text(rows: &[PointRow]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
