//! Which stones are alive at the end of a game: playouts tell.

use super::board::{Board, cell};
use super::geometry::CELLS;
use super::score::{area_score, owners};
use super::{Komi, PlayoutPolicy, Point, Position, Rules, ownership};
use crate::game::{Game, Move, Outcome, Player, Score};

/// Playouts that decide.
const PLAYOUTS: u32 = 400;

/// The largest neutral region that makes a seki: larger ones are unfinished.
const LARGEST_SHARED: usize = 6;

/// What becomes of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It stays on the board.
    Alive,
    /// Its points are the opponent's after most playouts.
    Dead,
    /// It stays without any territory beside it, and shares its liberties with an opponent's chain that has
    /// none either. Near unfinished borders this may name a chain that is simply alive; the score by area
    /// is the same.
    Seki,
}

/// The chains of a position and what becomes of each.
pub struct Statuses {
    board: Board,
    chains: Vec<Chain>,
}

/// A chain.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Whose.
    pub player: Player,
    /// Its stones, by their number.
    pub stones: Vec<Move>,
    /// What becomes of it.
    pub status: Status,
}

impl Statuses {
    /// Plays `position` out many times; the same seed gives the same answer. Each player begins half of
    /// the playouts, so that nobody is a move ahead.
    #[must_use]
    pub fn by_playouts(position: &Position, policy: PlayoutPolicy, seed: u64) -> Statuses {
        let board = position.board().clone();
        let mut chains = chains(&board);
        if chains.is_empty() {
            return Statuses { board, chains };
        }
        let mut start = position.clone();
        start.set_playouts(policy);
        let ownership = ownership::by_playouts(&start, PLAYOUTS, seed);
        for chain in &mut chains {
            let enemy = chain.player.other();
            let lost: u64 = chain.stones.iter().map(|&stone| ownership.count(enemy, stone)).sum();
            if 2 * lost > u64::from(PLAYOUTS) * chain.stones.len() as u64 {
                chain.status = Status::Dead;
            }
        }
        mark_seki(&without_the_dead(&board, &chains), &mut chains);
        Statuses { board, chains }
    }

    /// The same where nobody agrees on dead stones: all are alive.
    #[must_use]
    pub fn all_alive(position: &Position) -> Statuses {
        let board = position.board().clone();
        Statuses { chains: chains(&board), board }
    }

    /// The stones that are dead, by their number.
    #[must_use]
    pub fn dead_stones(&self) -> Vec<Move> {
        let dead = self.chains.iter().filter(|chain| chain.status == Status::Dead);
        let mut stones: Vec<Move> = dead.flat_map(|chain| chain.stones.iter().copied()).collect();
        stones.sort_unstable();
        stones
    }

    /// All chains, by their first stone.
    #[must_use]
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Black's points minus White's by area once the dead are gone, without komi.
    #[must_use]
    pub fn area_score(&self) -> Score {
        area_score(&without_the_dead(&self.board, &self.chains))
    }

    /// Whose each point is once the dead are gone, by move number; `None` where it is nobody's.
    #[must_use]
    pub fn owners(&self) -> Vec<Option<Player>> {
        let owners = owners(&without_the_dead(&self.board, &self.chains));
        let owner =
            |&point: &Point| Player::BOTH.into_iter().find(|&player| owners[point.index()] == colour(player));
        self.board.geometry().points.iter().map(owner).collect()
    }

    /// The result by area once the dead are gone, as `B+2.5`, `W+0.5` or `0`.
    #[must_use]
    pub fn result(&self, komi: Komi) -> String {
        let score = self.area_score();
        let half_points = i32::from(score) * 2 - komi.0;
        let points = f64::from(half_points.abs()) / 2.0;
        match komi.outcome_for_black(score) {
            Outcome::Win => format!("B+{points:.1}"),
            Outcome::Draw => "0".to_owned(),
            Outcome::Loss => format!("W+{points:.1}"),
        }
    }
}

/// Which stones are taken off the board at the end of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadStones {
    /// Those that playouts call dead, as players agree.
    #[default]
    Agreement,
    /// None: what is on the board counts, as Tromp-Taylor rules and CGOS have it.
    None,
}

impl DeadStones {
    /// Returns what the rules say: Tromp-Taylor's know no dead stones.
    #[must_use]
    pub fn of_rules(rules: Rules) -> DeadStones {
        if rules.removes_dead { DeadStones::Agreement } else { DeadStones::None }
    }

    /// What becomes of the chains of a position, as it is played out with its playout policy where that matters.
    #[must_use]
    pub fn statuses(self, position: &Position, playouts: PlayoutPolicy, seed: u64) -> Statuses {
        match self {
            DeadStones::None => Statuses::all_alive(position),
            DeadStones::Agreement => Statuses::by_playouts(position, playouts, seed),
        }
    }
}

/// The position in which a game ends that goes on from `position` with `next`, after its second pass in a row; `None`
/// if it does not end so. Between the passes nothing is left to search, which would take all stones for alive.
#[must_use]
pub fn end_of(position: &Position, next: Option<Move>) -> Option<Position> {
    let pass = position.size().pass();
    match position.passes() {
        0 => None,
        1 => (next == Some(pass)).then(|| {
            let mut end = position.clone();
            end.play(pass);
            end
        }),
        _ => Some(position.clone()),
    }
}

fn colour(player: Player) -> u8 {
    match player {
        Player::Black => cell::BLACK,
        Player::White => cell::WHITE,
    }
}

