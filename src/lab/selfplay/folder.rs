//! The folder of a self-play run: one line for each game, written when the game ends, so that an interrupted run can
//! continue.
//!
//! `selfplay.json` describes the settings of the games. A lock excludes other processes.

use super::{SelfPlayer, SelfplaySettings};
use crate::base::folder::{self, FolderIdentity, at, json, lock, write_atomically};
use crate::base::shard::Shard;
use crate::engine::{EngineError, EngineOptions};
use crate::lab::training::selfplay_games::{SelfplayGame, SelfplayGameError};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The file of games, one per line.
const FILE: &str = "games.jsonl";
/// The file with the settings of the games, see [`SelfplaySettings::identity`].
pub const DESCRIPTION: &str = "selfplay.json";
/// The beginning of each game's line; a line that begins otherwise is no interrupted write.
const LINE_START: &[u8] = br#"{"number":"#;

/// An open folder of games, locked while this value exists.
pub struct SelfplayFolder {
    file: File,
    path: PathBuf,
    done: HashSet<u64>,
    is_adopted: bool,
}

/// An error of a self-play run.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayFolderError {
    /// An error of the folder.
    #[error(transparent)]
    Folder(#[from] folder::FolderError),
    /// A line that is no game.
    #[error("{path}: expected games of self-play, found something else: {error}; choose another folder")]
    Foreign {
        /// Path of the file.
        path: String,
        /// The error of the line.
        error: SelfplayGameError,
    },
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl SelfplayFolder {
    /// Opens or creates the folder for games with the settings `identity`, and reads the numbers of its games. An
    /// incomplete last line, left by a full disk, a crash or a power cut, is removed, so that its game is played again.
    ///
    /// # Errors
    /// Returns an error if the folder or its file cannot be used, or contains anything else than games, or games with
    /// other settings.
    pub fn open(folder: &Path, identity: &FolderIdentity) -> Result<SelfplayFolder, SelfplayFolderError> {
        let path = folder.join(FILE);
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        let file = OpenOptions::new().create(true).read(true).append(true).open(&path).map_err(at(&path))?;
        lock(&file, &path)?;
        let description = folder.join(DESCRIPTION);
        let is_described = description.exists();
        if is_described {
            folder::compare(folder, &folder::read_json(&description)?, identity)?;
        }
        let done = read(&file, &path)?;
        if !is_described {
            write_atomically(&description, &json(identity, &description)?)?;
        }
        let is_adopted = !is_described && !done.is_empty();
        Ok(SelfplayFolder { file, path, done, is_adopted })
    }

    /// Returns true if the folder had games but no settings, which opening it has added.
    #[must_use]
    pub fn is_adopted(&self) -> bool {
        self.is_adopted
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.done.len()
    }

    /// Plays those of the games `0..games` that belong to `shard` and are missing, `at_a_time` in parallel, until all are done or
    /// `progress` returns false. `progress` gets the number of games in the folder after each game. Returns true if all
    /// are done.
    ///
    /// # Errors
    /// Returns the first error; finished games stay in the folder.
    pub fn play(
        &mut self,
        games: u64,
        shard: Option<Shard>,
        at_a_time: usize,
        settings: &SelfplaySettings,
        options: &EngineOptions,
        progress: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<bool, SelfplayFolderError> {
        let done = self.done.clone();
        let is_ours = |&number: &u64| shard.is_none_or(|shard| settings.is_in_shard(shard, number));
        let missing = Mutex::new((0..games).filter(is_ours).filter(|number| !done.contains(number)));
        let next = || missing.lock().unwrap_or_else(PoisonError::into_inner).next();
        let stop = AtomicBool::new(false);
        let folder = Mutex::new(self);
        let work = || -> Result<(), SelfplayFolderError> {
            let mut player = SelfPlayer::new(settings, options.clone())?;
            while !stop.load(Relaxed)
                && let Some(number) = next()
            {
                let game = player.play(number)?;
                let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
                folder.append(&game)?;
                if !progress(folder.games()) {
                    break;
                }
            }
            Ok(())
        };
        let guarded = || {
            let outcome = work();
            // A worker that fails, or is stopped by `progress`, stops the others.
            stop.store(true, Relaxed);
            outcome
        };
        let outcomes: Vec<Result<(), SelfplayFolderError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..at_a_time.max(1)).map(|_| scope.spawn(guarded)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        outcomes.into_iter().collect::<Result<(), _>>()?;
        Ok(next().is_none())
    }

    fn append(&mut self, game: &SelfplayGame) -> Result<(), SelfplayFolderError> {
        let mut line = json(game, &self.path)?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(at(&self.path))?;
        self.done.insert(game.number);
        Ok(())
    }
}

/// Returns the numbers of the games in `file` at `path`. Removes an incomplete last line.
fn read(file: &File, path: &Path) -> Result<HashSet<u64>, SelfplayFolderError> {
    let mut done = HashSet::new();
    let mut whole_lines = 0;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(at(path))?;
        if !line.ends_with(b"\n") && is_interrupted_write(&line) {
            break;
        }
        whole_lines += length as u64;
        let text = String::from_utf8_lossy(&line);
        let game = SelfplayGame::parse(text.trim_end(), number)
            .map_err(|error| SelfplayFolderError::Foreign { path: path.display().to_string(), error })?;
        done.insert(game.number);
    }
    if !line.is_empty() {
        file.set_len(whole_lines).map_err(at(path))?;
    }
    Ok(done)
}

/// Returns true for the beginning of a game's line. After a power cut the rest of the file may be zeros.
fn is_interrupted_write(line: &[u8]) -> bool {
    let written = line.iter().rposition(|&byte| byte != 0).map_or(&line[..0], |last| &line[..=last]);
    LINE_START.starts_with(written) || written.starts_with(LINE_START)
}
