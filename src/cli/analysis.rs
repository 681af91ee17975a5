//! `tewari analysis`: the command line of KataGo's analysis engine, as its clients call it.

use super::options::EngineArguments;
use super::print::print_error;
use super::ranks;
use super::table_game::TableGame;
use crate::base::input::LineReader;
use crate::base::memory::{MIB, MemoryBudget};
use crate::engine::Engine;
use crate::go::{Komi, Rules, Size};
use crate::protocols::katago::{Perspective, QueryDefaults, Server};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Ratio of the memory budget to the maximum bytes of waiting queries, which are at least 1 MiB.
const MIN_MEMORY_OVER_QUERIES: u64 = 16;
/// Maximum bytes of waiting queries: room for about 1,000 positions of long games.
const MAX_QUERY_BYTES: u64 = 16 * MIB;

/// Maximum number of files of settings that include each other.
const MAX_INCLUDE_DEPTH: usize = 16;

/// The supported settings of KataGo; the others concern its own network and search.
#[derive(Clone, Debug, Default)]
struct AnalysisSettings {
    perspective: Option<Perspective>,
    visits: Option<u64>,
    simulations: Option<u64>,
    time: Option<Duration>,
    threads: Option<u16>,
    ignored: Vec<String>,
}

#[derive(Args)]
pub(super) struct AnalysisArguments {
    /// Accepted and ignored: KataGo's network.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Accepted and ignored: KataGo's network that imitates people.
    #[arg(long, value_name = "FILE")]
    human_model: Option<PathBuf>,
    /// A file of KataGo settings, one `key = value` a line, or `@include FILE`; of several files, each overrides those
    /// before it. Applied are reportAnalysisWinratesAs, maxVisits, maxPlayouts, maxTime and
    /// numSearchThreadsPerAnalysisThread.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Further settings, as key=value,key=value; they override the files.
    #[arg(long, value_name = "SETTINGS")]
    override_config: Vec<String>,
    /// Threads that search each position together. Positions are searched one after the other, in one table.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=255))]
    analysis_threads: Option<u16>,
    /// Exit at the end of the input, without answering the queries that still wait.
    #[arg(long)]
    quit_without_waiting: bool,
    /// Visits of a position if its query has no maxVisits. Default: 1000, or no limit beside maxPlayouts.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    visits: Option<u64>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(mut arguments: AnalysisArguments) -> Result<()> {
    let mut settings = AnalysisSettings::default();
    arguments.config.iter().try_for_each(|path| settings.read_file(path, 0))?;
    arguments.override_config.iter().try_for_each(|text| settings.set_all(text))?;
    for (name, file) in [("-model", &arguments.model), ("-human-model", &arguments.human_model)] {
        settings.ignored.extend(file.as_ref().map(|_| name.to_owned()));
    }
    if !settings.ignored.is_empty() {
        print_error(&format!(
            "ignored, because this program has no such settings: {}",
            settings.ignored.join(", ")
        ));
    }
    let ranks = ranks::join(false)?;
    arguments.engine = arguments.engine.of_rank(ranks.as_ref());
    let engine_options = |size, rules, komi| {
        let mut options = arguments.engine.options(size, rules, komi, arguments.seed);
        if let Some(threads) = arguments.analysis_threads.or(settings.threads) {
            options.parameters.threads = usize::from(threads);
        }
        options.reserved = query_bytes(options.memory);
        options
    };
    if ranks::has_served(ranks.as_ref(), &engine_options)? {
        return Ok(());
    }
    let board = TableGame::of(&arguments.engine).and_then(|table| table.size());
    let options = engine_options(board.unwrap_or(Size::new(19, 19)?), Rules::CHINESE, Komi(15));
    let defaults = QueryDefaults {
        perspective: settings.perspective.unwrap_or(Perspective::SideToMove),
        visits: arguments.visits.or(settings.visits),
        simulations: settings.simulations,
        time: settings.time,
        keys: arguments.engine.key_policy(),
        finishes_queue: !arguments.quit_without_waiting,
    };
    let input = BufReader::new(std::io::stdin());
    let input = LineReader::reading(input, super::closed_output::watch_for_closed_output(), |_| false);
    let mut server = Server::new(Engine::new(options)?, defaults, input, std::io::stdout().lock());
    server.run().context("cannot continue the analysis")?;
    super::closed_output::check_client()
}

