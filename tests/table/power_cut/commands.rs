//! A power cut while a table is made from others.

use super::pages::{
    Image, Kind, choose, folder, identity, open, pages_of, power_cuts, put_together, repair, shape,
    temporary_files,
};
use crate::truth::{position, size};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tewari::base::rng::PlayoutRng;
use tewari::go::{Komi, Rules};
use tewari::search::policy::Rave;
use tewari::search::{Limits, Search, SearchParameters};
use tewari::table::{FileProblem, Lineage, Table, TableMode};

/// Size of a 9x9 table with more than 16,384 entries, so that a transfer reports its progress.
const BYTES: usize = 4 << 20;

fn search(table: &Table, seed: u64, simulations: u64) {
    let root = position(size(9, 9), Rules::CHINESE, Komi(15));
    let limits = Limits { simulations: Some(simulations), ..Limits::default() };
    let parameters = SearchParameters { seed, ..SearchParameters::default() };
    Search::new(table, Rave::default(), parameters).run(&root, limits, &mut |_| true);
}

fn searched(path: &Path, seed: u64) -> Table {
    let board = size(9, 9);
    let table = Table::create(path, &identity(board), shape(board, Kind::Ranked), BYTES).expect("a file");
    search(&table, seed, 3_000);
    table
}

/// Returns the contents of a temporary file at several moments of `make`, which calls its argument at these, and the
/// complete file.
fn watch(folder: &Path, made: &Path, make: impl FnOnce(&mut dyn FnMut())) -> Vec<Image> {
    let mut images = Vec::new();
    make(&mut || {
        for path in temporary_files(folder) {
            images.extend(std::fs::read(path).ok());
        }
    });
    assert!(!images.is_empty(), "no temporary file was seen");
    let complete = std::fs::read(made).expect("the file that was made");
    images.retain(|image| image.len() == complete.len());
    images.insert(0, vec![0; complete.len()]);
    images.push(complete);
    assert!(temporary_files(folder).is_empty());
    images
}

/// Checks that a file cut short is either refused as a table or harmless.
fn cut(folder: &Path, images: &[Image], seed: u64) {
    let path = folder.join("cut");
    let mut rng = PlayoutRng::new(seed, 5);
    let mut refused = 0;
    for _ in 0..power_cuts() / 3 {
        let chosen = choose(images.len(), pages_of(&images[0]), &mut rng);
        std::fs::write(&path, put_together(images, &chosen)).expect("written");
        if chosen[0] < images.len() - 1 {
            // An incomplete header means an incomplete file.
            let opened = Table::open(&path, TableMode::ReadWrite, None);
            assert_eq!(opened.err().map(|error| error.problem), Some(FileProblem::Magic));
            refused += 1;
        } else {
            let table = open(&path);
            search(&table, seed, 200);
            drop(table);
            repair(&path);
        }
    }
    assert!(refused > 0, "none was cut before it was complete");
}

fn tables_of(lineage: Option<&Lineage>) -> usize {
    lineage.map_or(0, Lineage::tables)
}

#[test]
fn a_merge_or_a_resize_that_is_cut_leaves_the_tables_as_they_were() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let [one, other] = ["one", "other"].map(|name| {
        searched(&at(name), name.len() as u64);
        Table::open(&at(name), TableMode::ReadOnly, None).expect("a table")
    });
    let before = std::fs::read(at("one")).expect("the file");
    let merged = watch(folder.path(), &at("sum"), |look| {
        let mut progress = |_: u64, _: u64| {
            look();
            true
        };
        let sum = Table::merge(&at("sum"), &[&one, &other], None, 2 * BYTES, false, &mut progress);
        assert_eq!(tables_of(sum.expect("a sum").0.lineage()), 2);
    });
    cut(folder.path(), &merged, 1);
    assert!(std::fs::read(at("one")).expect("the file") == before, "a source was changed");
    drop((one, other));
    let table = Table::open(&at("one"), TableMode::ReadOnly, None).expect("a table");
    let resized = watch(folder.path(), &at("one"), |look| {
        let mut progress = |_: u64, _: u64| {
            look();
            // Until the new table is complete, its name refers to the old one.
            assert!(std::fs::read(at("one")).expect("the file") == before, "the table was changed");
            true
        };
        Table::merge(&at("one"), &[&table], None, BYTES / 2, true, &mut progress).expect("a smaller one");
    });
    cut(folder.path(), &resized, 2);
}

/// Ends the searches of a test, also if it fails.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

#[test]
fn a_snapshot_that_is_cut_is_no_table_and_one_of_a_busy_table_is_sound() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let live = searched(&at("live"), 1);
    let stop = AtomicBool::new(false);
    let images = std::thread::scope(|scope| {
        let _stop = StopAtEnd(&stop);
        scope.spawn(|| {
            for seed in 0.. {
                search(&live, seed, 100);
                live.next_search();
                if stop.load(Relaxed) {
                    break;
                }
            }
        });
        watch(folder.path(), &at("copy"), |look| {
            std::thread::scope(|scope| {
                let copying = scope.spawn(|| {
                    let source = Table::open(&at("live"), TableMode::ReadOnly, None).expect("a table");
                    for _ in 0..50 {
                        source.snapshot(&at("copy"), true, &|| true).expect("a copy");
                        let copy = Table::open(&at("copy"), TableMode::ReadOnly, None).expect("a copy");
                        let survey = copy.scan(&mut |_| {});
                        let left = survey.unfinished_entries + survey.unfinished_pages + survey.orphans;
                        assert_eq!((survey.faults, left, survey.void_bounds), (0, 0, 0), "{survey:?}");
                        assert_eq!(copy.lineage(), live.lineage());
                        let census = copy.census();
                        let counted = (census.entries_used as u64, census.pages_used as u64);
                        assert_eq!(counted, (survey.entries, survey.pages));
                    }
                });
                while !copying.is_finished() {
                    look();
                }
            });
        })
    });
    // An image taken between the file's completion and its renaming is complete, so it is left out.
    let cut_short: Vec<Image> =
        images[..images.len() - 1].iter().filter(|image| image[0] == 0).cloned().collect();
    let complete = images.last().cloned();
    cut(folder.path(), &cut_short.into_iter().take(20).chain(complete).collect::<Vec<_>>(), 3);
}
