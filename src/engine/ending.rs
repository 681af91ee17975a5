//! The choice of a move, and the decision to end a game by a pass.
//!
//! A pass is a move like others, but what it leads to is known once nothing is left to play for: then the position is
//! counted, and the search, which counts dead stones as alive under area scoring, is not asked.

use super::Engine;
use crate::base::game::{Move, Outcome, Player, Score};
use crate::go::score::area_score;
use crate::go::settled::is_settled;
use crate::go::status::{DeadStones, Statuses};
use crate::go::{Position, Scoring};
use crate::search::{Limits, Progress, Report};

/// The meaning of a pass in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndingPass {
    /// A move like others.
    Open,
    /// Ends a game that is won as it stands.
    Wins,
    /// Ends a game that only moves inside settled territory could change: better than any move of a lost position.
    Settled,
    /// Ends a game that is won with all stones alive, but lost without the dead ones.
    WinsWithDeadStones,
}

/// Win rate below which a game that is lost but for dead stones is not played on.
const HOPELESS: f64 = 0.1;

/// Win rate from which a search is believed that finds a move in a settled position that is lost by the count.
const CONVINCING: f64 = 0.75;

/// The move that a search chose, or a pass instead; the fields are those of [`Decision`](super::Decision).
pub(super) struct ChosenMove {
    pub(super) mv: Move,
    pub(super) report: Option<Report>,
    pub(super) reason: Option<&'static str>,
}

impl Engine {
    /// Returns the move of `player` in the present position, which is not played: the search's choice, or a pass where that
    /// ends a game in which nothing is left to play for. Among the [allowed moves](Engine::set_root_moves) the search alone
    /// decides.
    pub(super) fn choose_move(
        &mut self,
        player: Player,
        limits: Limits,
        progress: Progress<'_>,
    ) -> ChosenMove {
        let pass = self.position().size().pass();
        let is_free = self.root_moves().is_none();
        let ending = if is_free { self.ending_pass(player) } else { EndingPass::Open };
        let passes = |report, reason| ChosenMove { mv: pass, report, reason: Some(reason) };
        if ending == EndingPass::Wins {
            return passes(None, "nothing is left to play for, and the game is won as it stands: pass");
        }
        if ending == EndingPass::WinsWithDeadStones {
            // The search counts all stones as alive, and would think that it has won.
            self.set_root_moves(Some((0..=pass.0).map(|mv| mv != pass.0).collect()));
        }
        let report = self.search(player, limits, progress);
        let mv = self.chosen_move(&report);
        if is_free {
            self.set_root_moves(None);
        }
        match ending {
            EndingPass::WinsWithDeadStones if report.root.value.as_f64() < HOPELESS => {
                passes(Some(report), "nothing is left to win by playing on: pass")
            }
            EndingPass::Settled
                if report.root.value.as_f64() < CONVINCING || self.is_in_own_territory(player, mv) =>
            {
                passes(Some(report), "nothing is left to play for: pass")
            }
            _ => ChosenMove { mv, report: Some(report), reason: None },
        }
    }

    /// Returns true if the search and the count have the game lost and the position is settled: moves could only fill the
    /// player's own territory, which a search that has lost anyway does not avoid.
    pub(super) fn is_lost_and_settled(&self, player: Player, report: &Report) -> bool {
        if report.root.value.as_f64() >= HOPELESS || self.dead_stones() != DeadStones::Agreement {
            return false;
        }
        let statuses = self.statuses();
        !self.wins(player, statuses.area_score())
            && is_settled(self.position(), &statuses, self.options.parameters.seed)
    }

    /// Returns true if `player` wins with Black's area score, under the komi of a game that ends now.
    fn wins(&self, player: Player, area_score: Score) -> bool {
        let for_black = self.position().final_area_komi().outcome_for_black(area_score);
        let outcome = if player == Player::Black { for_black } else { for_black.other() };
        outcome == Outcome::Win
    }

    /// The stones that are taken off the board at the end of a game.
    #[must_use]
    pub fn dead_stones(&self) -> DeadStones {
        self.dead_stones_under(self.position())
    }

    pub(super) fn dead_stones_under(&self, position: &Position) -> DeadStones {
        self.options.dead_stones.unwrap_or_else(|| DeadStones::of_rules(position.rules()))
    }

    /// The status of each chain of the position, as the rules have it.
    #[must_use]
    pub fn statuses(&self) -> Statuses {
        let position = self.position();
        self.dead_stones().statuses(position, self.options.playouts, self.options.parameters.seed)
    }

    /// Returns true if the count gives the point to the player.
    fn is_in_own_territory(&self, player: Player, mv: Move) -> bool {
        self.statuses().owners().get(mv.index()).is_some_and(|&owner| owner == Some(player))
    }

    /// Returns what a pass of `player` means in the position.
    ///
    /// Where nothing counts but the board, a pass after a pass is judged by the board alone. Where players agree on dead
    /// stones it is judged once the position is settled; under territory scoring the first pass, too, since each further
    /// move costs a point.
    fn ending_pass(&self, player: Player) -> EndingPass {
        let position = self.position();
        let ends_game = self.record.moves().last() == Some(&(player.other(), position.size().pass()));
        let is_territory = position.rules().scoring == Scoring::Territory;
        let has_agreement = self.dead_stones() == DeadStones::Agreement;
        if !(ends_game || is_territory && has_agreement) {
            return EndingPass::Open;
        }
        let wins_as_it_stands = self.wins(player, area_score(position.board()));
        if !has_agreement {
            return if wins_as_it_stands { EndingPass::Wins } else { EndingPass::Open };
        }
        let statuses = self.statuses();
        let wins_without_dead = self.wins(player, statuses.area_score());
        if !is_territory && !wins_as_it_stands
            || !is_settled(position, &statuses, self.options.parameters.seed)
        {
            return EndingPass::Open;
        }
        match (is_territory, wins_without_dead) {
            (_, true) => EndingPass::Wins,
            (true, false) => EndingPass::Settled,
            (false, false) => EndingPass::WinsWithDeadStones,
        }
    }
}
