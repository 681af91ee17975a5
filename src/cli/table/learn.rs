//! `tewari table learn`: analyses by other programs in game records, taken into a table file.

use crate::base::memory::MemoryBudget;
use crate::cli::failures::Failures;
use crate::cli::print::{plural, print_error, print_line};
use crate::cli::record_files::{self, SourceFile};
use crate::cli::table_game::TableGame;
use crate::cli::value_parsers::parse_bytes;
use crate::engine::{Engine, EngineError, EngineOptions, TableFile};
use crate::external::ExternalEvaluator;
use crate::go::{KeyPolicy, Komi, Rules, Size};
use crate::records::sgf::{ChosenTerms, DefaultTerms, GameRecord, Terms};
use crate::reports::learn::{self, LearnedGame};
use crate::search::policy::Preset;
use crate::table::TableMode;
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
pub(super) struct LearnArguments {
    /// SGF files with analyses by KaTrain, Lizzie or LizzieYzy, or folders of them. The main line is read. Analyses count
    /// once in a table, however often they are learned, but twice in the merge of two tables that learned them.
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// The table file; it is created with --memory or --table-size if it does not exist.
    #[arg(long, value_name = "FILE")]
    table: PathBuf,
    /// The name of the model that made the analyses, which records do not name: that of its file without .bin.gz, so that
    /// searches with --evaluator and this model use them.
    #[arg(long, value_name = "NAME")]
    evaluator_name: String,
    /// Memory for an engine with this table, for example 256MiB. Default: as for an engine.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Size of the table alone; overrides --memory.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    table_size: Option<u64>,
    /// Komi. Default: the record's, or 0.5 with a handicap, or the table file's, or 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<Komi>,
    /// Rules. Default: the record's if it names them, or the table file's, or chinese.
    #[arg(long)]
    rules: Option<Rules>,
}

pub(super) fn learn(arguments: &LearnArguments) -> Result<()> {
    ensure!(!arguments.evaluator_name.trim().is_empty(), "--evaluator-name: expected a name, found none");
    let mut failures = Failures::default();
    let mut learner = Learner { arguments, engine: None, analyses: 0 };
    for path in record_files::files_of(&arguments.files, &mut failures) {
        match record_files::read(&path) {
            Ok(source) => learner.learn_file(&source, &mut failures)?,
            Err(error) => failures.add(error),
        }
    }
    if let Some(warning) = learner.engine.as_ref().and_then(Engine::warning) {
        print_error(&warning);
    }
    failures.into_result()?;
    ensure!(
        learner.analyses > 0,
        "expected records with analyses of KaTrain (KT), Lizzie (LZ) or LizzieYzy (LZOP), found none in the main lines; \
         save the game with its analysis there"
    );
    Ok(())
}

/// The engine with the table, and the number of analyses found so far.
struct Learner<'a> {
    arguments: &'a LearnArguments,
    /// `None` before the first record with analyses.
    engine: Option<Engine>,
    analyses: usize,
}

