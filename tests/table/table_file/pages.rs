//! A table file writes only changed pages to the disk.

use std::path::Path;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::search::policy::Rave;
use tewari::search::{Limits, Search, SearchParameters};
use tewari::table::{Shape, Table, TableIdentity, TableMode};

/// Returns the number of dirty bytes in the mapping of `path`, as the system reports them.
fn dirty_bytes(path: &Path) -> u64 {
    let smaps = std::fs::read_to_string("/proc/self/smaps").expect("Linux");
    let (mut is_it, mut kib) = (false, 0);
    for line in smaps.lines() {
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        if first.contains('-') {
            is_it = line.ends_with(path.to_str().expect("a name"));
        } else if is_it && ["Shared_Dirty:", "Private_Dirty:"].contains(&first) {
            kib += words.next().and_then(|number| number.parse::<u64>().ok()).expect("a number");
        }
    }
    kib << 10
}

fn search(table: &Table, root: &Position) {
    let search = Search::new(table, Rave::default(), SearchParameters::default());
    let limits = Limits { simulations: Some(10), ..Limits::default() };
    assert_eq!(search.run(root, limits, &mut |_| true).simulations, 10);
}

#[test]
fn ten_simulations_in_a_file_make_few_of_its_pages_dirty() {
    // Not in the folder for temporary files: if that is in memory, every page is dirty at once.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = folder.path().canonicalize().expect("its name").join("a.tewari");
    let size = Size::new(9, 9).expect("a size");
    let shape = Shape::complete(size.points() + 1);
    let root = Position::new(size, Rules::CHINESE, Komi(15));
    let identity = TableIdentity {
        game: "go 9x9".to_owned(),
        key_seed: 1,
        policy_state: String::new(),
        network: None,
        game_settings: String::new(),
    };
    // The pages of a file just created may all be dirty; those of a new mapping are not.
    drop(Table::create(&path, &identity, shape, 64 << 20).expect("a file"));
    let table = Table::open(&path, TableMode::ReadWrite, Some(&identity)).expect("the file");
    search(&table, &root);
    let dirty = dirty_bytes(&path);
    assert!(dirty > 0 && dirty <= 1 << 20, "{dirty} bytes");
}
