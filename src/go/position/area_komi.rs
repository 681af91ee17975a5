//! The komi that scores under area and territory scoring are compared with.
//!
//! Under territory scoring a score is an area score minus the *area offset*: the stones that Black has placed minus those
//! that White has placed. While both sides place stones in turn the offset stays the same; a pass changes it by one point in
//! favour of the passing player. A move inside one's own settled territory therefore costs a point.

use super::Position;
use crate::base::game::Player;
use crate::go::rules::{self, Komi, Scoring};

impl Position {
    /// Returns the stones captured by Black and by White.
    #[must_use]
    pub fn prisoners(&self) -> [u32; 2] {
        self.prisoners
    }

    /// Sets the stones captured by Black and by White, before any move: for a position set up in the middle of a game.
    pub fn set_prisoners(&mut self, prisoners: [u32; 2]) {
        self.prisoners = prisoners;
    }

    /// Returns the komi.
    #[must_use]
    pub fn komi(&self) -> Komi {
        self.komi
    }

    /// Sets the komi. The history stays.
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = komi;
        self.salt = rules::salt(self.size(), self.rules, komi);
    }

    /// Returns White's compensation for a handicap, which is added to komi.
    #[must_use]
    pub fn compensation(&self) -> Komi {
        self.compensation
    }

    /// Sets White's compensation. Outcomes and keys ignore it until [`Position::settle_komi`].
    pub fn set_compensation(&mut self, compensation: Komi) {
        self.compensation = compensation;
    }

    /// Sets the compensation that the rules give for a handicap of `stones`, none below two.
    pub fn compensate_for(&mut self, stones: usize) {
        self.set_compensation(Komi(2 * self.rules.points_for_handicap(stones) as i32));
    }

    /// Returns the komi for a score under the rules: komi plus compensation.
    #[must_use]
    pub fn score_komi(&self) -> Komi {
        Komi(self.komi.0 + self.compensation.0)
    }

    /// Returns the komi for the area score of a game that ends here: komi plus compensation, and under territory scoring the
    /// stones that Black has placed minus White's.
    #[must_use]
    pub fn final_area_komi(&self) -> Komi {
        Komi(self.score_komi().0 + 2 * self.stones_placed())
    }

    /// Returns the komi for an estimated area score: [`Position::score_komi`] plus the [area offset](Position::area_offset).
    #[must_use]
    pub fn area_komi(&self) -> Komi {
        Komi(self.score_komi().0 + 2 * self.area_offset())
    }

    /// Returns the points by which an area score exceeds the score under the rules, 0 under area scoring.
    ///
    /// Under territory scoring this is the number of stones that Black has placed, set up or played, minus White's. While
    /// the game goes on White is expected to answer each of Black's stones: on White's turn Black's last stone is not
    /// counted.
    #[must_use]
    #[inline]
    pub fn area_offset(&self) -> i32 {
        self.area_offset_on_turn(self.to_play, self.passes)
    }

    /// Returns the [area offset](Position::area_offset) of the same stones with another turn and number of passes.
    #[inline]
    pub(super) fn area_offset_on_turn(&self, to_play: Player, passes: u8) -> i32 {
        if self.rules.scoring == Scoring::Area {
            return 0;
        }
        self.stones_placed() - i32::from(to_play == Player::White && passes < 2)
    }

    /// Adds the compensation to the komi for searches: from here on outcomes and keys contain it.
    pub fn settle_komi(&mut self) {
        self.set_komi(self.score_komi());
        self.compensation = Komi(0);
    }

    /// Returns the stones that Black has placed, set up or played, minus White's; 0 under area scoring.
    fn stones_placed(&self) -> i32 {
        if self.rules.scoring == Scoring::Area {
            return 0;
        }
        let [black, white] = self.board.stones().map(i32::from);
        let [by_black, by_white] = self.prisoners.map(|stones| stones as i32);
        (black + by_white) - (white + by_black)
    }
}
