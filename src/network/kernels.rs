//! Sums of products of bytes: the one place where a network spends its time, and with
//! `table/backing.rs` one of two files with `unsafe`, here for the processor's own instructions.
//!
//! Activations are 0 to 127 and weights -128 to 127, so two products fit the 16 bits of `vpmaddubsw` and
//! nothing saturates; integer sums do not depend on their order. So all kernels give the same bits, and a
//! test compares them.

#![allow(unsafe_code)]

use super::layer::Convolution;

/// Channels side by side in memory; layers have a multiple of them.
pub const LANES: usize = 32;

/// The activations of [`LANES`] channels on one point: one AVX2 register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Cell(pub [u8; LANES]);

/// Weights from four channels to [`LANES`] outputs, four bytes an output.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub(super) [i8; 4 * LANES]);

/// Sums of [`LANES`] outputs on one point.
type Sums = [i32; LANES];

/// Points at once in plain loops, so that weights are brought into order once for all of them.
const PORTABLE_POINTS: usize = 16;

/// How sums of products are made. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain loops, for every processor.
    Portable,
    /// 256-bit registers, 32 products in two instructions.
    Avx2,
    /// 512-bit registers, 64 products in one instruction.
    Vnni,
}

impl Kernel {
    /// The kernels that this processor can run, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        [Kernel::Portable, Kernel::Avx2, Kernel::Vnni]
            .into_iter()
            .filter(|kernel| kernel.is_available())
            .collect()
    }

    /// The fastest kernel of this processor.
    #[must_use]
    pub fn best() -> Kernel {
        if Kernel::Vnni.is_available() {
            Kernel::Vnni
        } else if Kernel::Avx2.is_available() {
            Kernel::Avx2
        } else {
            Kernel::Portable
        }
    }

    /// Whether this processor can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Kernel::Avx2 | Kernel::Vnni => false,
        }
    }
}

/// What a layer reads and writes: cells of a padded board, [`Convolution::in_blocks`] a point, and which of its
/// points belong to the board.
pub(super) struct Job<'a> {
    /// The layer.
    pub(super) layer: &'a Convolution,
    /// Cells of the input.
    pub(super) input: &'a [Cell],
    /// The padded points of the board.
    pub(super) points: &'a [u32],
    /// From a point of the padded board to its neighbours, for each tap of the layer.
    pub(super) offsets: &'a [isize],
    /// What is added to the sums of each output: bias and rounding.
    pub(super) bias: &'a [i32],
    /// Whether activations are added to those that the output holds, or take their place.
    pub(super) adds: bool,
}

impl Job<'_> {
    /// Does the layer on all points of the board. A kernel that this processor does not have is replaced by plain loops.
    pub(super) fn run(&self, kernel: Kernel, output: &mut [Cell]) {
        for block in 0..self.layer.out_blocks {
            match kernel {
                #[cfg(target_arch = "x86_64")]
                Kernel::Avx2 if kernel.is_available() => {
                    // SAFETY: the processor has just said that it has AVX2, all that the function needs.
                    unsafe { x86::avx2(self, block, output) }
                }
                #[cfg(target_arch = "x86_64")]
                Kernel::Vnni if kernel.is_available() => {
                    // SAFETY: the processor has just said that it has these parts of AVX-512, all that the
                    // function needs.
                    unsafe { x86::vnni(self, block, output) }
                }
                _ => self.portable(block, output),
            }
        }
    }

    /// The cells of the input that `point` and `tap` meet.
    #[inline(always)]
    fn cells(&self, point: u32, tap: usize) -> &[Cell] {
        let blocks = self.layer.in_blocks;
        let first = (point as isize + self.offsets[tap]) as usize * blocks;
        &self.input[first..first + blocks]
    }

    /// Turns sums into activations and writes them.
    #[inline(always)]
    fn finish(&self, point: u32, block: usize, sums: &Sums, output: &mut [Cell]) {
        let at = point as usize * self.layer.out_blocks + block;
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
        for points in self.points.chunks(PORTABLE_POINTS) {
            let mut sums = [[0; LANES]; PORTABLE_POINTS];
            let mut weights = self.layer.of_block(block);
            for tap in 0..self.offsets.len() {
                for k in 0..self.layer.in_blocks {
                    let (these, rest) = weights.split_at(LANES / 4);
                    weights = rest;
                    for (four, lanes) in these.iter().enumerate() {
                        let weights = by_channel(lanes);
                        for (&point, sums) in points.iter().zip(&mut sums) {
                            let x = self.cells(point, tap)[k].0.as_chunks::<4>().0[four];
                            add_products(sums, x, &weights);
                        }
                    }
                }
            }
            for (&point, sums) in points.iter().zip(&sums) {
                self.finish(point, block, sums, output);
            }
        }
    }
}

/// The weights of one channel after the other, in 16 bits.
#[inline(always)]
fn by_channel(lanes: &Lanes) -> [[i16; LANES]; 4] {
    let four = lanes.0.as_chunks::<4>().0;
    std::array::from_fn(|channel| std::array::from_fn(|lane| i16::from(four[lane][channel])))
}

