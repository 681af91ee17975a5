//! Go against a person.

mod files;

use self::files::LoadedGame;
use super::end_search::EndSearch;
use super::{InteractiveGame, hints, remark};
use crate::base::game::{Game, Move, Player};
use crate::engine::{Decision, DecisionSettings, Engine, EngineError, Level};
use crate::go::drawing::{BoardStyle, draw_board, draw_territory};
use crate::go::handicap::{self, Handicap, HandicapError};
use crate::go::record::RecordPart;
use crate::go::status::BoardStatus;
use crate::go::{IllegalMove, Record, Size};
use crate::records::sgf::DefaultTerms;
use crate::search::{Limits, Report};
use std::path::Path;
use std::sync::Arc;

/// Settings of a game against a person.
#[derive(Clone, Copy, Debug)]
pub struct GoGameSettings {
    /// The person's side.
    pub human: Player,
    /// Limits of a search for a move, a hint or an estimate.
    pub limits: Limits,
    /// Level of the engine. Its limits replace `limits` for moves, not for hints and estimates.
    pub level: Option<Level>,
    /// Style of the drawn board.
    pub style: BoardStyle,
    /// The end of a search.
    pub end_search: EndSearch,
}

/// A game of Go against an engine.
pub struct GoGame {
    engine: Engine,
    /// The engine for hints and estimates; `None`: the one that plays.
    adviser: Option<Engine>,
    setting: GoGameSettings,
    /// Evaluation of the last search; `None` before the first one and after an undo.
    estimate: Option<ScoreAndWinRate>,
    /// Ownership by the last estimate, by move number, from -1 for White to 1 for Black; `None` after the next move.
    territory: Option<Vec<f64>>,
    /// Rules and komi of loaded records that name none: those of the first game.
    terms_of_session: DefaultTerms,
    /// The record that was loaded, until a new game begins.
    loaded: Option<LoadedGame>,
}

/// A search's evaluation of a position.
#[derive(Clone, Copy, Debug)]
struct ScoreAndWinRate {
    /// Points by which Black leads.
    lead: f64,
    /// Black's win rate, `0..=1`.
    win_rate: f64,
}

impl GoGame {
    /// Creates a game on the engine's board.
    #[must_use]
    pub fn new(engine: Engine, setting: GoGameSettings) -> GoGame {
        let position = engine.position();
        let terms_of_session = DefaultTerms { rules: position.rules(), komi: position.komi() };
        GoGame {
            engine,
            adviser: None,
            setting,
            estimate: None,
            territory: None,
            terms_of_session,
            loaded: None,
        }
    }

    /// Lets another engine search for hints and estimates, so that these are not as weak as the level of play and do not
    /// strengthen the playing engine through its table.
    #[must_use]
    pub fn with_adviser(self, adviser: Engine) -> GoGame {
        GoGame { adviser: Some(adviser), ..self }
    }

    /// Sets up handicap stones of Black, with the compensation of White under the rules.
    ///
    /// # Errors
    /// Returns an error if the board has no such points, or a stone would have no liberty; nothing is changed then.
    pub fn give(&mut self, wanted: &Handicap) -> Result<(), HandicapError> {
        let position = self.engine.position();
        let (size, rules) = (position.size(), position.rules());
        let points = wanted.points(size)?;
        let start = handicap::start(size, rules, position.komi(), &points);
        let start = start.map_err(|(mv, _)| HandicapError::NoLiberty { vertex: size.vertex(mv) })?;
        let mut record = Record::from_position(start);
        record.set_key_policy(self.engine.options().keys);
        *self.engine.record_mut() = record;
        Ok(())
    }

    fn size(&self) -> Size {
        self.engine.position().size()
    }

    /// Searches the present position for a hint or an estimate, and stores its evaluation.
    fn search(&mut self) -> Result<Report, EngineError> {
        let to_play = self.to_play();
        let engine = match &mut self.adviser {
            Some(adviser) => {
                adviser.set_record(self.engine.record().clone())?;
                adviser
            }
            None => &mut self.engine,
        };
        let report = engine.search(to_play, self.setting.limits, &mut self.setting.end_search.progress())?;
        self.note_estimate(&report);
        Ok(report)
    }

