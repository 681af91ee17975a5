//! Which entry or block makes room when the table is full.

use super::entry::GENERATIONS;
use std::fmt;
use std::str::FromStr;

/// Each generation since its last use quarters what an entry or a block is worth.
const AGE_SHIFT: u64 = 2;
/// Under [`Replacement::LeastRecentlyUsed`] a generation lasts until this share of the entries, one in so
/// many, has been claimed: 64 generations are then four times the directory.
const ENTRIES_PER_TICK: usize = 16;

/// How a full table chooses what to forget. A directory entry competes with the others of its bucket, an
/// edge block with those that the clock hand passes; what the running simulation stands on is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Replacement {
    /// The fewest visits go, quartered for each search since the last use. The default.
    #[default]
    VisitsAndGeneration,
    /// The fewest visits go, however long ago they were: a new position replaces the smaller subtree, as
    /// in Breuker, Uiterwijk & van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17
    /// (1994), scheme Big, where the new one always enters.
    Visits,
    /// What was not used for the longest time goes, as in Powley, Cowling & Whitehouse, "Memory bounded
    /// Monte Carlo tree search", AIIDE 2017. Time is counted in claims of entries, with a resolution of one
    /// 64th of four times the directory.
    LeastRecentlyUsed,
    /// Whatever is in the way goes, without a look at its worth: Breuker's scheme New.
    Always,
}

impl Replacement {
    /// All of them.
    pub const ALL: [Replacement; 4] = [
        Replacement::VisitsAndGeneration,
        Replacement::Visits,
        Replacement::LeastRecentlyUsed,
        Replacement::Always,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Replacement::VisitsAndGeneration => "visits-and-generation",
            Replacement::Visits => "visits",
            Replacement::LeastRecentlyUsed => "least-recently-used",
            Replacement::Always => "always",
        }
    }

    /// What an entry or block is worth keeping that has `visits` and was last used in generation `used_in`.
    /// Without visits it is worth nothing.
    #[inline]
    pub(super) fn worth(self, visits: u32, used_in: u64, generation: u64) -> u64 {
        let age = age(used_in, generation);
        match self {
            // Never used counts less than once used, however long ago.
            Replacement::VisitsAndGeneration => (u64::from(visits) << 16) >> (AGE_SHIFT * age).min(47),
            Replacement::Visits => u64::from(visits),
            Replacement::LeastRecentlyUsed if visits == 0 => 0,
            Replacement::LeastRecentlyUsed => (GENERATIONS - age) << 32 | u64::from(visits),
            Replacement::Always => 0,
        }
    }

    /// The place of a bucket that is looked at first, for a new position with `key`. Where all are equal it
    /// must differ, or one place would bear all the changes; the low bits say nothing about the bucket, which
    /// the high bits choose.
    pub(super) const fn first_place(self, key: u64, places: usize) -> usize {
        match self {
            Replacement::Always => key as usize % places,
            _ => 0,
        }
    }

    /// Whether a new search begins a new generation.
    pub(super) const fn ages_by_search(self) -> bool {
        !matches!(self, Replacement::LeastRecentlyUsed)
    }

    /// Claims after which a new generation begins; `None` where that does not depend on claims.
    pub(super) fn claims_per_generation(self, entries: usize) -> Option<u64> {
        let ticks = || (entries / ENTRIES_PER_TICK).max(1) as u64;
        (self == Replacement::LeastRecentlyUsed).then(ticks)
    }
}

/// Generations since `used_in`, modulo their number.
#[inline]
pub(super) const fn age(used_in: u64, generation: u64) -> u64 {
    (generation + GENERATIONS - used_in) % GENERATIONS
}

impl fmt::Display for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Replacement {
    type Err = String;

    fn from_str(text: &str) -> Result<Replacement, String> {
        let found = Replacement::ALL.into_iter().find(|replacement| replacement.name() == text);
        found.ok_or_else(|| {
            let names = Replacement::ALL.map(Replacement::name).join(", ");
            format!("unknown replacement policy {text:?}: expected one of {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The victim among candidates of (visits, generation of last use) in generation 3.
    fn victim(replacement: Replacement, candidates: &[(u32, u64)]) -> usize {
        let worth = |&(visits, used_in): &(u32, u64)| replacement.worth(visits, used_in, 3);
        (0..candidates.len()).min_by_key(|&index| worth(&candidates[index])).unwrap()
    }

    #[test]
    fn each_policy_has_its_own_victim() {
        // Large and two searches old (worth 100/16), small and fresh, in between.
        let candidates = [(100, 1), (10, 3), (40, 2), (7, 3)];
        assert_eq!(victim(Replacement::VisitsAndGeneration, &candidates), 0);
        assert_eq!(victim(Replacement::Visits, &candidates), 3);
        assert_eq!(victim(Replacement::LeastRecentlyUsed, &candidates), 0);
        assert_eq!(victim(Replacement::LeastRecentlyUsed, &[(9, 3), (8, 3), (0, 3)]), 2);
        assert_eq!(victim(Replacement::Always, &candidates), 0);
    }

    #[test]
    fn generations_wrap_like_the_hours_of_a_clock() {
        assert_eq!((age(63, 0), age(0, 0), age(0, 63)), (1, 0, 63));
        assert!(
            Replacement::LeastRecentlyUsed.worth(1, 63, 1) < Replacement::LeastRecentlyUsed.worth(1, 0, 1)
        );
    }

    #[test]
    fn names_are_read_back() {
        for replacement in Replacement::ALL {
            assert_eq!(replacement.to_string().parse(), Ok(replacement));
        }
        assert!("lifo".parse::<Replacement>().is_err());
    }
}
