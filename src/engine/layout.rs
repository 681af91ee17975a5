//! The table of an engine: how large it is, what it is laid out for, and the file it may be in.

use super::expert;
use super::{EngineError, EngineOptions, TableFile, TableSetting, UNKNOWN_BUDGET};
use crate::base::memory::{Budget, BudgetError};
use crate::base::zobrist;
use crate::go::{KeyPolicy, Size};
use crate::network::Network;
use crate::search::policy::SelectionPolicy;
use crate::table::{FileError, FileProblem, Shape, Table, TableIdentity, TableMode};
use std::path::Path;
use std::sync::Arc;

/// Weights for tiles may take one part in so many of a memory budget.
const LEAST_MEMORY_OVER_TILES: u64 = 16;

impl EngineOptions {
    /// Bytes for the table of such an engine.
    ///
    /// # Errors
    /// When the memory budget is too small for it, or larger than the machine.
    pub fn table_bytes(&self) -> Result<usize, BudgetError> {
        self.table_bytes_beside(self.parameters.threads)
    }

    /// The same with another number of workers.
    fn table_bytes_beside(&self, threads: usize) -> Result<usize, BudgetError> {
        let network = self.network().map_or(0, |network| {
            expert::memory(&network, self.size, threads, self.has_room_for_tiles(&network))
        });
        self.memory.table_bytes(threads, network + self.reserved)
    }

    /// Whether a network shall have weights for tiles: where they take little of the memory, if that is limited.
    fn has_room_for_tiles(&self, network: &Network) -> bool {
        match self.memory {
            Budget::Engine(bytes) => network.tile_bytes() as u64 <= bytes / LEAST_MEMORY_OVER_TILES,
            Budget::Table(_) => true,
        }
    }

    /// The network that is asked, made ready as the memory budget allows.
    pub(super) fn ready_network(&self) -> Option<Arc<Network>> {
        let network = self.network()?;
        if self.has_room_for_tiles(&network) {
            network.make_tile_weights();
        }
        Some(network)
    }

    /// Whether the memory budget has room for `threads` workers beside a table of `table` bytes; it always has for those
    /// that there are, and for fewer.
    pub(super) fn check_threads(&self, threads: usize, table: usize) -> Result<(), BudgetError> {
        // Nobody asked for a limit where it is the default one, or the table is in a file that has its own size.
        let is_limited = self.memory != Budget::default_for_machine()
            && self.table_file.as_ref().is_none_or(|file| file.is_limited);
        let now = self.parameters.threads;
        let fits = |threads: &usize| {
            *threads <= now || self.table_bytes_beside(*threads).is_ok_and(|bytes| bytes >= table)
        };
        if !is_limited || fits(&threads) {
            return Ok(());
        }
        let most = (now..threads).rev().find(fits).unwrap_or(now);
        Err(BudgetError::TooManyThreads { given: threads, most })
    }

    /// What the table of such an engine is laid out for.
    #[must_use]
    pub fn table_shape(&self) -> Shape {
        let policy_state = self.policy.policy(UNKNOWN_BUDGET).uses_state();
        Shape { moves: self.size.points() + 1, policy_state }
    }

    /// What a table file of such an engine is made for.
    #[must_use]
    pub fn identity(&self) -> TableIdentity {
        let policy_state = if self.table_shape().policy_state { self.policy.name() } else { "" };
        TableIdentity {
            game: game_name(self.size),
            key_seed: zobrist::SEED,
            policy_state: policy_state.to_owned(),
            network: self.network().map(|network| network.identity()),
            game_settings: format!("rules {}, komi {}, keys {}", self.rules, self.komi, self.keys),
        }
    }
}

/// How a table file calls games on such a board.
pub(super) fn game_name(size: Size) -> String {
    format!("go {size}")
}

/// A table for an engine on its board: new, or the one in its file.
pub(super) fn lay_out(options: &EngineOptions) -> Result<Table, EngineError> {
    let budget = || options.table_bytes();
    let table = match &options.table_file {
        None => Table::new(options.table_shape(), budget()?)?,
        Some(file) => {
            let mut table = open_or_create(options, file, budget)?;
            if let Some(period) = file.sync {
                table.sync_every(period)?;
            }
            table
        }
    };
    Ok(table.with_replacement(options.replacement))
}

fn open_or_create(
    options: &EngineOptions,
    file: &TableFile,
    budget: impl Fn() -> Result<usize, BudgetError>,
) -> Result<Table, EngineError> {
    let TableFile { path, mode, is_limited, .. } = file;
    let identity = options.identity();
    // A budget that cannot be is an error whatever the file's size.
    let limit = if *is_limited { Some(budget()?) } else { None };
    if *mode == TableMode::ReadWrite && !path.exists() {
        match Table::create(path, &identity, options.table_shape(), budget()?) {
            // Another process was faster.
            Err(FileError { problem: FileProblem::Exists, .. }) => {}
            created => return Ok(created?),
        }
    }
    // One that is only read teaches the engine nothing, and may be of any kind.
    let expected = (*mode != TableMode::ReadOnly).then_some(&identity);
    let table = Table::open(path, *mode, expected)?;
    check_shape(&table, options.table_shape(), &identity, *mode)
        .and_then(|()| check_keys(&table, options.keys, *mode))
        .map_err(|problem| FileError { path: path.display().to_string(), problem })?;
    let found = table.layout().bytes();
    match limit {
        Some(limit) if found > limit => Err(too_large(path, limit, found)),
        _ => Ok(table),
    }
}

/// A file may name the game that is wanted and have the blocks of another: what it says of itself is not to be believed.
fn check_shape(
    table: &Table,
    wanted: Shape,
    wanted_for: &TableIdentity,
    mode: TableMode,
) -> Result<(), FileProblem> {
    let found = table.layout().shape;
    // Without policy state there is something less to read, but nothing to write to.
    let has_state = mode == TableMode::ReadOnly || found.policy_state == wanted.policy_state;
    if found.moves == wanted.moves && has_state {
        return Ok(());
    }
    match table.identity().map(|identity| &identity.game) {
        Some(game) if *game != wanted_for.game => {
            Err(FileProblem::Game { expected: wanted_for.game.clone(), found: game.clone() })
        }
        _ => Err(FileProblem::Layout),
    }
}

/// With other keys almost nothing that the table knows would be found.
fn check_keys(table: &Table, wanted: KeyPolicy, mode: TableMode) -> Result<(), FileProblem> {
    let found = table.identity().and_then(|identity| TableSetting::read(&identity.game_settings).keys);
    match found {
        Some(found) if found != wanted && mode != TableMode::ReadOnly => {
            Err(FileProblem::KeyPolicy { expected: wanted.to_string(), found: found.to_string() })
        }
        _ => Ok(()),
    }
}

fn too_large(path: &Path, limit: usize, found: usize) -> EngineError {
    let problem = FileProblem::TooLarge { limit: limit as u64, found: found as u64 };
    FileError { path: path.display().to_string(), problem }.into()
}
