//! Sums of products in plain loops, for every processor.

use super::computation::{LayerComputation, four_of};
use super::group::SPAN;
use crate::network::cells::{Cell, LANES, Lanes, Sums};

/// Computes one block of outputs on all points.
pub(super) fn portable(computation: &LayerComputation<'_>, block: usize, output: &mut [Cell]) {
    for group in computation.groups {
        let mut sums = [[0; LANES]; SPAN];
        let mut weights = computation.layer.of_block(block);
        for tap in 0..computation.offsets.len() {
            for k in 0..computation.layer.in_blocks {
                let window = computation.window(group, tap, k);
                let (these, rest) = weights.split_at(LANES / 4);
                weights = rest;
                for (four, lanes) in these.iter().enumerate() {
                    let weights = by_channel(lanes);
                    for (&relative, sums) in group.relative[..group.count].iter().zip(&mut sums) {
                        add_products(sums, four_of(window, relative, four), &weights);
                    }
                }
            }
        }
        computation.finish_all(group, block, &sums, output);
    }
}

/// Returns the weights of four channels, one channel after the other, in 16 bits.
#[inline(always)]
fn by_channel(lanes: &Lanes) -> [[i16; LANES]; 4] {
    let four = lanes.0.as_chunks::<4>().0;
    std::array::from_fn(|channel| std::array::from_fn(|lane| i16::from(four[lane][channel])))
}

/// Adds the products of four channels. Pairs of products fit 16 bits, for which compilers find fast instructions on
/// every processor.
#[inline(always)]
fn add_products(sums: &mut Sums, x: [u8; 4], weights: &[[i16; LANES]; 4]) {
    let x = x.map(i16::from);
    for lane in 0..LANES {
        let one = x[0].wrapping_mul(weights[0][lane]).wrapping_add(x[1].wrapping_mul(weights[1][lane]));
        let other = x[2].wrapping_mul(weights[2][lane]).wrapping_add(x[3].wrapping_mul(weights[3][lane]));
        sums[lane] += i32::from(one) + i32::from(other);
    }
}