    fn note_estimate(&mut self, report: &Report) {
        let komi = self.engine.position().score_komi().points();
        let value = report.root.value.as_f64();
        self.estimate = report.root.black_score.map(|score| ScoreAndWinRate {
            lead: score - komi,
            win_rate: if report.root.to_play == Player::Black { value } else { 1.0 - value },
        });
    }

    /// Returns the points that White gets for the handicap.
    fn compensation(&self) -> f64 {
        f64::from(self.engine.position().compensation().0) / 2.0
    }

    /// Returns the status of each chain, and the points by which Black wins under the rules if the dead stones are removed.
    fn count(&self) -> (Arc<BoardStatus>, f64) {
        let (position, statuses) = (self.engine.position(), self.engine.statuses());
        let margin = f64::from(statuses.area_score()) - position.final_area_komi().points();
        (statuses, margin)
    }

    fn counted(&self) -> String {
        let (statuses, margin) = self.count();
        let won = match margin {
            margin if margin > 0.0 => format!("Black wins by {margin} points"),
            margin if margin < 0.0 => format!("White wins by {} points", -margin),
            _ => "a draw".to_owned(),
        };
        let dead: Vec<String> =
            statuses.dead_stones().into_iter().map(|stone| self.size().vertex(stone)).collect();
        if dead.is_empty() {
            format!("{won}, all stones alive")
        } else {
            format!("{won}, if these stones are dead: {}", dead.join(" "))
        }
    }

    /// Returns the result of a finished game as text, with the owners of the points by the count on the board.
    fn final_estimate(&mut self) -> String {
        let (statuses, margin) = self.count();
        let win_rate = if margin == 0.0 { 0.5 } else { f64::from(u8::from(margin > 0.0)) };
        self.estimate = Some(ScoreAndWinRate { lead: margin, win_rate });
        let mean = |owner: &Option<Player>| match owner {
            Some(Player::Black) => 1.0,
            Some(Player::White) => -1.0,
            None => 0.0,
        };
        let means: Vec<f64> = statuses.owners().iter().map(mean).collect();
        let counted = format!("The game is over: {}", self.counted());
        if self.setting.style == BoardStyle::Plain {
            let owners = draw_territory(self.size(), |point| means[point.index()]);
            return format!("{owners}\n{counted}. X and O: owned; .: neutral");
        }
        self.territory = Some(means);
        format!("{counted}. Marks show the owner of each point.")
    }

    /// Returns the leading player and the lead in points, as text.
    fn lead(&self, estimate: ScoreAndWinRate) -> String {
        let leader = if estimate.lead < 0.0 { Player::White } else { Player::Black };
        format!("{} leads by about {:.1} points", self.name(leader), estimate.lead.abs())
    }
}

impl InteractiveGame for GoGame {
    fn terms(&self) -> Option<String> {
        let record = self.engine.record();
        let start = record.parts().next().map_or(record.start(), RecordPart::start);
        let (size, komi, rules) = (start.size(), start.komi(), start.rules());
        let stones = handicap::stones_given(start.board().stones().map(usize::from));
        let given = match self.compensation() {
            _ if stones == 0 => String::new(),
            0.0 => format!(", {stones} handicap stones"),
            points => format!(", {stones} handicap stones, White gets {points} extra points"),
        };
        let level = self.setting.level.map_or_else(String::new, |level| format!(", level {level}"));
        Some(format!("{size}, {rules} rules, komi {komi}{given}{level}."))
    }

    fn draw(&self) -> String {
        let position = self.engine.position();
        let [by_black, by_white] = position.prisoners();
        let last = self.engine.record().moves().last().copied();
        let last_point = last.map(|(_, mv)| mv).filter(|&mv| mv != self.size().pass());
        let territory = self.territory.as_ref().map(|means| |mv: Move| means[mv.index()]);
        let mean = territory.as_ref().map(|means| means as &dyn Fn(Move) -> f64);
        let board = draw_board(position, last_point, self.setting.style, mean);
        let last = last.map_or_else(String::new, |(player, mv)| {
            format!("{} played {}. ", self.name(player), self.size().vertex(mv))
        });
        let to_play = self.name(position.to_play());
        let mut text =
            format!("{board}\n{last}{to_play} to move; captured by Black {by_black}, by White {by_white}");
        if let Some(estimate) = self.estimate {
            let black = 100.0 * estimate.win_rate;
            text.push_str(&format!("; {}, Black wins {black:.0} %", self.lead(estimate)));
        }
        text
    }

