//! The choice of a move, and the decision to end a game by a pass.
//!
//! Once nothing is left to play for, the count of the position gives the outcome of a pass. It replaces the search, which
//! counts dead stones as alive under area scoring.

use super::{Engine, EngineError};
use crate::base::game::{Move, Outcome, Player, Score};
use crate::go::score::area_score;
use crate::go::settled::settled_players;
use crate::go::status::{BoardStatus, DeadStones};
use crate::go::{Position, Scoring};
use crate::search::{Limits, Progress, Report};

/// The meaning of a pass in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndingPass {
    /// A move like any other: the search decides.
    Open,
    /// Ends a game that is won by the count.
    Wins,
    /// Ends a game that is lost by the count under territory scoring, where every move inside settled territory costs a
    /// point.
    Settled,
    /// Ends a game that is won with all stones alive, but lost with the dead ones removed.
    WinsWithDeadStones,
}

/// Win rate below which the engine passes in a settled position that is lost by the count.
const LOST_WIN_RATE: f64 = 0.1;

/// Minimum win rate for which a move is played in a settled position that is lost by the count under territory scoring.
const MIN_OVERRULING_WIN_RATE: f64 = 0.75;

/// The move chosen by the search, or a pass instead; the fields are those of [`Decision`](super::Decision).
pub(super) struct ChosenMove {
    pub(super) mv: Move,
    pub(super) report: Option<Report>,
    pub(super) reason: Option<&'static str>,
}

impl Engine {
    /// Returns the move of `player` in the present position, which is not played: the search's choice, or a pass if nothing
    /// is left to play for. Among the [allowed moves](Engine::set_root_moves) the search alone decides.
    pub(super) fn choose_move(
        &mut self,
        player: Player,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<ChosenMove, EngineError> {
        let pass = self.position().size().pass();
        let is_free = self.root_moves().is_none();
        let ending = if is_free { self.ending_pass(player) } else { EndingPass::Open };
        let passes = |report, reason| ChosenMove { mv: pass, report, reason: Some(reason) };
        if ending == EndingPass::Wins {
            return Ok(passes(None, "the position is settled and the game is won: pass"));
        }
        if ending == EndingPass::WinsWithDeadStones {
            // The search counts all stones as alive and would take a pass for a win.
            self.set_root_moves(Some((0..=pass.0).map(|mv| mv != pass.0).collect()));
        }
        let report = self.search(player, limits, progress);
        if is_free {
            self.set_root_moves(None);
        }
        let report = report?;
        let mv = self.chosen_move(&report);
        Ok(match ending {
            EndingPass::WinsWithDeadStones if report.root.value.as_f64() < LOST_WIN_RATE => {
                passes(Some(report), "the game is lost and playing on cannot win it: pass")
            }
            EndingPass::Settled
                if report.root.value.as_f64() < MIN_OVERRULING_WIN_RATE
                    || self.is_in_own_territory(player, mv) =>
            {
                passes(Some(report), "the position is settled: pass")
            }
            _ => ChosenMove { mv, report: Some(report), reason: None },
        })
    }

    /// Returns true if the game is lost by the search and by the count, and the position is settled: further moves could
    /// only fill the player's own territory, which a lost search does not avoid.
    pub(super) fn is_lost_and_settled(&self, player: Player, report: &Report) -> bool {
        if report.root.value.as_f64() >= LOST_WIN_RATE
            || self.dead_stones() != DeadStones::Agreement
            || !self.may_end(player)
        {
            return false;
        }
        let statuses = self.statuses();
        !self.wins(player, statuses.area_score()) && self.settled_players(&statuses) == [true; 2]
    }

    /// Returns for each player if his points in the present position are [settled](settled_players).
    fn settled_players(&self, statuses: &BoardStatus) -> [bool; 2] {
        let evaluate = || {
            let [black, white] = Player::BOTH.map(|player| self.evaluated_ownership(&self.root_for(player)));
            Some([black?, white?])
        };
        settled_players(self.position(), statuses, evaluate, self.options.parameters.seed)
    }

    /// Returns true if the opponent of `player` has passed or the opening is over, by moves or by stones on the board: against
    /// many handicap stones a game is lost and settled before it begins.
    pub(super) fn may_end(&self, player: Player) -> bool {
        let stones: usize = self.position().board().stones().iter().map(|&stones| usize::from(stones)).sum();
        self.has_passed(player.other()) || self.record.moves().len().max(stones) >= self.opening_moves()
    }

    pub(super) fn has_passed(&self, player: Player) -> bool {
        self.record.moves().last() == Some(&(player, self.position().size().pass()))
    }

    /// Returns true if `player` wins with this area score of Black, under the komi of a game that ends now.
    fn wins(&self, player: Player, area_score: Score) -> bool {
        let for_black = self.position().final_area_komi().outcome_for_black(area_score);
        let outcome = if player == Player::Black { for_black } else { for_black.other() };
        outcome == Outcome::Win
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
    pub fn statuses(&self) -> BoardStatus {
        let position = self.position();
        self.dead_stones().statuses(position, self.options.playouts, self.options.parameters.seed)
    }

    /// Returns true if the count gives the point to the player.
    fn is_in_own_territory(&self, player: Player, mv: Move) -> bool {
        self.statuses().owners().get(mv.index()).is_some_and(|&owner| owner == Some(player))
    }

    /// Returns the meaning of a pass by `player` in the position.
    ///
    /// Without agreement on dead stones, a pass after a pass is counted with all stones alive. With agreement it is counted
    /// without the dead stones, once the position is settled; so is the first pass under territory scoring, where each
    /// further move costs a point. There a pass wins if the player's own points are settled: the count gives the
    /// opponent all of his.
    fn ending_pass(&self, player: Player) -> EndingPass {
        let position = self.position();
        let ends_game = self.has_passed(player.other());
        let is_territory = position.rules().scoring == Scoring::Territory;
        let has_agreement = self.dead_stones() == DeadStones::Agreement;
        if !(ends_game || is_territory && has_agreement && self.may_end(player)) {
            return EndingPass::Open;
        }
        let wins_as_it_stands = self.wins(player, area_score(position.board()));
        if !has_agreement {
            return if wins_as_it_stands { EndingPass::Wins } else { EndingPass::Open };
        }
        let statuses = self.statuses();
        let wins_without_dead = self.wins(player, statuses.area_score());
        if !is_territory && !wins_as_it_stands {
            return EndingPass::Open;
        }
        let settled = self.settled_players(&statuses);
        match (is_territory, wins_without_dead) {
            (true, true) if settled[player.index()] => EndingPass::Wins,
            _ if settled != [true; 2] => EndingPass::Open,
            (_, true) => EndingPass::Wins,
            (true, false) => EndingPass::Settled,
            (false, false) => EndingPass::WinsWithDeadStones,
        }
    }
}
