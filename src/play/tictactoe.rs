//! Tic-tac-toe against a person.

use super::end_search::EndSearch;
use super::{InteractiveGame, hints, remark};
use crate::base::game::{Game, Move, Player};
use crate::play::noughts::TicTacToe;
use crate::search::policy::{Policy, SelectionPolicy};
use crate::search::{Limits, Report, Search, SearchParameters};
use crate::table::{Shape, Table, TableError};
use std::path::Path;

const NO_RECORDS: &str = "Tic-tac-toe games cannot be saved or loaded.";
/// Number of moves of the game.
const CELLS: usize = 9;

/// A game of tic-tac-toe against a search.
pub struct TicTacToeGame {
    table: Table,
    policy: Policy,
    parameters: SearchParameters,
    limits: Limits,
    end_search: EndSearch,
    /// All positions so far, the present one last; never empty.
    positions: Vec<TicTacToe>,
}

impl TicTacToeGame {
    /// Creates a game with a table of `bytes` and the limits of the search for each move.
    ///
    /// # Errors
    /// Returns an error if the table cannot be created.
    pub fn new(
        bytes: usize,
        policy: Policy,
        parameters: SearchParameters,
        limits: Limits,
        end_search: EndSearch,
    ) -> Result<TicTacToeGame, TableError> {
        let table = Table::new(Shape { policy_state: policy.uses_state(), ..Shape::complete(CELLS) }, bytes)?;
        Ok(TicTacToeGame { table, policy, parameters, limits, end_search, positions: vec![TicTacToe::new()] })
    }

    fn position(&self) -> TicTacToe {
        self.positions.last().copied().unwrap_or_default()
    }

    fn search(&self) -> Report {
        let mut parameters = self.parameters;
        parameters.seed = parameters.seed.wrapping_add(self.positions.len() as u64);
        let search = Search::new(&self.table, self.policy, parameters);
        search.run(&self.position(), self.limits, &mut self.end_search.progress())
    }

    fn push(&mut self, mv: Move) {
        let mut position = self.position();
        position.play(mv);
        self.positions.push(position);
    }
}

/// Parses a cell: its number from 1 in reading order, or row and column.
fn parse(text: &str) -> Option<Move> {
    let number = |text: &str| text.trim().parse::<u16>().ok();
    match text.split_once(',') {
        None => number(text).filter(|cell| (1..=9).contains(cell)).map(|cell| Move(cell - 1)),
        Some((row, column)) => {
            let (row, column) = (number(row)?, number(column)?);
            let is_cell = (1..=3).contains(&row) && (1..=3).contains(&column);
            is_cell.then(|| Move(3 * (row - 1) + column - 1))
        }
    }
}

fn cell_name(mv: Move) -> String {
    (mv.0 + 1).to_string()
}

impl InteractiveGame for TicTacToeGame {
    fn draw(&self) -> String {
        let position = self.position();
        let mark = |cell: usize| match position.mark(cell) {
            Some(Player::Black) => "X".to_owned(),
            Some(Player::White) => "O".to_owned(),
            None => (cell + 1).to_string(),
        };
        let row = |row: usize| [0, 1, 2].map(|column| mark(3 * row + column)).join(" | ");
        [row(0), row(1), row(2)].map(|row| format!("  {row}")).join("\n ---+---+---\n")
    }

    fn name(&self, player: Player) -> &'static str {
        match player {
            Player::Black => "X",
            Player::White => "O",
        }
    }

    fn to_play(&self) -> Player {
        self.position().to_play()
    }

    fn result(&self) -> Option<String> {
        let score = self.position().terminal_score()?;
        Some(match score {
            1.. => "X wins".to_owned(),
            0 => "A draw".to_owned(),
            _ => "O wins".to_owned(),
        })
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv =
            parse(text).ok_or_else(|| format!("{text:?} is not a move; moves are {}.", self.notation()))?;
        if !self.position().is_legal_ignoring_history(mv) {
            return Err(format!("{} is not allowed: the cell is taken.", cell_name(mv)));
        }
        self.push(mv);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let can = self.positions.len() > 1;
        if can {
            self.positions.pop();
        }
        can
    }

    fn restart(&mut self) {
        self.positions.truncate(1);
    }

    fn think(&mut self) -> String {
        let to_play = self.to_play();
        let report = self.search();
        let best = report.best().map(|best| best.mv);
        let Some(mv) = best.or_else(|| self.position().legal_moves().next()) else {
            return "There is no legal move.".to_owned();
        };
        self.push(mv);
        remark(&report, self.name(to_play), &cell_name(mv))
    }

    fn hint(&mut self) -> String {
        hints(&self.search(), &cell_name)
    }

    fn estimate(&mut self) -> Option<String> {
        None
    }

    fn score(&self) -> Option<String> {
        None
    }

    fn save(&self, _path: &Path, _resigned: Option<Player>, _is_forced: bool) -> Result<String, String> {
        Err(NO_RECORDS.to_owned())
    }

    fn load(&mut self, _path: &Path) -> Result<String, String> {
        Err(NO_RECORDS.to_owned())
    }

    fn is_move(&self, text: &str) -> bool {
        parse(text).is_some()
    }

    fn notation(&self) -> &'static str {
        "cells from 1 to 9, or row,column"
    }
}
