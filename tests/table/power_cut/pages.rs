//! Memory pages of different moments.

use std::path::{Path, PathBuf};
use tewari::base::rng::PlayoutRng;
use tewari::go::Size;
use tewari::table::{CloseState, Layout, Shape, Table, TableIdentity, TableMode, TableStatistics};

const PAGE: usize = 4096;
/// Index of the header's word about the use of the file: its lower bits identify the run of the machine, and the two
/// bits from [`STATE`] on are 1 while the file is in use.
const USE: usize = 19;
const PLACE: usize = 21;
const STATE: u32 = 30;

/// Number of files to compose on each board.
pub(crate) fn power_cuts() -> u64 {
    std::env::var("TEWARI_POWER_CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// Returns a folder, in memory if possible: the tests concern the contents of a file, not its way to the disk.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

pub(crate) fn identity(size: Size) -> TableIdentity {
    TableIdentity {
        game: format!("go {size}"),
        key_seed: 1,
        policy_state: String::new(),
        network: None,
        game_settings: String::new(),
    }
}

/// The kinds of edge pages.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Ranked,
    Complete,
    /// Complete pages with policy state: those of the smallest boards have 192 bytes, and some lie on two memory pages.
    WithPolicyState,
}

/// Returns the shape for a board.
pub(crate) fn shape(size: Size, kind: Kind) -> Shape {
    let moves = size.points() + 1;
    match kind {
        Kind::Ranked => Shape::ranked(moves),
        Kind::Complete => Shape::complete(moves),
        Kind::WithPolicyState => Shape { policy_state: true, ..Shape::complete(moves) },
    }
}

/// The contents of a file at some moment.
pub(crate) type Image = Vec<u8>;

/// Returns the index of the image for each page.
pub(crate) fn choose(images: usize, pages: usize, rng: &mut PlayoutRng) -> Vec<usize> {
    let newest = images - 1;
    let cut = rng.below(pages + 1);
    let [before, after] = [rng.below(images), rng.below(images)];
    let kind = rng.below(4);
    let mut chosen: Vec<usize> = (0..pages)
        .map(|page| match kind {
            0 => rng.below(images),
            1 if rng.below(8) == 0 => rng.below(images),
            1 => newest,
            2 if page < cut => before,
            2 => after,
            _ => rng.below(2) * newest,
        })
        .collect();
    // The system may also write the header at any time.
    chosen[0] = rng.below(images);
    chosen
}

pub(crate) fn pages_of(image: &Image) -> usize {
    image.len().div_ceil(PAGE)
}

/// Returns the file composed of these pages, marked as in use on an earlier run of the machine.
pub(crate) fn put_together(images: &[Image], chosen: &[usize]) -> Image {
    let mut file: Image = Vec::with_capacity(images[0].len());
    for (page, &image) in chosen.iter().enumerate() {
        let image = &images[image];
        file.extend_from_slice(&image[page * PAGE..image.len().min((page + 1) * PAGE)]);
    }
    let word = word(&file, USE) ^ 1;
    file[8 * USE..8 * USE + 8].copy_from_slice(&(word & !(3 << STATE) | 1 << STATE).to_le_bytes());
    // The file must not look like a copy of another, which would be in doubt on this run, too.
    file[8 * PLACE..8 * PLACE + 8].fill(0);
    file
}

fn word(image: &[u8], index: usize) -> u64 {
    u64::from_le_bytes(*image[8 * index..].first_chunk().expect("a word"))
}

/// Returns the numbers and keys of the edge pages on memory pages of different claims.
pub(crate) fn torn_pages(images: &[Image], chosen: &[usize], layout: &Layout) -> Vec<(u32, u64)> {
    let words = layout.shape.page_words();
    let pool = layout.words() - layout.pages * words;
    let mut torn = Vec::new();
    for index in 0..layout.pages {
        let start = pool + index * words;
        let head = |page: usize| {
            let image = &images[chosen[page]];
            (word(image, start), word(image, start + 1) as u32)
        };
        let first = 8 * start / PAGE;
        // The words after these are unused.
        let last = 8 * (start + used_words(layout.shape) - 1) / PAGE;
        let (owner, sequence) = head(first);
        if owner != 0 && sequence & 1 == 0 && (first + 1..=last).any(|page| head(page) != (owner, sequence)) {
            torn.push((index as u32 + 1, owner));
        }
    }
    torn
}

/// Returns the number of words in use in a page.
fn used_words(shape: Shape) -> usize {
    let edges = shape.edges();
    let state = if shape.policy_state { edges } else { 0 };
    6 + edges + if shape.ranked { 2 } else { edges.div_ceil(2) } + state
}

/// Opens such a file for searches.
pub(crate) fn open(path: &Path) -> Table {
    let table = Table::open(path, TableMode::ReadWrite, None).expect("a table");
    assert_eq!(table.close_state(), Some(CloseState::OtherBoot));
    table
}

/// Checks that the table returns no edge page on memory pages of different claims.
pub(crate) fn assert_no_torn_page_is_found(table: &Table, torn: &[(u32, u64)]) {
    for &(number, owner) in torn {
        let found = table.find(owner).and_then(|entry| table.page(&entry).map(|page| page.number()));
        assert_ne!(found, Some(number), "an edge page of two positions");
    }
}

/// Repairs the file and checks that a second survey finds nothing; returns the faults found first.
pub(crate) fn repair(path: &Path) -> TableStatistics {
    let mut table = Table::open(path, TableMode::ReadWrite, None).expect("a table");
    table.lock_exclusively().expect("nobody else");
    let found = table.repair(&mut |_| {});
    let left = table.scan(&mut |_| {});
    let counts =
        [left.faults, left.unfinished_entries, left.unfinished_pages, left.orphans, left.void_bounds];
    assert_eq!(counts, [0; 5], "{found:?}, then {left:?}");
    let census = table.census();
    assert_eq!((census.entries_used as u64, census.pages_used as u64), (left.entries, left.pages));
    found
}

/// Returns the temporary files of tables in a folder.
pub(crate) fn temporary_files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok).map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "tmp")).collect()
}
