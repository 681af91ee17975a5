//! Files written by commands.

use crate::base::platform::files::{self, use_umask};
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Returns an error if `path` is a folder, or a file that must not be overwritten.
pub(super) fn check_absent(path: &Path, is_forced: bool) -> Result<()> {
    if path.is_dir() {
        bail!("{}: expected the name of a file, found a folder", path.display());
    }
    if !is_forced && path.exists() && !is_device(path) {
        bail!("{} exists: choose another name, or overwrite it with --force", path.display());
    }
    Ok(())
}

/// Returns true if both names are of one file.
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    let metadata = std::fs::metadata;
    matches!((metadata(one), metadata(other)), (Ok(one), Ok(other)) if files::is_same(&one, &other))
}

/// Returns true for a pipe or a device.
fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// Writes a file completely or not at all. The new file takes over the owner and permissions of the one that it
/// replaces; a read-only file is an error. A pipe or a device is written to directly.
pub(super) fn write_file(path: &Path, text: &str, is_forced: bool) -> Result<()> {
    if is_device(path) {
        return std::fs::write(path, text).with_context(|| cannot_write(path));
    }
    let mut file = NewFile::begin(path, is_forced)?;
    file.file().write_all(text.as_bytes()).with_context(|| cannot_write(path))?;
    file.finish()
}

/// A temporary file that gets its final name when it is complete.
pub(super) struct NewFile {
    file: NamedTempFile,
    path: PathBuf,
    is_forced: bool,
}

impl NewFile {
    /// Creates a temporary file for `path`. A link stays a link: the file it points to is replaced.
    pub(super) fn begin(path: &Path, is_forced: bool) -> Result<NewFile> {
        check_absent(path, is_forced)?;
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_readonly = std::fs::metadata(&path).is_ok_and(|replaced| replaced.permissions().readonly());
        ensure!(
            !is_readonly,
            "{}: the file is read-only: make it writable, or choose another name",
            path.display()
        );
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        use_umask(&mut builder);
        let file = builder.tempfile_in(folder).with_context(|| cannot_write(&path))?;
        Ok(NewFile { file, path, is_forced })
    }

    /// Returns the file to write to.
    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Renames the file to its final name.
    pub(super) fn finish(self) -> Result<()> {
        let NewFile { file, path, is_forced } = self;
        let cannot = || cannot_write(&path);
        if is_forced {
            if let Ok(replaced) = std::fs::metadata(&path) {
                files::take_over_access(file.as_file(), &replaced).with_context(cannot)?;
            }
            file.persist(&path).map_err(|error| error.error).with_context(cannot)?;
        } else {
            file.persist_noclobber(&path).map_err(|error| error.error).with_context(cannot)?;
        }
        Ok(())
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
