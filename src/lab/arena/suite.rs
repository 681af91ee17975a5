//! Test suites: positions with good and bad moves, or with a known winner.

use super::store::GameRecordRow;
use crate::base::game::Player;
use crate::base::zobrist::mix;
use crate::engine::{Engine, EngineError, EngineOptions};
use crate::go::position::IllegalMove;
use crate::go::{Komi, Position, Record, Size};
use crate::search::{Limits, Report};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Value of the root below which a test that expects `resign` is passed.
const RESIGN_BELOW: f64 = 0.1;

/// A test as written in its file. Points are vertices such as `D4`. Moves or a value must be expected.
#[derive(Clone, Debug, Deserialize)]
struct TestLine {
    id: String,
    size: usize,
    #[serde(default)]
    komi: Option<f64>,
    colour: String,
    #[serde(default)]
    moves: Vec<(String, String)>,
    /// GTP commands after the moves, such as `play black D4`.
    #[serde(default)]
    pre: Vec<String>,
    #[serde(default)]
    setup_black: Vec<String>,
    #[serde(default)]
    setup_white: Vec<String>,
    /// Black's stones in the intended position, with `white`.
    #[serde(default)]
    black: Option<Vec<String>>,
    #[serde(default)]
    white: Option<Vec<String>>,
    #[serde(default)]
    expected: Vec<String>,
    #[serde(default)]
    wrong: Vec<String>,
    /// `value_above` or `value_below`, with `threshold`.
    #[serde(default)]
    expect: Option<String>,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    tier: Option<String>,
    #[serde(default)]
    suite: Option<String>,
    #[serde(default)]
    ref_engine_known_fail: bool,
    #[serde(default)]
    rules_sensitive: bool,
}

/// The answer that a test expects.
#[derive(Clone, Debug, PartialEq)]
enum ExpectedAnswer {
    /// A move among the first (any, if empty) and not among the second.
    Move(Vec<String>, Vec<String>),
    /// A value for the player to move above (true) or below the threshold.
    Value(bool, f64),
}

/// A test ready to be searched.
#[derive(Clone)]
pub struct SuiteTest {
    /// Name, unique in the file.
    pub id: String,
    /// The line of the file.
    pub line: String,
    /// Group, such as `search9`.
    pub tier: String,
    /// Name of the suite; may be empty.
    pub suite: String,
    /// True if the engine that the suite was made for fails the test.
    pub is_known_fail: bool,
    /// True if the answer holds only under rules that this program does not play.
    pub is_rules_sensitive: bool,
    /// The move that superko forbids, if for this reason the intended stones are set up instead of reached by moves.
    pub forbidden_move: Option<String>,
    record: Record,
    to_play: Player,
    expected_answer: ExpectedAnswer,
}

/// An unusable file of tests.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: expected {expected}, found {found}", in_test(.id))]
pub struct SuiteError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The test's id, if readable.
    pub id: Option<String>,
    /// The expected content.
    pub expected: &'static str,
    /// The content found.
    pub found: String,
}

fn in_test(id: &Option<String>) -> String {
    id.as_ref().map_or_else(String::new, |id| format!(", test {id}"))
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestRow {
    /// Id of the test.
    pub id: String,
    /// Group of the test.
    pub tier: String,
    /// True if the engine that the suite was made for fails the test.
    pub known_fail: bool,
    /// The chosen move.
    #[serde(rename = "move")]
    pub mv: String,
    /// True if the test was passed.
    pub solved: bool,
    /// Visits of the root.
    pub visits: u64,
    /// Value of the root for the player to move.
    pub value: f64,
}

/// The result of a test in the folder of a shard, with the test's place in the whole suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberedTestRow {
    /// Number of the test among the selected ones, from 0.
    pub test: u64,
    /// The result.
    #[serde(flatten)]
    pub row: TestRow,
}

impl GameRecordRow for NumberedTestRow {
    const FILE: &'static str = "tests.jsonl";
    const UNIT: &'static str = "test";

    fn number(&self) -> u64 {
        self.test
    }
}

/// Reads tests, one JSON object per line. The rules are those of `options`, and its komi is the default.
///
/// # Errors
/// Returns the first unusable line.
pub fn read(text: &str, options: &EngineOptions) -> Result<Vec<SuiteTest>, SuiteError> {
    let mut tests = Vec::new();
    let mut names = BTreeSet::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fail = |id: Option<&String>, expected, found: String| SuiteError {
            line: index + 1,
            id: id.cloned(),
            expected,
            found,
        };
        let row: TestLine = serde_json::from_str(line).map_err(|error| {
            let found = error.to_string().replace(" at line 1 column", " at column");
            fail(None, "a test as a JSON object with id, size, colour and what is expected", found)
        })?;
        if !names.insert(row.id.clone()) {
            return Err(fail(None, "a different id for each test", format!("{:?} again", row.id)));
        }
        let id = row.id.clone();
        let test = row.into_test(line, options);
        tests.push(test.map_err(|(expected, found)| fail(Some(&id), expected, found))?);
    }
    Ok(tests)
}

