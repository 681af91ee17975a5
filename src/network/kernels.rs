//! Sums of products of bytes, which take nearly all of a network's time. `unsafe` is for processor instructions, those
//! of ARM in `kernels/aarch64.rs`.
//!
//! Activations are 0 to 127 and weights -128 to 127, so two products fit the 16 bits of `vpmaddubsw` and nothing
//! saturates; integer sums do not depend on their order. So all kernels give the same bits, and a test compares them.

#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;

use super::layer::Convolution;
use super::winograd::{Tile, Workspace};

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

/// Points computed together with 256-bit registers: three times four sums and their operands fill all sixteen.
const AVX2_POINTS: usize = 3;
/// Points computed together with 512-bit registers: nine times two sums hide the latency of the products, and 81 is
/// nine times nine.
const VNNI_POINTS: usize = 9;
/// Points computed together on ARM: three times eight sums, three inputs and a weight fit its 32 registers of 128 bits.
const SDOT_POINTS: usize = 3;

/// Maximum span of a group's points in cells, so that one slice contains all inputs of a tap and no index needs a
/// check.
pub(super) const SPAN: usize = 16;

/// A group of points that are computed together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// The padded point of the first one.
    first: u32,
    /// Number of points.
    count: usize,
    /// Offset of each point from the first, less than [`SPAN`]. Offsets beyond `count` are 0, and their results are not
    /// used.
    relative: [u8; SPAN],
}

impl Group {
    /// Divides `points`, which ascend, into groups of at most `most <= SPAN`.
    pub(super) fn all(points: &[u32], most: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for &point in points {
            let fits = |group: &&mut Group| group.count < most && point - group.first < SPAN as u32;
            if let Some(group) = groups.last_mut().filter(fits) {
                group.relative[group.count] = (point - group.first) as u8;
                group.count += 1;
            } else {
                groups.push(Group { first: point, count: 1, relative: [0; SPAN] });
            }
        }
        groups
    }

    fn points(&self) -> impl Iterator<Item = usize> {
        let relative = self.relative[..self.count].iter();
        relative.map(|&relative| self.first as usize + usize::from(relative))
    }
}

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
    /// 128-bit registers of ARM, 16 products in one instruction.
    Sdot,
}

impl Kernel {
    /// Returns the kernels that this processor supports, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        [Kernel::Portable, Kernel::Avx2, Kernel::Avx2Tiles, Kernel::Vnni, Kernel::Sdot]
            .into_iter()
            .filter(|kernel| kernel.is_available())
            .collect()
    }

    /// Returns the fastest kernel of this processor.
    #[must_use]
    pub fn best() -> Kernel {
        let fastest = [Kernel::Vnni, Kernel::Avx2Tiles, Kernel::Sdot];
        fastest.into_iter().find(|kernel| kernel.is_available()).unwrap_or(Kernel::Portable)
    }

    /// Returns true if the kernel computes layers of 3x3 points by tiles.
    pub(super) fn has_tiles(self) -> bool {
        self == Kernel::Avx2Tiles
    }

    /// Returns the kernel without tiles.
    pub(super) fn without_tiles(self) -> Kernel {
        if self.has_tiles() { Kernel::Avx2 } else { self }
    }

    /// Returns the number of points computed together: weights are read once for all of them.
    pub(super) fn points_at_once(self) -> usize {
        match self {
            Kernel::Portable => SPAN,
            Kernel::Avx2 | Kernel::Avx2Tiles => AVX2_POINTS,
            Kernel::Vnni => VNNI_POINTS,
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
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Avx2Tiles | Kernel::Vnni => false,
            #[cfg(target_arch = "aarch64")]
            Kernel::Sdot => std::arch::is_aarch64_feature_detected!("dotprod"),
            #[cfg(not(target_arch = "aarch64"))]
            Kernel::Sdot => false,
        }
    }
}

