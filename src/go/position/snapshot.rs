//! Positions as data, for a search of the same position in another process.

use super::{NO_MOVE, Position, RECENT_MOVES};
use crate::base::game::{Game, Move, Player};
use crate::go::geometry::{Point, Size};
use crate::go::history_hash::HistoryHash;
use crate::go::rules::Komi;
use serde::{Deserialize, Serialize};

/// A position with all history that matters, without its playout policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionSnapshot {
    size: String,
    rules: String,
    /// Komi and compensation in half-points.
    komi: [i32; 2],
    has_agreement: bool,
    /// The points of each player's stones, by move number.
    stones: [Vec<u16>; 2],
    is_white_to_play: bool,
    ko: Option<u16>,
    passes: u8,
    root_salt: u64,
    key_policy: String,
    history_word: u64,
    /// The last moves, the latest first.
    recent: Vec<u16>,
    prisoners: [u32; 2],
    had_removals: bool,
    most_stones: [u16; 2],
    /// The superko keys of the history.
    seen: Vec<u64>,
    /// The table key and the key with the history, to check the restored position.
    keys: [u64; 2],
}

/// A snapshot that is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the position received is damaged: {reason}")]
pub struct SnapshotError {
    reason: String,
}

fn error(reason: impl std::fmt::Display) -> SnapshotError {
    SnapshotError { reason: reason.to_string() }
}

impl Position {
    /// Returns the position as data.
    #[must_use]
    pub fn snapshot(&self) -> PositionSnapshot {
        let geometry = self.board.geometry();
        let stones_of = |player: Player| {
            let points = geometry.points.iter().filter(|&&point| self.board.stone_at(point) == Some(player));
            points.map(|&point| geometry.move_of(point).0).collect()
        };
        let ko = self.board.ko();
        PositionSnapshot {
            size: self.size().to_string(),
            rules: self.rules.to_string(),
            komi: [self.komi.0, self.compensation.0],
            has_agreement: self.has_agreement,
            stones: Player::BOTH.map(stones_of),
            is_white_to_play: self.to_play == Player::White,
            ko: (ko != Point::NONE).then(|| geometry.move_of(ko).0),
            passes: self.passes,
            root_salt: self.root_salt,
            key_policy: self.key_policy().to_string(),
            history_word: self.history_hash.key(),
            recent: self.recent_moves().iter().map(|mv| mv.0).collect(),
            prisoners: self.prisoners,
            had_removals: self.had_removals,
            most_stones: self.most_stones,
            seen: self.history.keys().collect(),
            keys: [self.key(), self.key_with_history()],
        }
    }

    /// Restores a position.
    ///
    /// # Errors
    /// Returns an error if the snapshot is no position of a game.
    pub fn from_snapshot(snapshot: &PositionSnapshot) -> Result<Position, SnapshotError> {
        let size: Size = snapshot.size.parse().map_err(error)?;
        let [komi, compensation] = snapshot.komi.map(Komi);
        let rules = snapshot.rules.parse().map_err(error)?;
        let to_play = if snapshot.is_white_to_play { Player::White } else { Player::Black };
        let stones: Vec<(Player, Move)> = Player::BOTH
            .into_iter()
            .flat_map(|player| snapshot.stones[player.index()].iter().map(move |&mv| (player, Move(mv))))
            .collect();
        let mut position = Position::with_stones(size, rules, komi, &stones, to_play)
            .map_err(|(mv, reason)| error(format!("stone {}: {reason}", mv.0)))?;
        if let Some(ko) = snapshot.ko {
            let point = position.board.geometry().point_of(Move(ko));
            position.board.set_ko(point.ok_or_else(|| error("a ko off the board"))?);
        }
        position.compensation = compensation;
        position.has_agreement = snapshot.has_agreement;
        position.passes = snapshot.passes.min(2);
        position.root_salt = snapshot.root_salt;
        position.prisoners = snapshot.prisoners;
        position.had_removals = snapshot.had_removals;
        position.most_stones = snapshot.most_stones;
        position.set_history(snapshot)?;
        if [position.key(), position.key_with_history()] == snapshot.keys {
            Ok(position)
        } else {
            Err(error("its key differs"))
        }
    }

