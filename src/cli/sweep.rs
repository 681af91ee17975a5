//! `tewari sweep`: strength against table size.

use super::contestants;
use super::experiments::{ExperimentState, GameArguments};
use super::interrupt::{Interrupted, stop_on_interrupt};
use super::options::LimitArguments;
use super::print::{plural, print_error, print_line, print_text};
use super::usage_error::{UsageError, usage};
use super::value_parsers::{parse_bytes, parse_seconds, replacements};
use crate::base::byte_size::exact_bytes;
use crate::base::memory::MemoryBudget;
use crate::base::shard::ShardedCommand;
use crate::engine::EngineOptions;
use crate::lab::arena::chart::{self, ChartText};
use crate::lab::arena::contestant::ContestantSpec;
use crate::lab::arena::experiment::{Experiment, GameRow};
use crate::lab::arena::footprint::{self, Footprint};
use crate::lab::arena::move_quality::{self, MoveQualityTest};
use crate::lab::arena::report::pair_counts;
use crate::lab::arena::schedule::Schedule;
use crate::lab::arena::sweep::{self, KNEE_ELO, SweepCurve, SweepRow};
use crate::lab::arena::sweep_point::{MoveLimit, SweepPoint, points};
use crate::table::Replacement;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Rautureau, Cazenave & Piette, arXiv 2602.23318: the smallest pools, as log10 of the share of nodes, that
/// keep the strength of their tree search on 9x9, with one level of recycling and with two.
const PUBLISHED: [(&str, f64, f64); 2] =
    [("recycling, one level", -0.823_9, 0.5), ("recycling, two levels", -1.699, 0.5)];

/// The file of results in the folder.
pub(super) const CSV: &str = "sweep.csv";
/// Default number of simulations a move.
const DEFAULT_SIMULATIONS: u64 = 1_000;
/// Bytes of the table of a reference that searches longer than the points.
const AMPLE_TABLE_BYTES: u64 = 256 << 20;

#[derive(Args)]
pub(super) struct SweepArguments {
    /// Sizes of the table, for example 32KiB,128KiB,512KiB,2MiB,8MiB.
    #[arg(long, value_name = "BYTES,...", value_delimiter = ',', value_parser = parse_bytes,
        required_unless_present = "rows")]
    table_size: Vec<u64>,
    /// Replacement policies to compare.
    #[arg(long, value_name = "POLICY,...", value_delimiter = ',', default_value = Replacement::default().name(),
        value_parser = replacements())]
    replacement: Vec<Replacement>,
    /// Budgets of equal work: simulations a move. Default: 1000, unless --time is given.
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    simulations: Vec<u64>,
    /// Budgets of equal time: seconds a move.
    #[arg(long, value_name = "SECONDS,...", value_delimiter = ',', value_parser = parse_seconds)]
    time: Vec<Duration>,
    /// The engine with the varied table: self, or self:OPTIONS.
    #[arg(long, value_name = "SELF", default_value = "self")]
    engine: String,
    /// Opponent of every point: self:OPTIONS, which gets the point's budget, or a GTP command line. With --rows: its
    /// name in charts of rows that do not contain one. Default: the engine with a table of 64MiB.
    #[arg(long, value_name = "CMD")]
    reference: Option<String>,
    /// Play no games: search the positions of these games (an SGF file, or openings) at each point, and compare the
    /// moves with those of a reference that searches much longer. Takes minutes instead of hours.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rows", "reference"])]
    positions: Option<PathBuf>,
    /// With --positions: moves between two positions of an SGF file.
    #[arg(long, value_name = "N", default_value_t = 8, requires = "positions",
        value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// With --positions: number of searches of each position at each point.
    #[arg(long, value_name = "N", default_value_t = 4, requires = "positions",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: u32,
    /// With --positions: the reference's simulations or time, as a multiple of the point's.
    #[arg(long, value_name = "N", default_value_t = 20, requires = "positions",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    factor: u32,
    /// Play no games: draw the charts of these results, the sweep.csv of earlier sweeps, into --out.
    #[arg(long, value_name = "CSV", requires = "out", conflicts_with = "table_size")]
    rows: Vec<PathBuf>,
    /// Number of games of each point.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    #[command(flatten)]
    games_arguments: GameArguments,
}

