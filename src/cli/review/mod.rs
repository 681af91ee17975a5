//! `tewari review`: reviews of whole games.

mod output;

use self::output::{OutputPlan, ReviewFormat, ReviewOutput};
use super::exit_codes::INTERRUPTED;
use super::failures::Failures;
use super::interrupt::stop_on_interrupt;
use super::options::{DeadStonesChoice, EngineArguments, LimitArguments, POSITION, describe_default_limit};
use super::output_file::{check_absent, write_file};
use super::print::{print_error, progress_bar};
use super::record_files::{self, SourceFile};
use super::shard_identity::{content_hash, describe_limits, engine_setting};
use super::table_game::TableGame;
use crate::base::folder::FolderIdentity;
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::engine::Engine;
use crate::external::LoadingMessages;
use crate::go::{Komi, Rules, Size};
use crate::lab::join::review_file::ReviewShardFile;
use crate::records::sgf::{ChosenTerms, DefaultTerms};
use crate::reports::review::compute::{ReviewCallbacks, ReviewJob, review};
use crate::reports::review::{ReportSettings, Review, Thresholds, saved, table};
use crate::search::Limits;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use indicatif::ProgressBar;
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Default number of simulations of a position.
const DEFAULT_SIMULATIONS: u64 = 1_000;

#[derive(Args)]
#[command(mut_args(|it| {
    describe_default_limit(it, "simulations", format_args!("{DEFAULT_SIMULATIONS} a position"))
}))]
pub(super) struct ReviewArguments {
    /// SGF files, folders of them (with the folders inside), or - for standard input.
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    files: Vec<PathBuf>,
    /// Show the reviews saved with --save, without searching.
    #[arg(long, value_name = "SAVED", conflicts_with_all = ["save", "passes", "komi", "rules", "dead", "seed", "visits",
        "simulations", "time"])]
    from: Option<PathBuf>,
    /// Output format: text for the terminal, html (one page that works offline), sgf (the record with comments and
    /// variations), csv or json (a row a move). Default: by the name of OUT, or text.
    #[arg(long, value_enum)]
    format: Option<ReviewFormat>,
    /// File to write; a folder, or a name that ends in /, gets a file for each input file. Default: standard output.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    /// With a folder as OUT: leave out the input files that have a review there; sources.jsonl in the folder lists hashes
    /// of the reviewed contents.
    #[arg(long, requires = "output", conflicts_with_all = ["force", "from", "save"])]
    resume: bool,
    /// Review only part I of N of the input files, for example 2/8; OUT is then a folder, and `tewari join` puts the
    /// folders of all parts together.
    #[arg(long, value_name = "I/N", requires = "output", conflicts_with_all = ["from", "save"])]
    shard: Option<Shard>,
    /// Save the reviews to this file, for --from.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Number of the costliest moves to list.
    #[arg(long, value_name = "N", default_value_t = 10)]
    mistakes: usize,
    /// Minimum losses of win rate, in percent, of an inaccuracy, a mistake and a blunder. Passes are judged, too, except
    /// the last one of a game if it costs nothing or the game was decided.
    #[arg(long, value_name = "A,B,C", default_value_t)]
    thresholds: Thresholds,
    /// Number of passes over each game, in turn from its end and from its start; each builds on the search of the
    /// earlier ones.
    #[arg(long, value_name = "N", default_value = "1")]
    passes: NonZeroUsize,
    /// Komi; default: the record's, or 0.5 with a handicap, or the table file's, or 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true, help_heading = POSITION)]
    komi: Option<Komi>,
    /// Rules, as in `analyze`. Default: the record's if it names them, or the table file's, or chinese.
    #[arg(long, help_heading = POSITION)]
    rules: Option<Rules>,
    /// Stones removed as dead where a game has ended. Default: none by tromp-taylor rules, else those that both players
    /// would agree on.
    #[arg(long, value_enum, help_heading = POSITION)]
    dead: Option<DeadStonesChoice>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Returns the description of the columns of a table, for the help.
pub(super) fn columns_in_words() -> String {
    let columns = table::COLUMNS.map(|(name, meaning)| format!("  {name:14}{meaning}\n"));
    format!("Columns of csv and json:\n{}", columns.concat())
}

pub(super) fn run(arguments: &ReviewArguments) -> Result<()> {
    match &arguments.from {
        Some(path) => show_again(arguments, path),
        None => review_files(arguments),
    }
}

