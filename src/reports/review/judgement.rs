//! Evaluation of a review: the loss of each move, the costliest moves, sums by player and phase.

use super::model::Review;
use super::move_judgement::{MoveJudgement, Phase, Severity, Thresholds, evaluate_move};
use super::verdict::{self, GameVerdict};
use crate::base::game::Player;

/// Settings of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportSettings {
    /// Minimum losses of inaccuracies, mistakes and blunders.
    pub thresholds: Thresholds,
    /// Number of costliest moves listed.
    pub mistakes: usize,
}

/// The moves of one player in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSummary {
    /// Number of moves judged.
    pub moves: usize,
    /// Mean loss of win rate a move, `0..=1`, by phase; `None` without moves.
    pub loss: [Option<f64>; 3],
    /// Mean loss of win rate a move in the whole game.
    pub total_loss: Option<f64>,
    /// Mean loss of points a move in the whole game; `None` if unknown for every move.
    pub points: Option<f64>,
    /// Number of moves that were the engine's first choice.
    pub first_choices: usize,
    /// Number of moves among the engine's first three choices.
    pub top_three: usize,
    /// Number of moves by severity, in the order of [`Severity::ALL`].
    pub severities: [usize; 4],
}

/// The evaluation of a whole review.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The evaluation of each move, by its number minus 1; `None` for moves that are not judged.
    pub moves: Vec<Option<MoveJudgement>>,
    /// The numbers of the costliest moves, the costliest first.
    pub costliest_turns: Vec<usize>,
    /// The players' moves in numbers, Black first.
    pub players: [PlayerSummary; 2],
    /// The result and the turning point, in words.
    pub verdict: GameVerdict,
}

impl Judgement {
    /// Returns true if any move is an inaccuracy or worse, whether it is in the list of the costliest moves or not.
    #[must_use]
    pub fn has_costly_moves(&self) -> bool {
        self.moves.iter().flatten().any(|mv| mv.severity > Severity::Fine)
    }

    /// Evaluates a review.
    #[must_use]
    pub fn new(review: &Review, settings: &ReportSettings) -> Judgement {
        let points = review.columns * review.rows;
        let moves: Vec<Option<MoveJudgement>> = (1..review.turns.len())
            .map(|turn| evaluate_move(&review.turns, turn, points, &settings.thresholds))
            .collect();
        let mut costly: Vec<&MoveJudgement> =
            moves.iter().flatten().filter(|mv| mv.severity > Severity::Fine).collect();
        costly.sort_by(|one, other| other.loss.total_cmp(&one.loss).then(one.turn.cmp(&other.turn)));
        let costliest_turns = costly.iter().take(settings.mistakes).map(|mv| mv.turn).collect();
        let players = Player::BOTH.map(|player| {
            let own = moves.iter().flatten().filter(|mv| mv.player == player);
            summary(&own.collect::<Vec<_>>())
        });
        let verdict = verdict::of(review, &moves);
        Judgement { moves, costliest_turns, players, verdict }
    }

    /// Returns the evaluation of a move by its number, from 1; `None` if it is not judged.
    #[must_use]
    pub fn of(&self, turn: usize) -> Option<&MoveJudgement> {
        self.moves.get(turn.checked_sub(1)?)?.as_ref()
    }
}

fn summary(moves: &[&MoveJudgement]) -> PlayerSummary {
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let losses = |phase: Option<Phase>| {
        let own = moves.iter().filter(|mv| phase.is_none_or(|phase| mv.phase == phase));
        mean(own.map(|mv| mv.loss).collect())
    };
    let count = |is: &dyn Fn(&MoveJudgement) -> bool| moves.iter().filter(|mv| is(mv)).count();
    PlayerSummary {
        moves: moves.len(),
        loss: Phase::ALL.map(|phase| losses(Some(phase))),
        total_loss: losses(None),
        points: mean(moves.iter().filter_map(|mv| mv.points).collect()),
        first_choices: count(&|mv| mv.order == Some(0)),
        top_three: count(&|mv| mv.order.is_some_and(|order| order < 3)),
        severities: Severity::ALL.map(|severity| count(&|mv| mv.severity == severity)),
    }
}