fn chains(board: &Board) -> Vec<Chain> {
    let geometry = board.geometry();
    let mut chains = Vec::new();
    let mut listed = vec![false; geometry.points.len()];
    for &point in &geometry.points {
        let Some(player) = board.stone_at(point) else { continue };
        if listed[geometry.move_of(point).index()] {
            continue;
        }
        let mut stones: Vec<Move> = board.chain_stones(point).map(|stone| geometry.move_of(stone)).collect();
        stones.sort_unstable();
        for stone in &stones {
            listed[stone.index()] = true;
        }
        chains.push(Chain { player, stones, status: Status::Alive });
    }
    chains
}

/// The board without the dead chains. Every chain keeps its liberties, so nothing is captured on the way.
fn without_the_dead(board: &Board, chains: &[Chain]) -> Board {
    let geometry = board.geometry();
    let mut left = Board::new(board.size());
    for chain in chains.iter().filter(|chain| chain.status != Status::Dead) {
        for point in chain.stones.iter().filter_map(|&stone| geometry.point_of(stone)) {
            left.place(point, chain.player);
        }
    }
    left
}

fn mark_seki(board: &Board, chains: &mut [Chain]) {
    let geometry = board.geometry();
    let owners = owners(board);
    let mut chain_at = vec![None; geometry.points.len()];
    for (number, chain) in chains.iter().enumerate() {
        for stone in &chain.stones {
            chain_at[stone.index()] = Some(number);
        }
    }
    let chains_beside = |point| {
        board
            .neighbours4(point)
            .into_iter()
            .filter(|&beside| board.stone_at(beside).is_some())
            .filter_map(|beside| chain_at[geometry.move_of(beside).index()])
            .collect::<Vec<usize>>()
    };
    let mut has_territory = vec![false; chains.len()];
    for &point in board.empty_points() {
        for number in chains_beside(point) {
            has_territory[number] |= owners[point.index()] == colour(chains[number].player);
        }
    }
    for region in neutral_regions(board, &owners) {
        let beside = region.iter().flat_map(|&point| chains_beside(point));
        let eyeless: Vec<usize> = beside.filter(|&number| !has_territory[number]).collect();
        let of = |player| eyeless.iter().any(|&number| chains[number].player == player);
        if region.len() <= LARGEST_SHARED && of(Player::Black) && of(Player::White) {
            for &number in &eyeless {
                chains[number].status = Status::Seki;
            }
        }
    }
}

/// The regions of empty points that reach both colours.
fn neutral_regions(board: &Board, owners: &[u8; CELLS]) -> Vec<Vec<Point>> {
    let is_neutral = |point: Point| board.cell(point) == cell::EMPTY && owners[point.index()] == cell::EMPTY;
    let mut done = [false; CELLS];
    let mut regions = Vec::new();
    for &start in board.empty_points().iter().filter(|&&point| is_neutral(point)) {
        if done[start.index()] {
            continue;
        }
        done[start.index()] = true;
        let mut region = vec![start];
        let mut next = 0;
        while let Some(&point) = region.get(next) {
            next += 1;
            for beside in board.neighbours4(point) {
                if is_neutral(beside) && !done[beside.index()] {
                    done[beside.index()] = true;
                    region.push(beside);
                }
            }
        }
        regions.push(region);
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Rules, Size};

    fn position(rows: &[&str]) -> Position {
        let size = Size::new(rows[0].len(), rows.len()).unwrap();
        let mut stones = Vec::new();
        for (row, line) in rows.iter().rev().enumerate() {
            for (column, symbol) in line.chars().enumerate() {
                let player = match symbol {
                    'X' => Player::Black,
                    'O' => Player::White,
                    _ => continue,
                };
                stones.push((player, size.move_at(column, row).unwrap()));
            }
        }
        Position::with_stones(size, Rules::CHINESE, Komi(0), &stones, Player::Black).unwrap()
    }

    fn statuses(rows: &[&str]) -> Statuses {
        Statuses::by_playouts(&position(rows), PlayoutPolicy::Light, 1)
    }

    #[test]
    fn a_stone_inside_the_opponents_area_is_dead_and_leaves_the_score() {
        let statuses = statuses(&[".XO..", ".XO..", ".XO.X", ".XO..", ".XO.."]);
        let status_of = |player, count| {
            let found = statuses.chains().iter().find(|c| c.player == player && c.stones.len() == count);
            found.unwrap().status
        };
        assert_eq!(status_of(Player::Black, 1), Status::Dead);
        assert_eq!(status_of(Player::Black, 5), Status::Alive);
        assert_eq!(statuses.result(Komi(0)), "W+5.0");
        assert_eq!(statuses.result(Komi(-10)), "0");
        assert_eq!(statuses.result(Komi(-11)), "B+0.5");
    }

    #[test]
    fn chains_without_territory_that_share_liberties_are_in_seki() {
        // C1-C2 and E1-E2 share D1 and D2 and have nothing else.
        let rows = ["..XO..", "..XO..", "..XO..", "XXXOOO", "OOOXXX", ".OX.OX", "OOX.OX"];
        let board = position(&rows).board().clone();
        let mut chains = chains(&board);
        mark_seki(&board, &mut chains);
        let seki = |column, row| {
            let mv = board.size().move_at(column, row).unwrap();
            chains.iter().find(|chain| chain.stones.contains(&mv)).unwrap().status
        };
        assert_eq!(seki(4, 0), Status::Seki);
        assert_eq!(seki(2, 0), Status::Seki);
        assert_eq!(seki(0, 3), Status::Alive);
        assert_eq!(seki(0, 0), Status::Alive);
    }

    #[test]
    fn an_unfinished_board_has_no_seki() {
        let statuses = statuses(&[".....", ".X...", ".....", "...O.", "....."]);
        assert!(statuses.chains().iter().all(|chain| chain.status != Status::Seki));
    }

    #[test]
    fn the_empty_board_is_a_draw_without_komi() {
        assert_eq!(statuses(&["...", "..."]).result(Komi(0)), "0");
    }
}
