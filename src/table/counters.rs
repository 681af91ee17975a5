//! What happens at the table, counted. The list below is the only one: sums and reports come from it.

use std::fmt;

/// See [`Counters::transpositions_by_depth`].
pub const DEPTHS: usize = 16;
/// See [`Counters::evictions_by_age`].
pub const AGES: usize = 9;

/// The value of a counter: one number, or one for each depth or age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count<'a> {
    /// One number.
    Number(u64),
    /// Several.
    Numbers(&'a [u64]),
}

impl fmt::Display for Count<'_> {
    /// Numbers separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Number(number) => write!(f, "{number}"),
            Count::Numbers(numbers) => {
                f.write_str(&numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

/// What kinds of counter there are.
trait Kind {
    fn add(&mut self, other: &Self);
    fn count(&self) -> Count<'_>;
}

impl Kind for u64 {
    fn add(&mut self, other: &u64) {
        *self += other;
    }

    fn count(&self) -> Count<'_> {
        Count::Number(*self)
    }
}

impl<const N: usize> Kind for [u64; N] {
    fn add(&mut self, other: &[u64; N]) {
        self.iter_mut().zip(other).for_each(|(sum, count)| *sum += count);
    }

    fn count(&self) -> Count<'_> {
        Count::Numbers(self)
    }
}

/// Declares the counters with the names that reports give them.
macro_rules! counters {
    ($($(#[$documentation:meta])* $field:ident: $kind:ty = $name:literal,)*) => {
        /// What happened at the table, counted by each worker for itself.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$documentation])* pub $field: $kind,)*
        }

        impl Counters {
            /// Adds another worker's counts.
            pub fn add(&mut self, other: &Counters) {
                $(Kind::add(&mut self.$field, &other.$field);)*
            }

            /// All of them, with the names that reports give them.
            pub fn list(&self) -> impl Iterator<Item = (&'static str, Count<'_>)> {
                [$(($name, self.$field.count()),)*].into_iter()
            }
        }
    };
}

counters! {
    /// Positions that were looked for and found.
    hits: u64 = "hits",
    /// Positions that were looked for and new.
    misses: u64 = "misses",
    /// Positions found at the first visit of an edge: another sequence of moves had led there, or the edge's own position
    /// had lost its block.
    transpositions: u64 = "transpositions",
    /// Entries taken from another position.
    evictions: u64 = "evictions",
    /// Blocks taken from another position.
    block_evictions: u64 = "blockEvictions",
    /// Positions that got no entry or block, since all that could go was protected or worth more.
    refused: u64 = "refused",
    /// Blocks that were gone when their position was visited again.
    lost_blocks: u64 = "lostBlocks",
    /// Backups to positions whose entry or block had been evicted meanwhile.
    late_updates: u64 = "lateUpdates",
    /// Transpositions by the moves that had been made since the root of the search, the last place for all that were
    /// deeper.
    transpositions_by_depth: [u64; DEPTHS] = "transpositionsByDepth",
    /// Evictions of entries by the generations since their last visit, the last place for all that were older.
    evictions_by_age: [u64; AGES] = "evictionsByAge",
    /// Entries and blocks that another worker took in the same moment.
    contention: u64 = "contention",
    /// Times that a position had edges which it cannot have: another one with the same key, or damage.
    collisions: u64 = "collisions",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_every_counter_and_no_name_stands_for_two() {
        let one = Counters { hits: 2, evictions_by_age: [1; AGES], ..Counters::default() };
        let mut sum = one;
        sum.add(&one);
        assert_eq!((sum.hits, sum.misses, sum.evictions_by_age), (4, 0, [2; AGES]));
        let names: std::collections::BTreeSet<&str> = sum.list().map(|(name, _)| name).collect();
        assert_eq!(names.len(), sum.list().count());
        assert!(sum.list().any(|counter| counter == ("hits", Count::Number(4))));
        assert_eq!(Count::Numbers(&[1, 20]).to_string(), "1 20");
    }
}
