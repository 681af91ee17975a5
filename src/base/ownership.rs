//! Ownership of each point: counted at the end of playouts, or estimated by an evaluator.

use super::player::{Move, Player};

/// Numbers of playouts in which each point ended as Black's and as White's, and an evaluator's estimate. Empty at first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ownership {
    /// Counts by player and move number; empty before the first playout.
    counts: [Vec<u64>; 2],
    playouts: u64,
    /// Estimates from -1 (White) to 1 (Black), by move number; empty without an [estimate](Ownership::set_estimate).
    estimate: Vec<f64>,
}

impl Ownership {
    /// Adds a playout with the owner of each point, by move number. The number of points must always be the same.
    #[inline]
    pub fn add_playout(&mut self, owners: impl ExactSizeIterator<Item = Option<Player>>) {
        let [black, white] = &mut self.counts;
        if black.is_empty() {
            black.resize(owners.len(), 0);
            white.resize(owners.len(), 0);
        }
        for (owner, (black, white)) in owners.zip(black.iter_mut().zip(white)) {
            *black += u64::from(owner == Some(Player::Black));
            *white += u64::from(owner == Some(Player::White));
        }
        self.playouts += 1;
    }

    /// Adds the playouts of `other`, on the same points.
    pub fn add(&mut self, other: &Ownership) {
        for (own, others) in self.counts.iter_mut().zip(&other.counts) {
            own.resize(own.len().max(others.len()), 0);
            own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
        }
        self.playouts += other.playouts;
    }

    /// Sets an evaluator's estimate of the [mean](Ownership::mean_for_black) of each point, by move number. It takes
    /// precedence over playouts, which differ from run to run, while the estimate depends on the position alone.
    pub fn set_estimate(&mut self, mean_for_black: Vec<f64>) {
        self.estimate = mean_for_black;
    }

    /// Returns the number of playouts.
    #[must_use]
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// Returns the number of playouts in which a point was the player's.
    #[must_use]
    pub fn count(&self, player: Player, point: Move) -> u64 {
        self.counts[player.index()].get(point.index()).copied().unwrap_or(0)
    }

    /// Returns the owner of a point in more than half of the playouts.
    #[must_use]
    pub fn owner(&self, point: Move) -> Option<Player> {
        Player::BOTH.into_iter().find(|&player| 2 * self.count(player, point) > self.playouts)
    }

    /// Returns the mean owner of a point, from -1 (White) to 1 (Black): the estimate if there is one, else the mean of the
    /// playouts, or 0 without playouts.
    #[must_use]
    pub fn mean_for_black(&self, point: Move) -> f64 {
        let [black, white] = Player::BOTH.map(|player| self.count(player, point) as f64);
        let playouts = (black - white) / self.playouts.max(1) as f64;
        self.estimate.get(point.index()).copied().unwrap_or(playouts)
    }

    /// Returns the [mean](Ownership::mean_for_black) of each of the first `points` points, by move number.
    #[must_use]
    pub fn means_for_black(&self, points: usize) -> Vec<f64> {
        (0..points as u16).map(|point| self.mean_for_black(Move(point))).collect()
    }

    /// Returns true without playouts and without an estimate.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.playouts == 0 && self.estimate.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playouts_are_counted_and_added() {
        let (black, white) = (Some(Player::Black), Some(Player::White));
        let mut one = Ownership::default();
        one.add_playout([black, None, white].into_iter());
        one.add_playout([black, black, white].into_iter());
        let mut all = Ownership::default();
        all.add(&one);
        all.add_playout([white, None, white].into_iter());
        all.add_playout([black, None, white].into_iter());
        assert_eq!(all.playouts(), 4);
        let points = [Move(0), Move(1), Move(2)];
        assert_eq!(points.map(|point| all.mean_for_black(point)), [0.5, 0.25, -1.0]);
        assert_eq!(points.map(|point| all.owner(point)), [black, None, white]);
        assert_eq!(Ownership::default().mean_for_black(Move(7)), 0.0);
        all.set_estimate(vec![-0.5, 1.0, -1.0]);
        assert_eq!(
            points.map(|point| all.mean_for_black(point)),
            [-0.5, 1.0, -1.0],
            "the estimate replaces playouts"
        );
        assert_eq!(points.map(|point| all.owner(point)), [black, None, white], "playouts alone decide");
    }

    #[test]
    fn an_analysis_of_days_counts_past_32_bits() {
        let (black, white) = (Some(Player::Black), Some(Player::White));
        let before = u64::from(u32::MAX) - 1;
        let mut one = Ownership {
            counts: [vec![before, 0], vec![0, before]],
            playouts: before,
            ..Ownership::default()
        };
        for _ in 0..4 {
            one.add_playout([black, white].into_iter());
        }
        let mut all = one.clone();
        all.add(&one);
        for (ownership, playouts) in [(one, before + 4), (all, 2 * (before + 4))] {
            assert_eq!(ownership.playouts(), playouts);
            assert_eq!(ownership.count(Player::Black, Move(0)), playouts);
            assert_eq!([0, 1].map(|point| ownership.mean_for_black(Move(point))), [1.0, -1.0]);
            assert_eq!([0, 1].map(|point| ownership.owner(Move(point))), [black, white]);
        }
    }
}
