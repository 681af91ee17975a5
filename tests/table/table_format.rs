//! A reader of table files, written from `src/table/FORMAT.md` alone, finds the contents that the program reports.

#![cfg(unix)]

use crate::common;

use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;

/// A file as `FORMAT.md` describes it.
struct Reader {
    words: Vec<u64>,
}

/// The compared fields of an entry.
struct Position {
    value: u32,
    visits: u32,
    leaf_half_points: u64,
    leaf_playouts: u64,
    generation: u64,
    page: u64,
    bounds: Option<(i64, i64)>,
}

/// The compared fields of a position's pages.
#[derive(Default)]
struct Moves {
    /// Number, visits, and AMAF half-points and samples of each legal move.
    found: Vec<(usize, u64, (u64, u64))>,
    pages: u64,
    is_complete: bool,
}

fn bits(word: u64, from: u32, to: u32) -> u64 {
    word << (64 - to) >> (64 - to + from)
}

fn share(key: u64, parts: u64) -> u64 {
    ((u128::from(key) * u128::from(parts)) >> 64) as u64
}

impl Reader {
    fn open(path: &Path) -> Reader {
        let bytes = std::fs::read(path).expect("the file");
        assert!(bytes.len().is_multiple_of(8));
        let reader =
            Reader { words: bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect() };
        assert_eq!(&bytes[..8], b"TewariTT");
        assert_eq!(&bytes[8..16], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(reader.words[2], 5);
        let covered = [0..56, 64..128, 256..512].into_iter().flat_map(|range| bytes[range].to_vec());
        let sum = covered.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!((reader.words[7], reader.words[20]), (sum, 0));
        assert_eq!(reader.words.len() as u64, reader.pool() + reader.pages() * reader.page_words());
        reader
    }

    fn text(&self, from: usize, to: usize) -> String {
        let bytes: Vec<u8> = self.words[from..to].iter().flat_map(|word| word.to_le_bytes()).collect();
        String::from_utf8(bytes).expect("text").trim_end_matches('\0').to_owned()
    }

    fn moves(&self) -> u64 {
        bits(self.words[3], 0, 32)
    }

    fn has_policy_state(&self) -> bool {
        bits(self.words[3], 32, 33) == 1
    }

    fn buckets(&self) -> u64 {
        self.words[4]
    }

    fn pages(&self) -> u64 {
        self.words[5]
    }

    fn overflow(&self) -> u64 {
        64 + 16 * self.buckets()
    }

    fn pool(&self) -> u64 {
        self.overflow() + 16 * (self.buckets() / 8)
    }

    fn is_ranked(&self) -> bool {
        bits(self.words[3], 33, 34) == 1
    }

    fn edges(&self) -> u64 {
        if self.is_ranked() { 8 } else { self.moves() }
    }

    /// Returns the first words of the AMAF samples, of the move numbers and of the policy state, and the number of words.
    fn places(&self) -> [u64; 4] {
        let amaf = 6 + self.edges();
        let numbers = amaf + if self.is_ranked() { 0 } else { self.edges().div_ceil(2) };
        let state = numbers + if self.is_ranked() { 2 } else { 0 };
        [amaf, numbers, state, state + if self.has_policy_state() { self.edges() } else { 0 }]
    }

    fn page_words(&self) -> u64 {
        self.places()[3].next_multiple_of(8)
    }

    /// Returns the owner of the pages of a position.
    fn owner(&self, key: u64) -> u64 {
        let epoch = bits(self.words[19], 32, 64);
        let change = epoch.wrapping_mul((1 << 32) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.is_ranked() { key } else { key ^ change }
    }

    /// Returns all positions by key, and the number of keys in a bucket where they do not belong.
    fn positions(&self) -> (HashMap<u64, Position>, usize) {
        let mut found = HashMap::new();
        let mut misplaced = 0;
        for (index, entry) in self.words[64..self.pool() as usize].chunks(4).enumerate() {
            let &[key, total, meta, proof] = entry else { panic!("four words") };
            if key < 128 {
                continue;
            }
            let bucket = index as u64 / 4;
            let expected = if bucket < self.buckets() {
                share(key, self.buckets())
            } else {
                self.buckets() + share(key.rotate_left(32), self.buckets() / 8)
            };
            misplaced += usize::from(bucket != expected);
            let score = |from| bits(proof, from, from + 10) as i64 - 512;
            let is_proof = bits(proof, 20, 64) == bits(key, 0, 44);
            let bounds = Some((score(0), score(10))).filter(|&bounds| is_proof && bounds != (-512, 511));
            let position = Position {
                value: bits(total, 0, 32) as u32,
                visits: bits(total, 32, 64) as u32,
                leaf_half_points: bits(meta, 0, 14),
                leaf_playouts: bits(meta, 14, 27),
                generation: bits(meta, 28, 34),
                page: bits(meta, 34, 64),
                bounds,
            };
            found.entry(key).or_insert(position);
        }
        (found, misplaced)
    }

    /// Returns the moves on the pages of a position, the first of which is page `number`.
    fn chain(&self, key: u64, mut number: u64) -> Option<Moves> {
        let mut moves = Moves::default();
        let [amaf, numbers, ..] = self.places();
        while let Some(index) = number.checked_sub(1).filter(|&index| index < self.pages()) {
            let start = (self.pool() + index * self.page_words()) as usize;
            let words = &self.words[start..start + self.page_words() as usize];
            let is_in_chain =
                words[0] == self.owner(key) && words[1] & 1 == 0 && bits(words[1], 26, 32) == moves.pages;
            if !is_in_chain {
                break;
            }
            for edge in 0..self.edges() as usize {
                let word = words[6 + edge];
                let is_legal = bits(word, 0, 16) != 0xffff;
                let from = 12 * (edge as u32 % 4);
                let listed = || bits(words[numbers as usize + edge / 4], from, from + 12);
                let number = if self.is_ranked() { listed() } else { edge as u64 };
                if is_legal {
                    let half = || words[amaf as usize + edge / 2] >> (32 * (edge % 2));
                    let samples =
                        if self.is_ranked() { (0, 0) } else { (bits(half(), 0, 16), bits(half(), 16, 32)) };
                    moves.found.push((number as usize, bits(word, 36, 64), samples));
                }
            }
            moves.pages += 1;
            moves.is_complete = !self.is_ranked() || bits(words[numbers as usize + 1], 56, 57) == 0;
            number = bits(words[1], 32, 64);
        }
        (moves.pages > 0).then_some(moves)
    }
}

fn program(arguments: &[&str]) -> Value {
    let mut command = common::program();
    let output = command.args(arguments).stdin(Stdio::null()).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// Returns the number of a move such as `C4` on a board with `columns` columns and `rows` rows.
fn move_number(name: &str, columns: usize, rows: usize) -> usize {
    if name == "pass" {
        return columns * rows;
    }
    let column = "ABCDEFGHJKLMNOPQRST".find(&name[..1]).expect("a column");
    (name[1..].parse::<usize>().expect("a row") - 1) * columns + column
}

fn compare(columns: usize, rows: usize, options: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.tewari");
    let name = path.to_str().expect("a name");
    let size = format!("{columns}x{rows}");
    let search = ["analyze", "--size", &size, "--komi", "2.5", "--simulations", "400", "--format", "json"];
    let search = [&search[..], &["--table", name], options].concat();
    let analysis = program(&search);
    let info = program(&["table", "info", "--format", "json", name]);

    let reader = Reader::open(&path);
    assert_eq!(reader.text(8, 12), format!("go {size}"));
    assert_eq!(Value::from(reader.text(12, 14)), info["policyState"]);
    assert_eq!(Value::from(reader.text(32, 40)), info["setting"]);
    assert_eq!(Value::from(format!("{:#x}", reader.words[6])), info["keySeed"]);
    assert_eq!(
        reader.words[40..64].iter().filter(|&&number| number != 0).count() as u64,
        number(&info["tables"])
    );
    assert_eq!(
        (reader.words[16], reader.words[17]),
        (number(&info["generation"]), number(&info["openings"]) - 1)
    );
    assert_eq!(bits(reader.words[19], 30, 32), 2, "closed");
    assert_eq!(reader.pages(), number(&info["blocks"]));
    let (positions, misplaced) = reader.positions();
    assert_eq!((positions.len() as u64, misplaced), (number(&info["entriesUsed"]), 0));
    let bounded = positions.values().filter(|position| position.bounds.is_some()).count();
    assert_eq!(bounded as u64, number(&info["bounded"]));
    let of_now = positions.values().filter(|position| position.generation == reader.words[16]).count();
    assert_eq!(of_now as u64, number(&info["ages"][0]));

    let mut pages = 0;
    let mut numbers = Vec::new();
    for (&key, position) in &positions {
        assert!(position.leaf_half_points <= 2 * position.leaf_playouts);
        let Some(moves) = reader.chain(key, position.page) else { continue };
        pages += moves.pages;
        assert!(moves.found.iter().all(|(_, _, (half_points, samples))| *half_points <= 2 * samples));
        let visits: u64 = moves.found.iter().map(|(_, visits, _)| visits).sum();
        let counted = visits + position.leaf_playouts;
        assert!(counted <= u64::from(position.visits), "{counted} in {}", position.visits);
        numbers.clear();
        numbers.extend(moves.found.iter().map(|(number, ..)| *number));
        numbers.sort_unstable();
        assert!(numbers.is_sorted_by(|one, other| one < other), "a move is listed twice");
    }
    assert_eq!(pages, number(&info["blocksUsed"]));

    let root_visits = number(&analysis["rootInfo"]["visits"]);
    let moves = analysis["moveInfos"].as_array().expect("moves");
    assert!(!moves.is_empty());
    let told: Vec<(usize, u64)> = moves
        .iter()
        .map(|told| {
            let at = move_number(told["move"].as_str().expect("a move"), columns, rows);
            (at, number(&told["edgeVisits"]))
        })
        .collect();
    // The root is the most visited of the positions with these moves and visits.
    let is_root = |moves: Moves| {
        let visits_of = |at: usize| moves.found.iter().find(|(number, ..)| *number == at).map(|it| it.1);
        told.iter().all(|&(at, visits)| visits_of(at).unwrap_or(0) == visits)
    };
    let roots =
        positions.iter().filter(|(key, position)| reader.chain(**key, position.page).is_some_and(is_root));
    let (_, root) = roots.max_by_key(|(_, position)| position.visits).expect("a root");
    assert_eq!(u64::from(root.visits), root_visits);
    let winrate = analysis["rootInfo"]["winrate"].as_f64().expect("a win rate");
    assert!((f64::from(root.value) / f64::from(u32::MAX) - winrate).abs() < 1e-6);
    if let Some((lower, upper)) = root.bounds {
        let told = analysis["rootInfo"]["scoreBounds"].as_array().expect("bounds");
        assert!(told[0].as_i64() >= Some(lower) && told[1].as_i64() <= Some(upper), "{told:?}");
    }
}

#[test]
fn a_table_is_read_from_its_description() {
    compare(9, 9, &["--table-size", "4MiB"]);
    compare(5, 3, &["--table-size", "512KiB"]);
    compare(19, 19, &["--table-size", "4MiB"]);
}

#[test]
fn complete_pages_with_and_without_policy_state_are_read_too() {
    compare(19, 19, &["--table-size", "8MiB", "--network", "none"]);
    compare(9, 9, &["--table-size", "4MiB", "--network", "none"]);
    compare(9, 9, &["--table-size", "4MiB", "--policy", "ucb1-tuned"]);
    compare(13, 10, &["--table-size", "4MiB", "--policy", "lazarus"]);
}

#[test]
fn proven_bounds_are_read() {
    compare(3, 1, &["--table-size", "64KiB", "--network", "none"]);
    compare(2, 2, &["--table-size", "64KiB", "--network", "none"]);
}
