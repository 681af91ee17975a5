//! The Go engine: one game, one table, one search configuration. Protocols and reports are built on it.
//!
//! [`Engine::search`] searches a position (`search_run`) and completes the report. The other files, by subject:
//!
//! * moves of a game: `decision` (limits, resignation), `clock`, `ending` (the pass that ends the game), `lost_game`,
//!   `pass_cost`, `own_territory`, `after_pass` (the search that checks them), `status_cache` (the last counts); `level` and `move_randomness` weaken play;
//! * evaluators: `evaluator` and `pass_probability` are the network as the search uses it, `external` an evaluator in another
//!   process, [`evaluation`] the network as reports use it;
//! * reports: `scores` and `line_ownership` complete them, `choice`, `points` and `ending` reorder their moves;
//! * several processes: `ranks` share one search;
//! * the table: `layout` divides the memory budget, `import` stores searches of other programs.

mod after_pass;
mod choice;
pub mod clock;
mod decision;
mod ending;
mod error;
pub mod evaluation;
mod evaluator;
mod external;
mod import;
mod layout;
mod level;
mod line_ownership;
mod lost_game;
mod move_randomness;
mod options;
mod own_territory;
mod pass_cost;
mod pass_probability;
mod points;
pub mod ranks;
mod scores;
mod search_run;
mod status_cache;
mod table_setting;

pub use decision::{Decision, DecisionSettings, MoveBudget};
pub use error::EngineError;
pub use evaluation::NetworkEvaluation;
pub use evaluator::NetworkEvaluator;
pub use import::ImportOutcome;
pub use level::{Level, LevelError};
pub use line_ownership::{FINAL_REPORT_WAIT, LIVE_REPORT_WAIT, LineOwnership};
pub use move_randomness::MoveRandomness;
pub use options::{DEFAULT_VALUE_WEIGHT, EngineOptions, TableFile};
pub use table_setting::TableGameSettings;

use self::layout::create_table;
use self::options::UNKNOWN_BUDGET;
use self::ranks::RankError;
use self::status_cache::StatusCache;
use crate::base::game::{Bounds, Game, Move, Player};
use crate::base::memory::BudgetError;
use crate::base::rng::PlayoutRng;
use crate::base::zobrist::mix;
use crate::go::status::DeadStones;
use crate::go::{Komi, Position, Record, Size, playout_ownership};
use crate::network::Network;
use crate::search::{self, Limits, Progress, Report, Search, ValueBias};
use crate::table::{FileState, ScoreMean, Table};
use std::sync::Arc;

/// Number of playouts for the score of a position without an evaluator's score and without one from simulations.
const SCORE_PLAYOUTS: u32 = 100;

/// A Go engine: one game, one table, one search configuration.
pub struct Engine {
    options: EngineOptions,
    record: Record,
    table: Table,
    /// The network for this board, if one is used.
    network: Option<Arc<Network>>,
    /// Errors of the evaluator, for policies without playouts.
    value_bias: Option<ValueBias>,
    /// Number of searches since the seed was set: part of the seed of the choice of random moves.
    searches: u64,
    /// See [`Engine::set_root_noise`].
    root_noise: Option<Arc<[u32]>>,
    /// See [`Engine::set_root_moves`].
    root_moves: Option<Vec<bool>>,
    counted: StatusCache,
    /// True while a decision searches without a count: reports then put no ending pass first.
    skips_counts: bool,
}

impl Engine {
    /// Creates an engine at the start of a game.
    ///
    /// # Errors
    /// Returns an error if the memory budget is impossible, if the table cannot be allocated or opened, or if the policy
    /// lacks an evaluator.
    pub fn new(options: EngineOptions) -> Result<Engine, EngineError> {
        let policy = options.policy.name();
        match (options.policy.evaluates_leaves(), &options.external) {
            (true, None) if !options.has_network() => return Err(EngineError::NoEvaluator { policy }),
            (false, Some(_)) => return Err(EngineError::NeedsPlayouts { policy }),
            (true, Some(evaluator)) if evaluator.name().is_none() && options.table_file.is_some() => {
                return Err(EngineError::NamelessEvaluator);
            }
            _ => {}
        }
        let mut table = create_table(&options)?;
        if let Some(ranks) = &options.ranks {
            if options.table_shape().policy_state {
                return Err(RankError::PolicyState { policy }.into());
            }
            ranks.open(&options, &mut table)?;
        }
        let network = options.ready_network();
        let mut record = Record::new(options.size, options.rules, options.komi);
        record.set_key_policy(options.keys);
        let value_bias = options.policy.evaluates_leaves().then(ValueBias::default);
        let (root_noise, root_moves) = (None, None);
        let counted = StatusCache::default();
        Ok(Engine {
            options,
            record,
            table,
            network,
            value_bias,
            searches: 0,
            root_noise,
            root_moves,
            counted,
            skips_counts: false,
        })
    }

