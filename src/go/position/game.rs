//! Go positions as the search sees them: [`Game`] implemented for [`Position`].

use super::{NO_MOVE, Position, RECENT_MOVES};
use crate::base::game::{Bounds, Game, Move, Outcome, Player, Prior, Score, Trace};
use crate::base::ownership::Ownership;
use crate::base::rng::PlayoutRng;
use crate::base::zobrist::mix;
use crate::go::board::cell;
use crate::go::final_ownership::add_owners;
use crate::go::geometry::Point;
use crate::go::prior;
use crate::go::rules::{KoRule, Scoring};
use crate::go::score::{MAX_TERRITORY_SCORE, area_score, score_of_area};

impl Game for Position {
    fn move_count(&self) -> usize {
        self.size().points() + 1
    }

    fn key(&self) -> u64 {
        let now =
            self.table_key(self.board.key(), self.to_play, self.board.ko(), self.passes, self.area_offset());
        now ^ self.history_hash.key() ^ self.root_salt
    }

    fn key_after(&self, mv: Move) -> u64 {
        let key = match self.board.geometry().point_of(mv) {
            None => {
                let (next, passes) = (self.to_play.other(), self.passes + 1);
                let area_offset = self.area_offset_on_turn(next, passes);
                self.table_key(self.board.key(), next, Point::NONE, passes, area_offset)
            }
            Some(point) => {
                let (stones, ko) = self.board.key_and_ko_after(point, self.to_play);
                // A stone leaves the offset unchanged; after two passes the game is over.
                self.table_key(stones, self.to_play.other(), ko, 0, self.area_offset())
            }
        };
        key ^ self.history_hash.after(mv, self.before_move(), || self.key()).key()
    }

    fn set_root_salt(&mut self, salt: u64) {
        self.root_salt = salt;
    }

    fn to_play(&self) -> Player {
        self.to_play
    }

    fn is_over(&self) -> bool {
        self.passes >= 2
    }

    fn terminal_score(&self) -> Option<Score> {
        (self.is_over() && !self.is_scored_by_playouts())
            .then(|| score_of_area(area_score(&self.board), self.area_offset()))
    }

    fn score_range(&self) -> Bounds {
        let most = match self.rules.scoring {
            Scoring::Area => self.size().points() as Score,
            Scoring::Territory => MAX_TERRITORY_SCORE,
        };
        Bounds { lower: -most, upper: most }
    }

    fn outcome_for_black(&self, score: Score) -> Outcome {
        self.komi.outcome_for_black(score)
    }

    fn is_legal_ignoring_history(&self, mv: Move) -> bool {
        match self.board.geometry().point_of(mv) {
            None => mv == self.size().pass(),
            Some(point) => {
                self.board.cell(point) == cell::EMPTY
                    && point != self.board.ko()
                    && (self.rules.suicide || self.board.is_not_suicide(point, self.to_play))
            }
        }
    }

    fn is_banned(&self, mv: Move) -> bool {
        if self.rules.ko == KoRule::Simple {
            return false;
        }
        let Some(point) = self.board.geometry().point_of(mv) else { return false };
        // While no stone was ever removed, every play adds a stone to a colour that never lost one, so that only a play that
        // removes its own chain can repeat a position.
        let removes_itself = self.rules.suicide && !self.board.is_not_suicide(point, self.to_play);
        if !self.had_removals && !removes_itself {
            return false;
        }
        let (stones, _) = self.board.key_and_ko_after(point, self.to_play);
        self.history.contains(self.superko_key(stones, self.to_play.other()))
    }

    fn play(&mut self, mv: Move) {
        let player = self.to_play;
        self.history_hash = self.history_hash.after(mv, self.before_move(), || self.key());
        self.root_salt = 0;
        self.to_play = player.other();
        self.last = [self.board.geometry().point_of(mv).unwrap_or(Point::NONE), self.last[0]];
        self.recent.copy_within(..RECENT_MOVES - 1, 1);
        self.recent[0] = mv;
        let known = self.recent.iter().take_while(|&&mv| mv != NO_MOVE).count();
        self.history_hash.set_recent(&self.recent[..known]);
        match self.board.geometry().point_of(mv) {
            None => {
                self.board.clear_ko();
                self.passes = (self.passes + 1).min(2);
                if self.rules.ko == KoRule::Situational {
                    self.add_to_history();
                }
            }
            Some(point) => {
                let own_before = self.board.stones()[player.index()];
                let captured = self.board.place(point, player);
                let own_lost = own_before + 1 - self.board.stones()[player.index()];
                self.passes = 0;
                self.prisoners[player.index()] += captured as u32;
                self.prisoners[player.other().index()] += u32::from(own_lost);
                self.had_removals |= captured > 0 || own_lost > 0;
                self.add_to_history();
            }
        }
    }

