//! Scores under area and territory scoring, and the komi that they are compared with.
//!
//! Under territory scoring a score is an area score minus the *area offset*, the stones that Black has placed more than
//! White. While a game goes on, both sides place stones in turn and the offset stays; a pass changes it by one point in
//! favour of the player who passes. So a move inside the own settled territory costs a point.

use super::Position;
use crate::game::{Player, Score};
use crate::go::history_hash::HistoryHash;
use crate::go::rules::{self, Komi, Scoring};

/// Largest score under territory scoring, either way: what the bounds of an entry can hold.
pub(super) const MAX_TERRITORY_SCORE: Score = 511;

/// The score of an area score with an area offset.
#[inline]
pub(super) fn score(area: Score, area_offset: i32) -> Score {
    let limit = i32::from(MAX_TERRITORY_SCORE);
    (i32::from(area) - area_offset).clamp(-limit, limit) as Score
}

impl Position {
    /// Stones captured by Black and by White.
    #[must_use]
    pub fn prisoners(&self) -> [u32; 2] {
        self.prisoners
    }

    /// Says how many stones Black and White have captured, before any move: for a position that is set up in the middle
    /// of a game.
    pub fn set_prisoners(&mut self, prisoners: [u32; 2]) {
        self.prisoners = prisoners;
        self.history_hash = HistoryHash::at_start(self.key_policy(), prisoners, self.recent_moves());
    }

    /// The komi.
    #[must_use]
    pub fn komi(&self) -> Komi {
        self.komi
    }

    /// Changes the komi. The history stays.
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = komi;
        self.salt = rules::salt(self.size(), self.rules, komi);
    }

    /// What White gets besides komi, for a handicap.
    #[must_use]
    pub fn compensation(&self) -> Komi {
        self.compensation
    }

    /// Sets what White gets besides komi. Outcomes and keys do not know of it before [`Position::settle_komi`].
    pub fn set_compensation(&mut self, compensation: Komi) {
        self.compensation = compensation;
    }

    /// Gives White what the rules give for a handicap of so many stones, none below two.
    pub fn compensate_for(&mut self, stones: usize) {
        self.set_compensation(Komi(2 * self.rules.points_for_handicap(stones) as i32));
    }

    /// The komi for a score under the rules: komi and compensation.
    #[must_use]
    pub fn score_komi(&self) -> Komi {
        Komi(self.komi.0 + self.compensation.0)
    }

    /// The komi for the area score of a game that ends here: komi, compensation, and under territory scoring the stones that Black has placed more than White.
    #[must_use]
    pub fn final_area_komi(&self) -> Komi {
        Komi(self.score_komi().0 + 2 * self.stones_placed())
    }

    /// The komi for an estimated area score: [`Position::score_komi`] and the [area offset](Position::area_offset).
    #[must_use]
    pub fn area_komi(&self) -> Komi {
        Komi(self.score_komi().0 + 2 * self.area_offset())
    }

    /// Points by which an area score exceeds the score under the rules, 0 under area scoring.
    ///
    /// Under territory scoring the stones that Black has placed, set up or played, minus White's. While the game goes on
    /// White is expected to answer each of Black's stones: on White's turn the last one is not counted.
    #[must_use]
    #[inline]
    pub fn area_offset(&self) -> i32 {
        self.area_offset_on_turn(self.to_play, self.passes)
    }

    /// The [area offset](Position::area_offset) of the same stones with another turn and number of passes.
    #[inline]
    pub(super) fn area_offset_on_turn(&self, to_play: Player, passes: u8) -> i32 {
        if self.rules.scoring == Scoring::Area {
            return 0;
        }
        self.stones_placed() - i32::from(to_play == Player::White && passes < 2)
    }

    /// Adds the compensation to the komi, for searches: outcomes and keys have it from here on.
    pub fn settle_komi(&mut self) {
        self.set_komi(self.score_komi());
        self.compensation = Komi(0);
    }

    /// Under territory scoring, the stones that Black has placed, set up or played, minus White's.
    fn stones_placed(&self) -> i32 {
        if self.rules.scoring == Scoring::Area {
            return 0;
        }
        let [black, white] = self.board.stones().map(i32::from);
        let [by_black, by_white] = self.prisoners.map(|stones| stones as i32);
        (black + by_white) - (white + by_black)
    }
}
