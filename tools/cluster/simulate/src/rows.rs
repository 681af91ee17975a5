//! Rows of results: means over positions.

use crate::Arguments;
use crate::cost::Network;
use crate::design::Design;
use crate::job::Outcome;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The result of one job on one position.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Simulations per virtual second, relative to those of one rank times the ranks.
    efficiency: f64,
    /// Evaluations for each simulation.
    evaluations: f64,
    /// Share of the evaluations that another rank made, too.
    repeated: f64,
    /// Bytes that a rank sends in a second.
    bytes: f64,
    /// Share of the time that messages take.
    message_share: f64,
    /// Visits of the root in the first rank's table, relative to all simulations.
    visits: f64,
    /// Virtual time in milliseconds.
    time: f64,
    /// Win rate lost by the move of the ranks, and by that of one search of the same size.
    regret: Option<(f64, f64)>,
}

impl Sample {
    /// Creates the sample of an outcome; `alone` is that of one rank.
    pub fn new(outcome: &Outcome, alone: &Outcome, regret: Option<(f64, f64)>) -> Sample {
        let speed = |it: &Outcome| it.simulations as f64 / it.elapsed as f64;
        let all = outcome.simulations as f64;
        let all_time = outcome.elapsed as f64 * outcome.ranks as f64;
        Sample {
            efficiency: speed(outcome) / (speed(alone) * outcome.ranks as f64),
            evaluations: outcome.evaluations as f64 / all,
            repeated: outcome.repeated as f64 / outcome.evaluations.max(1) as f64,
            bytes: outcome.bytes as f64 / all_time * 1e9,
            message_share: outcome.message_time as f64 / all_time,
            visits: outcome.report.root.visits as f64 / all,
            time: outcome.elapsed as f64 / 1e6,
            regret,
        }
    }
}

/// Samples by ranks, network and design.
#[derive(Default)]
pub struct Rows(BTreeMap<(usize, Network, Design), Vec<Sample>>);

impl Rows {
    /// Adds a sample.
    pub fn add(&mut self, ranks: usize, network: Network, design: Design, sample: Sample) {
        self.0.entry((ranks, network, design)).or_default().push(sample);
    }

    /// Returns the rows as CSV. `difference_error` is the standard error of the mean difference of both regrets.
    pub fn text(&self, arguments: &Arguments) -> String {
        let mut text = String::from(
            "size,simulations_per_rank,ranks,network,design,positions,ms,efficiency,message_share,\
             evaluations_per_simulation,repeated,kb_per_s_per_rank,root_visits,regret,regret_single,difference_error\n",
        );
        for ((ranks, network, design), samples) in &self.0 {
            let mean =
                |of: &dyn Fn(&Sample) -> f64| samples.iter().map(of).sum::<f64>() / samples.len() as f64;
            let _ = write!(
                text,
                "{},{},{ranks},{network},{design},{},{:.1},{:.3},{:.3},{:.3},{:.3},{:.0},{:.3}",
                arguments.size,
                arguments.simulations,
                samples.len(),
                mean(&|it| it.time),
                mean(&|it| it.efficiency),
                mean(&|it| it.message_share),
                mean(&|it| it.evaluations),
                mean(&|it| it.repeated),
                mean(&|it| it.bytes / 1e3),
                mean(&|it| it.visits),
            );
            let regrets: Vec<(f64, f64)> = samples.iter().filter_map(|it| it.regret).collect();
            let _ = match regrets.len() {
                0 => writeln!(text, ",,,"),
                _ => writeln!(text, ",{}", regret_columns(&regrets)),
            };
        }
        text
    }
}

/// Returns both mean regrets and the standard error of the mean difference, in per cent of win rate.
fn regret_columns(regrets: &[(f64, f64)]) -> String {
    let count = regrets.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| regrets.iter().map(of).sum::<f64>() / count;
    let (own, single) = (mean(&|it| it.0), mean(&|it| it.1));
    let squares: f64 = regrets.iter().map(|it| (it.0 - it.1 - own + single).powi(2)).sum();
    let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
    format!("{:.2},{:.2},{:.2}", 100.0 * own, 100.0 * single, 100.0 * error)
}
