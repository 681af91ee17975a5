//! The exchange against a ledger: searches of several tables in turns, with messages that arrive late and in any order
//! between different ranks.

use super::inbox::Inbox;
use super::message::{Increments, Message, RankCounts};
use super::outbox::Outbox;
use crate::base::game::Game;
use crate::base::rng::PlayoutRng;
use crate::go::{KeyPolicy, Komi, Position, Rules, Size};
use crate::search::policy::Preset;
use crate::search::{Change, Journal, Limits, Search, SearchParameters};
use crate::table::{Shape, Table};
use std::collections::{HashMap, VecDeque};

/// Visits by key and move number.
type Ledger = HashMap<(u64, u16), u32>;

/// A rank with its table, and the messages on their way to it from each rank.
struct Rank {
    table: Table,
    outbox: Outbox,
    inbox: Inbox,
    /// Visits of edges by own simulations.
    own: Ledger,
    simulations: u64,
    arriving: Vec<VecDeque<Vec<u8>>>,
}

impl Rank {
    fn new(shape: Shape, ranks: usize, min_visits: u32) -> Rank {
        Rank {
            table: Table::new(shape, 16 << 20).expect("a table"),
            outbox: Outbox::new(min_visits),
            inbox: Inbox::default(),
            own: Ledger::new(),
            simulations: 0,
            arriving: vec![VecDeque::new(); ranks],
        }
    }

    /// Runs a few simulations and writes them into the ledger and the outbox.
    fn search(&mut self, root: &Position, seed: u64, simulations: u64) {
        let journal = Journal::default();
        let parameters = SearchParameters { seed, expand_at: 2, ..SearchParameters::default() };
        let limits = Limits { simulations: Some(simulations), ..Limits::default() };
        let policy = Preset::default().policy(1_000);
        let search = Search::new(&self.table, policy, parameters).with_journal(&journal, 2);
        self.simulations += search.run(root, limits, &mut |_| true).simulations;
        let records = journal.take();
        for record in &records {
            if let Change::Edge(number) = record.change {
                *self.own.entry((record.key, number)).or_default() += 1;
            }
        }
        self.outbox.add(&records);
    }

    /// Receives one message of each sender, if `is_prompt` says so.
    fn receive(&mut self, mut is_prompt: impl FnMut() -> bool) {
        for queue in &mut self.arriving {
            if !queue.is_empty() && is_prompt() {
                let bytes = queue.pop_front().expect("a message");
                let Ok(Message::Increments(increments)) = Message::read(&bytes) else { panic!("no message") };
                self.inbox.add(&self.table, increments.positions);
            }
        }
        self.inbox.retry(&self.table, false);
    }

    fn visits(&self, (key, number): (u64, u16)) -> u32 {
        let first = self.table.find(key).and_then(|entry| self.table.page(&entry));
        let mut pages = first.into_iter().flat_map(|first| self.table.chain(first));
        pages.find_map(|page| Some(page.edge(page.index_of(number)?).visits())).unwrap_or(0)
    }
}

fn send(ranks: &mut [Rank], root: u64, from: usize) {
    let Rank { table, outbox, .. } = &mut ranks[from];
    let positions = outbox.take(table, root);
    let increments = Increments { number: 1, counts: RankCounts::default(), is_last: false, positions };
    let bytes = increments.bytes();
    for to in (0..ranks.len()).filter(|to| *to != from) {
        ranks[to].arriving[from].push_back(bytes.clone());
    }
}

/// Runs ranks with random turns until everything has been delivered.
fn run(case: u64, is_ranked: bool, min_visits: u32) -> (Position, Vec<Rank>) {
    let mut rng = PlayoutRng::new(case, 1);
    let rules = if case.is_multiple_of(2) {
        Rules::CHINESE
    } else {
        "ko=simple,suicide=no,scoring=area".parse().expect("rules")
    };
    let side = 2 + rng.below(3);
    let mut root = Position::new(Size::new(side, 3).expect("a size"), rules, Komi(3));
    root.set_key_policy(KeyPolicy::Recent);
    let shape = Shape { moves: root.move_count(), ranked: is_ranked, policy_state: false };
    let count = 2 + rng.below(3);
    let mut ranks: Vec<Rank> = (0..count).map(|_| Rank::new(shape, count, min_visits)).collect();
    for turn in 0..60 {
        let at = rng.below(count);
        ranks[at].search(&root, case << 32 | turn, 1 + rng.below(40) as u64);
        if rng.below(3) > 0 {
            send(&mut ranks, root.key(), at);
        }
        let to = rng.below(count);
        ranks[to].receive(|| rng.below(2) > 0);
    }
    (0..count).for_each(|from| send(&mut ranks, root.key(), from));
    for rank in &mut ranks {
        while rank.arriving.iter().any(|queue| !queue.is_empty()) {
            rank.receive(|| true);
        }
        rank.inbox.retry(&rank.table, true);
    }
    (root, ranks)
}

/// Returns the visits of every edge that rank `to` should have: all but those that wait in the outboxes of others.
fn expected(ranks: &[Rank], to: usize) -> Ledger {
    let mut all = Ledger::new();
    for rank in ranks {
        rank.own.iter().for_each(|(&place, visits)| *all.entry(place).or_default() += visits);
    }
    for (_, rank) in ranks.iter().enumerate().filter(|(number, _)| *number != to) {
        for (key, own) in rank.outbox.waiting() {
            own.edges.iter().for_each(|(number, visits)| *all.entry((key, *number)).or_default() -= visits);
        }
    }
    all
}

#[test]
fn every_simulation_is_counted_once_in_every_table() {
    for case in 0..24 {
        for (is_ranked, min_visits) in [(true, 1), (true, 4), (false, 4)] {
            let (root, ranks) = run(case, is_ranked, min_visits);
            let all: u64 = ranks.iter().map(|rank| rank.simulations).sum();
            for (number, rank) in ranks.iter().enumerate() {
                let name =
                    format!("case {case}, rank {number}, ranked {is_ranked}, from {min_visits} visits");
                let total = rank.table.find(root.key()).expect("the root").total();
                assert_eq!(u64::from(total.visits), all, "{name}: visits of the root");
                for (place, visits) in expected(&ranks, number) {
                    assert_eq!(rank.visits(place), visits, "{name}: edge {place:?}");
                }
            }
        }
    }
}

#[test]
fn values_and_proofs_agree_in_all_tables() {
    let mut differences = Vec::new();
    for case in 0..24 {
        let (root, mut ranks) = run(case, true, 1);
        // A backup computes the value of the root from those of the children.
        ranks.iter_mut().for_each(|rank| rank.search(&root, case, 4));
        let roots = ranks.iter().map(|rank| {
            let policy = Preset::default().policy(1_000);
            Search::new(&rank.table, policy, SearchParameters::default()).look_up(&root).root
        });
        let roots: Vec<_> = roots.collect();
        for other in &roots[1..] {
            match (roots[0].proven, other.proven) {
                (Some(one), Some(other)) => assert_eq!(one, other, "case {case}"),
                (None, None) => {
                    differences.push((roots[0].value.as_f64() - other.value.as_f64()).abs());
                }
                // The proof of one rank has not reached the other when all have stopped.
                _ => {}
            }
        }
    }
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    assert!(mean < 0.05 && differences.iter().all(|it| *it < 0.25), "{differences:?}");
}
