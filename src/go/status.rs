//! The status of chains at the end of a game: alive, dead or in seki.
//!
//! Unconditional life and large territories make chains safe; an exact search of the small areas between them decides
//! which chains can be captured; playouts vote where an area is too large to search (see the private modules). Under
//! territory scoring the count includes the answers that the filling of neutral points requires. All this is computed in
//! one orientation of the board, so that a position and its images under symmetries have the same count.

mod area_search;
mod chain_map;
mod chain_status;
mod cleanup_moves;
mod local_game;
mod local_outcome;
mod local_problem;
mod local_search;
mod lost_shares;
mod needed_defences;
mod orientation;
mod races;
mod safe_chains;
mod searched_area;

use self::chain_status::FirstMove;
use self::orientation::Orientation;
use super::board::{Board, cell, stone};
use super::playout_ownership::{self, PlayoutStart};
use super::rules::Scoring;
use super::score::owners;
use super::{Komi, PlayoutPolicy, Point, Position, Rules};
use crate::base::game::{Game, Move, Outcome, Player, Score};

/// Number of playouts that vote.
const PLAYOUTS: u32 = 400;

/// Points that a stone on a neutral point adds to its player's area by itself.
const MAX_VALUE_OF_STONE: Score = 1;

/// Seed of the playouts that count a position. It is not the seed of the searches: a position has one count.
pub const COUNTING_SEED: u64 = 1;

/// The status of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStatus {
    /// The chain stays on the board.
    Alive,
    /// The opponent can capture the chain, and its owner cannot save it.
    Dead,
    /// The chain stays on the board only because the opponent's chains around it could be captured.
    Seki,
}

/// The chains of a position and their status.
pub struct BoardStatus {
    board: Board,
    chains: Vec<Chain>,
    /// The owner of each point without the dead stones, by move number; `None` for points that do not count.
    owners: Vec<Option<Player>>,
    scoring: Scoring,
    /// Moves that the count takes as played, since the status of chains rests on them.
    played: Vec<(Player, Point)>,
    /// True if the players agree on dead stones and on answers to the filling of neutral points.
    is_agreed: bool,
}

/// A chain.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The owner of the chain.
    pub player: Player,
    /// The stones, by move number.
    pub stones: Vec<Move>,
    /// The status.
    pub status: ChainStatus,
    /// True if the status is the same whoever moves first; false if it rests on an unclear vote of playouts.
    pub is_settled: bool,
}

impl BoardStatus {
    /// Computes the status of the chains of `position`. Where the status depends on the first move, the players
    /// alternate between such areas, and the player to move takes the one with the largest difference. The seed
    /// matters only where playouts decide; each player begins half of them. Symmetric positions have symmetric statuses,
    /// with exchanged colours too if the other player is to move.
    #[must_use]
    pub fn computed(position: &Position, policy: PlayoutPolicy, seed: u64) -> BoardStatus {
        let rules = position.rules();
        let orientation = Orientation::canonical(position.board(), position.to_play());
        let board = orientation.oriented_board(position.board());
        let mut oriented =
            BoardStatus { is_agreed: true, ..BoardStatus::without_owners(board, rules.scoring) };
        if !oriented.chains.is_empty() {
            oriented.compute(rules.suicide, policy, seed);
        }
        oriented.owners = oriented.count();
        oriented.restored(orientation, position.board().clone())
    }

    fn compute(&mut self, suicide: bool, policy: PlayoutPolicy, seed: u64) {
        let start = PlayoutStart { board: &self.board, to_play: Orientation::TO_PLAY, policy };
        let ownership = playout_ownership::by_playouts(start, PLAYOUTS, seed);
        let lost = lost_shares::lost_shares(&self.board, &ownership, PLAYOUTS);
        let (results, first_moves) =
            chain_status::chain_statuses(&self.board, suicide, Orientation::TO_PLAY, &lost);
        for (chain, result) in self.chains.iter_mut().zip(results) {
            chain.status = result.status;
            chain.is_settled = result.is_settled;
        }
        first_moves.iter().for_each(|first_move| self.play_if_needed(first_move));
    }

    /// Returns the statuses of the original `board` by those of the oriented one.
    fn restored(self, orientation: Orientation, board: Board) -> BoardStatus {
        let geometry = board.geometry();
        let player = |player| orientation.original_player(player);
        let point = |point| geometry.point_of(orientation.original_move(geometry.move_of(point)));
        let chain = |chain: Chain| {
            let mut stones: Vec<Move> =
                chain.stones.into_iter().map(|stone| orientation.original_move(stone)).collect();
            stones.sort_unstable();
            Chain { player: player(chain.player), stones, ..chain }
        };
        let mut chains: Vec<Chain> = self.chains.into_iter().map(chain).collect();
        chains.sort_unstable_by_key(|chain| chain.stones.first().copied());
        let owners = self.owners.into_iter().map(|owner| owner.map(player)).collect::<Vec<_>>();
        let played = self.played.into_iter().filter_map(|(by, at)| Some((player(by), point(at)?))).collect();
        BoardStatus { board, chains, owners: orientation.original_values(&owners), played, ..self }
    }

