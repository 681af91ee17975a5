//! Consoles: output of a game and its messages, and input from a person.

use std::io::{self, BufRead, Write};

/// Input and output of a game against a person.
pub trait Console {
    /// Shows the board and the information beside it.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn show(&mut self, game: &str) -> io::Result<()>;

    /// Shows a message.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn say(&mut self, text: &str) -> io::Result<()>;

    /// Shows the game and a message while the engine searches.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn wait(&mut self, game: &str, text: &str) -> io::Result<()>;

    /// Asks for a line and returns it without surrounding white space; `None` at the end of the input.
    ///
    /// # Errors
    /// Returns an error if reading or writing fails.
    fn ask(&mut self) -> io::Result<Option<String>>;

    /// Shows the last messages at the end of the conversation.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    fn close(&mut self) -> io::Result<()>;
}

/// A console of lines, which are never redrawn. It shows nothing while the engine searches.
pub struct Lines<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Lines<R, W> {
    /// Creates a console that reads from `input` and writes to `output`.
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
        // Read as bytes, so that a line of invalid UTF-8 gets an answer instead of an error.
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