/// Pairs of products fit 16 bits, where a compiler finds fast instructions on every processor.
#[inline(always)]
fn add_products(sums: &mut Sums, x: [u8; 4], weights: &[[i16; LANES]; 4]) {
    let x = x.map(i16::from);
    for lane in 0..LANES {
        let one = x[0].wrapping_mul(weights[0][lane]).wrapping_add(x[1].wrapping_mul(weights[1][lane]));
        let other = x[2].wrapping_mul(weights[2][lane]).wrapping_add(x[3].wrapping_mul(weights[3][lane]));
        sums[lane] += i32::from(one) + i32::from(other);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Cell, Job, LANES, Lanes, Sums};
    use std::arch::x86_64::*;

    /// Points at once with 256-bit registers: three times four sums, and what they are made of, fill all sixteen.
    const AVX2_POINTS: usize = 3;
    /// Points at once with 512-bit registers: eight times two sums hide the latency of the products.
    const VNNI_POINTS: usize = 8;

    /// Goes through the points in groups of `N`; the last group repeats the last point.
    macro_rules! in_groups {
        ($job:expr, $block:expr, $output:expr, $group:ident, $points:expr) => {
            for group in $job.points.chunks($points) {
                let last = group.len() - 1;
                let points: [u32; $points] = std::array::from_fn(|i| group[i.min(last)]);
                let sums = $group($job, $block, points);
                for (point, sums) in group.iter().zip(&sums) {
                    $job.finish(*point, $block, sums, $output);
                }
            }
        };
    }

    /// Outputs of one block on all points, with AVX2.
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(job: &Job<'_>, block: usize, output: &mut [Cell]) {
        in_groups!(job, block, output, avx2_group, AVX2_POINTS);
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn avx2_group(job: &Job<'_>, block: usize, points: [u32; AVX2_POINTS]) -> [Sums; AVX2_POINTS] {
        const REGISTERS: usize = LANES / 8;
        let ones = _mm256_set1_epi16(1);
        let mut sums = [[_mm256_setzero_si256(); AVX2_POINTS]; REGISTERS];
        let mut weights = job.layer.of_block(block);
        for tap in 0..job.offsets.len() {
            let cells = points.map(|point| job.cells(point, tap));
            for k in 0..job.layer.in_blocks {
                let cells = cells.map(|cells| cells[k].0.as_chunks::<4>().0);
                let (these, rest) = weights.split_at(LANES / 4);
                weights = rest;
                for (four, lanes) in these.iter().enumerate() {
                    let x = cells.map(|cell| _mm256_set1_epi32(i32::from_le_bytes(cell[four])));
                    for (register, sums) in sums.iter_mut().enumerate() {
                        let w = load_256(lanes, register);
                        for (sum, x) in sums.iter_mut().zip(x) {
                            let products = _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), ones);
                            *sum = _mm256_add_epi32(*sum, products);
                        }
                    }
                }
            }
        }
        let mut stored = [[0; LANES]; AVX2_POINTS];
        for (register, sums) in sums.into_iter().enumerate() {
            for (stored, sum) in stored.iter_mut().zip(sums) {
                let part = &mut stored.as_chunks_mut::<8>().0[register];
                // SAFETY: `part` is 8 numbers of 32 bits, as many as are written; alignment is not needed.
                unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), sum) };
            }
        }
        stored
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load_256(lanes: &Lanes, register: usize) -> __m256i {
        let part = &lanes.0.as_chunks::<32>().0[register];
        // SAFETY: `part` is 32 bytes, as many as are read; alignment is not needed.
        unsafe { _mm256_loadu_si256(part.as_ptr().cast()) }
    }

    /// Outputs of one block on all points, with AVX-512 VNNI.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) fn vnni(job: &Job<'_>, block: usize, output: &mut [Cell]) {
        in_groups!(job, block, output, vnni_group, VNNI_POINTS);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    fn vnni_group(job: &Job<'_>, block: usize, points: [u32; VNNI_POINTS]) -> [Sums; VNNI_POINTS] {
        const REGISTERS: usize = LANES / 16;
        let mut sums = [[_mm512_setzero_si512(); REGISTERS]; VNNI_POINTS];
        let mut weights = job.layer.of_block(block);
        for tap in 0..job.offsets.len() {
            let cells = points.map(|point| job.cells(point, tap));
            for k in 0..job.layer.in_blocks {
                let cells = cells.map(|cells| cells[k].0.as_chunks::<4>().0);
                let (these, rest) = weights.split_at(LANES / 4);
                weights = rest;
                for (four, lanes) in these.iter().enumerate() {
                    let w: [__m512i; REGISTERS] = std::array::from_fn(|register| load_512(lanes, register));
                    for point in 0..VNNI_POINTS {
                        let x = _mm512_set1_epi32(i32::from_le_bytes(cells[point][four]));
                        for register in 0..REGISTERS {
                            let sum = &mut sums[point][register];
                            *sum = _mm512_dpbusd_epi32(*sum, x, w[register]);
                        }
                    }
                }
            }
        }
        let mut stored = [[0; LANES]; VNNI_POINTS];
        for (stored, sums) in stored.iter_mut().zip(sums) {
            for (stored, sum) in stored.as_chunks_mut::<16>().0.iter_mut().zip(sums) {
                // SAFETY: `stored` is 16 numbers of 32 bits, as many as are written; alignment is not needed.
                unsafe { _mm512_storeu_si512(stored.as_mut_ptr().cast(), sum) };
            }
        }
        stored
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load_512(lanes: &Lanes, register: usize) -> __m512i {
        let part = &lanes.0.as_chunks::<64>().0[register];
        // SAFETY: `part` is 64 bytes, as many as are read; alignment is not needed.
        unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
    }
}
