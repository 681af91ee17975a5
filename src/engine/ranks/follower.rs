//! A rank other than the first: it waits for requests, and searches.

use super::exchange::{Exchange, SearchState};
use super::handle::{RankError, Ranks};
use super::link::Event;
use super::message::{
    Control, GameTerms, Identity, Increments, Message, SearchRequest, VERSION, version_difference,
};
use super::part::Part;
use super::{identity, share};
use crate::engine::{Engine, EngineError, EngineOptions};
use crate::go::{Komi, Position, Record, Rules, Size};
use crate::search::{self, Journal, Limits, SearchSnapshot};
use crate::table::{Lineage, Table};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Returns the engine's options of a rank for the board, rules and komi of the first rank's game. They may differ from these
/// where the command line of the rank names others; then the rank is refused.
pub(super) type MakeOptions<'m> = &'m dyn Fn(Size, Rules, Komi) -> EngineOptions;

/// A rank that waits for requests.
struct Follower<'m> {
    ranks: Arc<Ranks>,
    make_options: MakeOptions<'m>,
    engine: Option<Engine>,
    /// Messages of searches with requests that have not come yet.
    early: Vec<(usize, Increments)>,
}

/// Follows the requests of the first rank until it ends.
///
/// # Errors
/// Returns an error if the connection ends, or if a search is requested that this rank cannot run.
pub fn serve(ranks: Arc<Ranks>, make_options: MakeOptions<'_>) -> Result<(), EngineError> {
    let mut follower = Follower { ranks, make_options, engine: None, early: Vec::new() };
    loop {
        let event = follower.ranks.link().receive();
        match event {
            Event::Closed => return Err(RankError::Closed.into()),
            Event::Wake => {}
            Event::Message(from, bytes) => match Message::read(&bytes) {
                Ok(Message::Control(Control::Quit)) => return Ok(()),
                Ok(Message::Control(request)) => follower.obey(request)?,
                Ok(Message::Increments(increments)) => follower.early.push((from, increments)),
                Err(_) => follower.refuse(version_difference(follower.ranks.rank())),
            },
        }
    }
}

impl Follower<'_> {
    fn obey(&mut self, request: Control) -> Result<(), EngineError> {
        match request {
            Control::Open { version, terms, identity } => self.open(version, &terms, &identity),
            Control::Resize { size } => self.resize(&size),
            Control::Search(request) => self.search(*request)?,
            Control::Share { lineage } => self.share(lineage),
            Control::Clear { lineage } => {
                self.ranks.outbox().clear();
                self.engine.iter_mut().for_each(Engine::clear_table);
                self.share(lineage);
            }
            // Answers, and the end of a search that has ended.
            Control::Ready { .. } | Control::Refused { .. } | Control::Stop { .. } | Control::Quit => {}
        }
        Ok(())
    }

    fn share(&mut self, lineage: Vec<u64>) {
        if let Some(engine) = self.engine.as_mut().filter(|_| !lineage.is_empty()) {
            engine.table.share_lineage(&Lineage::of(lineage));
        }
    }

    fn refuse(&self, reason: String) {
        self.ranks.link().send(0, Control::Refused { reason }.bytes());
    }

    /// Makes an engine for the first rank's game and answers.
    fn open(&mut self, version: u32, terms: &GameTerms, first: &Identity) {
        let rank = self.ranks.rank();
        if version != VERSION {
            return self.refuse(version_difference(rank));
        }
        // The file of the table is free for the next engine.
        self.engine = None;
        self.ranks.outbox().clear();
        let parsed = (terms.size.parse(), terms.rules.parse(), terms.komi.parse());
        let (Ok(size), Ok(rules), Ok(komi)) = parsed else {
            return self.refuse(version_difference(rank));
        };
        let options = (self.make_options)(size, rules, komi);
        if let Some(difference) = identity::difference(first, &identity::of(&options), rank) {
            return self.refuse(difference);
        }
        match Engine::new(EngineOptions { ranks: None, ..options }) {
            Ok(engine) => self.answer(engine),
            Err(error) => self.refuse(format!("rank {rank}: {error}")),
        }
    }

    fn resize(&mut self, size: &str) {
        let Some((mut engine, size)) = self.engine.take().zip(size.parse().ok()) else {
            return self.refuse(version_difference(self.ranks.rank()));
        };
        self.ranks.outbox().clear();
        match engine.new_game(size) {
            Ok(()) => self.answer(engine),
            Err(error) => {
                self.engine = Some(engine);
                self.refuse(format!("rank {}: {error}", self.ranks.rank()));
            }
        }
    }

    fn answer(&mut self, engine: Engine) {
        let is_empty = engine.table.census().entries_used == 0;
        let lineage = engine.table.lineage().filter(|_| !is_empty).map(|it| it.origins().to_vec());
        self.engine = Some(engine);
        let answer = Control::Ready { lineage: lineage.unwrap_or_default() };
        self.ranks.link().send(0, answer.bytes());
    }

    /// Runs this rank's part of a search.
    fn search(&mut self, request: SearchRequest) -> Result<(), EngineError> {
        let damaged = |error: crate::go::SnapshotError| RankError::Refused { reason: error.to_string() };
        let mut root = Position::from_snapshot(&request.root).map_err(damaged)?;
        let number = request.number;
        let early = std::mem::take(&mut self.early);
        let early = early.into_iter().filter(|(_, increments)| increments.number == number).collect();
        let Some(engine) = &mut self.engine else { return Err(RankError::Closed.into()) };
        if root.size() != engine.options.size {
            engine.set_record(Record::from_position(root.clone()))?;
        }
        root.set_playouts(engine.options.playouts);
        root.seal();
        engine.set_root_moves(request.root_moves);
        engine.options.parameters.seed = request.seed;
        let ranks = &*self.ranks;
        let simulations = request.simulations.map(|all| share::share(all, ranks.rank(), ranks.count()));
        let limits = Limits { simulations, time: request.time, ..Limits::default() };
        let key = search::root_key(&root, engine.root_moves());
        let (journal, state) = (Journal::default(), SearchState::default());
        let outcome = std::thread::scope(|scope| {
            let waker = ranks.link().waker();
            let table: &Table = &engine.table;
            scope.spawn(|| {
                let (link, mut outbox) = (ranks.link(), ranks.outbox());
                Exchange::new((number, key), (table, &journal), &link, &mut outbox, &state).run(early);
            });
            let part =
                Part { ranks, journal: &journal, state: &state, waker, limits, started: Instant::now() };
            if simulations == Some(0) {
                return Ok(());
            }
            let progress = &mut |_: &SearchSnapshot<'_>| !state.is_stopped.load(Relaxed);
            engine.search_prepared(&root, limits, Some(&part), progress).map(|_| ())
        });
        if let Err(error) = outcome {
            ranks.notice(&format!("rank {}: {error}", ranks.rank()));
        }
        Ok(())
    }
}
