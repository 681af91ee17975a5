//! Shards: the parts of an experiment that separate processes or machines work on.

use super::folder::FolderIdentity;
use std::ops::Range;
use std::str::FromStr;

/// Maximum number of shards.
const MAX_SHARDS: u64 = 1_000_000;
/// Names of a shard's values in the identity of its folder.
const SHARD: &str = "shard";
const TOTAL: &str = "shard-of";
const COMMAND: &str = "shard-command";

/// One of the equal parts of an experiment, written `I/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Number of the part, from 1 to `count`.
    index: u64,
    /// Number of parts.
    count: u64,
}

/// The error for a text that is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N, part I from 1 to N of at most {MAX_SHARDS} parts, such as 2/8, found {found:?}")]
pub struct ShardError {
    /// The text.
    pub found: String,
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| Some(text).filter(is_number)?.parse::<u64>().ok();
        let parsed = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        match parsed {
            Some((index, count)) if (1..=count).contains(&index) && count <= MAX_SHARDS => {
                Ok(Shard { index, count })
            }
            _ => Err(ShardError { found: text.to_owned() }),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    /// Returns all shards of `count`.
    pub fn all(count: u64) -> impl Iterator<Item = Shard> {
        (1..=count).map(move |index| Shard { index, count })
    }

    /// Returns the one of `count` shards that unit `member` of round `round` belongs to. A round has one unit of each
    /// kind: each kind is spread over all shards, so that a slow machine slows all kinds alike.
    #[must_use]
    pub fn of(count: u64, round: u64, member: u64) -> Shard {
        Shard { index: (round % count + member % count) % count + 1, count }
    }

    /// Returns the number of shards of the experiment.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count
    }

    /// Returns the part of `length` items in a row that belongs to this shard. The parts of all shards follow each other.
    #[must_use]
    pub fn range(self, length: usize) -> Range<usize> {
        let end = |index: u64| (length as u128 * u128::from(index) / u128::from(self.count)) as usize;
        end(self.index - 1)..end(self.index)
    }

    /// Returns true if unit `member` of round `round` belongs to this shard.
    #[must_use]
    pub fn holds(self, round: u64, member: u64) -> bool {
        Shard::of(self.count, round, member) == self
    }
}

/// The commands that accept a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardedCommand {
    /// `tewari match`, in units of two games.
    Match,
    /// `tewari sweep`, in units of two games.
    Sweep,
    /// `tewari suite`, in units of one test.
    Suite,
    /// `tewari selfplay`, in units of one game.
    Selfplay,
    /// `tewari review`, in units of one file.
    Review,
    /// `tewari network prepare`, in consecutive games.
    Prepare,
}

impl ShardedCommand {
    const ALL: [ShardedCommand; 6] = [
        ShardedCommand::Match,
        ShardedCommand::Sweep,
        ShardedCommand::Suite,
        ShardedCommand::Selfplay,
        ShardedCommand::Review,
        ShardedCommand::Prepare,
    ];

    /// Returns the name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ShardedCommand::Match => "match",
            ShardedCommand::Sweep => "sweep",
            ShardedCommand::Suite => "suite",
            ShardedCommand::Selfplay => "selfplay",
            ShardedCommand::Review => "review",
            ShardedCommand::Prepare => "network prepare",
        }
    }
}

/// The place of a folder among the shards of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardPlace {
    /// The shard.
    pub shard: Shard,
    /// Number of games, tests or files of the whole experiment.
    pub total: u64,
    /// The command that made it.
    pub command: ShardedCommand,
}

impl ShardPlace {
    /// Adds the place to the identity of a folder.
    pub fn add_to(&self, identity: &mut FolderIdentity) {
        let values = [
            (SHARD, self.shard.to_string()),
            (TOTAL, self.total.to_string()),
            (COMMAND, self.command.name().to_owned()),
        ];
        identity.extend(values.map(|(name, value)| (name.to_owned(), value)));
    }

    /// Removes the place from the identity of a folder, which is that of the whole experiment then. Returns `None` if
    /// the folder is no shard.
    #[must_use]
    pub fn take_from(identity: &mut FolderIdentity) -> Option<ShardPlace> {
        let [shard, total, command] = [SHARD, TOTAL, COMMAND].map(|name| identity.remove(name));
        let command = command?;
        let command = ShardedCommand::ALL.into_iter().find(|known| known.name() == command)?;
        Some(ShardPlace { shard: shard?.parse().ok()?, total: total?.parse().ok()?, command })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_from_one_to_the_count_are_shards() {
        for text in ["1/1", "3/3", "2/1000000"] {
            assert_eq!(text.parse::<Shard>().map(|shard| shard.to_string()), Ok(text.to_owned()));
        }
        for text in
            ["0/3", "4/3", "1/0", "0/0", "-1/3", "+1/3", "1", "1/", "/3", "1/2/3", "a/b", "1/1000001", ""]
        {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_unit_belongs_to_one_shard_and_every_kind_to_all() {
        for (count, members) in [(1, 1), (3, 1), (4, 8), (8, 4), (3, 5)] {
            let mut taken = std::collections::BTreeMap::<(u64, String), u64>::new();
            for (round, member) in (0..24).flat_map(|round| (0..members).map(move |member| (round, member))) {
                let holders: Vec<Shard> =
                    Shard::all(count).filter(|shard| shard.holds(round, member)).collect();
                let [holder] = *holders else { panic!("{count} shards, unit {round} {member}: {holders:?}") };
                *taken.entry((member, holder.to_string())).or_default() += 1;
            }
            assert_eq!(taken.len() as u64, count * members);
            assert!(taken.values().all(|&units| units == 24 / count), "{taken:?}");
        }
    }

    #[test]
    fn ranges_follow_each_other_and_end_with_the_items() {
        for (count, length) in [(1, 5), (3, 10), (4, 2), (7, 0)] {
            let ranges: Vec<Range<usize>> = Shard::all(count).map(|shard| shard.range(length)).collect();
            let ends = ranges.iter().map(|range| range.end);
            let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
            assert!(ranges.iter().zip(&starts).all(|(range, &start)| range.start == start), "{ranges:?}");
            assert_eq!(starts.last(), Some(&length));
        }
    }

    #[test]
    fn a_place_leaves_the_identity_of_the_whole_experiment() {
        let whole = FolderIdentity::from([("size".to_owned(), "9x9".to_owned())]);
        let place =
            ShardPlace { shard: "2/3".parse().expect("a shard"), total: 12, command: ShardedCommand::Match };
        let mut identity = whole.clone();
        assert_eq!(ShardPlace::take_from(&mut identity), None);
        place.add_to(&mut identity);
        assert_ne!(identity, whole);
        assert_eq!(ShardPlace::take_from(&mut identity), Some(place));
        assert_eq!(identity, whole);
    }
}
