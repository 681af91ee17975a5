//! Analyses of positions by other programs.

use super::game::{Move, Player};

/// An analysis of one position. Win rates (`0..=1`) and leads (in points, komi included) are Black's.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAnalysis {
    /// The player to move.
    pub to_play: Player,
    /// Number of visits: at least one more than those of the moves together.
    pub visits: u32,
    /// Win rate.
    pub black_win_rate: f64,
    /// Lead; `None` if the program stored none.
    pub black_lead: Option<f64>,
    /// Standard deviation of the final score in points, if the program stored it.
    pub score_deviation: Option<f64>,
    /// Win rate by the network alone, if the program stored it.
    pub network_win_rate: Option<f64>,
    /// Lead by the network alone, if the program stored it.
    pub network_lead: Option<f64>,
    /// The moves, in any order; of several entries for one move the last counts.
    pub moves: Vec<RecordedMove>,
    /// Probability of each move by move number, if the program stored all; `None` for illegal moves.
    pub policy: Option<Vec<Option<f32>>>,
}

/// An analysed move.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove {
    /// The move.
    pub mv: Move,
    /// Number of visits through the move.
    pub visits: u32,
    /// Black's win rate after the move.
    pub black_win_rate: f64,
    /// Probability of the move, if the program stored it.
    pub prior: Option<f32>,
}
