//! A game against a person: the conversation, and the two games that can be played.

pub mod go;
pub mod tictactoe;

use crate::game::{Outcome, Player};
use crate::search::Report;
use std::io::{self, BufRead, Write};

/// A game against a person, as text.
pub trait InteractiveGame {
    /// The board and what else a player wants to see.
    fn draw(&self) -> String;

    /// What a player is called.
    fn name(&self, player: Player) -> &'static str;

    /// Who moves.
    fn to_play(&self) -> Player;

    /// How it ended; `None` while it goes on.
    fn result(&self) -> Option<String>;

    /// Plays a move as a person writes it.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence; nothing is changed then.
    fn play(&mut self, text: &str) -> Result<(), String>;

    /// Takes the last move back; `false` if there is none.
    fn undo(&mut self) -> bool;

    /// Begins again.
    fn restart(&mut self);

    /// Thinks, and plays the best move; returns what there is to say about it.
    fn think(&mut self) -> String;

    /// Thinks, and returns the best moves for who is to move.
    fn hint(&mut self) -> String;

    /// Whose the board becomes if it goes on like this; `None` for a game without territory.
    fn estimate(&mut self) -> Option<String>;

    /// How moves are written.
    fn notation(&self) -> &'static str;
}

/// Moves that a hint names.
const HINTS: usize = 5;

/// Plays with a person who has `human`'s side, until the input ends or the person leaves.
///
/// # Errors
/// When reading or writing fails.
pub fn converse(
    game: &mut dyn InteractiveGame,
    human: Player,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    writeln!(output, "You are {}. {}", game.name(human), help(game))?;
    let mut is_over = false;
    loop {
        if !is_over && game.result().is_none() && game.to_play() != human {
            let remark = game.think();
            writeln!(output, "{remark}")?;
        }
        if let Some(result) = game.result().filter(|_| !is_over) {
            writeln!(
                output,
                "\n{}\n{result}. Say new for another game, undo to go back, quit to leave.",
                game.draw()
            )?;
            is_over = true;
        } else if !is_over {
            writeln!(output, "\n{}", game.draw())?;
        }
        write!(output, "> ")?;
        output.flush()?;
        let Some(line) = read(input)? else {
            writeln!(output, "\nGood bye.")?;
            return Ok(());
        };
        match answer(game, human, &line, is_over) {
            Answer::Leave => {
                writeln!(output, "Good bye.")?;
                return Ok(());
            }
            Answer::GoOn(text) => {
                is_over = false;
                if !text.is_empty() {
                    writeln!(output, "{text}")?;
                }
            }
            Answer::Stay(text) => {
                writeln!(output, "{text}")?;
                is_over |= text.starts_with(RESIGNED);
            }
        }
    }
}

const RESIGNED: &str = "You resign";

/// What follows from what the person said.
enum Answer {
    /// The game goes on, or begins again.
    GoOn(String),
    /// Nothing has changed.
    Stay(String),
    /// The person leaves.
    Leave,
}

fn answer(game: &mut dyn InteractiveGame, human: Player, line: &str, is_over: bool) -> Answer {
    match line.to_lowercase().as_str() {
        "" => Answer::Stay(help(game)),
        "quit" | "exit" | "q" => Answer::Leave,
        "help" | "?" => Answer::Stay(help(game)),
        "new" => {
            game.restart();
            Answer::GoOn("A new game.".to_owned())
        }
        "undo" => take_back(game, human),
        _ if is_over => Answer::Stay("The game is over: say new, undo or quit.".to_owned()),
        "hint" => Answer::Stay(game.hint()),
        "estimate" => {
            Answer::Stay(game.estimate().unwrap_or_else(|| "There is no territory in this game.".to_owned()))
        }
        "resign" => Answer::Stay(format!("{RESIGNED}: {} wins.", game.name(human.other()))),
        _ => match game.play(line) {
            Ok(()) => Answer::GoOn(String::new()),
            Err(reason) => Answer::Stay(reason),
        },
    }
}

/// Takes back until the person is to move.
fn take_back(game: &mut dyn InteractiveGame, human: Player) -> Answer {
    if !game.undo() {
        return Answer::Stay("There is nothing to take back.".to_owned());
    }
    while game.to_play() != human && game.undo() {}
    Answer::GoOn("Taken back.".to_owned())
}

fn help(game: &dyn InteractiveGame) -> String {
    format!("Moves are {}; other words: undo, hint, estimate, resign, new, help, quit.", game.notation())
}

/// A line without the space around it, whatever its bytes; `None` at the end of the input.
fn read(input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
}

/// The best moves of a search, for who was to move; `vertex` names a move.
fn hints(report: &Report, vertex: &dyn Fn(crate::game::Move) -> String) -> String {
    let describe = |mv: &crate::search::MoveReport| {
        let proven = match mv.proven {
            Some(Outcome::Win) => ", a proven win",
            Some(Outcome::Draw) => ", a proven draw",
            Some(Outcome::Loss) => ", a proven loss",
            None => "",
        };
        let line: Vec<String> = mv.pv.iter().take(6).map(|&mv| vertex(mv)).collect();
        let (name, share) = (vertex(mv.mv), 100.0 * mv.value.as_f64());
        format!(
            "  {name:5} wins {share:4.1} % ({} visits{proven}), then {}",
            mv.edge_visits,
            line[1..].join(" ")
        )
    };
    let lines: Vec<String> = report.moves.iter().take(HINTS).map(describe).collect();
    if lines.is_empty() { "There is nothing to play.".to_owned() } else { lines.join("\n") }
}

/// What an engine says of its move.
fn remark(report: &Report, name: &str, mv: &str) -> String {
    let certain = match report.root.proven {
        Some(Outcome::Win) => " I can force a win.".to_owned(),
        Some(Outcome::Draw) => " I can force a draw.".to_owned(),
        Some(Outcome::Loss) => " You can force a win.".to_owned(),
        None => format!(" I win {:.0} % of my simulations.", 100.0 * report.root.value.as_f64()),
    };
    format!("{name} plays {mv}.{certain}")
}
