//! `tewari selfplay`.

use super::options::EngineArguments;
use crate::go::{Komi, Rules, Size};
use crate::selfplay::{Folder, Settings};
use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::available_parallelism;

/// A small table is emptied fast, and holds what a search of some hundred simulations finds.
pub(super) const TABLE_BYTES: u64 = 8 << 20;

#[derive(Args)]
pub(super) struct Arguments {
    /// Folder for the games; one that has games, played with the same options, gets those that are missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Games in all.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Boards, as COLUMNSxROWS or one number, separated by commas; games take them in turn.
    #[arg(long, value_name = "SIZES", default_value = "9", value_delimiter = ',')]
    size: Vec<Size>,
    /// Mean komi in points; each game's is drawn around it.
    #[arg(long, value_name = "POINTS", default_value_t = 7.0, allow_hyphen_values = true)]
    komi: f64,
    /// Standard deviation of the komi in points.
    #[arg(long, value_name = "POINTS", default_value_t = 1.0)]
    komi_spread: f64,
    /// Leave a decided game the komi it has; without this it goes on with the komi that its searches think fair, so that
    /// there is more to learn, and forecasts of its result are worth less.
    #[arg(long)]
    keep_komi: bool,
    /// Simulations of a long search, of which the policy is learned; a quarter of the moves has one.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(2..))]
    simulations: u64,
    /// Simulations of a short search.
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(2..))]
    short_simulations: u64,
    /// Mean length of the openings, whose moves are drawn from the network's policy; default: 4 % of the board's points.
    #[arg(long, value_name = "MOVES", value_parser = parse_positive)]
    opening: Option<f64>,
    /// Temperature of that draw: 1 plays moves as often as the policy has them, 2 by the root of that, for stranger positions.
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = parse_positive)]
    opening_temperature: f64,
    /// Seed of all randomness: the same seed plays the same games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games at a time; default: one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Say nothing while games are played.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// A number above 0 and not over 1,000.
fn parse_positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("expected a number, found {text:?}"))?;
    (number > 0.0 && number <= 1000.0)
        .then_some(number)
        .ok_or_else(|| format!("expected a number above 0 and not over 1000, found {text}"))
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    ensure!(
        (-400.0..=400.0).contains(&arguments.komi) && (0.0..=100.0).contains(&arguments.komi_spread),
        "expected a komi from -400 to 400 and a spread from 0 to 100, found {} and {}",
        arguments.komi,
        arguments.komi_spread
    );
    let settings = Settings {
        sizes: arguments.size.clone(),
        komi: arguments.komi,
        komi_spread: arguments.komi_spread,
        keep_komi: arguments.keep_komi,
        simulations: arguments.simulations,
        short_simulations: arguments.short_simulations,
        opening: arguments.opening,
        opening_temperature: arguments.opening_temperature,
        seed: arguments.seed,
    };
    let engine_arguments = arguments.engine.without_file()?.with_default_table(TABLE_BYTES);
    let options = engine_arguments.options(settings.sizes[0], Rules::CHINESE, Komi(15), settings.seed);
    let at_a_time = arguments
        .concurrency
        .map_or_else(|| available_parallelism().map_or(1, std::num::NonZero::get), usize::from);
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    ctrlc::set_handler(move || told.store(true, Relaxed)).context("cannot wait for Ctrl-C")?;
    let bar = if arguments.quiet { ProgressBar::hidden() } else { ProgressBar::new(arguments.games) };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} games, {eta} left") {
        bar.set_style(style);
    }
    let mut folder = Folder::open(&arguments.out, &settings.identity(&options))?;
    if folder.is_adopted() {
        super::print_error(&format!(
            "{}: its {} games do not say how they were played; from now on it has the options of this run",
            arguments.out.display(),
            folder.games()
        ));
    }
    bar.set_position(folder.games() as u64);
    bar.reset_eta();
    let progress = |games: usize| {
        bar.set_position(games as u64);
        !stop.load(Relaxed)
    };
    folder.play(arguments.games, at_a_time, &settings, &options, &progress)?;
    bar.finish_and_clear();
    super::print_line(format_args!("{}: {} games", arguments.out.display(), folder.games()))?;
    Ok(())
}
