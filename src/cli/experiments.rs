//! The common part of `match` and `sweep`: conditions, the folder of games, progress, limits of the machine,
//! interruption.

use super::concurrency::{check_memory_fits, searches_at_a_time};
use super::contestants::ContestantSettings;
use super::interrupt::{Interrupted, stop_on_interrupt};
use super::options::LimitArguments;
use super::print::{print_error, progress_bar};
use super::shard_identity::describe_limits;
use super::usage_error::usage;
use super::value_parsers::{parse_area_rules, parse_seconds};
use crate::base::folder::FolderIdentity;
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::go::{Komi, Rules, Size};
use crate::lab::arena::contestant::ContestantSpec;
use crate::lab::arena::experiment::{Experiment, GameRow};
use crate::lab::arena::game::{MatchConditions, ScoringMethod};
use crate::lab::arena::opening::{self, Opening};
use crate::lab::arena::schedule::shard_of;
use crate::lab::arena::store::{ExperimentFolder, ExperimentIdentity};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Time between two lines of progress, which replace the bar if standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(15);
/// Headings of option groups in the help.
const CONDITIONS: &str = "Conditions of the games";
const RUN: &str = "Running and keeping the games";

/// Conditions of all games, and options for running and keeping them.
#[derive(Args, Debug)]
pub(super) struct GameArguments {
    /// Board, as COLUMNSxROWS or one number.
    #[arg(long, default_value = "9", help_heading = CONDITIONS)]
    pub(super) size: Size,
    /// Komi. If an opening begins with several stones of Black, White gets the compensation of the rules for a handicap
    /// besides.
    #[arg(long, default_value = "7.5", allow_hyphen_values = true, help_heading = CONDITIONS)]
    pub(super) komi: Komi,
    /// Rules of the referee and of the `self` engines; they must count area.
    #[arg(long, default_value = "chinese", value_parser = parse_area_rules, help_heading = CONDITIONS)]
    pub(super) rules: Rules,
    /// Openings, each played twice with colours exchanged: JSON lines such as
    /// {"size": 9, "moves": [["b", "D5"], ["w", "F5"]]}, or an SGF file.
    #[arg(long, value_name = "FILE", help_heading = CONDITIONS)]
    openings: Option<PathBuf>,
    /// Time limit of one move; exceeding it loses the game.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds, help_heading = CONDITIONS)]
    move_timeout: Duration,
    /// Scoring of a finished game: by the result that both engines report for final_score, B+3.5, W+R, 0 or the like, or
    /// by area with all stones alive. If they name different winners or one reports no result, the area decides, and
    /// the reports are in the details of the game.
    #[arg(long, value_enum, default_value_t = ScoringChoice::Agreement, conflicts_with = "referee", help_heading = CONDITIONS)]
    scoring: ScoringChoice,
    /// A program that determines the dead stones of a finished game, for example "gnugo --mode gtp --chinese-rules".
    #[arg(long, value_name = "CMD", help_heading = CONDITIONS)]
    referee: Option<String>,
    /// Seed of the random numbers: `self` engines play the same games with the same seed.
    #[arg(long, default_value_t = 1, help_heading = RUN)]
    pub(super) seed: u64,
    /// Number of games played at the same time. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = RUN)]
    concurrency: Option<u16>,
    /// Play only part I of N of the games, for example 2/8: the parts together are the games of one run, and both games
    /// with one opening are in one part. `tewari join` puts their folders together.
    #[arg(long, value_name = "I/N", requires = "out", help_heading = RUN)]
    pub(super) shard: Option<Shard>,
    /// Folder for the games: games.jsonl, and their records in sgf/.
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(super) out: Option<PathBuf>,
    /// Continue the experiment in the folder of --out.
    #[arg(long, requires = "out", help_heading = RUN)]
    resume: bool,
    /// Print no progress.
    #[arg(long, short, help_heading = RUN)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScoringChoice {
    Agreement,
    Area,
}

impl GameArguments {
    /// Returns the conditions of the games. The time of `limits` is the time per move that programs get by GTP.
    pub(super) fn conditions(&self, limits: LimitArguments) -> MatchConditions {
        let scoring = match (&self.referee, self.scoring) {
            (Some(command), _) => ScoringMethod::Referee(command.clone()),
            (None, ScoringChoice::Agreement) => ScoringMethod::Agreement,
            (None, ScoringChoice::Area) => ScoringMethod::Area,
        };
        let GameArguments { size, rules, komi, move_timeout, .. } = *self;
        MatchConditions { size, rules, komi, time_per_move: limits.time, move_timeout, scoring }
    }

    /// Returns the settings of `self` contestants.
    pub(super) fn setting(&self, limits: LimitArguments) -> ContestantSettings {
        ContestantSettings { size: self.size, rules: self.rules, komi: self.komi, limits }
    }

