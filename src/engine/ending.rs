//! The decision to end a game by a pass.
//!
//! Once nothing is left to play for, the count of the position gives the outcome of a pass. The search alone does not
//! find it: it counts dead stones as alive under area scoring, and gives a pass few visits. The count alone is wrong
//! where playouts miss a move that kills or saves stones, so a search after the pass must not contradict it.

use super::after_pass::{Clarity, Prospects, SecondSearch};
use super::pass_cost::{costs_points, reported_pass_costs_points};
use super::{Engine, EngineError};
use crate::base::game::{Game, Outcome, Player, Score};
use crate::go::score::area_score;
use crate::go::settled::settled_players;
use crate::go::status::{BoardStatus, DeadStones};
use crate::go::{Position, Scoring, Size};
use crate::search::{Limits, MoveReport, Progress, Report};
use std::cell::OnceCell;
use std::sync::Arc;

/// The meaning of a pass in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndingPass {
    /// A move like any other: the search decides.
    Open,
    /// Unknown, since a count takes more time than the clock allows: the search decides.
    Uncounted,
    /// Ends a game that is won by the count, with all stones alive and without the dead ones.
    WinsForSure,
    /// Ends a game that is won by the count under territory scoring, if nothing is left to play for.
    Wins(Clarity),
    /// Ends a game that is lost by the count under territory scoring, where every move inside settled territory costs a
    /// point.
    Settled(Clarity),
    /// Ends a game that is won with all stones alive, but lost with the dead ones removed.
    WinsWithDeadStones,
}

/// The decision on a pass that ends the game by the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndingChoice {
    /// A pass, for this reason.
    Pass(&'static str),
    /// The search's best move other than a pass.
    NoPass,
    /// The search's choice.
    OfSearch,
}

/// Permission to ask an evaluator in another process, in a decision that can do without its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    Allowed,
    Omitted,
}

/// Length of the opening in moves, as a multiple of the board's side. A low win rate in the opening results from komi
/// and handicap rather than from the moves.
const OPENING_SIDES: f64 = 2.0;

/// Win rate below which the engine passes in a settled position that is lost by the count.
pub(super) const LOST_WIN_RATE: f64 = 0.1;

/// Win rate below which the loser by the count under territory scoring passes.
const PASSING_WIN_RATE: f64 = 0.35;
/// Maximum deficit of a [close](Clarity::Close) count, and maximum lead of a search that does not contradict an unclear
/// count, in points.
const CLOSE_POINTS: f64 = 4.0;
/// Minimum visits of a pass for its win rate in a report to count.
const MIN_PASS_VISITS: u64 = 8;

const SETTLED: &str = "the position is settled: pass";
pub(super) const SETTLED_AND_WON: &str = "the position is settled and the game is won: pass";

