//! The part of a table key that depends on the history of a position.

use super::board::{Board, cell, stone};
use super::geometry::Point;
use super::key_policy::{KeyPolicy, RECENT_IN_KEY};
use super::point_list::PointList;
use crate::base::game::{Move, Player};
use crate::base::zobrist::mix;

/// Largest S + E of a move that adds history to the key under [`KeyPolicy::Graph`] (KataGo's `graphSearchRepBound`): longer
/// cycles are ignored.
const MAX_SHORT_CYCLE: usize = 11;

/// Most empty points before a move after which the key under [`KeyPolicy::Recent`] and [`KeyPolicy::Last`] contains no
/// moves.
const MAX_EMPTY_WITHOUT_MOVES: usize = 20;

/// Hash of the history that keys contain under a key policy; 0 without history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HistoryHash {
    policy: KeyPolicy,
    word: u64,
    /// Under [`KeyPolicy::Recent`], the word after the next move without the part of that move.
    next_word: u64,
}

impl HistoryHash {
    /// Returns the hash at the start of a history after the moves `recent`, the latest first, with `empty` empty points left.
    pub(super) fn at_start(policy: KeyPolicy, recent: &[Move], empty: usize) -> HistoryHash {
        let word = match policy {
            KeyPolicy::Plain | KeyPolicy::Graph => 0,
            // The last move, a stone, filled a point.
            KeyPolicy::Recent | KeyPolicy::Last if empty < MAX_EMPTY_WITHOUT_MOVES => 0,
            KeyPolicy::Recent | KeyPolicy::Last => hash_of_recent(recent, policy.window(), 0),
            KeyPolicy::Path => recent.iter().rev().fold(0, |word, &mv| word_of_path(word, mv)),
        };
        HistoryHash::restored(policy, word, recent)
    }

    /// Returns the hash with the given word after the moves `recent`, the latest first.
    pub(super) fn restored(policy: KeyPolicy, word: u64, recent: &[Move]) -> HistoryHash {
        let mut hash = HistoryHash { policy, word, next_word: 0 };
        hash.set_recent(recent);
        hash
    }

    pub(super) fn policy(self) -> KeyPolicy {
        self.policy
    }

    /// Returns the hash after `mv` from a position that has this hash and the table key `key`, which is computed only if the
    /// policy needs it. Constant under [`KeyPolicy::Plain`].
    #[inline]
    pub(super) fn after(self, mv: Move, before: BeforeMove<'_>, key: impl FnOnce() -> u64) -> HistoryHash {
        let word = match self.policy {
            KeyPolicy::Plain => return self,
            KeyPolicy::Recent | KeyPolicy::Last
                if before.board.empty_points().len() <= MAX_EMPTY_WITHOUT_MOVES =>
            {
                0
            }
            KeyPolicy::Recent | KeyPolicy::Last => self.next_word ^ word_of_recent(mv, 0),
            KeyPolicy::Graph if before.is_hard_to_undo(mv) => 0,
            KeyPolicy::Graph => mix(key()),
            KeyPolicy::Path => word_of_path(self.word, mv),
        };
        HistoryHash { word, ..self }
    }

    /// Records the last moves, the latest first, of the position with this hash.
    #[inline]
    pub(super) fn set_recent(&mut self, recent: &[Move]) {
        if self.policy == KeyPolicy::Recent {
            self.next_word = hash_of_recent(recent, RECENT_IN_KEY, 1);
        }
    }

    /// Returns the number of last moves in the key; data stored under the key may depend on them.
    pub(super) fn moves_in_key(self) -> usize {
        match self.policy {
            KeyPolicy::Recent | KeyPolicy::Last if self.word == 0 => 0,
            KeyPolicy::Path => usize::MAX,
            policy => policy.window(),
        }
    }

    /// Returns the word that is combined with the position's key by XOR.
    #[inline]
    pub(super) fn key(self) -> u64 {
        self.word
    }
}

