//! Sums of products with AVX2 and AVX-512.
//!
//! In loops without closures: a closure inherits the target features of its function, so that functions without them,
//! such as `array::map`, cannot be inlined together with it.

use super::avx2_registers::{load_32_bytes, store_i32};
use super::computation::{LayerComputation, four_of};
use super::group::{AVX2_POINTS, Group, VNNI_POINTS};
use crate::network::cells::{Cell, LANES, Lanes, Sums};
use crate::network::winograd::{TILES, Workspace, avx2 as tiled};
use std::arch::x86_64::*;

/// Computes a layer of 3x3 points, all blocks of outputs, with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn avx2_tiles(computation: &LayerComputation<'_>, workspace: &mut Workspace, output: &mut [Cell]) {
    let board = computation.input.len() / computation.layer.in_blocks;
    let Workspace { inputs, sums, outputs } = workspace;
    for tiles in computation.tiles.chunks(TILES) {
        for (board, into) in computation.input.chunks_exact(board).zip(inputs.as_chunks_mut().0) {
            tiled::transform_inputs(tiles, board, into);
        }
        for block in 0..computation.layer.out_blocks {
            for (place, sums) in sums.iter_mut().enumerate() {
                let weights = computation.layer.of_place(block, place);
                for half in 0..2 {
                    tiled::add_products::<0, 5>(inputs, place, weights, half, sums);
                    if tiles.len() > 5 {
                        tiled::add_products::<5, 4>(inputs, place, weights, half, sums);
                    }
                }
            }
            for (number, tile) in tiles.iter().enumerate() {
                tiled::transform_sums(sums, number, outputs);
                for (output_number, point) in tile.outputs() {
                    computation.finish(point, block, &outputs[output_number], output);
                }
            }
        }
    }
}

/// Computes one block of outputs on all points with AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn avx2(computation: &LayerComputation<'_>, block: usize, output: &mut [Cell]) {
    for group in computation.groups {
        let mut stored = [[0; LANES]; AVX2_POINTS];
        avx2_group(computation, block, group, &mut stored);
        computation.finish_all(group, block, &stored, output);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn avx2_group(
    computation: &LayerComputation<'_>,
    block: usize,
    group: &Group,
    stored: &mut [Sums; AVX2_POINTS],
) {
    const REGISTERS: usize = LANES / 8;
    let ones = _mm256_set1_epi16(1);
    let mut sums = [[_mm256_setzero_si256(); AVX2_POINTS]; REGISTERS];
    let mut weights = computation.layer.of_block(block);
    for tap in 0..computation.offsets.len() {
        for k in 0..computation.layer.in_blocks {
            let window = computation.window(group, tap, k);
            let (these, rest) = weights.split_at(LANES / 4);
            weights = rest;
            for (four, lanes) in these.iter().enumerate() {
                let mut x = [ones; AVX2_POINTS];
                for (x, &relative) in x.iter_mut().zip(&group.relative) {
                    *x = _mm256_set1_epi32(i32::from_le_bytes(four_of(window, relative, four)));
                }
                for (sums, w) in sums.iter_mut().zip(lanes.0.as_chunks().0) {
                    let w = load_32_bytes(w);
                    for (sum, x) in sums.iter_mut().zip(x) {
                        let products = _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), ones);
                        *sum = _mm256_add_epi32(*sum, products);
                    }
                }
            }
        }
    }
    for (register, sums) in sums.into_iter().enumerate() {
        for (stored, sum) in stored.iter_mut().zip(sums) {
            store_i32(&mut stored.as_chunks_mut::<8>().0[register], sum);
        }
    }
}

/// Computes one block of outputs on all points with AVX-512 VNNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn vnni(computation: &LayerComputation<'_>, block: usize, output: &mut [Cell]) {
    for group in computation.groups {
        let mut stored = [[0; LANES]; VNNI_POINTS];
        vnni_group(computation, block, group, &mut stored);
        computation.finish_all(group, block, &stored, output);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn vnni_group(
    computation: &LayerComputation<'_>,
    block: usize,
    group: &Group,
    stored: &mut [Sums; VNNI_POINTS],
) {
    const REGISTERS: usize = LANES / 16;
    let mut sums = [[_mm512_setzero_si512(); REGISTERS]; VNNI_POINTS];
    let mut weights = computation.layer.of_block(block);
    for tap in 0..computation.offsets.len() {
        for k in 0..computation.layer.in_blocks {
            let window = computation.window(group, tap, k);
            let (these, rest) = weights.split_at(LANES / 4);
            weights = rest;
            for (four, lanes) in these.iter().enumerate() {
                let w = [load_512(lanes, 0), load_512(lanes, 1)];
                for (sums, &relative) in sums.iter_mut().zip(&group.relative) {
                    let x = _mm512_set1_epi32(i32::from_le_bytes(four_of(window, relative, four)));
                    for (sum, w) in sums.iter_mut().zip(w) {
                        *sum = _mm512_dpbusd_epi32(*sum, x, w);
                    }
                }
            }
        }
    }
    for (stored, sums) in stored.iter_mut().zip(sums) {
        for (stored, sum) in stored.as_chunks_mut::<16>().0.iter_mut().zip(sums) {
            // SAFETY: `stored` has exactly the 16 numbers of 32 bits that are written; no alignment is needed.
            unsafe { _mm512_storeu_si512(stored.as_mut_ptr().cast(), sum) };
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_512(lanes: &Lanes, register: usize) -> __m512i {
    let part = &lanes.0.as_chunks::<64>().0[register];
    // SAFETY: `part` has exactly the 64 bytes that are read; no alignment is needed.
    unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
}
