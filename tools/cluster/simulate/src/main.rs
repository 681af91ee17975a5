//! A discrete-event simulation of one search by many ranks, in one thread and without a network.
//!
//! Every rank runs the search of the program on a table of its own (`rank`), with a virtual clock (`cost`); messages arrive
//! after the delay and at the bandwidth of a network (`wire`). `job` runs all ranks in the order of their clocks. `design` says
//! which rank sends what to which; `judge` compares the chosen moves with those of one search; `positions` makes the test set,
//! `measure` measures the costs on this machine.

mod cost;
mod design;
mod job;
mod judge;
mod measure;
mod positions;
mod rank;
mod rows;
mod wire;

use clap::Parser;
use cost::{Costs, Network};
use design::Design;
use job::{Job, Outcome};
use judge::Judge;
use rows::{Rows, Sample};
use std::path::PathBuf;
use tewari::base::memory::MemoryBudget;
use tewari::engine::EngineOptions;
use tewari::go::{Komi, Position, Size};

/// Simulates one search by many ranks.
#[derive(Parser)]
struct Arguments {
    /// Side of the board.
    #[arg(long, default_value_t = 19)]
    size: usize,
    /// Numbers of ranks, ascending.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,16,64,256")]
    ranks: Vec<usize>,
    /// Simulations of each rank.
    #[arg(long, default_value_t = 100)]
    simulations: u64,
    /// Positions: self-play with moves drawn from the policy, by a fixed seed.
    #[arg(long, default_value_t = 10)]
    positions: usize,
    /// Number of the first position.
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// Designs: all, treeF or groupsG, then :MIN_VISITS, :INTERVAL_MS, :MIN_EVALUATED_VISITS, :SPREAD, :NOISE.
    #[arg(long, value_delimiter = ',', default_value = "all")]
    designs: Vec<Design>,
    /// Networks: ethernet, infiniband.
    #[arg(long, value_delimiter = ',', default_value = "ethernet,infiniband")]
    networks: Vec<Network>,
    /// Size of the judging search relative to all simulations together; 0: no judge.
    #[arg(long, default_value_t = 10)]
    judge: u64,
    /// Seed of positions and searches.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File for the rows, rewritten after each position.
    #[arg(long, default_value = "simulate.csv")]
    out: PathBuf,
    /// Measures the costs of this machine and ends.
    #[arg(long)]
    measure: bool,
    #[command(flatten)]
    costs: cost::CostArguments,
}

/// Bytes of a rank's table for each simulation of the search: more than it needs.
const TABLE_BYTES_PER_SIMULATION: u64 = 160;
/// Minimum bytes of a rank's table.
const MIN_TABLE_BYTES: u64 = 1 << 20;
/// Bytes of the table of a single search.
const SINGLE_TABLE_BYTES: u64 = 256 << 20;

/// Returns the options of an engine with a table of `bytes`.
fn options(side: usize, seed: u64, bytes: u64) -> EngineOptions {
    let size = Size::new(side, side).expect("a board size");
    let mut options = EngineOptions {
        size,
        komi: Komi(15),
        memory: MemoryBudget::Table(bytes),
        ..EngineOptions::default()
    };
    options.parameters.seed = seed;
    options
}

/// Returns the options of a rank in a search of `simulations` in all.
fn rank_options(side: usize, seed: u64, simulations: u64) -> EngineOptions {
    options(side, seed, (simulations * TABLE_BYTES_PER_SIMULATION).max(MIN_TABLE_BYTES))
}

fn main() -> std::io::Result<()> {
    let arguments = Arguments::parse();
    let costs = arguments.costs.for_side(arguments.size);
    if arguments.measure {
        println!("{}", measure::costs(arguments.size, arguments.seed));
        return Ok(());
    }
    let mut rows = Rows::default();
    for number in arguments.first..arguments.first + arguments.positions {
        let root = positions::position(arguments.size, arguments.seed, number as u64);
        run_position(&arguments, &costs, &root, &mut rows);
        std::fs::write(&arguments.out, rows.text(&arguments))?;
        eprintln!("position {number} done");
    }
    Ok(())
}

/// Runs all numbers of ranks, networks and designs on one position.
fn run_position(arguments: &Arguments, costs: &Costs, root: &Position, rows: &mut Rows) {
    let Arguments { size, simulations, seed, .. } = *arguments;
    let run = |ranks: usize, network: Network, design: Design| -> Outcome {
        let options = rank_options(size, seed, simulations * ranks as u64);
        Job { options, root: root.clone(), ranks, simulations, network, design, costs: *costs }.run()
    };
    let alone = run(1, arguments.networks[0], arguments.designs[0]);
    let mut judge = (arguments.judge > 0).then(|| Judge::new(size, seed, root));
    for &ranks in &arguments.ranks {
        let all = simulations * ranks as u64;
        let single = judge.as_mut().map(|judge| {
            judge.extend(arguments.judge * all);
            let chosen = judge::choice_of_single(size, seed, root, all);
            judge.loss(chosen, all)
        });
        for &network in &arguments.networks {
            for &design in &arguments.designs {
                let outcome = run(ranks, network, design);
                let regret = judge.as_mut().map(|judge| judge.loss(outcome.best, all)).zip(single);
                let sample = Sample::new(&outcome, &alone, regret);
                eprintln!("{ranks} {network} {design}: {sample:?}");
                rows.add(ranks, network, design, sample);
            }
        }
    }
}