    /// Returns a progress bar that counts to `count`.
    pub(super) fn progress(&self, count: u64, things: &str) -> ProgressBar {
        progress_bar(count, things, self.quiet)
    }

    /// Returns the title of a chart.
    pub(super) fn title(&self) -> String {
        sweep_title(self.size, self.komi)
    }

    /// Reads the openings; without a file there are none.
    pub(super) fn read_openings(&self) -> Result<Vec<Opening>> {
        let Some(path) = &self.openings else { return Ok(Vec::new()) };
        let named = || format!("{}", path.display());
        let bytes = std::fs::read(path).with_context(named)?;
        opening::read(&bytes, self.size, self.rules).with_context(named)
    }

    /// Returns the number of games played at the same time.
    pub(super) fn concurrency(&self) -> usize {
        searches_at_a_time(self.concurrency)
    }

    /// Returns the settings that distinguish this experiment from others in the folder.
    pub(super) fn identity(&self, experiment: &Experiment, limits: LimitArguments) -> ExperimentIdentity {
        let conditions = &experiment.conditions;
        let mut setting = FolderIdentity::from([
            ("size".to_owned(), conditions.size.to_string()),
            ("komi".to_owned(), conditions.komi.to_string()),
            ("rules".to_owned(), conditions.rules.to_string()),
            ("scoring".to_owned(), format!("{:?}", conditions.scoring)),
            ("seed".to_owned(), experiment.seed.to_string()),
            ("keep-table".to_owned(), experiment.keep_table.to_string()),
            ("limits".to_owned(), describe_limits(limits)),
            ("openings".to_owned(), fingerprint(&experiment.openings)),
        ]);
        for (index, pairing) in experiment.pairings.iter().enumerate() {
            let [one, other] = pairing.contestants.each_ref().map(|spec| spec.description().to_owned());
            setting.insert(format!("contestants {index}"), format!("{}: {one} | {other}", pairing.label));
        }
        let contestants = experiment.pairings.iter().flat_map(|pairing| &pairing.contestants);
        let engine = |spec: &ContestantSpec| Some((spec.description().to_owned(), spec.engine_identity()?));
        ExperimentIdentity { setting, engines: contestants.filter_map(engine).collect() }
    }

    /// Adds the shard to the identity of an experiment of `games` games.
    pub(super) fn add_shard(&self, identity: &mut ExperimentIdentity, command: ShardedCommand, games: u64) {
        if let Some(shard) = self.shard {
            ShardPlace { shard, total: games, command }.add_to(&mut identity.setting);
        }
    }

