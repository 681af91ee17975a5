//! Rooms import downwards only, `unsafe` stays in few files, operating systems are named only in `base/platform`, and only
//! the command line prints.

use crate::sources::{Source, sources};
use std::path::Path;

/// A room of the sources with the rooms that it may use, as the list in `src/lib.rs` has it.
struct Room {
    name: String,
    may_use: Vec<String>,
}

/// Returns the rooms listed in the documentation of `src/lib.rs`: lines such as "//! - [`go`] (uses `base`): …".
fn rooms() -> Vec<Room> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"))
        .expect("src/lib.rs");
    let mut rooms: Vec<Room> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("//! - [`")) {
        let (name, rest) = line.split_once("`]").expect("a name");
        let (uses, _) =
            rest.trim_start().strip_prefix("(uses ").and_then(|it| it.split_once(')')).expect("(uses …)");
        let may_use = match uses {
            "every room" => rooms.iter().map(|room| room.name.clone()).collect(),
            uses => uses.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        };
        rooms.push(Room { name: name.to_owned(), may_use });
    }
    rooms
}

/// The files with `unsafe`: memory, a signal, and processor instructions.
const UNSAFE: &[&str] = &[
    "base/platform/memory.rs",
    "base/platform/process.rs",
    "table/backing.rs",
    "network/kernels/mod.rs",
    "network/kernels/x86.rs",
    "network/kernels/amx.rs",
    "network/kernels/avx2_registers.rs",
    "network/kernels/aarch64.rs",
];

/// Names of systems and of their specific features, allowed only in `platform`.
const SYSTEMS: &[&str] = &[
    "std::os::",
    "rustix",
    "libc::",
    "Advice",
    "\"/proc",
    "\"/sys",
    "\"/dev",
    "target_os",
    "target_family",
    "cfg(unix",
    "cfg(windows",
    "cfg(not(unix",
    "cfg(not(windows",
    "cfg!(unix",
    "cfg!(windows",
];

/// Returns the modules that a line of code names after `crate::`.
fn used_modules(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .collect()
}

/// Returns the violations in `line` of a file, which is named from `src` on.
fn violations(rooms: &[Room], file: &str, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let name = file.split('/').next().unwrap_or_default();
    let Some(room) = rooms.iter().find(|room| room.name == name) else {
        return vec![format!("{name} is no room")];
    };
    for used in used_modules(line) {
        if used != name && !room.may_use.iter().any(|allowed| allowed == used) {
            found.push(format!("{name} may not use {used}"));
        }
    }
    let code = line.split("//").next().unwrap_or_default();
    let has_unsafe = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
    if has_unsafe && !UNSAFE.contains(&file) {
        found.push(format!("unsafe outside {}", UNSAFE.join(" and ")));
    }
    if !file.starts_with("base/platform/") {
        let names = SYSTEMS.iter().filter(|name| code.contains(*name));
        found.extend(names.map(|name| format!("{name} outside platform")));
    }
    let prints = ["println!", "eprintln!", "print!(", "process::exit"].iter().any(|word| code.contains(word));
    if prints && name != "cli" {
        found.push("printing or exiting outside the command line".to_owned());
    }
    found
}

#[test]
fn no_room_imports_upwards() {
    let rooms = rooms();
    assert!(rooms.len() <= 13, "{} rooms", rooms.len());
    for (number, room) in rooms.iter().enumerate() {
        let is_below = |used: &String| rooms[..number].iter().any(|below| below.name == *used);
        assert!(room.may_use.iter().all(is_below), "{} uses a room that is listed after it", room.name);
    }
    let mut wrong = Vec::new();
    for Source { name, text } in sources().iter().filter(|source| source.name.contains('/')) {
        for (number, line) in text.lines().enumerate() {
            let found = violations(&rooms, name, line);
            wrong.extend(found.into_iter().map(|what| format!("{name}:{}: {what}", number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_check_finds_violations() {
    let rooms = rooms();
    for (file, line) in [
        ("table/mod.rs", "use crate::go::Board;"),
        ("go/mod.rs", "let _ = crate::search::Limits::default();"),
        // Grouped imports would hide from the check, so they count as wrong.
        ("go/mod.rs", "use crate::{base::game::Move, search};"),
        ("search/mod.rs", "let board: crate::go::Board = todo();"),
        ("protocols/mod.rs", "use crate::cli::Cli;"),
        ("search/mod.rs", "println!(\"hello\");"),
        ("go/mod.rs", "unsafe { core::hint::unreachable_unchecked() }"),
        ("play/mod.rs", "use std::os::unix::fs::PermissionsExt;"),
        ("table/mod.rs", "#[cfg(target_os = \"linux\")]"),
        ("lab/mod.rs", "let text = fs::read_to_string(\"/proc/self/status\");"),
        ("unheard_of/mod.rs", ""),
    ] {
        assert_eq!(violations(&rooms, file, line).len(), 1, "{file}: {line}");
    }
    assert!(violations(&rooms, "search/mod.rs", "use crate::table::Table; // not crate::go").is_empty());
    assert!(violations(&rooms, "cli/mod.rs", "println!(\"fine\");").is_empty());
    assert!(violations(&rooms, "base/platform/mod.rs", "#[cfg(not(unix))]").is_empty());
}