pub(super) fn run(arguments: &SweepArguments) -> Result<()> {
    let common = &arguments.games_arguments;
    usage(arguments.check_shard())?;
    if !arguments.rows.is_empty() {
        return draw_again(arguments);
    }
    let no_limits = LimitArguments { visits: None, simulations: None, time: None };
    let setting = common.setting(no_limits);
    let ContestantSpec::BuiltIn { engine, session, .. } = contestants::parse(&arguments.engine, &setting)?
    else {
        let engine = &arguments.engine;
        bail!(UsageError(format!(
            "--engine {engine:?}: expected self or self:OPTIONS; the tables of other programs cannot be varied"
        )));
    };
    usage(arguments.check_engine(&engine))?;
    let reference =
        contestants::parse(arguments.reference.as_deref().unwrap_or(&arguments.engine), &setting)?;
    let reference_name = name_of(&reference);
    let points = points(&arguments.table_size, &arguments.replacement, &arguments.limits());
    for (index, point) in points.iter().enumerate() {
        ensure!(!points[..index].contains(point), UsageError(format!("the point {point} is given twice")));
        point.layout(&engine).with_context(|| format!("table size {point}"))?;
    }
    if let Some(path) = &arguments.positions {
        return measure_moves(arguments, path, &points, &engine);
    }
    let experiment = Experiment {
        pairings: points.iter().map(|point| point.pairing(&engine, &session, &reference)).collect(),
        conditions: common.conditions(no_limits),
        openings: common.read_openings()?,
        seed: common.seed,
        keep_table: false,
    };
    let mut identity = common.identity(&experiment, no_limits);
    identity.setting.insert("engine".to_owned(), arguments.engine.clone());
    let games = arguments.games * points.len() as u64;
    common.add_shard(&mut identity, ShardedCommand::Sweep, games);
    let schedule = Schedule::of(&experiment);
    let played = common.play(&experiment, &identity, games, &mut |rows| ExperimentState {
        line: format!(
            "{} of the table, {:.1} games at each",
            plural(points.len() as u64, "setting"),
            rows.len() as f64 / points.len() as f64
        ),
        stop: false,
    })?;
    let footprints: Vec<Option<Footprint>> = points
        .iter()
        .map(|point| played.outcome.is_ok().then(|| footprint::measure(&arguments.command(point))).flatten())
        .collect();
    let rows: Vec<SweepRow> = points
        .iter()
        .zip(footprints)
        .map(|(point, footprint)| {
            let label = point.to_string();
            let games: Vec<&GameRow> = played.rows.iter().filter(|row| row.pairing == label).collect();
            let layout = point.layout(&engine)?;
            Ok(SweepRow::new(
                point,
                &layout,
                &games,
                &pair_counts(&schedule, &games),
                footprint,
                &reference_name,
            ))
        })
        .collect::<Result<_>>()?;
    let shown = show(&rows).and_then(|()| match &played.store {
        None => Ok(()),
        Some(store) => files(&rows, &common.title(), &reference_name)?
            .iter()
            .try_for_each(|(name, text)| Ok(store.write(name, text)?)),
    });
    played.outcome.and(shown)
}

impl SweepArguments {
    /// Returns an error for a shard of what plays no games.
    fn check_shard(&self) -> Result<()> {
        ensure!(
            self.games_arguments.shard.is_none() || (self.rows.is_empty() && self.positions.is_none()),
            "--shard cannot be used with --rows or --positions, which play no games: leave it out"
        );
        Ok(())
    }

    /// Returns an error for options of the engine that the sweep varies, and for a table file.
    fn check_engine(&self, engine: &EngineOptions) -> Result<()> {
        for given in
            ["--table-size", "--memory", "--replacement", "--simulations", "--visits", "--time", "--level"]
        {
            ensure!(
                !self.engine_has(given),
                "--engine {:?}: expected no {given}, which the sweep itself varies",
                self.engine
            );
        }
        ensure!(
            engine.table_file.is_none(),
            "--engine {:?}: expected no --table, found a file, whose size cannot vary: leave out --table and --table-mode",
            self.engine
        );
        Ok(())
    }

