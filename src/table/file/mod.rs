//! Tables in files: creation, opening, locking and identity.
//!
//! A file is made under a temporary name with all its disk blocks reserved, and gets its name when it is completely
//! on the disk. A name thus refers to the old file or to the complete new one, never to a part of it.
//! [`session`] keeps track of its users.

mod create;
mod error;
mod mapped;
mod new_file;
mod open;
mod random;
pub(super) mod session;
mod syncer;
mod table_file;

pub use error::{FileError, FileProblem};
pub use mapped::FileState;
pub use session::{CloseState, TableMode};

pub(super) use create::UnnamedFile;
pub(super) use error::with_path;
pub(super) use mapped::MappedFile;
pub(super) use new_file::{give_name, reserve, room, temporary_file};
pub(super) use open::compare;
