//! Activations, weights and sums in memory: [`LANES`] channels side by side, as the kernels read and write them.

/// Number of channels side by side in memory; the channels of a layer are a multiple of it.
pub const LANES: usize = 32;

/// The activations of [`LANES`] channels on one point: one AVX2 register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Cell(pub [u8; LANES]);

/// Weights from four channels to [`LANES`] outputs, four bytes for each output.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [i8; 4 * LANES]);

/// Weights from two channels to [`LANES`] outputs, two 16-bit numbers for each output.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct WideLanes(pub(super) [i16; 2 * LANES]);

/// Sums of [`LANES`] outputs on one point.
pub(super) type Sums = [i32; LANES];

/// Number of taps of a layer of 3x3 points.
pub(super) const TAPS: usize = 9;
