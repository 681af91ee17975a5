//! Evaluation of positions by a network, on boards of one size.

use super::kernels::{CELLS_BEHIND, Cell, Group, Kernel, LANES, LayerComputation, PaddedArea};
use super::layer::{Convolution, Dense, OUTPUT_PLACES, PLACES, POOLED_PLACES, pool, saturate, shift_right};
use super::networks::Network;
use super::planes::{InputPosition, ONE, PlaneSink, write_planes};
use super::probabilities;
use super::weights::{Architecture, HEAD_CHANNELS, HIDDEN_OUTPUTS, Layers, OUTPUTS};
use super::winograd::{Tile, Workspace};
use crate::base::game::Move;
use crate::base::value::Value;
use crate::go::board::Board;
use crate::go::ladder::LadderReader;
use crate::go::{Komi, Size, Symmetry};
use std::sync::Arc;

/// Points of the score's mean for an output of 1.
const MEAN_POINTS: i64 = 16;
/// Points of the score's spread for an output of 0; each 1 more doubles the spread.
const SPREAD_POINTS: i64 = 8;
/// Minimum output for the spread: 1/8 point for networks with a sum of owners, 1 point for those without.
const MIN_SPREAD_OUTPUT: [i32; 2] = [-6, -3];

/// Standard deviation of a logistic distribution of scale 1: π / √3.
const DEVIATION_OF_LOGISTIC: f64 = 1.813_799_364_234_218;

/// A network with its working memory. Every thread has its own; an evaluation allocates nothing.
pub struct Evaluator {
    network: Arc<Network>,
    kernel: Kernel,
    size: Size,
    area: PaddedArea,
    /// The padded point of every move on the board.
    points: Vec<u32>,
    /// The same points, grouped for the kernel.
    groups: Vec<Group>,
    /// The tiles of the board for a kernel with tiles, see `winograd`.
    tiles: Vec<Tile>,
    /// Present if the kernel uses tiles.
    workspace: Option<Workspace>,
    /// The padded point of every move under each symmetry.
    points_by_symmetry: Vec<Vec<u32>>,
    /// Offsets to the 3x3 neighbours on the padded board.
    neighbours: [isize; 9],
    ladders: LadderReader,
    input: Vec<Cell>,
    trunk: Vec<Cell>,
    inner: Vec<Cell>,
    head: Vec<Cell>,
    pooled: Vec<i16>,
    bias: Vec<i32>,
    hidden: Vec<u8>,
    logits: Vec<i32>,
    owners: Vec<i32>,
    outputs: Vec<i32>,
}

/// A network's evaluation of a position, for the player to move. Logits have 12 binary places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation<'a> {
    /// Policy logit of every move number, pass last.
    pub policy: &'a [i32],
    /// Logit of every point that it becomes the player's; `None` if the network was not trained on owners.
    pub owners: Option<&'a [i32]>,
    /// The estimated final score; `None` if the network was not trained on scores.
    pub score: Option<ScoreEstimate>,
}

/// An estimate of the final score for the player to move, as a logistic distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreEstimate {
    /// Mean without komi, in points, with 12 binary places.
    pub mean: i64,
    /// Spread in points: the scale of the distribution, with 12 binary places.
    pub spread: i64,
}

impl ScoreEstimate {
    /// Returns the win rate of the player with a komi of `own_komi` half points: [`InputPosition::own_komi`].
    #[must_use]
    pub fn win_rate(&self, own_komi: i32) -> Value {
        let lead = self.mean + (i64::from(own_komi) << (OUTPUT_PLACES - 1));
        probabilities::logistic((lead << OUTPUT_PLACES) / self.spread.max(1))
    }

    /// Returns the same estimate with the spread divided by `factor`, at least 1.
    #[must_use]
    pub fn with_spread_divided(&self, factor: i64) -> ScoreEstimate {
        ScoreEstimate { spread: self.spread / factor, ..*self }
    }

