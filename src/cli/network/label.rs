//! `tewari network label`: evaluations of positions by another program, from which a network learns.

use super::games::TrainingGames;
use super::source::NetworkSource;
use crate::base::folder::FolderIdentity;
use crate::cli::interrupt::{Interrupted, stop_on_interrupt};
use crate::cli::print::{print_line, progress_bar};
use crate::cli::shard_identity::fingerprint;
use crate::external::ExternalEvaluator;
use crate::go::Size;
use crate::lab::training::label_folder::{LabelFolder, VERSION};
use crate::lab::training::labelling::Labelling;
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct LabelArguments {
    /// Folders of self-play; or one file (- for standard input) of games on 19x19, one a line: DATE RESULT KOMI MOVES,
    /// with moves in SGF letters.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Folder for the labels. If it has labels made with the same options, only the missing ones are made.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The command of the program that evaluates positions, and speaks KataGo's analysis protocol: "katago analysis
    /// -config FILE -model FILE".
    #[arg(long, value_name = "COMMAND")]
    evaluator: String,
    /// The name of the evaluator's model, which is stored with the labels. Default: the name of the file after -model in
    /// the command.
    #[arg(long, value_name = "NAME")]
    evaluator_name: Option<String>,
    /// Append the messages of the evaluator (its standard error) to this file.
    #[arg(long, value_name = "FILE")]
    evaluator_log: Option<PathBuf>,
    /// Total number of positions: half of them recorded, the others after one to three moves that the network draws.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    positions: u32,
    /// The board to use, if the games of self-play are on several boards.
    #[arg(long)]
    size: Option<Size>,
    /// Seed of the random numbers: the same seed draws the same positions.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of questions at a time.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=255))]
    threads: u16,
    /// Print no progress.
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    source: NetworkSource,
}

/// Returns the names and values that labels of these games on a board of `size` have in their description.
pub(super) fn games_identity(games: &TrainingGames, size: Size) -> FolderIdentity {
    let games = fingerprint(games.names().iter());
    [("version", VERSION.to_owned()), ("board", size.to_string()), ("games", games)]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

pub(super) fn run(arguments: &LabelArguments) -> Result<()> {
    let evaluator = ExternalEvaluator::new(&arguments.evaluator, arguments.evaluator_name.as_deref())
        .with_log(arguments.evaluator_log.as_deref());
    let teacher =
        evaluator.name().context("expected the name of the evaluator's model: give --evaluator-name")?;
    let (games, size) = TrainingGames::read(&arguments.games, arguments.size)?;
    let network = arguments.source.networks()?.network_for(size);
    let mut identity = games_identity(&games, size);
    let drawn_by = format!("{:016x}", network.identity());
    for (name, value) in [("teacher", teacher), ("network", &drawn_by), ("seed", &arguments.seed.to_string())]
    {
        identity.insert(name.to_owned(), value.to_owned());
    }
    let games = games.moves();
    ensure!(games.iter().any(|game| !game.moves.is_empty()), "expected games with moves, found none");
    let mut folder = LabelFolder::open(&arguments.out, &identity, size)?;
    let total = u64::from(arguments.positions);
    let bar = progress_bar(total, "positions", arguments.quiet);
    bar.set_position(folder.done().len() as u64);
    bar.reset_eta();
    let labelling = Labelling { games: &games, size, evaluator: &evaluator, network, seed: arguments.seed };
    let progress = |labels: usize| bar.set_position(labels as u64);
    let threads = usize::from(arguments.threads);
    labelling.run(&mut folder, arguments.positions, threads, stop_on_interrupt(), &progress)?;
    bar.finish_and_clear();
    let done = (0..arguments.positions).filter(|number| folder.done().contains(number)).count();
    ensure!(
        done == arguments.positions as usize,
        Interrupted(format!("interrupted after {done} of {total} positions; the same command continues"))
    );
    print_line(format_args!("{}: {} labels", arguments.out.display(), folder.done().len()))
}