impl Engine {
    /// Searches the present position for a move of `player`. A pass that wins only while dead stones are on the board is
    /// excluded: the search counts all stones as alive and would take it for a win.
    pub(super) fn search_for_move(
        &mut self,
        player: Player,
        ending: EndingPass,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<(Report, Option<String>), EngineError> {
        if ending != EndingPass::WinsWithDeadStones {
            return self.search_or_look_up(player, limits, progress);
        }
        let pass = self.position().size().pass();
        self.set_root_moves(Some((0..=pass.0).map(|mv| mv != pass.0).collect()));
        let report = self.search_or_look_up(player, limits, progress);
        self.set_root_moves(None);
        report
    }

    /// Searches. If the evaluator fails after moves have been visited, returns the stored results and the reason.
    fn search_or_look_up(
        &mut self,
        player: Player,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<(Report, Option<String>), EngineError> {
        let error = match self.search(player, limits, progress) {
            Ok(report) => return Ok((report, None)),
            Err(error) => error,
        };
        let stored = self.look_up(self.root_for(player));
        match error {
            EngineError::Evaluator { reason } if stored.moves.iter().any(|it| it.edge_visits > 0) => {
                Ok((stored, Some(format!("{reason}, and the move comes from them"))))
            }
            error => Err(error),
        }
    }

    /// Decides between a pass that ends the game by the count and the move chosen by the search of `report`.
    pub(super) fn choose_ending(
        &mut self,
        player: Player,
        ending: EndingPass,
        report: &Report,
        second: Option<SecondSearch>,
    ) -> EndingChoice {
        let win_rate = report.root.value.as_f64();
        match ending {
            EndingPass::WinsWithDeadStones if win_rate < LOST_WIN_RATE => {
                EndingChoice::Pass("the game is lost and playing on cannot win it: pass")
            }
            EndingPass::Open
            | EndingPass::Uncounted
            | EndingPass::WinsForSure
            | EndingPass::WinsWithDeadStones => EndingChoice::OfSearch,
            EndingPass::Settled(clarity) if plays_on(self.position(), player, clarity, report) => {
                EndingChoice::OfSearch
            }
            EndingPass::Settled(_) if win_rate < PASSING_WIN_RATE => {
                match self.pass_costs_points(player, report, second) {
                    true => EndingChoice::NoPass,
                    false => EndingChoice::Pass(SETTLED),
                }
            }
            EndingPass::Wins(clarity) | EndingPass::Settled(clarity) => {
                let is_win = matches!(ending, EndingPass::Wins(_));
                let max_loss = clarity.max_loss(is_win, report.root.visits);
                if self.loses_more(player, report, second, max_loss) {
                    return EndingChoice::NoPass;
                }
                EndingChoice::Pass(if is_win { SETTLED_AND_WON } else { SETTLED })
            }
        }
    }

    /// Returns true if a pass loses more than `max_loss`, or too many points, by a search after it, and by a longer one if the
    /// first says so.
    fn loses_more(
        &mut self,
        player: Player,
        report: &Report,
        second: Option<SecondSearch>,
        max_loss: f64,
    ) -> bool {
        let size = self.position().size();
        let before = Prospects::new(player, report.root.value.as_f64(), report.root.black_score);
        let mut loses_more = || {
            let after = self.search_after_pass(player, report, second)?;
            let costs = self.has_evaluator_scores() && costs_points(player, report, after, size);
            Some(costs || before.loss(after, size) > max_loss)
        };
        // The second search goes on from the first.
        match loses_more() {
            Some(loses) => loses && loses_more() != Some(false),
            None => self.has_evaluator_scores() && reported_pass_costs_points(player, report, size),
        }
    }

    /// Returns true if scores come from an evaluator: those of few playouts scatter by more points than a pass may cost.
    fn has_evaluator_scores(&self) -> bool {
        self.network.is_some() || self.options.external.is_some()
    }

    /// Puts the pass first in the report on `root` if the game would end there: the position is settled by the count, and
    /// the pass loses little by its visits, or the game is lost. `ending` keeps the meaning of a pass for later reports
    /// on this root. No evaluator in another process is asked, so that reports on stored results do not start one.
    pub(super) fn put_ending_pass_first(
        &self,
        root: &Position,
        ending: &OnceCell<EndingPass>,
        report: &mut Report,
    ) {
        let win_rate = report.root.value.as_f64();
        let is_lost = win_rate < LOST_WIN_RATE;
        let is_pass = |it: &MoveReport| {
            it.mv == root.size().pass() && it.visits >= if is_lost { 1 } else { MIN_PASS_VISITS }
        };
        let number = report.moves.iter().position(is_pass).unwrap_or_default();
        let player = root.to_play();
        let is_territory = root.rules().scoring == Scoring::Territory;
        if number == 0
            || self.root_moves().is_some()
            || self.skips_counts
            || self.dead_stones_under(root) != DeadStones::Agreement
            || root.board().stone_count() < opening_moves(root.size())
            || !(is_territory || is_lost)
        {
            return;
        }
        let ending = *ending.get_or_init(|| match is_territory {
            true => self.meaning_of_pass(root, player, Asking::Omitted),
            false if self.is_lost_by_count(root, player, Asking::Omitted) => {
                EndingPass::Settled(Clarity::Clear)
            }
            false => EndingPass::Open,
        });
        let pass = &report.moves[number];
        let loss = Prospects::new(player, win_rate, report.root.black_score)
            .loss(Prospects::new(player, pass.value.as_f64(), pass.black_score), root.size());
        let is_played = match ending {
            EndingPass::WinsForSure => true,
            EndingPass::Wins(clarity) => {
                !is_lost
                    && loss <= clarity.max_loss(true, report.root.visits)
                    && !(self.has_evaluator_scores()
                        && reported_pass_costs_points(player, report, root.size()))
            }
            EndingPass::Settled(_) if is_lost => !reported_pass_costs_points(player, report, root.size()),
            EndingPass::Settled(clarity) => {
                !plays_on(root, player, clarity, report)
                    && loss <= clarity.max_loss(false, report.root.visits)
            }
            EndingPass::Open | EndingPass::Uncounted | EndingPass::WinsWithDeadStones => false,
        };
        if is_played {
            report.moves[..=number].rotate_right(1);
        }
    }

    /// Returns for each player if his points in the position are [settled](settled_players).
    pub(super) fn settled_players(
        &self,
        position: &Position,
        statuses: &BoardStatus,
        asking: Asking,
    ) -> [bool; 2] {
        let evaluate = || {
            if asking == Asking::Omitted && self.options.external.is_some() {
                return None;
            }
            let [black, white] = Player::BOTH.map(|player| {
                let mut root = position.clone();
                root.resume();
                root.set_to_play(player);
                self.evaluated_ownership(&root)
            });
            Some([black?, white?])
        };
        settled_players(position, statuses, evaluate)
    }

    /// Returns true if the opponent of `player` has passed or the opening is over, by moves or by stones on the board:
    /// against many handicap stones a game is lost and settled before it begins.
    pub(super) fn may_end(&self, player: Player) -> bool {
        let moves = self.record.move_count().max(self.position().board().stone_count());
        self.has_passed(player.other()) || moves >= opening_moves(self.position().size())
    }

    pub(super) fn has_passed(&self, player: Player) -> bool {
        self.record.moves().last() == Some(&(player, self.position().size().pass()))
    }

    /// Returns the stones that are removed from the board at the end of a game.
    #[must_use]
    pub fn dead_stones(&self) -> DeadStones {
        self.dead_stones_under(self.position())
    }

    pub(super) fn dead_stones_under(&self, position: &Position) -> DeadStones {
        self.options.dead_stones.unwrap_or_else(|| DeadStones::of_rules(position.rules()))
    }

    /// Returns the status of each chain of the position under the rules.
    #[must_use]
    pub fn statuses(&self) -> Arc<BoardStatus> {
        self.statuses_of(self.position())
    }

    /// Returns the meaning of a pass by `player` in the position; open if only some moves are
    /// [allowed](Engine::set_root_moves).
    ///
    /// Without agreement on dead stones, a pass after a pass is counted with all stones alive. With agreement it is
    /// counted without the dead stones, once the position is settled; so is the first pass under territory scoring, where
    /// each further move costs a point. There a pass wins if the player's own points are settled: unsettled points of the
    /// opponent could only raise the player's lead.
    pub(super) fn ending_pass(&self, player: Player) -> EndingPass {
        let position = self.position();
        let ends_game = self.has_passed(player.other());
        let is_territory = position.rules().scoring == Scoring::Territory;
        let has_agreement = self.dead_stones() == DeadStones::Agreement;
        if self.root_moves().is_some()
            || !(ends_game || is_territory && has_agreement && self.may_end(player))
        {
            return EndingPass::Open;
        }
        self.meaning_of_pass(position, player, Asking::Allowed)
    }

    /// Returns the meaning of a pass by `player` that may end the game.
    fn meaning_of_pass(&self, position: &Position, player: Player, asking: Asking) -> EndingPass {
        match asking {
            Asking::Omitted if self.options.external.is_some() => {
                self.computed_meaning(position, player, asking)
            }
            _ => self.kept_meaning(position, player, || self.computed_meaning(position, player, asking)),
        }
    }

    fn computed_meaning(&self, position: &Position, player: Player, asking: Asking) -> EndingPass {
        let is_territory = position.rules().scoring == Scoring::Territory;
        let wins_as_it_stands = wins(position, player, area_score(position.board()));
        if self.dead_stones_under(position) != DeadStones::Agreement {
            return if wins_as_it_stands { EndingPass::WinsForSure } else { EndingPass::Open };
        }
        if !is_territory && !wins_as_it_stands {
            return EndingPass::Open;
        }
        let statuses = self.statuses_after_pass(position, player);
        let wins_without_dead = wins(position, player, statuses.area_score());
        let settled = self.settled_players(position, &statuses, asking);
        let clarity = Clarity::of(&statuses);
        match (is_territory, wins_without_dead) {
            (true, true) if settled[player.index()] => EndingPass::Wins(clarity),
            _ if settled != [true; 2] => EndingPass::Open,
            (_, true) => EndingPass::WinsForSure,
            (true, false) => {
                let lead = f64::from(statuses.area_score()) - position.final_area_komi().points();
                let is_close = clarity == Clarity::Clear && lead.abs() <= CLOSE_POINTS;
                EndingPass::Settled(if is_close { Clarity::Close } else { clarity })
            }
            (false, false) => EndingPass::WinsWithDeadStones,
        }
    }
}

/// Returns true if a search contradicts a count that `player` loses: by its win rate or, where the status of a chain is
/// unclear, by its score.
fn plays_on(position: &Position, player: Player, clarity: Clarity, report: &Report) -> bool {
    let komi = position.score_komi().points();
    let lead = report.root.black_score.map_or(0.0, |score| score - komi);
    let lead = if player == Player::Black { lead } else { -lead };
    report.root.value.as_f64() >= clarity.playing_win_rate()
        || clarity == Clarity::Unclear && lead > CLOSE_POINTS
}

/// Returns true if `player` wins with this area score of Black, under the komi of a game that ends now.
pub(super) fn wins(position: &Position, player: Player, area_score: Score) -> bool {
    let for_black = position.final_area_komi().outcome_for_black(area_score);
    let outcome = if player == Player::Black { for_black } else { for_black.other() };
    outcome == Outcome::Win
}

/// Returns the number of moves that the opening on a board is taken to have.
pub(super) fn opening_moves(size: Size) -> usize {
    (OPENING_SIDES * (size.points() as f64).sqrt()).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::super::clock::{Clock, TimeSystem};
    use super::super::{DecisionSettings, MoveBudget};
    use super::*;
    use crate::go::{Komi, Rules};
    use std::time::Duration;

    /// A game in which White has passed. At a komi of -7.5 Black wins by 2.5 points with C8, and loses by 1.5 if White plays there.
    const DEFENCE_AFTER_A_PASS: &str = "H8 C6 D8 C3 E6 F3 B7 F5 H6 H4 B6 F6 C5 F7 F8 E7 D6 E8 F9 E9 G7 D7 C7 \
        C8 B8 D9 B4 B3 B9 A4 A5 A3 C4 D3 H5 G4 J4 J3 J5 H3 C9 E5 D5 D4 D8 G8 G9 pass";

    /// A game in which Black has passed. At a komi of -20.5 White wins by 2.5 points with G9 and loses by 1.5 if Black plays there.
    const POINTS_AFTER_A_PASS: &str = "B4 F4 H8 D3 C2 D2 B6 F6 F8 E7 E8 D7 C8 D5 G5 G6 H6 G4 H4 H3 J3 G2 J2 \
        C3 B2 B3 A3 D8 D9 F5 H5 H2 C1 G7 C7 C6 C5 C4 B5 H7 J7 G8 G9 D6 D1 E1 F7 H1 pass E3 pass J1 J5 J4 J3 \
        J2 pass J4 pass H9 J9 J6 pass J8 C9 H9 E9 F9 E2 F2 G9 A2 A1 F9 F1 G1 G9 A4 A5 F9 pass";

    /// A game that White wins by 13 points with F5, which saves three stones, and by two points with a pass.
    const STONES_IN_ATARI: &str = "F8 F4 E7 G6 H7 C4 G3 F3 G4 G5 H5 H6 H4 E5 C6 G2 H2 F2 J6 B5 B6 A6 A7 A5 C5 \
        B7 B4 A8 D4 C3 D5 D3 C7 C8 D8 B9 G1 F1 G7 H1 J2 E6 E4 E3 D7 D9 E9 C9 F6";

    /// Returns the vertices decided on with 200 simulations, for two seeds.
    fn decided(moves: &str, rules: Rules, komi: Komi, player: Player) -> [String; 2] {
        [1, 2].map(|seed| {
            let mut engine = Engine::after_moves(moves, rules, seed);
            engine.set_komi(komi);
            let budget = MoveBudget { simulations: Some(200), ..MoveBudget::default() };
            let settings = DecisionSettings { budget, resign_below: 0.0, ..DecisionSettings::default() };
            let decision = engine.decide(player, &settings, None, &mut |_| true).expect("a decision");
            engine.position().size().vertex(decision.mv)
        })
    }

    #[test]
    fn a_pass_is_not_answered_by_a_pass_that_lets_the_opponent_decide_an_area() {
        assert_eq!(decided(DEFENCE_AFTER_A_PASS, Rules::CHINESE, Komi(-15), Player::Black), ["C8", "C8"]);
        let moves = decided(POINTS_AFTER_A_PASS, Rules::CHINESE, Komi(-41), Player::White);
        assert!(!moves.iter().any(|vertex| vertex == "pass"), "{moves:?}");
    }

    #[test]
    fn the_winner_does_not_pass_many_points_away() {
        assert_eq!(decided(STONES_IN_ATARI, Rules::JAPANESE, Komi(13), Player::White), ["F5", "F5"]);
    }

    #[test]
    fn a_clock_leaves_time_to_check_a_pass() {
        let mut engine = Engine::after_moves(STONES_IN_ATARI, Rules::JAPANESE, 1);
        let pass = engine.position().size().pass();
        engine.record_mut().play(Player::Black, pass).expect("a pass");
        let period = Duration::from_secs(1);
        let mut clock = Clock::new(TimeSystem::ByoYomi { main: Duration::ZERO, period, periods: 1 });
        let settings = DecisionSettings { resign_below: 0.0, ..DecisionSettings::default() };
        let decision = engine.decide(Player::White, &settings, Some(&mut clock), &mut |_| true);
        let decision = decision.expect("a decision");
        assert_eq!(engine.position().size().vertex(decision.mv), "F5", "{:?}", decision.reason);
    }
}