fn show_again(arguments: &ReviewArguments, path: &Path) -> Result<()> {
    let mut plan = arguments.output().plan(&[path], arguments.settings());
    plan.check(0)?;
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let reviews = saved::read(&text).map_err(|error| anyhow!("{name}: {error}"))?;
    plan.add(0, reviews, &content_hash(text.as_bytes()))?;
    plan.finish()
}

fn review_files(arguments: &ReviewArguments) -> Result<()> {
    let mut failures = Failures::default();
    let files = record_files::files_of(&arguments.files, &mut failures);
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut plan = arguments.output().plan(&paths, arguments.settings());
    let needs_hashes = arguments.resume || arguments.shard.is_some();
    let hashes = if needs_hashes { record_files::hashes(&files) } else { Vec::new() };
    let shard =
        arguments.shard.map(|shard| ReviewShard::new(arguments, shard, &plan, &hashes)).transpose()?;
    if let Some(shard) = &shard {
        ReviewShardFile::check(&shard.folder, &shard.identity)?;
    }
    let mut wanted: Vec<usize> = (0..files.len()).filter(|&nth| arguments.is_in_shard(nth)).collect();
    if arguments.resume {
        let done = match &shard {
            Some(_) => plan.resume_shard(&paths, &hashes)?,
            None => plan.resume(&paths, &hashes)?,
        };
        wanted.retain(|&nth| !done[nth]);
    }
    wanted.iter().try_for_each(|&nth| plan.check(nth))?;
    if let Some(path) = &arguments.save {
        check_absent(path, arguments.force)?;
    }
    if let Some(shard) = &shard {
        shard.begin()?;
    }
    let mut sources = Vec::new();
    for &nth in &wanted {
        match record_files::read(&files[nth]) {
            Ok(source) => sources.push((nth, source)),
            Err(error) => failures.add(error),
        }
    }
    let stop = stop_on_interrupt();
    let positions = sources.iter().map(|(_, source)| source.positions()).sum::<usize>();
    let bar = progress_bar((positions * arguments.passes.get()) as u64, "positions", false);
    let mut to_save = Vec::new();
    for (nth, source) in &sources {
        let reviews = review_source(arguments, source, &bar, stop, &mut failures);
        if arguments.save.is_some() {
            to_save.extend_from_slice(&reviews);
        }
        // In a folder a review that the user has cut off would look like a whole one to --resume.
        if !(stop.load(Relaxed) && plan.is_folder()) {
            plan.add(*nth, reviews, &source.hash)?;
        }
    }
    bar.finish_and_clear();
    if let Some(path) = &arguments.save {
        write_file(path, &saved::write(&to_save)?, arguments.force)?;
    }
    let written = shard.as_ref().map(|_| plan.written(&|nth| arguments.is_in_shard(nth)));
    plan.finish()?;
    if stop.load(Relaxed) {
        failures.print();
        std::process::exit(INTERRUPTED);
    }
    if let (Some(shard), Some(written)) = (shard, written) {
        shard.finish(written)?;
    }
    failures.into_result()
}

/// Reviews all games of a file, until the user interrupts it.
fn review_source(
    arguments: &ReviewArguments,
    source: &SourceFile,
    bar: &ProgressBar,
    stop: &AtomicBool,
    failures: &mut Failures,
) -> Vec<Review> {
    let watcher = ReviewCallbacks { position_done: &|| bar.inc(1), should_continue: &|| !stop.load(Relaxed) };
    let mut reviews = Vec::new();
    for game in 0..source.collection.games.len() {
        if stop.load(Relaxed) {
            break;
        }
        let failure = match review_game(arguments, source, game, watcher, bar) {
            Ok((review, failure)) => {
                reviews.push(review);
                failure
            }
            Err(error) => Some(error),
        };
        if let Some(failure) = failure {
            bar.suspend(|| failures.add(failure));
        }
    }
    reviews
}

