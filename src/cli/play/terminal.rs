//! A game on a terminal: a picture that is updated in place, and an input line that can be edited.

use super::screen::{Screen, TerminalSize, wrapped};
use crate::play::console::Console;
use console::Term;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::io::{self, Write};

const PROMPT: &str = "> ";

/// A console for a person at a terminal.
pub(super) struct Terminal {
    editor: Editor<(), MemHistory>,
    screen: Screen,
    /// The picture of the game shown last.
    game: String,
    /// The messages since the last line was typed.
    messages: Vec<String>,
}

impl Terminal {
    /// Creates a console on standard input and output, which must be a terminal.
    ///
    /// # Errors
    /// Returns an error if lines cannot be edited on this terminal.
    pub(super) fn new() -> io::Result<Terminal> {
        let config = Config::builder().auto_add_history(true).build();
        let history = MemHistory::with_config(&config);
        let editor = Editor::with_history(config, history);
        Ok(Terminal {
            editor: editor.map_err(|error| io::Error::other(error.to_string()))?,
            screen: Screen::default(),
            game: String::new(),
            messages: Vec::new(),
        })
    }

    /// Writes the game, the messages, and `more` below them.
    fn paint(&mut self, more: Option<&str>) -> io::Result<()> {
        let extent = extent();
        let mut lines = Vec::new();
        if !self.game.is_empty() {
            lines.extend(wrapped(&self.game, extent.columns));
            lines.push(String::new());
        }
        for text in self.messages.iter().map(String::as_str).chain(more) {
            lines.extend(wrapped(text, extent.columns));
        }
        let mut output = io::stdout().lock();
        output.write_all(self.screen.paint(lines, extent).as_bytes())?;
        output.flush()
    }
}

/// Returns the size of the terminal, by default 80 columns and 24 rows.
fn extent() -> TerminalSize {
    let (rows, columns) = Term::stdout().size();
    let or = |number: u16, usual: usize| if number == 0 { usual } else { number.into() };
    TerminalSize { columns: or(columns, 80), rows: or(rows, 24) }
}

impl Console for Terminal {
    fn show(&mut self, game: &str) -> io::Result<()> {
        game.clone_into(&mut self.game);
        Ok(())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.messages.push(text.to_owned());
        Ok(())
    }

    fn wait(&mut self, game: &str, text: &str) -> io::Result<()> {
        self.show(game)?;
        self.paint(Some(&format!("{text} Ctrl-C ends the search.")))
    }

    fn ask(&mut self) -> io::Result<Option<String>> {
        self.paint(None)?;
        let line = self.editor.readline(PROMPT);
        self.messages.clear();
        match line {
            Ok(line) => {
                let width = PROMPT.len() + console::measure_text_width(&line);
                self.screen.typed(width / extent().columns + 1);
                Ok(Some(line.trim().to_owned()))
            }
            Err(ReadlineError::Eof) => {
                self.screen.typed(1);
                Ok(None)
            }
            // Ctrl-C discards the line, not the game.
            Err(ReadlineError::Interrupted) => {
                self.screen.typed(1);
                self.messages.push("Type quit to leave, or press Ctrl-D.".to_owned());
                Ok(Some(String::new()))
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        self.paint(None)
    }
}
