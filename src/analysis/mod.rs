//! Analysis of positions: which ones, and what is said about each.
//!
//! [`positions`] walks a game record; [`Head`] tells of the game, [`Analysis`] joins a position with what a search
//! found; [`json`] and [`text`] write it down; [`server`] answers queries. All win rates and leads are Black's.

mod head;
pub mod json;
pub mod lines;
pub mod positions;
pub mod server;
pub mod text;

pub use head::Head;

use crate::engine::Engine;
use crate::game::{Move, Outcome, Player};
use crate::go::status::Statuses;
use crate::go::{Komi, Position, Size};
use crate::search::{MoveReport, Report};

/// One analysed position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Which game it is of.
    pub id: String,
    /// Moves played before it.
    pub turn: usize,
    /// The move that led to it.
    pub played: Option<(Player, Move)>,
    /// The move that the game went on with.
    pub next: Option<Move>,
    /// The board's size.
    pub size: Size,
    /// The komi.
    pub komi: Komi,
    /// The komi that scores are compared with: see [`Position::score_komi`].
    pub score_komi: Komi,
    /// Name of the rules.
    pub rules: String,
    /// In which pass through the game, from 1.
    pub pass: usize,
    /// Bytes of the table in huge pages; `None` where that is not known.
    pub huge_page_bytes: Option<usize>,
    /// What the search found.
    pub report: Report,
    /// Ownership from -1 for White to 1 for Black, by move number; empty unless [asked for](Analysis::with_ownership).
    pub ownership: Vec<f64>,
    /// How a game that both players have ended came out; `None` while it goes on.
    pub end: Option<GameEnd>,
}

/// The count of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// As `B+2.5`, `W+0.5` or `0`.
    pub result: String,
    /// The stones that were taken off the board.
    pub dead: Vec<Move>,
    /// Whose each point is, by move number; `None` where it is nobody's.
    pub owners: Vec<Option<Player>>,
}

impl Analysis {
    /// What a search of `position` found.
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

    /// The same with the ownership of the position, as `engine` knows it after the search.
    #[must_use]
    pub fn with_ownership(self, engine: &Engine, position: &Position) -> Analysis {
        Analysis { ownership: engine.line_ownership(position).of_root(&self.report), ..self }
    }

    /// The same of a finished game, which is counted and not searched: its value is the result, and nothing is proven,
    /// since playouts say which stones are dead.
    #[must_use]
    pub fn with_end(mut self, position: &Position, statuses: &Statuses) -> Analysis {
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
            owners: statuses.owners(),
        });
        self
    }

    /// Black's probability of winning at the root.
    #[must_use]
    pub fn black_winrate(&self) -> f64 {
        self.for_black(self.report.root.value.as_f64())
    }

    /// Black's probability of winning after a move.
    #[must_use]
    pub fn black_winrate_after(&self, mv: &MoveReport) -> f64 {
        self.for_black(mv.value.as_f64())
    }

    /// The owner of a point, from -1 for White to 1 for Black: by [`ownership`](Analysis::ownership), or by the count of a finished
    /// game; 0 without either.
    #[must_use]
    pub fn owner_mean(&self, point: Move) -> f64 {
        match &self.end {
            Some(end) => {
                end.owners[point.index()].map_or(0.0, |owner| if owner == Player::Black { 1.0 } else { -1.0 })
            }
            None => self.ownership.get(point.index()).copied().unwrap_or(0.0),
        }
    }

    /// A mean score of Black's as a lead: komi taken off.
    #[must_use]
    pub fn lead(&self, black_score: Option<f64>) -> Option<f64> {
        black_score.map(|score| score - self.score_komi.points())
    }

    /// Black's lead after a move, komi taken off; the root's where the move has no score of its own.
    #[must_use]
    pub fn lead_after(&self, mv: &MoveReport) -> Option<f64> {
        self.lead(self.report.score_after(mv).map(|(mean, _)| mean))
    }

    /// Who wins, if that is proven: `Some(None)` is a proven draw.
    #[must_use]
    pub fn proven_winner(&self) -> Option<Option<Player>> {
        let to_play = self.report.root.to_play;
        self.report.root.proven.map(|outcome| match outcome {
            Outcome::Win => Some(to_play),
            Outcome::Draw => None,
            Outcome::Loss => Some(to_play.other()),
        })
    }

    /// A value for the player to move, as Black's.
    fn for_black(&self, value: f64) -> f64 {
        match self.report.root.to_play {
            Player::Black => value,
            Player::White => 1.0 - value,
        }
    }
}
