//! Options of an engine, and their defaults.

use super::external;
use super::move_randomness::MoveRandomness;
use super::ranks::Ranks;
use crate::base::memory::MemoryBudget;
use crate::external::ExternalEvaluator;
use crate::go::status::DeadStones;
use crate::go::{KeyPolicy, Komi, PlayoutPolicy, Rules, Size};
use crate::network::{Network, Networks};
use crate::search::policy::Preset;
use crate::search::{CatchUp, SearchParameters};
use crate::table::{Replacement, TableMode};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Number of simulations assumed for a search that is limited by time alone.
pub(super) const UNKNOWN_BUDGET: u64 = 1_000;

/// Default weight of a value estimate, in playouts.
pub const DEFAULT_VALUE_WEIGHT: u8 = 3;

/// A table in a file, which outlives the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Board of the file at `path`; other boards have files beside it.
    pub board: Size,
    /// Mode of opening; decides whether search results are written to the file.
    pub mode: TableMode,
    /// True if the user set the memory budget: a larger file is then an error.
    pub is_limited: bool,
    /// Interval at which search results are written to the disk, and once more at the end; `None`: the operating system
    /// decides.
    pub sync: Option<Duration>,
}

impl TableFile {
    /// Returns the path of the table for a board: `go-9x9.tewari` beside the `go.tewari` of another board.
    #[must_use]
    pub fn path_for(&self, board: Size) -> PathBuf {
        if board == self.board { self.path.clone() } else { TableFile::path_beside(&self.path, board) }
    }

    /// Returns the path of the table for another board than that of the file at `path`.
    #[must_use]
    pub fn path_beside(path: &Path, board: Size) -> PathBuf {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}-{board}");
        match path.extension() {
            Some(extension) => path.with_file_name(name + "." + &extension.to_string_lossy()),
            None => path.with_file_name(name),
        }
    }
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
    pub memory: MemoryBudget,
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
    /// The evaluator in another process, in place of the networks; the policy must be one that [evaluates
    /// leaves](Preset::evaluates_leaves).
    pub external: Option<Arc<ExternalEvaluator>>,
    /// The place of this process among the ranks of a search; `None`: it searches alone.
    pub ranks: Option<Arc<Ranks>>,
    /// Weight of the network's value estimate in playouts; 0: only its policy is used.
    pub value_weight: u8,
    /// Probabilities of playing another move than the best one.
    pub move_randomness: MoveRandomness,
    /// Other parameters of the search; the seed is that of the whole session.
    pub parameters: SearchParameters,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            size: Size::new(19, 19).expect("19x19 is a board"),
            rules: Rules::CHINESE,
            komi: Komi(15),
            memory: MemoryBudget::default_for_machine(),
            reserved: 0,
            table_file: None,
            replacement: Replacement::default(),
            policy: Preset::default(),
            playouts: PlayoutPolicy::default(),
            dead_stones: None,
            keys: KeyPolicy::Recent,
            networks: Some(Networks::Embedded),
            external: None,
            ranks: None,
            value_weight: DEFAULT_VALUE_WEIGHT,
            move_randomness: MoveRandomness::NONE,
            parameters: SearchParameters { expand_at: EXPAND_AT_WITH_NETWORK, ..SearchParameters::default() },
        }
    }
}

/// Number of playouts of a position before it gets an edge page and is evaluated by the network. It is lower than without a
/// network, since evaluations are more accurate than playouts.
const EXPAND_AT_WITH_NETWORK: u32 = 2;

impl EngineOptions {
    /// Returns the networks, if the policy uses any.
    fn asked_networks(&self) -> Option<&Networks> {
        self.networks.as_ref().filter(|_| self.policy.has_priors() && self.external.is_none())
    }

    /// Returns true if a network evaluates the positions of a search.
    #[must_use]
    pub fn has_network(&self) -> bool {
        self.asked_networks().is_some()
    }

    /// Returns true if an evaluator, in the program or in another process, evaluates the positions of a search.
    #[must_use]
    pub fn has_evaluator(&self) -> bool {
        self.has_network() || self.external.is_some()
    }

    /// Returns the identity of the evaluator for the board in table files; `None` without one.
    #[must_use]
    pub fn evaluator_identity(&self) -> Option<NonZeroU64> {
        match &self.external {
            Some(evaluator) => Some(external::identity(evaluator)),
            None => self.network().map(|network| network.identity()),
        }
    }

    /// Returns the network for the board, if the policy uses one.
    #[must_use]
    pub fn network(&self) -> Option<Arc<Network>> {
        self.asked_networks().map(|networks| networks.network_for(self.size))
    }

    /// Returns name and version of the weights of each network that the policy uses, the one for small boards first.
    #[must_use]
    pub fn networks_by_name(&self) -> Vec<(String, u32)> {
        if let Some(evaluator) = &self.external {
            return vec![(evaluator.name().unwrap_or(evaluator.command()).to_owned(), 0)];
        }
        let networks = self.asked_networks().map(Networks::all).unwrap_or_default();
        let architectures = networks.iter().map(|network| network.architecture());
        architectures.map(|it| (it.name.clone(), it.version())).collect()
    }

    /// Returns the identity of the evaluator for the board in hexadecimal digits; empty without an evaluator.
    #[must_use]
    pub fn network_identity(&self) -> String {
        self.evaluator_identity().map_or_else(String::new, |identity| format!("{identity:016x}"))
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

    /// Returns the default action at children with more visits than the edge to them. With values of an evaluator alone, a
    /// value from another path is as good as one from this edge.
    #[must_use]
    pub fn default_catch_up(policy: Preset) -> CatchUp {
        if policy.evaluates_leaves() { CatchUp::Stop } else { CatchUp::Continue }
    }

    /// Returns the weight of an evaluator's value estimate, in playouts or, where it ends simulations, in visits.
    pub(super) fn estimate_weight(&self) -> u8 {
        if self.policy.evaluates_leaves() { 1 } else { self.value_weight }
    }

    /// Removes the networks and the evaluator in another process, with its policy. Adapts the key policy and the number of
    /// playouts before a page if they have their default values.
    pub(crate) fn remove_networks(&mut self) {
        if self.external.take().is_some() || self.policy.evaluates_leaves() {
            self.policy = Preset::default();
            self.keys = EngineOptions::default_keys(self.policy, true);
            self.parameters.catch_up = EngineOptions::default_catch_up(self.policy);
            self.parameters.expand_at = self.default_expand_at();
        }
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

    /// Returns the default number of playouts of a position before it gets an edge page, which depends on policy and
    /// network.
    #[must_use]
    pub fn default_expand_at(&self) -> u32 {
        if self.asked_networks().is_some() { EXPAND_AT_WITH_NETWORK } else { self.policy.expand_at() }
    }
}
