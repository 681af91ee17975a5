//! Evaluation of one move: its loss, severity and phase.

use super::model::{PlayedMove, PositionResult, ReviewTurn, ReviewedMove};
use crate::base::game::Player;
use std::num::ParseFloatError;
use std::str::FromStr;

/// The name of a pass among the moves.
const PASS: &str = "pass";
/// Minimum win rate before a decisive move; below it the game was decided already.
pub(super) const MIN_WIN_RATE_UNDECIDED: f64 = 0.4;

/// Minimum losses of win rate, in percent, of an inaccuracy, a mistake and a blunder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds([f64; 3]);

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds([5.0, 10.0, 20.0])
    }
}

/// A text that is not three rising percentages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected three rising percentages from 0 to 100 such as 5,10,20, found {0:?}")]
pub struct ThresholdsError(String);

impl FromStr for Thresholds {
    type Err = ThresholdsError;

    fn from_str(text: &str) -> Result<Thresholds, ThresholdsError> {
        let numbers: Result<Vec<f64>, ParseFloatError> =
            text.split(',').map(|it| it.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[low, middle, high]) if 0.0 < low && low < middle && middle < high && high <= 100.0 => {
                Ok(Thresholds([low, middle, high]))
            }
            _ => Err(ThresholdsError(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Thresholds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [low, middle, high] = self.0;
        write!(f, "{low},{middle},{high}")
    }
}

impl Thresholds {
    /// Returns the three percentages, the smallest first.
    #[must_use]
    pub fn percentages(&self) -> [f64; 3] {
        self.0
    }

    fn severity(&self, loss: f64) -> Severity {
        let names = [Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];
        let reached = self.0.iter().zip(names).rev().find(|(threshold, _)| 100.0 * loss >= **threshold);
        reached.map_or(Severity::Fine, |(_, severity)| severity)
    }
}

/// The class of a move by its loss of win rate, see [`Thresholds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A loss below all thresholds.
    Fine,
    /// A loss from the first threshold on.
    Inaccuracy,
    /// A loss from the second threshold on.
    Mistake,
    /// A loss from the third threshold on.
    Blunder,
}

impl Severity {
    /// All classes, the smallest loss first.
    pub const ALL: [Severity; 4] =
        [Severity::Fine, Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];

    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["fine", "inaccuracy", "mistake", "blunder"][self as usize]
    }
}

/// A part of a game, by the number of moves as a share of the board's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Below 14 %: 50 moves on 19x19, 11 on 9x9.
    Opening,
    /// Below 42 %: 151 moves on 19x19, 34 on 9x9.
    Middle,
    /// The rest of the game.
    Endgame,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::Endgame];

    /// Returns the phase of a move, by its number from 1 and the points of the board.
    #[must_use]
    pub fn of(turn: usize, points: usize) -> Phase {
        match 100 * turn / points.max(1) {
            0..14 => Phase::Opening,
            14..42 => Phase::Middle,
            _ => Phase::Endgame,
        }
    }

    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["opening", "middle game", "endgame"][self as usize]
    }
}

/// The evaluation of one move. Win rates are the mover's, `0..=1`.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgement {
    /// The number of the move, from 1.
    pub turn: usize,
    /// The mover.
    pub player: Player,
    /// The move, such as `D4` or `pass`.
    pub vertex: String,
    /// Win rate with the best move.
    pub before: f64,
    /// Win rate with the move that was played.
    pub after: f64,
    /// Loss of win rate, at least 0.
    pub loss: f64,
    /// Loss of points, at least 0; `None` without a lead before or after the move.
    pub points: Option<f64>,
    /// The best move.
    pub best: ReviewedMove,
    /// Rank of the move that was played, from 0; `None` if the search did not visit it.
    pub order: Option<usize>,
    /// The class of the move by its loss.
    pub severity: Severity,
    /// True if the move is the best and every other would have been a mistake.
    pub is_only_move: bool,
    /// The phase of the game.
    pub phase: Phase,
}

