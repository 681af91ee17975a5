//! The result of a pairing.

use super::experiment::GameRow;
use super::game::GameEnding;
use super::schedule::Schedule;
use crate::lab::stats::{Interval, PairCounts, Sprt, SprtDecision, SprtRun, SprtVerdict};
use serde::Serialize;
use std::fmt::Write;

/// The result of a pairing, from the first contestant's view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchReport {
    /// Names of the two contestants.
    pub contestants: [String; 2],
    /// Number of games.
    pub games: u64,
    /// Wins and losses of the first contestant; the other games are draws.
    pub wins: [u64; 2],
    /// Wins of the first contestant with Black and with White.
    pub wins_by_colour: [u64; 2],
    /// Games that each contestant lost by a fault: an illegal move, a crash, a timeout, a bad answer.
    pub faults: [u64; 2],
    /// Share of the points, with its interval.
    pub score: Interval,
    /// Elo difference; infinite ends are `null` in JSON.
    pub elo: Interval,
    /// Probability that the first contestant is the stronger one.
    pub likelihood_of_superiority: f64,
    /// Numbers of game pairs with 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Mean time per move of each contestant, in seconds.
    pub seconds_per_move: [f64; 2],
    /// The sequential test, if requested.
    pub sprt: Option<SprtReport>,
    /// Descriptions of the first faults, at most [`MAX_FAULTS_LISTED`].
    pub fault_list: Vec<String>,
}

/// Maximum number of faults listed.
pub const MAX_FAULTS_LISTED: usize = 10;

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtReport {
    /// The test.
    pub test: Sprt,
    /// The log-likelihood ratio of all games, those after the decision included.
    pub log_likelihood_ratio: f64,
    /// The log-likelihood ratios at which H0 and H1 are accepted.
    pub bounds: [f64; 2],
    /// The hypothesis accepted first.
    pub verdict: SprtVerdict,
    /// The first crossing of a bound.
    pub decision: Option<SprtDecision>,
}

impl MatchReport {
    /// Evaluates those of `rows` that belong to pairing number `pairing`; `sprt` is the test of this pairing.
    #[must_use]
    pub fn new(schedule: &Schedule, pairing: usize, rows: &[GameRow], sprt: Option<&SprtRun>) -> MatchReport {
        let played = &schedule.pairings[pairing];
        let rows: Vec<&GameRow> = rows.iter().filter(|row| row.pairing == played.label).collect();
        let counts = pair_counts(schedule, &rows);
        let won_by = |winner: u8| move |row: &&&GameRow| row.winner == Some(winner);
        let by_colour = |black_is: u8| {
            rows.iter().filter(won_by(0)).filter(|row| row.black_is == black_is).count() as u64
        };
        let lost_by_fault = |loser: u8| {
            rows.iter().filter(won_by(1 - loser)).filter(|row| row.ending.is_fault()).count() as u64
        };
        let per_move = |contestant: usize| {
            let seconds: f64 = rows.iter().map(|row| row.seconds[contestant]).sum();
            let moves: u32 = rows.iter().map(|row| row.generated[contestant]).sum();
            seconds / f64::from(moves.max(1))
        };
        let faults = rows.iter().filter(|row| row.ending.is_fault()).take(MAX_FAULTS_LISTED);
        MatchReport {
            contestants: played.names.clone(),
            games: counts.games(),
            wins: [0, 1].map(|winner| rows.iter().filter(won_by(winner)).count() as u64),
            wins_by_colour: [by_colour(0), by_colour(1)],
            faults: [lost_by_fault(0), lost_by_fault(1)],
            score: counts.score_interval(),
            elo: counts.elo_interval(),
            likelihood_of_superiority: counts.likelihood_of_superiority(),
            pairs: counts.pairs,
            seconds_per_move: [per_move(0), per_move(1)],
            sprt: sprt.map(|run| SprtReport {
                test: run.test,
                log_likelihood_ratio: run.test.log_likelihood_ratio(&counts),
                bounds: run.test.bounds(),
                verdict: run.decision().map_or(SprtVerdict::Undecided, |decision| decision.verdict),
                decision: run.decision(),
            }),
            fault_list: faults.map(|row| describe_fault(row)).collect(),
        }
    }

