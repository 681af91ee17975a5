//! Games against a person: a conversation of moves and commands, for every [`InteractiveGame`].
//!
//! `commands` parses what the person types, [`console`] reads and prints. The games are [`go`] and [`tictactoe`], with the
//! rules in [`noughts`].

mod commands;
pub mod console;
pub mod end_search;
pub mod go;
pub mod noughts;
pub mod tictactoe;

use self::commands::{COMMANDS, PlayCommand};
use self::console::Console;
use self::end_search::EndSearch;
use crate::base::game::{Outcome, Player};
use crate::search::Report;
use std::io;
use std::path::Path;

/// A game that a person can play through commands and text.
pub trait InteractiveGame {
    /// Returns the settings of the game, shown at the beginning; `None` if there are none.
    fn terms(&self) -> Option<String> {
        None
    }

    /// Returns the board and the information beside it.
    fn draw(&self) -> String;

    /// Returns the name of a player.
    fn name(&self, player: Player) -> &'static str;

    /// Returns the player to move.
    fn to_play(&self) -> Player;

    /// Returns the result of a finished game; `None` while it goes on.
    fn result(&self) -> Option<String>;

    /// Plays a move typed by a person.
    ///
    /// # Errors
    /// Returns a sentence on the fault in the move; nothing is changed then.
    fn play(&mut self, text: &str) -> Result<(), String>;

    /// Takes the last move back; returns false if there is none.
    fn undo(&mut self) -> bool;

    /// Starts a new game with the same settings.
    fn restart(&mut self);

    /// Searches and plays the best move; returns a remark on it.
    fn think(&mut self) -> String;

    /// Searches and returns the best moves of the player to move.
    fn hint(&mut self) -> String;

    /// Searches and returns the expected owners of the points; `None` for a game without territory.
    fn estimate(&mut self) -> Option<String>;

    /// Returns the score if the game ended now; `None` for a game without scores.
    fn score(&self) -> Option<String>;

    /// Writes the game and a resignation to a file, and returns a message. An existing file is overwritten only if
    /// `is_forced`.
    ///
    /// # Errors
    /// Returns a sentence on the failure.
    fn save(&self, path: &Path, resigned: Option<Player>, is_forced: bool) -> Result<String, String>;

    /// Replaces the game by one from a file, and returns a message.
    ///
    /// # Errors
    /// Returns a sentence on the failure; nothing is changed then.
    fn load(&mut self, path: &Path) -> Result<String, String>;

    /// Returns true if the text has the form of a move, legal or not.
    fn is_move(&self, text: &str) -> bool;

    /// Returns a description of the notation of moves.
    fn notation(&self) -> &'static str;
}

/// Maximum number of moves in a hint.
const MAX_HINTS: usize = 5;

/// Plays with a person on `human`'s side, until the person quits or the input ends. `end_search` is that of the game.
///
/// # Errors
/// Returns an error if reading or writing fails.
pub fn converse(
    game: &mut dyn InteractiveGame,
    human: Player,
    end_search: EndSearch,
    console: &mut dyn Console,
) -> io::Result<()> {
    if let Some(terms) = game.terms() {
        console.say(&terms)?;
    }
    console.say(&format!("You are {}. {}", game.name(human), help(game)))?;
    let mut conversation = Conversation { game, human, end_search, console, is_over: false, resigned: None };
    while conversation.turn()? {}
    console.say("Goodbye.")?;
    console.close()
}

/// The state of a game with a person.
struct Conversation<'c> {
    game: &'c mut dyn InteractiveGame,
    human: Player,
    end_search: EndSearch,
    console: &'c mut dyn Console,
    /// True once the result was shown or the person resigned.
    is_over: bool,
    /// The player who resigned.
    resigned: Option<Player>,
}