    /// Plays those of the first `games` games of `experiment` that belong to the shard and are not in the folder.
    /// `on_game` gets all games after each one, in the order in which they ended; it returns the line to show and whether
    /// to stop.
    pub(super) fn play(
        &self,
        experiment: &Experiment,
        identity: &ExperimentIdentity,
        games: u64,
        on_game: &mut dyn FnMut(&[GameRow]) -> ExperimentState,
    ) -> Result<PlayedGames> {
        usage(Self::check_table_files(experiment))?;
        usage(Self::check_time(experiment))?;
        self.check_memory(experiment)?;
        let (mut store, mut rows) = self.open(identity)?;
        if let Some(row) = rows.iter().find(|row| !experiment.has_game(row)) {
            bail!(
                "game {} in games.jsonl has another pairing or other colours than in this experiment: remove its line, and it is played again",
                row.game
            );
        }
        experiment.try_contestants()?;
        let done: BTreeSet<u64> = rows.iter().map(|row: &GameRow| row.game).collect();
        let pairings = experiment.pairings.len() as u64;
        let is_ours =
            |&game: &u64| self.shard.is_none_or(|shard| shard_of(shard.count(), game, pairings) == shard);
        let missing: Vec<u64> = (0..games).filter(is_ours).filter(|game| !done.contains(game)).collect();
        let games = if self.shard.is_some() { (missing.len() + rows.len()) as u64 } else { games };
        let stop = stop_on_interrupt();
        let progress = ProgressDisplay::new(games, rows.len() as u64, self.quiet);
        let state = on_game(&rows);
        progress.show(rows.len() as u64, &state.line);
        let mut failure = None;
        let mut outcome = Ok(());
        if !state.stop {
            outcome = experiment.run(&missing, self.concurrency(), stop, |game| {
                if let Some(store) = &mut store
                    && let Err(error) = store.append(&game.row, &game.record)
                {
                    failure.get_or_insert(error);
                    return ControlFlow::Break(());
                }
                rows.push(game.row);
                let state = on_game(&rows);
                progress.show(rows.len() as u64, &state.line);
                if state.stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        progress.clear();
        let kept = rows.len();
        let hint = if self.out.is_some() { "; --resume continues" } else { "" };
        let outcome = if let Some(error) = failure {
            Err(anyhow!(error)
                .context(format!("cannot save a game; {kept} games are saved, --resume continues")))
        } else if stop.load(Relaxed) {
            Err(Interrupted(format!("interrupted after {kept} of {games} games{hint}")).into())
        } else {
            outcome.with_context(|| format!("ended after {kept} of {games} games"))
        };
        rows.sort_by_key(|row| row.game);
        Ok(PlayedGames { rows, store, outcome })
    }

    fn open(&self, identity: &ExperimentIdentity) -> Result<(Option<ExperimentFolder>, Vec<GameRow>)> {
        let Some(folder) = &self.out else { return Ok((None, Vec::new())) };
        let (store, found) = ExperimentFolder::open::<GameRow>(folder, identity, self.resume)?;
        if let Some(notice) = found.notice() {
            print_error(&notice);
        }
        Ok((Some(store), found.rows))
    }

    /// Returns an error if a contestant writes to a table file, which would not be empty when the next game begins.
    fn check_table_files(experiment: &Experiment) -> Result<()> {
        let contestants = experiment.pairings.iter().flat_map(|pairing| &pairing.contestants);
        for contestant in contestants.filter(|_| !experiment.keep_table) {
            ensure!(
                !contestant.writes_to_file(),
                "{:?}: the table file would keep positions between games: give --table-mode cow, to begin each game with the \
                 file as it is, or in a match --keep-table",
                contestant.description()
            );
        }
        Ok(())
    }

    /// Returns an error for a time per move that GTP, with whole seconds only, cannot pass to a program.
    fn check_time(experiment: &Experiment) -> Result<()> {
        let is_other = |time: &Duration| time.subsec_nanos() > 0 || time.is_zero();
        let Some(time) = experiment.conditions.time_per_move.filter(is_other) else { return Ok(()) };
        let mut contestants = experiment.pairings.iter().flat_map(|pairing| &pairing.contestants);
        if let Some(ContestantSpec::Program(command)) =
            contestants.find(|it| matches!(it, ContestantSpec::Program(_)))
        {
            bail!(
                "--time {}: GTP can pass only whole seconds to {command:?}; give whole seconds, or set the limit in its command line",
                time.as_secs_f64()
            );
        }
        Ok(())
    }

    /// Returns an error if the tables of all games played at the same time do not fit the machine.
    fn check_memory(&self, experiment: &Experiment) -> Result<()> {
        let mut largest = 0;
        for pairing in &experiment.pairings {
            let [one, other] = &pairing.contestants;
            largest = largest.max(one.table_bytes()? + other.table_bytes()?);
        }
        check_memory_fits(largest, self.concurrency())
    }
}

/// Returns the title of a chart of a sweep.
pub(super) fn sweep_title(size: impl Display, komi: impl Display) -> String {
    format!("Strength and table size, {size}, komi {komi}")
}

/// The state of an experiment after some of its games.
pub(super) struct ExperimentState {
    /// The running score.
    pub(super) line: String,
    /// True if no more games are needed.
    pub(super) stop: bool,
}

/// The games of an experiment.
pub(super) struct PlayedGames {
    /// In the order of their numbers.
    pub(super) rows: Vec<GameRow>,
    /// The folder of the games, if there is one.
    pub(super) store: Option<ExperimentFolder>,
    /// The failure or the user's interruption that ended the games early, for the end of the report.
    pub(super) outcome: Result<()>,
}

/// Returns the number of openings and a hash of their moves.
fn fingerprint(openings: &[Opening]) -> String {
    let mut sum = 0_u64;
    for opening in openings {
        for &(player, mv) in &opening.moves {
            sum = crate::base::zobrist::mix(sum ^ (u64::from(mv.0) << 1 | player as u64));
        }
        sum = crate::base::zobrist::mix(!sum);
    }
    format!("{} ({sum:016x})", openings.len())
}

struct ProgressDisplay {
    bar: ProgressBar,
    last_line: std::cell::Cell<Option<Instant>>,
    is_quiet: bool,
}

impl ProgressDisplay {
    fn new(games: u64, done: u64, is_quiet: bool) -> ProgressDisplay {
        let is_terminal = std::io::stderr().is_terminal() && !is_quiet;
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(games), target).with_position(done);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}, {eta} left") {
            bar.set_style(style);
        }
        bar.reset_eta();
        ProgressDisplay { bar, last_line: std::cell::Cell::new(Some(Instant::now())), is_quiet }
    }

    fn show(&self, games: u64, line: &str) {
        self.bar.set_position(games);
        self.bar.set_message(line.to_owned());
        let is_due = self.last_line.get().is_none_or(|last| last.elapsed() >= LINE_INTERVAL);
        if self.bar.is_hidden() && !self.is_quiet && is_due {
            self.last_line.set(Some(Instant::now()));
            print_error(&format!("{games} games: {line}"));
        }
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
