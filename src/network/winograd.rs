//! Convolutions over 3x3 points with a third of the products: minimal filtering in integers, exact to the last bit.
//!
//! A tile of 3x3 outputs depends on a window of 5x5 inputs. Window and weights are transformed so that the convolution
//! is 25 products, one for each of 5x5 places, instead of 81:
//!
//! ```text
//! outputs = Aᵀ [ (G w Gᵀ) ⊙ (Bᵀ x B) ] A
//! ```
//!
//! This is F(3x3, 3x3) for the points 0, 1, -1, 2 and infinity. `G` has halves and sixths, so six times `G` is used: all
//! numbers are integers, and the results are 36 times too large. Intermediate sums may exceed 32 bits, but final ones do
//! not, and sums that wrap do not depend on their order.
//!
//! Source: Lavin & Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016, section 4; the matrices follow
//! from the points by the Toom-Cook construction.

use super::cells::{LANES, Sums};

/// Side of a tile of outputs.
const TILE: usize = 3;
/// Side of the window of inputs of a tile.
const WINDOW: usize = TILE + 2;
/// Number of products of an input and an output for a tile.
pub(super) const TILE_PLACES: usize = WINDOW * WINDOW;
/// Number of tiles computed together: those of a 9x9 board, with numbers that stay in the caches.
pub(super) const TILES: usize = 9;

/// The inverse of nine modulo 2^32: multiplying a multiple of nine by it divides it by nine.
const NINTH: i32 = 0x38e3_8e39;

/// Inputs of one tile at one place.
pub(super) type Inputs = [i16; LANES];

/// A tile of a padded board. Inputs beyond the board's border affect only outputs outside the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    /// The padded points of its window, row by row.
    window: [u32; TILE_PLACES],
    /// The padded points of its outputs, row by row; `None` outside the board.
    outputs: [Option<u32>; TILE * TILE],
}

impl Tile {
    /// Returns all tiles of a board in `cells` cells, with `stride` cells from row to row and a border of one. Points
    /// of windows beyond the last cell are replaced by the last cell.
    pub(super) fn all(columns: usize, rows: usize, stride: usize, cells: usize) -> Vec<Tile> {
        let padded = |column: usize, row: usize| (row * stride + column).min(cells - 1) as u32;
        let tile = |first_column: usize, first_row: usize| Tile {
            window: std::array::from_fn(|i| padded(first_column + i % WINDOW, first_row + i / WINDOW)),
            outputs: std::array::from_fn(|i| {
                let (column, row) = (first_column + i % TILE, first_row + i / TILE);
                (column < columns && row < rows).then(|| padded(column + 1, row + 1))
            }),
        };
        let rows = (0..rows).step_by(TILE);
        rows.flat_map(|row| (0..columns).step_by(TILE).map(move |column| (column, row)))
            .map(|(column, row)| tile(column, row))
            .collect()
    }

    /// Returns its outputs on the board: their numbers in the tile, and their padded points.
    pub(super) fn outputs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.outputs.into_iter().enumerate().filter_map(|(number, point)| Some((number, point? as usize)))
    }
}

/// The working memory of a convolution by tiles.
pub(super) struct Workspace {
    /// Inputs, by block of channels, place and tile.
    pub(super) inputs: Vec<[Inputs; TILES]>,
    /// Sums of one block of outputs, by place and tile.
    pub(super) sums: Box<[[Sums; TILES]; TILE_PLACES]>,
    /// Sums of the outputs of one tile.
    pub(super) outputs: Box<[Sums; TILE * TILE]>,
}

impl Workspace {
    /// Creates working memory for layers of at most `in_blocks` blocks of inputs.
    pub(super) fn new(in_blocks: usize) -> Workspace {
        let inputs = vec![[[0; LANES]; TILES]; in_blocks * TILE_PLACES];
        Workspace {
            inputs,
            sums: Box::new([[[0; LANES]; TILES]; TILE_PLACES]),
            outputs: Box::new([[0; LANES]; TILE * TILE]),
        }
    }

    /// Returns the memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.inputs) + size_of_val(&*self.sums) + size_of_val(&*self.outputs)
    }
}

/// Transforms nine taps into the weights at the 25 places: G w Gᵀ, scaled by 36.
pub(super) fn transform_weights(taps: [i8; 9]) -> [i16; TILE_PLACES] {
    let side = |[a, b, c]: [i32; 3]| [3 * a, -3 * (a + b + c), b - a - c, a + 2 * b + 4 * c, 6 * c];
    let taps = taps.map(i32::from);
    let rows: [[i32; WINDOW]; TILE] =
        std::array::from_fn(|i| side([taps[3 * i], taps[3 * i + 1], taps[3 * i + 2]]));
    let columns: [[i32; WINDOW]; WINDOW] = std::array::from_fn(|i| side(rows.map(|row| row[i])));
    // At most 81 times 128, which fits 16 bits.
    std::array::from_fn(|i| columns[i % WINDOW][i / WINDOW] as i16)
}

