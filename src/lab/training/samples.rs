//! The file format of labelled positions, as read by the trainer.
//!
//! A file is a header of 128 bytes and rows of one length, all numbers little-endian. A row is the planes (bits
//! first, then points, then whole-board numbers, each kind in the order of the plane numbers) and the labels.
//!
//! | header bytes | content                                                                 |
//! |--------------|-------------------------------------------------------------------------|
//! | 0..8         | the eight characters `TewariPS`                                         |
//! | 8..12        | version of the format                                                   |
//! | 12..14       | columns and rows                                                        |
//! | 14           | the labels of the rows: 0 of recorded games, 1 of self-play, 2 of an evaluator |
//! | 16..20       | bytes of a row                                                          |
//! | 20..24       | planes present, a bit each                                              |
//! | 24..56       | the kind of each plane: 0 bits, 1 point, 2 whole board                  |
//!
//! | in a row     | content                                                                 |
//! |--------------|-------------------------------------------------------------------------|
//! | bits         | (points + 7) / 8 bytes a plane, the lowest bit first                    |
//! | point        | 2 bytes a plane: a move number, or 65535                                |
//! | whole board  | 1 byte a plane                                                          |
//! | labels       | the move played (2 bytes), the player's komi in half points (2, signed), |
//! |              | the player's final score without komi in half points (2, signed, -32768: unknown), |
//! |              | 0 lost, 1 drawn, 2 won, 255 unknown (1), the value of the position after a search, 0 to |
//! |              | 250, 255 unknown (1), the number of the game (4)                        |
//! | owners       | two planes of bits: the player's final points, and the opponent's; all 0: unknown. Of an evaluator: |
//! |              | 1 byte a point, the mean share of the player in its ownership, in 255ths |
//! | policy       | of self-play and evaluators, 1 byte a move: its visits in a search, or its probability, in 255ths of |
//! |              | the largest of a move; all 0: unknown                                   |
//! | deviation    | of evaluators, 2 bytes: standard deviation of the final score, in eighths of a point |

use crate::base::game::{Move, Outcome, Player};
use crate::go::Size;
use crate::go::board::Board;
use crate::go::ladder::LadderReader;
use crate::network::planes::{
    InputPosition, PLANES, PlaneEncoding, PlaneSet, PlaneSink, encoding, write_planes,
};
use std::io::{self, Write};

const MAGIC: [u8; 8] = *b"TewariPS";
const VERSION: u32 = 2;
/// Length of the header, in bytes.
pub const HEADER_BYTES: usize = 128;
const LABEL_BYTES: usize = 12;
const DEVIATION_BYTES: usize = 2;
const NO_POINT: u16 = u16::MAX;
const NO_SCORE: i16 = i16::MIN;
const NO_RESULT: u8 = 255;
const NO_VALUE: u8 = 255;

/// Returns the bytes of a row according to the header of a file; `None` if it is no such header.
#[must_use]
pub fn row_bytes(header: &[u8; HEADER_BYTES]) -> Option<u64> {
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let is_known = header.starts_with(&MAGIC) && number(8) == VERSION;
    is_known.then(|| u64::from(number(16))).filter(|&bytes| bytes > 0)
}

/// Training labels of a position, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<'a> {
    /// The move played.
    pub played: Move,
    /// The final score without komi, in half points, if known.
    pub score: Option<i16>,
    /// The result of the game, if known.
    pub result: Option<Outcome>,
    /// Final owner of each point, by move number: `b`, `w`, or `.` for neither; empty if unknown.
    pub owners: &'a [u8],
    /// Move numbers and their visits, if the position had a long search.
    pub visits: &'a [(u16, u32)],
    /// The value after a search, in thousandths, if there was one.
    pub value: Option<u16>,
    /// Number of the game.
    pub game: u32,
}

