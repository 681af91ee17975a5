//! The computation of one layer: its operands, and the steps that all kernels share.

use super::group::{Group, SPAN};
use crate::network::cells::{Cell, LANES, Sums};
use crate::network::layer::Convolution;
use crate::network::winograd::Tile;

/// The points of a padded board.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct PaddedArea {
    /// Cells from row to row: the columns and one cell of border.
    pub(in crate::network) stride: usize,
    /// Rows of the board, without the row of border above and below.
    pub(in crate::network) rows: usize,
}

/// The computation of one layer: cells of a padded board, one board for each block of [`LANES`] channels, and the
/// points of the board.
pub(in crate::network) struct LayerComputation<'a> {
    /// The layer.
    pub(in crate::network) layer: &'a Convolution,
    /// Boards of the input, each with [`CELLS_BEHIND`](super::CELLS_BEHIND) cells behind its last row.
    pub(in crate::network) input: &'a [Cell],
    /// The points of each board.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AMX computes whole rows"))]
    pub(in crate::network) area: PaddedArea,
    /// The points of the board, in groups of [`Kernel::points_at_once`](super::Kernel::points_at_once).
    pub(in crate::network) groups: &'a [Group],
    /// The same points in tiles.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX2 has tiles"))]
    pub(in crate::network) tiles: &'a [Tile],
    /// Offsets from a point of the padded board to its neighbours, for each tap of the layer.
    pub(in crate::network) offsets: &'a [isize],
    /// Number added to the sums of each output: bias and rounding.
    pub(in crate::network) bias: &'a [i32],
    /// True if activations are added to those in the output, false if they replace them.
    pub(in crate::network) is_residual: bool,
}

impl LayerComputation<'_> {
    /// Returns the input cells of block `k` that contain the group's points, shifted by `tap`.
    #[inline(always)]
    pub(super) fn window(&self, group: &Group, tap: usize, k: usize) -> &[Cell; SPAN] {
        let board = self.input.len() / self.layer.in_blocks;
        let first = k * board + (group.first as isize + self.offsets[tap]) as usize;
        self.input[first..].first_chunk().expect("cells behind the last point")
    }

    /// Converts the sums of a group into activations and writes them.
    #[inline(always)]
    pub(super) fn finish_all(&self, group: &Group, block: usize, sums: &[Sums], output: &mut [Cell]) {
        for (point, sums) in group.points().zip(sums) {
            self.finish(point, block, sums, output);
        }
    }

    /// Converts sums into activations and writes them.
    #[inline(always)]
    pub(super) fn finish(&self, point: usize, block: usize, sums: &Sums, output: &mut [Cell]) {
        let at = block * (output.len() / self.layer.out_blocks) + point;
        let outputs = block * LANES..(block + 1) * LANES;
        let bias: &Sums = self.bias[outputs.clone()].try_into().expect("one a lane");
        let shifts: &[i32; LANES] = self.layer.shifts[outputs].try_into().expect("one a lane");
        let result = &mut output[at].0;
        for lane in 0..LANES {
            let sum = sums[lane].wrapping_add(bias[lane]) >> (shifts[lane] & 31);
            let held = if self.is_residual { i32::from(result[lane]) } else { 0 };
            result[lane] = sum.wrapping_add(held).clamp(0, 127) as u8;
        }
    }
}

/// Returns four channels of a cell.
#[inline(always)]
pub(super) fn four_of(window: &[Cell; SPAN], relative: u8, four: usize) -> [u8; 4] {
    window[usize::from(relative) % SPAN].0.as_chunks::<4>().0[four]
}
