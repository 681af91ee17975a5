//! Sound table files to be damaged.

use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;
use tewari::base::memory::MemoryBudget;
use tewari::engine::{Engine, EngineOptions, TableFile};
use tewari::go::{Komi, Rules};
use tewari::search::Limits;
use tewari::table::TableMode;

/// A small table that was searched until it was full.
pub struct Sound {
    /// Options of the engine that made it; the table file is to be set.
    pub options: EngineOptions,
    /// The contents of the file.
    pub bytes: Vec<u8>,
    /// The contents of another file of the same kind, with its own lineage.
    pub other: Vec<u8>,
    /// First words of header, directory and pool.
    pub areas: [usize; 3],
}

const HEADER_WORDS: usize = 64;
const ENTRY_WORDS: usize = 4;

/// Board, rules, half-points of komi, policy and bytes of the tables.
const KINDS: [(&str, Rules, i32, &str, u64); 5] = [
    ("3", Rules::CHINESE, 17, "rave", 8 << 10),
    ("4x3", Rules::TROMP_TAYLOR, 1, "ucb-improved", 12 << 10),
    ("5", Rules::CHINESE, 13, "rave", 16 << 10),
    ("2x1", Rules::CHINESE, -3, "ucb1", 2 << 10),
    ("3", Rules::JAPANESE, 0, "lazarus", 8 << 10),
];

/// Returns a table of one of a few kinds, each made once.
#[must_use]
pub fn sound(kind: u8) -> &'static Sound {
    static KINDS_MADE: OnceLock<Vec<Sound>> = OnceLock::new();
    let all = KINDS_MADE.get_or_init(|| (0..KINDS.len()).map(make).collect());
    &all[usize::from(kind & 0xf) % all.len()]
}

fn make(kind: usize) -> Sound {
    let (size, rules, komi, policy, bytes) = KINDS[kind];
    let mut options = EngineOptions {
        size: size.parse().expect("a size"),
        rules,
        komi: Komi(komi),
        policy: policy.parse().expect("a policy"),
        memory: MemoryBudget::Table(bytes),
        ..crate::small_options(1, 5)
    };
    options.parameters.expand_at = 1;
    let folder = crate::folder();
    let [bytes, other] = ["one", "other"].map(|name| search(&options, &folder, name));
    let pool = HEADER_WORDS + ENTRY_WORDS * entries(&folder.path().join("one"));
    Sound { options, bytes, other, areas: [0, HEADER_WORDS, pool] }
}

fn search(options: &EngineOptions, folder: &TempDir, name: &str) -> Vec<u8> {
    let path = folder.path().join(name);
    let mut engine = Engine::new(in_file(options, &path, TableMode::ReadWrite)).expect("an engine");
    let player = tewari::base::game::Player::Black;
    let limits = Limits { simulations: Some(300), ..Limits::default() };
    engine.search(player, limits, &mut |_| true).expect("a network in this process");
    drop(engine);
    std::fs::read(path).expect("the file")
}

fn entries(path: &Path) -> usize {
    let table = tewari::table::Table::open(path, TableMode::ReadOnly, None).expect("a table");
    table.layout().entries()
}

/// Returns the same options with the table in a file.
#[must_use]
pub fn in_file(options: &EngineOptions, path: &Path, mode: TableMode) -> EngineOptions {
    let (path, board) = (path.to_owned(), options.size);
    let file = TableFile { path, board, mode, is_limited: false, sync: None };
    EngineOptions { table_file: Some(file), ..options.clone() }
}

/// Corrects the checksum of a table file's header.
pub fn mend_checksum(file: &mut [u8]) {
    const CHECKSUM: std::ops::Range<usize> = 56..64;
    if file.len() < 8 * HEADER_WORDS {
        return;
    }
    let fixed = file[..56].iter().chain(&file[64..128]).chain(&file[256..512]).copied();
    let sum = crate::fnv(fixed);
    file[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
}
