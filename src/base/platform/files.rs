//! Files: reading and writing at an offset, disk space, identity.

use std::fs::{File, FileType, Metadata};
use std::io;
use std::path::Path;

/// True if processes can map one file, lock it, and write to it while it is locked.
///
/// On Windows a lock prevents others, and a shared lock even its owner, from writing; a mapped file cannot be replaced; and
/// the standard library has no number that identifies a file.
pub(crate) const CAN_SHARE: bool = cfg!(unix);

/// Reads bytes at an offset and returns their number. On Windows this moves the file's position.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_at(file, bytes, offset)
    }
    #[cfg(windows)]
    {
        std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
    }
}

/// Writes bytes at an offset and returns their number. On Windows this moves the file's position.
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::write_at(file, bytes, offset)
    }
    #[cfg(windows)]
    {
        std::os::windows::fs::FileExt::seek_write(file, bytes, offset)
    }
}

/// Reads at an offset until `bytes` is full or the file ends; returns the number of bytes read.
pub(crate) fn read_all_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match read_at(file, &mut bytes[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// Writes all of `bytes` at an offset.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match write_at(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => (bytes, offset) = (&bytes[count..], offset + count as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the device and the inode number of a file; `None` on Windows.
pub(crate) fn identity(metadata: &Metadata) -> Option<[u64; 2]> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some([metadata.dev(), metadata.ino()])
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Returns true if both are metadata of one file; false if the system does not identify files.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// Returns the kind of a file that is not regular, for a message.
pub(crate) fn kind_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() { "a directory" } else { "a device" }
}

/// Returns the bytes that a file occupies on the disk, fewer than its length if it has holes; its length on Windows.
pub(crate) fn allocated_bytes(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::blocks(metadata) * 512
    }
    #[cfg(not(unix))]
    {
        metadata.len()
    }
}

/// Reserves disk space for the first `bytes` of a file, which grows to that length.
///
/// # Errors
/// `Unsupported` if the file system cannot, and on all systems but Linux; any other I/O error.
pub(crate) fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        loop {
            match fallocate(file, FallocateFlags::empty(), 0, bytes) {
                Err(Errno::INTR) => {}
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Err(io::ErrorKind::Unsupported.into()),
                outcome => return outcome.map_err(io::Error::from),
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (file, bytes);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns the bytes free for this user on the file system of a file; 0 if unknown, and on Windows.
pub(crate) fn free_bytes(file: &File) -> u64 {
    #[cfg(unix)]
    {
        rustix::fs::fstatvfs(file).map_or(0, |space| space.f_bavail.saturating_mul(space.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        0
    }
}

/// Makes `target` a clone of `source` that shares its blocks on the disk (`FICLONE`).
///
/// # Errors
/// `Unsupported` on all systems but Linux; any other I/O error.
pub(crate) fn clone_content(target: &File, source: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::fs::ioctl_ficlone(target, source).map_err(io::Error::from)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (target, source);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Writes the directory entries of a folder to the disk. Does nothing on Windows and on file systems that cannot sync
/// folders.
pub(crate) fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

/// Returns true if a file is on a tmpfs, which has huge pages if it is mounted with `huge=advise` or `always`. False on all
/// systems but Linux.
pub(crate) fn is_in_memory(file: &File) -> bool {
    #[cfg(target_os = "linux")]
    {
        const TMPFS: i128 = 0x0102_1994;
        rustix::fs::fstatfs(file).is_ok_and(|system| i128::from(system.f_type) == TMPFS)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}

/// Gives `file` the permissions of a file that it replaces, and on Unix its owner and group if this user may.
///
/// # Errors
/// An I/O error for the permissions; a refused change of the owner is none.
pub(crate) fn take_over_access(file: &File, replaced: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = std::os::unix::fs::fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
    file.set_permissions(replaced.permissions())
}

/// Gives temporary files the permissions of other new files, as the user's umask allows, instead of access for the owner
/// alone. On Windows they inherit those of the folder.
pub(crate) fn use_umask(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    let _ = builder;
}
