//! One search by all ranks, in the order of their virtual clocks.

use crate::cost::{Costs, LOOK_INTERVAL, Network};
use crate::design::{Design, Route};
use crate::rank::{Rank, Terms};
use crate::wire::Wire;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use tewari::base::game::Move;
use tewari::engine::{Engine, EngineOptions};
use tewari::go::Position;
use tewari::network::probabilities::PROBABILITY_ONE;
use tewari::search::policy::Puct;
use tewari::search::{Journal, Report};

/// A search by several ranks.
pub struct Job {
    /// Options of each rank's engine.
    pub options: EngineOptions,
    /// The position.
    pub root: Position,
    /// Number of ranks.
    pub ranks: usize,
    /// Simulations for each rank. All ranks together run this number times the ranks, as in a search limited by time.
    pub simulations: u64,
    /// Kind of the network.
    pub network: Network,
    /// Design of the exchange.
    pub design: Design,
    /// Costs of a rank's work.
    pub costs: Costs,
}

/// The result of a job.
pub struct Outcome {
    /// Virtual time in nanoseconds until the first rank has everything.
    pub elapsed: u64,
    /// Simulations of all ranks.
    pub simulations: u64,
    /// Evaluations of all ranks.
    pub evaluations: u64,
    /// Evaluations of pages that another rank has evaluated, too.
    pub repeated: u64,
    /// Bytes sent by all ranks.
    pub bytes: u64,
    /// Processor time of messages on all ranks, in nanoseconds.
    pub message_time: u64,
    /// Number of ranks.
    pub ranks: usize,
    /// The move that the first rank chooses.
    pub best: Option<Move>,
    /// The first rank's report.
    pub report: Report,
}

impl Job {
    /// Returns the options of one rank. The exploration of the ranks is spread evenly, on a logarithmic scale.
    fn options_of(&self, rank: usize) -> EngineOptions {
        let mut options = self.options.clone();
        if self.design.spread > 0 {
            let place = (rank as f64 * 0.618_034 + 0.5).fract() * 2.0 - 1.0;
            let factor = (1.0 + f64::from(self.design.spread) / 100.0).powf(place);
            let puct = f64::from(Puct::default().exploration) * factor;
            options.policy = format!("rave:puct={puct:.3}").parse().expect("a policy");
        }
        options
    }

    /// Returns the noise at the root of one rank: a single move.
    fn noise_of(&self, rank: usize, engine: &Engine) -> Option<Vec<u32>> {
        let place = rank.checked_rem(self.design.noise as usize)?;
        let policy = engine.policy(&self.root)?;
        let mut order: Vec<usize> = (0..policy.len()).collect();
        order.sort_by(|&one, &other| policy[other].total_cmp(&policy[one]));
        let mut noise = vec![0; policy.len()];
        noise[order[place]] = PROBABILITY_ONE;
        Some(noise)
    }

