//! Storing searches of other programs in the table.
//!
//! A search is stored as if it had been run here: visits and values at the edges, the evaluator's estimate at the first page,
//! and the position's visits, at least one more than those of its edges. A position that has as many visits already is left
//! as it is, so that storing a search again changes nothing.

use super::Engine;
use crate::base::game::{Game, Move, Player, Prior};
use crate::base::recorded_analysis::RecordedAnalysis;
use crate::base::value::{Estimate, Value};
use crate::go::Position;
use crate::search::policy::Puct;
use crate::table::{
    Counters, Entry, LeafPlayouts, Page, PageEvaluation, ProtectedPath, ScoreMean, VisitsAndValue,
};

/// Maximum weight of the score of a search, in samples; a page stores no larger one.
const MAX_SCORE_WEIGHT: f64 = 4_000.0;
/// Maximum number of attempts to claim a page for a position.
const MAX_CLAIMS: usize = 3;

/// The result of storing an imported search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// The search was stored; the position has `visits` now.
    Stored {
        /// Visits of the position.
        visits: u32,
    },
    /// The position has as many visits already, or more.
    Known,
    /// The search has neither moves with visits nor a policy, from which a later search could go on.
    NoMoves,
    /// The search has visits of a move that is illegal in the position.
    IllegalMove(Move),
    /// The table has no room for the position.
    NoRoom,
}

impl Engine {
    /// Stores a search of any position of the engine's board size in the table. The position needs the engine's key policy
    /// from the start of its history.
    pub fn import(&mut self, mut position: Position, search: &RecordedAnalysis) -> ImportOutcome {
        self.prepare(&mut position);
        let mut legal = vec![None; position.size().points() + 1];
        position.fill_legal(&mut legal);
        let tried = || search.moves.iter().filter(|it| it.visits > 0);
        if let Some(it) = tried().find(|it| legal.get(it.mv.index()).is_none_or(Option::is_none)) {
            return ImportOutcome::IllegalMove(it.mv);
        }
        if search.policy.is_none() && tried().next().is_none() {
            return ImportOutcome::NoMoves;
        }
        let (key, mut counters) = (position.key(), Counters::default());
        if self.table.find(key).is_some_and(|entry| entry.total().visits >= search.visits) {
            return ImportOutcome::Known;
        }
        let import = Import { engine: self, position: &position, search, priors: priors(search, legal) };
        import
            .store(key, &mut counters)
            .map_or(ImportOutcome::NoRoom, |visits| ImportOutcome::Stored { visits })
    }
}

/// A search that is being stored in the table.
struct Import<'e> {
    engine: &'e Engine,
    position: &'e Position,
    search: &'e RecordedAnalysis,
    priors: Vec<Option<Prior>>,
}

impl<'e> Import<'e> {
    /// Stores the search and returns the visits of the position; `None` if the table has no room.
    fn store(&self, key: u64, counters: &mut Counters) -> Option<u32> {
        let table = &self.engine.table;
        let keys = [key];
        let protected = ProtectedPath { keys: &keys };
        let entry = table.find_or_claim(key, protected, counters)?;
        table.replace_lost_page(&entry, counters);
        let evaluation = self.evaluation();
        let mut claim =
            || table.claim_evaluated_page(&entry, || (&self.priors, evaluation), protected, counters);
        let first = (0..MAX_CLAIMS).find_map(|_| claim())?;
        let visits = self.raised_visits(&first);
        let through_moves: u64 = visits.iter().map(|visits| u64::from(*visits)).sum();
        let total = u32::try_from(through_moves + 1).unwrap_or(u32::MAX).max(self.search.visits);
        // The position's visits come first: it never has fewer than its edges.
        let value = self.value(self.search.black_win_rate, self.position.to_play());
        entry.seed(LeafPlayouts::default(), VisitsAndValue { visits: total, value });
        self.add_score(&first);
        let generation = table.generation();
        first.mark_used(total, generation);
        while self.is_without_an_edge(&first)
            && table.claim_next_page(&first, || Some(&self.priors), protected, counters)
        {}
        self.add_visits(&entry, &first, &visits);
        for page in table.chain(first).skip(1) {
            page.mark_used(page.edges().map(|edge| edge.visits()).sum(), generation);
        }
        Some(total)
    }

