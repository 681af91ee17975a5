//! The folder of a run of self-play: a line a game, written as games end, so that a run that was cut off goes on.
//!
//! `selfplay.json` says how they are played. A lock keeps a second process out.

use super::{SelfPlayer, Settings};
use crate::engine::{EngineError, EngineOptions};
use crate::folder::{self, Identity, at, json, lock, write_whole};
use crate::network::own_games::{OwnGame, OwnGameError};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The games of a folder, a line each.
const FILE: &str = "games.jsonl";
/// How they are played: see [`Settings::identity`].
const DESCRIPTION: &str = "selfplay.json";
/// How the line of a game begins: what begins otherwise was not cut off, but is something else.
const LINE_START: &[u8] = br#"{"number":"#;

/// A folder with games, open for more. The lock is held as long as the value lives.
pub struct Folder {
    file: File,
    path: PathBuf,
    done: HashSet<u64>,
    is_adopted: bool,
}

/// Why a run of self-play cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// What can be wrong with any folder.
    #[error(transparent)]
    Folder(#[from] folder::FolderError),
    /// There is something else in it.
    #[error("{path}: expected games of self-play, found something else: {error}; choose another folder")]
    Foreign {
        /// The file.
        path: String,
        /// The line that is no game.
        error: OwnGameError,
    },
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Folder {
    /// Opens the folder, made if it is not there, for games that are played as `identity` says, and reads which it has.
    /// A last line that was cut off, by a full disk or a crash, is taken away and its game played again.
    ///
    /// # Errors
    /// When the folder or its file cannot be used, or has something else than games, or games played otherwise.
    pub fn open(folder: &Path, identity: &Identity) -> Result<Folder, FolderError> {
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
            write_whole(&description, &json(identity, &description)?)?;
        }
        let is_adopted = !is_described && !done.is_empty();
        Ok(Folder { file, path, done, is_adopted })
    }

    /// Whether its games are from before folders said how they are played; from now on it does.
    #[must_use]
    pub fn is_adopted(&self) -> bool {
        self.is_adopted
    }

    /// Games that it has.
    #[must_use]
    pub fn games(&self) -> usize {
        self.done.len()
    }

    /// Plays those of the games `0..games` that are not there yet, so many at a time, until they are done or `progress`,
    /// called with the number of games there are, says `false`.
    ///
    /// # Errors
    /// The first that happens; what is in the folder stays.
    pub fn play(
        &mut self,
        games: u64,
        at_a_time: usize,
        settings: &Settings,
        options: &EngineOptions,
        progress: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), FolderError> {
        let done = self.done.clone();
        let missing = Mutex::new((0..games).filter(|number| !done.contains(number)));
        let next = || missing.lock().unwrap_or_else(PoisonError::into_inner).next();
        let stop = AtomicBool::new(false);
        let folder = Mutex::new(self);
        let work = || -> Result<(), FolderError> {
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
            // One that fails, or is told to stop, stops the others.
            stop.store(true, Relaxed);
            outcome
        };
        let outcomes: Vec<Result<(), FolderError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..at_a_time.max(1)).map(|_| scope.spawn(guarded)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        outcomes.into_iter().collect()
    }

    fn append(&mut self, game: &OwnGame) -> Result<(), FolderError> {
        let mut line = json(game, &self.path)?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(at(&self.path))?;
        self.done.insert(game.number);
        Ok(())
    }
}

/// The numbers of the games in `file`, which is `path`. A last line that was cut off is taken away.
fn read(file: &File, path: &Path) -> Result<HashSet<u64>, FolderError> {
    let mut done = HashSet::new();
    let mut whole_lines = 0;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(at(path))?;
        if !line.ends_with(b"\n") && (LINE_START.starts_with(&line) || line.starts_with(LINE_START)) {
            break;
        }
        whole_lines += length as u64;
        let text = String::from_utf8_lossy(&line);
        let game = OwnGame::parse(text.trim_end(), number)
            .map_err(|error| FolderError::Foreign { path: path.display().to_string(), error })?;
        done.insert(game.number);
    }
    if !line.is_empty() {
        file.set_len(whole_lines).map_err(at(path))?;
    }
    Ok(done)
}
