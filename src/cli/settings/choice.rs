//! The choice of the settings file.

use super::content::Settings;
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Environment variable that names another file, or `none`.
pub(crate) const VARIABLE: &str = "TEWARI_CONFIG";
/// Value that stands for no file.
const NONE: &str = "none";
/// Maximum bytes of a settings file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The choice of the settings file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SettingsFile {
    /// A file named by the user; it must exist.
    File(PathBuf),
    /// The file in the usual place, which may be missing.
    DefaultPath(PathBuf),
    /// No file.
    None,
}

impl SettingsFile {
    /// Returns the file named by `--config`, else by the environment, else the one in the usual place. Removes
    /// `--config` from `arguments`, but not after `analysis`, where it is an option of KataGo's.
    ///
    /// # Errors
    /// Returns an error if no file follows `--config`.
    pub(crate) fn take(arguments: &mut Vec<OsString>) -> Result<SettingsFile> {
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
            Some(file) if file == NONE => SettingsFile::None,
            Some(file) => SettingsFile::File(file.into()),
            None => default_path(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))
                .map_or(SettingsFile::None, SettingsFile::DefaultPath),
        })
    }

    /// Reads the file. Returns `None` for [`SettingsFile::None`], and if the usual file is missing or may not be read.
    ///
    /// # Errors
    /// Returns an error of one line, with the place, if the file cannot be read or is not TOML.
    pub(crate) fn read(&self) -> Result<Option<Settings>> {
        let (path, is_named) = match self {
            SettingsFile::None => return Ok(None),
            SettingsFile::File(path) => (path, true),
            SettingsFile::DefaultPath(path) => (path, false),
        };
        let absent = [ErrorKind::NotFound, ErrorKind::NotADirectory, ErrorKind::PermissionDenied];
        let file = match std::fs::File::open(path) {
            Err(error) if !is_named && absent.contains(&error.kind()) => return Ok(None),
            outcome => outcome,
        };
        let mut bytes = Vec::new();
        file.and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
            .with_context(|| format!("cannot read the settings in {}", path.display()))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            bail!("{}: expected at most 1 MiB of settings, found more", path.display());
        }
        Settings::read(path, &bytes).map(Some)
    }
}

/// Returns the settings file by the XDG base directory specification, which ignores relative folders.
fn default_path(config_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
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
            assert_eq!(
                SettingsFile::take(&mut arguments).unwrap(),
                SettingsFile::File("a.toml".into()),
                "{text}"
            );
            assert_eq!(arguments, words("tewari gtp --ponder"), "{text}");
        }
        assert_eq!(SettingsFile::take(&mut words("tewari gtp --config none")).unwrap(), SettingsFile::None);
        assert!(SettingsFile::take(&mut words("tewari gtp --config")).is_err());
    }

    #[test]
    fn the_settings_of_katago_are_left_to_the_command_analysis() {
        let mut arguments = words("tewari --config a.toml analysis --config b.cfg");
        assert_eq!(SettingsFile::take(&mut arguments).unwrap(), SettingsFile::File("a.toml".into()));
        assert_eq!(arguments, words("tewari analysis --config b.cfg"));
    }

    #[test]
    fn the_usual_place_is_below_the_configuration_folder_or_the_home() {
        let place = |config: Option<&str>, home: Option<&str>| {
            default_path(config.map(OsString::from), home.map(OsString::from))
        };
        assert_eq!(place(Some("/x"), Some("/h")), Some("/x/tewari/config.toml".into()));
        assert_eq!(place(None, Some("/h")), Some("/h/.config/tewari/config.toml".into()));
        assert_eq!(place(Some("x"), Some("/h")), Some("/h/.config/tewari/config.toml".into()));
        assert_eq!(place(None, None), None);
    }
}