/// Labels of a position by an evaluator, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatedLabels<'a> {
    /// Win rate, in thousandths.
    pub value: u16,
    /// Mean of the final score without komi, in half points.
    pub score: i16,
    /// Standard deviation of the final score, in eighths of a point.
    pub deviation: u16,
    /// Probability of each move, in 255ths of the most probable move's; all 0: unknown.
    pub policy: &'a [u8],
    /// Mean share of the player in the ownership of each point, in 255ths.
    pub owners: &'a [u8],
    /// Index of the game.
    pub game: u32,
}

/// The source of the labels in a file, as in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelSource {
    Record = 0,
    Selfplay = 1,
    Evaluator = 2,
}

/// A writer of rows for boards of one size.
pub struct SampleWriter<W: Write> {
    output: W,
    size: Size,
    row: SampleRow,
    ladders: LadderReader,
}

impl<W: Write> SampleWriter<W> {
    /// Begins a file and writes its header, for rows without visits.
    ///
    /// # Errors
    /// Returns an error if the header cannot be written.
    pub fn new(output: W, size: Size) -> io::Result<SampleWriter<W>> {
        SampleWriter::begin(output, size, LabelSource::Record)
    }

    /// Begins a file and writes its header, for rows with visits.
    ///
    /// # Errors
    /// Returns an error if the header cannot be written.
    pub fn with_visits(output: W, size: Size) -> io::Result<SampleWriter<W>> {
        SampleWriter::begin(output, size, LabelSource::Selfplay)
    }

    /// Begins a file and writes its header, for rows with labels of an evaluator.
    ///
    /// # Errors
    /// Returns an error if the header cannot be written.
    pub fn with_evaluations(output: W, size: Size) -> io::Result<SampleWriter<W>> {
        SampleWriter::begin(output, size, LabelSource::Evaluator)
    }

    fn begin(mut output: W, size: Size, source: LabelSource) -> io::Result<SampleWriter<W>> {
        let row = SampleRow::new(size, source);
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12] = size.columns() as u8;
        header[13] = size.rows() as u8;
        header[14] = source as u8;
        header[16..20].copy_from_slice(&(row.bytes.len() as u32).to_le_bytes());
        header[20..24].copy_from_slice(&PlaneSet::KNOWN.0.to_le_bytes());
        for plane in 0..PLANES {
            header[24 + plane] = encoding(plane) as u8;
        }
        output.write_all(&header)?;
        Ok(SampleWriter { output, size, row, ladders: LadderReader::new(&Board::new(size)) })
    }

    /// Writes the row of a position, which must be on a board of the file's size.
    ///
    /// # Errors
    /// Returns an error if the row cannot be written.
    pub fn write(&mut self, input: &InputPosition<'_>, labels: &Labels<'_>) -> io::Result<()> {
        self.begin_row(input);
        self.row.label(input, labels);
        self.output.write_all(&self.row.bytes)
    }

    /// Writes the row of a position with labels of an evaluator to a file begun for them.
    ///
    /// # Errors
    /// Returns an error if the row cannot be written.
    pub fn write_evaluated(
        &mut self,
        input: &InputPosition<'_>,
        labels: &EvaluatedLabels<'_>,
    ) -> io::Result<()> {
        self.begin_row(input);
        self.row.label_evaluated(input, labels);
        self.output.write_all(&self.row.bytes)
    }

    fn begin_row(&mut self, input: &InputPosition<'_>) {
        assert_eq!(input.board.size(), self.size, "one size a file");
        self.row.clear();
        write_planes(input, PlaneSet::KNOWN, &mut self.ladders, &mut self.row);
    }

    /// Flushes the file and returns the output.
    ///
    /// # Errors
    /// Returns an error if buffered rows cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}

/// A row under construction.
struct SampleRow {
    bytes: Vec<u8>,
    /// Offset of each plane in the row.
    starts: [usize; PLANES],
    labels: usize,
    points: usize,
    source: LabelSource,
}