impl Conversation<'_> {
    /// Plays the engine's move if it is its turn, shows the game, and answers a line of input. Returns false if the person
    /// quits or the input ends.
    fn turn(&mut self) -> io::Result<bool> {
        if !self.is_over && self.game.result().is_none() && self.game.to_play() != self.human {
            self.wait()?;
            let remark = self.game.think();
            self.console.say(&remark)?;
        }
        let result = self.game.result();
        if let Some(result) = result.filter(|_| !self.is_over) {
            self.console.show(&self.game.draw())?;
            self.console
                .say(&format!("{result}. Say new for another game, undo to go back, quit to leave."))?;
            self.is_over = true;
        } else if !self.is_over {
            self.console.show(&self.game.draw())?;
        }
        match self.console.ask()? {
            Some(line) => self.answer(&line),
            None => Ok(false),
        }
    }

    /// Shows that the engine is searching.
    fn wait(&mut self) -> io::Result<()> {
        self.end_search.clear();
        let thinks = format!("{} is thinking…", self.game.name(self.game.to_play()));
        self.console.wait(&self.game.draw(), &thinks)
    }

    /// Answers a line of input; returns false if the person quits.
    fn answer(&mut self, line: &str) -> io::Result<bool> {
        let word = match commands::parse(line) {
            None if self.game.is_move(line) => return self.play(line).map(|()| true),
            None => Err(commands::correction(line, self.game.notation())),
            Some(word) => word,
        };
        let message = match word {
            Ok(PlayCommand::Quit) => return Ok(false),
            Ok(word) => self.execute(word)?,
            Err(advice) => advice,
        };
        self.console.say(&message)?;
        Ok(true)
    }

    fn play(&mut self, line: &str) -> io::Result<()> {
        if self.is_over {
            return self.console.say(GAME_OVER_MESSAGE);
        }
        self.game.play(line).or_else(|reason| self.console.say(&reason))
    }

    /// Carries out a command and returns the message to show.
    fn execute(&mut self, word: PlayCommand) -> io::Result<String> {
        const NO_TERRITORY: &str = "There is no territory in this game.";
        Ok(match word {
            PlayCommand::Hint | PlayCommand::Resign if self.is_over => GAME_OVER_MESSAGE.to_owned(),
            PlayCommand::Help | PlayCommand::Quit => help(self.game),
            PlayCommand::Undo => self.take_back(),
            PlayCommand::New => {
                self.game.restart();
                (self.is_over, self.resigned) = (false, None);
                "A new game.".to_owned()
            }
            PlayCommand::Hint => {
                self.wait()?;
                self.game.hint()
            }
            PlayCommand::Estimate => {
                if self.game.result().is_none() {
                    self.wait()?;
                }
                self.game.estimate().unwrap_or_else(|| NO_TERRITORY.to_owned())
            }
            PlayCommand::Score => self.game.score().unwrap_or_else(|| NO_TERRITORY.to_owned()),
            PlayCommand::Save { path, is_forced } => {
                self.game.save(&path, self.resigned, is_forced).unwrap_or_else(|why| why)
            }
            PlayCommand::Load { path } => match self.game.load(&path) {
                Ok(message) => {
                    (self.is_over, self.resigned) = (false, None);
                    message
                }
                Err(why) => why,
            },
            PlayCommand::Resign => {
                (self.is_over, self.resigned) = (true, Some(self.human));
                format!(
                    "You resign: {} wins. Say new for another game, undo to go back, quit to leave.",
                    self.game.name(self.human.other())
                )
            }
        })
    }

    /// Takes back a resignation, or moves until the person is to move.
    fn take_back(&mut self) -> String {
        if self.resigned.take().is_some() {
            self.is_over = false;
            return "Taken back.".to_owned();
        }
        if !self.game.undo() {
            return "There is no move to take back.".to_owned();
        }
        while self.game.to_play() != self.human && self.game.undo() {}
        self.is_over = false;
        "Taken back.".to_owned()
    }
}

const GAME_OVER_MESSAGE: &str = "The game is over: say new, undo or quit.";

fn help(game: &dyn InteractiveGame) -> String {
    format!("Moves are {}. Commands: {}.", game.notation(), COMMANDS.join(", "))
}

/// Returns the best moves of a search as text; `vertex` returns the name of a move.
fn hints(report: &Report, vertex: &dyn Fn(crate::base::game::Move) -> String) -> String {
    let describe = |mv: &crate::search::MoveReport| {
        let proven = match mv.proven {
            Some(Outcome::Win) => ", a proven win",
            Some(Outcome::Draw) => ", a proven draw",
            Some(Outcome::Loss) => ", a proven loss",
            None => "",
        };
        let line: Vec<String> = mv.pv.iter().take(6).map(|&mv| vertex(mv)).collect();
        let (name, share) = (vertex(mv.mv), 100.0 * mv.value.as_f64());
        let replies = line.get(1..).unwrap_or_default().join(" ");
        let then = if replies.is_empty() { String::new() } else { format!(", then {replies}") };
        format!("  {name:5} wins {share:4.1} % ({} visits{proven}){then}", mv.edge_visits)
    };
    let lines: Vec<String> = report.moves.iter().take(MAX_HINTS).map(describe).collect();
    if lines.is_empty() { "There is no legal move.".to_owned() } else { lines.join("\n") }
}

/// Returns the engine's remark on its move.
fn remark(report: &Report, name: &str, mv: &str) -> String {
    let certain = match report.root.proven {
        Some(Outcome::Win) => " I can force a win.".to_owned(),
        Some(Outcome::Draw) => " I can force a draw.".to_owned(),
        Some(Outcome::Loss) => " You can force a win.".to_owned(),
        None => format!(" My win rate is {:.0} %.", 100.0 * report.root.value.as_f64()),
    };
    format!("{name} plays {mv}.{certain}")
}
