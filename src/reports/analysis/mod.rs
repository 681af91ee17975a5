//! Analysis of positions: their choice, search results and output.
//!
//! [`positions`] walks a game record; [`Head`] describes the game; [`Analysis`] joins a position with a search
//! result; [`json`] and [`text`] format it. Win rates and leads are Black's. [`lines`] shows a table's content without a
//! search.

mod head;
pub mod json;
pub mod lines;
pub mod positions;
pub mod text;

pub use head::Head;

use crate::base::game::{Move, Outcome, Player};
use crate::engine::{Engine, LineOwnership};
use crate::go::status::BoardStatus;
use crate::go::{Komi, Position, Size};
use crate::search::{MoveReport, Report};

/// One analysed position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The name of the game, or the board size without a game.
    pub id: String,
    /// Number of moves played before the position.
    pub turn: usize,
    /// The move that led to the position.
    pub played: Option<(Player, Move)>,
    /// The next move of the game.
    pub next: Option<Move>,
    /// The board's size.
    pub size: Size,
    /// The komi.
    pub komi: Komi,
    /// The komi by which scores are compared: see [`Position::score_komi`].
    pub score_komi: Komi,
    /// Name of the rules.
    pub rules: String,
    /// Number of the run through the game, from 1.
    pub pass: usize,
    /// Bytes of the table in huge pages; `None` if unknown.
    pub huge_page_bytes: Option<usize>,
    /// The result of the search.
    pub report: Report,
    /// Ownership from -1 (White) to 1 (Black), by move number; empty unless [requested](Analysis::with_ownership).
    pub ownership: Vec<f64>,
    /// The result of a game that both players have ended; `None` if the game goes on.
    pub end: Option<GameEnd>,
}

/// The count of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// The result in the form `B+2.5`, `W+0.5` or `0`.
    pub result: String,
    /// The dead stones, which are removed before counting.
    pub dead: Vec<Move>,
    /// The owner of each point, by move number; `None` for a neutral point.
    pub owners: Vec<Option<Player>>,
}

impl Analysis {
    /// Joins `position` with the report of its search.
    #[must_use]
    pub fn new(
        id: &str,
        turn: usize,
        played: Option<(Player, Move)>,
        position: &Position,
        report: Report,
    ) -> Analysis {
        Analysis {
            id: id.to_owned(),
            turn,
            played,
            next: None,
            size: position.size(),
            komi: position.komi(),
            score_komi: position.score_komi(),
            rules: position.rules().to_string(),
            pass: 1,
            huge_page_bytes: None,
            report,
            ownership: Vec::new(),
            end: None,
        }
    }

    /// Adds the ownership of the position, after the search; it is stored in the table of `engine`.
    #[must_use]
    pub fn with_ownership(self, engine: &Engine, mut line: LineOwnership) -> Analysis {
        let ownership = line.of_root(&self.report);
        engine.store_ownership(&line);
        Analysis { ownership, ..self }
    }

    /// Replaces the search result by the count of a finished game. The value is the result; nothing is proven, since
    /// playouts may decide which stones are dead.
    #[must_use]
    pub fn with_end(mut self, position: &Position, statuses: &BoardStatus) -> Analysis {
        let komi = position.final_area_komi();
        let score = statuses.area_score();
        let for_black = komi.outcome_for_black(score);
        let root = &mut self.report.root;
        let outcome = if root.to_play == Player::Black { for_black } else { for_black.other() };
        root.value = outcome.into();
        root.proven = None;
        root.black_score = Some(f64::from(score));
        root.score_deviation = Some(0.0);
        self.report.moves.clear();
        self.score_komi = komi;
        self.end = Some(GameEnd {
            result: statuses.result(komi),
            dead: statuses.dead_stones(),
            owners: statuses.owners().to_vec(),
        });
        self
    }

    /// Returns Black's win rate at the root.
    #[must_use]
    pub fn black_winrate(&self) -> f64 {
        self.for_black(self.report.root.value.as_f64())
    }

    /// Returns Black's win rate after a move.
    #[must_use]
    pub fn black_winrate_after(&self, mv: &MoveReport) -> f64 {
        self.for_black(mv.value.as_f64())
    }

    /// Returns the ownership of a point, from -1 (White) to 1 (Black): from [`ownership`](Analysis::ownership), or
    /// from the count of a finished game; 0 without either.
    #[must_use]
    pub fn owner_mean(&self, point: Move) -> f64 {
        match &self.end {
            Some(end) => {
                end.owners[point.index()].map_or(0.0, |owner| if owner == Player::Black { 1.0 } else { -1.0 })
            }
            None => self.ownership.get(point.index()).copied().unwrap_or(0.0),
        }
    }

    /// Converts a mean score of Black to a lead: komi subtracted.
    #[must_use]
    pub fn lead(&self, black_score: Option<f64>) -> Option<f64> {
        black_score.map(|score| score - self.score_komi.points())
    }

    /// Returns Black's lead after a move, komi subtracted; the root's lead for a move without a score.
    #[must_use]
    pub fn lead_after(&self, mv: &MoveReport) -> Option<f64> {
        self.lead(self.report.score_after(mv).map(|(mean, _)| mean))
    }

    /// Returns the winner, if proven; `Some(None)` is a proven draw.
    #[must_use]
    pub fn proven_winner(&self) -> Option<Option<Player>> {
        let to_play = self.report.root.to_play;
        self.report.root.proven.map(|outcome| match outcome {
            Outcome::Win => Some(to_play),
            Outcome::Draw => None,
            Outcome::Loss => Some(to_play.other()),
        })
    }

    /// Converts a value for the player to move to Black's.
    fn for_black(&self, value: f64) -> f64 {
        match self.report.root.to_play {
            Player::Black => value,
            Player::White => 1.0 - value,
        }
    }
}