    fn context_after(&self, mv: Move) -> u64 {
        let last = self.recent_moves().first().map_or(u64::MAX, |it| it.index() as u64);
        let ko = self.board.ko().index() as u64;
        let moves = mv.index() as u64 | (last & 0xffff) << 16 | ko << 32 | (self.to_play as u64) << 48;
        let point = self.board.geometry().point_of(mv);
        point.map_or(mix(moves), |point| {
            self.board.surroundings(point).fold(mix(moves), |hash, it| mix(hash ^ it))
        })
    }

    fn counts_for_amaf(&self, mv: Move) -> bool {
        mv != self.size().pass()
    }

    fn expand(&self, priors: &mut [Option<Prior>]) {
        self.fill_legal(priors);
        let last = self.moves_in_key().first().and_then(|&mv| self.board.geometry().point_of(mv));
        let last = last.unwrap_or(Point::NONE);
        prior::add_priors(&self.board, self.to_play, last, self.outcome_of_pass(), priors);
        if self.rules.scoring == Scoring::Territory && self.outcome_of_pass().is_none() {
            prior::add_pass_for_territory(&self.board, priors);
        }
    }

    /// Plays to the end with the area offset of the position where the playout begins: under territory scoring the moves
    /// that fill territory in playouts mean nothing. After two passes, playouts decide which stones are dead.
    fn playout(&mut self, rng: &mut PlayoutRng, trace: &mut Trace) -> Score {
        let passes = if self.is_scored_by_playouts() { 0 } else { self.passes };
        let offset = self.area_offset();
        let area = self.playouts.play(&mut self.board, self.to_play, passes, self.last, rng, trace);
        score_of_area(area, offset)
    }

    fn add_owners(&self, ownership: &mut Ownership) {
        add_owners(&self.board, ownership);
    }

    fn loses_stones(&self, mv: Move) -> [bool; 2] {
        let mut loses = [false; 2];
        if let Some(point) = self.board.geometry().point_of(mv) {
            let captures = !self.board.captures(point, self.to_play).is_empty();
            loses[self.to_play.other().index()] = captures;
            loses[self.to_play.index()] = !self.board.is_not_suicide(point, self.to_play);
        }
        loses
    }

    fn has_repetition_rule(&self) -> bool {
        self.rules.ko != KoRule::Simple
    }

    /// Below here the number of the winner's stones only grows. Each move of the winner makes a position with more of them
    /// than any position seen, which cannot be a repetition. A finished game has no moves.
    fn permits_proof_for(&self, winner: Player) -> bool {
        self.rules.ko == KoRule::Simple
            || self.passes >= 2
            || self.most_stones[winner.index()] == self.board.stones()[winner.index()]
    }

    fn permits_proof_after(&self, mv: Move, winner: Player) -> bool {
        let ends_game = mv == self.size().pass() && self.passes >= 1;
        if self.rules.ko == KoRule::Simple || ends_game {
            return true;
        }
        let loses = self.loses_stones(mv)[winner.index()];
        let gains = winner == self.to_play && mv != self.size().pass();
        let missing = self.most_stones[winner.index()] - self.board.stones()[winner.index()];
        !loses && missing <= u16::from(gains)
    }

    fn key_with_history(&self) -> u64 {
        mix(self.key() ^ mix(self.history.key()))
    }

    fn key_with_history_after(&self, mv: Move) -> u64 {
        let next = self.to_play.other();
        let (stones, is_new) = match self.board.geometry().point_of(mv) {
            // A pass leaves the stones and makes a new situation only if the side to move counts.
            None => (self.board.key(), self.rules.ko == KoRule::Situational),
            Some(point) => (self.board.key_and_ko_after(point, self.to_play).0, true),
        };
        let superko_key = self.superko_key(stones, next);
        let is_new = is_new && self.rules.ko != KoRule::Simple && !self.history.contains(superko_key);
        let history = self.history.key() ^ if is_new { mix(superko_key) } else { 0 };
        mix(self.key_after(mv) ^ mix(history))
    }
}