/// Converts Black's win rate into the win rate of `player`.
pub(super) fn for_player(player: Player, black: f64) -> f64 {
    if player == Player::Black { black } else { 1.0 - black }
}

/// Evaluates move number `turn`, from 1, between two of `turns`; `None` if it is not judged.
pub(super) fn evaluate_move(
    turns: &[ReviewTurn],
    turn: usize,
    points: usize,
    thresholds: &Thresholds,
) -> Option<MoveJudgement> {
    let (before, after) = (&turns[turn - 1], &turns[turn]);
    let PlayedMove { player, vertex } = after.played.as_ref()?;
    let (searched, found) = (before.finding.as_ref()?, after.finding.as_ref()?);
    let best = searched.candidates.first()?;
    // The setup changed the win rate, too.
    if after.was_set_up || is_harmless_end(before, after) {
        return None;
    }
    // Both players ended the game after this pass, and the count is more certain than a search.
    let last = turns.get(turn + 1).filter(|last| vertex == PASS && is_harmless_end(after, last));
    let count = last.and_then(|last| last.finding.as_ref());
    let is_better =
        |count: &&PositionResult| for_player(*player, count.winrate) >= for_player(*player, found.winrate);
    let found = count.filter(is_better).unwrap_or(found);
    let is_best = best.vertex == *vertex;
    let win_rate = for_player(*player, found.winrate);
    let best_win_rate = if is_best { win_rate } else { for_player(*player, best.winrate) };
    let loss = (best_win_rate - win_rate).max(0.0);
    let order = searched.candidates.iter().find(|it| it.vertex == *vertex).map(|it| it.order);
    Some(MoveJudgement {
        turn,
        player: *player,
        vertex: vertex.clone(),
        before: best_win_rate,
        after: win_rate,
        loss,
        points: points_lost(best, searched, found, *player).map(|lost| if is_best { 0.0 } else { lost }),
        best: best.clone(),
        order,
        severity: thresholds.severity(loss),
        is_only_move: is_best && is_only_move(searched, *player, win_rate, thresholds),
        phase: Phase::of(turn, points),
    })
}

/// Returns true if the move between two positions is the pass that ends the game, and no other move would have been better:
/// by the count the pass does not lose, or by the search before it the game was decided.
fn is_harmless_end(before: &ReviewTurn, after: &ReviewTurn) -> bool {
    let (Some(PlayedMove { player, vertex }), Some(found)) = (&after.played, &after.finding) else {
        return false;
    };
    let best = before.finding.as_ref().and_then(|searched| searched.candidates.first());
    let is_end = vertex == PASS && found.end.is_some();
    is_end
        && best.is_none_or(|best| {
            let before = for_player(*player, best.winrate);
            best.vertex == PASS
                || before < MIN_WIN_RATE_UNDECIDED
                || before <= for_player(*player, found.winrate)
        })
}

/// Returns the lead of the best move, or that of the position before the move if the best move has none, less the lead after
/// the move.
fn points_lost(
    best: &ReviewedMove,
    searched: &PositionResult,
    found: &PositionResult,
    player: Player,
) -> Option<f64> {
    let sign = if player == Player::Black { 1.0 } else { -1.0 };
    Some((sign * (best.lead.or(searched.lead)? - found.lead?)).max(0.0))
}

/// Returns true if every other move of the search is a mistake. The win rates of rarely visited moves are unreliable,
/// so the second move must have at least a tenth of the visits of the first.
fn is_only_move(searched: &PositionResult, player: Player, win_rate: f64, thresholds: &Thresholds) -> bool {
    let [first, second, ..] = searched.candidates.as_slice() else { return false };
    second.visits * 10 >= first.visits
        && searched.candidates[1..].iter().all(|other| {
            thresholds.severity(win_rate - for_player(player, other.winrate)) >= Severity::Mistake
        })
}
