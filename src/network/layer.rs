//! Layers in integers.
//!
//! Activations are bytes with [`PLACES`] binary places, pooled numbers have [`POOLED_PLACES`]. Weights have 8 bits; the
//! shift of an output is the number of their binary places, so a right shift by it scales a sum of products back.

use super::cells::{Cell, LANES, Lanes, TAPS, WideLanes};
use super::winograd::{TILE_PLACES, transform_weights};
use std::sync::OnceLock;

/// Binary places of activations.
pub(super) const PLACES: i32 = 6;
/// Binary places of pooled numbers.
pub(super) const POOLED_PLACES: i32 = 14;
/// Binary places of a network's outputs.
pub(super) const OUTPUT_PLACES: i32 = 12;
/// Maximum shift of an output.
pub(super) const MAX_SHIFT: u8 = 15;

/// Returns `value / 2^places`, rounded; multiplies if `places` is negative.
#[inline]
pub(super) fn shift_right(value: i64, places: i32) -> i64 {
    if places > 0 { (value + (1 << (places - 1))) >> places } else { value << -places }
}

/// An order of a layer's weights in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeightOrder {
    /// By tap and input: the order that is always present.
    Taps,
    /// For [tiles](super::winograd).
    Tiles,
    /// As [matrices](super::matrices).
    #[cfg(target_arch = "x86_64")]
    Matrices,
}

/// A convolution over 3x3 points (nine taps) or over the point itself (one tap).
#[derive(Clone, Debug)]
pub(super) struct Convolution {
    pub(super) in_blocks: usize,
    pub(super) out_blocks: usize,
    pub(super) taps: usize,
    /// By block of outputs, tap, block of inputs, and group of four inputs.
    weights: Vec<Lanes>,
    /// The weights for [tiles](super::winograd), by block of outputs, place, and pair of inputs.
    tile_weights: OnceLock<Vec<WideLanes>>,
    /// The weights as [matrices](super::matrices).
    #[cfg(target_arch = "x86_64")]
    matrices: OnceLock<Vec<Lanes>>,
    /// For each output.
    pub(super) shifts: Vec<i32>,
    /// For each output, with the binary places of its sums, and with half a unit of the result added for rounding.
    pub(super) bias: Vec<i32>,
}

impl Convolution {
    /// Creates a layer from weights in the order tap, input, output. `inputs` and `outputs` are multiples of [`LANES`];
    /// `shifts` and `bias` have one number for each output.
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
            #[cfg(target_arch = "x86_64")]
            matrices: OnceLock::new(),
            shifts: shifts.iter().map(|&shift| i32::from(shift)).collect(),
            bias: bias.iter().zip(shifts).map(|(&bias, &shift)| bias.wrapping_add(rounding(shift))).collect(),
        }
    }

    /// Returns the weights of one block of outputs, in the order tap, input.
    #[inline(always)]
    pub(super) fn of_block(&self, block: usize) -> &[Lanes] {
        let length = self.taps * self.in_blocks * (LANES / 4);
        &self.weights[block * length..(block + 1) * length]
    }

    /// Returns the weights of one block of outputs at one place of the [tiles](super::winograd), by pair of inputs. The
    /// layer must have nine taps.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn of_place(&self, block: usize, place: usize) -> &[WideLanes] {
        let length = self.in_blocks * (LANES / 2);
        let first = (block * TILE_PLACES + place) * length;
        &self.make_tile_weights()[first..first + length]
    }

    /// Computes the weights in this order, unless they are computed.
    pub(super) fn arrange(&self, order: WeightOrder) {
        match order {
            WeightOrder::Taps => {}
            WeightOrder::Tiles => _ = self.make_tile_weights(),
            #[cfg(target_arch = "x86_64")]
            WeightOrder::Matrices => _ = self.make_matrices(),
        }
    }

    /// Returns the weights as [matrices](super::matrices), computing them on the first call. The layer must have nine
    /// taps.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn make_matrices(&self) -> &[Lanes] {
        self.matrices.get_or_init(|| super::matrices::matrices(&self.weights, self.in_blocks))
    }

    /// Returns the weights for [tiles](super::winograd), computing them on the first call.
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

    /// Returns true if the weights in this order are computed.
    pub(super) fn is_arranged(&self, order: WeightOrder) -> bool {
        match order {
            WeightOrder::Taps => true,
            WeightOrder::Tiles => self.tile_weights.get().is_some(),
            #[cfg(target_arch = "x86_64")]
            WeightOrder::Matrices => self.matrices.get().is_some(),
        }
    }

    /// Returns the memory in bytes, without weights in another order.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.weights) + size_of_val(&*self.shifts) + size_of_val(&*self.bias)
    }

    /// Returns the memory of the weights for tiles in bytes, computed or not; 0 for layers of one tap. Matrices take a quarter
    /// of it.
    pub(super) fn tile_bytes(&self) -> usize {
        let inputs = if self.taps == TAPS { self.in_blocks * LANES } else { 0 };
        self.out_blocks * TILE_PLACES * inputs / 2 * size_of::<WideLanes>()
    }
}