    /// Returns the options, with the komi and size of the present game.
    #[must_use]
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Returns the network for this board, if one is used.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// Returns the game.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the game for playing moves.
    pub fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Returns the present position.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.record.position()
    }

    /// Returns the table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Starts a game on a board of `size`. The table is kept, except that another size replaces it; a
    /// table in a file by that of the [file for this size](TableFile::path_for).
    ///
    /// # Errors
    /// Returns an error if there is no memory for another table, or its file cannot be used; nothing is changed then.
    pub fn new_game(&mut self, size: Size) -> Result<(), EngineError> {
        let record = Record::new(size, self.options.rules, self.options.komi);
        self.set_record(record)
    }

    /// Replaces the game; its komi becomes the engine's. The table is kept, except that another size replaces it; a
    /// table in a file by that of the [file for this size](TableFile::path_for).
    ///
    /// # Errors
    /// Returns an error if there is no memory for another table, or its file cannot be used; nothing is changed then.
    pub fn set_record(&mut self, mut record: Record) -> Result<(), EngineError> {
        let position = record.position();
        let options = EngineOptions { size: position.size(), komi: position.komi(), ..self.options.clone() };
        if options.size != self.options.size {
            let origins = options.ranks.as_ref().map(|ranks| ranks.resize(options.size)).transpose()?;
            self.lay_out_anew(&options)?;
            if let Some((ranks, origins)) = options.ranks.as_ref().zip(origins) {
                ranks.share_origins(&mut self.table, origins)?;
            }
        }
        self.options = options;
        self.counted.clear();
        record.set_key_policy(self.options.keys);
        self.record = record;
        Ok(())
    }

    /// Replaces the table and the network by those for another board size. The memory budget holds one network, so the
    /// present one is dropped first.
    fn lay_out_anew(&mut self, options: &EngineOptions) -> Result<(), EngineError> {
        self.network = None;
        let fits =
            options.table_file.is_none() && options.table_shape().moves == self.table.layout().shape.moves;
        let laid_out = if fits { Ok(()) } else { create_table(options).map(|table| self.table = table) };
        let now = if laid_out.is_ok() { options } else { &self.options };
        self.network = now.ready_network();
        laid_out
    }

    /// Changes the komi of this game and later ones. Results for another komi stay in the table, under other keys.
    pub fn set_komi(&mut self, komi: Komi) {
        self.options.komi = komi;
        self.record.set_komi(komi);
    }

    /// Restarts the random numbers from `seed`.
    pub fn set_seed(&mut self, seed: u64) {
        self.options.parameters.seed = seed;
        self.searches = 0;
    }

    /// Changes the number of workers, clamped to 1 to 255.
    ///
    /// # Errors
    /// Returns an error if the memory budget has no room for the workers beside the table; nothing is changed then.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), BudgetError> {
        let threads = threads.clamp(1, 255);
        self.options.check_threads(threads, self.table.layout().bytes())?;
        self.options.parameters.threads = threads;
        Ok(())
    }

    /// Sets the noise mixed into the network's policy at the roots of later searches: probabilities by move number, with the
    /// sum [`PROBABILITY_ONE`](crate::network::probabilities::PROBABILITY_ONE). A root that has pages keeps their priors. For
    /// self-play.
    pub fn set_root_noise(&mut self, noise: Option<Vec<u32>>) {
        self.root_noise = noise.map(Arc::from);
    }

    /// Restricts later searches to some moves of their root, by move number; `None`: all moves.
    pub fn set_root_moves(&mut self, allowed: Option<Vec<bool>>) {
        self.root_moves = allowed;
    }

    /// Returns the moves that searches are restricted to, by move number; `None`: all moves.
    #[must_use]
    pub fn root_moves(&self) -> Option<&[bool]> {
        self.root_moves.as_deref()
    }

    /// Returns a warning if the evaluator was given up, if the table's file was deleted or replaced, or if the disk cannot be
    /// written.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        if let Some(failure) = self.options.external.as_ref().and_then(|evaluator| evaluator.failure()) {
            return Some(failure);
        }
        if let (Some(path), Some(reason)) = (self.table.path(), self.table.sync_error()) {
            return Some(format!(
                "{}: cannot write the table file to the disk: {reason}; copy it elsewhere with `tewari table snapshot`",
                path.display()
            ));
        }
        let what = match self.table.file_state() {
            FileState::InPlace => return None,
            FileState::Deleted => "deleted",
            FileState::Replaced => "replaced by another file",
        };
        let path = self.table.path()?.display();
        Some(format!(
            "{path}: the table file was {what} while in use: search results will be lost at the end; put the file back \
             or start again"
        ))
    }

    /// Empties the table.
    pub fn clear_table(&mut self) {
        self.table.clear();
        self.value_bias.iter_mut().for_each(ValueBias::clear);
        self.options.ranks.iter().for_each(|ranks| ranks.clear(&self.table));
    }

    /// Searches the present position with `player` to move, as [`Engine::root_for`] returns it.
    ///
    /// # Errors
    /// Returns an error as [`Engine::search_position`] does.
    pub fn search(
        &mut self,
        player: Player,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<Report, EngineError> {
        self.search_position(self.root_for(player), limits, progress)
    }

    /// Returns the present position with `player` to move; a game ended by two passes goes on. Scores of [`Engine::search`]
    /// are to be compared with its [`score_komi`](Position::score_komi).
    #[must_use]
    pub fn root_for(&self, player: Player) -> Position {
        let mut root = self.record.position().clone();
        if root.passes() >= 2 {
            root.resume();
        }
        root.set_to_play(player);
        root
    }

    /// Searches any position of the engine's board size. The root should have the engine's key policy from the start
    /// of its history: the policy set here applies only to later moves.
    ///
    /// # Errors
    /// Returns an error if an evaluator in another process fails, or if the search ends before the first visit of the
    /// root because the evaluator has not answered. What was evaluated before is in the table.
    pub fn search_position(
        &mut self,
        mut root: Position,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<Report, EngineError> {
        self.prepare(&mut root);
        self.searches += 1;
        match self.options.ranks.clone() {
            Some(ranks) => self.lead_search(&ranks, &root, limits, progress),
            None => self.search_prepared(&root, limits, None, progress),
        }
    }

    /// Completes the report of a search with the network's evaluation and a score of the root within its proven bounds, from
    /// playouts if there is no other. With a network, the moves are reordered by its policy ([`choice`]) and, with any
    /// evaluator, by points in a decided game ([`points`]).
    fn complete(&self, root: &Position, evaluation: Option<&NetworkEvaluation>, report: &mut Report) {
        if let Some(evaluation) = evaluation {
            self.add_evaluation(evaluation, report);
        } else {
            self.add_stored_policy(root, report);
        }
        let by_network =
            evaluation.filter(|_| self.options.estimate_weight() > 0).and_then(NetworkEvaluation::score);
        let by_evaluator = by_network.or_else(|| self.stored_score(root));
        let score = search::expected_score(by_evaluator, report.root.sampled_score);
        let (mean, deviation) = score.map_or_else(
            || {
                let seed = self.options.parameters.seed;
                let [area, deviation] = playout_ownership::score_by_playouts(root, SCORE_PLAYOUTS, seed);
                (area - f64::from(root.area_offset()), deviation)
            },
            |score| (score.mean, score.deviation),
        );
        let Bounds { lower, upper } = report.root.bounds;
        report.root.black_score = Some(mean.max(f64::from(lower)).min(f64::from(upper)));
        report.root.score_deviation = Some(deviation);
        if evaluation.is_some() && !self.options.policy.evaluates_leaves() {
            choice::put_preferred_first(&mut report.moves, root, report.root.bounds);
        }
        if evaluation.is_some() || self.options.external.is_some() {
            points::put_point_gain_first(&mut report.moves, report.root.to_play, root.size());
        }
    }

    /// Returns the score that an evaluator in another process gave the position, if it is in the table.
    fn stored_score(&self, position: &Position) -> Option<ScoreMean> {
        self.options.external.as_ref()?;
        self.table.page(&self.table.find(position.key())?)?.evaluator_score()
    }

    /// Returns the evaluator's probabilities of the moves, by move number; 0 for illegal moves. `None` without an
    /// evaluator. An evaluator in another process does not start for a position that has been evaluated: then the
    /// probabilities are those stored, and the moves that are not stored share the rest.
    #[must_use]
    pub fn policy(&self, position: &Position) -> Option<Vec<f64>> {
        if let Some(evaluator) = &self.options.external {
            if !evaluator.is_running() {
                let mut root = position.clone();
                self.prepare(&mut root);
                if let Some(stored) = external::stored_policy(&self.table, &root) {
                    return Some(stored);
                }
            }
            let evaluation = external::evaluate_for_report(evaluator, position)?;
            return Some(evaluation.policy.iter().map(|it| f64::from(it.unwrap_or(0.0))).collect());
        }
        self.network.as_ref().map(|network| evaluation::evaluate(network, position).policy)
    }

    /// Returns the stored results for any position of the engine's board size, without a search.
    #[must_use]
    pub fn look_up(&self, mut root: Position) -> Report {
        self.prepare(&mut root);
        let policy = self.options.policy.policy(UNKNOWN_BUDGET);
        let mut report = Search::new(&self.table, policy, self.options.parameters).look_up(&root);
        if let Some(network) = &self.network {
            self.add_evaluation(&evaluation::evaluate(network, &root), &mut report);
        } else {
            self.add_stored_policy(&root, &mut report);
        }
        report
    }

    /// Adds the policy of an evaluator in another process to the report as priors, as far as the table has it.
    fn add_stored_policy(&self, root: &Position, report: &mut Report) {
        let policy = self.options.external.as_ref().and_then(|_| external::stored_policy(&self.table, root));
        if let Some(policy) = policy {
            add_priors(&policy, report);
        }
    }

    /// Adds the network's evaluation of the root to the report: its policy as priors, and its ownership if its value counts.
    fn add_evaluation(&self, evaluation: &NetworkEvaluation, report: &mut Report) {
        if let Some(ownership) = evaluation.ownership.clone().filter(|_| self.options.estimate_weight() > 0) {
            report.ownership.set_estimate(ownership);
        }
        add_priors(&evaluation.policy, report);
    }

    /// Prepares a position for a search with the keys and playouts of this engine. If the players agree on dead stones,
    /// passes before the root are cleared, since a search cannot foresee the agreement.
    fn prepare(&self, root: &mut Position) {
        root.settle_komi();
        let has_agreement = self.dead_stones_under(root) == DeadStones::Agreement;
        root.set_agreement(has_agreement);
        if has_agreement {
            root.resume();
        }
        root.set_playouts(self.options.playouts);
        root.set_key_policy(self.options.keys);
        root.seal();
    }

    /// Returns the move to play after a search: the best one, another one under [`MoveRandomness`], or a pass if no other
    /// move is legal.
    #[must_use]
    pub fn chosen_move(&self, report: &Report) -> Move {
        let seed = mix(self.options.parameters.seed ^ mix(self.searches));
        let chosen = match self.options.move_randomness {
            MoveRandomness::NONE => report.best().map(|best| best.mv),
            random => random.choose(self.position(), report, &mut PlayoutRng::new(seed, 0)),
        };
        chosen.unwrap_or_else(|| self.position().size().pass())
    }
}

/// Writes a policy, by move number, to the priors of a report.
fn add_priors(policy: &[f64], report: &mut Report) {
    for candidate in report.moves.iter_mut().chain(&mut report.untried) {
        candidate.prior = policy[candidate.mv.index()];
    }
    report.untried.sort_by(|one, other| other.prior.total_cmp(&one.prior));
}
