//! `tewari suite`: test positions with known answers.

use super::concurrency::{check_memory_fits, searches_at_a_time};
use super::interrupt::{Interrupted, stop_on_interrupt};
use super::options::{EngineArguments, LimitArguments, describe_default_limit, describe_default_table};
use super::output_file::{check_absent, is_same_file, write_file};
use super::print::{print_error, print_text, progress_bar};
use super::shard_identity::{describe_limits, engine_setting, fingerprint};
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::engine::EngineOptions;
use crate::go::{Komi, Rules, Size};
use crate::lab::arena::store::{ExperimentFolder, ExperimentIdentity};
use crate::lab::arena::suite::{self, NumberedTestRow, SuiteComparison, SuiteTest, TestRow};
use crate::lab::stats::{Interval, wilson};
use crate::search::Limits;
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// Default number of simulations of a test.
const DEFAULT_SIMULATIONS: u64 = 1_000;
/// Default bytes of the table, ample for thousands of simulations of one position.
const TABLE_BYTES: u64 = 64 << 20;
/// Maximum number of differing tests that are named on each side.
const MAX_NAMED_TESTS: usize = 20;

#[derive(Args)]
#[command(mut_args(|it| {
    describe_default_limit(it, "simulations", format_args!("{DEFAULT_SIMULATIONS} a test"))
}))]
#[command(mut_args(|it| describe_default_table(it, TABLE_BYTES)))]
pub(super) struct SuiteArguments {
    /// File of tests, one JSON object a line. Its fields are below.
    file: PathBuf,
    /// Only tests of these tiers. Default: all.
    #[arg(long, value_name = "TIER,...", value_delimiter = ',')]
    tier: Vec<String>,
    /// Only tests of these suites. Default: all.
    #[arg(long, value_name = "SUITE,...", value_delimiter = ',')]
    suite: Vec<String>,
    /// Leave out tests with an answer that depends on rules other than those of this program.
    #[arg(long)]
    skip_rules_sensitive: bool,
    /// Run only part I of N of the tests, for example 2/8. --out is then a folder, and `tewari join` puts the folders of
    /// all parts together.
    #[arg(long, value_name = "I/N", requires = "out", conflicts_with = "compare")]
    shard: Option<Shard>,
    /// With --shard: continue in the folder of --out.
    #[arg(long, requires = "shard")]
    resume: bool,
    /// Write one line for each test to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the file of --out.
    #[arg(long, requires = "out", conflicts_with = "shard")]
    force: bool,
    /// Compare with an earlier run, test by test: the file that it wrote with --out.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Output format of the result.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of tests run at the same time. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// The fields of a test, for the help.
pub(super) const TEST_FIELDS: &str = "\
Fields of a test:
  id             name, different for each test
  size           side of the board
  colour         player to move: black or white
  komi           default: 7.5
  moves          moves before the position, such as [[\"b\", \"D4\"], [\"w\", \"E5\"]]
  setup_black    points of Black's stones before the moves
  setup_white    points of White's stones before the moves
  pre            GTP commands after the moves: play and undo
  black, white   points of all stones in the position: set up if the moves do not
                 reach it
  expected       right moves: points, pass or resign; at least one can be played
  wrong          wrong moves
  expect         instead of moves: value_above or value_below
  threshold      with expect: win rate of the player to move, from 0 to 1
  tier, suite    groups of tests, for --tier and --suite
  rules_sensitive
                 true if the answer depends on other rules
  ref_engine_known_fail
                 true for a hard test; hard ones are also counted alone

For example: {\"id\": \"a\", \"size\": 9, \"colour\": \"black\", \"expected\": [\"E5\"]}
";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &SuiteArguments) -> Result<()> {
    let name = arguments.file.display();
    let text = std::fs::read_to_string(&arguments.file).with_context(|| name.to_string())?;
    if let Some(out) = arguments.out.as_ref().filter(|_| arguments.shard.is_none()) {
        let mut inputs = std::iter::once(&arguments.file).chain(&arguments.compare);
        let is_input = inputs.any(|path| is_same_file(path, out));
        ensure!(!is_input, "--out {}: expected another file than those that are read", out.display());
        check_absent(out, arguments.force)?;
    }
    let earlier = arguments.compare.as_deref().map(read_rows).transpose()?;
    let (size, komi) = (Size::new(19, 19)?, Komi(15));
    let engine = arguments.engine.without_file()?.with_default_table(TABLE_BYTES);
    let options = engine.options(size, Rules::CHINESE, komi, arguments.seed);
    let mut tests = suite::read(&text, &options).with_context(|| name.to_string())?;
    ensure!(!tests.is_empty(), "{name}: expected at least one test, found nothing");
    let found = tests.len();
    tests.retain(|test| arguments.wants(test));
    ensure!(!tests.is_empty(), "{name}: none of the {found} tests has the given tier and suite");
    for test in &tests {
        if let Some(reason) = &test.forbidden_move {
            print_error(&format!(
                "{name}: test {}: set up as a position, because its moves cannot be played: {reason}",
                test.id
            ));
        }
    }
    let concurrency = searches_at_a_time(arguments.concurrency);
    check_memory_fits(options.table_bytes()? as u64, concurrency)?;
    if let Some(shard) = arguments.shard {
        return run_shard(arguments, shard, &tests, &options, concurrency);
    }
    let bar = progress_bar(tests.len() as u64, "tests", false);
    let stop = stop_on_interrupt();
    let rows = suite::run(&tests, &options, arguments.limits(), concurrency, stop, &|_| bar.inc(1))?;
    bar.finish_and_clear();
    if let Some(path) = &arguments.out {
        write_file(path, &lines(&rows)?, arguments.force)?;
    }
    print_text(&summary(&rows, arguments.format)?)?;
    if let Some(earlier) = earlier {
        print_text(&comparison(&SuiteComparison::new(&rows, &earlier)))?;
    }
    if stop.load(Relaxed) {
        bail!(Interrupted(format!("interrupted after {} of {} tests", rows.len(), tests.len())));
    }
    Ok(())
}

/// Runs the tests of a shard that are not in its folder, and keeps each there as soon as it ends.
fn run_shard(
    arguments: &SuiteArguments,
    shard: Shard,
    tests: &[SuiteTest],
    options: &EngineOptions,
    concurrency: usize,
) -> Result<()> {
    let folder = arguments.out.as_deref().unwrap_or(Path::new("."));
    let mut identity = ExperimentIdentity { setting: engine_setting(options), ..Default::default() };
    identity.setting.insert("limits".to_owned(), describe_limits(arguments.limits));
    identity.setting.insert("tests".to_owned(), fingerprint(tests.iter().map(|test| &test.line)));
    let place = ShardPlace { shard, total: tests.len() as u64, command: ShardedCommand::Suite };
    place.add_to(&mut identity.setting);
    let (store, found) = ExperimentFolder::open::<NumberedTestRow>(folder, &identity, arguments.resume)?;
    if let Some(notice) = found.notice() {
        print_error(&notice);
    }
    let done: BTreeSet<u64> = found.rows.iter().map(|row| row.test).collect();
    let numbered = (0_u64..).zip(tests).filter(|&(number, _)| shard.holds(number, 0));
    let numbers: BTreeMap<&str, u64> = numbered.map(|(number, test)| (test.id.as_str(), number)).collect();
    let is_missing = |test: &&SuiteTest| numbers.get(test.id.as_str()).is_some_and(|it| !done.contains(it));
    let missing: Vec<SuiteTest> = tests.iter().filter(is_missing).cloned().collect();
    let (bar, stop) = (progress_bar(missing.len() as u64, "tests", false), stop_on_interrupt());
    let kept = Mutex::new((store, found.rows, None));
    let keep = |row: &TestRow| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (store, rows, failure) = &mut *kept;
        let numbered = NumberedTestRow { test: numbers[row.id.as_str()], row: row.clone() };
        match store.append_row(&numbered) {
            Ok(()) => rows.push(numbered),
            Err(error) => {
                failure.get_or_insert(error);
                stop.store(true, Relaxed);
            }
        }
        bar.inc(1);
    };
    suite::run(&missing, options, arguments.limits(), concurrency, stop, &keep)?;
    bar.finish_and_clear();
    let (_, mut rows, failure) = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = failure {
        return Err(error).with_context(|| format!("cannot save a test; {} are saved", rows.len()));
    }
    rows.sort_by_key(|row| row.test);
    let rows: Vec<TestRow> = rows.into_iter().map(|row| row.row).collect();
    print_text(&summary(&rows, arguments.format)?)?;
    ensure!(
        rows.len() == numbers.len(),
        Interrupted(format!(
            "interrupted after {} of {} tests; --resume continues",
            rows.len(),
            numbers.len()
        ))
    );
    Ok(())
}

impl SuiteArguments {
    fn wants(&self, test: &SuiteTest) -> bool {
        (self.tier.is_empty() || self.tier.contains(&test.tier))
            && (self.suite.is_empty() || self.suite.contains(&test.suite))
            && !(self.skip_rules_sensitive && test.is_rules_sensitive)
    }

    fn limits(&self) -> Limits {
        let LimitArguments { visits, simulations, time } = self.limits;
        let is_limited = visits.is_some() || simulations.is_some() || time.is_some();
        let simulations = simulations.or((!is_limited).then_some(DEFAULT_SIMULATIONS));
        Limits { visits, simulations, time, ..Limits::default() }
    }
}

/// Returns the counts of solved tests by tier.
pub(super) fn summary(rows: &[TestRow], format: Format) -> Result<String> {
    let mut tiers: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for row in rows {
        let counts = tiers.entry(&row.tier).or_default();
        let column = 2 * usize::from(row.known_fail);
        counts[column] += 1;
        counts[column + 1] += usize::from(row.solved);
    }
    let mut text = String::new();
    if format == Format::Text {
        writeln!(text, "tier         total  solved  share           95 %           hard: total  solved")?;
    }
    for (tier, [easy, easy_solved, hard, hard_solved]) in tiers {
        let (total, solved) = (easy + hard, easy_solved + hard_solved);
        let Interval { estimate, low, high } = wilson(solved as f64, total as f64);
        match format {
            Format::Text => writeln!(
                text,
                "{tier:12} {total:5}  {solved:6}  {:4.1} %  {:5.1}-{:5.1} %  {hard:19}  {hard_solved:6}",
                100.0 * estimate,
                100.0 * low,
                100.0 * high
            )?,
            Format::Json => {
                let object = json!({
                    "tier": tier, "total": total, "solved": solved, "low": low, "high": high,
                    "known_fail_total": hard, "known_fail_solved": hard_solved,
                });
                writeln!(text, "{object}")?;
            }
        }
    }
    Ok(text)
}

fn comparison(comparison: &SuiteComparison) -> String {
    let SuiteComparison { both, neither, only_first, only_second, unmatched } = comparison;
    let mut text = format!(
        "compared with the earlier run: both solved {both}, neither {neither}, only this one {}, only the earlier one {}\n\
         probability of such a difference by chance: {:.1} % (exact McNemar test)\n",
        only_first.len(),
        only_second.len(),
        100.0 * comparison.probability()
    );
    for (sign, names) in [('+', only_first), ('-', only_second)] {
        for name in names.iter().take(MAX_NAMED_TESTS) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {sign} {name}");
        }
        if names.len() > MAX_NAMED_TESTS {
            let _ = writeln!(text, "  {sign} and {} more", names.len() - MAX_NAMED_TESTS);
        }
    }
    if *unmatched > 0 {
        let _ = writeln!(text, "  {unmatched} tests are in one of the runs only");
    }
    text
}

fn read_rows(path: &Path) -> Result<Vec<TestRow>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let row = serde_json::from_str(line);
        rows.push(row.with_context(|| {
            format!("{}, line {}: expected a line that --out wrote", path.display(), index + 1)
        })?);
    }
    Ok(rows)
}

/// Returns the lines of `--out`.
pub(super) fn lines(rows: &[TestRow]) -> Result<String> {
    let mut text = String::new();
    for row in rows {
        writeln!(text, "{}", serde_json::to_string(row)?)?;
    }
    Ok(text)
}
