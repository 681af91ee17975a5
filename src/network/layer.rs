//! Layers of integers.
//!
//! Activations are bytes with [`PLACES`] binary places, pooled numbers have [`POOLED_PLACES`]. Weights are 8 bits
//! with as many binary places as the shift of their output says, so a sum of products is brought back by that shift.

use super::kernels::{Cell, LANES, Lanes, TAPS, WideLanes};
use super::winograd::{PLACES as TILE_PLACES, transform_weights};
use std::sync::OnceLock;

/// Binary places of activations.
pub(super) const PLACES: i32 = 6;
/// Binary places of pooled numbers.
pub(super) const POOLED_PLACES: i32 = 14;
/// Binary places of what a network says.
pub(super) const OUTPUT_PLACES: i32 = 12;
/// The largest shift of an output.
pub(super) const MOST_SHIFT: u8 = 15;

/// `value / 2^places`, rounded; multiplied where `places` is negative.
#[inline]
pub(super) fn shift_right(value: i64, places: i32) -> i64 {
    if places > 0 { (value + (1 << (places - 1))) >> places } else { value << -places }
}

/// A convolution over 3x3 points (nine taps) or over the point itself (one).
#[derive(Clone, Debug)]
pub(super) struct Convolution {
    pub(super) in_blocks: usize,
    pub(super) out_blocks: usize,
    pub(super) taps: usize,
    /// For each block of outputs, tap, block of inputs, and four inputs of that.
    weights: Vec<Lanes>,
    /// The same for [tiles](super::winograd): for each block of outputs, place, and two inputs.
    tile_weights: OnceLock<Vec<WideLanes>>,
    /// Of each output.
    pub(super) shifts: Vec<i32>,
    /// Of each output, with the binary places of its sums, and half a unit of the result for rounding.
    pub(super) bias: Vec<i32>,
}

impl Convolution {
    /// From weights in the order tap, input, output. There are `inputs` and `outputs` of them, multiples of
    /// [`LANES`], and as many shifts and biases as outputs.
    pub(super) fn new(
        [taps, inputs, outputs]: [usize; 3],
        weights: &[i8],
        shifts: &[u8],
        bias: &[i32],
    ) -> Convolution {
        let (in_blocks, out_blocks) = (inputs / LANES, outputs / LANES);
        let mut packed = Vec::with_capacity(weights.len() / (4 * LANES));
        for block in 0..out_blocks {
            for tap in 0..taps {
                for first in (0..inputs).step_by(4) {
                    packed.push(Lanes(std::array::from_fn(|i| {
                        weights[(tap * inputs + first + i % 4) * outputs + block * LANES + i / 4]
                    })));
                }
            }
        }
        let rounding = |shift: u8| (1_i32 << shift) >> 1;
        Convolution {
            in_blocks,
            out_blocks,
            taps,
            weights: packed,
            tile_weights: OnceLock::new(),
            shifts: shifts.iter().map(|&shift| i32::from(shift)).collect(),
            bias: bias.iter().zip(shifts).map(|(&bias, &shift)| bias.wrapping_add(rounding(shift))).collect(),
        }
    }

    /// The weights of one block of outputs, in the order tap, input.
    #[inline(always)]
    pub(super) fn of_block(&self, block: usize) -> &[Lanes] {
        let length = self.taps * self.in_blocks * (LANES / 4);
        &self.weights[block * length..(block + 1) * length]
    }

    /// The weights of one block of outputs at one place of the [tiles](super::winograd), of a layer of nine taps: for two
    /// inputs, and the next two.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn of_place(&self, block: usize, place: usize) -> &[WideLanes] {
        let length = self.in_blocks * (LANES / 2);
        let first = (block * TILE_PLACES + place) * length;
        &self.make_tile_weights()[first..first + length]
    }

    /// Makes the weights for [tiles](super::winograd), if they are not made.
    #[inline(always)]
    pub(super) fn make_tile_weights(&self) -> &[WideLanes] {
        self.tile_weights.get_or_init(|| self.transformed_weights())
    }

    fn transformed_weights(&self) -> Vec<WideLanes> {
        let inputs = self.in_blocks * LANES;
        let length = TILE_PLACES * inputs / 2;
        let mut all = vec![WideLanes([0; 2 * LANES]); self.out_blocks * length];
        for (block, into) in all.chunks_exact_mut(length).enumerate() {
            let weights = self.of_block(block);
            for input in 0..inputs {
                for lane in 0..LANES {
                    let of_tap = |tap: usize| weights[(tap * inputs + input) / 4].0[4 * lane + input % 4];
                    let places = transform_weights(std::array::from_fn(of_tap));
                    for (into, weight) in into.chunks_exact_mut(inputs / 2).zip(places) {
                        into[input / 2].0[2 * lane + input % 2] = weight;
                    }
                }
            }
        }
        all
    }

    /// Whether the weights for [tiles](super::winograd) are made.
    pub(super) fn has_tile_weights(&self) -> bool {
        self.tile_weights.get().is_some()
    }

    /// Bytes in memory, without weights for tiles.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.weights) + size_of_val(&*self.shifts) + size_of_val(&*self.bias)
    }

    /// Bytes of the weights for tiles, whether they are made or not.
    pub(super) fn tile_bytes(&self) -> usize {
        let inputs = if self.taps == TAPS { self.in_blocks * LANES } else { 0 };
        self.out_blocks * TILE_PLACES * inputs / 2 * size_of::<WideLanes>()
    }
}

