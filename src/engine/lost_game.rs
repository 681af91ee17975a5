//! Passes in lost games: further moves of the loser could only fill his own territory, which a lost search does not avoid.

use super::Engine;
use super::after_pass::{Clarity, SecondSearch};
use super::ending::{Asking, LOST_WIN_RATE, wins};
use crate::base::game::Player;
use crate::go::Position;
use crate::go::status::DeadStones;
use crate::search::Report;

impl Engine {
    /// Returns true if the game is lost by the search and by the count, the position is settled, and a pass costs few points.
    pub(super) fn is_lost_and_settled(
        &mut self,
        player: Player,
        report: &Report,
        second: Option<SecondSearch>,
    ) -> bool {
        report.root.value.as_f64() < LOST_WIN_RATE
            && self.dead_stones() == DeadStones::Agreement
            && self.may_end(player)
            && second.is_none_or(|second| second.has_time_for(self.time_of_count()))
            && self.is_lost_by_count(self.position(), player, Asking::Allowed)
            && !self.pass_costs_points(player, report, second)
    }

    /// Returns true if the position is settled, the status of no chain depends on the first move, and `player` loses by
    /// the count.
    pub(super) fn is_lost_by_count(&self, position: &Position, player: Player, asking: Asking) -> bool {
        let statuses = self.statuses_after_pass(position, player);
        Clarity::of(&statuses) == Clarity::Clear
            && !wins(position, player, statuses.area_score())
            && self.settled_players(position, &statuses, asking) == [true; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DecisionSettings, MoveBudget};
    use super::*;
    use crate::go::Rules;

    /// A game that White, to move, has lost by 2.5 points; J9 saves ten stones, which H7 would capture.
    const DEFENCE_NEEDED: &str = "E5 C3 G3 G7 C7 E7 E3 D2 H5 H6 G5 D6 C6 B2 D5 G1 D8 H8 F8 J7 F7 G8 G6 B5 B6 C4 E2 E1 \
        J5 J6 G9 H9 F9 H2 C5 A4 A6 H3 H4 G2 F2 F1 A5 B4 D4 J3 D3 J4 J8";

    /// A game that White, to move, has lost; B4 keeps 24 points, which a search alone finds.
    const AREA_AT_STAKE: &str = "E5 C4 G3 D6 F7 D7 D3 C3 D2 E8 F8 C2 C1 B1 D1 F9 G9 E9 H8 B2 E7 D8 D5 C5 D4 E6 F6 G2 H3 pass F5 pass \
        F2 pass B6 pass C6 B8 C7 C8 B5";

    #[test]
    fn the_loser_of_a_game_still_saves_his_stones() {
        let budget = MoveBudget { simulations: Some(300), ..MoveBudget::default() };
        let settings = DecisionSettings { budget, resign_below: 0.0, ..DecisionSettings::default() };
        for rules in [Rules::CHINESE, Rules::JAPANESE] {
            for seed in 1..=3 {
                let mut engine = Engine::after_moves(DEFENCE_NEEDED, rules, seed);
                let decision =
                    engine.decide(Player::White, &settings, None, &mut |_| true).expect("a decision");
                let name = engine.position().size().vertex(decision.mv);
                assert_eq!((name.as_str(), decision.reason), ("J9", None), "{rules}, seed {seed}");
            }
        }
    }

    #[test]
    fn the_loser_searches_after_a_pass_even_if_the_time_is_used_up() {
        let budget =
            MoveBudget { time: Some(std::time::Duration::from_millis(400)), ..MoveBudget::default() };
        let settings = DecisionSettings { budget, resign_below: 0.0, ..DecisionSettings::default() };
        let mut engine = Engine::after_moves(AREA_AT_STAKE, Rules::CHINESE, 1);
        let decision = engine.decide(Player::White, &settings, None, &mut |_| true).expect("a decision");
        assert_eq!(engine.position().size().vertex(decision.mv), "B4", "{:?}", decision.reason);
    }

    #[test]
    fn stones_left_in_atari_by_a_dead_one_are_not_settled() {
        let engine = Engine::after_moves(DEFENCE_NEEDED, Rules::CHINESE, 1);
        assert_eq!(Clarity::of(&engine.statuses()), Clarity::Unclear);
        assert!(!engine.is_lost_by_count(engine.position(), Player::White, Asking::Allowed));
    }
}