    /// Runs the job.
    ///
    /// # Panics
    /// Panics if there is no memory for the tables.
    pub fn run(&self) -> Outcome {
        let engine = |rank| {
            let mut engine = Engine::new(self.options_of(rank)).expect("an engine");
            let noise = self.noise_of(rank, &engine);
            engine.set_root_noise(noise);
            engine
        };
        let engines: Vec<Engine> = (0..self.ranks).map(engine).collect();
        let journals: Vec<Journal> = (0..self.ranks).map(|_| Journal::default()).collect();
        let Job { costs, network, design, simulations, .. } = *self;
        let all = Cell::new(simulations * self.ranks as u64);
        let terms = Terms { costs, network, design, simulations_left: &all };
        let all_routes: Vec<Vec<Route>> =
            (0..self.ranks).map(|rank| design.topology.routes(rank, self.ranks)).collect();
        let mut senders = vec![HashSet::new(); self.ranks];
        for (from, routes) in all_routes.iter().enumerate() {
            for &to in routes.iter().flat_map(|route| &route.to) {
                senders[to].insert(from);
            }
        }
        let mut ranks: Vec<Rank<'_>> = (engines.iter().zip(&journals))
            .zip(all_routes.into_iter().zip(senders))
            .enumerate()
            .map(|(number, (engine, routes))| Rank::new(number, engine, &self.root, routes, &terms))
            .collect();
        let mut wire = Wire::new(network, self.ranks);
        // Ranks start within the time between two looks.
        let start = |rank| Reverse((rank as u64 * LOOK_INTERVAL / self.ranks as u64, rank));
        let mut events: BinaryHeap<Reverse<(u64, usize)>> = (0..self.ranks).map(start).collect();
        while let Some(Reverse((now, rank))) = events.pop() {
            let next = ranks[rank].continue_at(now, &mut wire, &terms);
            events.extend(next.map(|next| Reverse((next, rank))));
        }
        let evaluations: u64 = ranks.iter().map(|rank| rank.evaluations.len() as u64).sum();
        let distinct: HashSet<(u64, u8)> =
            ranks.iter().flat_map(|rank| rank.evaluations.iter().copied()).collect();
        let report = ranks[0].report();
        Outcome {
            elapsed: ranks[0].clock(),
            simulations: simulations * self.ranks as u64,
            evaluations,
            repeated: evaluations - distinct.len() as u64,
            bytes: wire.bytes(),
            message_time: ranks.iter().map(|rank| rank.message_time).sum(),
            ranks: self.ranks,
            best: report.best().map(|best| best.mv),
            report,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::CostArguments;
    use crate::{positions, rank_options};
    use tewari::search::Limits;

    const SIMULATIONS: u64 = 150;

    fn job(ranks: usize, design: &str) -> Job {
        Job {
            options: rank_options(9, 1, SIMULATIONS * ranks as u64),
            root: positions::position(9, 1, 0),
            ranks,
            simulations: SIMULATIONS,
            network: Network::Ethernet,
            design: design.parse().expect("a design"),
            costs: CostArguments::default().for_side(9),
        }
    }

    /// Returns the numbers that any difference between two runs changes.
    fn numbers(outcome: &Outcome) -> (u64, u64, u64, Vec<(Move, u64)>) {
        let moves = outcome.report.moves.iter().map(|it| (it.mv, it.edge_visits)).collect();
        (outcome.elapsed, outcome.bytes, outcome.repeated, moves)
    }

    #[test]
    fn two_runs_give_the_same_result() {
        for design in ["all", "tree2"] {
            let [one, two] = [(); 2].map(|()| numbers(&job(5, design).run()));
            assert_eq!(one, two, "{design}");
            assert!(one.1 > 0, "{design}: bytes");
        }
    }

    #[test]
    fn one_rank_is_the_search_of_the_program() {
        let job = job(1, "all");
        let mut engine = Engine::new(job.options.clone()).expect("an engine");
        let limits = Limits { simulations: Some(SIMULATIONS), ..Limits::default() };
        engine.search_position(job.root.clone(), limits, &mut |_| true).expect("a report");
        let report = engine.look_up(job.root.clone());
        let moves: Vec<_> = report.moves.iter().map(|it| (it.mv, it.edge_visits, it.value)).collect();
        let outcome = job.run();
        let of_rank: Vec<_> =
            outcome.report.moves.iter().map(|it| (it.mv, it.edge_visits, it.value)).collect();
        assert_eq!(of_rank, moves);
        assert_eq!((outcome.bytes, outcome.repeated, outcome.message_time), (0, 0, 0));
    }

    #[test]
    fn the_first_rank_has_the_visits_of_all() {
        for design in ["all", "all:16:50:16", "all:4:20:0:50", "tree2", "groups3"] {
            let outcome = job(7, design).run();
            assert_eq!(outcome.report.root.visits, 7 * SIMULATIONS, "{design}");
        }
    }
}
