//! The ranking and the crosstable of a round robin.

use super::experiment::GameRow;
use super::report::pair_counts;
use super::schedule::{PairingNames, Schedule};
use crate::lab::stats::{Interval, Meeting, PairCounts, Ranking};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A player's row of the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The player's name.
    pub name: String,
    /// Elo relative to the mean of all players, with its 95 % interval; `None` if games do not connect all players.
    pub elo: Option<Interval>,
    /// Points, a draw counted half.
    pub points: f64,
    /// Number of games.
    pub games: u64,
    /// Points and games against each player, in the order of the ranking; `None` if the two did not meet.
    pub against: Vec<Option<(f64, u64)>>,
}

/// All players of an experiment, the strongest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// The rows of the ranking.
    pub places: Vec<Standing>,
    /// See [`Ranking::has_imagined_draws`].
    pub has_imagined_draws: bool,
}

impl Standings {
    /// Ranks all players of the experiment by `rows`.
    #[must_use]
    pub fn new(schedule: &Schedule, rows: &[GameRow]) -> Standings {
        let mut names: Vec<&str> = Vec::new();
        for name in schedule.pairings.iter().flat_map(|pairing| &pairing.names) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let number = |name: &String| names.iter().position(|known| known == name).unwrap_or_default();
        let mut by_pairing: BTreeMap<&str, Vec<&GameRow>> = BTreeMap::new();
        for row in rows {
            by_pairing.entry(&row.pairing).or_default().push(row);
        }
        let meeting = |pairing: &PairingNames| Meeting {
            players: pairing.names.each_ref().map(number),
            counts: by_pairing
                .get(pairing.label.as_str())
                .map_or_else(PairCounts::default, |rows| pair_counts(schedule, rows)),
        };
        let meetings: Vec<Meeting> = schedule.pairings.iter().map(meeting).collect();
        Standings::of(&names, &meetings)
    }

    fn of(names: &[&str], meetings: &[Meeting]) -> Standings {
        let ranking = Ranking::of(names.len(), meetings);
        let points = |player: usize, other: usize| {
            meetings.iter().filter(|meeting| meeting.counts.games() > 0).find_map(|meeting| {
                let (points, games) = (meeting.counts.points(), meeting.counts.games());
                match meeting.players {
                    [one, two] if (one, two) == (player, other) => Some((points, games)),
                    [one, two] if (two, one) == (player, other) => Some((games as f64 - points, games)),
                    _ => None,
                }
            })
        };
        let total = |player: usize| {
            let met = (0..names.len()).filter_map(|other| points(player, other));
            met.fold((0.0, 0), |(points, games), more| (points + more.0, games + more.1))
        };
        let strength = |player: usize| match &ranking {
            Some(ranking) => ranking.elo[player].estimate,
            None => total(player).0 / (total(player).1.max(1) as f64),
        };
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&one, &other| strength(other).total_cmp(&strength(one)));
        let place = |&player: &usize| Standing {
            name: names[player].to_owned(),
            elo: ranking.as_ref().map(|ranking| ranking.elo[player]),
            points: total(player).0,
            games: total(player).1,
            against: order.iter().map(|&other| points(player, other)).collect(),
        };
        Standings {
            places: order.iter().map(place).collect(),
            has_imagined_draws: ranking.is_some_and(|ranking| ranking.has_imagined_draws),
        }
    }

    /// Formats the ranking and the crosstable.
    #[must_use]
    pub fn text(&self) -> String {
        let width = self.places.iter().map(|place| place.name.chars().count()).max().unwrap_or(0);
        let mut text = String::from(
            "ranking: Elo against the mean of all by the Bradley-Terry model, 95 % intervals from pairs of games",
        );
        if self.has_imagined_draws {
            text.push_str("; a player won or lost all games: one drawn game is added to every pairing");
        }
        for (rank, place) in (1..).zip(&self.places) {
            let elo = match place.elo {
                Some(Interval { estimate, low, high }) => format!("{estimate:+5.0} [{low:+.0}, {high:+.0}]"),
                None => "no games with the others".to_owned(),
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "\n  {rank:2} {:width$}  {elo:20}", place.name);
            let share = 100.0 * place.points / place.games.max(1) as f64;
            let _ = write!(text, "  {} of {} points ({share:.1} %)", place.points, place.games);
        }
        text.push_str("\ncrosstable: points of the row's player against the column's\n");
        let column = |of: &[String]| of.iter().map(String::len).max().unwrap_or(0);
        let cells = self.cells();
        let widths: Vec<usize> = (0..self.places.len())
            .map(|index| column(&cells.iter().map(|row| row[index].clone()).collect::<Vec<_>>()).max(2))
            .collect();
        let _ = write!(text, "     {:width$}", "");
        for (rank, width) in (1..).zip(&widths) {
            let _ = write!(text, "  {rank:>width$}");
        }
        for ((rank, place), row) in (1..).zip(&self.places).zip(&cells) {
            let _ = write!(text, "\n  {rank:2} {:width$}", place.name);
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(text, "  {cell:>width$}");
            }
        }
        text
    }

    /// Formats the cells of the crosstable, one row per place.
    fn cells(&self) -> Vec<Vec<String>> {
        let cell = |against: &Option<(f64, u64)>| {
            against.map_or_else(|| "-".to_owned(), |(points, games)| format!("{points}/{games}"))
        };
        self.places.iter().map(|place| place.against.iter().map(cell).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(one: usize, other: usize, pairs: [u64; 5]) -> Meeting {
        Meeting { players: [one, other], counts: PairCounts { pairs, singles: [0; 3] } }
    }

    #[test]
    fn the_strongest_comes_first_and_the_crosstable_adds_up() {
        let meetings =
            [meeting(0, 1, [3, 0, 2, 0, 0]), meeting(0, 2, [0, 0, 3, 0, 2]), meeting(1, 2, [0, 0, 1, 1, 3])];
        let standings = Standings::of(&["middle", "best", "last"], &meetings);
        let names: Vec<&str> = standings.places.iter().map(|place| place.name.as_str()).collect();
        assert_eq!(names, ["best", "middle", "last"]);
        assert_eq!(standings.places[0].against, [None, Some((8.0, 10)), Some((8.5, 10))]);
        assert_eq!((standings.places[0].points, standings.places[0].games), (16.5, 20));
        let text = standings.text();
        assert!(text.contains("   1 best    ") && text.contains("16.5 of 20 points (82.5 %)"), "{text}");
        assert!(text.ends_with("   3 last    1.5/10  3/10       -"), "{text}");
        assert!(!text.contains("drawn game is added"), "{text}");
    }

    #[test]
    fn players_who_never_met_have_a_table_and_no_elo() {
        let text = Standings::of(&["one", "two", "three"], &[meeting(0, 1, [0, 0, 2, 0, 1])]).text();
        assert_eq!(text.matches("no games with the others").count(), 3, "{text}");
    }
}