    /// Returns the same estimate with a mean that is `points` higher.
    #[must_use]
    pub fn with_mean_raised(&self, points: f64) -> ScoreEstimate {
        ScoreEstimate { mean: self.mean + (points * f64::from(1 << OUTPUT_PLACES)).round() as i64, ..*self }
    }

    /// Returns the standard deviation in points: π / √3 of the scale.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.spread as f64 / f64::from(1 << OUTPUT_PLACES) * DEVIATION_OF_LOGISTIC
    }

    /// Returns the mean lead in points with a komi of `own_komi` half points for the player.
    #[must_use]
    pub fn lead(&self, own_komi: i32) -> f64 {
        self.mean as f64 / f64::from(1 << OUTPUT_PLACES) + Komi(own_komi).points()
    }
}

impl Evaluation<'_> {
    /// Writes the probabilities of all moves, in units of 1/[`probabilities::PROBABILITY_ONE`]: 0 for moves that are
    /// not legal. `into.len() == policy.len()`.
    pub fn move_probabilities(&self, is_legal: impl Fn(Move) -> bool, into: &mut [u32]) {
        probabilities::softmax(self.policy, |number| is_legal(Move(number as u16)), into);
    }

    /// Returns the probability that a point becomes the player's, if the network was trained on owners.
    #[must_use]
    pub fn owner_probability(&self, point: Move) -> Option<Value> {
        self.owners.map(|owners| probabilities::logistic(i64::from(owners[point.index()])))
    }
}

impl Evaluator {
    /// Creates an evaluator for boards of `size`, with the fastest kernel of this processor. A kernel that needs weights in
    /// another order is used only if the network [has](Network::arrange_weights) them.
    #[must_use]
    pub fn new(network: Arc<Network>, size: Size) -> Evaluator {
        let best = Kernel::best();
        let is_arranged = network.layers.input.is_arranged(best.weight_order());
        Evaluator::with_kernel(
            network,
            size,
            if is_arranged { best } else { best.without_arranged_weights() },
        )
    }

    /// Creates an evaluator for boards of `size` with the given kernel, which does not change the results. Arranges
    /// the network's weights for the kernel.
    #[must_use]
    pub fn with_kernel(network: Arc<Network>, size: Size, kernel: Kernel) -> Evaluator {
        // One column of border is the right edge of a row and the left edge of the next.
        let stride = size.columns() + 1;
        let padded = |mv: Move| {
            let (column, row) = size.coordinates(mv).unwrap_or_default();
            ((row + 1) * stride + column + 1) as u32
        };
        let moves = || (0..size.points() as u16).map(Move);
        let points_by_symmetry =
            |symmetry: Symmetry| moves().map(|mv| padded(symmetry.apply(mv, size))).collect();
        let cells = (size.rows() + 2) * stride + CELLS_BEHIND;
        let points: Vec<u32> = moves().map(padded).collect();
        let architecture = network.architecture();
        let (channels, blocks) = (architecture.channels, architecture.channels / LANES);
        network.layers.arrange(kernel.weight_order());
        let tiles = Tile::all(size.columns(), size.rows(), stride, cells);
        let area = PaddedArea { stride, rows: size.rows() };
        let stride = stride as isize;
        Evaluator {
            kernel,
            size,
            area,
            groups: Group::all(&points, kernel.points_at_once()),
            tiles,
            workspace: kernel.has_tiles().then(|| Workspace::new(blocks)),
            points,
            points_by_symmetry: Symmetry::all(size).map(points_by_symmetry).collect(),
            neighbours: std::array::from_fn(|tap| (tap as isize / 3 - 1) * stride + tap as isize % 3 - 1),
            ladders: LadderReader::new(&Board::new(size)),
            input: vec![Cell::default(); cells],
            trunk: vec![Cell::default(); cells * blocks],
            inner: vec![Cell::default(); cells * blocks],
            head: vec![Cell::default(); cells * (2 * HEAD_CHANNELS / LANES)],
            pooled: vec![0; 3 * channels],
            bias: vec![0; channels.max(2 * HEAD_CHANNELS)],
            hidden: Vec::with_capacity(HIDDEN_OUTPUTS),
            logits: vec![0; size.points() + 1],
            owners: vec![0; size.points()],
            outputs: Vec::with_capacity(OUTPUTS),
            network,
        }
    }

