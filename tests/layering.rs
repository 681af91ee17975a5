//! Layers import downwards only, `unsafe` stays in few files, operating systems are named only in `platform`, and only
//! the command line prints.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules that each module may use besides its own, lowest first.
const MAY_USE: &[(&str, &[&str])] = &[
    ("platform", &[]),
    ("game", &["ownership", "rng"]),
    ("ownership", &["game"]),
    ("input", &[]),
    ("folder", &[]),
    ("value", &["game"]),
    ("zobrist", &[]),
    ("rng", &[]),
    ("memory", &["platform"]),
    ("parameters", &[]),
    ("stats", &[]),
    ("go", &["game", "ownership", "value", "zobrist", "rng", "parameters"]),
    ("tictactoe", &["game", "value", "zobrist", "rng"]),
    ("table", &["platform", "game", "value"]),
    ("search", &["game", "ownership", "value", "zobrist", "rng", "parameters", "table"]),
    ("network", &["game", "value", "go"]),
    ("engine", &["game", "value", "zobrist", "rng", "go", "memory", "table", "search", "network"]),
    ("sgf", &["game", "go"]),
    (
        "gtp",
        &["platform", "game", "input", "value", "rng", "go", "memory", "table", "search", "engine", "sgf"],
    ),
    ("analysis", &["game", "input", "value", "go", "table", "search", "engine", "sgf"]),
    (
        "arena",
        &[
            "platform", "game", "value", "zobrist", "rng", "stats", "folder", "go", "memory", "table",
            "search", "engine", "sgf", "gtp", "analysis",
        ],
    ),
    ("selfplay", &["game", "folder", "zobrist", "go", "network", "search", "engine"]),
    ("play", &["platform", "game", "go", "tictactoe", "table", "search", "engine", "sgf"]),
    ("review", &["game", "go", "search", "engine", "sgf", "analysis"]),
    (
        "cli",
        &[
            "platform",
            "game",
            "folder",
            "input",
            "value",
            "rng",
            "go",
            "tictactoe",
            "memory",
            "network",
            "table",
            "search",
            "engine",
            "sgf",
            "gtp",
            "analysis",
            "arena",
            "play",
            "review",
            "selfplay",
            "stats",
            "zobrist",
        ],
    ),
];

/// The files with `unsafe`: memory, and processor instructions.
const UNSAFE: &[&str] = &[
    "table/backing.rs",
    "network/kernels/mod.rs",
    "network/kernels/x86.rs",
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

/// Returns the violations in `line` of a file in `module`.
fn violations(module: &str, file: &str, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let allowed = MAY_USE.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed);
    let Some(allowed) = allowed else { return vec![format!("{module} is in no layer")] };
    for used in used_modules(line) {
        if used != module && !allowed.contains(&used) {
            found.push(format!("{module} may not use {used}"));
        }
    }
    let code = line.split("//").next().unwrap_or_default();
    let has_unsafe = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
    if has_unsafe && !UNSAFE.iter().any(|name| file.ends_with(name)) {
        found.push(format!("unsafe outside {}", UNSAFE.join(" and ")));
    }
    if module != "platform" {
        let names = SYSTEMS.iter().filter(|name| code.contains(*name));
        found.extend(names.map(|name| format!("{name} outside platform")));
    }
    let prints = ["println!", "eprintln!", "print!(", "process::exit"].iter().any(|word| code.contains(word));
    if prints && module != "cli" {
        found.push("printing or exiting outside the command line".to_owned());
    }
    found
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the sources") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn no_module_imports_upwards() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in rust_files(&sources) {
        let relative = file.strip_prefix(&sources).expect("a file below src").to_string_lossy().into_owned();
        let module = relative.split(['/', '.']).next().unwrap_or_default().to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        checked += 1;
        let text = fs::read_to_string(&file).expect("readable source");
        for (number, line) in text.lines().enumerate() {
            wrong.extend(
                violations(&module, &relative, line)
                    .into_iter()
                    .map(|what| format!("{relative}:{}: {what}", number + 1)),
            );
        }
    }
    assert!(checked > 40, "only {checked} files were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_check_finds_what_is_wrong() {
    for (module, line) in [
        ("table", "use crate::go::Board;"),
        ("go", "let _ = crate::search::Limits::default();"),
        // The check cannot read grouped imports, so it refuses them.
        ("go", "use crate::{game::Move, search};"),
        ("search", "let board: crate::go::Board = todo();"),
        ("gtp", "use crate::cli::Cli;"),
        ("search", "println!(\"hello\");"),
        ("go", "unsafe { core::hint::unreachable_unchecked() }"),
        ("play", "use std::os::unix::fs::PermissionsExt;"),
        ("table", "#[cfg(target_os = \"linux\")]"),
        ("arena", "let text = fs::read_to_string(\"/proc/self/status\");"),
        ("unheard_of", ""),
    ] {
        assert_eq!(violations(module, "file.rs", line).len(), 1, "{module}: {line}");
    }
    assert!(violations("search", "file.rs", "use crate::table::Table; // not crate::go").is_empty());
    assert!(violations("cli", "file.rs", "println!(\"fine\");").is_empty());
    assert!(violations("platform", "file.rs", "#[cfg(not(unix))]").is_empty());
}