    fn set_history(&mut self, snapshot: &PositionSnapshot) -> Result<(), SnapshotError> {
        let recent: Vec<Move> = snapshot.recent.iter().map(|&mv| Move(mv)).collect();
        if recent.len() > RECENT_MOVES || recent.contains(&NO_MOVE) {
            return Err(error("its last moves"));
        }
        let geometry = self.board.geometry();
        let point_of = |age: usize| recent.get(age).and_then(|&mv| geometry.point_of(mv));
        self.last = [0, 1].map(|age| point_of(age).unwrap_or(Point::NONE));
        self.recent = [NO_MOVE; RECENT_MOVES];
        self.recent[..recent.len()].copy_from_slice(&recent);
        let policy = snapshot.key_policy.parse().map_err(error)?;
        self.history_hash = HistoryHash::restored(policy, snapshot.history_word, &recent);
        self.history = snapshot.seen.iter().copied().collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::PlayoutRng;
    use crate::go::{KeyPolicy, Rules};

    /// Plays random games and compares each position with the one restored from its snapshot, move by move of the rest.
    #[test]
    fn a_restored_position_plays_on_like_the_original() {
        let mut rng = PlayoutRng::new(3, 0);
        let rules = ["chinese", "japanese", "tromp-taylor", "ko=simple,suicide=no,scoring=area"];
        for (game, rules) in rules.iter().cycle().take(24).enumerate() {
            let rules: Rules = rules.parse().expect("rules");
            let mut original = Position::new(Size::new(5, 4).expect("a size"), rules, Komi(11));
            original.set_key_policy(KeyPolicy::ALL[game % 5]);
            let mut restored = Position::from_snapshot(&original.snapshot()).expect("a position");
            for turn in 0..150 {
                let mut moves: Vec<Move> = original.legal_moves().collect();
                let others: Vec<Move> = restored.legal_moves().collect();
                assert_eq!(moves, others, "game {game}, turn {turn}");
                moves.extend((rng.below(8) == 0).then(|| original.size().pass()));
                let Some(&mv) = moves.get(rng.below(moves.len().max(1))) else { break };
                assert_eq!(original.key_after(mv), restored.key_after(mv));
                assert_eq!(original.key_with_history_after(mv), restored.key_with_history_after(mv));
                let permits =
                    |position: &Position| Player::BOTH.map(|it| position.permits_proof_after(mv, it));
                assert_eq!(permits(&original), permits(&restored));
                original.play(mv);
                restored.play(mv);
                let text = serde_json::to_string(&original.snapshot()).expect("a text");
                let snapshot = serde_json::from_str(&text).expect("a snapshot");
                if turn % 7 == 0 {
                    restored = Position::from_snapshot(&snapshot).expect("a position");
                }
                assert_eq!(restored.snapshot().keys, snapshot.keys, "game {game}, turn {turn}");
                assert_eq!(restored.recent_moves(), original.recent_moves());
                if original.is_over() {
                    original.resume();
                    restored.resume();
                }
            }
        }
    }

    #[test]
    fn a_damaged_snapshot_is_refused() {
        let position = Position::new(Size::new(3, 3).expect("a size"), Rules::CHINESE, Komi(1));
        let good = position.snapshot();
        let stones = [vec![4, 4], vec![]];
        for bad in [
            PositionSnapshot { size: "0".to_owned(), ..good.clone() },
            PositionSnapshot { ko: Some(99), ..good.clone() },
            PositionSnapshot { recent: vec![1; 9], ..good.clone() },
            PositionSnapshot { komi: [2, 0], ..good.clone() },
            PositionSnapshot { stones, ..good.clone() },
        ] {
            assert!(Position::from_snapshot(&bad).is_err(), "{bad:?}");
        }
        assert!(Position::from_snapshot(&good).is_ok());
    }
}
