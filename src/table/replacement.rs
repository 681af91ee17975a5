//! Replacement policies: the choice of an entry or a page to evict when the table is full.

use super::entry::GENERATIONS;
use std::fmt;
use std::str::FromStr;

/// Right shift of the value for each generation since the last use (a quarter remains).
const AGE_SHIFT: u64 = 2;
/// Additional right shift if the present generation has not used it (1/16 remains). Without this shift small pages of
/// the present search were evicted before larger unused ones and evaluated again.
const UNUSED_SHIFT: u64 = 4;

/// The policy for evictions from a full table. A directory entry competes with the others of its bucket and of the overflow
/// bucket, an edge page with those that the clock hand passes; the path of the running simulation is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Replacement {
    /// Evicts the candidate with the fewest visits, after division by 4 for each generation since the last use, and by
    /// another 16 if the present generation has not used it. The default.
    #[default]
    VisitsAndGeneration,
    /// Evicts the candidate with the fewest visits, whatever its age: a new position replaces the smallest subtree.
    /// Source: Breuker, Uiterwijk & van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17
    /// (1994), scheme Big; but here the new position always enters.
    Visits,
    /// Evicts the first candidate, whatever its value. Source: Breuker's scheme New.
    Always,
}

/// Keeps the less valuable of two candidates for eviction, the first of equals.
#[inline]
pub(super) fn keep_least<T>(least: &mut Option<(u64, T)>, worth: u64, candidate: T) {
    if least.as_ref().is_none_or(|(other, _)| worth < *other) {
        *least = Some((worth, candidate));
    }
}

impl Replacement {
    /// All policies.
    pub const ALL: [Replacement; 3] =
        [Replacement::VisitsAndGeneration, Replacement::Visits, Replacement::Always];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Replacement::VisitsAndGeneration => "visits-and-generation",
            Replacement::Visits => "visits",
            Replacement::Always => "always",
        }
    }

    /// Returns the value of keeping an entry or page with `visits` that was last used in generation `used_in`; 0
    /// without visits.
    #[inline]
    pub(super) fn worth(self, visits: u32, used_in: u64, generation: u64) -> u64 {
        let age = age(used_in, generation);
        match self {
            // 16 fractional bits: a single visit is worth more than none for six generations.
            Replacement::VisitsAndGeneration => {
                let unused = if age == 0 { 0 } else { UNUSED_SHIFT };
                (u64::from(visits) << 16) >> (AGE_SHIFT * age + unused).min(47)
            }
            Replacement::Visits => u64::from(visits),
            Replacement::Always => 0,
        }
    }

    /// Returns the slot of a bucket to consider first for a new position with `key`. It varies under `Always`, where all
    /// candidates are equal and the first slot would otherwise take all replacements. It comes from the low bits of the
    /// key, since the high bits choose the bucket.
    pub(super) const fn first_place(self, key: u64, places: usize) -> usize {
        match self {
            Replacement::Always => key as usize % places,
            _ => 0,
        }
    }
}

/// Returns the number of generations since `used_in`, modulo [`GENERATIONS`].
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

    /// Returns the victim among candidates of (visits, generation of last use) in generation 3.
    fn victim(replacement: Replacement, candidates: &[(u32, u64)]) -> usize {
        let mut least = None;
        for (index, &(visits, used_in)) in candidates.iter().enumerate() {
            keep_least(&mut least, replacement.worth(visits, used_in, 3), index);
        }
        least.unwrap().1
    }

    #[test]
    fn each_policy_has_its_own_victim() {
        // A large one two generations old (worth 100/256), small ones of the present generation, one in between.
        let candidates = [(100, 1), (10, 3), (40, 2), (7, 3)];
        assert_eq!(victim(Replacement::VisitsAndGeneration, &candidates), 0);
        assert_eq!(victim(Replacement::Visits, &candidates), 3);
        assert_eq!(victim(Replacement::Always, &candidates), 0);
    }

    #[test]
    fn generations_wrap_like_the_hours_of_a_clock() {
        assert_eq!((age(63, 0), age(0, 0), age(0, 63)), (1, 0, 63));
        let worth = |used_in| Replacement::VisitsAndGeneration.worth(1, used_in, 1);
        assert!(worth(63) < worth(0) && worth(0) < worth(1));
    }

    #[test]
    fn names_are_read_back() {
        for replacement in Replacement::ALL {
            assert_eq!(replacement.to_string().parse(), Ok(replacement));
        }
        assert!("lifo".parse::<Replacement>().is_err());
    }
}
