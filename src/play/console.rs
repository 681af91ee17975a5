//! Where a game is shown, and where a person answers.

use std::io::{self, BufRead, Write};

/// A place to show a game at and to read words from.
pub trait Console {
    /// Shows the game: the board and what belongs to it.
    ///
    /// # Errors
    /// When writing fails.
    fn show(&mut self, game: &str) -> io::Result<()>;

    /// Says something besides.
    ///
    /// # Errors
    /// When writing fails.
    fn say(&mut self, text: &str) -> io::Result<()>;

    /// Shows the game while the engine thinks, with a word on that.
    ///
    /// # Errors
    /// When writing fails.
    fn wait(&mut self, game: &str, text: &str) -> io::Result<()>;

    /// Asks for a line, without the space around it; `None` at the end of the input.
    ///
    /// # Errors
    /// When reading or writing fails.
    fn ask(&mut self) -> io::Result<Option<String>>;

    /// Shows what was said last: there is no more.
    ///
    /// # Errors
    /// When writing fails.
    fn close(&mut self) -> io::Result<()>;
}

/// A console of lines: everything is written once, one after the other, and nothing about waiting.
pub struct Lines<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Lines<R, W> {
    /// A console that reads `input` and writes `output`.
    pub fn new(input: R, output: W) -> Lines<R, W> {
        Lines { input, output }
    }
}

impl<R: BufRead, W: Write> Console for Lines<R, W> {
    fn show(&mut self, game: &str) -> io::Result<()> {
        writeln!(self.output, "\n{game}")
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    fn wait(&mut self, _game: &str, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn ask(&mut self) -> io::Result<Option<String>> {
        write!(self.output, "> ")?;
        self.output.flush()?;
        // Whatever its bytes: what is no text is no word either, and is answered.
        let mut line = Vec::new();
        if self.input.read_until(b'\n', &mut line)? == 0 {
            writeln!(self.output)?;
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
    }
    fn close(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
