//! Comparison of a network's forecasts with those of a search without a network, on games outside its training.

use crate::base::game::{Game, Move, Outcome, Player};
use crate::base::zobrist::mix;
use crate::engine::{Engine, EngineError, EngineOptions, evaluation};
use crate::go::board::cell;
use crate::go::{Komi, Position, Rules};
use crate::lab::training::selfplay_games::SelfplayGame;
use crate::search::Limits;

/// Minimum distance of probabilities from 0 and 1; nearer ones are clamped.
const MIN_PROBABILITY: f64 = 1e-4;
/// Range of the calibration factor, as exponents of 2, and the number of golden-section steps that narrow it.
const FACTOR_EXPONENT_RANGE: [f64; 2] = [-5.0, 3.0];
const GOLDEN_SECTION_STEPS: usize = 40;

/// Stages of a game: minimum percentage of empty points of each, the first stage first.
pub const STAGES: [usize; 6] = [80, 68, 56, 43, 31, 0];

/// Forecast probabilities of one kind by one evaluator, with the outcomes.
#[derive(Clone, Debug, Default)]
pub struct Forecasts {
    /// The logit of each probability, and the outcome: 1 if it came true, 0 if not, 0.5 if undecided.
    pairs: Vec<(f64, f64)>,
}

/// The quality of forecasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Mean logarithmic loss in nats after calibration: all logits are multiplied by the single factor that minimises
    /// it. A probability of 0.5 everywhere has 0.693.
    pub loss: f64,
    /// Fraction of the decided outcomes forecast on the right side of 0.5.
    pub right: f64,
}

impl Forecasts {
    fn add(&mut self, probability: f64, came_true: f64) {
        let probability = probability.clamp(MIN_PROBABILITY, 1.0 - MIN_PROBABILITY);
        self.pairs.push(((probability / (1.0 - probability)).ln(), came_true));
    }

    /// Returns the number of forecasts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the quality; `None` without forecasts.
    #[must_use]
    pub fn quality(&self) -> Option<Quality> {
        let decided = self.pairs.iter().filter(|(_, truth)| *truth != 0.5).count().max(1);
        let right = self.pairs.iter().filter(|(logit, truth)| (logit * (truth - 0.5)) > 0.0).count();
        let loss = (!self.pairs.is_empty()).then(|| self.calibrated_loss())?;
        Some(Quality { loss, right: right as f64 / decided as f64 })
    }

    /// Returns the loss with the best factor. It is convex in the factor, so the golden section finds its minimum.
    fn calibrated_loss(&self) -> f64 {
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let [mut low, mut high] = FACTOR_EXPONENT_RANGE;
        for _ in 0..GOLDEN_SECTION_STEPS {
            let width = golden * (high - low);
            if self.loss_at(high - width) < self.loss_at(low + width) {
                high = low + width;
            } else {
                low = high - width;
            }
        }
        // ln 2: a factor of 0, a probability of 0.5 everywhere.
        self.loss_at(low).min(std::f64::consts::LN_2)
    }

    /// Returns the mean loss with all logits multiplied by 2^`power`.
    fn loss_at(&self, power: f64) -> f64 {
        let factor = power.exp2();
        // -ln(1 / (1 + exp(-x))) without overflow.
        let surprise = |x: f64| (-x.abs()).exp().ln_1p() + (-x).max(0.0);
        let loss = |&(logit, truth): &(f64, f64)| {
            truth * surprise(factor * logit) + (1.0 - truth) * surprise(-factor * logit)
        };
        self.pairs.iter().map(loss).sum::<f64>() / self.pairs.len().max(1) as f64
    }
}

/// The forecasts of one evaluator.
#[derive(Clone, Debug, Default)]
pub struct EvaluatorForecasts {
    /// Forecasts that Black wins.
    pub values: Forecasts,
    /// The same for the positions of each of the [`STAGES`].
    pub values_by_stage: [Forecasts; STAGES.len()],
    /// Forecasts that a point is Black's at the end.
    pub owners: Forecasts,
}

/// The forecasts of both evaluators.
#[derive(Clone, Debug, Default)]
pub struct ForecastComparison {
    /// The network alone.
    pub network: EvaluatorForecasts,
    /// A search without a network.
    pub search: EvaluatorForecasts,
    /// Number of positions: one of each game that has one.
    pub positions: usize,
    /// Number of positions with a komi that self-play had made even. That komi follows from evaluations by the
    /// network and its searches, so the same network has a higher loss on these positions than on others.
    pub evened: usize,
}

/// The komi with which a position is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonKomi {
    /// The komi in force when the position was played.
    InForce,
    /// The komi at the beginning of the game, even if self-play made it even later.
    First,
}

/// One evaluator's forecasts for one position, for Black.
struct PositionForecast {
    value: Option<f64>,
    /// Ownership of each point, from -1 (White) to 1 (Black).
    ownership: Option<Vec<f64>>,
}

impl EvaluatorForecasts {
    fn add(&mut self, game: &SelfplayGame, position: &Position, forecast: &PositionForecast) {
        let truth =
            |is_blacks: Option<bool>| is_blacks.map_or(0.5, |is_blacks| f64::from(u8::from(is_blacks)));
        if let Some(value) = forecast.value {
            let result = match position.komi().outcome_for_black(game.score()) {
                Outcome::Win => Some(true),
                Outcome::Draw => None,
                Outcome::Loss => Some(false),
            };
            self.values.add(value, truth(result));
            self.values_by_stage[stage_of(position)].add(value, truth(result));
        }
        for (&owner, mean) in game.owners.as_bytes().iter().zip(forecast.ownership.iter().flatten()) {
            let is_blacks = (owner != b'.').then_some(owner == b'b');
            self.owners.add((mean + 1.0) / 2.0, truth(is_blacks));
        }
    }
}