/// A layer in which every output sees every input.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    inputs: usize,
    /// Output by output.
    weights: Vec<i8>,
    pub(super) shifts: Vec<i32>,
    /// With the binary places of the sums.
    bias: Vec<i32>,
}

impl Dense {
    /// From weights in the order input, output; biases may be absent.
    pub(super) fn new([inputs, outputs]: [usize; 2], weights: &[i8], shifts: &[u8], bias: &[i32]) -> Dense {
        let turned = (0..inputs * outputs).map(|i| weights[i % inputs * outputs + i / inputs]).collect();
        let bias = if bias.is_empty() { vec![0; outputs] } else { bias.to_vec() };
        Dense {
            inputs,
            weights: turned,
            shifts: shifts.iter().map(|&shift| i32::from(shift)).collect(),
            bias,
        }
    }

    /// The sum of each output. `inputs` are at most 2^16 in size and at most 384 in number, so it fits.
    pub(super) fn sums<'a, T: Copy + Into<i32>>(&'a self, inputs: &'a [T]) -> impl Iterator<Item = i64> + 'a {
        debug_assert_eq!(inputs.len(), self.inputs);
        self.weights.chunks_exact(self.inputs).zip(&self.bias).map(move |(weights, &bias)| {
            let products = weights.iter().zip(inputs).map(|(&w, &x)| i32::from(w).wrapping_mul(x.into()));
            i64::from(products.fold(0_i32, i32::wrapping_add)) + i64::from(bias)
        })
    }

    /// Each output with [`OUTPUT_PLACES`], from activations.
    pub(super) fn outputs<'a>(&'a self, inputs: &'a [u8]) -> impl Iterator<Item = i32> + 'a {
        self.sums(inputs)
            .zip(&self.shifts)
            .map(|(sum, &shift)| saturate(shift_right(sum, PLACES + shift - OUTPUT_PLACES)))
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.weights) + size_of_val(&*self.shifts) + size_of_val(&*self.bias)
    }
}

/// As 32 bits; only damaged weights need it.
pub(super) fn saturate(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Mean, mean scaled with the size of the board, and maximum of each channel over `points`, with
/// [`POOLED_PLACES`]. `cells` has `blocks` boards; `pooled.len() == 3 * blocks * LANES`.
///
/// Source: Wu, arXiv 1902.10565, section 4.2.
pub(super) fn pool(cells: &[Cell], blocks: usize, points: &[u32], pooled: &mut [i32]) {
    let channels = blocks * LANES;
    let factor = side_factor(points.len());
    let count = points.len() as u32;
    for (block, board) in cells.chunks_exact(cells.len() / blocks).enumerate() {
        // 361 times 127 fits.
        let mut sums = [0_u16; LANES];
        let mut largest = [0_u8; LANES];
        for &point in points {
            let cell = &board[point as usize].0;
            for lane in 0..LANES {
                sums[lane] += u16::from(cell[lane]);
                largest[lane] = largest[lane].max(cell[lane]);
            }
        }
        for lane in 0..LANES {
            let mean = ((u32::from(sums[lane]) << 8) + count / 2) / count;
            let at = block * LANES + lane;
            pooled[at] = mean as i32;
            pooled[channels + at] = (mean as i32 * factor) >> 8;
            pooled[2 * channels + at] = i32::from(largest[lane]) << 8;
        }
    }
}

/// `(side - 14) / 10` in units of 1/256, where the side of a board is the root of its area.
fn side_factor(points: usize) -> i32 {
    (((points as u32) << 16).isqrt() as i32 - 14 * 256).div_euclid(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_measured_from_fourteen() {
        assert_eq!(side_factor(19 * 19), 128);
        assert_eq!(side_factor(14 * 14), 0);
        assert_eq!(side_factor(9 * 9), -128);
    }

    #[test]
    fn halves_are_rounded_up() {
        assert_eq!([5, 6, -6, -5].map(|value| shift_right(value, 2)), [1, 2, -1, -1]);
        assert_eq!(shift_right(-3, -2), -12);
    }
}
