//! The schedule of an experiment: the pairing and the pair of games that a game belongs to.
//!
//! Game number `g` is game `g / pairings` of pairing `g % pairings`: all pairings advance together, and a run that is
//! cut off has about the same number of games of each. Two consecutive games of a pairing are a pair: they have one
//! opening and exchange colours.

use super::experiment::{Experiment, GameRow};
use crate::base::shard::Shard;

/// The names of a pairing in records and reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingNames {
    /// The label of the pairing; empty if there is only one.
    pub label: String,
    /// The names of the two contestants.
    pub names: [String; 2],
}

/// The pairings of an experiment, without its engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The pairings, in the order of the games.
    pub pairings: Vec<PairingNames>,
}

impl Schedule {
    /// Returns the schedule of an experiment.
    #[must_use]
    pub fn of(experiment: &Experiment) -> Schedule {
        let names = |pairing: &super::experiment::Pairing| PairingNames {
            label: pairing.label.clone(),
            names: pairing.names.clone(),
        };
        Schedule { pairings: experiment.pairings.iter().map(names).collect() }
    }

    /// Returns the schedule of the games `rows` of `pairings` pairings; `None` if a pairing has no game.
    #[must_use]
    pub fn of_rows(rows: &[GameRow], pairings: u64) -> Option<Schedule> {
        let names = |number: u64| {
            let row = rows.iter().find(|row| row.game % pairings == number)?;
            let (black, white) = (row.black.clone(), row.white.clone());
            let names = if row.black_is == 0 { [black, white] } else { [white, black] };
            Some(PairingNames { label: row.pairing.clone(), names })
        };
        Some(Schedule { pairings: (0..pairings).map(names).collect::<Option<_>>()? })
    }

    /// Returns the number of the pair that `game` belongs to, unique in the experiment.
    #[must_use]
    pub fn pair_of(&self, game: u64) -> u64 {
        let pairings = self.pairings.len() as u64;
        game / pairings / 2 * pairings + game % pairings
    }
}

/// Returns the one of `count` shards that `game` of an experiment of `pairings` pairings belongs to. A pair of games
/// belongs to one shard.
#[must_use]
pub fn shard_of(count: u64, game: u64, pairings: u64) -> Shard {
    Shard::of(count, game / pairings / 2, game % pairings)
}
