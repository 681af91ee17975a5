//! Labels of positions by an evaluator in another process, many questions at a time.

use super::label_folder::{LabelFolder, PositionLabel};
use super::label_positions::{GameMoves, PositionPlace, PositionSampler};
use crate::base::folder::FolderError;
use crate::base::game::{Game, Player};
use crate::base::pause::ThreadPause;
use crate::external::{AskError, ExternalEvaluation, ExternalEvaluator, Question};
use crate::go::{Position, Size};
use crate::network::Network;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The reason why labelling ended early.
#[derive(Debug, thiserror::Error)]
pub enum LabellingError {
    /// An error of the folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A question without an answer.
    #[error(transparent)]
    Evaluator(#[from] AskError),
}

/// Positions to label and their evaluator.
pub struct Labelling<'a> {
    /// The games, at least one of them with a move.
    pub games: &'a [GameMoves],
    /// The board of the games.
    pub size: Size,
    /// The evaluator that labels.
    pub evaluator: &'a ExternalEvaluator,
    /// The network that draws moves beside those of the games.
    pub network: Arc<Network>,
    /// Seed of the positions.
    pub seed: u64,
}

impl Labelling<'_> {
    /// Labels those of the positions `0..count` that `folder` lacks, with `threads` questions at a time, until all are done
    /// or `stop` is set. `progress` gets the number of labels after each.
    ///
    /// # Errors
    /// Returns the first error; finished labels stay in the folder.
    pub fn run(
        &self,
        folder: &mut LabelFolder,
        count: u32,
        threads: usize,
        stop: &AtomicBool,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<(), LabellingError> {
        let done = folder.done().clone();
        let missing = Mutex::new((0..count).filter(|number| !done.contains(number)));
        let next = || missing.lock().unwrap_or_else(PoisonError::into_inner).next();
        let failed = AtomicBool::new(false);
        let is_stopped = || stop.load(Relaxed) || failed.load(Relaxed);
        let folder = Mutex::new(folder);
        let work = || -> Result<(), LabellingError> {
            let mut sampler = PositionSampler::new(self.games, self.size, &self.network, self.seed);
            while !is_stopped()
                && let Some(number) = next()
            {
                let (place, position) = sampler.draw(number);
                let question = Question::new(&position, true, 1);
                let evaluation = match self.evaluator.ask(&question, &ThreadPause, &is_stopped) {
                    Err(AskError::Stopped) => break,
                    answer => answer?,
                };
                let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
                folder.append(&label(number, place, &position, &evaluation))?;
                progress(folder.done().len());
            }
            Ok(())
        };
        let guarded = || work().inspect_err(|_| failed.store(true, Relaxed));
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(guarded)).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect::<Vec<_>>().into_iter().collect()
        })
    }
}

/// Returns an evaluation in the units of the file, for the player to move.
fn label(
    number: u32,
    place: PositionPlace,
    position: &Position,
    evaluation: &ExternalEvaluation,
) -> PositionLabel {
    let is_black = position.to_play() == Player::Black;
    let score = evaluation.black_lead + position.score_komi().points();
    let (win_rate, score) =
        if is_black { (evaluation.black_win_rate, score) } else { (1.0 - evaluation.black_win_rate, -score) };
    let most = evaluation.policy.iter().flatten().fold(f32::MIN_POSITIVE, |most, &it| most.max(it));
    let share = |probability: &Option<f32>| (probability.unwrap_or(0.0) / most * 255.0).round() as u8;
    let sign = if is_black { 1.0 } else { -1.0 };
    let owner = |&owner: &f64| ((1.0 + sign * owner) / 2.0 * 255.0).round() as u8;
    PositionLabel {
        number,
        place,
        win_rate: (win_rate * f64::from(u16::MAX)).round() as u16,
        score: (8.0 * score).round() as i16,
        deviation: (8.0 * evaluation.score_deviation).round() as u16,
        policy: evaluation.policy.iter().map(share).collect(),
        owners: evaluation.ownership.iter().flatten().map(owner).collect(),
    }
}
