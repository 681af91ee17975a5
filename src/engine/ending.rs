//! The decision to end a game by a pass.
//!
//! Once nothing is left to play for, the count of the position gives the outcome of a pass. The search alone does not
//! find it: it counts dead stones as alive under area scoring, and gives a pass few visits. The count alone is wrong
//! where playouts miss a move that kills or saves stones, so a search after the pass must not contradict it.

use super::after_pass::{Clarity, Prospects, SecondSearch};
use super::pass_cost::reported_pass_costs_points;
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

/// Questions to an evaluator in another process, in a decision that can do without.
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
    /// Searches the present position for a move of `player`. Where a pass wins with dead stones alone, the search does
    /// not consider it: it counts all stones as alive and would take the pass for a win.
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

    /// Searches; returns what is stored of the position and the reason if the evaluator fails after moves have been visited.
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

    /// Returns true if a pass loses more than `max_loss` by a search after it, and by a longer one if the first says so.
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
            self.search_after_pass(player, report, second).map(|after| before.loss(after, size) > max_loss)
        };
        // The second search goes on from the first.
        loses_more() == Some(true) && loses_more() != Some(false)
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
            EndingPass::Wins(clarity) => !is_lost && loss <= clarity.max_loss(true, report.root.visits),
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
    /// each further move costs a point. There a pass wins if the player's own points are settled: the count gives the
    /// opponent all of his.
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
        let is_territory = position.rules().scoring == Scoring::Territory;
        let wins_as_it_stands = wins(position, player, area_score(position.board()));
        if self.dead_stones_under(position) != DeadStones::Agreement {
            return if wins_as_it_stands { EndingPass::WinsForSure } else { EndingPass::Open };
        }
        if !is_territory && !wins_as_it_stands {
            return EndingPass::Open;
        }
        let statuses = self.statuses_of(position);
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
