//! `tewari bench`: the signature of the search.

use super::options::{EngineArguments, describe_default_table};
use super::print::print_line;
use super::value_parsers::parse_seconds;
use super::{machine_benchmark, playouts};
use crate::engine::Engine;
use crate::go::{Komi, Record, Rules, Size};
use crate::search::Limits;
use anyhow::{Result, anyhow};
use clap::Args;
use std::time::Duration;

/// Side of the board, komi and moves (Black first) of each position.
const POSITIONS: [(usize, f64, &str); 6] = [
    (9, 7.5, ""),
    (9, 6.5, "E5 C4 E3 G6 D6 F4 E4 F3"),
    (9, 6.5, "D5 F5 F4 G4 F3 G5 E6 G3 F2 C3 D3 G2 G1 H1 F1 H2"),
    (13, 7.5, "K4 D10 D4 K10 C7 G11"),
    (19, 7.5, "Q16 D4 Q4 D16 O3 C10"),
    (19, 6.5, "R16 D17 Q3 C4 P17 E3 C15 F17 C9 Q9 R11 Q12 R12 Q13 R13 Q14"),
];
/// Visits of the best move at which a search ends: the number of simulations until then depends on every detail of the
/// search.
const BEST_VISITS: u64 = 1_000;
const SEED: u64 = 20_060_922;
/// Default bytes of the table: the signature must not depend on the machine's memory.
const TABLE_BYTES: u64 = 64 << 20;

#[derive(Args)]
#[command(mut_args(|it| describe_default_table(it, TABLE_BYTES)))]
pub(super) struct BenchArguments {
    /// Instead play random games without a search, and compare the light playouts with a reference bot.
    #[arg(long)]
    playouts: bool,
    /// Random games of each playout policy on 9x9; proportionally fewer on larger boards.
    #[arg(long, value_name = "N", default_value_t = 20_000, requires = "playouts",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Measure the best number of threads and memory size for this machine, and print the command to type; takes about
    /// half a minute on two processors. --threads, --memory and --table-size are ignored.
    #[arg(long, conflicts_with = "playouts")]
    machine: bool,
    /// With --machine: duration of each measurement.
    #[arg(long, value_name = "SECONDS", default_value = "1", requires = "machine", value_parser = parse_seconds,
        allow_hyphen_values = true)]
    seconds: Duration,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &BenchArguments) -> Result<()> {
    if arguments.playouts {
        return playouts::run(arguments.games);
    }
    if arguments.machine {
        return machine_benchmark::run(
            arguments.engine.without_file()?.without_evaluator()?,
            arguments.seconds,
        );
    }
    let engine_arguments =
        arguments.engine.without_file()?.without_evaluator()?.with_default_table(TABLE_BYTES);
    let (mut nodes, mut elapsed) = (0, Duration::ZERO);
    for (side, komi, moves) in POSITIONS {
        let size = Size::new(side, side)?;
        let komi = Komi::from_points(komi)?;
        let mut engine = Engine::new(engine_arguments.options(size, Rules::CHINESE, komi, SEED))?;
        let mut record = Record::new(size, Rules::CHINESE, komi);
        for vertex in moves.split_whitespace() {
            let mv = size.parse_vertex(vertex).ok_or_else(|| anyhow!("{vertex} is no vertex"))?;
            record.play(crate::base::game::Game::to_play(record.position()), mv)?;
        }
        engine.set_record(record)?;
        let to_play = crate::base::game::Game::to_play(engine.position());
        let report = engine.search(
            to_play,
            Limits { best_visits: Some(BEST_VISITS), ..Limits::default() },
            &mut |_| true,
        )?;
        let best = size.vertex(engine.chosen_move(&report));
        print_line(format_args!(
            "{size} after {:2} moves: {best:4} {:6} nodes",
            engine.record().moves().len(),
            report.simulations
        ))?;
        nodes += report.simulations;
        elapsed += report.elapsed;
    }
    print_line(format_args!("{nodes} nodes {:.0} nps", nodes as f64 / elapsed.as_secs_f64()))
}