/// The transforms of inputs and sums, and the products between them, with AVX2. All `unsafe` is in
/// [`kernels`](super::kernels).
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use super::super::cells::{Cell, LANES, Sums, WideLanes};
    use super::super::kernels::avx2_registers::{load_16_bytes, load_i16, load_i32, store_i16, store_i32};
    use super::{Inputs, NINTH, TILE, TILE_PLACES, TILES, Tile, WINDOW};
    use std::arch::x86_64::*;

    /// Transforms the windows of `tiles`, at most [`TILES`], into the 25 places: Bᵀ x B.
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn transform_inputs(
        tiles: &[Tile],
        board: &[Cell],
        into: &mut [[Inputs; TILES]; TILE_PLACES],
    ) {
        for (number, tile) in tiles.iter().enumerate() {
            for half in 0..LANES / 16 {
                let mut rows = [[_mm256_setzero_si256(); WINDOW]; WINDOW];
                for (row, points) in rows.iter_mut().zip(tile.window.as_chunks::<WINDOW>().0) {
                    for (input, &point) in row.iter_mut().zip(points) {
                        let bytes = &board[point as usize].0.as_chunks::<16>().0[half];
                        *input = _mm256_cvtepu8_epi16(load_16_bytes(bytes));
                    }
                    *row = input_side(*row);
                }
                for column in 0..WINDOW {
                    let [a, b, c, d, e] = &rows;
                    let places = input_side([a[column], b[column], c[column], d[column], e[column]]);
                    for (row, place) in places.into_iter().enumerate() {
                        let inputs = &mut into[row * WINDOW + column][number];
                        store_i16(&mut inputs.as_chunks_mut::<16>().0[half], place);
                    }
                }
            }
        }
    }

    /// Applies `Bᵀ` in one direction. Both directions together give at most 36 times 127.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn input_side([a, b, c, d, e]: [__m256i; WINDOW]) -> [__m256i; WINDOW] {
        let twice = |x| _mm256_add_epi16(x, x);
        let (db, ac, bc) = (_mm256_sub_epi16(d, b), _mm256_sub_epi16(a, c), _mm256_sub_epi16(b, c));
        [
            _mm256_add_epi16(twice(ac), db),
            _mm256_sub_epi16(db, _mm256_add_epi16(b, c)),
            _mm256_add_epi16(db, _mm256_add_epi16(twice(bc), bc)),
            db,
            _mm256_sub_epi16(_mm256_sub_epi16(e, c), twice(db)),
        ]
    }

    /// Applies `Aᵀ` in one direction.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn sum_side([a, b, c, d, e]: [__m256i; WINDOW]) -> [__m256i; TILE] {
        let twice = |x| _mm256_add_epi32(x, x);
        let (sum, difference) = (_mm256_add_epi32(b, c), _mm256_sub_epi32(b, c));
        [
            _mm256_add_epi32(_mm256_add_epi32(a, sum), d),
            _mm256_add_epi32(difference, twice(d)),
            _mm256_add_epi32(_mm256_add_epi32(sum, twice(twice(d))), e),
        ]
    }

    /// Computes the sums of the 3x3 outputs of the tile with this number.
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn transform_sums(
        sums: &[[Sums; TILES]; TILE_PLACES],
        number: usize,
        outputs: &mut [Sums; TILE * TILE],
    ) {
        let ninth = _mm256_set1_epi32(NINTH);
        for register in 0..LANES / 8 {
            let mut rows = [[_mm256_setzero_si256(); TILE]; WINDOW];
            for (row, places) in rows.iter_mut().zip(sums.as_chunks::<WINDOW>().0) {
                let mut loaded = [_mm256_setzero_si256(); WINDOW];
                for (loaded, place) in loaded.iter_mut().zip(places) {
                    *loaded = load_i32(&place[number].as_chunks::<8>().0[register]);
                }
                *row = sum_side(loaded);
            }
            for column in 0..TILE {
                let [a, b, c, d, e] = &rows;
                let scaled = sum_side([a[column], b[column], c[column], d[column], e[column]]);
                for (row, scaled) in scaled.into_iter().enumerate() {
                    // The sum is a multiple of 36: divided by four, and then by nine.
                    let divided = _mm256_mullo_epi32(_mm256_srai_epi32::<2>(scaled), ninth);
                    store_i32(&mut outputs[row * TILE + column].as_chunks_mut::<8>().0[register], divided);
                }
            }
        }
    }

    /// Computes the sums of `MANY` tiles from `FIRST` on at one place, for one half of a block of outputs: as many as
    /// the registers hold.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in super::super) fn add_products<const FIRST: usize, const MANY: usize>(
        inputs: &[[Inputs; TILES]],
        place: usize,
        weights: &[WideLanes],
        half: usize,
        stored: &mut [Sums; TILES],
    ) {
        let mut sums = [[_mm256_setzero_si256(); 2]; MANY];
        for (inputs, weights) in inputs.chunks_exact(TILE_PLACES).zip(weights.chunks_exact(LANES / 2)) {
            let tiles = &inputs[place];
            for (two, lanes) in weights.iter().enumerate() {
                let registers = &lanes.0.as_chunks::<16>().0[2 * half..];
                let w = [load_i16(&registers[0]), load_i16(&registers[1])];
                for (number, sums) in sums.iter_mut().enumerate() {
                    let [low, high] = tiles[FIRST + number].as_chunks::<2>().0[two];
                    let x = _mm256_set1_epi32(i32::from(high) << 16 | i32::from(low as u16));
                    for (sum, w) in sums.iter_mut().zip(w) {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, w));
                    }
                }
            }
        }
        for (number, sums) in sums.into_iter().enumerate() {
            let parts = stored[FIRST + number].as_chunks_mut::<8>().0;
            for (part, sum) in parts[2 * half..].iter_mut().zip(sums) {
                store_i32(part, sum);
            }
        }
    }
}
