//! What an area score is compared with: komi, compensation for a handicap, and the stones placed, which prisoners tell.

use super::Position;
use crate::game::Player;
use crate::go::history_hash::HistoryHash;
use crate::go::rules::{self, Komi, Scoring};

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
        self.history_hash = HistoryHash::at_start(self.key_policy(), prisoners);
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

    /// Says what White gets besides komi. Outcomes and keys do not know of it before [`Position::settle_komi`].
    pub fn set_compensation(&mut self, compensation: Komi) {
        self.compensation = compensation;
    }

    /// Gives White what the rules give for a handicap of so many stones, none below two.
    pub fn compensate_for(&mut self, stones: usize) {
        self.set_compensation(Komi(2 * self.rules.points_for_handicap(stones) as i32));
    }

    /// What the area score of the game, were it over, is to be compared with: komi, compensation, and under territory
    /// scoring the points that Black's area has from having placed more stones than White.
    #[must_use]
    pub fn final_area_komi(&self) -> Komi {
        let Komi(komi) = self.komi;
        Komi(komi + self.compensation.0 + 2 * self.stones_placed())
    }

    /// The same for a game that goes on, in which both sides will place as many stones: a stone by which Black is
    /// ahead because it is White's turn does not count, until somebody passes.
    #[must_use]
    pub fn area_komi(&self) -> Komi {
        let is_ahead_by_turn =
            self.rules.scoring == Scoring::Territory && self.to_play == Player::White && self.passes == 0;
        Komi(self.final_area_komi().0 - 2 * i32::from(is_ahead_by_turn))
    }

    /// Makes [`Position::area_komi`] the komi, for searches: outcomes and keys of all that follows have it.
    pub fn settle_komi(&mut self) {
        self.set_komi(self.area_komi());
        self.compensation = Komi(0);
        // So that it is not made up for twice.
        self.rules.scoring = Scoring::Area;
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
