//! One rank: the search of the program on its own table, a virtual clock, and increments for the other ranks.

use crate::cost::{Costs, LOOK_INTERVAL, Network};
use crate::design::{Design, Route};
use crate::wire::{Message, Wire};
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;
use tewari::base::game::Game;
use tewari::engine::Engine;
use tewari::engine::ranks::{FIRST_INTERVAL, Inbox, Outbox, read_increments, write_increments};
use tewari::go::Position;
use tewari::search::policy::Policy;
use tewari::search::{Change, Journal, JournalRecord, Report, SteppedSearch};
use tewari::table::{PositionIncrement, Table};

/// Increments for the receivers of a route.
struct Outgoing {
    route: Route,
    outbox: Outbox,
    is_closed: bool,
}

/// A rank. Times are in nanoseconds.
pub struct Rank<'t> {
    number: usize,
    table: &'t Table,
    root: u64,
    journal: &'t Journal,
    search: SteppedSearch<'t, 't, Position, Policy>,
    outgoing: Vec<Outgoing>,
    inbox: Inbox,
    /// Ranks that send to this one and have not sent their last message.
    senders: HashSet<usize>,
    clock: u64,
    next_round: u64,
    interval: u64,
    max_interval: u64,
    /// Processor time of messages: making, sending, receiving, adding.
    pub message_time: u64,
    /// Evaluations by key and place of the page.
    pub evaluations: Vec<(u64, u8)>,
}

/// The constants of a job that its ranks share.
#[derive(Clone, Copy)]
pub struct Terms<'j> {
    /// Costs of a rank's work.
    pub costs: Costs,
    /// Kind of the network.
    pub network: Network,
    /// Design of the exchange.
    pub design: Design,
    /// Simulations that the ranks together have still to run.
    pub simulations_left: &'j Cell<u64>,
}

