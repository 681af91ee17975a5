//! Weights of 3x3 points as matrices, for processors that multiply matrices.
//!
//! The inputs of a step are the 32 channels of two neighbouring points, which lie side by side in memory; its weights are those of
//! two taps. A block of inputs has [`STEPS`].

use super::cells::{LANES, Lanes};

/// Groups of four inputs of a tap.
const FOURS: usize = LANES / 4;
/// Groups of four inputs of a step.
pub(super) const LANES_A_STEP: usize = 2 * FOURS;
/// Steps of one block of inputs: three rows of taps, each with the left and the middle tap, and with the right one.
pub(super) const STEPS: usize = 6;

/// Returns the weights of a layer of nine taps as matrices: by block of outputs, row of taps, block of inputs, and step;
/// in each the groups of four inputs of two taps. The right tap of a row has zeros as its second.
pub(super) fn matrices(weights: &[Lanes], in_blocks: usize) -> Vec<Lanes> {
    let of_tap = in_blocks * FOURS;
    let mut all = Vec::with_capacity(weights.len() / 9 * 12);
    for block in weights.chunks_exact(9 * of_tap) {
        for row in block.chunks_exact(3 * of_tap) {
            for k in 0..in_blocks {
                for tap in 0..3 {
                    let first = tap * of_tap + k * FOURS;
                    all.extend_from_slice(&row[first..first + FOURS]);
                }
                all.extend([Lanes([0; 4 * LANES]); FOURS]);
            }
        }
    }
    all
}
