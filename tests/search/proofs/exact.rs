//! Exact values of tiny boards, computed from [`NaiveBoard`] and without the engine.
//!
//! [`Solver`] takes the whole state into account under superko, the set of all earlier positions included;
//! [`without_cycles`] returns the values that each side can reach in finitely many moves under the simple ko rule.

use crate::common::naive::NaiveBoard;
use std::collections::{BTreeSet, HashMap};
use tewari::base::game::Player;
use tewari::base::zobrist::mix;
use tewari::go::{KoRule, Rules};

/// A board as a number in base 3, point 0 last: 0 is empty, 1 Black, 2 White.
type BoardNumber = u32;

/// The result of placing a stone.
#[derive(Clone, Copy)]
struct Played {
    board: BoardNumber,
    ko: Option<usize>,
    suicide: bool,
}

/// All boards of a size, their scores, and the result of every stone placed on them.
pub(crate) struct Tables {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) points: usize,
    scores: Vec<i32>,
    /// `plays[board][player][point]`; `None` if the point is occupied.
    plays: Vec<[Vec<Option<Played>>; 2]>,
}

impl Tables {
    pub(crate) fn new(columns: usize, rows: usize) -> Tables {
        let points = columns * rows;
        let boards: Vec<_> = (0..3_u32.pow(points as u32))
            .map(|number| NaiveBoard {
                columns,
                rows,
                cells: (0..points).map(|at| cell(number, at)).collect(),
            })
            .collect();
        let plays = |board: &NaiveBoard| {
            Player::BOTH.map(|player| {
                let play = |at: usize| {
                    let play = board.cells[at].is_none().then(|| board.play(at, player))?;
                    let suicide = !play.suicides.is_empty();
                    Some(Played { board: number(&play.board), ko: play.ko, suicide })
                };
                (0..points).map(play).collect()
            })
        };
        let is_legal = |board: &NaiveBoard| {
            (0..points).all(|at| board.cells[at].is_none() || !board.group(at).1.is_empty())
        };
        let plays = boards.iter().map(|board| {
            if is_legal(board) { plays(board) } else { [vec![None; points], vec![None; points]] }
        });
        Tables {
            columns,
            rows,
            points,
            plays: plays.collect(),
            scores: boards.iter().map(NaiveBoard::area_score).collect(),
        }
    }
}

fn cell(number: BoardNumber, at: usize) -> Option<Player> {
    [None, Some(Player::Black), Some(Player::White)][(number / 3_u32.pow(at as u32) % 3) as usize]
}

fn number(board: &NaiveBoard) -> BoardNumber {
    board.cells.iter().rev().fold(0, |number, cell| 3 * number + cell.map_or(0, |p| p.index() as u32 + 1))
}

/// The complete state of a game, except for earlier positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct State {
    pub(crate) board: BoardNumber,
    pub(crate) to_play: Player,
    pub(crate) ko: Option<usize>,
    pub(crate) passes: u8,
}

impl State {
    pub(crate) const START: State = State { board: 0, to_play: Player::Black, ko: None, passes: 0 };

    /// Returns the state after a stone at `at`, or after a pass; `None` if the move is illegal with every history.
    fn after(&self, tables: &Tables, rules: Rules, at: Option<usize>) -> Option<State> {
        let to_play = self.to_play.other();
        let Some(at) = at else {
            return Some(State { to_play, ko: None, passes: self.passes + 1, ..*self });
        };
        let played = tables.plays[self.board as usize][self.to_play.index()][at]?;
        let is_legal = self.ko != Some(at) && (rules.suicide || !played.suicide);
        is_legal.then_some(State { board: played.board, to_play, ko: played.ko, passes: 0 })
    }

    /// Returns the part of the state that superko compares.
    fn superko(&self, rules: Rules) -> u32 {
        match rules.ko {
            KoRule::Simple => 0,
            KoRule::Positional => 2 * self.board,
            KoRule::Situational => 2 * self.board + self.to_play.index() as u32,
        }
    }
}

/// A state, and the set of positions that led to it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) state: State,
    pub(crate) seen: BTreeSet<u32>,
}

impl Line {
    pub(crate) fn new(rules: Rules) -> Line {
        Line { state: State::START, seen: BTreeSet::from([State::START.superko(rules)]) }
    }

    /// Returns the line after a move; `None` if the move is illegal.
    pub(crate) fn after(&self, tables: &Tables, rules: Rules, at: Option<usize>) -> Option<Line> {
        let state = self.state.after(tables, rules, at)?;
        let mut seen = self.seen.clone();
        let is_new = seen.insert(state.superko(rules));
        (is_new || at.is_none() || rules.ko == KoRule::Simple).then_some(Line { state, seen })
    }

    /// Returns the legal moves, pass last.
    pub(crate) fn moves(&self, tables: &Tables, rules: Rules) -> Vec<Option<usize>> {
        let all = (0..tables.points).map(Some).chain([None]);
        all.filter(|&at| self.after(tables, rules, at).is_some()).collect()
    }
}

