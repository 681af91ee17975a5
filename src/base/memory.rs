//! Memory budgets, and the share of the table in them.

use crate::base::platform;

/// One mebibyte in bytes.
pub const MIB: u64 = 1 << 20;
/// Memory of the engine besides the table and the network, in a release build: code, stacks, the game's history, output
/// buffers. Peak resident memory stays below each budget of tests/program/memory.rs; a build for tests, without link-time
/// optimisation, takes up to 1.9 MiB more.
const ENGINE_BYTES: u64 = 9 * MIB;
/// Reserve for growth with boards and games: an engine on 19x19 that has read a long record takes 0.3 MiB more than one on
/// 9x9.
const RESERVE: u64 = MIB / 2;
/// Memory of each further worker: boards, buffers, stack. Measured: 0.2 to 0.46 MiB.
const WORKER_BYTES: u64 = MIB / 2;
/// Largest default budget.
const MAX_DEFAULT_MEMORY: u64 = 2048 * MIB;
/// The smallest budget for an engine.
pub const MIN_ENGINE_MEMORY: u64 = 16 * MIB;
/// The smallest part of it for the table, which decides where many workers need more.
const MIN_TABLE_BYTES: u64 = MIB;

/// A memory budget for the engine or for its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryBudget {
    /// Bytes for the whole engine.
    Engine(u64),
    /// Bytes for the table alone.
    Table(u64),
}

/// An impossible budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// A budget below the needs of the engine without a table.
    #[error("{given} bytes of memory are too few: at least {} MiB ({smallest} bytes) are needed; raise --memory", mebibytes(*smallest))]
    TooSmall {
        /// Bytes requested.
        given: u64,
        /// Smallest possible budget in bytes.
        smallest: u64,
    },
    /// A budget above the memory of the machine or the limit of this process.
    #[error(
        "{given} bytes of memory are more than this machine has: expected at most {} MiB ({available} bytes)",
        available / MIB
    )]
    TooLarge {
        /// Bytes requested.
        given: u64,
        /// Bytes available.
        available: u64,
    },
    /// More workers than fit beside an existing table.
    #[error(
        "{given} threads do not fit into the memory beside the table: expected at most {most}; restart with --threads \
         {given}, which makes the table smaller"
    )]
    TooManyThreads {
        /// Workers requested.
        given: usize,
        /// Largest number of workers.
        most: usize,
    },
}

impl MemoryBudget {
    /// Returns a quarter of the memory that the machine or its control group allows, at most 2 GiB.
    #[must_use]
    pub fn default_for_machine() -> MemoryBudget {
        let quarter = available().map_or(MAX_DEFAULT_MEMORY / 4, |bytes| bytes / 4);
        MemoryBudget::Engine((quarter / MIB * MIB).clamp(MIN_ENGINE_MEMORY, MAX_DEFAULT_MEMORY))
    }

    /// Returns the bytes for the table of an engine with `threads` workers and `other_bytes` bytes of other data.
    ///
    /// # Errors
    /// A budget that is too small for the engine, or above the memory of the machine.
    pub fn table_bytes(self, threads: usize, other_bytes: u64) -> Result<usize, BudgetError> {
        let (given, wanted) = match self {
            MemoryBudget::Table(bytes) => (bytes, bytes),
            MemoryBudget::Engine(bytes) => {
                let workers = WORKER_BYTES * (threads.max(1) as u64 - 1);
                let others = ENGINE_BYTES + RESERVE + workers + other_bytes;
                let smallest = MIN_ENGINE_MEMORY.max(others + MIN_TABLE_BYTES);
                if bytes < smallest {
                    return Err(BudgetError::TooSmall { given: bytes, smallest });
                }
                (bytes, bytes - others)
            }
        };
        if let Some(available) = available()
            && given > available
        {
            return Err(BudgetError::TooLarge { given, available });
        }
        usize::try_from(wanted).map_err(|_| BudgetError::TooLarge { given, available: usize::MAX as u64 })
    }
}

/// Returns the bytes of memory that this process may use: those of the machine, or its control group's limit if that is
/// lower; `None` if neither is known.
#[must_use]
pub fn available() -> Option<u64> {
    platform::memory::available()
}

/// Returns bytes as MiB, rounded up to hundredths, so that a printed minimum is sufficient.
fn mebibytes(bytes: u64) -> f64 {
    (bytes * 100).div_ceil(MIB) as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mebibytes_are_never_rounded_down() {
        assert_eq!(mebibytes(6 * MIB), 6.0);
        assert_eq!(mebibytes(6 * MIB + 1), 6.01);
        assert_eq!(
            BudgetError::TooSmall { given: 1, smallest: 6 * MIB + MIB / 4 }.to_string(),
            "1 bytes of memory are too few: at least 6.25 MiB (6553600 bytes) are needed; raise --memory"
        );
    }

    #[test]
    fn budgets_outside_what_is_possible_are_refused() {
        assert!(matches!(MemoryBudget::Engine(MIB).table_bytes(1, 0), Err(BudgetError::TooSmall { .. })));
        assert!(matches!(MemoryBudget::Engine(1 << 60).table_bytes(1, 0), Err(BudgetError::TooLarge { .. })));
        assert_eq!(MemoryBudget::Table(5000).table_bytes(4, 0), Ok(5000));
        assert!(MemoryBudget::Engine(64 * MIB).table_bytes(1, 0).unwrap() < (64 * MIB) as usize);
    }
}