/// The computation of one layer: cells of a padded board, one board for each block of [`LANES`] channels, and the
/// points of the board.
pub(super) struct Job<'a> {
    /// The layer.
    pub(super) layer: &'a Convolution,
    /// Boards of the input, each with [`SPAN`] cells behind its last point.
    pub(super) input: &'a [Cell],
    /// The points of the board, in groups of [`Kernel::points_at_once`].
    pub(super) groups: &'a [Group],
    /// The same points in tiles.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only AVX2 has tiles"))]
    pub(super) tiles: &'a [Tile],
    /// Offsets from a point of the padded board to its neighbours, for each tap of the layer.
    pub(super) offsets: &'a [isize],
    /// Number added to the sums of each output: bias and rounding.
    pub(super) bias: &'a [i32],
    /// True if activations are added to those in the output, false if they replace them.
    pub(super) adds: bool,
}

impl Job<'_> {
    /// Computes the layer on all points of the board. A kernel that this processor does not support is replaced by
    /// plain loops.
    pub(super) fn run(&self, kernel: Kernel, workspace: Option<&mut Workspace>, output: &mut [Cell]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(workspace) = workspace
            && self.layer.taps == TAPS
            && kernel.has_tiles()
            && kernel.is_available()
        {
            // SAFETY: `is_available` has just detected AVX2, which is all that the function requires.
            return unsafe { x86::avx2_tiles(self, workspace, output) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = workspace;
        for block in 0..self.layer.out_blocks {
            match kernel {
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2 | Kernel::Avx2Tiles if kernel.is_available() => {
                    // SAFETY: `is_available` has just detected AVX2, which is all that the function requires.
                    unsafe { x86::avx2(self, block, output) }
                }
                #[cfg(target_arch = "x86_64")]
                Kernel::Vnni if kernel.is_available() => {
                    // SAFETY: `is_available` has just detected the parts of AVX-512 that the function requires.
                    unsafe { x86::vnni(self, block, output) }
                }
                #[cfg(target_arch = "aarch64")]
                Kernel::Sdot if kernel.is_available() => {
                    // SAFETY: `is_available` has just detected dot products, which are all that the function requires.
                    unsafe { aarch64::sdot(self, block, output) }
                }
                _ => self.portable(block, output),
            }
        }
    }

    /// Returns the input cells of block `k` that contain the group's points, shifted by `tap`.
    #[inline(always)]
    fn window(&self, group: &Group, tap: usize, k: usize) -> &[Cell; SPAN] {
        let board = self.input.len() / self.layer.in_blocks;
        let first = k * board + (group.first as isize + self.offsets[tap]) as usize;
        self.input[first..].first_chunk().expect("cells behind the last point")
    }

    /// Converts the sums of a group into activations and writes them.
    #[inline(always)]
    fn finish_all(&self, group: &Group, block: usize, sums: &[Sums], output: &mut [Cell]) {
        for (point, sums) in group.points().zip(sums) {
            self.finish(point, block, sums, output);
        }
    }

    /// Converts sums into activations and writes them.
    #[inline(always)]
    fn finish(&self, point: usize, block: usize, sums: &Sums, output: &mut [Cell]) {
        let at = block * (output.len() / self.layer.out_blocks) + point;
        let outputs = block * LANES..(block + 1) * LANES;
        let bias: &Sums = self.bias[outputs.clone()].try_into().expect("one a lane");
        let shifts: &[i32; LANES] = self.layer.shifts[outputs].try_into().expect("one a lane");
        let result = &mut output[at].0;
        for lane in 0..LANES {
            let sum = sums[lane].wrapping_add(bias[lane]) >> (shifts[lane] & 31);
            let held = if self.adds { i32::from(result[lane]) } else { 0 };
            result[lane] = sum.wrapping_add(held).clamp(0, 127) as u8;
        }
    }

    fn portable(&self, block: usize, output: &mut [Cell]) {
        for group in self.groups {
            let mut sums = [[0; LANES]; SPAN];
            let mut weights = self.layer.of_block(block);
            for tap in 0..self.offsets.len() {
                for k in 0..self.layer.in_blocks {
                    let window = self.window(group, tap, k);
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
            self.finish_all(group, block, &sums, output);
        }
    }
}

/// Returns four channels of a cell.
#[inline(always)]
fn four_of(window: &[Cell; SPAN], relative: u8, four: usize) -> [u8; 4] {
    window[usize::from(relative) % SPAN].0.as_chunks::<4>().0[four]
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

/// Loads and stores of 256-bit registers, without alignment.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn load_16_bytes(bytes: &[u8; 16]) -> __m128i {
        // SAFETY: `bytes` has exactly the 16 bytes that are read.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn load_32_bytes(bytes: &[i8; 32]) -> __m256i {
        // SAFETY: `bytes` has exactly the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn load_i16(numbers: &[i16; 16]) -> __m256i {
        // SAFETY: `numbers` has exactly the 16 numbers of 16 bits that are read.
        unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn load_i32(numbers: &[i32; 8]) -> __m256i {
        // SAFETY: `numbers` has exactly the 8 numbers of 32 bits that are read.
        unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn store_i16(into: &mut [i16; 16], register: __m256i) {
        // SAFETY: `into` has exactly the 16 numbers of 16 bits that are written.
        unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), register) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn store_i32(into: &mut [i32; 8], register: __m256i) {
        // SAFETY: `into` has exactly the 8 numbers of 32 bits that are written.
        unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), register) }
    }
}