    /// Returns the visits of each move by move number: those of the search, or those in the table if they are more.
    fn raised_visits(&self, first: &Page<'e>) -> Vec<u32> {
        let mut visits = vec![0; self.priors.len()];
        for it in &self.search.moves {
            visits.get_mut(it.mv.index()).into_iter().for_each(|visits| *visits = it.visits);
        }
        for (number, edge) in
            self.engine.table.chain(*first).flat_map(|page| page.moves().collect::<Vec<_>>())
        {
            let visits = &mut visits[usize::from(number)];
            *visits = edge.visits().max(*visits);
        }
        visits
    }

    /// Returns true if a move with visits is on no page yet.
    fn is_without_an_edge(&self, first: &Page<'e>) -> bool {
        let pages: Vec<Page<'e>> = self.engine.table.chain(*first).collect();
        let is_listed = |number: u16| pages.iter().any(|page| page.index_of(number).is_some());
        self.search.moves.iter().any(|it| it.visits > 0 && !is_listed(it.mv.0))
    }

    /// Raises the visits of edges to those of the search and replaces their values.
    fn add_visits(&self, entry: &Entry<'e>, first: &Page<'e>, visits: &[u32]) {
        let table = &self.engine.table;
        let pages: Vec<Page<'e>> = table.chain(*first).collect();
        for it in &self.search.moves {
            let Some((page, index)) = pages.iter().find_map(|page| Some((page, page.index_of(it.mv.0)?)))
            else {
                continue;
            };
            let more = visits[it.mv.index()].saturating_sub(page.edge(index).visits());
            if more > 0 {
                let value = self.value(it.black_win_rate, self.position.to_play());
                table.add_visits(entry, page, index, more, value);
            }
        }
    }

    /// Returns a win rate of Black as the value for `player`.
    fn value(&self, black_win_rate: f64, player: Player) -> Value {
        let win_rate = if player == Player::Black { black_win_rate } else { 1.0 - black_win_rate };
        Value((win_rate.clamp(0.0, 1.0) * f64::from(u32::MAX)) as u32)
    }

    /// Returns the evaluator's estimates of value and score.
    fn evaluation(&self) -> PageEvaluation {
        let win_rate = self.search.network_win_rate.unwrap_or(self.search.black_win_rate);
        let value = self.value(win_rate, self.position.to_play());
        let lead = self.search.network_lead.or(self.search.black_lead);
        PageEvaluation {
            estimate: Some(Estimate { value, weight: 1 }),
            score: lead.map(|lead| self.score(lead, 1.0)),
        }
    }

    /// Stores the score of the search as the mean of its visits, on a page without samples.
    fn add_score(&self, first: &Page<'e>) {
        let weight = f64::from(self.search.visits.saturating_sub(1)).min(MAX_SCORE_WEIGHT);
        if let Some(lead) = self.search.black_lead.filter(|_| weight > 0.0 && first.sampled_score().is_none())
        {
            first.add_score_sample(self.score(lead, weight));
        }
    }

    /// Returns a lead of Black as a score: Black's points before komi.
    fn score(&self, lead: f64, weight: f64) -> ScoreMean {
        let points = self.position.size().points() as f64;
        ScoreMean {
            mean: (lead + self.position.score_komi().points()).clamp(-points, points),
            deviation: self.search.score_deviation.unwrap_or(0.0).clamp(0.0, points),
            weight,
        }
    }
}

/// Returns the priors of legal moves, `None` for the others: from the policy, or from the moves' priors with the rest of the
/// probability spread evenly, or in proportion to visits.
fn priors(search: &RecordedAnalysis, legal: Vec<Option<Prior>>) -> Vec<Option<Prior>> {
    let probabilities = match &search.policy {
        Some(policy) => policy.iter().map(|it| it.unwrap_or(0.0)).collect(),
        None => spread(search, &legal),
    };
    let number = |index: usize| probabilities.get(index).copied().unwrap_or(0.0);
    let prior =
        |(index, legal): (usize, Option<Prior>)| legal.map(|_| Puct::prior_from_probability(number(index)));
    legal.into_iter().enumerate().map(prior).collect()
}

