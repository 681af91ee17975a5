//! The file of a table in use.

use super::session::FileSession;
use crate::table::header::{Lineage, TableIdentity};
use std::path::PathBuf;

/// The state of the name of a file in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The name refers to the file.
    InPlace,
    /// Nothing has the name any more: results are lost when the last process closes the file.
    Deleted,
    /// Another file has the name: results are lost when the last process closes this one.
    Replaced,
}

/// The file of a table, locked while this value exists.
pub(in crate::table) struct MappedFile {
    pub(in crate::table) path: PathBuf,
    pub(in crate::table) session: FileSession,
    pub(in crate::table) identity: TableIdentity,
    pub(in crate::table) lineage: Lineage,
}