/// The expected content and the content found.
type LineError = (&'static str, String);

impl TestLine {
    fn into_test(self, line: &str, options: &EngineOptions) -> Result<SuiteTest, LineError> {
        let size =
            Size::new(self.size, self.size).map_err(|error| ("a size from 1 to 19", error.to_string()))?;
        let komi = match self.komi {
            None => options.komi,
            Some(points) => Komi::from_points(points)
                .map_err(|_| ("a komi of half points within ±1000", points.to_string()))?,
        };
        let expected_answer = self.expected_answer(size)?;
        let to_play = player(&self.colour)?;
        let (record, forbidden_move) = self.record(size, komi, options)?;
        check_expected_moves(&self.expected, &record, to_play)?;
        Ok(SuiteTest {
            tier: self.tier.unwrap_or_else(|| format!("value{}", self.size)),
            id: self.id,
            line: line.trim().to_owned(),
            suite: self.suite.unwrap_or_default(),
            is_known_fail: self.ref_engine_known_fail,
            is_rules_sensitive: self.rules_sensitive,
            forbidden_move,
            record,
            to_play,
            expected_answer,
        })
    }

    fn expected_answer(&self, size: Size) -> Result<ExpectedAnswer, LineError> {
        let is_answer =
            |text: &&String| size.parse_vertex(text).is_some() || text.eq_ignore_ascii_case("resign");
        if let Some(other) = self.expected.iter().chain(&self.wrong).find(|text| !is_answer(text)) {
            return Err(("points of the board, pass or resign as answers", format!("{other:?}")));
        }
        if self.expect.is_some() && !(self.expected.is_empty() && self.wrong.is_empty()) {
            return Err(("either moves or a value", "both".to_owned()));
        }
        let above = match self.expect.as_deref() {
            None if self.expected.is_empty() && self.wrong.is_empty() => {
                return Err(("moves under \"expected\" or \"wrong\", or a value", "nothing".to_owned()));
            }
            None => return Ok(ExpectedAnswer::Move(self.expected.clone(), self.wrong.clone())),
            Some("value_above") => true,
            Some("value_below") => false,
            Some(other) => return Err(("value_above or value_below", format!("{other:?}"))),
        };
        let threshold = self.threshold.filter(|threshold| (0.0..=1.0).contains(threshold));
        let threshold = threshold.ok_or_else(|| {
            let found = self.threshold.map_or_else(|| "nothing".to_owned(), |found| found.to_string());
            ("a \"threshold\" from 0 to 1", found)
        })?;
        Ok(ExpectedAnswer::Value(above, threshold))
    }

    /// Returns the game that leads to the position, so that ko and history are right. If its moves do not reach the
    /// intended stones, these are set up, and a move that only superko forbids is returned with them. Any other
    /// illegal move is an error.
    fn record(
        &self,
        size: Size,
        komi: Komi,
        options: &EngineOptions,
    ) -> Result<(Record, Option<String>), LineError> {
        let set_up = |black: &[String], white: &[String]| -> Result<Record, LineError> {
            let mut stones = Vec::new();
            for (player, vertices) in [(Player::Black, black), (Player::White, white)] {
                for vertex in vertices {
                    let mv = size
                        .parse_vertex(vertex)
                        .ok_or_else(|| ("a point of the board", format!("{vertex:?}")))?;
                    stones.push((player, mv));
                }
            }
            let position = Position::with_stones(size, options.rules, komi, &stones, Player::Black);
            let position = position.map_err(|(mv, error)| {
                ("stones that can stand there", format!("{}: {error}", size.vertex(mv)))
            })?;
            Ok(Record::from_position(position))
        };
        let mut record = set_up(&self.setup_black, &self.setup_white)?;
        let moves = self.moves.iter().map(|(colour, vertex)| format!("play {colour} {vertex}"));
        let mut refused = None;
        for command in moves.chain(self.pre.iter().cloned()) {
            refused = apply_command(&mut record, size, &command)?;
            if refused.is_some() {
                break;
            }
        }
        let (Some(black), Some(white)) = (&self.black, &self.white) else {
            return refused.map_or(Ok((record, None)), Err);
        };
        let meant = set_up(black, white)?;
        let is_reached = record.position().board().key() == meant.position().board().key();
        let forbidden_move = refused.map(|(_, found)| found);
        Ok(if is_reached { (record, None) } else { (meant, forbidden_move) })
    }
}

/// Returns an error if none of the expected moves can be played. A move that only superko forbids is possible under the rules
/// of other programs.
fn check_expected_moves(expected: &[String], record: &Record, to_play: Player) -> Result<(), LineError> {
    let mut first = None;
    for vertex in expected {
        let Some(mv) = record.position().size().parse_vertex(vertex) else { return Ok(()) };
        match record.clone().play(to_play, mv) {
            Ok(()) | Err(IllegalMove::Superko) => return Ok(()),
            Err(reason) => first = first.or(Some((vertex, reason))),
        }
    }
    first.map_or(Ok(()), |(vertex, reason)| {
        Err(("a move under \"expected\" that can be played", format!("{vertex}: {reason}")))
    })
}

fn player(text: &str) -> Result<Player, LineError> {
    Player::parse(text).ok_or_else(|| ("black or white", format!("{text:?}")))
}

/// Applies `play` and `undo` to a game; other GTP commands are for the engine that the suite was made for. Returns a
/// move that only superko forbids, since suites are also made under simple ko.
fn apply_command(record: &mut Record, size: Size, command: &str) -> Result<Option<LineError>, LineError> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (colour, vertex) = match words.as_slice() {
        ["play", colour, vertex] => (colour, vertex),
        ["undo"] if record.undo() => return Ok(None),
        ["undo"] => return Err(("a move to undo", "none".to_owned())),
        _ => return Ok(None),
    };
    let mover = player(colour)?;
    let mv = size.parse_vertex(vertex).ok_or_else(|| ("a point of the board", format!("{vertex:?}")))?;
    let Err(reason) = record.play(mover, mv) else { return Ok(None) };
    let mistake = ("a legal move", format!("{vertex}: {reason}"));
    if reason == IllegalMove::Superko { Ok(Some(mistake)) } else { Err(mistake) }
}