impl<'t> Rank<'t> {
    /// Creates rank `number`, which gets messages from `senders`.
    pub fn new(
        number: usize,
        (engine, journal): (&'t Engine, &'t Journal),
        root: &Position,
        (routes, senders): (Vec<Route>, HashSet<usize>),
        terms: &Terms<'_>,
    ) -> Rank<'t> {
        let Design { min_visits, min_evaluated_visits, .. } = terms.design;
        let outbox = || Outbox::new(min_visits).with_min_evaluated_visits(min_evaluated_visits);
        let outgoing = |route| Outgoing { route, outbox: outbox(), is_closed: false };
        let interval = (FIRST_INTERVAL.as_nanos() as u64).min(terms.design.interval * 1_000_000);
        Rank {
            number,
            table: engine.table(),
            root: root.key(),
            journal,
            search: engine.begin_part(root.clone(), number, journal),
            outgoing: routes.into_iter().map(outgoing).collect(),
            inbox: Inbox::default(),
            senders,
            clock: 0,
            next_round: interval,
            interval,
            max_interval: terms.design.interval * 1_000_000,
            message_time: 0,
            evaluations: Vec::new(),
        }
    }

    /// Continues the rank at the time `now`, from one look for messages to the next; returns the time of that, or `None` if the
    /// rank has ended and has everything.
    pub fn continue_at(&mut self, now: u64, wire: &mut Wire, terms: &Terms<'_>) -> Option<u64> {
        self.clock = self.clock.max(now);
        if !self.senders.is_empty() {
            self.take_time(terms.costs.look);
        }
        while let Some(message) = wire.receive(self.number, now) {
            self.receive(&message, terms);
        }
        if self.clock >= self.next_round {
            self.send(wire, terms);
            self.inbox.retry(self.table, false);
            self.interval = self.max_interval.min(2 * self.interval);
            self.next_round = self.clock + self.interval;
        }
        let next = now + LOOK_INTERVAL;
        while terms.simulations_left.get() > 0 && self.clock < next {
            terms.simulations_left.update(|left| left - 1);
            self.simulate(&terms.costs);
        }
        self.close(wire, terms);
        if self.is_complete(terms) {
            self.inbox.retry(self.table, true);
            self.search.finish();
            return None;
        }
        Some(next.max(self.clock))
    }

    /// Returns true if the rank has sent and received everything.
    fn is_complete(&self, terms: &Terms<'_>) -> bool {
        self.senders.is_empty()
            && terms.simulations_left.get() == 0
            && self.outgoing.iter().all(|it| it.is_closed)
    }

    /// Returns the time up to which the rank has run.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Reports the statistics of the root.
    pub fn report(&self) -> Report {
        self.search.report()
    }

    fn take_time(&mut self, time: u64) {
        self.clock += time;
        self.message_time += time;
    }

    fn simulate(&mut self, costs: &Costs) {
        self.search.simulate();
        let records = self.journal.take();
        for JournalRecord { key, change } in &records {
            self.clock += match change {
                Change::Edge(_) => costs.step,
                Change::Playout(_) => costs.playout,
                Change::Page(place) => {
                    self.evaluations.push((*key, *place));
                    costs.evaluation
                }
                Change::Leaf | Change::Bounds => 0,
            };
        }
        self.outgoing.iter_mut().for_each(|it| it.outbox.add(&records));
    }

    fn receive(&mut self, message: &Message, terms: &Terms<'_>) {
        self.take_time(terms.network.message());
        let positions = read_increments(&message.bytes).unwrap_or_default();
        self.take_time(cost(terms.costs.apply, &positions));
        let forwards = |it: &Outgoing| it.route.forwarded.contains(&message.from);
        if self.outgoing.iter().any(forwards) {
            let records: Vec<JournalRecord> = positions.iter().flat_map(records_of).collect();
            let onward = self.outgoing.iter_mut().filter(|it| forwards(it));
            onward.for_each(|it| it.outbox.add(&records));
        }
        self.inbox.add(self.table, positions);
        if message.is_last {
            self.senders.remove(&message.from);
        }
    }

    /// Sends the new increments of all routes.
    fn send(&mut self, wire: &mut Wire, terms: &Terms<'_>) {
        (0..self.outgoing.len()).for_each(|at| self.send_on(at, false, wire, terms));
    }

    /// Sends the last message of each route that nothing can follow on.
    fn close(&mut self, wire: &mut Wire, terms: &Terms<'_>) {
        for at in 0..self.outgoing.len() {
            let it = &self.outgoing[at];
            let can_follow = terms.simulations_left.get() > 0
                || it.route.forwarded.iter().any(|from| self.senders.contains(from));
            if !it.is_closed && !can_follow {
                self.send_on(at, true, wire, terms);
                self.outgoing[at].is_closed = true;
            }
        }
    }

    fn send_on(&mut self, at: usize, is_last: bool, wire: &mut Wire, terms: &Terms<'_>) {
        if self.outgoing[at].is_closed {
            return;
        }
        let positions = self.outgoing[at].outbox.take(self.table, self.root);
        if positions.is_empty() && !is_last {
            return;
        }
        self.take_time(cost(terms.costs.make, &positions));
        let bytes: Rc<[u8]> = write_increments(positions).into();
        let message = Message { from: self.number, bytes, is_last };
        for number in 0..self.outgoing[at].route.to.len() {
            self.take_time(terms.network.message());
            wire.send(&message, self.outgoing[at].route.to[number], self.clock);
        }
    }
}

/// Returns the cost of increments, of those for each position and for each page.
fn cost([of_position, of_page]: [u64; 2], positions: &[PositionIncrement]) -> u64 {
    let pages: usize = positions.iter().map(|it| it.pages.len()).sum();
    of_position * positions.len() as u64 + of_page * pages as u64
}

/// Returns an increment as the records of a journal, to be sent on with the values of the own table.
fn records_of(increment: &PositionIncrement) -> Vec<JournalRecord> {
    let PositionIncrement { key, visits, leaf_playouts, bounds, edges, pages, .. } = increment;
    let edges = edges.iter().flat_map(|it| vec![Change::Edge(it.number); it.visits as usize]);
    let mut changes: Vec<Change> = edges.collect();
    let mut half_points = leaf_playouts.half_points;
    for _ in 0..leaf_playouts.visits {
        let result = half_points.min(2);
        half_points -= result;
        changes.push(Change::Playout(result as u8));
    }
    let leaves = (*visits as usize).saturating_sub(changes.len());
    changes.extend(vec![Change::Leaf; leaves]);
    changes.extend(pages.iter().map(|page| Change::Page(page.order)));
    changes.extend(bounds.map(|_| Change::Bounds));
    changes.into_iter().map(|change| JournalRecord { key: *key, change }).collect()
}
