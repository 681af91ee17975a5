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

pub(super) use self::apply::{
    AppliedSetting, COMMON_TABLE, is_flag_with_value, named_command, normalize_flags, options,
};
pub(super) use self::choice::SettingsFile;
pub(super) use self::content::Settings;
pub(super) use self::entry::SettingValue;
