//! Files while they are made: temporary, with a place on the disk for every byte, until they get their names.

use super::file_error::FileProblem;
use super::session;
use crate::platform::files;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// How the names of temporary files begin and end.
const TEMPORARY: [&str; 2] = [".tewari-", ".tmp"];
/// Who makes a temporary file has locked it before it is so old.
const ABANDONED_AGE: Duration = Duration::from_secs(60);

/// A new file in the folder of `path`, made with the user's umask and locked, that disappears unless it gets a name.
/// Nothing of that name is there before, so no link is followed.
pub(super) fn temporary_file(path: &Path) -> Result<NamedTempFile, FileProblem> {
    remove_abandoned(folder_of(path));
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY[0]).suffix(TEMPORARY[1]);
    files::use_umask(&mut builder);
    let temporary = builder.tempfile_in(folder_of(path)).map_err(FileProblem::io("make a file there"))?;
    session::lock(temporary.as_file())?;
    Ok(temporary)
}

/// Removes temporary files that nobody holds locked: those of commands that were killed. What cannot be removed stays.
fn remove_abandoned(folder: &Path) {
    let is_temporary = |name: &OsStr| {
        let name = name.as_encoded_bytes();
        name.starts_with(TEMPORARY[0].as_bytes()) && name.ends_with(TEMPORARY[1].as_bytes())
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

/// Gives a complete file that is on the disk its name, and that to the disk. A link of that name is replaced, not
/// followed. A file that is replaced leaves its permissions; a link has none of its own.
pub(super) fn give_name(
    temporary: NamedTempFile,
    path: &Path,
    may_replace: bool,
) -> Result<File, FileProblem> {
    if may_replace
        && let Ok(replaced) = std::fs::symlink_metadata(path)
        && replaced.is_file()
    {
        let set = temporary.as_file().set_permissions(replaced.permissions());
        set.map_err(FileProblem::io("set the permissions of the file"))?;
    }
    let kept = if may_replace { temporary.persist(path) } else { temporary.persist_noclobber(path) };
    let file = kept.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => FileProblem::Exists,
        _ => FileProblem::io("give the file its name")(error.error),
    })?;
    // Where this fails the name is there all the same.
    files::sync_folder(folder_of(path));
    Ok(file)
}

/// Bytes that can be had on the file system of a file; 0 if it does not tell.
pub(super) fn room(file: &File) -> u64 {
    files::free_bytes(file)
}

/// Makes sure that every byte of the file has its place on the disk.
pub(super) fn reserve(file: &File, bytes: u64) -> Result<(), FileProblem> {
    let free = room(file);
    match files::allocate(file, bytes) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => write_holes(file, bytes, free),
        Err(error) => Err(cannot_reserve(error, bytes, free)),
    }
}

fn cannot_reserve(error: io::Error, needed: u64, free: u64) -> FileProblem {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match error.kind() {
        StorageFull | FileTooLarge | QuotaExceeded => FileProblem::NoSpace { needed, free },
        _ => FileProblem::io("reserve its blocks")(error),
    }
}

/// Appends zeros where the file system cannot reserve blocks; what is there stays.
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