    /// Returns true if the sequential test has decided.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.sprt.is_some_and(|sprt| sprt.decision.is_some())
    }

    /// Formats the running score as one line.
    #[must_use]
    pub fn line(&self) -> String {
        let [wins, losses] = self.wins;
        let draws = self.games - wins - losses;
        let drawn = if draws > 0 { format!("={draws}") } else { String::new() };
        let mut line = format!(
            "+{wins}-{losses}{drawn} ({:.1} %), Elo {}, LOS {:.1} %",
            100.0 * self.score.estimate,
            self.elo,
            100.0 * self.likelihood_of_superiority
        );
        if let Some(sprt) = &self.sprt {
            let [low, high] = sprt.bounds;
            // Writing to a string cannot fail.
            let _ = write!(line, ", LLR {:.2} ({low:.2}, {high:.2})", sprt.log_likelihood_ratio);
            let _ = write!(line, " [{}, {}]", sprt.test.elo0, sprt.test.elo1);
        }
        line
    }

    /// Formats the result as a few lines.
    #[must_use]
    pub fn paragraph(&self) -> String {
        let [one, other] = &self.contestants;
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let mut text = format!("{one}\n  against {other}\n  {} games: {}\n", self.games, self.line());
        let Interval { estimate, low, high } = self.score;
        let _ = writeln!(
            text,
            "  score {} % [{}, {}] (95 %); pairs with 0, 1/2, 1, 3/2, 2 points: {:?}",
            percent(estimate),
            percent(low),
            percent(high),
            self.pairs
        );
        let [black, white] = self.wins_by_colour;
        let [mine, theirs] = self.seconds_per_move;
        let _ = write!(
            text,
            "  won {black} with Black and {white} with White; {:.0} ms and {:.0} ms a move",
            1000.0 * mine + 0.0,
            1000.0 * theirs + 0.0
        );
        if let Some(sprt) = &self.sprt {
            let verdict = match sprt.verdict {
                SprtVerdict::H0 => format!("H0 accepted: {} Elo", sprt.test.elo0),
                SprtVerdict::H1 => format!("H1 accepted: {} Elo", sprt.test.elo1),
                SprtVerdict::Undecided => "undecided".to_owned(),
            };
            let _ = write!(text, "\n  sequential test: {verdict}");
            if let Some(SprtDecision { games, log_likelihood_ratio, .. }) = sprt.decision {
                let _ = write!(text, ", decided after {games} games, LLR {log_likelihood_ratio:.2}");
            }
        }
        if self.faults != [0, 0] {
            let [mine, theirs] = self.faults;
            let _ = write!(text, "\n  lost by a fault: {mine} and {theirs}");
        }
        for fault in &self.fault_list {
            let _ = write!(text, "\n    {fault}");
        }
        text
    }
}

/// Counts the pairs of games among `rows`.
#[must_use]
pub fn pair_counts(schedule: &Schedule, rows: &[&GameRow]) -> PairCounts {
    PairCounts::from_games(rows.iter().map(|row| (schedule.pair_of(row.game), row.half_points())))
}

fn describe_fault(row: &GameRow) -> String {
    let ending = match row.ending {
        GameEnding::Illegal => "illegal move",
        GameEnding::Time => "time-out",
        GameEnding::Crash => "crash",
        GameEnding::Garbage => "bad answer",
        GameEnding::Score | GameEnding::Disagreement | GameEnding::Resignation | GameEnding::Length => {
            "no fault"
        }
    };
    format!("game {}: {ending}: {}", row.game, row.detail)
}
