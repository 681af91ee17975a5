//! New files: temporary and fully reserved on the disk, until they get their names.

use super::error::FileProblem;
use super::session;
use crate::base::platform::files;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Prefix and suffix of the names of temporary files.
const TEMPORARY_AFFIXES: [&str; 2] = [".tewari-", ".tmp"];
/// Age from which an unlocked temporary file is abandoned: its creator locks it before.
const ABANDONED_AGE: Duration = Duration::from_secs(60);

/// Creates a locked temporary file in the folder of `path` with the user's umask, deleted unless it gets a name. The
/// temporary name is new, so no link is followed.
pub(in crate::table) fn temporary_file(path: &Path) -> Result<NamedTempFile, FileProblem> {
    remove_abandoned(folder_of(path));
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_AFFIXES[0]).suffix(TEMPORARY_AFFIXES[1]);
    files::use_umask(&mut builder);
    let temporary =
        builder.tempfile_in(folder_of(path)).map_err(FileProblem::io("create a file in this folder"))?;
    session::lock(temporary.as_file())?;
    Ok(temporary)
}

/// Removes old temporary files without a lock: those of killed commands. Files that cannot be removed stay.
fn remove_abandoned(folder: &Path) {
    let is_temporary = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(TEMPORARY_AFFIXES[0].as_bytes()) && name.ends_with(TEMPORARY_AFFIXES[1].as_bytes())
    };
    let is_old = |metadata: &Metadata| {
        let age = metadata.modified().ok().and_then(|at| at.elapsed().ok());
        metadata.is_file() && age.is_some_and(|age| age > ABANDONED_AGE)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name())) {
        let path = entry.path();
        let is_abandoned = std::fs::symlink_metadata(&path).is_ok_and(|metadata| is_old(&metadata))
            && File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
        if is_abandoned {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a complete and synced file its name, and syncs the folder. A link with that name is replaced, not followed.
/// The new file takes over the owner and permissions of a replaced file, but not of a link.
pub(in crate::table) fn give_name(
    temporary: NamedTempFile,
    path: &Path,
    may_replace: bool,
) -> Result<File, FileProblem> {
    if may_replace
        && let Ok(replaced) = std::fs::symlink_metadata(path)
        && replaced.is_file()
    {
        files::take_over_access(temporary.as_file(), &replaced)
            .map_err(FileProblem::io("set the permissions of the file"))?;
    }
    let kept = if may_replace { temporary.persist(path) } else { temporary.persist_noclobber(path) };
    let file = kept.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => FileProblem::Exists,
        _ => FileProblem::io("give the file its name")(error.error),
    })?;
    // The name exists even if this fails.
    files::sync_folder(folder_of(path));
    Ok(file)
}

/// Returns the free bytes of a file's file system; 0 if unknown.
pub(in crate::table) fn room(file: &File) -> u64 {
    files::free_bytes(file)
}

/// Reserves disk blocks for every byte of the file.
pub(in crate::table) fn reserve(file: &File, bytes: u64) -> Result<(), FileProblem> {
    let free = room(file);
    match files::allocate(file, bytes) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => write_holes(file, bytes, free),
        Err(error) => Err(cannot_reserve(error, bytes, free)),
    }
}

fn cannot_reserve(error: io::Error, needed: u64, free: u64) -> FileProblem {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded => FileProblem::NoSpace { needed, free },
        _ => FileProblem::io("reserve disk space for it")(error),
    }
}

/// Appends zeros up to `bytes`, for file systems that cannot reserve pages; existing contents stay.
fn write_holes(mut file: &File, bytes: u64, free: u64) -> Result<(), FileProblem> {
    use std::io::Seek;
    let failed = |error| cannot_reserve(error, bytes, free);
    let zeros = [0; 1 << 16];
    let mut at = file.seek(io::SeekFrom::End(0)).map_err(failed)?;
    while at < bytes {
        let count = (bytes - at).min(zeros.len() as u64) as usize;
        file.write_all(&zeros[..count]).map_err(failed)?;
        at += count as u64;
    }
    Ok(())
}

/// Returns an error on systems where processes cannot share a file.
pub(super) fn check_system() -> Result<(), FileProblem> {
    if files::CAN_SHARE { Ok(()) } else { Err(FileProblem::NotOnThisSystem { found: std::env::consts::OS }) }
}

/// Returns an error if the file is marked read-only, also for users with permission to write everything.
pub(super) fn check_writable(file: &File) -> Result<(), FileProblem> {
    let metadata = file.metadata().map_err(FileProblem::io("read the properties of the file"))?;
    if metadata.permissions().readonly() { Err(FileProblem::ReadOnly) } else { Ok(()) }
}