    /// Takes the best of the moves as played if the count without it does not give the player the gain, because the wall
    /// around dead stones has a gap there.
    fn play_if_needed(&mut self, first_move: &FirstMove) {
        let sign = if first_move.player == Player::Black { 1 } else { -1 };
        let mut best = (sign * score(&self.count()) + MAX_VALUE_OF_STONE, None);
        for &point in &first_move.points {
            self.played.push((first_move.player, point));
            let value = sign * score(&self.count());
            if value > best.0 {
                best = (value, Some(point));
            }
            self.played.pop();
        }
        self.played.extend(best.1.map(|point| (first_move.player, point)));
    }

    /// Returns all chains of `position` as alive, for rules without removal of dead stones.
    #[must_use]
    pub fn all_alive(position: &Position) -> BoardStatus {
        let mut statuses = BoardStatus::without_owners(position.board().clone(), position.rules().scoring);
        statuses.owners = statuses.count();
        statuses
    }

    /// Returns all chains of `board` as alive, before the count.
    fn without_owners(board: Board, scoring: Scoring) -> BoardStatus {
        let (owners, played) = (Vec::new(), Vec::new());
        BoardStatus { chains: chains(&board), board, owners, scoring, played, is_agreed: false }
    }

    /// Returns the dead stones, by move number.
    #[must_use]
    pub fn dead_stones(&self) -> Vec<Move> {
        let dead = self.chains.iter().filter(|chain| chain.status == ChainStatus::Dead);
        let mut stones: Vec<Move> = dead.flat_map(|chain| chain.stones.iter().copied()).collect();
        stones.sort_unstable();
        stones
    }

    /// Returns the board without the dead stones, with the moves that the count takes as played.
    pub(super) fn board_without_dead(&self) -> Board {
        let dead = self.dead_stones();
        let mut board = self.board.keeping(|point| !dead.contains(&self.board.geometry().move_of(point)));
        for &(player, point) in &self.played {
            if board.cell(point) == cell::EMPTY {
                board.place(point, player);
            }
        }
        board
    }

    /// Returns all chains, in the order of their first stones.
    #[must_use]
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Returns Black's points minus White's by area without the dead stones and without komi. Under territory scoring the
    /// eyes of chains in seki and points of territory that their owner has to fill do not count; area minus the
    /// [stones placed](Position::final_area_komi) is then territory and prisoners.
    #[must_use]
    pub fn area_score(&self) -> Score {
        score(&self.owners)
    }

    /// Returns the owner of each point without the dead stones, by move number; `None` for points that do not count.
    #[must_use]
    pub fn owners(&self) -> &[Option<Player>] {
        &self.owners
    }

    /// Computes the owners.
    fn count(&self) -> Vec<Option<Player>> {
        let board = self.board_without_dead();
        let owners = owners(&board);
        let owner =
            |&point: &Point| Player::BOTH.into_iter().find(|&player| owners[point.index()] == stone(player));
        let geometry = self.board.geometry();
        let mut owners: Vec<Option<Player>> = geometry.points.iter().map(owner).collect();
        if self.scoring == Scoring::Territory && self.is_agreed {
            let in_seki = self.eyes_in_seki(&board);
            // A move that counts as played fills a point of territory or a neutral one: neither counts then.
            for &point in in_seki.iter().chain(self.played.iter().map(|(_, point)| point)) {
                owners[geometry.move_of(point).index()] = None;
            }
            for point in self.needed_defences(&board, &owners, &in_seki) {
                owners[geometry.move_of(point).index()] = None;
            }
        }
        owners
    }

    fn needed_defences(&self, board: &Board, owners: &[Option<Player>], in_seki: &[Point]) -> Vec<Point> {
        let geometry = self.board.geometry();
        let is_neutral =
            |&point: &Point| owners[geometry.move_of(point).index()].is_none() && !in_seki.contains(&point);
        let neutral: Vec<Point> = geometry.points.iter().copied().filter(is_neutral).collect();
        let living = self.chains.iter().filter(|chain| chain.status == ChainStatus::Alive);
        let living: Vec<Point> =
            living.flat_map(|chain| &chain.stones).filter_map(|&stone| geometry.point_of(stone)).collect();
        needed_defences::needed_defences(&self.board, board, &living, &neutral)
    }

