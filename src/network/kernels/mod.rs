//! Sums of products of bytes, which take nearly all of a network's time. `unsafe` is for processor instructions, in the
//! files `x86`, `amx`, `avx2_registers` and `aarch64`.
//!
//! Activations are 0 to 127 and weights -128 to 127, so two products fit the 16 bits of `vpmaddubsw` and nothing
//! saturates; integer sums do not depend on their order. So all kernels give the same bits, and a test compares them.

#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2_registers;
mod computation;
mod group;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use super::cells::{Cell, LANES};
pub(super) use computation::{LayerComputation, PaddedArea};
pub(super) use group::Group;

#[cfg(target_arch = "x86_64")]
use super::cells::TAPS;
use super::layer::WeightOrder;
use super::winograd::Workspace;
use group::{AVX2_POINTS, SDOT_POINTS, SPAN, VNNI_POINTS};

/// Cells behind the last row of a board and its border, so that slices of fixed lengths from each point are within it.
pub(super) const CELLS_BEHIND: usize = 34;

/// An implementation of the sums of products. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain loops, for every processor.
    Portable,
    /// 256-bit registers, 32 products in two instructions.
    Avx2,
    /// Like [`Avx2`](Kernel::Avx2), but with layers of 3x3 points by tiles: a third of the products, 16 in one
    /// instruction.
    Avx2Tiles,
    /// 512-bit registers, 64 products in one instruction.
    Vnni,
    /// Like [`Vnni`](Kernel::Vnni), but with layers of 3x3 points by tile registers, 16,384 products in one instruction.
    Amx,
    /// 128-bit registers of ARM, 16 products in one instruction.
    Sdot,
}

impl Kernel {
    /// Returns the kernels that this processor supports, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        [Kernel::Portable, Kernel::Avx2, Kernel::Avx2Tiles, Kernel::Vnni, Kernel::Amx, Kernel::Sdot]
            .into_iter()
            .filter(|kernel| kernel.is_available())
            .collect()
    }

    /// Returns the fastest kernel of this processor.
    #[must_use]
    pub fn best() -> Kernel {
        let fastest = [Kernel::Amx, Kernel::Vnni, Kernel::Avx2Tiles, Kernel::Sdot];
        fastest.into_iter().find(|kernel| kernel.is_available()).unwrap_or(Kernel::Portable)
    }

    /// Returns true if the kernel computes layers of 3x3 points by tiles.
    pub(super) fn has_tiles(self) -> bool {
        self == Kernel::Avx2Tiles
    }

    /// Returns the order of the weights that it reads in layers of 3x3 points.
    pub(super) fn weight_order(self) -> WeightOrder {
        match self {
            Kernel::Avx2Tiles => WeightOrder::Tiles,
            #[cfg(target_arch = "x86_64")]
            Kernel::Amx => WeightOrder::Matrices,
            _ => WeightOrder::Taps,
        }
    }

    /// Returns the kernel of the same processors that needs no weights in another order.
    pub(super) fn without_arranged_weights(self) -> Kernel {
        match self {
            Kernel::Avx2Tiles => Kernel::Avx2,
            Kernel::Amx => Kernel::Vnni,
            other => other,
        }
    }

    /// Returns the number of points computed together: weights are read once for all of them.
    pub(super) fn points_at_once(self) -> usize {
        match self {
            Kernel::Portable => SPAN,
            Kernel::Avx2 | Kernel::Avx2Tiles => AVX2_POINTS,
            Kernel::Vnni | Kernel::Amx => VNNI_POINTS,
            Kernel::Sdot => SDOT_POINTS,
        }
    }

    /// Returns true if this processor supports the kernel.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 | Kernel::Avx2Tiles => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Amx => Kernel::Vnni.is_available() && amx::is_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx2Tiles | Kernel::Vnni | Kernel::Amx => false,
            #[cfg(target_arch = "aarch64")]
            Kernel::Sdot => std::arch::is_aarch64_feature_detected!("dotprod"),
            #[cfg(not(target_arch = "aarch64"))]
            Kernel::Sdot => false,
        }
    }

    /// Computes a layer on all points of the board; with plain loops if this processor does not support the kernel.
    pub(super) fn compute(
        self,
        computation: &LayerComputation<'_>,
        workspace: Option<&mut Workspace>,
        output: &mut [Cell],
    ) {
        #[cfg(target_arch = "x86_64")]
        if let Some(workspace) = workspace
            && computation.layer.taps == TAPS
            && self.has_tiles()
            && self.is_available()
        {
            // SAFETY: `is_available` has just detected AVX2, which is all that the function requires.
            return unsafe { x86::avx2_tiles(computation, workspace, output) };
        }
        #[cfg(target_arch = "x86_64")]
        if self == Kernel::Amx && computation.layer.taps == TAPS && self.is_available() {
            // SAFETY: `is_available` has just detected the parts of AVX-512 and AMX that the function requires.
            return unsafe { amx::amx(computation, output) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = workspace;
        for block in 0..computation.layer.out_blocks {
            match self {
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2 | Kernel::Avx2Tiles if self.is_available() => {
                    // SAFETY: `is_available` has just detected AVX2, which is all that the function requires.
                    unsafe { x86::avx2(computation, block, output) }
                }
                #[cfg(target_arch = "x86_64")]
                Kernel::Vnni | Kernel::Amx if self.is_available() => {
                    // SAFETY: `is_available` has just detected the parts of AVX-512 that the function requires.
                    unsafe { x86::vnni(computation, block, output) }
                }
                #[cfg(target_arch = "aarch64")]
                Kernel::Sdot if self.is_available() => {
                    // SAFETY: `is_available` has just detected dot products, which are all that the function requires.
                    unsafe { aarch64::sdot(computation, block, output) }
                }
                _ => portable::portable(computation, block, output),
            }
        }
    }
}