/// The kernels of x86-64, in loops without closures: a closure inherits the target features of its function, so that
/// functions without them, such as `array::map`, cannot be inlined together with it.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::avx2::{load_32_bytes, store_i32};
    use super::{AVX2_POINTS, Cell, Group, Job, LANES, Lanes, Sums, VNNI_POINTS, four_of};
    use crate::network::winograd::{TILES, Workspace, avx2 as tiled};
    use std::arch::x86_64::*;

    /// Computes a layer of 3x3 points, all blocks of outputs, with AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2_tiles(job: &Job<'_>, workspace: &mut Workspace, output: &mut [Cell]) {
        let board = job.input.len() / job.layer.in_blocks;
        let Workspace { inputs, sums, outputs } = workspace;
        for tiles in job.tiles.chunks(TILES) {
            for (board, into) in job.input.chunks_exact(board).zip(inputs.as_chunks_mut().0) {
                tiled::transform_inputs(tiles, board, into);
            }
            for block in 0..job.layer.out_blocks {
                for (place, sums) in sums.iter_mut().enumerate() {
                    let weights = job.layer.of_place(block, place);
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
                        job.finish(point, block, &outputs[output_number], output);
                    }
                }
            }
        }
    }

    /// Computes one block of outputs on all points with AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(job: &Job<'_>, block: usize, output: &mut [Cell]) {
        for group in job.groups {
            let mut stored = [[0; LANES]; AVX2_POINTS];
            avx2_group(job, block, group, &mut stored);
            job.finish_all(group, block, &stored, output);
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn avx2_group(job: &Job<'_>, block: usize, group: &Group, stored: &mut [Sums; AVX2_POINTS]) {
        const REGISTERS: usize = LANES / 8;
        let ones = _mm256_set1_epi16(1);
        let mut sums = [[_mm256_setzero_si256(); AVX2_POINTS]; REGISTERS];
        let mut weights = job.layer.of_block(block);
        for tap in 0..job.offsets.len() {
            for k in 0..job.layer.in_blocks {
                let window = job.window(group, tap, k);
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
    pub(super) fn vnni(job: &Job<'_>, block: usize, output: &mut [Cell]) {
        for group in job.groups {
            let mut stored = [[0; LANES]; VNNI_POINTS];
            vnni_group(job, block, group, &mut stored);
            job.finish_all(group, block, &stored, output);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    fn vnni_group(job: &Job<'_>, block: usize, group: &Group, stored: &mut [Sums; VNNI_POINTS]) {
        const REGISTERS: usize = LANES / 16;
        let mut sums = [[_mm512_setzero_si512(); REGISTERS]; VNNI_POINTS];
        let mut weights = job.layer.of_block(block);
        for tap in 0..job.offsets.len() {
            for k in 0..job.layer.in_blocks {
                let window = job.window(group, tap, k);
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
}