/// Returns the hash of a path extended by one move. The order of moves changes the hash.
#[inline]
fn word_of_path(word: u64, mv: Move) -> u64 {
    mix(word ^ (u64::from(mv.0) + 1))
}

/// Returns the part of a hash for a move that was played `age` moves before the last one.
#[inline]
fn word_of_recent(mv: Move, age: usize) -> u64 {
    mix((age as u64 + 1) << 16 | u64::from(mv.0))
}

/// Returns the hash of the last moves, the latest first, that are still among the last `window` once `later` more are
/// played.
#[inline]
fn hash_of_recent(recent: &[Move], window: usize, later: usize) -> u64 {
    let kept = recent.iter().take(window - later).enumerate();
    kept.fold(0, |word, (age, &mv)| word ^ word_of_recent(mv, age + later))
}

/// The position before a move, as far as the history hash depends on it.
#[derive(Clone, Copy)]
pub(super) struct BeforeMove<'a> {
    pub(super) board: &'a Board,
    pub(super) to_play: Player,
}

impl BeforeMove<'_> {
    /// Returns true if S + E exceeds [`MAX_SHORT_CYCLE`]: the stones of the chain that `mv` makes and the empty points, after
    /// captures, of the regions beside it. A suicide counts the points that it empties.
    fn is_hard_to_undo(self, mv: Move) -> bool {
        let BeforeMove { board, to_play: player } = self;
        let Some(point) = board.geometry().point_of(mv) else { return false };
        let captured = board.captures(point, player);
        let is_free = |at: Point| {
            let cell = board.cell(at);
            cell == cell::EMPTY || cell == stone(player.other()) && captured.contains(board.chain(at))
        };
        let mut reached: PointList<{ MAX_SHORT_CYCLE + 1 }> = PointList::new();
        reached.push(point);
        let mut done = 0;
        while let Some(&at) = reached.as_slice().get(done) {
            let is_chain = at == point || board.cell(at) == stone(player);
            for neighbour in board.neighbours4(at) {
                let counts = is_free(neighbour) || is_chain && board.cell(neighbour) == stone(player);
                if counts && !reached.contains(neighbour) {
                    reached.push(neighbour);
                }
            }
            if reached.len() > MAX_SHORT_CYCLE {
                return true;
            }
            done += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Game;
    use crate::go::{Komi, Position, Rules, Size};
    use std::collections::HashSet;

    fn after(moves: &[&str], policy: KeyPolicy) -> Position {
        let size = Size::new(9, 9).expect("a size");
        let mut position = Position::new(size, Rules::CHINESE, Komi(15));
        position.set_key_policy(policy);
        for name in moves {
            position.try_play(size.parse_vertex(name).expect("a move")).expect("legal");
        }
        position
    }

    /// Returns, for each policy of [`KeyPolicy::ALL`], true if both sequences of moves lead to the same key.
    fn share(one: &[&str], other: &[&str]) -> [bool; 5] {
        KeyPolicy::ALL.map(|policy| after(one, policy).key() == after(other, policy).key())
    }

    #[test]
    fn transpositions_without_captures_share_all_keys_but_those_of_the_path() {
        assert_eq!(share(&["C3", "G7", "E5"], &["E5", "G7", "C3"]), [true, false, false, true, false]);
    }

    #[test]
    fn transpositions_with_the_same_last_moves_share_keys() {
        let moves = |first, second| [first, "G7", second, "C7", "E5", "D5"];
        assert_eq!(share(&moves("C3", "G3"), &moves("G3", "C3")), [true, true, true, true, false]);
    }

    #[test]
    fn transpositions_with_the_same_last_move_share_keys_where_no_network_looks() {
        let moves = |first, second| [first, "G7", second, "D5"];
        assert_eq!(share(&moves("C3", "E5"), &moves("E5", "C3")), [true, false, true, true, false]);
        let moves_in_key = |policy| after(&moves("C3", "E5"), policy).moves_in_key().len();
        assert_eq!(KeyPolicy::ALL.map(moves_in_key), [0, RECENT_IN_KEY, 1, 0, 4]);
    }

    #[test]
    fn a_policy_chosen_late_gives_the_key_of_one_chosen_at_the_start() {
        let moves = ["C3", "G7", "pass", "E5"];
        let mut late = after(&moves, KeyPolicy::Plain);
        assert_eq!(late.moves_in_key(), []);
        late.set_key_policy(KeyPolicy::Recent);
        let early = after(&moves, KeyPolicy::Recent);
        assert_eq!((late.key(), late.moves_in_key()), (early.key(), early.moves_in_key()));
        assert_eq!(late.moves_in_key().len(), RECENT_IN_KEY);
        let points: Vec<String> = ["A", "B", "C", "D", "E", "F", "G", "H"]
            .iter()
            .flat_map(|column| (1..=8).map(move |row| format!("{column}{row}")))
            .collect();
        let many: Vec<&str> = points.iter().map(String::as_str).collect();
        let mut late = after(&many, KeyPolicy::Plain);
        late.set_key_policy(KeyPolicy::Recent);
        assert_eq!(late.key(), after(&many, KeyPolicy::Recent).key(), "few empty points");
    }

    #[test]
    fn a_ko_taken_and_given_back_keeps_the_graph_apart() {
        let shape = ["B1", "C1", "A2", "D2", "B3", "C3", "C2", "B2"];
        // White takes the ko at B2, which is easy to undo and adds history to the key. A move in the open adds none.
        let one = after(&shape, KeyPolicy::Graph);
        let plain = after(&shape, KeyPolicy::Plain);
        assert_ne!(one.key(), plain.key(), "a single stone in a ko is easy to undo");
        let open: Vec<_> = shape.iter().copied().chain(["G7"]).collect();
        assert_eq!(after(&open, KeyPolicy::Graph).key(), after(&open, KeyPolicy::Plain).key());
    }

    /// Returns S + E by flood fill without a limit, on the board after the move.
    fn stones_and_empties(after: &Board, at: Point, player: Player) -> usize {
        let mut reached: HashSet<Point> = HashSet::from([at]);
        if after.cell(at) == stone(player) {
            reached.extend(after.chain_stones(at));
        }
        let mut open: Vec<Point> = reached.iter().copied().collect();
        while let Some(here) = open.pop() {
            for neighbour in after.neighbours4(here) {
                if after.cell(neighbour) == cell::EMPTY && reached.insert(neighbour) {
                    open.push(neighbour);
                }
            }
        }
        reached.len()
    }

    #[test]
    fn moves_that_are_hard_to_undo_are_those_of_flood_fill() {
        let mut rng = crate::base::rng::PlayoutRng::new(4, 0);
        let mut found = [0; 2];
        for game in 0..40 {
            let rules = if game % 2 == 0 { Rules::CHINESE } else { Rules::TROMP_TAYLOR };
            let mut position = Position::new(Size::new(6, 5).expect("a size"), rules, Komi(0));
            for _ in 0..120 {
                let moves: Vec<Move> = position.legal_moves().collect();
                let Some(&mv) = moves.get(rng.below(moves.len().max(1))) else { break };
                for &mv in &moves {
                    let at = position.board().geometry().point_of(mv).expect("a point");
                    let mut after = position.board().clone();
                    after.place(at, position.to_play());
                    let expected = stones_and_empties(&after, at, position.to_play()) > MAX_SHORT_CYCLE;
                    assert_eq!(position.before_move().is_hard_to_undo(mv), expected, "{mv:?} in\n{position}");
                    found[usize::from(expected)] += 1;
                }
                position.play(mv);
            }
        }
        assert!(found.iter().all(|&count| count > 1_000), "{found:?}");
    }
}
