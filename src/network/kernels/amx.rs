//! Sums of products with AMX: matrices of 16 rows in tile registers, 16,384 products in one instruction.
//!
//! The points of the padded board are the rows of a matrix, 32 channels of two neighbouring points its columns: cells of
//! neighbours lie side by side in memory. Its product with the weights of two taps adds to the sums of 16 points and 16
//! outputs. The border is computed as well, and its sums are not used.
//!
//! The compiler has no stable functions for tile registers, so the instructions are in assembly. Source: Intel 64 and IA-32
//! Architectures Software Developer's Manual, volume 1, chapter 18.

use super::CELLS_BEHIND;
use super::computation::{LayerComputation, PaddedArea};
use crate::base::platform::process::allow_tile_registers;
use crate::network::cells::{Cell, LANES, Lanes, Sums};
use crate::network::matrices::{LANES_A_STEP, STEPS};
use crate::network::weights::MAX_CHANNELS;
use std::arch::asm;
use std::sync::OnceLock;

/// Points computed together: the rows of two matrices.
const POINTS: usize = 32;
/// Maximum number of blocks of inputs.
const MAX_IN_BLOCKS: usize = MAX_CHANNELS / LANES;

/// The configuration of the eight tile registers, each of 16 rows of 64 bytes.
#[repr(C, align(64))]
struct TileConfiguration {
    palette: u8,
    first_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

const CONFIGURATION: TileConfiguration = TileConfiguration {
    palette: 1,
    first_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Returns true if this processor has AMX for bytes and the system allows its use, which is asked for once.
pub(super) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        /// Bits of `edx` in leaf 7 of `cpuid`.
        const TILES_AND_BYTES: u32 = 1 << 24 | 1 << 25;
        std::arch::x86_64::__cpuid_count(7, 0).edx & TILES_AND_BYTES == TILES_AND_BYTES
            && allow_tile_registers()
    })
}

/// Computes a layer of 3x3 points, all blocks of outputs.
///
/// # Safety
/// [`is_available`] must have returned true.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn amx(computation: &LayerComputation<'_>, output: &mut [Cell]) {
    let layer = computation.layer;
    let board = computation.input.len() / layer.in_blocks;
    let PaddedArea { stride, rows } = computation.area;
    let matrices = layer.make_matrices();
    // The first matrix of a step begins at the point's neighbour at the left, or at the right.
    let mut offsets = [0_usize; STEPS * MAX_IN_BLOCKS];
    let offsets = &mut offsets[..STEPS * layer.in_blocks];
    for (step, offset) in offsets.iter_mut().enumerate() {
        let (row, k, is_right) = (step / (2 * layer.in_blocks), step / 2 % layer.in_blocks, step % 2);
        *offset = (k * board + row * stride + 2 * is_right) * size_of::<Cell>();
    }
    let last = rows * stride;
    assert!(board >= last + 2 * stride + CELLS_BEHIND, "cells behind the last point");
    assert!(matrices.len() == layer.out_blocks * offsets.len() * LANES_A_STEP, "weights of all steps");
    let configuration = &CONFIGURATION;
    // SAFETY: by the caller the processor has tile registers that this process may use. The configuration has 64 bytes.
    unsafe { asm!("ldtilecfg [{}]", in(reg) configuration, options(nostack, readonly)) };
    let mut sums = [[0; LANES]; POINTS];
    for (block, matrices) in matrices.chunks_exact(offsets.len() * LANES_A_STEP).enumerate() {
        for first in (stride + 1..last + stride).step_by(POINTS) {
            // SAFETY: as above. The cells that are read end before the board's end, by the assertion: the last step begins
            // `stride + 1` cells behind `first`, which is at most `last + stride - 1`, and has `POINTS + 1` cells.
            unsafe { multiply(&computation.input[first - stride - 1..], offsets, matrices, &mut sums) };
            for (point, sums) in (first..last + stride).zip(&sums) {
                if point % stride != 0 {
                    computation.finish(point, block, sums, output);
                }
            }
        }
    }
    // SAFETY: as above.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// Computes the sums of [`POINTS`] points.
///
/// # Safety
/// The tile registers must be configured by [`CONFIGURATION`]. From each offset, in bytes, `POINTS + 1` cells must be in
/// `cells`, and `matrices` must have [`LANES_A_STEP`] times as many elements as there are offsets, at least one.
#[inline]
unsafe fn multiply(cells: &[Cell], offsets: &[usize], matrices: &[Lanes], sums: &mut [Sums; POINTS]) {
    debug_assert!(offsets.iter().all(|offset| offset / size_of::<Cell>() + POINTS < cells.len()));
    debug_assert_eq!(matrices.len(), offsets.len() * LANES_A_STEP);
    // SAFETY: by the caller all reads are within the slices: 16 rows of 64 bytes from each offset, 32 bytes apart, and the
    // same 512 bytes behind; 16 rows of 64 bytes of weights, 128 bytes apart, in two halves. The sums have 32 rows of 128
    // bytes. The compiler keeps nothing in tile registers.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "mov {at}, [{offsets}]",
            "add {at}, {cells}",
            "tileloadd tmm4, [{at} + {cell}*1]",
            "tileloadd tmm6, [{matrices} + {lanes}*1]",
            "tileloadd tmm7, [{matrices} + {lanes}*1 + 64]",
            "tileloadd tmm5, [{at} + {cell}*1 + 512]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {offsets}, 8",
            "add {matrices}, 2048",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{sums} + {lanes}*1], tmm0",
            "tilestored [{sums} + {lanes}*1 + 64], tmm1",
            "tilestored [{sums} + {lanes}*1 + 2048], tmm2",
            "tilestored [{sums} + {lanes}*1 + 2112], tmm3",
            at = out(reg) _,
            cells = in(reg) cells.as_ptr(),
            cell = in(reg) size_of::<Cell>(),
            lanes = in(reg) size_of::<Lanes>(),
            offsets = inout(reg) offsets.as_ptr() => _,
            matrices = inout(reg) matrices.as_ptr() => _,
            steps = inout(reg) offsets.len() => _,
            sums = in(reg) sums.as_mut_ptr(),
            options(nostack),
        );
    }
}