    /// Returns true if the words of the engine contain an option.
    fn engine_has(&self, option: &str) -> bool {
        self.engine.split([' ', '=', ':']).any(|word| word == option)
    }

    /// Returns the command line of this program as a GTP engine with the table of `point`. All stones count as alive: the
    /// status of dead stones would take many times longer than a short search.
    fn command(&self, point: &SweepPoint) -> String {
        let program = std::env::current_exe().unwrap_or_else(|_| "tewari".into());
        let program = program.to_string_lossy();
        let program = shlex::try_quote(&program).unwrap_or(std::borrow::Cow::Borrowed("tewari"));
        let options = self.engine.trim().strip_prefix("self").unwrap_or_default().trim_start_matches(':');
        let SweepPoint { table_size, replacement, limit } = point;
        let common = &self.games_arguments;
        let resign = if self.engine_has("--resign") { "" } else { "--resign 0" };
        format!(
            "{program} gtp --config none --quiet --dead none {resign} --size {} --komi={} --rules {} --seed {} {options} \
             --table-size {table_size} --replacement {replacement} {}",
            common.size,
            common.komi,
            common.rules,
            common.seed,
            limit.options()
        )
    }

    fn limits(&self) -> Vec<MoveLimit> {
        let simulations = self.simulations.iter().map(|&count| MoveLimit::Simulations(count));
        let limits: Vec<MoveLimit> =
            simulations.chain(self.time.iter().map(|&time| MoveLimit::Time(time))).collect();
        if limits.is_empty() { vec![MoveLimit::Simulations(DEFAULT_SIMULATIONS)] } else { limits }
    }
}

/// Returns the name of a reference in charts: its words, and its table size if they do not contain it.
fn name_of(reference: &ContestantSpec) -> String {
    let words = reference.description();
    match reference {
        ContestantSpec::BuiltIn { engine, .. } if !words.contains("--table-size") => match engine.memory {
            MemoryBudget::Table(bytes) => format!("{words} with a table of {}", exact_bytes(bytes)),
            MemoryBudget::Engine(_) => words.to_owned(),
        },
        _ => words.to_owned(),
    }
}

/// Prints the results as CSV, and the knees on standard error.
pub(super) fn show(rows: &[SweepRow]) -> Result<()> {
    print_text(&csv_text(rows)?)?;
    for curve in &sweep::curves(rows) {
        print_error(&curve.knee_summary());
    }
    Ok(())
}

/// Returns the names and contents of the files kept beside the games: the CSV and the charts.
pub(super) fn files(rows: &[SweepRow], title: &str, reference: &str) -> Result<Vec<(&'static str, String)>> {
    let charts = Charts::draw(&sweep::curves(rows), title, reference)?;
    let shares = charts.shares.map(|shares| ("share.svg", shares));
    let all = [(CSV, csv_text(rows)?), ("sweep.svg", charts.sizes)];
    Ok(all.into_iter().chain(shares).collect())
}

/// Reads the rows of a `sweep.csv`.
pub(super) fn read_rows(path: &Path) -> Result<Vec<SweepRow>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| format!("{}", path.display()))?;
    let mut rows = Vec::new();
    for (number, row) in reader.deserialize::<SweepRow>().enumerate() {
        let place = || format!("{}, row {}", path.display(), number + 1);
        let row = row.with_context(|| format!("{}: expected a row of sweep.csv", place()))?;
        row.check().with_context(place)?;
        rows.push(row);
    }
    Ok(rows)
}