/// Returns the maximum bytes of waiting queries.
fn query_bytes(memory: MemoryBudget) -> u64 {
    match memory {
        MemoryBudget::Engine(bytes) => (bytes / MIN_MEMORY_OVER_QUERIES).clamp(MIB, MAX_QUERY_BYTES),
        MemoryBudget::Table(_) => MAX_QUERY_BYTES,
    }
}

impl AnalysisSettings {
    /// Reads a file of `key = value` lines; `#` begins a comment, and a line `@include FILE` stands for another file, beside
    /// this one unless its path is absolute. `depth` is the number of files that include this one.
    fn read_file(&mut self, path: &Path, depth: usize) -> Result<()> {
        if depth > MAX_INCLUDE_DEPTH {
            bail!("{} is included more than {MAX_INCLUDE_DEPTH} files deep", path.display());
        }
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        for line in lines.filter(|line| !line.is_empty()) {
            match line.strip_prefix("@include ") {
                Some(file) => self.read_file(&path.with_file_name(file.trim()), depth + 1),
                None => self.set(line),
            }
            .with_context(|| format!("cannot use {}", path.display()))?;
        }
        Ok(())
    }

    /// Applies settings with commas between them, and skips empty ones, as KataGo does.
    fn set_all(&mut self, settings: &str) -> Result<()> {
        let mut settings = settings.split(',').filter(|setting| !setting.trim().is_empty());
        settings.try_for_each(|setting| self.set(setting))
    }

    fn set(&mut self, setting: &str) -> Result<()> {
        let Some((key, value)) = setting.split_once('=') else {
            bail!("expected key=value, found {setting:?}");
        };
        let (key, value) = (key.trim(), value.trim());
        let number = || value.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 1e15);
        let whole = || number().filter(|number| number.fract() == 0.0);
        let expected = |what: &str| format!("expected {key}={what}, found {value:?}");
        let count =
            || whole().map(|count| count as u64).with_context(|| expected("a whole number of at least 1"));
        match key {
            "reportAnalysisWinratesAs" => {
                let perspective = Perspective::parse(value);
                self.perspective = Some(perspective.with_context(|| expected("BLACK, WHITE or SIDETOMOVE"))?);
            }
            "maxVisits" => self.visits = Some(count()?),
            "maxPlayouts" => self.simulations = Some(count()?),
            "maxTime" => {
                let seconds = number().with_context(|| expected("seconds"))?;
                self.time = Some(Duration::from_secs_f64(seconds.min(1e6)));
            }
            "numSearchThreadsPerAnalysisThread" | "numSearchThreads" => {
                let threads = whole().with_context(|| expected("a whole number of threads"))?;
                self.threads = Some(threads.clamp(1.0, 255.0) as u16);
            }
            _ if self.ignored.iter().any(|ignored| ignored == key) => {}
            _ => self.ignored.push(key.to_owned()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_include_each_other_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("own.cfg");
        std::fs::write(&file, "@include own.cfg\n").expect("a file");
        let error = AnalysisSettings::default().read_file(&file, 0).expect_err("a circle");
        assert!(format!("{error:#}").ends_with("own.cfg is included more than 16 files deep"), "{error:#}");
    }

    #[test]
    fn counts_are_whole_numbers_of_at_least_one() {
        let set = |setting: &str| AnalysisSettings::default().set(setting).map_err(|error| error.to_string());
        for value in ["0.5", "10.5", "0", "-1", "x", ""] {
            let expected = format!("expected maxVisits=a whole number of at least 1, found {value:?}");
            assert_eq!(set(&format!("maxVisits={value}")), Err(expected));
        }
        assert!(set("numSearchThreads=1.5").is_err_and(|error| error.contains("found \"1.5\"")));
        for setting in ["maxVisits=10", "maxVisits=1e3", "maxPlayouts=5", "numSearchThreads=2", "maxTime=0.5"]
        {
            assert_eq!(set(setting), Ok(()));
        }
    }
}
