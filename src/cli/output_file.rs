//! Files that commands write.

use anyhow::{Context, Result, bail, ensure};
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Refuses a file that exists.
pub(super) fn check_absent(path: &Path, is_forced: bool) -> Result<()> {
    if path.is_dir() {
        bail!("{}: expected the name of a file, found a folder", path.display());
    }
    if !is_forced && path.exists() {
        bail!("{} exists: choose another name, or overwrite it with --force", path.display());
    }
    Ok(())
}

/// Writes a file, whole or not at all. One that is replaced leaves its permissions; where they forbid to write, it stays.
pub(super) fn write_file(path: &Path, text: &str, is_forced: bool) -> Result<()> {
    check_absent(path, is_forced)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = || format!("cannot write {}", path.display());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .with_context(cannot)?;
    file.write_all(text.as_bytes()).with_context(cannot)?;
    if is_forced {
        if let Ok(replaced) = std::fs::metadata(path) {
            let permissions = replaced.permissions();
            ensure!(
                !permissions.readonly(),
                "{}: expected a file that can be written: chmod +w",
                path.display()
            );
            file.as_file().set_permissions(permissions).with_context(cannot)?;
        }
        file.persist(path).map_err(|error| error.error).with_context(cannot)?;
    } else {
        file.persist_noclobber(path).map_err(|error| error.error).with_context(cannot)?;
    }
    Ok(())
}