impl SampleRow {
    fn new(size: Size, source: LabelSource) -> SampleRow {
        let points = size.points();
        let mut starts = [0; PLANES];
        let mut end = 0;
        for (wanted, bytes) in [
            (PlaneEncoding::Bits, size.points().div_ceil(8)),
            (PlaneEncoding::Point, 2),
            (PlaneEncoding::Whole, 1),
        ] {
            for plane in PlaneSet::KNOWN.iter().filter(|&plane| encoding(plane) == wanted) {
                starts[plane] = end;
                end += bytes;
            }
        }
        let bits = 2 * points.div_ceil(8);
        let rest = match source {
            LabelSource::Record => bits,
            LabelSource::Selfplay => bits + points + 1,
            LabelSource::Evaluator => points + points + 1 + DEVIATION_BYTES,
        };
        let bytes = vec![0; end + LABEL_BYTES + rest];
        SampleRow { bytes, starts, labels: end, points, source }
    }

    fn clear(&mut self) {
        self.bytes.fill(0);
        for plane in PlaneSet::KNOWN.iter().filter(|&plane| encoding(plane) == PlaneEncoding::Point) {
            self.put(self.starts[plane], &NO_POINT.to_le_bytes());
        }
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes the labels of fixed length.
    fn label_position(&mut self, input: &InputPosition<'_>, labels: &Labels<'_>) {
        let komi = input.own_komi().clamp(-10_000, 10_000) as i16;
        self.put(self.labels, &labels.played.0.to_le_bytes());
        self.put(self.labels + 2, &komi.to_le_bytes());
        self.put(self.labels + 4, &labels.score.unwrap_or(NO_SCORE).to_le_bytes());
        self.bytes[self.labels + 6] = labels.result.map_or(NO_RESULT, |result| result.half_points() as u8);
        self.bytes[self.labels + 7] = labels.value.map_or(NO_VALUE, |value| (value.min(1000) / 4) as u8);
        self.put(self.labels + 8, &labels.game.to_le_bytes());
    }

    fn label_evaluated(&mut self, input: &InputPosition<'_>, labels: &EvaluatedLabels<'_>) {
        let EvaluatedLabels { value, score, game, .. } = *labels;
        let (played, result, owners, visits) = (Move(NO_POINT), None, &[][..], &[][..]);
        let (score, value) = (Some(score), Some(value));
        self.label_position(input, &Labels { played, score, result, owners, visits, value, game });
        let start = self.labels + LABEL_BYTES;
        self.put(start, labels.owners);
        self.put(start + self.points, labels.policy);
        self.put(start + 2 * self.points + 1, &labels.deviation.to_le_bytes());
    }

    fn label(&mut self, input: &InputPosition<'_>, labels: &Labels<'_>) {
        self.label_position(input, labels);
        let start = self.labels + LABEL_BYTES;
        let width = self.points.div_ceil(8);
        let mine = if input.to_play == Player::Black { b'b' } else { b'w' };
        for (point, &owner) in labels.owners.iter().enumerate().filter(|&(_, &owner)| owner != b'.') {
            let plane = if owner == mine { start } else { start + width };
            self.bytes[plane + point / 8] |= 1 << (point % 8);
        }
        if self.source != LabelSource::Selfplay {
            return;
        }
        let most = labels.visits.iter().map(|&(_, visits)| visits).max().unwrap_or(0).max(1);
        for &(mv, visits) in labels.visits {
            let share = u64::from(visits) * 255 / u64::from(most);
            self.bytes[start + 2 * width + usize::from(mv)] = share as u8;
        }
    }
}

impl PlaneSink for SampleRow {
    fn point(&mut self, plane: usize, number: usize) {
        let start = self.starts[plane];
        match encoding(plane) {
            PlaneEncoding::Bits => self.bytes[start + number / 8] |= 1 << (number % 8),
            PlaneEncoding::Point => self.put(start, &(number as u16).to_le_bytes()),
            PlaneEncoding::Whole => {}
        }
    }

    fn whole(&mut self, plane: usize, value: u8) {
        self.bytes[self.starts[plane]] = value;
    }
}
