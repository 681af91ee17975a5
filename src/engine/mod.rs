//! The Go engine: one game, one table, one search configuration. Protocols and reports are built on it.

mod choice;
pub mod clock;
mod decision;
mod ending;
pub mod expert;
mod layout;
mod level;
mod line_ownership;
mod points;
mod scores;
mod table_setting;

pub use decision::{Decision, DecisionSettings, MoveBudget};
pub use level::{Carelessness, Level, LevelError};
pub use line_ownership::LineOwnership;
pub use table_setting::TableSetting;

use self::expert::{Expert, Opinion, VALUE_WEIGHT};
use self::layout::{game_name, lay_out};
use self::scores::ReportScores;
use crate::base::game::{Bounds, Game, Move, Player};
use crate::base::memory::{Budget, BudgetError};
use crate::base::rng::PlayoutRng;
use crate::base::zobrist::mix;
use crate::go::PlayoutPolicy;
use crate::go::status::DeadStones;
use crate::go::{KeyPolicy, Komi, Position, Record, Rules, Size, playout_ownership};
use crate::network::{Network, Networks};
use crate::search::policy::Preset;
use crate::search::{self, Limits, Progress, Report, Search, SearchParameters, Snapshot};
use crate::table::{FileError, FileProblem, FileState, Replacement, Table, TableError, TableMode};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Number of playouts for the score of a position without an evaluator's score and without one from simulations.
const SCORE_PLAYOUTS: u32 = 100;

/// Number of simulations assumed for a search that is limited by time alone.
const UNKNOWN_BUDGET: u64 = 1_000;

/// A table in a file, which outlives the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Mode of opening; decides whether search results are written to the file.
    pub mode: TableMode,
    /// True if the user set the memory budget: a larger file is then an error.
    pub is_limited: bool,
    /// Interval at which search results are written to the disk, and once more at the end; `None`: the operating system
    /// decides.
    pub sync: Option<Duration>,
}

/// Options of an engine.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Board size of the first game.
    pub size: Size,
    /// Rules of all games.
    pub rules: Rules,
    /// Komi of the first game.
    pub komi: Komi,
    /// Memory budget.
    pub memory: Budget,
    /// Bytes of the budget for the whole engine that are reserved for other uses.
    pub reserved: u64,
    /// File of the table; `None`: the table is in memory alone. An existing file keeps its size, a new one gets the size
    /// that the memory budget allows.
    pub table_file: Option<TableFile>,
    /// Replacement policy of the table.
    pub replacement: Replacement,
    /// Selection policy.
    pub policy: Preset,
    /// Playout policy.
    pub playouts: PlayoutPolicy,
    /// The stones that are removed from the board at the end of a game; `None`: as the rules require.
    pub dead_stones: Option<DeadStones>,
    /// Key policy: the transpositions that share statistics.
    pub keys: KeyPolicy,
    /// The networks that evaluate positions, if the policy [has priors](Preset::has_priors).
    pub networks: Option<Networks>,
    /// Weight of the network's value estimate in playouts; 0: only its policy is used.
    pub value_weight: u8,
    /// Probabilities of playing another move than the best one.
    pub carelessness: Carelessness,
    /// Other parameters of the search; the seed is that of the whole session.
    pub parameters: SearchParameters,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            size: Size::new(19, 19).expect("19x19 is a board"),
            rules: Rules::CHINESE,
            komi: Komi(15),
            memory: Budget::default_for_machine(),
            reserved: 0,
            table_file: None,
            replacement: Replacement::default(),
            policy: Preset::default(),
            playouts: PlayoutPolicy::default(),
            dead_stones: None,
            keys: KeyPolicy::Recent,
            networks: Some(Networks::Embedded),
            value_weight: VALUE_WEIGHT,
            carelessness: Carelessness::NONE,
            parameters: SearchParameters { expand_at: EXPAND_AT_WITH_NETWORK, ..SearchParameters::default() },
        }
    }
}

/// Number of playouts of a position before it gets an edge block and is evaluated by the network. It is lower than without a
/// network, since evaluations are more accurate than playouts.
const EXPAND_AT_WITH_NETWORK: u32 = 2;

impl EngineOptions {
    /// Returns the networks, if the policy uses any.
    fn asked_networks(&self) -> Option<&Networks> {
        self.networks.as_ref().filter(|_| self.policy.has_priors())
    }

    /// Returns the network for the board, if the policy uses one.
    #[must_use]
    pub fn network(&self) -> Option<Arc<Network>> {
        self.asked_networks().map(|networks| networks.network_for(self.size))
    }

    /// Returns name and version of the weights of each network that the policy uses, the one for small boards first.
    #[must_use]
    pub fn networks_by_name(&self) -> Vec<(String, u32)> {
        let networks = self.asked_networks().map(Networks::all).unwrap_or_default();
        let architectures = networks.iter().map(|network| network.architecture());
        architectures.map(|it| (it.name.clone(), it.version())).collect()
    }

