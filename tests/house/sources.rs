//! The Rust files of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// A Rust file: its name from the folder on, with `/` between folders, and its text.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Returns the files below `src`.
pub(crate) fn sources() -> Vec<Source> {
    sources_in("src")
}

/// Returns the files below a folder of the project.
pub(crate) fn sources_in(folder: &str) -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<Source> = rust_files(&folder)
        .into_iter()
        .map(|file| {
            let relative = file.strip_prefix(&folder).expect("a file below the folder");
            let parts: Vec<&str> = relative.iter().map(|part| part.to_str().expect("UTF-8")).collect();
            Source { name: parts.join("/"), text: fs::read_to_string(&file).expect("readable source") }
        })
        .collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(files.len() > 3, "only {} files in {}", files.len(), folder.display());
    files
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