/// Evaluates one position of each game with both evaluators, chosen by the game's number: more positions of one game
/// would be correlated. Skips games on boards of another size than the first.
///
/// `options` contains the network and the seed. `komi` holds for both evaluators and for the outcome. The search
/// begins each position with an empty table.
///
/// # Errors
/// Returns an error if there is no memory for a table.
pub fn compare(
    games: &[SelfplayGame],
    options: &EngineOptions,
    limits: Limits,
    komi: ComparisonKomi,
) -> Result<ForecastComparison, EngineError> {
    let mut comparison = ForecastComparison::default();
    let Some(size) = games.first().and_then(SelfplayGame::board) else { return Ok(comparison) };
    let options = EngineOptions { size, ..options.clone() };
    let Some(network) = options.network() else { return Ok(comparison) };
    let mut without = options.clone();
    without.remove_networks();
    let mut engine = Engine::new(without)?;
    for game in games.iter().filter(|game| game.board() == Some(size)) {
        let Some(position) = drawn_position(game, options.parameters.seed, komi) else { continue };
        comparison.positions += 1;
        comparison.evened +=
            usize::from(game.komis.first().is_some_and(|&(_, komi)| Komi(komi) != position.komi()));
        let opinion = evaluation::evaluate(&network, &position);
        let by_network = PositionForecast { value: opinion.black_winrate, ownership: opinion.ownership };
        comparison.network.add(game, &position, &by_network);
        engine.clear_table();
        let report = engine.search_position(position.clone(), limits, &mut |_| true)?;
        let value = report.root.value.as_f64();
        let value = if position.to_play() == Player::Black { value } else { 1.0 - value };
        let points = 0..size.points() as u16;
        let ownership = points.map(|point| report.ownership.mean_for_black(Move(point))).collect();
        let by_search = PositionForecast { value: Some(value), ownership: Some(ownership) };
        comparison.search.add(game, &position, &by_search);
    }
    Ok(comparison)
}

/// Returns the stage of a position as an index of [`STAGES`].
fn stage_of(position: &Position) -> usize {
    let board = position.board();
    let points = &board.geometry().points;
    let empty = points.iter().filter(|&&point| board.cell(point) == cell::EMPTY).count();
    STAGES.iter().position(|least| 100 * empty >= least * points.len()).unwrap_or(STAGES.len() - 1)
}

/// Returns a random position of a game after its opening; `None` if there is none or a move before it is illegal.
fn drawn_position(game: &SelfplayGame, seed: u64, komi: ComparisonKomi) -> Option<Position> {
    let searched = game.moves.len().checked_sub(game.opening).filter(|&searched| searched > 0)?;
    let turn = game.opening + (mix(seed ^ mix(game.number)) % searched as u64) as usize;
    let mut position = Position::new(game.board()?, Rules::CHINESE, Komi(0));
    for mv in game.moves.iter().take(turn).map(|&mv| Move(mv)) {
        position.check(mv).ok()?;
        position.play(mv);
    }
    let komi = match komi {
        ComparisonKomi::First => game.komis.first(),
        ComparisonKomi::InForce => game.komis.iter().rev().find(|(from, _)| *from <= turn),
    };
    position.set_komi(Komi(komi.map_or(0, |&(_, komi)| komi)));
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Size;

    fn forecasts(pairs: &[(f64, f64)]) -> Forecasts {
        let mut forecasts = Forecasts::default();
        pairs.iter().for_each(|&(probability, truth)| forecasts.add(probability, truth));
        forecasts
    }

    #[test]
    fn calibration_finds_what_overconfident_forecasts_are_worth() {
        // Three of four forecasts are right, whatever the probabilities: 0.75 has the least loss.
        let bold = forecasts(&[(0.99, 1.0), (0.99, 1.0), (0.99, 1.0), (0.99, 0.0)]);
        let shy = forecasts(&[(0.55, 1.0), (0.45, 0.0), (0.55, 1.0), (0.45, 1.0)]);
        let entropy = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        for forecasts in [bold, shy] {
            let quality = forecasts.quality().expect("some");
            assert!((quality.loss - entropy).abs() < 1e-6, "{quality:?}");
            assert_eq!(quality.right, 0.75);
        }
    }

    #[test]
    fn stages_go_from_the_empty_board_to_a_full_one() {
        let size = Size::new(5, 2).expect("a size");
        let mut position = Position::new(size, Rules::CHINESE, Komi(0));
        assert_eq!(stage_of(&position), 0);
        // 90, 80, 70 and 60 % of the points are empty.
        let stages: Vec<usize> = ["A1", "E1", "A2", "E2"]
            .iter()
            .map(|name| {
                position.play(size.parse_vertex(name).expect("a point"));
                stage_of(&position)
            })
            .collect();
        assert_eq!(stages, [0, 0, 1, 2]);
    }

    #[test]
    fn undecided_outcome_is_neither_right_nor_wrong() {
        let quality = forecasts(&[(0.9, 1.0), (0.9, 0.5), (0.5, 1.0)]).quality().expect("some");
        assert_eq!(quality.right, 0.5);
        assert_eq!(forecasts(&[]).quality(), None);
    }
}
