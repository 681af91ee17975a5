//! The first rank: requests to the others, and its own part of a search.

use super::exchange::{Exchange, SearchState};
use super::handle::{RankError, Ranks};
use super::message::{Control, GameTerms, SearchRequest, VERSION};
use super::part::Part;
use super::{identity, share};
use crate::engine::{Engine, EngineError, EngineOptions};
use crate::go::{Position, Size};
use crate::search::{self, Journal, Limits, Progress, Report};
use crate::table::{Lineage, Table};
use std::sync::PoisonError;
use std::time::Instant;

impl Ranks {
    /// Lets all other ranks prepare for the game of the options, each with its own table, and waits for them.
    pub(in crate::engine) fn open(
        &self,
        options: &EngineOptions,
        table: &mut Table,
    ) -> Result<(), RankError> {
        let terms = GameTerms {
            size: options.size.to_string(),
            rules: options.rules.to_string(),
            komi: options.komi.to_string(),
        };
        let request = Control::Open { version: VERSION, terms, identity: identity::of(options) };
        let others = self.begin(&request)?;
        self.share_origins(table, others)
    }

    /// Lets all other ranks change their board, before this one does; returns the origins of the samples in their tables.
    pub(in crate::engine) fn resize(&self, size: Size) -> Result<Vec<Lineage>, RankError> {
        self.begin(&Control::Resize { size: size.to_string() })
    }

    /// Sends a request for new tables; returns the origins of the samples in them.
    fn begin(&self, request: &Control) -> Result<Vec<Lineage>, RankError> {
        self.outbox().clear();
        let answers = self.ask_others(request)?;
        Ok(answers.into_iter().filter(|numbers| !numbers.is_empty()).map(Lineage::of).collect())
    }

    /// Gives all tables the origins of all samples, which they will share from now on: those of this table and of `others`.
    pub(in crate::engine) fn share_origins(
        &self,
        table: &mut Table,
        others: Vec<Lineage>,
    ) -> Result<(), RankError> {
        let Some(own) = table.lineage().cloned() else { return Ok(()) };
        let union = others.into_iter().try_fold(own, |all, other| all.union(&other));
        let lineage = union.ok_or(RankError::TooManyOrigins)?;
        table.share_lineage(&lineage);
        self.tell_others(&Control::Share { lineage: lineage.origins().to_vec() });
        Ok(())
    }

    /// Lets all other ranks empty their tables, after this one has.
    pub(in crate::engine) fn clear(&self, table: &Table) {
        self.outbox().clear();
        let lineage = table.lineage().map_or_else(Vec::new, |lineage| lineage.origins().to_vec());
        self.tell_others(&Control::Clear { lineage });
    }
}

impl Engine {
    /// Searches a prepared position on all ranks.
    pub(in crate::engine) fn lead_search(
        &mut self,
        ranks: &Ranks,
        root: &Position,
        limits: Limits,
        progress: Progress<'_>,
    ) -> Result<Report, EngineError> {
        let key = search::root_key(root, self.root_moves());
        let visits = self.table.find(key).map_or(0, |entry| u64::from(entry.total().visits));
        let all = share::simulations_of_all(&limits, visits);
        let request = SearchRequest {
            number: ranks.next_search(),
            root: root.snapshot(),
            root_moves: self.root_moves().map(<[bool]>::to_vec),
            seed: self.options().parameters.seed,
            simulations: all,
            time: limits.time,
        };
        let number = request.number;
        ranks.tell_others(&Control::Search(Box::new(request)));
        let own = all.map(|all| share::share(all, 0, ranks.count()).max(1));
        let limits = Limits { simulations: own, ..limits };
        let (journal, state) = (Journal::default(), SearchState::default());
        let report = std::thread::scope(|scope| {
            let waker = ranks.link().waker();
            scope.spawn(|| {
                let (link, mut outbox) = (ranks.link(), ranks.outbox());
                Exchange::new((number, key), (&self.table, &journal), &link, &mut outbox, &state)
                    .run(Vec::new());
            });
            let part =
                Part { ranks, journal: &journal, state: &state, waker, limits, started: Instant::now() };
            self.search_prepared(root, limits, Some(&part), progress)
        });
        ranks.note_counts(&state.counts.lock().unwrap_or_else(PoisonError::into_inner));
        report
    }
}
