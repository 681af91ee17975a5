//! Games in the engine and in the exact solver, and the check of reports against exact values.

use crate::exact::{Line, Solver, Tables};
use tewari::base::game::{Bounds, Move, Outcome, Player};
use tewari::base::rng::PlayoutRng;
use tewari::go::{Komi, PlayoutPolicy, Position, Rules, Size};
use tewari::search::Report;

pub(crate) fn size(columns: usize, rows: usize) -> Size {
    Size::new(columns, rows).expect("a size")
}

pub(crate) fn position(size: Size, rules: Rules, komi: Komi) -> Position {
    let mut position = Position::new(size, rules, komi);
    position.set_playouts(PlayoutPolicy::Light);
    position
}

pub(crate) fn for_player(player: Player, for_black: Outcome) -> Outcome {
    if player == Player::Black { for_black } else { for_black.other() }
}

/// Returns the smallest scores with which Black wins and draws.
pub(crate) fn scores_to_win_and_to_draw(komi: Komi) -> [i32; 2] {
    [komi.0.div_euclid(2) + 1, (komi.0 + 1).div_euclid(2)]
}

/// One game in the engine and in the exact solver.
#[derive(Clone)]
pub(crate) struct Twofold {
    pub(crate) line: Line,
    pub(crate) position: Position,
}

impl Twofold {
    pub(crate) fn start(tables: &Tables, rules: Rules, komi: Komi) -> Twofold {
        let position = position(size(tables.columns, tables.rows), rules, komi);
        Twofold { line: Line::new(rules), position }
    }

    /// Plays a move in both; it must be legal in both.
    pub(crate) fn play(&mut self, tables: &Tables, at: Option<usize>) {
        let rules = self.position.rules();
        self.line = self.line.after(tables, rules, at).expect("a legal move");
        let mv = Move(at.unwrap_or(tables.points) as u16);
        self.position.try_play(mv).expect("a legal move");
    }

    /// Plays up to `length` random moves, without two passes in a row; the game is not over then.
    pub(crate) fn random(
        tables: &Tables,
        rules: Rules,
        komi: Komi,
        length: usize,
        rng: &mut PlayoutRng,
    ) -> Twofold {
        let mut game = Twofold::start(tables, rules, komi);
        for _ in 0..length {
            let mut moves = game.line.moves(tables, rules);
            if game.line.state.passes == 1 {
                moves.pop();
            }
            if moves.is_empty() {
                break;
            }
            game.play(tables, moves[rng.below(moves.len())]);
        }
        game
    }
}

/// The exact outcomes of a game; `None` if the solver gives up.
pub(crate) struct Truth<'s, 't> {
    pub(crate) solver: &'s mut Solver<'t>,
    pub(crate) komi: Komi,
}

impl Truth<'_, '_> {
    pub(crate) fn outcome_for_black(&mut self, line: &Line) -> Option<Outcome> {
        let [win, draw] = scores_to_win_and_to_draw(self.komi);
        Some(if self.solver.black_gets(line, win)? {
            Outcome::Win
        } else if self.solver.black_gets(line, draw)? {
            Outcome::Draw
        } else {
            Outcome::Loss
        })
    }

    pub(crate) fn holds(&mut self, bounds: Bounds, line: &Line) -> Option<bool> {
        let (lower, upper) = (i32::from(bounds.lower), i32::from(bounds.upper));
        Some(self.solver.black_gets(line, lower)? && !self.solver.black_gets(line, upper + 1)?)
    }

    /// Checks everything that `report` states about `line`; returns true if the solver could judge all of it.
    pub(crate) fn confirms(&mut self, report: &Report, line: &Line) -> bool {
        let told = || format!("{line:?} komi {} {}: {:?}", self.komi, self.solver.rules, report.root);
        let told = told();
        let mut judged = true;
        match self.holds(report.root.bounds, line) {
            Some(holds) => assert!(holds, "wrong bounds: {told}"),
            None => judged = false,
        }
        if let Some(proven) = report.root.proven {
            match self.outcome_for_black(line) {
                Some(exact) => {
                    assert_eq!(proven, for_player(line.state.to_play, exact), "wrong proof: {told}");
                }
                None => judged = false,
            }
        }
        let tables = self.solver.tables;
        for candidate in &report.moves {
            let at = Some(candidate.mv.index()).filter(|&at| at < tables.points);
            let after = line.after(tables, self.solver.rules, at);
            let after = after.unwrap_or_else(|| panic!("the illegal move {at:?} is reported: {told}"));
            if let Some(proven) = candidate.proven {
                match self.outcome_for_black(&after) {
                    Some(exact) => {
                        let exact = for_player(line.state.to_play, exact);
                        assert_eq!(proven, exact, "wrong proof of {at:?}: {told}");
                    }
                    None => judged = false,
                }
            }
        }
        judged
    }
}