/// Returns a probability of each move: its prior, or without any its share of the visits; what remains of 1 is spread evenly
/// over the other legal moves.
fn spread(search: &RecordedAnalysis, legal: &[Option<Prior>]) -> Vec<f32> {
    let has_priors = search.moves.iter().any(|it| it.prior.is_some());
    let visits: f32 = search.moves.iter().map(|it| it.visits as f32).sum();
    let mut probabilities = vec![None; legal.len()];
    for it in &search.moves {
        let share = if has_priors { it.prior } else { Some(it.visits as f32 / visits.max(1.0)) };
        if let (Some(place), Some(share)) = (probabilities.get_mut(it.mv.index()), share) {
            *place = Some(share);
        }
    }
    let named: f32 = probabilities.iter().flatten().sum();
    let others =
        probabilities.iter().zip(legal).filter(|(known, legal)| known.is_none() && legal.is_some()).count();
    let each = (1.0 - named).max(0.0) / others.max(1) as f32;
    probabilities.into_iter().map(|known| known.unwrap_or(each)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::memory::MemoryBudget;
    use crate::base::recorded_analysis::RecordedMove;
    use crate::engine::EngineOptions;
    use crate::external::ExternalEvaluator;
    use crate::go::{KeyPolicy, Size};
    use crate::search::Limits;
    use crate::search::policy::Preset;
    use std::sync::Arc;

    fn engine() -> Engine {
        let options = EngineOptions {
            size: Size::new(5, 5).expect("a size"),
            policy: Preset::for_evaluators(),
            keys: KeyPolicy::Plain,
            networks: None,
            external: Some(Arc::new(ExternalEvaluator::new("/nowhere/katago", Some("small")))),
            memory: MemoryBudget::Table(1 << 20),
            ..EngineOptions::default()
        };
        Engine::new(options).expect("an engine")
    }

    fn mv(vertex: &str, visits: u32, black_win_rate: f64, prior: Option<f32>) -> RecordedMove {
        let mv = Size::new(5, 5).expect("a size").parse_vertex(vertex).expect("a vertex");
        RecordedMove { mv, visits, black_win_rate, prior }
    }

    fn search(visits: u32, moves: Vec<RecordedMove>) -> RecordedAnalysis {
        RecordedAnalysis {
            to_play: Player::Black,
            visits,
            black_win_rate: 0.625,
            black_lead: Some(2.5),
            score_deviation: Some(6.0),
            network_win_rate: None,
            network_lead: None,
            moves,
            policy: None,
        }
    }

    fn edge_visits(engine: &Engine) -> Vec<(String, u64)> {
        let report = engine.look_up(engine.position().clone());
        report.moves.iter().map(|it| (engine.position().size().vertex(it.mv), it.edge_visits)).collect()
    }

    #[test]
    fn a_stored_search_is_reported_without_a_question() {
        let mut engine = engine();
        let moves =
            vec![mv("C3", 60, 0.65, Some(0.5)), mv("B2", 30, 0.55, Some(0.001)), mv("A1", 9, 0.25, None)];
        let position = engine.position().clone();
        let imported = search(100, moves);
        assert_eq!(engine.import(position.clone(), &imported), ImportOutcome::Stored { visits: 100 });
        let limits = Limits { visits: Some(100), ..Limits::default() };
        let report = engine.search_position(position.clone(), limits, &mut |_| true).expect("a report");
        assert_eq!((report.root.visits, report.simulations), (100, 0));
        assert!((report.root.value.as_f64() - 0.625).abs() < 1e-6);
        let (score, deviation) = report.root.score().expect("a score");
        assert!((score - 10.0).abs() < 0.01 && (deviation - 6.0).abs() < 0.01, "{score} {deviation}");
        let expected =
            [("C3", 60), ("B2", 30), ("A1", 9)].map(|(vertex, visits)| (vertex.to_owned(), visits));
        assert_eq!(edge_visits(&engine), expected);
        assert_eq!(engine.import(position, &imported), ImportOutcome::Known);
        assert_eq!(edge_visits(&engine), expected);
        assert_eq!(engine.table().scan(&mut |_| {}).faults, 0);
    }

    #[test]
    fn a_search_raises_visits_and_never_lowers_them() {
        let mut engine = engine();
        let position = engine.position().clone();
        engine
            .import(position.clone(), &search(100, vec![mv("C3", 60, 0.65, None), mv("B2", 39, 0.55, None)]));
        let fewer = search(50, vec![mv("C3", 49, 0.1, None)]);
        assert_eq!(engine.import(position.clone(), &fewer), ImportOutcome::Known);
        let other = search(120, vec![mv("C3", 20, 0.1, None), mv("D4", 99, 0.75, None)]);
        assert_eq!(engine.import(position, &other), ImportOutcome::Stored { visits: 199 });
        let mut visits = edge_visits(&engine);
        visits.sort();
        assert_eq!(
            visits,
            [("B2", 39), ("C3", 60), ("D4", 99)].map(|(vertex, visits)| (vertex.to_owned(), visits))
        );
        assert_eq!(engine.table().scan(&mut |_| {}).faults, 0);
    }

    #[test]
    fn what_does_not_fit_a_position_is_not_stored() {
        let mut engine = engine();
        assert_eq!(
            engine.import(engine.position().clone(), &search(100, Vec::new())),
            ImportOutcome::NoMoves
        );
        let position = engine.position().clone();
        let mut after = position.clone();
        after.try_play(mv("C3", 0, 0.5, None).mv).expect("legal");
        let occupied = mv("C3", 5, 0.5, None);
        assert_eq!(
            engine.import(after, &search(9, vec![occupied.clone()])),
            ImportOutcome::IllegalMove(occupied.mv)
        );
        assert_eq!(engine.table().census().entries_used, 0);
    }

    #[test]
    fn a_full_table_takes_the_searches_that_it_has_room_for() {
        let mut options = engine().options().clone();
        options.memory = MemoryBudget::Table(16 << 10);
        let mut engine = Engine::new(options).expect("an engine");
        let size = engine.position().size();
        for number in 0..25 * 24 {
            let mut position = engine.position().clone();
            position.try_play(Move(number % 25)).expect("legal");
            let second = position.try_play(Move(number / 25)).is_ok();
            let all = (0..25).filter(|it| *it != number % 25 && (!second || *it != number / 25));
            let moves = all.map(|it| mv(&size.vertex(Move(it)), 4, 0.5, None)).collect();
            engine.import(position, &search(200, moves));
        }
        let scan = engine.table().scan(&mut |_| {});
        assert_eq!(scan.faults, 0, "{:?}", scan.described);
        assert!(scan.entries > 50);
    }

    #[test]
    fn priors_come_from_the_policy_or_the_moves_or_their_visits() {
        let legal = || vec![Some(Prior::default()), Some(Prior::default()), None, Some(Prior::default())];
        let probabilities = |moves: Vec<RecordedMove>| spread(&search(9, moves), &legal());
        let numbered = |number: u16, visits, prior| RecordedMove {
            mv: Move(number),
            visits,
            black_win_rate: 0.5,
            prior,
        };
        let near = |found: Vec<f32>, expected: [f32; 4]| {
            let is_near = found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6);
            assert!(is_near, "{found:?}");
        };
        near(probabilities(vec![numbered(0, 5, Some(0.5))]), [0.5, 0.25, 0.25, 0.25]);
        near(probabilities(vec![numbered(0, 6, None), numbered(3, 2, None)]), [0.75, 0.0, 0.0, 0.25]);
        let with_policy = RecordedAnalysis {
            policy: Some(vec![Some(0.25), None, Some(0.75), Some(0.0)]),
            ..search(9, Vec::new())
        };
        let wins: Vec<Option<u8>> =
            priors(&with_policy, legal()).iter().map(|it| it.map(|it| it.wins)).collect();
        assert_eq!(wins, [Some(100), Some(0), None, Some(0)]);
    }
}
