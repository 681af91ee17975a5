//! A Go engine: one game, one table, one way of searching. Protocols and reports stand on it.

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

/// Playouts that tell the score of a position where no simulation of a search did.
const SCORE_PLAYOUTS: u32 = 100;

/// Simulations a search is planned for when only its time is known.
const UNKNOWN_BUDGET: u64 = 1_000;

/// A table that outlives the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Its name.
    pub path: PathBuf,
    /// Whether what is learnt is written to it.
    pub mode: TableMode,
    /// Whether the memory budget was asked for, so that a larger file is an error.
    pub is_limited: bool,
    /// How often what is learnt is written to the disk, and at the end; `None`: when the system does.
    pub sync: Option<Duration>,
}

/// What an engine is made from.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Board of the first game.
    pub size: Size,
    /// Rules of all games.
    pub rules: Rules,
    /// Komi of the first game.
    pub komi: Komi,
    /// Memory.
    pub memory: Budget,
    /// Bytes of the whole engine's memory that are kept for something else.
    pub reserved: u64,
    /// Where the table is kept; `None`: in this process alone. A file that exists has the size it has; one that is
    /// made takes the memory budget.
    pub table_file: Option<TableFile>,
    /// What the table forgets when it is full.
    pub replacement: Replacement,
    /// Selection policy.
    pub policy: Preset,
    /// Playout policy.
    pub playouts: PlayoutPolicy,
    /// The stones that are taken off the board at the end of a game; `None`: as the rules have it.
    pub dead_stones: Option<DeadStones>,
    /// Which transpositions share statistics.
    pub keys: KeyPolicy,
    /// The networks that are asked about positions, by a policy that has priors: [`Preset::has_priors`].
    pub networks: Option<Networks>,
    /// Playouts that the network's estimate of a position counts like; 0 leaves it out.
    pub value_weight: u8,
    /// How often another move than the best is played.
    pub carelessness: Carelessness,
    /// Everything else about the search; its seed is that of the whole session.
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

/// Playouts of a position before it gets an edge block, where a network is asked with the block: sooner than without, since
/// it knows more than the playouts.
const EXPAND_AT_WITH_NETWORK: u32 = 2;

impl EngineOptions {
    /// The networks, if the policy asks any.
    fn asked_networks(&self) -> Option<&Networks> {
        self.networks.as_ref().filter(|_| self.policy.has_priors())
    }

    /// The network for the board, if the policy asks one.
    #[must_use]
    pub fn network(&self) -> Option<Arc<Network>> {
        self.asked_networks().map(|networks| networks.network_for(self.size))
    }

    /// The networks for all boards that the policy asks, the one for the smallest first: names, and versions of weights files.
    #[must_use]
    pub fn networks_by_name(&self) -> Vec<(String, u32)> {
        let networks = self.asked_networks().map(Networks::all).unwrap_or_default();
        let architectures = networks.iter().map(|network| network.architecture());
        architectures.map(|it| (it.name.clone(), it.version())).collect()
    }

    /// The identity of that network, as hexadecimal digits; empty where none is asked.
    #[must_use]
    pub fn network_identity(&self) -> String {
        self.network().map_or_else(String::new, |network| format!("{:016x}", network.identity()))
    }

    /// The key policy, unless the user says otherwise: keys contain the last moves that priors, or a network, see.
    #[must_use]
    pub fn default_keys(policy: Preset, has_network: bool) -> KeyPolicy {
        match (policy.has_priors(), has_network) {
            (false, _) => KeyPolicy::Plain,
            (true, false) => KeyPolicy::Last,
            (true, true) => KeyPolicy::Recent,
        }
    }

    /// Leaves the networks out. Key policy and playouts before a block follow, unless they are not the default.
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

    /// Playouts of a position before it gets an edge block, unless the user says otherwise; depends on policy and network.
    #[must_use]
    pub fn default_expand_at(&self) -> u32 {
        if self.asked_networks().is_some() { EXPAND_AT_WITH_NETWORK } else { self.policy.expand_at() }
    }
}

/// Why an engine cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The memory budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The table's file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// One game, one table, one way of searching.
pub struct Engine {
    options: EngineOptions,
    record: Record,
    table: Table,
    /// The one that is asked on this board.
    network: Option<Arc<Network>>,
    /// Searches so far: each draws other random numbers.
    searches: u64,
    /// See [`Engine::set_root_noise`].
    root_noise: Option<Arc<[u32]>>,
    /// See [`Engine::set_root_moves`].
    root_moves: Option<Vec<bool>>,
}

impl Engine {
    /// An engine at the start of a game, its table empty.
    ///
    /// # Errors
    /// When the memory cannot be had.
    pub fn new(options: EngineOptions) -> Result<Engine, EngineError> {
        let table = lay_out(&options)?;
        let network = options.ready_network();
        let mut record = Record::new(options.size, options.rules, options.komi);
        record.set_key_policy(options.keys);
        Ok(Engine { options, record, table, network, searches: 0, root_noise: None, root_moves: None })
    }

