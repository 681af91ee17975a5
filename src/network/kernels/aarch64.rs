//! Sums of products with ARM's dot products (`sdot`, an option of ARMv8.2 and part of ARMv8.4).
//!
//! `sdot` multiplies signed bytes. Activations are 0 to 127, the same in signed and unsigned bytes, so the sums equal
//! those of the other kernels.

use super::computation::{LayerComputation, four_of};
use super::group::{Group, SDOT_POINTS};
use crate::network::cells::{Cell, LANES, Sums};
use std::arch::aarch64::*;
use std::arch::asm;

/// Computes one block of outputs on all points.
#[target_feature(enable = "neon,dotprod")]
pub(super) fn sdot(computation: &LayerComputation<'_>, block: usize, output: &mut [Cell]) {
    for group in computation.groups {
        let mut stored = [[0; LANES]; SDOT_POINTS];
        sdot_group(computation, block, group, &mut stored);
        computation.finish_all(group, block, &stored, output);
    }
}

#[target_feature(enable = "neon,dotprod")]
#[inline]
fn sdot_group(
    computation: &LayerComputation<'_>,
    block: usize,
    group: &Group,
    stored: &mut [Sums; SDOT_POINTS],
) {
    const REGISTERS: usize = LANES / 4;
    let mut sums = [[vdupq_n_s32(0); SDOT_POINTS]; REGISTERS];
    let mut weights = computation.layer.of_block(block);
    for tap in 0..computation.offsets.len() {
        for k in 0..computation.layer.in_blocks {
            let window = computation.window(group, tap, k);
            let (these, rest) = weights.split_at(LANES / 4);
            weights = rest;
            for (four, lanes) in these.iter().enumerate() {
                let mut x = [vdupq_n_s8(0); SDOT_POINTS];
                for (x, &relative) in x.iter_mut().zip(&group.relative) {
                    let bytes = i32::from_le_bytes(four_of(window, relative, four));
                    *x = vreinterpretq_s8_s32(vdupq_n_s32(bytes));
                }
                for (sums, w) in sums.iter_mut().zip(lanes.0.as_chunks().0) {
                    let w = load_16_bytes(w);
                    for (sum, x) in sums.iter_mut().zip(x) {
                        *sum = add_dot_products(*sum, w, x);
                    }
                }
            }
        }
    }
    for (register, sums) in sums.into_iter().enumerate() {
        for (stored, sum) in stored.iter_mut().zip(sums) {
            store_i32(&mut stored.as_chunks_mut::<4>().0[register], sum);
        }
    }
}

/// Adds to each sum the dot product of four bytes of `w` and four of `x`. (`vdotq_s32` is not stable yet.)
#[target_feature(enable = "neon,dotprod")]
#[inline]
fn add_dot_products(mut sum: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction accesses only these registers, and the function requires its target feature.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {w:v}.16b, {x:v}.16b",
            sum = inout(vreg) sum,
            w = in(vreg) w,
            x = in(vreg) x,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

#[target_feature(enable = "neon")]
#[inline]
fn load_16_bytes(bytes: &[i8; 16]) -> int8x16_t {
    // SAFETY: `bytes` has exactly the 16 bytes that are read; no alignment is needed.
    unsafe { vld1q_s8(bytes.as_ptr()) }
}

#[target_feature(enable = "neon")]
#[inline]
fn store_i32(into: &mut [i32; 4], register: int32x4_t) {
    // SAFETY: `into` has exactly the 4 numbers of 32 bits that are written; no alignment is needed.
    unsafe { vst1q_s32(into.as_mut_ptr(), register) }
}
