//! Go against a person.

use super::{InteractiveGame, hints, remark};
use crate::engine::Engine;
use crate::game::{Game, Move, Player};
use crate::go::drawing::territory;
use crate::go::status::DeadStones;
use crate::go::{IllegalMove, Size};
use crate::search::Limits;

/// A game of Go with an engine.
pub struct GoGame {
    engine: Engine,
    limits: Limits,
}

impl GoGame {
    /// A game on the engine's board, each move thought about within `limits`.
    #[must_use]
    pub fn new(engine: Engine, limits: Limits) -> GoGame {
        GoGame { engine, limits }
    }

    fn size(&self) -> Size {
        self.engine.position().size()
    }
}

impl InteractiveGame for GoGame {
    fn draw(&self) -> String {
        let position = self.engine.position();
        let [by_black, by_white] = position.prisoners();
        let last = self.engine.record().moves().last();
        let last = last.map_or_else(String::new, |&(player, mv)| {
            format!("{} played {}. ", self.name(player), self.size().vertex(mv))
        });
        let to_play = self.name(position.to_play());
        format!("{position}\n{last}{to_play} to move; captured by Black {by_black}, by White {by_white}")
    }

    fn name(&self, player: Player) -> &'static str {
        match player {
            Player::Black => "Black (X)",
            Player::White => "White (O)",
        }
    }

    fn to_play(&self) -> Player {
        self.engine.position().to_play()
    }

    fn result(&self) -> Option<String> {
        let position = self.engine.position();
        if position.passes() < 2 {
            return None;
        }
        let options = self.engine.options();
        let dead = DeadStones::of_rules(position.rules());
        let statuses = dead.statuses(position, options.playouts, options.parameters.seed);
        let margin = f64::from(statuses.area_score()) - position.final_area_komi().points();
        let won = match margin {
            margin if margin > 0.0 => format!("Black wins by {margin} points"),
            margin if margin < 0.0 => format!("White wins by {} points", -margin),
            _ => "a draw".to_owned(),
        };
        let dead: Vec<String> =
            statuses.dead_stones().into_iter().map(|stone| self.size().vertex(stone)).collect();
        Some(if dead.is_empty() {
            format!("Both passed: {won}, all stones alive")
        } else {
            format!("Both passed: {won}, if these stones are dead: {}", dead.join(" "))
        })
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = self.size().parse_vertex(text);
        let mv = mv.ok_or_else(|| format!("{text:?} is no move: expected {}.", self.notation()))?;
        let to_play = self.to_play();
        self.engine.record_mut().play(to_play, mv).map_err(|reason| {
            let rule = match reason {
                IllegalMove::Occupied => "there is a stone already",
                IllegalMove::Suicide => "the stone would have no liberty (suicide)",
                IllegalMove::Ko => "it would take back the ko at once; play elsewhere first",
                IllegalMove::Superko => "it would repeat an earlier position (superko)",
                IllegalMove::OffBoard => "it is not on the board",
            };
            format!("{} is not allowed: {rule}.", self.size().vertex(mv))
        })
    }

    fn undo(&mut self) -> bool {
        self.engine.record_mut().undo()
    }

    fn restart(&mut self) {
        while self.engine.record_mut().undo() {}
    }

    fn think(&mut self) -> String {
        let to_play = self.to_play();
        let report = self.engine.search(to_play, self.limits, &mut |_| true);
        let mut mv = self.engine.chosen_move(&report);
        if self.engine.record_mut().play(to_play, mv).is_err() {
            // Never seen: the search knows the history.
            mv = self.size().pass();
            let passed = self.engine.record_mut().play(to_play, mv);
            debug_assert!(passed.is_ok(), "passing is always legal");
        }
        remark(&report, self.name(to_play), &self.size().vertex(mv))
    }

    fn hint(&mut self) -> String {
        let (to_play, size) = (self.to_play(), self.size());
        let report = self.engine.search(to_play, self.limits, &mut |_| true);
        hints(&report, &|mv: Move| size.vertex(mv))
    }

    fn estimate(&mut self) -> Option<String> {
        let to_play = self.to_play();
        let report = self.engine.search(to_play, self.limits, &mut |_| true);
        let lead = report.root.black_score? - self.engine.position().area_komi().points();
        let leader = if lead < 0.0 { Player::White } else { Player::Black };
        let board = territory(self.size(), |point| report.ownership.mean_for_black(point));
        Some(format!(
            "{board}\n{} leads by about {:.1} points. x and o: rather so, .: open",
            self.name(leader),
            lead.abs()
        ))
    }

    fn notation(&self) -> &'static str {
        "points such as D4, or pass"
    }
}