/// A fully connected layer.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    inputs: usize,
    /// By output, then input.
    weights: Vec<i8>,
    pub(super) shifts: Vec<i32>,
    /// For each output, with the binary places of the sums.
    bias: Vec<i32>,
}

impl Dense {
    /// Creates a layer from weights in the order input, output; an empty `bias` means 0.
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

    /// Returns the sum of each output. Inputs of 16 bits, at most 384, keep the sums of products within 32 bits, and become
    /// one multiplication for two products.
    pub(super) fn sums<'a, T: Copy + Into<i32>>(&'a self, inputs: &'a [T]) -> impl Iterator<Item = i64> + 'a {
        debug_assert_eq!(inputs.len(), self.inputs);
        self.weights.chunks_exact(self.inputs).zip(&self.bias).map(move |(weights, &bias)| {
            let products = weights.iter().zip(inputs).map(|(&w, &x)| i32::from(w).wrapping_mul(x.into()));
            i64::from(products.fold(0_i32, i32::wrapping_add)) + i64::from(bias)
        })
    }

    /// Returns each output with [`OUTPUT_PLACES`], from activations.
    pub(super) fn outputs<'a>(&'a self, inputs: &'a [u8]) -> impl Iterator<Item = i32> + 'a {
        self.sums(inputs)
            .zip(&self.shifts)
            .map(|(sum, &shift)| saturate(shift_right(sum, PLACES + shift - OUTPUT_PLACES)))
    }

    /// Returns the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.weights) + size_of_val(&*self.shifts) + size_of_val(&*self.bias)
    }
}

/// Saturates to 32 bits; only damaged weights need it.
pub(super) fn saturate(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Writes the mean, the mean scaled with the side of the board, and the maximum of each channel over `points`, with
/// [`POOLED_PLACES`]. `cells` has `blocks` boards; `pooled.len() == 3 * blocks * LANES`.
///
/// Source: Wu, arXiv 1902.10565, section 4.2.
pub(super) fn pool(cells: &[Cell], blocks: usize, points: &[u32], pooled: &mut [i16]) {
    let channels = blocks * LANES;
    let factor = side_factor(points.len());
    let count = points.len() as u32;
    for (block, board) in cells.chunks_exact(cells.len() / blocks).enumerate() {
        // The largest sum, 361 times 127, fits.
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
            // At most 127 << 8; the scaled mean exceeds 16 bits only on boards with sides below four.
            pooled[at] = mean as i16;
            let scaled = (mean as i32 * factor) >> 8;
            pooled[channels + at] = scaled.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            pooled[2 * channels + at] = i16::from(largest[lane]) << 8;
        }
    }
}

/// Returns `(side - 14) / 10` in units of 1/256; the side of a board is the square root of its area.
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