impl SuiteTest {
    /// Searches the position with an empty table. The seed depends on the options and the test's id alone, so that no
    /// test depends on others.
    ///
    /// # Errors
    /// Returns an error if the memory for the table is not available.
    pub fn run(&self, options: &EngineOptions, limits: Limits) -> Result<TestRow, EngineError> {
        let position = self.record.position();
        let mut options = EngineOptions { size: position.size(), komi: position.komi(), ..options.clone() };
        let id = self.id.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)));
        options.parameters.seed = mix(options.parameters.seed ^ id);
        let mut engine = Engine::new(options)?;
        engine.set_record(self.record.clone())?;
        let report = engine.search(self.to_play, limits, &mut |_| true)?;
        let mv = position.size().vertex(engine.chosen_move(&report));
        let solved = self.is_solved(&mv, &report);
        Ok(TestRow {
            id: self.id.clone(),
            tier: self.tier.clone(),
            known_fail: self.is_known_fail,
            mv,
            solved,
            visits: report.root.visits,
            value: report.root.value.as_f64(),
        })
    }

    fn is_solved(&self, mv: &str, report: &Report) -> bool {
        let value = report.root.value.as_f64();
        match &self.expected_answer {
            ExpectedAnswer::Value(true, threshold) => value > *threshold,
            ExpectedAnswer::Value(false, threshold) => value < *threshold,
            ExpectedAnswer::Move(expected, wrong) => {
                let is_in = |moves: &[String]| moves.iter().any(|other| other.eq_ignore_ascii_case(mv));
                let resigns =
                    value < RESIGN_BELOW && expected.iter().any(|other| other.eq_ignore_ascii_case("resign"));
                (expected.is_empty() || is_in(expected) || resigns) && !is_in(wrong)
            }
        }
    }
}

/// Runs all tests with `concurrency` workers and calls `done` after each; the rows have the order of the tests. Once
/// `stop` is set, no further test is begun, and rows are missing at the end.
///
/// # Errors
/// Returns an error if the memory for a table is not available.
pub fn run(
    tests: &[SuiteTest],
    options: &EngineOptions,
    limits: Limits,
    concurrency: usize,
    stop: &AtomicBool,
    done: &(dyn Fn(&TestRow) + Sync),
) -> Result<Vec<TestRow>, EngineError> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(tests.len()));
    std::thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(test) = tests.get(index) else { break };
                    let row = test.run(options, limits);
                    row.iter().for_each(done);
                    let Ok(mut results) = results.lock() else { break };
                    results.push((index, row));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, row)| row).collect()
}

/// The differences between two runs of a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuiteComparison {
    /// Number of tests that both runs passed.
    pub both: usize,
    /// Number of tests that neither run passed.
    pub neither: usize,
    /// Tests that only the first run passed.
    pub only_first: Vec<String>,
    /// Tests that only the second run passed.
    pub only_second: Vec<String>,
    /// Number of results without a counterpart in the other run, which are left out.
    pub unmatched: usize,
}

impl SuiteComparison {
    /// Compares test by test.
    #[must_use]
    pub fn new(first: &[TestRow], second: &[TestRow]) -> SuiteComparison {
        let others: std::collections::BTreeMap<&str, bool> =
            second.iter().map(|row| (row.id.as_str(), row.solved)).collect();
        let mut comparison = SuiteComparison::default();
        let mut matched = 0;
        for row in first {
            let Some(&other) = others.get(row.id.as_str()) else { continue };
            matched += 1;
            match (row.solved, other) {
                (true, true) => comparison.both += 1,
                (false, false) => comparison.neither += 1,
                (true, false) => comparison.only_first.push(row.id.clone()),
                (false, true) => comparison.only_second.push(row.id.clone()),
            }
        }
        comparison.unmatched = first.len() + second.len() - 2 * matched;
        comparison
    }

    /// Returns the probability of a difference at least as large between equally good runs: see
    /// [`crate::lab::stats::sign_test`].
    #[must_use]
    pub fn probability(&self) -> f64 {
        crate::lab::stats::sign_test(self.only_first.len() as u64, self.only_second.len() as u64)
    }
}
