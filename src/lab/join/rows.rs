//! The games or tests of all shards.

use super::error::{IncompleteShard, JoinError};
use super::shards::{ShardFolder, ShardSet};
use crate::base::folder::{at, json, lock, write_atomically};
use crate::base::shard::{Shard, ShardedCommand};
use crate::lab::arena::experiment::GameRow;
use crate::lab::arena::schedule::shard_of;
use crate::lab::arena::store::{GAMES, GameRecordRow, RECORDS, record_name};
use crate::lab::arena::suite::NumberedTestRow;
use crate::lab::selfplay::DESCRIPTION;
use crate::lab::training::selfplay_games::SelfplayGame;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Maximum number of missing games that are kept for a message.
const MAX_MISSING: usize = 8;

/// The place of a line.
#[derive(Clone, Copy, Debug)]
struct LinePlace {
    /// Number of the folder.
    folder: usize,
    /// Offset in its file, in bytes.
    offset: u64,
    /// Length in bytes, with the line feed.
    length: usize,
}

/// The rows of all shards, whole and each once. The files are locked while this value exists.
#[derive(Debug)]
pub struct JoinedRows<'s> {
    set: &'s ShardSet,
    files: Vec<File>,
    /// The lines by number.
    lines: BTreeMap<u64, LinePlace>,
}

impl ShardSet {
    /// Returns the number of pairings, or of boards that games of self-play use in turn.
    #[must_use]
    pub fn members(&self) -> u64 {
        let count = match self.command {
            ShardedCommand::Match | ShardedCommand::Sweep => {
                self.identity.setting.keys().filter(|key| key.starts_with("contestants ")).count()
            }
            ShardedCommand::Selfplay => self.value("sizes").split(',').count(),
            ShardedCommand::Suite | ShardedCommand::Review | ShardedCommand::Prepare => 1,
        };
        count.max(1) as u64
    }

    /// Returns the shard that a game or test belongs to.
    fn shard_of(&self, number: u64) -> Shard {
        let (count, members) = (self.count(), self.members());
        match self.command {
            ShardedCommand::Match | ShardedCommand::Sweep => shard_of(count, number, members),
            ShardedCommand::Selfplay => Shard::of(count, number / members, number % members),
            ShardedCommand::Suite | ShardedCommand::Review | ShardedCommand::Prepare => {
                Shard::of(count, number, 0)
            }
        }
    }

    fn unit(&self) -> &'static str {
        if self.command == ShardedCommand::Suite { "test" } else { "game" }
    }

    fn rows_file(&self) -> &'static str {
        if self.command == ShardedCommand::Suite { NumberedTestRow::FILE } else { GAMES }
    }

    /// Returns the number of the row in a line; `None` if it is none.
    fn number_of(&self, line: &[u8]) -> Option<u64> {
        match self.command {
            ShardedCommand::Match | ShardedCommand::Sweep => number::<GameRow>(line),
            ShardedCommand::Suite => number::<NumberedTestRow>(line),
            ShardedCommand::Selfplay => SelfplayGame::parse(std::str::from_utf8(line).ok()?.trim_end(), 1)
                .ok()
                .map(|game| game.number),
            ShardedCommand::Review | ShardedCommand::Prepare => None,
        }
    }

    /// Reads the rows of all shards.
    ///
    /// # Errors
    /// Returns an error if one is missing, occurs twice, belongs to another shard or has no record, or if a shard is being
    /// written.
    pub fn rows(&self) -> Result<JoinedRows<'_>, JoinError> {
        let mut rows = JoinedRows { set: self, files: Vec::new(), lines: BTreeMap::new() };
        for (number, folder) in self.folders.iter().enumerate() {
            rows.read(number, folder)?;
        }
        rows.check_complete()?;
        rows.check_records()?;
        Ok(rows)
    }
}

fn number<R: GameRecordRow>(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<R>(line).ok().map(|row| row.number())
}

