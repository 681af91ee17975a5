//! Counters of table events. The list below is the only one: sums and reports are derived from it.

use std::fmt;

/// Number of depths counted in [`Counters::transpositions_by_depth`].
pub const DEPTHS: usize = 16;
/// Number of ages counted in [`Counters::evictions_by_age`].
pub const AGES: usize = 9;

/// The value of a counter: one number, or one number for each depth or age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count<'a> {
    /// A single number.
    Number(u64),
    /// One number for each depth or age.
    Numbers(&'a [u64]),
}

impl fmt::Display for Count<'_> {
    /// Writes the numbers separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Number(number) => write!(f, "{number}"),
            Count::Numbers(numbers) => {
                f.write_str(&numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

/// A type of counter: one number or an array.
trait CounterKind {
    fn add(&mut self, other: &Self);
    fn count(&self) -> Count<'_>;
}

impl CounterKind for u64 {
    fn add(&mut self, other: &u64) {
        *self += other;
    }

    fn count(&self) -> Count<'_> {
        Count::Number(*self)
    }
}

impl<const N: usize> CounterKind for [u64; N] {
    fn add(&mut self, other: &[u64; N]) {
        self.iter_mut().zip(other).for_each(|(sum, count)| *sum += count);
    }

    fn count(&self) -> Count<'_> {
        Count::Numbers(self)
    }
}

/// Declares the counters with their names in reports.
macro_rules! counters {
    ($($(#[$documentation:meta])* $field:ident: $kind:ty = $name:literal,)*) => {
        /// Counts of table events, kept separately by each worker.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$documentation])* pub $field: $kind,)*
        }

        impl Counters {
            /// Adds another worker's counts.
            pub fn add(&mut self, other: &Counters) {
                $(CounterKind::add(&mut self.$field, &other.$field);)*
            }

            /// Returns all counters with their names in reports.
            pub fn list(&self) -> impl Iterator<Item = (&'static str, Count<'_>)> {
                [$(($name, self.$field.count()),)*].into_iter()
            }
        }
    };
}

counters! {
    /// Probes for a position to update that found it.
    hits: u64 = "hits",
    /// Probes for a position to update that did not find it.
    misses: u64 = "misses",
    /// Positions already in the table at the first visit of an edge: reached before by another sequence of moves, or
    /// by this edge before its page was lost.
    transpositions: u64 = "transpositions",
    /// Entries taken from another position.
    evictions: u64 = "evictions",
    /// Pages taken from another position.
    page_evictions: u64 = "blockEvictions",
    /// Positions refused an entry or a page, because all candidates for eviction were protected or taken by other
    /// workers.
    refused: u64 = "refused",
    /// Pages found to be evicted when their position was visited again, and those of a second entry made for a position
    /// at the same moment.
    lost_pages: u64 = "lostBlocks",
    /// Backups dropped because the entry or the page had been evicted since the descent.
    late_updates: u64 = "lateUpdates",
    /// Transpositions by the number of moves since the search root; the last element counts all deeper ones.
    transpositions_by_depth: [u64; DEPTHS] = "transpositionsByDepth",
    /// Evicted entries by the number of generations since their last visit; the last element counts all older ones.
    evictions_by_age: [u64; AGES] = "evictionsByAge",
    /// Entries and pages that another worker took at the same moment.
    contention: u64 = "contention",
    /// Positions found with edges that they cannot have: a key shared with another position, or damage.
    collisions: u64 = "collisions",
}
