//! `tewari selfplay`: games of the engine against itself, for training.

use super::concurrency::searches_at_a_time;
use super::interrupt::{Interrupted, stop_on_interrupt};
use super::options::{EngineArguments, describe_default_table};
use super::print::{print_error, print_line, progress_bar};
use super::usage_error::UsageError;
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::go::{Komi, Rules, Size};
use crate::lab::selfplay::{SelfplayFolder, SelfplaySettings};
use anyhow::{Result, ensure};
use clap::Args;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

/// Default bytes of the table: quickly cleared, and enough for a search of some hundred simulations.
const TABLE_BYTES: u64 = 8 << 20;

#[derive(Args)]
#[command(mut_args(|it| describe_default_table(it, TABLE_BYTES)))]
pub(super) struct SelfplayArguments {
    /// Folder for the games. If it has games played with the same options, only the missing
    /// ones are played; --threads, --memory and --table-size may differ.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Total number of games.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Play only part I of N of the games, for example 2/8; `tewari join` puts the folders of all parts together.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Boards, as COLUMNSxROWS or one number, separated by commas; games take them in turn.
    #[arg(long, value_name = "SIZES", default_value = "9", value_delimiter = ',')]
    size: Vec<Size>,
    /// Mean komi in points; each game's is drawn around it.
    #[arg(long, value_name = "POINTS", default_value_t = 7.0, allow_hyphen_values = true)]
    komi: f64,
    /// Standard deviation of the komi in points.
    #[arg(long, value_name = "POINTS", default_value_t = 1.0)]
    komi_spread: f64,
    /// Keep the komi of a decided game. Without this option the game continues with the komi that its searches consider
    /// fair, so that there is more to learn, but its result is worth less as a test of forecasts.
    #[arg(long)]
    keep_komi: bool,
    /// Number of simulations of a long search, which provides the policy to learn; a quarter of the moves have one.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(2..))]
    simulations: u64,
    /// Number of simulations of a short search.
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u64).range(2..))]
    short_simulations: u64,
    /// Mean number of opening moves, which are drawn from the network's policy. Default: 4 % of the board's points.
    #[arg(long, value_name = "MOVES", value_parser = parse_positive)]
    opening: Option<f64>,
    /// Temperature of that draw: with 1, moves have the policy's probabilities; with 2, proportional to their square
    /// roots, for more unusual positions.
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = parse_positive)]
    opening_temperature: f64,
    /// Seed of the random numbers: the same seed plays the same games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of games played at the same time. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    /// Print no progress.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Parses a number above 0 and at most 1,000.
fn parse_positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("expected a number, found {text:?}"))?;
    (number > 0.0 && number <= 1000.0)
        .then_some(number)
        .ok_or_else(|| format!("expected a number above 0 and not over 1000, found {text}"))
}

pub(super) fn run(arguments: &SelfplayArguments) -> Result<()> {
    ensure!(
        (-400.0..=400.0).contains(&arguments.komi) && (0.0..=100.0).contains(&arguments.komi_spread),
        UsageError(format!(
            "expected a --komi from -400 to 400 and a --komi-spread from 0 to 100, found {} and {}",
            arguments.komi, arguments.komi_spread
        ))
    );
    let settings = SelfplaySettings {
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
    let engine_arguments =
        arguments.engine.without_file()?.without_evaluator()?.with_default_table(TABLE_BYTES);
    let options = engine_arguments.options(settings.sizes[0], Rules::CHINESE, Komi(15), settings.seed);
    let at_a_time = searches_at_a_time(arguments.concurrency);
    let stop = stop_on_interrupt();
    let shards = arguments.shard.map_or(1, Shard::count);
    let games = arguments.games.div_ceil(shards);
    let bar = progress_bar(games, "games", arguments.quiet);
    let mut identity = settings.identity(&options);
    if let Some(shard) = arguments.shard {
        let command = ShardedCommand::Selfplay;
        ShardPlace { shard, total: arguments.games, command }.add_to(&mut identity);
    }
    let mut folder = SelfplayFolder::open(&arguments.out, &identity)?;
    if folder.is_adopted() {
        print_error(&format!(
            "{}: the options of its {} games are not recorded; the options of this run are recorded for the folder",
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
    let is_complete =
        folder.play(arguments.games, arguments.shard, at_a_time, &settings, &options, &progress)?;
    bar.finish_and_clear();
    let played = folder.games();
    ensure!(
        is_complete,
        Interrupted(match arguments.shard {
            None => format!("interrupted after {played} of {games} games; the same command continues"),
            Some(shard) =>
                format!("interrupted after {played} games of shard {shard}; the same command continues"),
        })
    );
    print_line(format_args!("{}: {played} games", arguments.out.display()))
}
