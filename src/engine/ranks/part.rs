//! The part of one rank in a search: what its search does for the exchange.

use super::exchange::SearchState;
use super::handle::Ranks;
use super::link::Event;
use crate::base::zobrist::mix;
use crate::search::{Journal, Limits, Progress, Report, SearchSnapshot};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Time between two checks of the other ranks once this rank's part is done.
const WAIT_INTERVAL: Duration = Duration::from_millis(1);

/// The part of one rank in a search.
pub(in crate::engine) struct Part<'s> {
    pub(super) ranks: &'s Ranks,
    pub(super) journal: &'s Journal,
    pub(super) state: &'s SearchState,
    pub(super) waker: Sender<Event>,
    /// Limits of the part.
    pub(super) limits: Limits,
    pub(super) started: Instant,
}

impl Part<'_> {
    /// Returns the journal for the search.
    pub(in crate::engine) fn journal(&self) -> &Journal {
        self.journal
    }

    /// Returns the number of ranks.
    pub(in crate::engine) fn ranks(&self) -> u32 {
        self.ranks.count() as u32
    }

    /// Returns the seed of the rank, see [`seed_of`].
    pub(in crate::engine) fn seed(&self) -> u64 {
        seed_of(self.ranks.rank())
    }

    /// Returns true if the report of this rank is not read.
    pub(in crate::engine) fn is_silent(&self) -> bool {
        !self.ranks.is_leader()
    }

    /// Notes the progress of this rank's search; returns the simulations of all ranks.
    pub(in crate::engine) fn simulations_of_all(&self, own: u64) -> u64 {
        self.state.own_simulations.store(own, Relaxed);
        own + self.state.other_simulations.load(Relaxed)
    }

    /// Ends this rank's part with `report`, waits for the other ranks, and returns the report on the table that has all
    /// visits. `progress` and the limit of time may end the other ranks' parts. If this rank has not run its share of the
    /// simulations, something has ended the search, and the others are stopped.
    pub(in crate::engine) fn finish(
        &self,
        report: Report,
        look_up: &dyn Fn() -> Report,
        progress: Progress<'_>,
    ) -> Report {
        self.state.own_simulations.store(report.simulations, Relaxed);
        let is_own_share = self.limits.simulations.is_some_and(|share| report.simulations >= share);
        let mut stops = self.ranks.is_leader() && !is_own_share;
        self.end(stops);
        while !self.state.is_complete.load(Relaxed) {
            std::thread::sleep(WAIT_INTERVAL);
            let is_late = || self.limits.time.is_some_and(|time| self.started.elapsed() >= time);
            // The function adds the simulations of the other ranks.
            let snapshot = SearchSnapshot::new(report.simulations, look_up);
            if self.ranks.is_leader() && !stops && (is_late() || !progress(&snapshot)) {
                stops = true;
                self.end(true);
            }
        }
        Report {
            simulations: self.simulations_of_all(report.simulations),
            elapsed: self.started.elapsed(),
            counters: report.counters,
            ownership: report.ownership,
            mean_depth: report.mean_depth,
            ..look_up()
        }
    }

    fn end(&self, stops_others: bool) {
        self.state.has_ended.store(true, Relaxed);
        if stops_others {
            self.state.stops_others.store(true, Relaxed);
        }
        // The exchange has ended if it receives nothing any more.
        let _ = self.waker.send(Event::Wake);
    }
}

/// Returns a number that is different for each rank, and 0 for the first.
pub(in crate::engine) fn seed_of(rank: usize) -> u64 {
    if rank == 0 { 0 } else { mix(rank as u64) }
}

impl Drop for Part<'_> {
    /// Ends the exchange, in case the search has panicked.
    fn drop(&mut self) {
        if !self.state.has_ended.load(Relaxed) {
            self.end(self.ranks.is_leader());
        }
    }
}
