//! The table of an engine: its size, its layout, and its file.

use super::error::EngineError;
use super::evaluator;
use super::options::{EngineOptions, TableFile, UNKNOWN_BUDGET};
use super::table_setting::TableGameSettings;
use crate::base::memory::{BudgetError, MemoryBudget};
use crate::base::zobrist;
use crate::go::{KeyPolicy, Size};
use crate::network::Network;
use crate::search::policy::SelectionPolicy;
use crate::table::{FileError, FileProblem, Shape, Table, TableIdentity, TableMode};
use std::path::Path;
use std::sync::Arc;

/// Minimum ratio of a memory budget to the bytes of weights for tiles.
const MIN_BUDGET_OVER_TILES: u64 = 16;

/// Share of the table bytes that an engine keeps beside an adviser, as a divisor.
const OWN_SHARE_BESIDE_ADVISER: u64 = 4;

/// Minimum bytes of a table file beside that of another board.
const MIN_BYTES_BESIDE: usize = 1 << 20;

impl EngineOptions {
    /// Returns the bytes for the table of an engine with these options.
    ///
    /// # Errors
    /// Returns an error if the memory budget is too small for the engine, or above the memory of the machine.
    pub fn table_bytes(&self) -> Result<usize, BudgetError> {
        self.table_bytes_beside(self.parameters.threads)
    }

    /// Returns the same for another number of workers.
    fn table_bytes_beside(&self, threads: usize) -> Result<usize, BudgetError> {
        let network = self.network().map_or(0, |network| {
            evaluator::network_memory_bytes(&network, self.size, threads, self.has_room_for_tiles(&network))
        });
        self.memory.table_bytes(threads, network + self.reserved)
    }

    /// Returns true if the network gets weights for tiles: they are a small part of the engine's memory budget, or
    /// only the table has a budget.
    fn has_room_for_tiles(&self, network: &Network) -> bool {
        match self.memory {
            MemoryBudget::Engine(bytes) => network.arranged_bytes() as u64 <= bytes / MIN_BUDGET_OVER_TILES,
            MemoryBudget::Table(_) => true,
        }
    }

    /// Splits the table's part of the memory budget, and returns the options of a second engine for hints and estimates
    /// beside this one. `None`, and no change, if the budget has no room for two tables or the table is in a file.
    pub(crate) fn split_off_adviser(&mut self) -> Option<EngineOptions> {
        let table = self.table_bytes().ok().filter(|_| self.table_file.is_none())? as u64;
        let own = table / OWN_SHARE_BESIDE_ADVISER;
        let with_table = |bytes: u64| match self.memory {
            MemoryBudget::Table(_) => EngineOptions { memory: MemoryBudget::Table(bytes), ..self.clone() },
            MemoryBudget::Engine(_) => {
                EngineOptions { reserved: self.reserved + (table - bytes), ..self.clone() }
            }
        };
        let (own, adviser) = (with_table(own), with_table(table - own));
        own.table_bytes().ok()?;
        *self = own;
        Some(adviser)
    }

    /// Returns the network in use, with weights for tiles if the memory budget has room for them.
    pub(super) fn ready_network(&self) -> Option<Arc<Network>> {
        let network = self.network()?;
        if self.has_room_for_tiles(&network) {
            network.arrange_weights();
        }
        Some(network)
    }

    /// Checks that the memory budget has room for `threads` workers beside a table of `table` bytes. The present number of
    /// workers, and any lower one, is always accepted.
    pub(super) fn check_threads(&self, threads: usize, table: usize) -> Result<(), BudgetError> {
        // The default budget is no limit set by the user, nor is one that the size of a table file overrides.
        let is_limited = self.memory != MemoryBudget::default_for_machine()
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

    /// Returns the shape of the edge pages: ranked by priors with an evaluator, else complete, since the search
    /// then needs all moves from the first visit.
    #[must_use]
    pub fn table_shape(&self) -> Shape {
        let policy_state = self.policy.policy(UNKNOWN_BUDGET).uses_state();
        Shape { moves: self.size.points() + 1, ranked: self.has_evaluator(), policy_state }
    }

    /// Returns the identity of a table file for an engine with these options.
    #[must_use]
    pub fn identity(&self) -> TableIdentity {
        let policy_state = if self.table_shape().policy_state { self.policy.name() } else { "" };
        TableIdentity {
            game: game_name(self.size),
            key_seed: zobrist::SEED,
            policy_state: policy_state.to_owned(),
            network: self.evaluator_identity(),
            game_settings: TableGameSettings::write(self.rules, self.komi, self.keys),
        }
    }
}

/// Returns the name of games on a board of `size` in table files.
pub(super) fn game_name(size: Size) -> String {
    format!("go {size}")
}

/// Returns the table of an engine, in memory or in its file, which is created if it does not exist.
pub(super) fn create_table(options: &EngineOptions) -> Result<Table, EngineError> {
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
    let TableFile { mode, is_limited, .. } = file;
    let path = &file.path_for(options.size);
    let identity = options.identity();
    // An impossible budget is an error whatever the size of the file.
    let limit = if *is_limited { Some(budget()?) } else { None };
    if *mode == TableMode::ReadWrite && !path.exists() {
        match Table::create(path, &identity, options.table_shape(), new_file_bytes(file, path, budget()?)) {
            // Another process has just created it.
            Err(FileError { problem: FileProblem::Exists, .. }) => {}
            created => return Ok(created?),
        }
    }
    // Searches of this engine do not use a table that is only read, so that its identity may differ.
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

/// Returns the bytes of a new table file: the memory budget if the user set it, else at most the size of the named file,
/// which is of another board.
fn new_file_bytes(file: &TableFile, path: &Path, budget: usize) -> usize {
    let named = std::fs::metadata(&file.path).ok().filter(|_| !file.is_limited && path != file.path);
    let named = named.and_then(|named| usize::try_from(named.len()).ok());
    named.map_or(budget, |bytes| bytes.max(MIN_BYTES_BESIDE).min(budget))
}

/// Checks the shape of the pages, since the identity in a file may be false.
fn check_shape(
    table: &Table,
    wanted: Shape,
    wanted_for: &TableIdentity,
    mode: TableMode,
) -> Result<(), FileProblem> {
    let found = table.layout().shape;
    // A table with other policy state can be read, but not searched.
    let is_alike = found.policy_state == wanted.policy_state && found.ranked == wanted.ranked;
    if found.moves == wanted.moves && (is_alike || mode == TableMode::ReadOnly) {
        return Ok(());
    }
    match table.identity().map(|identity| &identity.game) {
        Some(game) if *game != wanted_for.game => {
            Err(FileProblem::Game { expected: wanted_for.game.clone(), found: game.clone() })
        }
        _ => Err(FileProblem::Layout),
    }
}

/// Checks the key policy: under another one, almost no stored position would be found.
fn check_keys(table: &Table, wanted: KeyPolicy, mode: TableMode) -> Result<(), FileProblem> {
    let found = table.identity().and_then(|identity| TableGameSettings::read(&identity.game_settings).keys);
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