    /// Returns the identity of the network for the board in hexadecimal digits; empty without a network.
    #[must_use]
    pub fn network_identity(&self) -> String {
        self.network().map_or_else(String::new, |network| format!("{:016x}", network.identity()))
    }

    /// Returns the default key policy: keys contain the last moves that the network or other priors depend on.
    #[must_use]
    pub fn default_keys(policy: Preset, has_network: bool) -> KeyPolicy {
        match (policy.has_priors(), has_network) {
            (false, _) => KeyPolicy::Plain,
            (true, false) => KeyPolicy::Last,
            (true, true) => KeyPolicy::Recent,
        }
    }

    /// Removes the networks. Key policy and number of playouts before a block are adapted if they have their default values.
    pub(crate) fn remove_networks(&mut self) {
        let has_default_keys = self.keys == EngineOptions::default_keys(self.policy, self.networks.is_some());
        let has_default_expand_at = self.parameters.expand_at == self.default_expand_at();
        self.networks = None;
        if has_default_keys {
            self.keys = EngineOptions::default_keys(self.policy, false);
        }
        if has_default_expand_at {
            self.parameters.expand_at = self.default_expand_at();
        }
    }

    /// Returns the default number of playouts of a position before it gets an edge block, which depends on policy and
    /// network.
    #[must_use]
    pub fn default_expand_at(&self) -> u32 {
        if self.asked_networks().is_some() { EXPAND_AT_WITH_NETWORK } else { self.policy.expand_at() }
    }
}

/// A failure to create an engine or to change its board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// An impossible memory budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A failure to create the table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A failure of the table's file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A Go engine: one game, one table, one search configuration.
pub struct Engine {
    options: EngineOptions,
    record: Record,
    table: Table,
    /// The network for this board, if one is used.
    network: Option<Arc<Network>>,
    /// Number of searches since the seed was set, which varies the choice of random moves.
    searches: u64,
    /// See [`Engine::set_root_noise`].
    root_noise: Option<Arc<[u32]>>,
    /// See [`Engine::set_root_moves`].
    root_moves: Option<Vec<bool>>,
}

