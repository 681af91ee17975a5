//! Costs of the parts of a search in processor time, and the networks.

use clap::{Args, ValueEnum};
use std::fmt;

/// Costs in nanoseconds of processor time.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// An evaluation by the network.
    pub evaluation: u64,
    /// A playout.
    pub playout: u64,
    /// The rest of a simulation, for each move of its path: selection, table and backup.
    pub step: u64,
    /// A position of a message that is made, and a page in it.
    pub make: [u64; 2],
    /// A position of a message that is added to the table, and a page in it.
    pub apply: [u64; 2],
    /// A look for messages.
    pub look: u64,
}

/// Costs on the command line; those left out have the measured values below.
#[derive(Args, Default)]
pub struct CostArguments {
    /// Nanoseconds of an evaluation.
    #[arg(long)]
    evaluation: Option<u64>,
    /// Nanoseconds of a playout.
    #[arg(long)]
    playout: Option<u64>,
    /// Nanoseconds of the rest of a simulation for each move of its path.
    #[arg(long)]
    step: Option<u64>,
    /// Nanoseconds of making a message, for each position and for each page.
    #[arg(long, value_delimiter = ',', num_args = 2)]
    make: Option<Vec<u64>>,
    /// Nanoseconds of adding a message to a table, for each position and for each page.
    #[arg(long, value_delimiter = ',', num_args = 2)]
    apply: Option<Vec<u64>>,
}

/// Measured by `--measure` on a core of an AMD EPYC beside other work, for boards of 9x9 and 19x19: the least of three
/// calls, by their evaluations.
const MEASURED: [Costs; 2] = [
    Costs {
        evaluation: 111_000,
        playout: 11_200,
        step: 1_400,
        make: [480, 820],
        apply: [500, 400],
        look: LOOK,
    },
    Costs {
        evaluation: 347_000,
        playout: 45_200,
        step: 5_000,
        make: [560, 1_840],
        apply: [530, 1_220],
        look: LOOK,
    },
];
/// One per cent of the time between two looks, as measured with Open MPI (`tools/cluster/README.md`).
const LOOK: u64 = 30_000;
/// Time between two looks for messages: `BUSY_INTERVAL` of `src/engine/ranks/mpi.rs`.
pub const LOOK_INTERVAL: u64 = 3_000_000;

impl CostArguments {
    /// Returns the costs on a board with this side.
    pub fn for_side(&self, side: usize) -> Costs {
        let measured = MEASURED[usize::from(side > 13)];
        let pair = |given: &Option<Vec<u64>>, measured| given.as_ref().map_or(measured, |it| [it[0], it[1]]);
        Costs {
            evaluation: self.evaluation.unwrap_or(measured.evaluation),
            playout: self.playout.unwrap_or(measured.playout),
            step: self.step.unwrap_or(measured.step),
            make: pair(&self.make, measured.make),
            apply: pair(&self.apply, measured.apply),
            ..measured
        }
    }
}

/// A kind of network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Network {
    /// 50 µs, 1 GB/s, 5 µs of processor time for each message sent or received.
    Ethernet,
    /// 2 µs, 10 GB/s, 1 µs of processor time for each message.
    Infiniband,
}

impl Network {
    /// Returns the delay of a message in nanoseconds.
    pub fn delay(self) -> u64 {
        match self {
            Network::Ethernet => 50_000,
            Network::Infiniband => 2_000,
        }
    }

    /// Returns the time that `bytes` occupy a link, in nanoseconds.
    pub fn transfer(self, bytes: usize) -> u64 {
        match self {
            Network::Ethernet => bytes as u64,
            Network::Infiniband => bytes as u64 / 10,
        }
    }

    /// Returns the processor time of a message at either end, in nanoseconds: assumed, not measured.
    pub fn message(self) -> u64 {
        match self {
            Network::Ethernet => 5_000,
            Network::Infiniband => 1_000,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Network::Ethernet => "ethernet",
            Network::Infiniband => "infiniband",
        })
    }
}
