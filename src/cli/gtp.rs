//! `tewari gtp`: the Go Text Protocol on standard input and output.

use super::options::{DeadStonesChoice, EngineArguments, LIMITS, LimitArguments, POSITION, describe_default};
use super::print::plural;
use super::ranks;
use super::table_game::{ChosenGame, TableGame, choose_game};
use super::value_parsers::parse_probability;
use crate::engine::{DecisionSettings, Engine, EngineOptions, Level, MoveBudget};
use crate::go::{Komi, Rules, Scoring, Size};
use crate::protocols::gtp::{Session, SessionOptions};
use crate::records::sgf::ChosenTerms;
use crate::records::sgf::terms::TERRITORY_NOTE;
use anyhow::{Context, Result, ensure};
use clap::{Arg, Args};
use rand::rand_core::TryRng;
use rand::rngs::SysRng;
use std::io::Write;
use std::time::Duration;

/// Time for a move if neither an option nor a clock limits it.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

#[derive(Args)]
#[command(mut_args(describe_default_time))]
pub(super) struct GtpArguments {
    /// Board at the start, as COLUMNSxROWS or one number, each from 1 to 19. Default: the table file's, or 19.
    #[arg(long, help_heading = POSITION)]
    size: Option<Size>,
    /// Komi at the start. Default: the table file's, or 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true, help_heading = POSITION)]
    komi: Option<Komi>,
    /// Rules: chinese (positional superko, no suicide), japanese, korean, aga, nz, ing, tromp-taylor, or
    /// ko=simple|positional|situational,suicide=yes|no,scoring=area|territory. Default: the table file's, or
    /// chinese.
    #[arg(long, help_heading = POSITION)]
    rules: Option<Rules>,
    /// Seed of the random numbers. Default: a new one each time, printed at the start.
    #[arg(long)]
    seed: Option<u64>,
    /// Resign when the engine's win rate, from 0 to 1, is below this; 0 never resigns.
    #[arg(long, default_value_t = 0.1, value_parser = parse_probability)]
    resign: f64,
    /// Answer to the GTP command `name`. Lizzie reads scores and ownership only from an engine with a name that begins
    /// with KataGo.
    #[arg(long, value_name = "TEXT", default_value = "Tewari")]
    gtp_name: String,
    /// Answer to the GTP command `version`. Lizzie requires at least 0.15.
    #[arg(long, value_name = "TEXT", default_value = env!("CARGO_PKG_VERSION"))]
    gtp_version: String,
    /// Keep searching on the opponent's time, until the next command. Not with --level, which limits the search.
    #[arg(long)]
    ponder: bool,
    /// Stones removed as dead at the end of a game. Default: none by tromp-taylor rules, else those that both players
    /// would agree on.
    #[arg(long, value_enum, help_heading = POSITION)]
    dead: Option<DeadStonesChoice>,
    /// Print nothing on standard error.
    #[arg(long, short)]
    quiet: bool,
    /// Strength: from 1 to 10, or beginner, novice, learner, casual, improver, steady, club, strong, expert, master.
    /// Overrides --simulations, --visits and --time, and below club also --network.
    #[arg(long, value_name = "LEVEL", help_heading = LIMITS)]
    level: Option<Level>,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

fn describe_default_time(option: Arg) -> Arg {
    let seconds = DEFAULT_TIME.as_secs_f64();
    let exception = "unless another limit or a clock is set";
    describe_default(option, "time", format_args!("{seconds} s a move, {exception}"))
}

impl GtpArguments {
    /// Returns an error for options that exclude each other, from the command line or the settings file.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.level.is_none() || !self.ponder,
            "--level and --ponder cannot be combined: pondering searches more than a level allows. Leave one of them out; --ponder=false overrides the settings file"
        );
        Ok(())
    }
}

