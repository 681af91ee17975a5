//! Moves that take dead stones off the board after the end of a game, as servers require it once the players disagree on
//! them.
//!
//! The search alone does not find them: it takes all stones for alive, so that every move inside settled areas is worth
//! the same. Moves are restricted to the liberties of dead chains; a chain without a playable liberty is approached.

use super::{BoardStatus, Chain, ChainStatus};
use crate::base::game::{Move, Player};
use crate::go::board::{Board, cell};
use crate::go::{Point, Position};

impl BoardStatus {
    /// Returns the moves of `player` that help to capture dead stones of the opponent, and those that save own stones in
    /// atari, by move number; empty if the opponent has no dead stones or if no such move is legal.
    #[must_use]
    pub fn cleanup_moves(&self, position: &Position, player: Player) -> Vec<Move> {
        let mut position = position.clone();
        position.set_to_play(player);
        let dead: Vec<&Chain> = self.chains.iter().filter(|it| it.is_dead_of(player.other())).collect();
        let is_legal = |point: &Point| position.check(self.board.geometry().move_of(*point)).is_ok();
        let mut liberties: Vec<Point> =
            dead.iter().flat_map(|chain| self.liberties(chain)).filter(is_legal).collect();
        if !dead.is_empty() {
            liberties.extend(self.rescues(player).into_iter().filter(is_legal));
        }
        let lasting: Vec<Point> =
            liberties.iter().copied().filter(|&point| is_lasting(&self.board, point, player)).collect();
        let mut found = if lasting.is_empty() {
            let approaches = self.approaches(&dead, player);
            liberties.into_iter().chain(approaches.into_iter().filter(is_legal)).collect()
        } else {
            lasting
        };
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|point| self.board.geometry().move_of(point)).collect()
    }

    fn points<'a>(&'a self, chain: &'a Chain) -> impl Iterator<Item = Point> + 'a {
        chain.stones.iter().filter_map(|&stone| self.board.geometry().point_of(stone))
    }

    /// Returns the liberties of a chain, each once for every stone of the chain beside it.
    fn liberties(&self, chain: &Chain) -> Vec<Point> {
        let beside = self.points(chain).flat_map(|stone| self.board.neighbours4(stone));
        beside.filter(|&point| self.board.cell(point) == cell::EMPTY).collect()
    }

    /// Returns the last liberties of the player's chains in atari that are not dead, and of the opponent's chains in atari
    /// beside them.
    fn rescues(&self, player: Player) -> Vec<Point> {
        let own = self.chains.iter().filter(|it| it.player == player && it.status != ChainStatus::Dead);
        let mut found = Vec::new();
        for chain in own {
            let Some(last) = self.points(chain).next().and_then(|stone| self.board.atari_liberty(stone))
            else {
                continue;
            };
            found.push(last);
            let beside = self.points(chain).flat_map(|stone| self.board.neighbours4(stone));
            let attackers = beside.filter(|&point| self.board.stone_at(point) == Some(player.other()));
            found.extend(attackers.filter_map(|point| self.board.atari_liberty(point)));
        }
        found
    }

    /// Returns the empty points of the player's area beside liberties of dead chains, except the player's eyes.
    fn approaches(&self, dead: &[&Chain], player: Player) -> Vec<Point> {
        let owners = self.owners();
        let liberties = dead.iter().flat_map(|chain| self.liberties(chain));
        let beside = liberties.flat_map(|point| self.board.neighbours4(point));
        let is_own = |point: Point| owners[self.board.geometry().move_of(point).index()] == Some(player);
        let is_approach = |&point: &Point| {
            self.board.cell(point) == cell::EMPTY && is_own(point) && !self.board.is_eye(point, player)
        };
        beside.filter(is_approach).collect()
    }
}

impl Chain {
    fn is_dead_of(&self, player: Player) -> bool {
        self.player == player && self.status == ChainStatus::Dead
    }
}

/// Returns true if a stone of `player` on the empty `point` captures or has two liberties.
fn is_lasting(board: &Board, point: Point, player: Player) -> bool {
    let mut after = board.clone();
    after.place(point, player) > 0
        || after.cell(point) != cell::EMPTY && after.liberties::<2>(point).len() == 2
}

#[cfg(test)]
mod tests {
    use super::super::tests::position;
    use super::*;
    use crate::go::PlayoutPolicy;

    fn cleanup(rows: &[&str], player: Player) -> Vec<String> {
        let position = position(rows);
        let statuses = BoardStatus::computed(&position, PlayoutPolicy::Light, 1);
        let mut moves: Vec<String> = statuses
            .cleanup_moves(&position, player)
            .into_iter()
            .map(|mv| position.size().vertex(mv))
            .collect();
        moves.sort();
        moves
    }

    #[test]
    fn liberties_of_dead_stones_are_filled_and_own_stones_in_atari_saved() {
        let rows = ["..XO.", "..XO.", "..XO.", "O.XO.", "XOXO.", "..XO.", "..XO.", "..XO.", "..XO."];
        assert_eq!(cleanup(&rows, Player::Black), ["A4", "A7", "B4", "B6"]);
        assert_eq!(cleanup(&rows, Player::White), [] as [&str; 0]);
    }

    #[test]
    fn a_stone_that_would_be_captured_is_prepared_by_another() {
        // The dead stone at B1 has the liberties A1 and B2; a stone at A1 would have one liberty.
        let rows = ["..XO.", "..XO.", "..XO.", "..XO.", "..XO.", "..XO.", "..XO.", "..XO.", ".OXO."];
        assert_eq!(cleanup(&rows, Player::Black), ["B2"]);
    }
}