    fn name(&self, player: Player) -> &'static str {
        let has_letters = !matches!(self.setting.style, BoardStyle::Colours { has_circles: true });
        match player {
            Player::Black if has_letters => "Black (X)",
            Player::White if has_letters => "White (O)",
            Player::Black => "Black",
            Player::White => "White",
        }
    }

    fn to_play(&self) -> Player {
        self.engine.position().to_play()
    }

    fn result(&self) -> Option<String> {
        (self.engine.position().passes() >= 2).then(|| format!("Both passed: {}", self.counted()))
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = self.size().parse_vertex(text);
        let mv = mv.ok_or_else(|| format!("{text:?} is not a move; moves are {}.", self.notation()))?;
        let to_play = self.to_play();
        self.territory = None;
        self.engine.record_mut().play(to_play, mv).map_err(|reason| {
            let rule = match reason {
                IllegalMove::Occupied => "the point is occupied",
                IllegalMove::Suicide => "the stone would have no liberty (suicide)",
                IllegalMove::Ko => "it would retake the ko at once; play elsewhere first",
                IllegalMove::Superko => "it would repeat an earlier position (superko)",
                IllegalMove::OffBoard => "it is not on the board",
            };
            format!("{} is not allowed: {rule}.", self.size().vertex(mv))
        })
    }

    fn is_move(&self, text: &str) -> bool {
        self.size().parse_vertex(text).is_some()
    }

    fn undo(&mut self) -> bool {
        (self.estimate, self.territory) = (None, None);
        self.engine.record_mut().undo()
    }

    fn restart(&mut self) {
        while self.undo() {}
        self.loaded = None;
    }

    fn think(&mut self) -> String {
        let to_play = self.to_play();
        self.territory = None;
        let limits = self.setting.level.map_or(self.setting.limits, Level::limits);
        let settings =
            DecisionSettings { budget: limits.into(), resign_below: 0.0, ..DecisionSettings::default() };
        let decision = self.engine.decide(to_play, &settings, None, &mut self.setting.end_search.progress());
        let Decision { mut mv, report, .. } = match decision {
            Ok(decision) => decision,
            Err(error) => return format!("No move: {error}."),
        };
        match &report {
            Some(report) => self.note_estimate(report),
            None => self.estimate = None,
        }
        if self.engine.record_mut().play(to_play, mv).is_err() {
            // Not expected, since searches exclude moves that superko bans.
            mv = self.size().pass();
            let passed = self.engine.record_mut().play(to_play, mv);
            debug_assert!(passed.is_ok(), "passing is always legal");
        }
        let (name, vertex) = (self.name(to_play), self.size().vertex(mv));
        report.map_or_else(
            || format!("{name} plays {vertex}: the position is settled and the game is won."),
            |report| remark(&report, name, &vertex),
        )
    }

    fn hint(&mut self) -> String {
        let size = self.size();
        match self.search() {
            Ok(report) => hints(&report, &|mv: Move| size.vertex(mv)),
            Err(error) => format!("Cannot search this board: {error}."),
        }
    }

    fn estimate(&mut self) -> Option<String> {
        let size = self.size();
        if self.result().is_some() {
            return Some(self.final_estimate());
        }
        let report = match self.search() {
            Ok(report) => report,
            Err(error) => return Some(format!("Cannot search this board: {error}.")),
        };
        let engine = self.adviser.as_ref().unwrap_or(&self.engine);
        let ownership = engine.known_ownership(engine.position(), &report);
        let mean = |point| ownership.mean_for_black(point);
        let lead = self.lead(self.estimate?);
        if self.setting.style == BoardStyle::Plain {
            return Some(format!(
                "{}\n{lead}. X and O: owned; x and o: leaning; .: open",
                draw_territory(size, mean)
            ));
        }
        self.territory = Some((0..size.points() as u16).map(|point| mean(Move(point))).collect());
        Some(format!("{lead}. Marks show the expected owner of each point; small marks are less certain."))
    }

    fn score(&self) -> Option<String> {
        Some(format!("If the game ended now: {}.", self.counted()))
    }

    fn save(&self, path: &Path, resigned: Option<Player>, is_forced: bool) -> Result<String, String> {
        files::save(self, path, resigned, is_forced)
    }

    fn load(&mut self, path: &Path) -> Result<String, String> {
        files::load(self, path)
    }

    fn notation(&self) -> &'static str {
        "points such as D4, or pass"
    }
}