/// A brute-force solver of positions with their whole history.
pub(crate) struct Solver<'t> {
    pub(crate) tables: &'t Tables,
    pub(crate) rules: Rules,
    /// Results by state, set of positions seen (as a sum of random numbers) and wanted score.
    known: HashMap<(State, u128, i32), bool>,
    seen: Vec<bool>,
    seen_sum: u128,
    /// Maximum number of states visited for one question.
    pub(crate) patience: u64,
    left: u64,
}

/// Maximum number of stored results.
const MEMORY: usize = 3_000_000;

impl<'t> Solver<'t> {
    pub(crate) fn new(tables: &'t Tables, rules: Rules) -> Solver<'t> {
        assert_ne!(rules.ko, KoRule::Simple, "without superko games may not end");
        let seen = vec![false; 2 * tables.scores.len()];
        Solver { tables, rules, known: HashMap::new(), seen, seen_sum: 0, patience: 3_000_000, left: 0 }
    }

    /// Returns true if Black gets at least `wanted`; `None` if the solver gives up.
    pub(crate) fn black_gets(&mut self, line: &Line, wanted: i32) -> Option<bool> {
        let points = self.tables.points as i32;
        if wanted <= -points || wanted > points {
            return Some(wanted <= -points);
        }
        if self.known.len() > MEMORY {
            self.known.clear();
        }
        self.seen.fill(false);
        self.seen_sum = 0;
        for &superko in &line.seen {
            self.mark(superko, true);
        }
        self.left = self.patience;
        self.solve(line.state, wanted)
    }

    /// Returns the exact score; `None` if the solver gives up.
    pub(crate) fn value(&mut self, line: &Line) -> Option<i32> {
        let points = self.tables.points as i32;
        for wanted in -points + 1..=points {
            if !self.black_gets(line, wanted)? {
                return Some(wanted - 1);
            }
        }
        Some(points)
    }

    fn mark(&mut self, superko: u32, seen: bool) {
        self.seen[superko as usize] = seen;
        let random = mix(u64::from(superko));
        let random = u128::from(random) << 64 | u128::from(mix(random));
        self.seen_sum =
            if seen { self.seen_sum.wrapping_add(random) } else { self.seen_sum.wrapping_sub(random) };
    }

    fn solve(&mut self, state: State, wanted: i32) -> Option<bool> {
        if state.passes == 2 {
            return Some(self.tables.scores[state.board as usize] >= wanted);
        }
        let question = (state, self.seen_sum, wanted);
        if let Some(&answer) = self.known.get(&question) {
            return Some(answer);
        }
        self.left = self.left.checked_sub(1)?;
        let hope = state.to_play == Player::Black;
        let mut answer = !hope;
        // Pass first: the shortest games are the cheapest.
        for at in std::iter::once(None).chain((0..self.tables.points).map(Some)) {
            let Some(next) = state.after(self.tables, self.rules, at) else { continue };
            let superko = next.superko(self.rules);
            let is_new = !self.seen[superko as usize];
            if !is_new && at.is_some() {
                continue;
            }
            if is_new {
                self.mark(superko, true);
            }
            let result = self.solve(next, wanted);
            if is_new {
                self.mark(superko, false);
            }
            if result? == hope {
                answer = hope;
                break;
            }
        }
        self.known.insert(question, answer);
        Some(answer)
    }
}

/// Returns, for every state under the simple ko rule, the scores that Black and White can force in finitely many moves.
/// White's is never below Black's.
pub(crate) fn without_cycles(tables: &Tables, rules: Rules) -> HashMap<State, (i32, i32)> {
    assert_eq!(rules.ko, KoRule::Simple);
    let points = tables.points as i32;
    let mut states = vec![State::START];
    let mut numbers = HashMap::from([(State::START, 0)]);
    let mut children: Vec<Vec<usize>> = Vec::new();
    while children.len() < states.len() {
        let state = states[children.len()];
        let moves = (0..tables.points).map(Some).chain([None]);
        let next = moves.filter(|_| state.passes < 2).filter_map(|at| state.after(tables, rules, at));
        let numbered = next.map(|next| {
            *numbers.entry(next).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            })
        });
        let numbered = numbered.collect();
        children.push(numbered);
    }
    let fixpoint = |unfinished: i32| {
        let start = |state: &State| {
            if state.passes == 2 { tables.scores[state.board as usize] } else { unfinished }
        };
        let mut values: Vec<i32> = states.iter().map(start).collect();
        loop {
            let mut changed = false;
            // Backwards, since children mostly have larger numbers.
            for number in (0..states.len()).rev().filter(|&number| states[number].passes < 2) {
                let results = children[number].iter().map(|&child| values[child]);
                let value =
                    if states[number].to_play == Player::Black { results.max() } else { results.min() };
                let value = value.expect("pass is always legal");
                changed |= values[number] != value;
                values[number] = value;
            }
            if !changed {
                return values;
            }
        }
    };
    let (low, high) = (fixpoint(-points), fixpoint(points));
    states.iter().enumerate().map(|(number, &state)| (state, (low[number], high[number]))).collect()
}