    /// Returns the empty points of `board`, without the dead stones, that are connected with liberties of chains in seki.
    fn eyes_in_seki(&self, board: &Board) -> Vec<Point> {
        let geometry = board.geometry();
        let seki = self.chains.iter().filter(|chain| chain.status == ChainStatus::Seki);
        let mut open: Vec<Point> =
            seki.flat_map(|chain| &chain.stones).filter_map(|&stone| geometry.point_of(stone)).collect();
        let mut eyes = Vec::new();
        while let Some(point) = open.pop() {
            for beside in board.neighbours4(point) {
                if board.cell(beside) == cell::EMPTY && !eyes.contains(&beside) {
                    eyes.push(beside);
                    open.push(beside);
                }
            }
        }
        eyes
    }

    /// Returns the result by area without the dead stones, as `B+2.5`, `W+0.5` or `0`.
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

/// The stones that are removed from the board at the end of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadStones {
    /// The dead stones, on which players agree.
    #[default]
    Agreement,
    /// None: all stones on the board count, as under Tromp-Taylor rules and on CGOS.
    Keep,
}

impl DeadStones {
    /// Returns the removal that the rules require.
    #[must_use]
    pub fn of_rules(rules: Rules) -> DeadStones {
        if rules.removes_dead || rules.scoring == Scoring::Territory {
            DeadStones::Agreement
        } else {
            DeadStones::Keep
        }
    }

    /// Returns the status of the chains of a position, with playouts under the policy `playouts` where they decide.
    #[must_use]
    pub fn statuses(self, position: &Position, playouts: PlayoutPolicy) -> BoardStatus {
        match self {
            DeadStones::Keep => BoardStatus::all_alive(position),
            DeadStones::Agreement => BoardStatus::computed(position, playouts, COUNTING_SEED),
        }
    }
}

/// Returns Black's points minus White's.
fn score(owners: &[Option<Player>]) -> Score {
    owners.iter().flatten().map(|&owner| if owner == Player::Black { 1 } else { -1 }).sum()
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
        chains.push(Chain { player, stones, status: ChainStatus::Alive, is_settled: false });
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Rules, Size};

    pub(super) fn position(rows: &[&str]) -> Position {
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

    fn statuses(rows: &[&str]) -> BoardStatus {
        BoardStatus::computed(&position(rows), PlayoutPolicy::Light, 1)
    }

    #[test]
    fn a_stone_inside_the_opponents_area_is_dead_and_leaves_the_score() {
        let mut position = position(&[".XO..", ".XO..", ".XO.X", ".XO..", ".XO.."]);
        // Black, moving first, would make a seki of it.
        position.set_to_play(Player::White);
        let statuses = BoardStatus::computed(&position, PlayoutPolicy::Light, 1);
        let status_of = |player, count| {
            let found = statuses.chains().iter().find(|c| c.player == player && c.stones.len() == count);
            found.unwrap().status
        };
        assert_eq!(status_of(Player::Black, 1), ChainStatus::Dead);
        assert_eq!(status_of(Player::Black, 5), ChainStatus::Alive);
        assert_eq!(statuses.result(Komi(0)), "W+5.0");
        assert_eq!(statuses.result(Komi(-10)), "0");
        assert_eq!(statuses.result(Komi(-11)), "B+0.5");
    }

    #[test]
    fn dead_stones_beside_a_gap_that_the_player_to_move_closes_are_the_players_points() {
        let mut position = position(&[
            ".........",
            "..X...X..",
            ".X.XXXOXX",
            ".XXOOXOO.",
            "XOOOOO..O",
            ".OOXO.OOO",
            "XOXXXOO.O",
            "XXXOO.OOX",
            "....O.O..",
        ]);
        position.set_to_play(Player::White);
        let statuses = BoardStatus::computed(&position, PlayoutPolicy::default(), 1);
        assert_eq!(statuses.dead_stones().len(), 9);
        assert_eq!(statuses.result(Komi(0)), "W+18.0");
    }

    #[test]
    fn an_unfinished_board_has_no_seki() {
        let statuses = statuses(&[".....", ".X...", ".....", "...O.", "....."]);
        assert!(statuses.chains().iter().all(|chain| chain.status != ChainStatus::Seki));
    }

    #[test]
    fn stones_on_an_open_board_live_whatever_the_seed() {
        let open = position(&[
            ".........",
            ".........",
            "..O......",
            ".........",
            "....X....",
            ".........",
            ".........",
            ".........",
            ".........",
        ]);
        for seed in 1..=10 {
            let statuses = BoardStatus::computed(&open, PlayoutPolicy::default(), seed);
            assert_eq!(statuses.dead_stones(), [], "seed {seed}");
        }
    }

    #[test]
    fn the_empty_board_is_a_draw_without_komi() {
        assert_eq!(statuses(&["...", "..."]).result(Komi(0)), "0");
    }
}
