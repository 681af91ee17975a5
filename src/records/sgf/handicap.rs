//! The handicap of a record: stones set up, stones that Black plays before White's first, or a number only.
//!
//! `HA` without stones: Fox means the customary points, and KataGo (`Sgf::parse`) and KaTrain place the stones there
//! for its records. Other sources do not define the points, so no stones are placed and a warning is added.

use super::game_record::{GameRecord, Node, RecordMove, RecordPoint};
use crate::base::game::{Move, Player};
use crate::go::handicap::{fixed_points, most_fixed};
use crate::go::{IllegalMove, Rules, Size};

/// Stones on the board before White's first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FirstStones {
    /// Stones set up before the first move, by player.
    set_up: [usize; 2],
    /// Stones that Black plays before White's first stone.
    played: usize,
    /// Moves before White's first stone, White's passes included.
    moves: usize,
    /// True if White then makes two moves in a row. Such moves build a position, Black's stones first, and are a
    /// handicap only if `HA` states one.
    is_position_by_moves: bool,
}

impl GameRecord {
    /// Returns the number of handicap stones on the board, whatever `HA` states: two or more set up for Black only, if
    /// White moves first (by `PL` in a record without moves), or two or more that Black plays before White's first stone.
    /// White may pass between them.
    #[must_use]
    pub fn counted_handicap(&self) -> usize {
        let FirstStones { set_up: [black, white], played, is_position_by_moves, .. } = self.first_stones();
        let first_player = self.moves().next().map(|(player, _)| *player);
        let named = || self.nodes.iter().rev().find_map(Node::player_to_move);
        let white_begins = first_player.or_else(named) == Some(Player::White);
        match (black, white) {
            (0, 0) if played >= 2 && !is_position_by_moves => played,
            (2.., 0) if white_begins => black,
            _ => 0,
        }
    }

    /// Returns the handicap: the stones on the board before White's first, as KataGo counts them. If `HA` is two or more, it
    /// decides which of Black's stones are the handicap: those set up, or Black's first moves too; other numbers, of
    /// stones that are not on the board, are ignored. A setup with stones of White has the handicap of `HA` if Black has
    /// as many stones. Without `HA`: [`counted_handicap`](GameRecord::counted_handicap).
    #[must_use]
    pub fn handicap_stones(&self) -> usize {
        let FirstStones { set_up: [black, white], played, .. } = self.first_stones();
        let stones = self.handicap.map_or(0, |stones| stones as usize);
        if stones < 2 {
            self.counted_handicap()
        } else if stones == black || stones == black + played || (white > 0 && stones < black) {
            stones
        } else if black >= 2 && white == 0 {
            black
        } else {
            self.counted_handicap()
        }
    }

    /// Returns the number of moves, from the first on, with which Black places handicap stones, White's passes
    /// included; 0 if the handicap is set up.
    #[must_use]
    pub fn handicap_moves(&self) -> usize {
        let FirstStones { set_up: [black, white], played, moves, is_position_by_moves } = self.first_stones();
        let is_named = played > 0 && black + played >= 2 && self.handicap == Some((black + played) as u32);
        let is_counted = black == 0 && played >= 2 && !is_position_by_moves;
        if white == 0 && (is_counted || is_named) { moves } else { 0 }
    }

    fn first_stones(&self) -> FirstStones {
        let mut first = FirstStones::default();
        for node in &self.nodes {
            for (player, _) in node.setup() {
                if let Some(player) = player {
                    first.set_up[player.index()] += 1;
                }
            }
            if !node.moves.is_empty() {
                break;
            }
        }
        let mut moves = self.moves().peekable();
        while let Some((player, place)) = moves.next() {
            match player {
                Player::Black => first.played += usize::from(*place != RecordMove::Pass),
                Player::White if moves.peek().is_some_and(|(next, _)| *next == Player::White) => {
                    first.is_position_by_moves = true;
                    break;
                }
                Player::White if *place == RecordMove::Pass => {}
                Player::White => break,
            }
            first.moves += 1;
        }
        first
    }

    /// Places handicap stones that `HA` states but the record lacks, if the record is from Fox, and adds a warning if
    /// `HA` and the stones disagree.
    pub(super) fn complete_handicap(&mut self) {
        let stones = self.handicap.map_or(0, |stones| stones as usize);
        let FirstStones { set_up: [black, white], played, .. } = self.first_stones();
        if self.game != 1 || stones < 2 || white > 0 || stones == black || stones == black + played {
            return;
        }
        if black + played > 0 {
            let found = format!("HA[{stones}]: expected {stones} handicap stones, found {}", black + played);
            self.warnings.push(found);
            return;
        }
        let points = if self.is_from_fox { self.points_of_fox(stones) } else { None };
        let Some((size, points)) = points else {
            let why = if self.is_from_fox { ", and moves at the points where Fox places them" } else { "" };
            self.warnings.push(format!(
                "HA[{stones}]: expected handicap stones (AB, or moves of Black before White's first), found none{why}: no \
                 handicap stones are placed"
            ));
            return;
        };
        let names: Vec<String> = points.iter().map(|&mv| size.vertex(mv)).collect();
        self.warnings
            .push(format!("HA[{stones}] without stones: placed at {}, as Fox does", names.join(" ")));
    }

    /// Sets up the points on which Fox places a handicap; `None` if it has none for this number, or if moves of the
    /// record are on them.
    fn points_of_fox(&mut self, stones: usize) -> Option<(Size, Vec<Move>)> {
        let size = Size::new(usize::from(self.columns), usize::from(self.rows)).ok()?;
        if !(2..=most_fixed(size)).contains(&stones) {
            return None;
        }
        let mut points = fixed_points(size, stones);
        if self.is_before_2018() && (stones == 6 || stones == 7) && size.columns() == size.rows() {
            // Six and seven stones had their side stones above and below the centre then. Source: KataGo
            // cpp/dataio/sgf.cpp.
            for mv in &mut points {
                let (column, row) = size.coordinates(*mv)?;
                *mv = size.move_at(row, column)?;
            }
        }
        let placed: Vec<RecordPoint> = points
            .iter()
            .filter_map(|&mv| size.coordinates(mv))
            .map(|(column, row)| RecordPoint { column: column as u8, row: row as u8 })
            .collect();
        let setup = placed.iter().map(|&point| (Some(Player::Black), point)).collect();
        let mut with_stones = GameRecord { placed_handicap: placed, ..self.clone() };
        with_stones.nodes.first_mut()?.set_up(setup);
        let is_on_a_stone = |(_, _, mv, reason): &(usize, Player, Move, IllegalMove)| {
            *reason == IllegalMove::Occupied && points.contains(mv)
        };
        if with_stones.illegal_moves(Rules::JAPANESE).iter().any(is_on_a_stone) {
            return None;
        }
        *self = with_stones;
        Some((size, points))
    }

    fn is_before_2018(&self) -> bool {
        let year = self.date.as_deref().and_then(|date| date.get(..4)?.parse::<u32>().ok());
        year.is_some_and(|year| year < 2018)
    }
}
