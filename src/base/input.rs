//! Input lines, read by a separate thread, so that a search can check for further input.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

/// Largest length of a line in bytes, which bounds the memory that a client can make the program use: enough for a JSON
/// query with a game of 10,000 moves.
pub const MAX_LINE_BYTES: usize = 1 << 17;

/// Largest number of lines read ahead, each up to [`MAX_LINE_BYTES`] bytes.
const MAX_LINES_AHEAD: usize = 2;

/// A line, or the end of the input.
type NextLine = io::Result<Option<Line>>;

/// The input lines of a client.
pub struct LineReader {
    /// `None` if the caller passes lines one by one: this input is then always at its end.
    lines: Option<Receiver<NextLine>>,
    /// A line that was received and not yet taken.
    waiting: Option<NextLine>,
    /// Number of lines taken.
    taken: u64,
    /// Number of the last interrupt line, counted from 1.
    interrupt: Arc<AtomicU64>,
    /// True once the reader of the answers has gone.
    abandoned: Arc<AtomicBool>,
}

impl LineReader {
    /// Creates an input without lines.
    #[must_use]
    pub fn none() -> LineReader {
        LineReader {
            lines: None,
            waiting: None,
            taken: 0,
            interrupt: Arc::default(),
            abandoned: Arc::default(),
        }
    }

    /// Creates an input of the lines of `source`. `abandoned` may be set at any time to signal that the reader of the
    /// answers has gone; `is_interrupt` returns true for lines that end the running command at once.
    pub fn reading(
        mut source: impl BufRead + Send + 'static,
        abandoned: Arc<AtomicBool>,
        is_interrupt: fn(&str) -> bool,
    ) -> LineReader {
        let (sender, lines) = sync_channel(MAX_LINES_AHEAD);
        let interrupt = Arc::new(AtomicU64::new(0));
        let interrupt_number = Arc::clone(&interrupt);
        std::thread::spawn(move || {
            for number in 1.. {
                let next = read_line(&mut source);
                if let Ok(Some(line)) = &next
                    && is_interrupt(&line.text)
                {
                    interrupt_number.store(number, Relaxed);
                }
                let is_last = !matches!(next, Ok(Some(_)));
                if sender.send(next).is_err() || is_last {
                    break;
                }
            }
        });
        LineReader { lines: Some(lines), waiting: None, taken: 0, interrupt, abandoned }
    }

    /// Waits for the next line and returns it; `None` at the end of the input.
    ///
    /// # Errors
    /// A failed read.
    pub fn take_line(&mut self) -> io::Result<Option<Line>> {
        self.wait();
        self.taken += 1;
        self.waiting.take().unwrap_or(Ok(None))
    }

    /// Waits for a line or the end of the input.
    pub fn wait(&mut self) {
        if self.waiting.is_none()
            && let Some(lines) = &self.lines
        {
            self.waiting = Some(lines.recv().unwrap_or(Ok(None)));
        }
    }

    /// Returns true if another line, the end of the input or the loss of the reader of the answers has followed the last
    /// line taken.
    pub fn has_more(&mut self) -> bool {
        if self.waiting.is_none() {
            self.waiting = match self.lines.as_ref().map(Receiver::try_recv) {
                Some(Ok(next)) => Some(next),
                Some(Err(TryRecvError::Empty)) => None,
                Some(Err(TryRecvError::Disconnected)) | None => Some(Ok(None)),
            };
        }
        self.waiting.is_some() || self.is_abandoned()
    }

    /// Returns true if the client has sent an interrupt after the last line taken, or the reader of the answers has gone.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Relaxed) > self.taken || self.is_abandoned()
    }

    /// Returns true once the reader of the answers has gone.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Relaxed)
    }
}

/// A line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text; invalid UTF-8 is replaced.
    pub text: String,
    /// True if the line was longer than [`MAX_LINE_BYTES`] and its rest was discarded.
    pub cut: bool,
}

/// Reads the next line; returns `None` at the end of input. The last line may lack its line end.
///
/// # Errors
/// A failed read.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let cut = bytes.len() > MAX_LINE_BYTES && bytes.last() != Some(&b'\n');
    if cut {
        skip_line(input)?;
    }
    bytes.shrink_to_fit();
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Some(Line { text, cut }))
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = available.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(available.len(), |end| end + 1);
        let done = end.is_some() || used == 0;
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_read() {
        let mut input = vec![b'x'; MAX_LINE_BYTES + 5000];
        input.extend_from_slice(b"\nname\nlast");
        let mut input = io::BufReader::with_capacity(100, &input[..]);
        let mut next = || read_line(&mut input).unwrap().map(|line| (line.text.trim().len(), line.cut));
        assert_eq!(next(), Some((MAX_LINE_BYTES + 1, true)));
        assert_eq!(next(), Some((4, false)));
        assert_eq!(next(), Some((4, false)));
        assert_eq!(next(), None);
    }
}
