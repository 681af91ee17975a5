//! Labels of positions by an evaluator: the folder in which they are stored while they are made.
//!
//! `label.json` has the version, the board, the games, the evaluator and the seed. `labels.bin` has records of one
//! length in the order of the answers. A record names its position by its game, so the games belong to the labels.
//! Numbers are little-endian; values are for the player to move.
//!
//! | in a record | content                                                                       |
//! |-------------|-------------------------------------------------------------------------------|
//! | 0..4        | number of the position                                                        |
//! | 4..8        | index of the game, ordered as by `tewari network prepare`                     |
//! | 8..10       | number of moves of the game before the position                               |
//! | 10..16      | up to three drawn moves after these, as move numbers; 65535: none             |
//! | 16..18      | White's komi in half points, signed                                           |
//! | 18..20      | win rate in 65535ths                                                          |
//! | 20..22      | mean of the final score without komi, in eighths of a point, signed           |
//! | 22..24      | standard deviation of the final score, in eighths of a point                  |
//! | policy      | 1 byte a move: its probability in 255ths of the most probable move's          |
//! | owners      | 1 byte a point: the mean share of the player in its ownership, in 255ths      |

use super::label_positions::{MAX_DRAWN, PositionPlace};
use crate::base::folder::{self, FolderError, FolderIdentity, at, json, lock, write_atomically};
use crate::base::game::Move;
use crate::go::{Komi, Size};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The version of the format, in the description.
pub const VERSION: &str = "1";
/// The file that describes the labels.
const DESCRIPTION: &str = "label.json";
/// The file of records.
const FILE: &str = "labels.bin";
const FIXED_BYTES: usize = 24;
const NO_MOVE: u16 = u16::MAX;

/// The answer of an evaluator about a position, in the units of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionLabel {
    /// Number of the position.
    pub number: u32,
    /// The position.
    pub place: PositionPlace,
    /// Win rate in 65535ths.
    pub win_rate: u16,
    /// Mean of the final score without komi, in eighths of a point.
    pub score: i16,
    /// Standard deviation of the final score, in eighths of a point.
    pub deviation: u16,
    /// Probability of each move, in 255ths of the most probable move's.
    pub policy: Vec<u8>,
    /// Mean share of the player in the ownership of each point, in 255ths.
    pub owners: Vec<u8>,
}

impl PositionLabel {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED_BYTES + self.policy.len() + self.owners.len());
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(self.place.game.to_le_bytes());
        bytes.extend(self.place.turn.to_le_bytes());
        for index in 0..MAX_DRAWN {
            let drawn = self.place.drawn.get(index).map_or(NO_MOVE, |mv| mv.0);
            bytes.extend(drawn.to_le_bytes());
        }
        bytes.extend((self.place.komi.0 as i16).to_le_bytes());
        bytes.extend(self.win_rate.to_le_bytes());
        bytes.extend(self.score.to_le_bytes());
        bytes.extend(self.deviation.to_le_bytes());
        bytes.extend(&self.policy);
        bytes.extend(&self.owners);
        bytes
    }

    /// Reads a record of [`record_bytes`].
    fn read(bytes: &[u8], size: Size) -> PositionLabel {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let double = |at: usize| u32::from(word(at)) | u32::from(word(at + 2)) << 16;
        let drawn = (0..MAX_DRAWN).map(|index| word(10 + 2 * index));
        let place = PositionPlace {
            game: double(4),
            turn: word(8),
            drawn: drawn.take_while(|&mv| mv != NO_MOVE).map(Move).collect(),
            komi: Komi(i32::from(word(16) as i16)),
        };
        let (policy, owners) = bytes[FIXED_BYTES..].split_at(size.points() + 1);
        PositionLabel {
            number: double(0),
            place,
            win_rate: word(18),
            score: word(20) as i16,
            deviation: word(22),
            policy: policy.to_vec(),
            owners: owners.to_vec(),
        }
    }
}

/// Returns the length of a record.
fn record_bytes(size: Size) -> usize {
    FIXED_BYTES + 2 * size.points() + 1
}