impl JoinedRows<'_> {
    /// Reads the whole lines of a folder. A cut-off last line is ignored, so that its game counts as missing.
    fn read(&mut self, number: usize, folder: &ShardFolder) -> Result<(), JoinError> {
        let path = folder.path.join(self.set.rows_file());
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(JoinError::NoFile { path, kind: "rows", shard: folder.shard });
            }
            file => file.map_err(at(&path))?,
        };
        lock(&file, &path)?;
        let mut reader = BufReader::new(&file);
        let (mut line, mut offset) = (Vec::new(), 0);
        for count in 1.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(at(&path))?;
            if !line.ends_with(b"\n") {
                break;
            }
            let game = self.set.number_of(&line).filter(|&game| {
                game < self.set.total
                    && self.set.shard_of(game) == folder.shard
                    && !self.lines.contains_key(&game)
            });
            let Some(game) = game else {
                let found = String::from_utf8_lossy(&line).trim_end().chars().take(60).collect();
                let unit = self.set.unit();
                return Err(JoinError::Strange { path, line: count, unit, shard: folder.shard, found });
            };
            self.lines.insert(game, LinePlace { folder: number, offset, length });
            offset += length as u64;
        }
        self.files.push(file);
        Ok(())
    }

    fn check_complete(&self) -> Result<(), JoinError> {
        let mut incomplete: BTreeMap<Shard, IncompleteShard> = BTreeMap::new();
        for game in (0..self.set.total).filter(|game| !self.lines.contains_key(game)) {
            let shard = self.set.shard_of(game);
            let folder = self.set.folders.iter().find(|folder| folder.shard == shard);
            let path = folder.map(|folder| folder.path.clone()).unwrap_or_default();
            let unit = self.set.unit();
            let entry = incomplete.entry(shard);
            let entry = entry.or_insert(IncompleteShard { path, shard, missing: Vec::new(), count: 0, unit });
            entry.count += 1;
            if entry.missing.len() < MAX_MISSING {
                entry.missing.push(game.to_string());
            }
        }
        if incomplete.is_empty() {
            return Ok(());
        }
        Err(JoinError::Incomplete { shards: incomplete.into_values().collect() })
    }

    /// Returns true if each game has a record.
    fn has_records(&self) -> bool {
        matches!(self.set.command, ShardedCommand::Match | ShardedCommand::Sweep)
    }

    fn check_records(&self) -> Result<(), JoinError> {
        for (&game, place) in self.lines.iter().filter(|_| self.has_records()) {
            let ShardFolder { path, shard } = &self.set.folders[place.folder];
            let path = path.join(RECORDS).join(record_name(game));
            let (kind, shard) = ("record of a game", *shard);
            match path.metadata() {
                Ok(metadata) if metadata.is_file() && metadata.len() > 0 => {}
                Ok(metadata) if metadata.is_file() => {
                    let found = "an empty file".to_owned();
                    return Err(JoinError::BadFile { path, kind, shard, found });
                }
                _ => return Err(JoinError::NoFile { path, kind, shard }),
            }
        }
        Ok(())
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the rows in the order of their numbers.
    ///
    /// # Errors
    /// Returns an error if a row cannot be read.
    pub fn parse<R: DeserializeOwned>(&self) -> Result<Vec<R>, JoinError> {
        let parse = |place: &LinePlace| {
            let (line, path) = self.line(*place)?;
            Ok(serde_json::from_slice(&line).map_err(|error| at(&path)(error.into()))?)
        };
        self.lines.values().map(parse).collect()
    }

    /// Returns a line and the path of its file.
    fn line(&self, place: LinePlace) -> Result<(Vec<u8>, std::path::PathBuf), JoinError> {
        let path = self.set.folders[place.folder].path.join(self.set.rows_file());
        let mut file = &self.files[place.folder];
        let mut line = vec![0; place.length];
        let read = file.seek(SeekFrom::Start(place.offset)).and_then(|_| file.read_exact(&mut line));
        read.map_err(at(&path))?;
        Ok((line, path))
    }

    /// Writes what the whole run would have written into `folder`: the description, the rows in the order of their
    /// numbers, and the records.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub fn write(&self, folder: &Path) -> Result<(), JoinError> {
        if self.set.command == ShardedCommand::Selfplay {
            let path = folder.join(DESCRIPTION);
            write_atomically(&path, &json(&self.set.identity.setting, &path)?)?;
        } else {
            self.set.identity.write(folder)?;
        }
        let path = folder.join(self.set.rows_file());
        let mut rows = BufWriter::new(File::create(&path).map_err(at(&path))?);
        for place in self.lines.values() {
            rows.write_all(&self.line(*place)?.0).map_err(at(&path))?;
        }
        rows.flush().map_err(at(&path))?;
        if self.has_records() {
            self.copy_records(&folder.join(RECORDS))?;
        }
        Ok(())
    }

    fn copy_records(&self, folder: &Path) -> Result<(), JoinError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        for (&game, place) in &self.lines {
            let name = record_name(game);
            let from = self.set.folders[place.folder].path.join(RECORDS).join(&name);
            fs::copy(&from, folder.join(name)).map_err(at(&from))?;
        }
        Ok(())
    }
}