impl Engine {
    /// Creates an engine at the start of a game.
    ///
    /// # Errors
    /// Returns an error if the memory budget is impossible, or the table cannot be allocated or opened.
    pub fn new(options: EngineOptions) -> Result<Engine, EngineError> {
        let table = lay_out(&options)?;
        let network = options.ready_network();
        let mut record = Record::new(options.size, options.rules, options.komi);
        record.set_key_policy(options.keys);
        Ok(Engine { options, record, table, network, searches: 0, root_noise: None, root_moves: None })
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

    /// Starts a game on a board of `size`. The table is kept, except that another size replaces it.
    ///
    /// # Errors
    /// Returns an error if there is no memory for another table, or the table is in a file for another size; nothing is
    /// changed then.
    pub fn new_game(&mut self, size: Size) -> Result<(), EngineError> {
        let record = Record::new(size, self.options.rules, self.options.komi);
        self.set_record(record)
    }

    /// Replaces the game; its komi becomes the engine's. The table is kept, except that another size replaces it.
    ///
    /// # Errors
    /// Returns an error if there is no memory for another table, or the table is in a file for another size; nothing is
    /// changed then.
    pub fn set_record(&mut self, mut record: Record) -> Result<(), EngineError> {
        let position = record.position();
        let options = EngineOptions { size: position.size(), komi: position.komi(), ..self.options.clone() };
        if let (Some(found), Some(path)) = (self.table.identity(), self.table.path()) {
            let expected = game_name(options.size);
            if found.game != expected {
                let problem = FileProblem::Game { expected, found: found.game.clone() };
                return Err(FileError { path: path.display().to_string(), problem }.into());
            }
        } else if options.size != self.options.size {
            self.lay_out_anew(&options)?;
        }
        self.options = options;
        record.set_key_policy(self.options.keys);
        self.record = record;
        Ok(())
    }

    /// Replaces the table and the network by those for another board size. The memory budget holds one network, so the
    /// present one is dropped first.
    fn lay_out_anew(&mut self, options: &EngineOptions) -> Result<(), EngineError> {
        self.network = None;
        let fits = options.table_shape().moves == self.table.layout().shape.moves;
        let laid_out = if fits { Ok(()) } else { lay_out(options).map(|table| self.table = table) };
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
    /// sum [`chances::CERTAIN`](crate::network::chances::CERTAIN). It has no effect on a root that already has its priors in
    /// the table. For self-play.
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

    /// Returns a warning if the table's file was deleted or replaced, or the disk cannot be written.
    #[must_use]
    pub fn file_warning(&self) -> Option<String> {
        if let (Some(path), Some(reason)) = (self.table.path(), self.table.sync_error()) {
            return Some(format!(
                "{}: expected a disk that can be written, found: {reason}; make a copy elsewhere with `tewari table snapshot`",
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
            "{path}: expected the table file in its place, found it {what}: what is learnt is lost at the end; put it \
             back or start again"
        ))
    }

    /// Empties the table.
    pub fn clear_table(&mut self) {
        self.table.clear();
    }

    /// Searches the present position with `player` to move: [`Engine::root_for`].
    pub fn search(&mut self, player: Player, limits: Limits, progress: Progress<'_>) -> Report {
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

    /// Searches any position of the engine's board size. The root should have the engine's key policy from the start of its
    /// history: this function sets it too late for earlier moves to count.
    pub fn search_position(&mut self, mut root: Position, limits: Limits, progress: Progress<'_>) -> Report {
        self.prepare(&mut root);
        let mut parameters = self.options.parameters;
        // The seed depends on the position and its visits, so that no search depends on those of other positions. A search
        // that goes on, or a file that is opened again, gets another seed: the same one would repeat the playouts.
        let visits = self.table.find(root.key()).map_or(0, |entry| u64::from(entry.total().visits));
        parameters.seed = mix(parameters.seed ^ mix(root.key() ^ mix(visits)) ^ self.table.visit_number());
        self.searches += 1;
        let policy =
            self.options.policy.policy(limits.simulations.or(limits.visits).unwrap_or(UNKNOWN_BUDGET));
        let search = Search::new(&self.table, policy, parameters).with_root_moves(self.root_moves.as_deref());
        let network = self.network.as_ref();
        let opinion = network.map(|network| expert::ask(network, &root));
        let counted = network.filter(|_| self.options.value_weight > 0);
        let scores = counted.map(|network| RefCell::new(ReportScores::new(&root, network)));
        let completed = |mut report: Report| {
            if let Some(scores) = &scores {
                scores.borrow_mut().complete(&mut report);
            }
            self.complete(&root, opinion.as_ref(), &mut report);
            report
        };
        let mut progress = |snapshot: &Snapshot<'_>| {
            let report = || completed(snapshot.report());
            progress(&Snapshot::new(snapshot.simulations, &report))
        };
        let Some(network) = network else { return completed(search.run(&root, limits, &mut progress)) };
        let new_expert = || -> search::Expert<'_, Position> {
            let mut expert = Expert::new(Arc::clone(network), self.options.value_weight, &root);
            if let Some(noise) = &self.root_noise {
                expert = expert.with_noise(root.key(), Arc::clone(noise));
            }
            Box::new(move |position, priors| expert.judge(position, priors))
        };
        completed(search.run_with_experts(&root, &new_expert, limits, &mut progress))
    }

    /// Completes the report of a search with the network's evaluation and a score of the root within its proven bounds, from
    /// playouts if there is no other. With a network, the moves are reordered by its policy ([`choice`]) and, in a decided
    /// game, by points ([`points`]).
    fn complete(&self, root: &Position, opinion: Option<&Opinion>, report: &mut Report) {
        if let Some(opinion) = opinion {
            self.add_opinion(opinion, report);
        }
        let by_network = opinion.filter(|_| self.options.value_weight > 0).and_then(Opinion::score);
        let score = search::expected_score(by_network, report.root.sampled_score);
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
        if opinion.is_some() {
            choice::put_first(&mut report.moves, root, report.root.bounds);
            points::put_first(&mut report.moves, report.root.to_play, root.size());
        }
    }

    /// Returns the stored results for any position of the engine's board size, without a search.
    #[must_use]
    pub fn look_up(&self, mut root: Position) -> Report {
        self.prepare(&mut root);
        let policy = self.options.policy.policy(UNKNOWN_BUDGET);
        let mut report = Search::new(&self.table, policy, self.options.parameters).look_up(&root);
        if let Some(network) = &self.network {
            self.add_opinion(&expert::ask(network, &root), &mut report);
        }
        report
    }

    /// Adds the network's evaluation of the root to the report: its policy as priors, and its ownership if its value counts.
    fn add_opinion(&self, opinion: &Opinion, report: &mut Report) {
        if let Some(ownership) = opinion.ownership.clone().filter(|_| self.options.value_weight > 0) {
            report.ownership.set_estimate(ownership);
        }
        for candidate in report.moves.iter_mut().chain(&mut report.untried) {
            candidate.prior = opinion.policy[candidate.mv.index()];
        }
        report.untried.sort_by(|one, other| other.prior.total_cmp(&one.prior));
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

    /// Returns the move to play after a search: the best one, another one under [`Carelessness`], or a pass if no other move
    /// is legal.
    #[must_use]
    pub fn chosen_move(&self, report: &Report) -> Move {
        let seed = mix(self.options.parameters.seed ^ mix(self.searches));
        let chosen = match self.options.carelessness {
            Carelessness::NONE => report.best().map(|best| best.mv),
            careless => careless.choose(self.position(), report, &mut PlayoutRng::new(seed, 0)),
        };
        chosen.unwrap_or_else(|| self.position().size().pass())
    }
}
