//! Which entry or block makes room when the table is full.

use super::entry::GENERATIONS;
use std::fmt;
use std::str::FromStr;

/// Each generation since its last use quarters what an entry or a block is worth.
const AGE_SHIFT: u64 = 2;
/// The first of them takes this power of two more. Else small blocks of the present search went before larger ones that it
/// has not used, came again, and a network was asked for them again.
const UNUSED_SHIFT: u64 = 4;
/// Under [`Replacement::LeastRecentlyUsed`] a generation lasts until this share of the entries, one in so
/// many, has been claimed: 64 generations are then four times the directory.
const ENTRIES_PER_TICK: usize = 16;

/// How a full table chooses what to evict. A directory entry competes with the others of its bucket, an
/// edge block with those that the clock hand passes; what the running simulation stands on is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Replacement {
    /// The fewest visits go, quartered for each search since the last use, and a sixteenth of that where the present
    /// search has not used it. The default.
    #[default]
    VisitsAndGeneration,
    /// The fewest visits go, however long ago they were: a new position replaces the smaller subtree, as
    /// in Breuker, Uiterwijk & van den Herik, "Replacement schemes for transposition tables", ICCA Journal 17
    /// (1994), scheme Big, where the new one always enters.
    Visits,
    /// As [`VisitsAndGeneration`](Replacement::VisitsAndGeneration), but no block goes that is worth more than the
    /// position that wants it: that one is played out until it is worth as much.
    Admission,
    /// What was not used for the longest time goes, as in Powley, Cowling & Whitehouse, "Memory bounded
    /// Monte Carlo tree search", AIIDE 2017. Time is counted in claims of entries, with a resolution of one
    /// 64th of four times the directory.
    LeastRecentlyUsed,
    /// Half of those that compete stay, the most visited; of the others the one not used for the longest time goes,
    /// whatever its visits: Breuker's two levels, one for the big and one for the new (scheme TwoBig1), without a
    /// fixed place for either. Time is counted in searches.
    TwoLevel,
    /// Whatever is in the way goes, without a look at its worth: Breuker's scheme New.
    Always,
}

/// Those that compete: at most the places of a bucket, or the blocks the clock hand passes.
#[derive(Debug)]
pub(super) struct Candidates<T> {
    all: [Option<Candidate<T>>; MOST_CANDIDATES],
    count: usize,
}

/// What may go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<T> {
    pub(super) what: T,
    visits: u32,
    used_in: u64,
}

/// See [`Candidates`].
const MOST_CANDIDATES: usize = 8;

impl<T: Copy> Default for Candidates<T> {
    fn default() -> Candidates<T> {
        Candidates { all: [None; MOST_CANDIDATES], count: 0 }
    }
}

impl<T: Copy> Candidates<T> {
    /// One more, as long as there is room.
    #[inline]
    pub(super) fn push(&mut self, what: T, visits: u32, used_in: u64) {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = Some(Candidate { what, visits, used_in });
            self.count += 1;
        }
    }

    /// Which of them goes; the first of equals.
    #[inline]
    pub(super) fn victim(self, replacement: Replacement, generation: u64) -> Option<Candidate<T>> {
        let mut all = self.all;
        let competing = if replacement == Replacement::TwoLevel {
            // None is less than any.
            all.sort_by_key(|candidate| candidate.map_or(u64::MAX, |candidate| u64::from(candidate.visits)));
            &all[..self.count.div_ceil(2)]
        } else {
            &all[..self.count]
        };
        let worth =
            |candidate: &&Candidate<T>| replacement.worth(candidate.visits, candidate.used_in, generation);
        competing.iter().flatten().min_by_key(worth).copied()
    }
}

impl Replacement {
    /// All of them.
    pub const ALL: [Replacement; 6] = [
        Replacement::VisitsAndGeneration,
        Replacement::Admission,
        Replacement::Visits,
        Replacement::LeastRecentlyUsed,
        Replacement::TwoLevel,
        Replacement::Always,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Replacement::VisitsAndGeneration => "visits-and-generation",
            Replacement::Admission => "admission",
            Replacement::Visits => "visits",
            Replacement::LeastRecentlyUsed => "least-recently-used",
            Replacement::TwoLevel => "two-level",
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
            Replacement::VisitsAndGeneration | Replacement::Admission => {
                let unused = if age == 0 { 0 } else { UNUSED_SHIFT };
                (u64::from(visits) << 16) >> (AGE_SHIFT * age + unused).min(47)
            }
            Replacement::Visits => u64::from(visits),
            Replacement::LeastRecentlyUsed | Replacement::TwoLevel if visits == 0 => 0,
            Replacement::LeastRecentlyUsed | Replacement::TwoLevel => {
                (GENERATIONS - age) << 32 | u64::from(visits)
            }
            Replacement::Always => 0,
        }
    }

    /// Whether a position with `visits` may have the block of `victim`.
    #[inline]
    pub(super) fn admits<T>(self, visits: u32, victim: &Candidate<T>, generation: u64) -> bool {
        self != Replacement::Admission
            || self.worth(visits, generation, generation)
                >= self.worth(victim.visits, victim.used_in, generation)
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
        let mut all = Candidates::default();
        for (index, &(visits, used_in)) in candidates.iter().enumerate() {
            all.push(index, visits, used_in);
        }
        all.victim(replacement, 3).unwrap().what
    }

    #[test]
    fn each_policy_has_its_own_victim() {
        // Large and two searches old (worth 100/256), small and fresh, in between.
        let candidates = [(100, 1), (10, 3), (40, 2), (7, 3)];
        assert_eq!(victim(Replacement::VisitsAndGeneration, &candidates), 0);
        assert_eq!(victim(Replacement::Visits, &candidates), 3);
        assert_eq!(victim(Replacement::LeastRecentlyUsed, &candidates), 0);
        assert_eq!(victim(Replacement::LeastRecentlyUsed, &[(9, 3), (8, 3), (0, 3)]), 2);
        assert_eq!(victim(Replacement::Always, &candidates), 0);
        // The two most visited stay, however old; of the others the older goes, of equally old ones the smaller.
        assert_eq!(victim(Replacement::TwoLevel, &candidates), 3);
        assert_eq!(victim(Replacement::TwoLevel, &[(100, 1), (10, 3), (40, 2), (7, 2)]), 3);
        assert_eq!(victim(Replacement::TwoLevel, &[(100, 1), (10, 1), (40, 2), (7, 3)]), 1);
        assert_eq!(victim(Replacement::TwoLevel, &[(5, 1)]), 0);
    }

    #[test]
    fn admission_asks_what_the_newcomer_is_worth() {
        // 20 visits in this generation, or 64 times as many in the one before.
        for (visits, used_in) in [(20, 3), (1280, 2)] {
            let victim = Candidate { what: (), visits, used_in };
            let admitted = [19, 20].map(|visits| Replacement::Admission.admits(visits, &victim, 3));
            assert_eq!(admitted, [false, true]);
            assert!(Replacement::VisitsAndGeneration.admits(1, &victim, 3));
        }
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