/// Reads the labels of `file`; an incomplete last record is left out.
fn read_records(file: &mut File, size: Size) -> io::Result<Vec<PositionLabel>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes.chunks_exact(record_bytes(size)).map(|record| PositionLabel::read(record, size)).collect())
}

/// Returns the labels of a folder, ordered by the numbers of their positions. Names in `expected` must have the same
/// values in its description. The folder may be in use.
///
/// # Errors
/// Returns an error if it cannot be read, or its description differs.
pub fn read_labels(
    folder: &Path,
    expected: &FolderIdentity,
    size: Size,
) -> Result<Vec<PositionLabel>, FolderError> {
    let found: FolderIdentity = folder::read_json(&folder.join(DESCRIPTION))?;
    let named = found.into_iter().filter(|(name, _)| expected.contains_key(name)).collect();
    folder::compare(folder, &named, expected)?;
    let path = folder.join(FILE);
    let mut labels =
        File::open(&path).and_then(|mut file| read_records(&mut file, size)).map_err(at(&path))?;
    labels.sort_by_key(|label| label.number);
    Ok(labels)
}

/// An open folder of labels, locked while this value exists.
pub struct LabelFolder {
    file: File,
    path: PathBuf,
    done: HashSet<u32>,
}

impl LabelFolder {
    /// Opens or creates the folder for labels with this identity, on boards of `size`, and reads the numbers of its
    /// positions. An incomplete last record, left by a kill, is removed, so that its position is asked again.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be used, or has labels of another identity.
    pub fn open(folder: &Path, identity: &FolderIdentity, size: Size) -> Result<LabelFolder, FolderError> {
        let (path, description) = (folder.join(FILE), folder.join(DESCRIPTION));
        std::fs::create_dir_all(folder).map_err(at(folder))?;
        let mut file =
            OpenOptions::new().create(true).read(true).append(true).open(&path).map_err(at(&path))?;
        lock(&file, &path)?;
        if description.exists() {
            folder::compare(folder, &folder::read_json(&description)?, identity)?;
        } else if file.metadata().map_err(at(&path))?.len() > 0 {
            return Err(FolderError::InUse { path });
        } else {
            write_atomically(&description, &json(identity, &description)?)?;
        }
        let labels = read_records(&mut file, size).map_err(at(&path))?;
        file.set_len((labels.len() * record_bytes(size)) as u64).map_err(at(&path))?;
        Ok(LabelFolder { file, path, done: labels.iter().map(|label| label.number).collect() })
    }

    /// Returns the numbers of the labelled positions.
    #[must_use]
    pub fn done(&self) -> &HashSet<u32> {
        &self.done
    }

    /// Appends a label.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn append(&mut self, label: &PositionLabel) -> Result<(), FolderError> {
        self.file.write_all(&label.bytes()).map_err(at(&self.path))?;
        self.done.insert(label.number);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_read_back_and_half_a_record_is_left_out() {
        let size = Size::new(2, 1).expect("a size");
        let drawn = vec![Move(1), Move(2)];
        let place = PositionPlace { game: 70_000, turn: 300, drawn, komi: Komi(-13) };
        let (policy, owners) = (vec![1, 255, 3], vec![255, 0]);
        let label =
            PositionLabel { number: 9, place, win_rate: 65_000, score: -40, deviation: 8, policy, owners };
        assert_eq!(label.bytes().len(), record_bytes(size));
        assert_eq!(PositionLabel::read(&label.bytes(), size), label);
        let folder = tempfile::tempdir().expect("a folder");
        let identity = FolderIdentity::from([("teacher".to_owned(), "one".to_owned())]);
        let open = || LabelFolder::open(folder.path(), &identity, size).expect("a folder of labels");
        open().append(&label).expect("a record");
        let path = folder.path().join(FILE);
        let cut = [label.bytes(), label.bytes()[..20].to_vec()].concat();
        std::fs::write(&path, cut).expect("a file");
        let labels = read_labels(folder.path(), &identity, size).expect("labels");
        assert_eq!(labels, std::slice::from_ref(&label));
        assert_eq!(open().done().len(), 1);
        assert_eq!(std::fs::read(&path).expect("a file"), label.bytes());
    }
}
