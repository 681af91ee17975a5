//! `tewari analyze`.

use super::options::{EngineArguments, LimitArguments};
use crate::analysis::{Analysis, json, positions, text};
use crate::engine::Engine;
use crate::go::{Komi, Position, Record, Rules, Size};
use crate::search::Limits;
use crate::sgf::{self, Step};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Simulations for each position when nothing else is said.
const DEFAULT_SIMULATIONS: u64 = 10_000;
/// Simulations allowed for a proof of a small board when nothing else is said.
const DEFAULT_SIMULATIONS_WITHOUT_FILE: u64 = 1_000_000;
/// Komi where neither the command line nor the record says one: 7.5.
const DEFAULT_KOMI: Komi = Komi(15);
/// The largest file read; the record's reader has the same limit.
const LARGEST_FILE: u64 = sgf::MAX_BYTES as u64;

#[derive(Args)]
pub(super) struct Arguments {
    /// An SGF file, or - for standard input; without one, the empty board of --size.
    file: Option<PathBuf>,
    /// Only the position after N moves; 0 is the start. Default: all positions of the main line.
    #[arg(long = "move", value_name = "N", requires = "file")]
    turn: Option<usize>,
    /// The game of a file with several, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "file")]
    game: usize,
    /// Board, as COLUMNSxROWS or one number, each from 1 to 19; a file has its own.
    #[arg(long, default_value = "19", conflicts_with = "file")]
    size: Size,
    /// Komi; default: the file's, or 7.5.
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<Komi>,
    /// Rules: chinese, tromp-taylor, or ko=simple|positional|situational,suicide=yes|no. Default: the file's
    /// if it names them, or chinese.
    #[arg(long)]
    rules: Option<Rules>,
    /// For people, or one JSON object a line.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Seed of all randomness.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// What is to be analysed.
struct Work {
    id: String,
    steps: Vec<Step>,
    /// Why the rest of the record is not.
    error: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let work = match &arguments.file {
        Some(path) => work_from_file(arguments, path)?,
        None => work_without_file(arguments),
    };
    if let Some(first) = work.steps.first() {
        analyse_all(arguments, &work, &first.position)?;
    }
    match work.error {
        Some(error) => bail!("{}: {error}", work.id),
        None => Ok(()),
    }
}

fn work_without_file(arguments: &Arguments) -> Work {
    let rules = arguments.rules.unwrap_or(Rules::CHINESE);
    let position = Position::new(arguments.size, rules, arguments.komi.unwrap_or(DEFAULT_KOMI));
    Work {
        id: arguments.size.to_string(),
        steps: vec![Step { turn: 0, played: None, position }],
        error: None,
    }
}

fn work_from_file(arguments: &Arguments, path: &Path) -> Result<Work> {
    let name = path.display().to_string();
    let bytes = read(path).with_context(|| format!("cannot read {name}"))?;
    let (collection, broken) = sgf::read_prefix(&bytes);
    for warning in &collection.warnings {
        eprintln!("{name}: {warning}");
    }
    let Some(record) = arguments.game.checked_sub(1).and_then(|index| collection.games.get(index)) else {
        match broken {
            Some(error) => bail!("{name}: {error}"),
            None => bail!("{name} has {} games: there is no game {}", collection.games.len(), arguments.game),
        }
    };
    for warning in &record.warnings {
        eprintln!("{name}: {warning}");
    }
    let rules = positions::rules_of(record, arguments.rules);
    let komi = positions::komi_of(record, arguments.komi, DEFAULT_KOMI);
    let (steps, stopped) = positions::positions_of(record, arguments.turn, rules, komi)
        .with_context(|| format!("cannot replay {name}"))?;
    let error = stopped.map(|error| error.to_string()).or(broken.map(|error| error.to_string()));
    Ok(Work { id: name, steps, error })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    } else {
        let file = std::fs::File::open(path)?;
        if file.metadata()?.is_dir() {
            bail!("expected an SGF file, found a directory");
        }
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn analyse_all(arguments: &Arguments, work: &Work, first: &Position) -> Result<()> {
    let options = arguments.engine.options(first.size(), first.rules(), first.komi(), arguments.seed);
    let mut engine = Engine::new(options)?;
    let mut output = BufWriter::new(std::io::stdout().lock());
    let progress = progress_bar(work.steps.len());
    for step in &work.steps {
        // Setup in the middle of a record may start from another position, never from another board.
        engine.set_record(Record::from_position(step.position.clone()))?;
        let report = engine.search_position(step.position.clone(), limits(arguments), &mut |_| {
            progress.tick();
            true
        });
        let analysis = Analysis::new(&work.id, step.turn, step.played, &step.position, report);
        progress
            .suspend(|| write_analysis(&mut output, arguments.format, &analysis))
            .context("cannot write output")?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(())
}

fn write_analysis(output: &mut impl Write, format: Format, analysis: &Analysis) -> std::io::Result<()> {
    match format {
        Format::Text => writeln!(output, "{}", text::paragraph(analysis))?,
        Format::Json => writeln!(output, "{}", json::object(analysis))?,
    }
    output.flush()
}

fn limits(arguments: &Arguments) -> Limits {
    let LimitArguments { visits, simulations, time } = arguments.limits;
    let default =
        if arguments.file.is_some() { DEFAULT_SIMULATIONS } else { DEFAULT_SIMULATIONS_WITHOUT_FILE };
    let nothing = visits.is_none() && simulations.is_none() && time.is_none();
    Limits {
        visits,
        simulations: if nothing { Some(default) } else { simulations },
        time,
        ..Limits::default()
    }
}

/// On standard error, and only if that is a terminal.
fn progress_bar(positions: usize) -> ProgressBar {
    let bar = ProgressBar::new(positions as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} positions, {eta} left") {
        bar.set_style(style);
    }
    bar
}