/// Reviews a game. Returns the review, and the error that cut its record off, if there is one.
fn review_game(
    arguments: &ReviewArguments,
    source: &SourceFile,
    game: usize,
    watcher: ReviewCallbacks<'_>,
    bar: &ProgressBar,
) -> Result<(Review, Option<anyhow::Error>)> {
    let record = &source.collection.games[game];
    let id = if game == 0 { source.name() } else { format!("{}, game {}", source.name(), game + 1) };
    for warning in &record.warnings {
        bar.suspend(|| print_error(&format!("{id}: {warning}")));
    }
    let about = |error: &dyn std::fmt::Display| anyhow!("{id}: {error}");
    let table = TableGame::of_record(&arguments.engine, record);
    let otherwise = table.as_ref().map_or_else(DefaultTerms::default, TableGame::otherwise);
    let given = ChosenTerms { rules: arguments.rules, komi: arguments.komi };
    let terms = record.terms(given, otherwise).map_err(|error| about(&error))?;
    let size =
        Size::new(usize::from(record.columns), usize::from(record.rows)).map_err(|error| about(&error))?;
    let mut options = arguments.engine.options(size, terms.rules, terms.komi, arguments.seed);
    options.dead_stones = arguments.dead.map(Into::into);
    TableGame::keep_board_of_file(&mut options);
    let mut engine = Engine::new(options)?;
    let job = ReviewJob {
        id: &id,
        record,
        source: source.texts.of(game),
        terms: &terms,
        dead: DeadStonesChoice::or_by_rules(arguments.dead, terms.rules),
        limits: arguments.limits(),
        passes: arguments.passes.get(),
    };
    let loading = RefCell::new(LoadingMessages::new(engine.options().external.as_ref()));
    let should_continue = || {
        let message = loading.borrow_mut().due();
        message.into_iter().for_each(|message| bar.suspend(|| print_error(&message)));
        (watcher.should_continue)()
    };
    let watcher = ReviewCallbacks { should_continue: &should_continue, ..watcher };
    let (review, cut_off) = review(&mut engine, &job, watcher).map_err(|error| about(&error))?;
    if let Some(warning) = engine.warning() {
        bar.suspend(|| print_error(&warning));
    }
    Ok((review, cut_off.map(|error| about(&error))))
}

/// The description of a shard in its folder.
struct ReviewShard {
    folder: PathBuf,
    identity: FolderIdentity,
}

impl ReviewShard {
    fn new(
        arguments: &ReviewArguments,
        shard: Shard,
        plan: &OutputPlan,
        hashes: &[Option<String>],
    ) -> Result<ReviewShard> {
        let output = arguments.output();
        let Some(folder) = output.folder() else {
            bail!(
                "--shard {shard}: expected a folder as OUT, in which each input file gets a file; name one with -o DIR/"
            );
        };
        let size = Size::new(19, 19)?;
        let komi = arguments.komi.unwrap_or(Komi(15));
        let rules = arguments.rules.unwrap_or(Rules::CHINESE);
        let mut identity = engine_setting(&arguments.engine.options(size, rules, komi, arguments.seed));
        let given = |text: Option<String>| text.unwrap_or_else(|| "the record's".to_owned());
        let setting = [
            ("files", plan.fingerprint(hashes)),
            ("format", format!("{:?}", output.format())),
            ("limits", describe_limits(arguments.limits)),
            ("passes", arguments.passes.to_string()),
            ("komi", given(arguments.komi.map(|komi| komi.to_string()))),
            ("rules", given(arguments.rules.map(|rules| rules.to_string()))),
            ("dead", format!("{:?}", arguments.dead)),
            ("mistakes", arguments.mistakes.to_string()),
            ("thresholds", arguments.thresholds.to_string()),
        ];
        identity.extend(setting.map(|(name, value)| (name.to_owned(), value)));
        let total = plan.count() as u64;
        ShardPlace { shard, total, command: ShardedCommand::Review }.add_to(&mut identity);
        Ok(ReviewShard { folder: folder.to_owned(), identity })
    }

    /// Records that the shard is not complete.
    fn begin(&self) -> Result<()> {
        Ok(ReviewShardFile::begin(&self.folder, &self.identity)?)
    }

    /// Records that the shard is complete, with the reviews `files`.
    fn finish(self, files: Vec<String>) -> Result<()> {
        Ok(ReviewShardFile { identity: self.identity, files: Some(files) }.write(&self.folder)?)
    }
}

impl ReviewArguments {
    /// Returns true if input file number `nth`, from 0, belongs to the shard.
    fn is_in_shard(&self, nth: usize) -> bool {
        self.shard.is_none_or(|shard| shard.holds(nth as u64, 0))
    }

    fn settings(&self) -> ReportSettings {
        ReportSettings { thresholds: self.thresholds, mistakes: self.mistakes }
    }

    fn output(&self) -> ReviewOutput {
        ReviewOutput::new(self.output.as_deref(), self.format, self.force)
    }

    fn limits(&self) -> Limits {
        self.limits.or(Limits { simulations: Some(DEFAULT_SIMULATIONS), ..Limits::default() })
    }
}
