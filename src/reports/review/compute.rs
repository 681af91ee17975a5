//! Computing a review: every position of a game is searched on one table, first from the end to the start.

use super::model::{FinalCount, PlayedMove, PositionResult, Review, ReviewTurn, ReviewedMove};
use crate::base::game::{Game, Move, Player};
use crate::engine::{Engine, EngineError};
use crate::go::status::{BoardStatus, DeadStones};
use crate::go::{Position, Record, Size};
use crate::records::sgf::{GameRecord, RecordTurn, RecordTurns, ReplayError, Terms};
use crate::reports::analysis::Analysis;
use crate::search::{Limits, MoveReport, Report};

/// Number of best moves kept of each position; the move that was played is kept besides.
const MAX_CANDIDATES: usize = 6;
/// Maximum length of a kept line in moves.
const MAX_LINE_MOVES: usize = 12;
/// Number of turns between two stored cursors, from which the turns between are replayed.
const TURNS_PER_MARK: usize = 64;

/// A game to review, with its settings.
#[derive(Clone, Copy)]
pub struct ReviewJob<'a> {
    /// The name of the game in the report.
    pub id: &'a str,
    /// The record.
    pub record: &'a GameRecord,
    /// The text of the record.
    pub source: &'a str,
    /// Rules and komi.
    pub terms: &'a Terms,
    /// Treatment of dead stones at the end of the game.
    pub dead: DeadStones,
    /// Limits of each search: one position in one pass.
    pub limits: Limits,
    /// Number of passes over the game: the first from its end, the second from its start, alternating.
    pub passes: usize,
}

/// Callbacks to the caller of a review.
#[derive(Clone, Copy)]
pub struct ReviewCallbacks<'a> {
    /// Called after each position of each pass.
    pub position_done: &'a dyn Fn(),
    /// Returns `false` to end the review.
    pub should_continue: &'a dyn Fn() -> bool,
}

/// A reason for which there is no review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    /// The record cannot be played even to its first position.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The engine has not enough memory for the board.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Reviews a game. A record that cannot be played to its end is reviewed up to the fault, and the error is returned as
/// well.
///
/// # Errors
/// Fails if there is no first position, or not enough memory.
pub fn review(
    engine: &mut Engine,
    job: &ReviewJob<'_>,
    watcher: ReviewCallbacks<'_>,
) -> Result<(Review, Option<ReplayError>), ReviewError> {
    let mut game = ReviewedGame::read(engine, job)?;
    let mut is_complete = true;
    for pass in 0..job.passes {
        is_complete = game.walk(engine, job, watcher, pass)?;
        if !is_complete {
            break;
        }
    }
    let ReviewedGame { turns, cut_off, size, .. } = game;
    let (record, terms) = (job.record, job.terms);
    let warnings = record.warnings.iter().cloned().chain(cut_off.iter().map(ToString::to_string)).collect();
    let review = Review {
        id: job.id.to_owned(),
        names: record.names.clone(),
        ranks: record.ranks.clone(),
        result: record.result.clone(),
        is_in_stones: record.is_komi_in_stones(terms.rules),
        date: record.date.clone(),
        event: record.event.clone(),
        title: record.title.clone(),
        columns: size.columns(),
        rows: size.rows(),
        komi: terms.komi.points(),
        rules: terms.rules.to_string(),
        assumed: terms.assumed.clone(),
        warnings,
        engine: format!("Tewari {}", env!("CARGO_PKG_VERSION")),
        limits: in_words(&job.limits, job.passes),
        is_complete,
        turns,
        sgf: job.source.to_owned(),
    };
    Ok((review, cut_off))
}

/// The turns of a game, with cursors to replay their positions from; a position takes 20 KiB on 19x19.
struct ReviewedGame<'r> {
    size: Size,
    turns: Vec<ReviewTurn>,
    /// Cursors before turns 0, [`TURNS_PER_MARK`], 2 × [`TURNS_PER_MARK`], …
    marks: Vec<RecordTurns<'r>>,
    cut_off: Option<ReplayError>,
}