pub(super) fn run(mut arguments: GtpArguments) -> Result<()> {
    let seed = match arguments.seed {
        Some(seed) => seed,
        None => SysRng.try_next_u64()? >> 1,
    };
    let ranks = ranks::join(arguments.quiet)?;
    arguments.engine = arguments.engine.of_rank(ranks.as_ref());
    if ranks::has_served(ranks.as_ref(), &|size, rules, komi| {
        let (size, rules) = (arguments.size.unwrap_or(size), arguments.rules.unwrap_or(rules));
        engine_options(&arguments, (size, rules, arguments.komi.unwrap_or(komi)), seed)
    })? {
        return Ok(());
    }
    let table = TableGame::of(&arguments.engine);
    let given = ChosenTerms { rules: arguments.rules, komi: arguments.komi };
    let ChosenGame { size, rules, komi } =
        choose_game(table.as_ref(), arguments.size, given, Size::new(19, 19)?);
    let engine = Engine::new(engine_options(&arguments, (size, rules, komi), seed))?;
    let quiet = arguments.quiet;
    // A closed standard error must not end the game.
    let say = move |line: &str| {
        if !quiet {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    };
    say(&greeting(&engine));
    if let Some(mismatch) = table.and_then(|table| table.mismatch(rules, komi)) {
        say(&mismatch);
    }
    if engine.options().rules.scoring == Scoring::Territory {
        say(TERRITORY_NOTE);
    }
    let LimitArguments { visits, simulations, time } = arguments.limits;
    let budget = MoveBudget { visits, simulations, time };
    let session_options = SessionOptions {
        name: arguments.gtp_name,
        version: arguments.gtp_version,
        decisions: DecisionSettings {
            budget: arguments.level.map_or(budget, |level| level.limits().into()),
            default_time: DEFAULT_TIME,
            resign_below: arguments.resign,
        },
        ponders: arguments.ponder,
        level: arguments.level,
    };
    let mut output = ErrorRecordingWriter { output: std::io::stdout().lock(), failure: None };
    let mut session = Session::new(engine, session_options)
        .with_diagnostics(say)
        .with_closed_output(super::closed_output::watch_for_closed_output());
    let input = std::io::BufReader::new(std::io::stdin());
    session.run(input, &mut output).context("cannot continue the session")?;
    match output.failure {
        // A client that sends `quit` may close the output before the answer.
        _ if session.has_quit() => Ok(()),
        Some(failure) => Err(failure).context("cannot write output"),
        None => super::closed_output::check_client(),
    }
}

fn engine_options(
    arguments: &GtpArguments,
    (size, rules, komi): (Size, Rules, Komi),
    seed: u64,
) -> EngineOptions {
    let mut options = arguments.engine.options(size, rules, komi, seed);
    options.dead_stones = arguments.dead.map(Into::into);
    if let Some(level) = arguments.level {
        level.apply(&mut options);
    }
    options
}

/// An output that stores its first error: a session ends without one when its output is closed.
struct ErrorRecordingWriter<W> {
    output: W,
    failure: Option<std::io::Error>,
}

impl<W> ErrorRecordingWriter<W> {
    fn watch<T>(&mut self, outcome: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &outcome {
            self.failure.get_or_insert_with(|| std::io::Error::from(error.kind()));
        }
        outcome
    }
}

impl<W: Write> Write for ErrorRecordingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let outcome = self.output.write(bytes);
        self.watch(outcome)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let outcome = self.output.flush();
        self.watch(outcome)
    }
}

/// Returns one line with the version, table, threads, seed and rules.
fn greeting(engine: &Engine) -> String {
    let EngineOptions { parameters, rules, size, .. } = engine.options();
    let layout = engine.table().layout();
    format!(
        "tewari {}: table{} {:.1} MiB ({} entries, {} edge pages on {size}), {}, seed {}, rules {rules}",
        env!("CARGO_PKG_VERSION"),
        engine.table().path().map_or(String::new(), |path| format!(" in {},", path.display())),
        layout.bytes() as f64 / (1 << 20) as f64,
        layout.entries(),
        layout.pages,
        plural(parameters.threads as u64, "thread"),
        parameters.seed,
    )
}