    /// Returns the network.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the size of its boards.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the memory of an evaluator in bytes, without the network. Memory for tiles is included if `has_tiles`;
    /// the result is the same on every processor.
    #[must_use]
    pub fn bytes_for(network: &Arc<Network>, size: Size, has_tiles: bool) -> usize {
        let blocks = network.architecture().channels / LANES;
        let tiles = if has_tiles { Workspace::new(blocks).bytes() } else { 0 };
        Evaluator::with_kernel(Arc::clone(network), size, Kernel::Portable).bytes() + tiles
    }

    fn bytes(&self) -> usize {
        let cells = self.input.len() + self.trunk.len() + self.inner.len() + self.head.len();
        let points = self.points.len() * (2 + self.points_by_symmetry.len());
        size_of::<Evaluator>()
            + LadderReader::bytes(self.size.points())
            + cells * size_of::<Cell>()
            + self.groups.len() * size_of::<Group>()
            + self.tiles.len() * size_of::<Tile>()
            + 4 * (points + self.pooled.len() + self.bias.len() + self.logits.len())
    }

    /// Evaluates a position, which must be on a board of this size. The network reads it under `symmetry`; the result
    /// is for the original orientation.
    pub fn evaluate(&mut self, position: &InputPosition<'_>, symmetry: Symmetry) -> Evaluation<'_> {
        assert_eq!(position.board.size(), self.size, "an evaluator is for one size");
        self.fill_input(position, symmetry);
        let network = Arc::clone(&self.network);
        let layers = &network.layers;
        self.run_trunk(layers);
        self.run_heads(layers, symmetry.index());
        let trained = network.architecture.trained;
        Evaluation {
            policy: &self.logits,
            owners: trained.owners.then_some(&*self.owners),
            score: trained.score.then(|| self.score()),
        }
    }

    /// Returns the score estimate. If the network adds the owners, the mean is the sum of all points' mean owners, from
    /// -1 for the opponent to 1 for the player, plus the network's output.
    fn score(&self) -> ScoreEstimate {
        let own = i64::from(self.outputs[1]) * MEAN_POINTS;
        if !self.network.architecture.adds_owners {
            let spread = probabilities::scaled_power(SPREAD_POINTS, self.outputs[2], MIN_SPREAD_OUTPUT[1]);
            return ScoreEstimate { mean: own, spread };
        }
        let mean_owner =
            |&logit: &i32| 2 * i64::from(probabilities::logistic(logit.into()).0) - i64::from(u32::MAX);
        let counted = shift_right(self.owners.iter().map(mean_owner).sum(), u32::BITS as i32 - OUTPUT_PLACES);
        let spread = probabilities::scaled_power(SPREAD_POINTS, self.outputs[2], MIN_SPREAD_OUTPUT[0]);
        ScoreEstimate { mean: own + counted, spread }
    }

    fn fill_input(&mut self, position: &InputPosition<'_>, symmetry: Symmetry) {
        self.input.fill(Cell::default());
        let mut sink = InputCells {
            cells: &mut self.input,
            points: &self.points_by_symmetry[symmetry.index()],
            whole: [0; LANES],
        };
        write_planes(position, self.network.architecture.planes, &mut self.ladders, &mut sink);
        let whole = sink.whole;
        for &point in &self.points {
            // Each plane has either points or a value for the whole board, so the two are never added.
            for (byte, whole) in self.input[point as usize].0.iter_mut().zip(whole) {
                *byte |= whole;
            }
        }
    }

    fn run_trunk(&mut self, layers: &Layers) {
        let Evaluator {
            kernel,
            area,
            points,
            groups,
            tiles,
            workspace,
            neighbours,
            input,
            trunk,
            inner,
            pooled,
            bias,
            ..
        } = self;
        let mut convolve =
            |layer: &Convolution, input: &[Cell], bias: &[i32], is_residual: bool, output: &mut [Cell]| {
                let (area, offsets) = (*area, &*neighbours);
                let computation =
                    LayerComputation { layer, input, area, groups, tiles, offsets, bias, is_residual };
                kernel.compute(&computation, workspace.as_mut(), output);
            };
        convolve(&layers.input, input, &layers.input.bias, false, trunk);
        for block in &layers.blocks {
            convolve(&block.first, trunk, &block.first.bias, false, inner);
            match &block.pooling {
                None => convolve(&block.second, inner, &block.second.bias, true, trunk),
                Some(pooling) => {
                    pool(inner, block.second.in_blocks, points, pooled);
                    add_pooled(pooling, pooled, &block.second, bias);
                    convolve(&block.second, inner, bias, true, trunk);
                }
            }
        }
    }

    fn run_heads(&mut self, layers: &Layers, symmetry: usize) {
        pool(&self.trunk, layers.head.in_blocks, &self.points, &mut self.pooled);
        add_pooled(&layers.head_pooling, &self.pooled, &layers.head, &mut self.bias);
        let computation = LayerComputation {
            layer: &layers.head,
            input: &self.trunk,
            area: self.area,
            groups: &self.groups,
            tiles: &self.tiles,
            offsets: &[0],
            bias: &self.bias,
            is_residual: false,
        };
        self.kernel.compute(&computation, None, &mut self.head);
        self.hidden.clear();
        let hidden = layers
            .hidden
            .sums(&self.pooled)
            .zip(&layers.hidden.shifts)
            .map(|(sum, &shift)| shift_right(sum, POOLED_PLACES - PLACES + shift).clamp(0, 127) as u8);
        self.hidden.extend(hidden);
        self.outputs.clear();
        self.outputs.extend(layers.outputs.outputs(&self.hidden));
        let (policy, owners) = self.head.split_at(self.head.len() / 2);
        let Architecture { trained, adds_owners, .. } = self.network.architecture;
        let has_owners = trained.owners || adds_owners;
        for (number, &point) in self.points_by_symmetry[symmetry].iter().enumerate() {
            let point = point as usize;
            self.logits[number] = layers.policy.outputs(&policy[point].0).next().unwrap_or_default();
            if has_owners {
                self.owners[number] = layers.owners.outputs(&owners[point].0).next().unwrap_or_default();
            }
        }
        let pass = self.points.len();
        self.logits[pass] = self.outputs[0];
    }
}

/// Writes the bias of a layer plus the contribution of the pooled numbers.
fn add_pooled(pooling: &Dense, pooled: &[i16], layer: &Convolution, bias: &mut [i32]) {
    let sums = pooling.sums(pooled).zip(&pooling.shifts);
    for ((into, (sum, &shift)), (&own, &layer_shift)) in
        bias.iter_mut().zip(sums).zip(layer.bias.iter().zip(&layer.shifts))
    {
        let added = shift_right(sum, POOLED_PLACES - PLACES + shift - layer_shift);
        *into = own.wrapping_add(saturate(added));
    }
}

/// Writes planes as bytes of cells.
struct InputCells<'a> {
    cells: &'a mut [Cell],
    /// The padded point of each move under the symmetry.
    points: &'a [u32],
    /// The values of the planes with one value for the whole board.
    whole: [u8; LANES],
}

impl PlaneSink for InputCells<'_> {
    fn point(&mut self, plane: usize, number: usize) {
        self.cells[self.points[number] as usize].0[plane] = ONE;
    }

    fn whole(&mut self, plane: usize, value: u8) {
        self.whole[plane] = value;
    }
}
