//! Decisions on moves within a session: cancellation by the controller, diagnostics, and responses.

use super::error::GtpError;
use super::session::Session;
use crate::base::game::{Game, Move, Player};
use crate::engine::Decision;
use crate::external::LoadingMessages;
use crate::go::Size;
use crate::search::{Report, SearchSnapshot};

/// The conditions of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thinking {
    pub(super) player: Player,
    /// True if the clock limits the search and the time used is subtracted from it.
    pub(super) uses_clock: bool,
    /// True if any line of input cancels the search.
    pub(super) is_cancellable: bool,
}

impl Thinking {
    /// Returns the conditions for a move that will be played.
    pub(super) fn of(player: Player) -> Thinking {
        Thinking { player, uses_clock: true, is_cancellable: false }
    }
}

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveChoice {
    /// A move.
    Move(Move),
    /// Resignation, with the move preferred by the search.
    Resign(Move),
    /// No move, since a line of input arrived first.
    Cancelled,
}

impl Session {
    /// Decides on a move, which is not played; the report is `None` if no search was needed. `watch` is called during the
    /// search and ends it by returning false. The error is that of
    /// [`Engine::search_position`](crate::engine::Engine::search_position).
    pub(super) fn choose(
        &mut self,
        thinking: Thinking,
        watch: &mut dyn FnMut(&SearchSnapshot<'_>) -> bool,
    ) -> Result<(MoveChoice, Option<Report>), GtpError> {
        let Thinking { player, uses_clock, is_cancellable } = thinking;
        let Session { engine, input, clock, options, diagnostics, .. } = self;
        let mut loading = LoadingMessages::new(engine.options().external.as_ref());
        let mut is_cancelled = false;
        let decision =
            engine.decide(player, &options.decisions, uses_clock.then_some(clock), &mut |snapshot| {
                is_cancelled |= is_cancellable && input.has_more();
                loading.due().into_iter().for_each(|message| diagnostics(&message));
                watch(snapshot) && !is_cancelled && !input.is_interrupted()
            });
        let decision = match decision {
            Err(_) if is_cancelled => return Ok((MoveChoice::Cancelled, None)),
            decision => decision.map_err(GtpError::Evaluator)?,
        };
        self.note_decision(&decision);
        let choice = match decision.mv {
            _ if is_cancelled => MoveChoice::Cancelled,
            mv if decision.resigns => MoveChoice::Resign(mv),
            mv => MoveChoice::Move(mv),
        };
        Ok((choice, decision.report))
    }

    /// Adds the search of a decision to the totals and writes diagnostics.
    fn note_decision(&mut self, decision: &Decision) {
        if let Some(report) = &decision.report {
            self.totals.add(report);
            self.remember(report);
            if self.totals.searches == 1 {
                self.note(&self.huge_pages());
            }
            if let Some(warning) = decision.failure.clone().or_else(|| self.engine.warning()) {
                self.note(&warning);
            }
        }
        if let Some(reason) = decision.reason {
            self.note(reason);
        }
    }

    /// Returns the answer to the controller for a choice that is not played.
    pub(super) fn choice_text(&self, choice: MoveChoice) -> String {
        match choice {
            MoveChoice::Move(mv) => self.size().vertex(mv),
            MoveChoice::Resign(_) => "resign".to_owned(),
            MoveChoice::Cancelled => "cancelled".to_owned(),
        }
    }

    /// Plays a chosen move and returns the answer to the controller.
    pub(super) fn play_choice(&mut self, player: Player, choice: MoveChoice) -> String {
        let MoveChoice::Move(mv) = choice else { return self.choice_text(choice) };
        self.has_just_moved = true;
        let size = self.size();
        let record = self.engine.record_mut();
        if let Err(reason) = record.play(player, mv) {
            let pass = record.play(player, size.pass());
            debug_assert!(pass.is_ok(), "passing is always legal");
            self.note(&format!("the search chose {}, which is illegal ({reason}): pass", size.vertex(mv)));
            return size.vertex(size.pass());
        }
        size.vertex(mv)
    }

    /// Stores the result of a search for later commands and writes a summary to the diagnostics.
    fn remember(&mut self, report: &Report) {
        self.last_search = Some((self.searched_key(report.root.to_play), report.clone()));
        let summary_line = summary(report, self.size());
        self.note(&summary_line);
        self.last_search_summary = Some(summary_line);
    }

    /// Returns the key of the present position with `player` to move.
    pub(super) fn searched_key(&self, player: Player) -> u64 {
        let mut searched = self.position().clone();
        searched.set_to_play(player);
        searched.key()
    }

    /// Returns a line on the share of the table in huge pages.
    fn huge_pages(&self) -> String {
        let table = self.engine.table();
        let mebibytes = |bytes: usize| bytes as f64 / (1 << 20) as f64;
        match table.huge_page_bytes() {
            Some(0) | None => "table: no huge pages".to_owned(),
            Some(bytes) => {
                let all = mebibytes(table.layout().bytes());
                format!("table: {:.0} of {all:.0} MiB in huge pages so far", mebibytes(bytes))
            }
        }
    }
}

/// Returns the result of a search in one line: simulations, visits, win rate, time, main line.
fn summary(report: &Report, size: Size) -> String {
    let line: Vec<String> =
        report.best().map_or_else(Vec::new, |best| best.pv.iter().map(|&mv| size.vertex(mv)).collect());
    format!(
        "{} simulations, {} visits, win rate of {} {:.3}{}, {:.2} s, pv {}",
        report.simulations,
        report.root.visits,
        report.root.to_play,
        report.root.value.as_f64(),
        if report.root.proven.is_some() { " (proven)" } else { "" },
        report.elapsed.as_secs_f64(),
        line.join(" "),
    )
}
