//! A position that a file contains twice, since two workers made it at the same moment, appears once in other files.

use super::process::{Folder, info, stderr, table, verify};
use std::fs;
use std::path::Path;

const HEADER_BYTES: usize = 512;
const BUCKET_BYTES: usize = 128;
const ENTRY_BYTES: usize = 32;

/// Copies entries to free places of their buckets; returns the keys.
fn duplicate_entries(path: &Path, count: usize) -> Vec<[u8; 8]> {
    let mut bytes = fs::read(path).expect("the file");
    let buckets = u64::from_le_bytes(*bytes[4 * 8..].first_chunk().expect("a word")) as usize;
    let mut keys = Vec::new();
    for bucket in bytes[HEADER_BYTES..].chunks_mut(BUCKET_BYTES).take(buckets) {
        let key_at =
            |bucket: &[u8], place: usize| *bucket[place * ENTRY_BYTES..].first_chunk().expect("a word");
        let free = (0..4).find(|&place| key_at(bucket, place) == [0; 8]);
        if let Some(free) = free
            && free > 0
            && keys.len() < count
        {
            bucket.copy_within(..ENTRY_BYTES, free * ENTRY_BYTES);
            keys.push(key_at(bucket, 0));
        }
    }
    assert_eq!(keys.len(), count);
    fs::write(path, bytes).expect("written");
    keys
}

fn occurrences(path: &Path, key: [u8; 8]) -> usize {
    let bytes = fs::read(path).expect("the file");
    let entries = info(path)["entries"].as_u64().expect("a number") as usize;
    let directory = &bytes[HEADER_BYTES..][..entries * ENTRY_BYTES];
    directory.chunks(ENTRY_BYTES).filter(|entry| entry[..8] == key).count()
}

#[test]
fn a_position_that_a_source_holds_twice_is_placed_once() {
    let folder = Folder::new();
    let path = folder.table("a.tewari", 2000);
    let before = info(&path)["entriesUsed"].as_u64().expect("a number");
    let keys = duplicate_entries(&path, 100);
    assert_eq!(info(&path)["entriesUsed"], before + 100);
    assert!(keys.iter().all(|&key| occurrences(&path, key) == 2));
    let other = folder.path("b.tewari");
    let made = table(&["create", "--size", "9", "--table-size", "1MiB"], &[&other]);
    assert!(made.status.success(), "{}", stderr(&made));
    let out = folder.path("c.tewari");
    let name = out.to_str().expect("a name");
    for command in [&["merge", "-o", name][..], &["resize", "--table-size", "2MiB", "-o", name]] {
        let sources = if command[0] == "merge" { vec![path.as_path(), &other] } else { vec![path.as_path()] };
        let done = table(command, &sources);
        assert!(done.status.success(), "{}", stderr(&done));
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(said.contains(&format!("kept {before} of {before} positions")), "{said}");
        assert!(said.contains("100.0 % of the visits"), "{said}");
        assert!(keys.iter().all(|&key| occurrences(&out, key) == 1), "{command:?}");
        assert_eq!(info(&out)["entriesUsed"], before);
        verify(&out);
        fs::remove_file(&out).expect("removed");
    }
}