/// Runs the sweep over positions instead of games.
fn measure_moves(
    arguments: &SweepArguments,
    path: &Path,
    points: &[SweepPoint],
    engine: &EngineOptions,
) -> Result<()> {
    let common = &arguments.games_arguments;
    let named = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(named)?;
    let mut engine = engine.clone();
    engine.memory = MemoryBudget::Table(AMPLE_TABLE_BYTES);
    engine.parameters.seed = common.seed;
    let positions =
        move_quality::positions(&bytes, &engine, usize::from(arguments.every)).with_context(named)?;
    ensure!(
        !positions.is_empty(),
        "{}: expected games of at least {} moves, found none",
        named(),
        arguments.every
    );
    let test = MoveQualityTest { engine, factor: arguments.factor, repeats: arguments.repeats };
    let bar = common.progress(positions.len() as u64, "positions");
    let stop = stop_on_interrupt();
    let searched = AtomicUsize::new(0);
    let rows = test.run(points, &positions, common.concurrency(), stop, &|| {
        searched.fetch_add(1, Relaxed);
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    let csv = csv_text(&rows)?;
    if let Some(folder) = &common.out {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let words = ChartText {
            title: format!("Moves and table size, {}", common.size),
            x: format!(
                "size of the table ({} positions, {} searches each)",
                positions.len(),
                arguments.repeats
            ),
            reference: "the reference".to_owned(),
            notes: vec![format!(
                "The reference is the same engine with {} times the budget and a table of {}.",
                arguments.factor,
                exact_bytes(AMPLE_TABLE_BYTES)
            )],
        };
        let [agreement, regret] = move_quality::move_quality_series(&rows);
        let svg = chart::move_quality_chart(&words, &agreement, &regret)?;
        for (name, text) in [("proxy.csv", &csv), ("proxy.svg", &svg)] {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
    }
    print_text(&csv)?;
    let searched = searched.into_inner();
    ensure!(
        searched == positions.len(),
        Interrupted(format!("interrupted after {searched} of {} positions", positions.len()))
    );
    Ok(())
}

/// Draws the charts of earlier results.
fn draw_again(arguments: &SweepArguments) -> Result<()> {
    let mut rows: Vec<SweepRow> = Vec::new();
    for path in &arguments.rows {
        rows.extend(read_rows(path)?);
    }
    let curves = sweep::curves(&rows);
    let kept = rows.iter().map(|row| row.reference.as_str()).find(|reference| !reference.is_empty());
    let reference = arguments.reference.as_deref().or(kept).unwrap_or("an unnamed reference");
    let charts = Charts::draw(&curves, &arguments.games_arguments.title(), reference)?;
    let folder = arguments.games_arguments.out.as_deref().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    for (name, svg) in [("sweep.svg", Some(charts.sizes)), ("share.svg", charts.shares)] {
        let path = folder.join(name);
        if let Some(svg) = svg {
            std::fs::write(&path, svg).with_context(|| format!("{}", path.display()))?;
        }
    }
    curves.iter().try_for_each(|curve| print_line(curve.knee_summary()))
}

/// The charts of a sweep.
struct Charts {
    sizes: String,
    /// The chart of shares; `None` unless every share is known.
    shares: Option<String>,
}

impl Charts {
    fn draw(curves: &[SweepCurve], title: &str, reference: &str) -> Result<Charts> {
        let games: Vec<u64> = curves.iter().flat_map(|curve| &curve.rows).map(|row| row.games).collect();
        let (fewest, most) = (games.iter().min().unwrap_or(&0), games.iter().max().unwrap_or(&0));
        let games =
            if fewest == most { format!("{most} games") } else { format!("{fewest} to {most} games") };
        let words = |x: String, notes: Vec<String>| ChartText {
            title: title.to_owned(),
            x,
            reference: reference.to_owned(),
            notes,
        };
        let series: Vec<_> = curves.iter().map(SweepCurve::elo_series).collect();
        let has_knee = series.iter().any(|one| one.knee.is_some());
        let knee = format!(
            "Knee: from this size on a larger table gains less than {KNEE_ELO} Elo; there the curve that is fitted to the points \
             is {KNEE_ELO} Elo below where it levels off."
        );
        let notes = if has_knee { vec![knee] } else { Vec::new() };
        let sizes =
            chart::sweep_chart(&words(format!("size of the table ({games} a point)"), notes), &series)?;
        let x = format!("edge pages, as a share of those that one unbounded search makes ({games} a point)");
        let shares: Option<Vec<_>> = curves.iter().map(SweepCurve::share_series).collect();
        let source =
            "Crosses: the smallest pools of nodes that keep the strength of the tree search of Rautureau, \
                      Cazenave and Piette on 9x9 (arXiv 2602.23318)."
                .to_owned();
        let shares = shares.map(|series| chart::share_chart(&words(x, vec![source]), &series, &PUBLISHED));
        Ok(Charts { sizes, shares: shares.transpose()? })
    }
}

fn csv_text<R: Serialize>(rows: &[R]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
