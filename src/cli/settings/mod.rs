//! Settings: values of options from a file.
//!
//! The file is TOML: a table for each command with the long names of its options as keys, and `[default]` for all
//! commands that play or analyse. Its values become the defaults of the command's options: `--help` shows them, and the
//! command line overrides them.

mod apply;
mod choice;
mod content;
mod entry;
mod read;

pub(super) use self::apply::{COMMON, Held, is_settled_flag, named_command, options, settle_flags};
pub(super) use self::choice::Choice;
pub(super) use self::content::Settings;
pub(super) use self::entry::Value;