    /// What it was made from, with the komi and size of the present game.
    #[must_use]
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The network that is asked on this board, if any is.
    #[must_use]
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The game.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The game, to play on.
    pub fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.record.position()
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Begins a game on a board of `size`. The table is kept, unless the size changes: then it is laid
    /// out anew.
    ///
    /// # Errors
    /// When the memory for another layout cannot be had; nothing is changed then.
    pub fn new_game(&mut self, size: Size) -> Result<(), EngineError> {
        let record = Record::new(size, self.options.rules, self.options.komi);
        self.set_record(record)
    }

    /// Goes on with another game, whose komi becomes the engine's. The table is kept, unless the size
    /// changes.
    ///
    /// # Errors
    /// When the memory for another layout cannot be had; nothing is changed then.
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

    /// For a board of another size. The memory is for one network, so the present one goes first.
    fn lay_out_anew(&mut self, options: &EngineOptions) -> Result<(), EngineError> {
        self.network = None;
        let fits = options.table_shape().moves == self.table.layout().shape.moves;
        let laid_out = if fits { Ok(()) } else { lay_out(options).map(|table| self.table = table) };
        let now = if laid_out.is_ok() { options } else { &self.options };
        self.network = now.ready_network();
        laid_out
    }

    /// Changes the komi of this game and those to come. What the table knows under another komi is kept
    /// and not mixed with this one.
    pub fn set_komi(&mut self, komi: Komi) {
        self.options.komi = komi;
        self.record.set_komi(komi);
    }

    /// Begins the random numbers anew from `seed`.
    pub fn set_seed(&mut self, seed: u64) {
        self.options.parameters.seed = seed;
        self.searches = 0;
    }

    /// Changes the number of workers, from 1 to 255.
    ///
    /// # Errors
    /// When the memory budget has no room for so many beside the table; nothing is changed then.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), BudgetError> {
        let threads = threads.clamp(1, 255);
        self.options.check_threads(threads, self.table.layout().bytes())?;
        self.options.parameters.threads = threads;
        Ok(())
    }

    /// Mixes noise into the network's policy of the positions that are searched from now on, if the table does not know
    /// them: chances by move number, which sum to [`chances::CERTAIN`](crate::network::chances::CERTAIN). For games
    /// to learn from.
    pub fn set_root_noise(&mut self, noise: Option<Vec<u32>>) {
        self.root_noise = noise.map(Arc::from);
    }

    /// Restricts the searches from now on to some moves of their root, by move number; `None`: all are tried.
    pub fn set_root_moves(&mut self, allowed: Option<Vec<bool>>) {
        self.root_moves = allowed;
    }

    /// The moves that searches are restricted to, by move number; `None`: all.
    #[must_use]
    pub fn root_moves(&self) -> Option<&[bool]> {
        self.root_moves.as_deref()
    }

    /// What the user should know of the table's file, if that has lost its name or the disk cannot be written.
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

    /// Searches the present position with `player` to move, as [`Engine::root_for`] has it.
    pub fn search(&mut self, player: Player, limits: Limits, progress: Progress<'_>) -> Report {
        self.search_position(self.root_for(player), limits, progress)
    }

    /// The present position with `player` to move, where a game that has ended by two passes goes on. The scores of
    /// [`Engine::search`] are compared with its [`score_komi`](Position::score_komi).
    #[must_use]
    pub fn root_for(&self, player: Player) -> Position {
        let mut root = self.record.position().clone();
        if root.passes() >= 2 {
            root.resume();
        }
        root.set_to_play(player);
        root
    }

    /// Searches any position of the engine's board size. Give it the engine's key policy where its history begins: set
    /// here, the policy does not know the moves before.
    pub fn search_position(&mut self, mut root: Position, limits: Limits, progress: Progress<'_>) -> Report {
        self.prepare(&mut root);
        let mut parameters = self.options.parameters;
        // Random numbers belong to the position and its visits, so that no search depends on those of other positions. A
        // search that goes on, or a file that is opened again, draws others: the same ones would bring the same playouts.
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

    /// Puts into the report of a search what the search itself does not tell: the network's opinion, and a score of the root
    /// where no simulation had one. The root's score is within what is proven. Where a network is asked, its policy and, in a
    /// decided game, points have a say in the [`choice`] of the move.
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

    /// What the table knows of any position of the engine's board size, without searching.
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

    /// Puts the network's opinion of the root into the report: the priors become its policy, and the owners its ownership where
    /// its value counts.
    fn add_opinion(&self, opinion: &Opinion, report: &mut Report) {
        if let Some(ownership) = opinion.ownership.clone().filter(|_| self.options.value_weight > 0) {
            report.ownership.set_estimate(ownership);
        }
        for candidate in report.moves.iter_mut().chain(&mut report.untried) {
            candidate.prior = opinion.policy[candidate.mv.index()];
        }
        report.untried.sort_by(|one, other| other.prior.total_cmp(&one.prior));
    }

    /// Prepares a position for a search: keys and playouts of this engine. Where players agree on dead stones, passes before
    /// the root do not end the game: what the agreement would be is not for the search to say.
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

    /// The move to play after a search: its best, another where the engine is [careless](Carelessness), or pass where
    /// nothing else is legal.
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
