//! Settings: options that hold without being typed, from a file.
//!
//! The file is TOML: a table for each command with the long names of its options as keys, and `[default]` for all
//! commands that play or analyse. Its values become the defaults of the command's options, so that `--help` shows them and
//! the command line wins.

mod apply;
mod read;

pub(super) use self::apply::{COMMON, Held, is_settled_flag, named_command, options, settle_flags};

use anyhow::{Context, Result, anyhow, bail};
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The variable that names another file, or `none`.
pub(super) const VARIABLE: &str = "TEWARI_CONFIG";
/// What stands for no file.
const NONE: &str = "none";
/// Nobody writes so many settings.
const LARGEST_FILE: u64 = 1 << 20;

/// The settings of a file.
#[derive(Debug)]
pub(super) struct Settings {
    path: PathBuf,
    entries: Vec<Entry>,
    tables: Vec<(Vec<String>, usize)>,
}

/// A key and what it is set to.
#[derive(Debug)]
struct Entry {
    /// The tables it is in, from the outermost.
    tables: Vec<String>,
    key: String,
    /// Counted from 1.
    line: usize,
    value: Value,
}

/// What an option is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Whether a flag is set.
    Flag(bool),
    /// What would follow an option.
    One(String),
    /// Several of them.
    Many(Vec<String>),
}

/// Which file to read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The one that was named.
    File(PathBuf),
    /// The usual one, if it is there.
    Usual(PathBuf),
    /// None.
    None,
}

impl Choice {
    /// What `--config` says, else the environment, else the usual place. `--config` is taken out of `arguments`, but not
    /// behind `analysis`, where it is an option of KataGo's.
    ///
    /// # Errors
    /// When no file follows `--config`.
    pub(super) fn take(arguments: &mut Vec<OsString>) -> Result<Choice> {
        let mut chosen = None;
        let mut index = 1;
        while let Some(argument) = arguments.get(index).and_then(|argument| argument.to_str()) {
            if argument == "--" || (argument == "analysis" && index == 1) {
                break;
            }
            if argument == "--config" {
                if index + 1 == arguments.len() {
                    bail!("expected a file of settings after --config, or none; found nothing");
                }
                arguments.remove(index);
                chosen = Some(arguments.remove(index));
            } else if let Some(file) = argument.strip_prefix("--config=") {
                chosen = Some(file.into());
                arguments.remove(index);
            } else {
                index += 1;
            }
        }
        let chosen = chosen.or_else(|| std::env::var_os(VARIABLE).filter(|value| !value.is_empty()));
        Ok(match chosen {
            Some(file) if file == NONE => Choice::None,
            Some(file) => Choice::File(file.into()),
            None => usual_place(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
                .map_or(Choice::None, Choice::Usual),
        })
    }

    /// Reads the file; `None` where there is none and none was named.
    ///
    /// # Errors
    /// When it cannot be read, or is no TOML; in one line, with the place.
    pub(super) fn read(&self) -> Result<Option<Settings>> {
        let (path, is_named) = match self {
            Choice::None => return Ok(None),
            Choice::File(path) => (path, true),
            Choice::Usual(path) => (path, false),
        };
        let absent = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::PermissionDenied];
        let file = match std::fs::File::open(path) {
            Err(error) if !is_named && absent.contains(&error.kind()) => return Ok(None),
            outcome => outcome,
        };
        let mut bytes = Vec::new();
        file.and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
            .with_context(|| format!("cannot read the settings in {}", path.display()))?;
        if bytes.len() as u64 > LARGEST_FILE {
            bail!("{}: expected at most 1 MiB of settings, found more", path.display());
        }
        Settings::read(path, &bytes).map(Some)
    }
}

impl Settings {
    fn read(path: &Path, bytes: &[u8]) -> Result<Settings> {
        let found = read::read(bytes).map_err(|mistake| mistake.at(path))?;
        Ok(Settings { path: path.to_owned(), entries: found.entries, tables: found.tables })
    }

    /// The file and a line of it.
    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }
}

/// Something wrong in a line of the file.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    line: usize,
    what: String,
}

impl Mistake {
    fn at(&self, path: &Path) -> anyhow::Error {
        anyhow!("{}:{}: {}", path.display(), self.line, self.what)
    }
}

/// The file of the XDG base directory specification, by which a relative folder does not count.
fn usual_place(config_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |folder: &OsStr| Path::new(folder).is_absolute().then(|| PathBuf::from(folder));
    let folder = config_home.as_deref().and_then(absolute);
    let folder = folder.or_else(|| Some(absolute(home.as_deref()?)?.join(".config")))?;
    Some(folder.join("tewari").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_file_is_named_before_or_behind_the_command() {
        for text in ["tewari --config a.toml gtp --ponder", "tewari gtp --config=a.toml --ponder"] {
            let mut arguments = words(text);
            assert_eq!(Choice::take(&mut arguments).unwrap(), Choice::File("a.toml".into()), "{text}");
            assert_eq!(arguments, words("tewari gtp --ponder"), "{text}");
        }
        assert_eq!(Choice::take(&mut words("tewari gtp --config none")).unwrap(), Choice::None);
        assert!(Choice::take(&mut words("tewari gtp --config")).is_err());
    }

    #[test]
    fn the_settings_of_katago_are_left_to_the_command_analysis() {
        let mut arguments = words("tewari --config a.toml analysis --config b.cfg");
        assert_eq!(Choice::take(&mut arguments).unwrap(), Choice::File("a.toml".into()));
        assert_eq!(arguments, words("tewari analysis --config b.cfg"));
    }

    #[test]
    fn the_usual_place_is_below_the_configuration_folder_or_the_home() {
        let place = |config: Option<&str>, home: Option<&str>| {
            usual_place(config.map(OsString::from), home.map(OsString::from))
        };
        assert_eq!(place(Some("/x"), Some("/h")), Some("/x/tewari/config.toml".into()));
        assert_eq!(place(None, Some("/h")), Some("/h/.config/tewari/config.toml".into()));
        assert_eq!(place(Some("x"), Some("/h")), Some("/h/.config/tewari/config.toml".into()));
        assert_eq!(place(None, None), None);
    }
}