impl Learner<'_> {
    fn learn_file(&mut self, source: &SourceFile, failures: &mut Failures) -> Result<()> {
        for (number, record) in (1..).zip(&source.collection.games) {
            let name = source.name();
            let id = if number == 1 { name } else { format!("{name}, game {number}") };
            for warning in &record.warnings {
                print_error(&format!("{id}: {warning}"));
            }
            if learn::has_analyses(record) {
                self.learn_game(record, &id, failures)?;
            } else {
                print_line(format_args!("{id}: no analyses in the main line"))?;
            }
        }
        Ok(())
    }

    fn learn_game(&mut self, record: &GameRecord, id: &str, failures: &mut Failures) -> Result<()> {
        let table = TableGame::at(&self.arguments.table);
        let (terms, size) = match self.terms_and_size(record, table.as_ref()) {
            Ok(chosen) => chosen,
            Err(error) => {
                failures.add(anyhow!("{id}: {error}"));
                return Ok(());
            }
        };
        terms.assumed.iter().for_each(|line| print_error(&format!("{id}: {line}")));
        let mismatch = table.as_ref().and_then(|table| table.mismatch(terms.rules, terms.komi));
        mismatch.into_iter().for_each(|line| print_error(&line));
        let engine = match &mut self.engine {
            Some(engine) => engine,
            none => none.insert(new_engine(self.arguments, size, &terms)?),
        };
        let (learned, error) = learn::learn(engine, record, &terms);
        self.analyses += learned.analyses();
        print_result(id, record, &learned)?;
        if let Some(error) = error {
            failures.add(anyhow!("{id}: {error}"));
        }
        Ok(())
    }

    /// Returns rules and komi of a record, and the board of the table: the file's, if it exists, else the record's.
    fn terms_and_size(&self, record: &GameRecord, table: Option<&TableGame>) -> Result<(Terms, Size)> {
        let otherwise = table.map_or_else(DefaultTerms::default, TableGame::otherwise);
        let given = ChosenTerms { rules: self.arguments.rules, komi: self.arguments.komi };
        let terms = record.terms(given, otherwise)?;
        let size = match table.and_then(TableGame::size) {
            Some(size) => size,
            None => Size::new(usize::from(record.columns), usize::from(record.rows))?,
        };
        Ok((terms, size))
    }
}

/// Returns an engine with the table file and the identity of the evaluator, which is never started.
fn new_engine(arguments: &LearnArguments, size: Size, terms: &Terms) -> Result<Engine, EngineError> {
    let memory = match (arguments.table_size, arguments.memory) {
        (Some(bytes), _) => MemoryBudget::Table(bytes),
        (None, Some(bytes)) => MemoryBudget::Engine(bytes),
        (None, None) => MemoryBudget::default_for_machine(),
    };
    let table_file = TableFile {
        path: arguments.table.clone(),
        board: size,
        mode: TableMode::ReadWrite,
        is_limited: arguments.table_size.is_some() || arguments.memory.is_some(),
        sync: None,
    };
    Engine::new(EngineOptions {
        size,
        rules: terms.rules,
        komi: terms.komi,
        memory,
        table_file: Some(table_file),
        policy: Preset::for_evaluators(),
        keys: KeyPolicy::Plain,
        networks: None,
        external: Some(Arc::new(ExternalEvaluator::new("", Some(&arguments.evaluator_name)))),
        ..EngineOptions::default()
    })
}

fn print_result(id: &str, record: &GameRecord, learned: &LearnedGame) -> Result<()> {
    if let Some(first) = &learned.first_unreadable {
        let count = analyses(learned.unreadable);
        print_error(&format!("{id}: {count} left out as unreadable; the first: {first}"));
    }
    for (reason, count) in &learned.left_out {
        print_line(format_args!("{id}: {} left out: {}", analyses(*count), reason.reason()))?;
    }
    if learned.known > 0 {
        let count = plural(learned.known as u64, "position");
        print_line(format_args!("{id}: {count} known already with as many visits"))?;
    }
    if record.forks > 0 {
        print_line(format_args!("{id}: analyses in variations are not read"))?;
    }
    let programs: Vec<String> =
        learned.programs.iter().map(|(program, count)| format!("{count} of {}", program.name())).collect();
    let programs = if programs.is_empty() { String::new() } else { format!(" ({})", programs.join(", ")) };
    print_line(format_args!(
        "{id}: {} learned with {} visits{programs}",
        plural(learned.positions as u64, "position"),
        with_separators(learned.visits)
    ))
}

fn analyses(count: usize) -> String {
    format!("{count} {}", if count == 1 { "analysis" } else { "analyses" })
}

/// Returns a number with a comma after each three digits.
fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let (head, tail) = digits.split_at((digits.len() - 1) % 3 + 1);
    let groups = tail.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group));
    groups.fold(head.to_owned(), |text, group| format!("{text},{group}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_separators() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (28_500, "28,500"), (1_234_567, "1,234,567")]
        {
            assert_eq!(with_separators(number), expected);
        }
    }
}