impl<'r> ReviewedGame<'r> {
    /// Plays the record once.
    fn read(engine: &Engine, job: &ReviewJob<'r>) -> Result<ReviewedGame<'r>, ReviewError> {
        let Terms { rules, komi, handicap, .. } = *job.terms;
        let (mut size, keys) = (engine.options().size, engine.options().keys);
        let mut steps = job.record.steps(rules, komi)?.with_key_policy(keys).with_handicap(handicap);
        let nodes = nodes_of_moves(job.record);
        let (mut turns, mut marks, mut cut_off) = (Vec::new(), Vec::new(), None);
        loop {
            let mark = turns.len().is_multiple_of(TURNS_PER_MARK).then(|| steps.clone());
            match steps.next() {
                None => break,
                Some(Err(error)) if turns.is_empty() => return Err(error.into()),
                Some(Err(error)) => {
                    cut_off = Some(error);
                    break;
                }
                Some(Ok(step)) => {
                    marks.extend(mark);
                    turns.push(turn(&step, job.record, &nodes));
                    size = step.position.size();
                }
            }
        }
        Ok(ReviewedGame { size, turns, marks, cut_off })
    }

    /// Searches all positions; returns `false` if [`ReviewCallbacks::should_continue`] ended the review.
    fn walk(
        &mut self,
        engine: &mut Engine,
        job: &ReviewJob<'_>,
        watcher: ReviewCallbacks<'_>,
        pass: usize,
    ) -> Result<bool, ReviewError> {
        let is_backward = pass.is_multiple_of(2);
        let count = self.marks.len();
        for nth in 0..count {
            let segment = if is_backward { count - 1 - nth } else { nth };
            let steps = self.marks[segment].clone().take(TURNS_PER_MARK);
            let mut steps: Vec<RecordTurn> = steps.filter_map(Result::ok).collect();
            if is_backward {
                steps.reverse();
            }
            for step in &steps {
                let Some(finding) = self.find(engine, job, watcher, step)? else { return Ok(false) };
                self.turns[step.turn].finding = Some(finding);
                (watcher.position_done)();
            }
        }
        Ok(true)
    }

    /// Searches one position; `None` if [`ReviewCallbacks::should_continue`] ended the review.
    fn find(
        &self,
        engine: &mut Engine,
        job: &ReviewJob<'_>,
        watcher: ReviewCallbacks<'_>,
        step: &RecordTurn,
    ) -> Result<Option<PositionResult>, ReviewError> {
        // Setup within a record may start a new history, so each position gets its own record; the board stays the same.
        engine.set_record(Record::from_position(step.position.clone()))?;
        let position = &step.position;
        let next = self.turns.get(step.turn + 1).and_then(|turn| turn.played.as_ref());
        // A record may continue after two passes.
        if position.is_over() {
            let statuses = job.dead.statuses(position, engine.options().playouts);
            return Ok(Some(ended(engine, position, &statuses)));
        }
        let mut is_ended = false;
        let report = engine.search_position(position.clone(), job.limits, &mut |_| {
            is_ended = !(watcher.should_continue)();
            !is_ended
        });
        if is_ended {
            return Ok(None);
        }
        let analysis = Analysis::new(job.id, step.turn, step.played, position, report?);
        let mut line = engine.line_ownership(position).without_start();
        let analysis = Analysis { ownership: line.of_root(&analysis.report), ..analysis };
        engine.store_ownership(&line);
        Ok(Some(finding(&analysis, next.map(|played| played.vertex.as_str()))))
    }
}

/// Returns the node of each move of the main line.
fn nodes_of_moves(record: &GameRecord) -> Vec<usize> {
    let nodes = record.nodes.iter().enumerate();
    nodes.flat_map(|(number, node)| std::iter::repeat_n(number, node.moves.len())).collect()
}

fn turn(step: &RecordTurn, record: &GameRecord, nodes: &[usize]) -> ReviewTurn {
    let position = &step.position;
    let size = position.size();
    let node = step.turn.checked_sub(1).and_then(|index| nodes.get(index)).copied().unwrap_or(0);
    // Setup in the node of the next move belongs to that move.
    let setup = step.set_up.filter(|&setup| record.nodes[setup].moves.is_empty());
    let board = position.board();
    let stone = |mv| match board.geometry().point_of(mv).and_then(|point| board.stone_at(point)) {
        Some(Player::Black) => 'X',
        Some(Player::White) => 'O',
        None => '.',
    };
    ReviewTurn {
        played: step.played.map(|(player, mv)| PlayedMove { player, vertex: size.vertex(mv) }),
        to_play: position.to_play(),
        stones: size.points_from_top_left().map(stone).collect(),
        prisoners: position.prisoners(),
        node: setup.unwrap_or(node),
        was_set_up: step.set_up.is_some() || (1..=record.handicap_moves()).contains(&step.turn),
        comment: record.nodes.get(node).and_then(|node| node.comment()).map(str::to_owned),
        finding: None,
    }
}

/// Converts a search result; the move that was played there is kept.
fn finding(analysis: &Analysis, played: Option<&str>) -> PositionResult {
    let report = &analysis.report;
    let is_kept = |order: usize, mv: &MoveReport| {
        order < MAX_CANDIDATES || played.is_some_and(|played| analysis.size.vertex(mv.mv) == played)
    };
    let moves = report.moves.iter().enumerate().filter(|(order, mv)| is_kept(*order, mv));
    PositionResult {
        winrate: analysis.black_winrate(),
        lead: analysis.lead(report.root.black_score),
        visits: report.root.visits,
        candidates: moves.map(|(order, mv)| candidate(analysis, order, mv)).collect(),
        ownership: letters(analysis.size, |point| analysis.owner_mean(point)),
        end: None,
    }
}

fn candidate(analysis: &Analysis, order: usize, mv: &MoveReport) -> ReviewedMove {
    ReviewedMove {
        vertex: analysis.size.vertex(mv.mv),
        order,
        visits: mv.edge_visits,
        winrate: analysis.black_winrate_after(mv),
        lead: analysis.lead(mv.black_score),
        line: mv.pv.iter().take(MAX_LINE_MOVES).map(|&mv| analysis.size.vertex(mv)).collect(),
    }
}

/// Returns the count of a finished game, which is not searched.
fn ended(engine: &Engine, position: &Position, statuses: &BoardStatus) -> PositionResult {
    let report = Report { moves: Vec::new(), ..engine.look_up(position.clone()) };
    let analysis = Analysis::new("", 0, None, position, report).with_end(position, statuses);
    let size = position.size();
    PositionResult {
        winrate: analysis.black_winrate(),
        lead: analysis.lead(analysis.report.root.black_score),
        visits: analysis.report.root.visits,
        candidates: Vec::new(),
        ownership: letters(size, |point| analysis.owner_mean(point)),
        end: analysis.end.map(|end| FinalCount {
            result: end.result,
            dead: end.dead.iter().map(|&stone| size.vertex(stone)).collect(),
        }),
    }
}

/// Returns the ownership letters of [`PositionResult::ownership`].
fn letters(size: Size, owner_mean: impl Fn(Move) -> f64) -> String {
    let letter = |point| {
        let tenths = (10.0 * (owner_mean(point) + 1.0)).round();
        char::from(b'a' + tenths as u8)
    };
    size.points_from_top_left().map(letter).collect()
}

fn in_words(limits: &Limits, passes: usize) -> String {
    let parts = [
        limits.simulations.map(|count| format!("{count} simulations")),
        limits.visits.map(|count| format!("{count} visits")),
        limits.time.map(|time| format!("{} s", time.as_secs_f64())),
    ];
    let each = parts.into_iter().flatten().collect::<Vec<_>>().join(", at most ");
    if passes == 1 { format!("{each} a move") } else { format!("{passes} passes of {each} a move") }
}
