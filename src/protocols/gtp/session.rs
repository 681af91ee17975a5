//! The state of a session with one controller.

use super::error::GtpError;
use crate::base::input::LineReader;
use crate::engine::clock::{Clock, TimeSystem};
use crate::engine::{DecisionSettings, Engine, EngineError, Level};
use crate::go::status::BoardStatus;
use crate::go::{Komi, Position, Record, Rules, Size};
use crate::records::sgf::DefaultTerms;
use crate::search::Report;
use crate::table::Counters;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Options of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// The response to `name`. Lizzie uses `kata-analyze` only if it begins with `KataGo`.
    pub name: String,
    /// The response to `version`. Lizzie warns of versions below 0.15 (it reads the number after the first dot).
    pub version: String,
    /// Limits of the search for each move, and the win rate of resignation.
    pub decisions: DecisionSettings,
    /// True if the engine searches during the opponent's turn.
    pub ponders: bool,
    /// The level of play, which excludes pondering; `None`: full strength.
    pub level: Option<Level>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            name: "Tewari".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            decisions: DecisionSettings::default(),
            ponders: false,
            level: None,
        }
    }
}

/// Sums over searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchTotals {
    /// Number of searches.
    pub searches: u64,
    /// Total number of simulations.
    pub simulations: u64,
    /// Total wall-clock time.
    pub elapsed: Duration,
    /// Table events.
    pub counters: Counters,
}

impl SearchTotals {
    /// Adds the counts of one search.
    pub(super) fn add(&mut self, report: &Report) {
        self.searches += 1;
        self.simulations += report.simulations;
        self.elapsed += report.elapsed;
        self.counters.add(&report.counters);
    }
}

/// A session with one controller.
pub struct Session {
    pub(super) engine: Engine,
    pub(super) options: SessionOptions,
    /// Rules and komi of later games, and of later records that do not state theirs.
    pub(super) terms: DefaultTerms,
    pub(super) clock: Clock,
    /// Sums over the searches: [`Session::totals`].
    pub(super) totals: SearchTotals,
    pub(super) quit: bool,
    pub(super) input: LineReader,
    /// True if the last command played a move of the engine.
    pub(super) has_just_moved: bool,
    /// Summary of the last search, in one line.
    pub(super) last_search_summary: Option<String>,
    /// The key of the position that was searched last, and the report on it.
    pub(super) last_search: Option<(u64, Report)>,
    /// True once the reader of the responses has gone: [`Session::with_closed_output`].
    pub(super) abandoned: Arc<AtomicBool>,
    pub(super) diagnostics: Box<dyn FnMut(&str) + Send>,
}

impl Session {
    /// Creates a session with an engine.
    #[must_use]
    pub fn new(engine: Engine, options: SessionOptions) -> Session {
        let position = engine.position();
        Session {
            terms: DefaultTerms { rules: position.rules(), komi: position.komi() },
            engine,
            options,
            clock: Clock::new(TimeSystem::Unlimited),
            totals: SearchTotals::default(),
            quit: false,
            input: LineReader::none(),
            has_just_moved: false,
            last_search_summary: None,
            last_search: None,
            abandoned: Arc::default(),
            diagnostics: Box::new(|_| {}),
        }
    }

    /// Sets the receiver of diagnostic lines, which are not part of the protocol: summaries of searches, reasons of passes
    /// and of illegal moves.
    #[must_use]
    pub fn with_diagnostics(mut self, diagnostics: impl FnMut(&str) + Send + 'static) -> Session {
        self.diagnostics = Box::new(diagnostics);
        self
    }

    /// Sets a flag that becomes true when the reader of the responses has gone; a running search then ends.
    #[must_use]
    pub fn with_closed_output(mut self, abandoned: Arc<AtomicBool>) -> Session {
        self.abandoned = abandoned;
        self
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the sums over the searches since the table was last empty or the sums were last reset.
    #[must_use]
    pub fn totals(&self) -> SearchTotals {
        self.totals
    }

    /// Resets the sums over searches.
    pub fn restart_totals(&mut self) {
        self.totals = SearchTotals::default();
    }

    /// Returns true once `quit` was answered.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    pub(super) fn position(&self) -> &Position {
        self.engine.position()
    }

    pub(super) fn size(&self) -> Size {
        self.engine.position().size()
    }

    /// Returns the status of each chain under the rules.
    pub(super) fn statuses(&self) -> Arc<BoardStatus> {
        self.engine.statuses()
    }

    pub(super) fn note(&mut self, line: &str) {
        (self.diagnostics)(line);
    }

    /// Replaces the game; on error it is unchanged.
    pub(super) fn set_record(&mut self, record: Record) -> Result<(), EngineError> {
        let moves = self.engine.table().layout().shape.moves;
        self.engine.set_record(record)?;
        if moves != self.engine.table().layout().shape.moves {
            self.restart_totals();
        }
        Ok(())
    }

    /// Changes the rules of the game to `rules`, and those of later games to `later`. Moves already played stay, whether
    /// the new rules permit them or not.
    pub(super) fn set_rules(&mut self, rules: Rules, later: Rules) -> Result<(), GtpError> {
        let record = self.engine.record().with_rules(rules);
        self.set_record(record).map_err(GtpError::SizeFailed)?;
        self.terms.rules = later;
        Ok(())
    }

    /// Changes the komi of this game and of later ones.
    pub(super) fn set_komi(&mut self, komi: Komi) {
        self.engine.set_komi(komi);
        self.terms.komi = komi;
    }

    /// Starts a game on an empty board with full clocks.
    pub(super) fn new_game(&mut self, size: Size) -> Result<(), EngineError> {
        self.begin(Record::new(size, self.terms.rules, self.terms.komi))
    }

    /// Starts a game from a record with full clocks; on error the game is unchanged.
    pub(super) fn begin(&mut self, record: Record) -> Result<(), EngineError> {
        self.set_record(record)?;
        self.clock.restart();
        Ok(())
    }
}
