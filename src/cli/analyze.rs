//! `tewari analyze`: analysis of a record or of an empty board.

use super::options::{DeadStonesChoice, EngineArguments, LimitArguments, POSITION, describe_default};
use super::print::{print_error, progress_bar};
use super::ranks;
use super::record_files::read_bytes;
use super::table_game::{ChosenGame, TableGame, choose_game};
use crate::base::game::{Game, Move};
use crate::engine::{Engine, EngineOptions, FINAL_REPORT_WAIT, LIVE_REPORT_WAIT};
use crate::external::LoadingMessages;
use crate::go::{Komi, Position, Record, Rules, Size};
use crate::records::sgf::{self, ChosenTerms, DefaultTerms, GameRecord, RecordMove, RecordTurn, ReplayError};
use crate::reports::analysis::{Analysis, Head, json, positions, text};
use crate::search::{Limits, Report};
use anyhow::{Context, Result, anyhow, bail};
use clap::{Arg, Args, ValueEnum};
use indicatif::ProgressBar;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default number of simulations of a position.
const DEFAULT_SIMULATIONS: u64 = 10_000;
/// Default number of simulations of a small empty board, for a proof.
const DEFAULT_SIMULATIONS_FOR_PROOF: u64 = 1_000_000;
/// Maximum number of points of a board that may be proven.
const PROVABLE_POINTS: usize = 16;

#[derive(Args)]
#[command(mut_args(describe_default_simulations))]
pub(super) struct AnalyzeArguments {
    /// An SGF file, or - for standard input. Without a file: the empty board of --size.
    file: Option<PathBuf>,
    /// Analyse only the position after N moves; 0 is the start, -1 the last position, -2 the one before. Default: all
    /// positions of the main line.
    #[arg(long = "move", value_name = "N", requires = "file", allow_negative_numbers = true, help_heading = POSITION)]
    turn: Option<i128>,
    /// The number of the game, from 1, in a file with several. Default: all of them, one after the other.
    #[arg(long, value_name = "N", requires = "file", help_heading = POSITION)]
    game: Option<NonZeroUsize>,
    /// Board, as COLUMNSxROWS or one number, each from 1 to 19; a file has its own. Default: the table file's, or 19.
    #[arg(long, conflicts_with = "file", help_heading = POSITION)]
    size: Option<Size>,
    /// Komi; default: the file's, or 0.5 with a handicap, or the table file's, or 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true, help_heading = POSITION)]
    komi: Option<Komi>,
    /// Rules: chinese, japanese, korean, aga, nz, ing, tromp-taylor, or
    /// ko=simple|positional|situational,suicide=yes|no,scoring=area|territory. Default: the file's if it names them,
    /// or the table file's, or chinese.
    #[arg(long, help_heading = POSITION)]
    rules: Option<Rules>,
    /// Number of passes over the positions; each builds on the search of the earlier ones. Text shows the last pass
    /// only, JSON all of them.
    #[arg(long, value_name = "N", default_value = "1", requires = "file")]
    passes: NonZeroUsize,
    /// Order of the positions: forward; back, where the search of later positions helps the earlier ones; or both,
    /// where passes alternate between forward and back.
    #[arg(long, value_enum, default_value = "forward", requires = "file")]
    direction: Direction,
    /// Stones removed as dead where a game has ended. Default: none by tromp-taylor rules, else those that both players
    /// would agree on.
    #[arg(long, value_enum, help_heading = POSITION)]
    dead: Option<DeadStonesChoice>,
    /// Also print the ownership of each point, from Black's point of view: as a board, or in JSON as KataGo's
    /// `ownership`, rows from the top.
    #[arg(long)]
    ownership: bool,
    /// Output format: text for people, or one JSON object a line.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Also print statistics of the table.
    #[arg(long)]
    verbose: bool,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

fn describe_default_simulations(option: Arg) -> Arg {
    let proof =
        format!("{DEFAULT_SIMULATIONS_FOR_PROOF} for an empty board of at most {PROVABLE_POINTS} points");
    let default = format!("{DEFAULT_SIMULATIONS} a position, unless another limit is set; {proof}");
    describe_default(option, "simulations", default)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Direction {
    Forward,
    Back,
    Both,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(mut arguments: AnalyzeArguments) -> Result<()> {
    let ranks = ranks::join(false)?;
    arguments.engine = arguments.engine.of_rank(ranks.as_ref());
    let arguments = &arguments;
    if ranks::has_served(ranks.as_ref(), &|size, rules, komi| {
        let (size, rules) = (arguments.size.unwrap_or(size), arguments.rules.unwrap_or(rules));
        arguments.engine_options(size, rules, arguments.komi.unwrap_or(komi))
    })? {
        return Ok(());
    }
    match &arguments.file {
        Some(path) => analyse_file(arguments, path),
        None => analyse_empty_board(arguments),
    }
}

fn analyse_empty_board(arguments: &AnalyzeArguments) -> Result<()> {
    let table = TableGame::of(&arguments.engine);
    let ChosenGame { size, rules, komi } =
        choose_game(table.as_ref(), arguments.size, arguments.given(), Size::new(19, 19)?);
    let position = Position::new(size, rules, komi);
    let passes = arguments.passes.get();
    let head = Head::without_record(rules);
    let mut game_analysis = GameAnalysis::new(arguments, size.to_string(), head, &position, passes)?;
    print_mismatch(table.as_ref(), rules, komi);
    let start = RecordTurn { turn: 0, played: None, set_up: None, position, replaced: None };
    for pass in 1..=passes {
        game_analysis.analyse(&start, pass)?;
    }
    if let Some(warning) = game_analysis.engine.warning() {
        print_error(&warning);
    }
    Ok(())
}

fn print_mismatch(table: Option<&TableGame>, rules: Rules, komi: Komi) {
    if let Some(mismatch) = table.and_then(|table| table.mismatch(rules, komi)) {
        print_error(&mismatch);
    }
}

/// Analyses the selected game, or all games in order. The error of a record is printed as it occurs; the last one is
/// returned.
fn analyse_file(arguments: &AnalyzeArguments, path: &Path) -> Result<()> {
    let name = path.display().to_string();
    let bytes = read_bytes(path).with_context(|| format!("cannot read {name}"))?;
    let collection = sgf::read_damaged(&bytes).map_err(|error| with_name(&name, error))?;
    drop(bytes);
    for warning in &collection.warnings {
        print_error(&format!("{name}: {warning}"));
    }
    let games = collection.games.len();
    let wanted = arguments.game.map(NonZeroUsize::get);
    match (wanted, games) {
        (Some(game), 1) if game > 1 => bail!("{name} has 1 game: there is no game {game}"),
        (Some(game), games) if game > games => bail!("{name} has {games} games: there is no game {game}"),
        _ => {}
    }
    let mut failure: Option<anyhow::Error> = None;
    for (number, record) in (1..).zip(&collection.games) {
        if wanted.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let id = if number == 1 { name.clone() } else { format!("{name}, game {number}") };
        let Some(next) = analyse_game(arguments, record, &id)? else { continue };
        if let Some(earlier) = failure.replace(next) {
            print_error(&earlier.to_string());
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Analyses one game. Returns the error of its record, if there is one.
fn analyse_game(
    arguments: &AnalyzeArguments,
    record: &GameRecord,
    id: &str,
) -> Result<Option<anyhow::Error>> {
    for warning in &record.warnings {
        print_error(&format!("{id}: {warning}"));
    }
    let table = TableGame::of_record(&arguments.engine, record);
    let otherwise = table.as_ref().map_or_else(DefaultTerms::default, TableGame::otherwise);
    let terms = match record.terms(arguments.given(), otherwise) {
        Ok(terms) => terms,
        Err(error) => return Ok(Some(with_name(id, error))),
    };
    print_mismatch(table.as_ref(), terms.rules, terms.komi);
    let turn = match arguments.turn.map(|given| turn_of(given, record.move_count())).transpose() {
        Ok(turn) => turn,
        Err(error) => return Ok(Some(with_name(id, error))),
    };
    let count = if turn.is_some() { 1 } else { record.move_count() + 1 };
    let passes = arguments.passes.get();
    let mut game_analysis = None;
    let mut cut_off = None;
    for pass in 1..=passes {
        let keys = arguments.engine.key_policy();
        let positions = match positions::positions_of(record, turn, &terms, keys) {
            Ok(positions) => positions,
            Err(error) => return Ok(Some(with_name(id, error))),
        };
        let mut analyse = |step: &RecordTurn| {
            let game_analysis = match &mut game_analysis {
                Some(game_analysis) => game_analysis,
                None => {
                    let head = Head::new(record, &terms);
                    let count = count * passes;
                    let mut new = GameAnalysis::new(arguments, id.to_owned(), head, &step.position, count)?;
                    new.moves = moves_of(record, step.position.size());
                    game_analysis.insert(new)
                }
            };
            game_analysis.analyse(step, pass)
        };
        cut_off = if arguments.goes_back(pass) {
            let (positions, error) = all_of(positions);
            positions.iter().rev().try_for_each(&mut analyse)?;
            error
        } else {
            one_by_one(positions, &mut analyse)?
        };
    }
    if let Some(warning) = game_analysis.and_then(|game_analysis| game_analysis.engine.warning()) {
        print_error(&warning);
    }
    Ok(cut_off.map(|error| with_name(id, error)))
}

/// Returns the turn of `--move` in a record of `moves` moves, or an error message.
fn turn_of(given: i128, moves: usize) -> Result<usize, String> {
    let from_end = |back: u128| (moves + 1).checked_sub(usize::try_from(back).ok()?);
    let turn = if given < 0 { from_end(given.unsigned_abs()) } else { usize::try_from(given).ok() };
    turn.ok_or_else(|| {
        format!(
            "--move {given}: the game has {moves} moves; expected a number from -{} to {moves}",
            moves + 1
        )
    })
}

/// Returns the moves of a record, up to the first that is unreadable or outside a board of `size`.
fn moves_of(record: &GameRecord, size: Size) -> Vec<Move> {
    let on_board = |place: &RecordMove| match place {
        RecordMove::Pass => Some(size.pass()),
        RecordMove::Point(point) => size.move_at(usize::from(point.column), usize::from(point.row)),
        RecordMove::Unreadable(_) => None,
    };
    record.moves().map_while(|(_, place)| on_board(place)).collect()
}

/// Analyses positions as they are read. Returns the error that ended them early, if there is one.
fn one_by_one(
    positions: impl Iterator<Item = Result<RecordTurn, ReplayError>>,
    analyse: &mut impl FnMut(&RecordTurn) -> Result<()>,
) -> Result<Option<ReplayError>> {
    for step in positions {
        match step {
            Ok(step) => analyse(&step)?,
            Err(error) => return Ok(Some(error)),
        }
    }
    Ok(None)
}

/// Returns all positions (20 KiB each on 19x19) and the error after which none follow, if any.
fn all_of(
    positions: impl Iterator<Item = Result<RecordTurn, ReplayError>>,
) -> (Vec<RecordTurn>, Option<ReplayError>) {
    let mut steps = Vec::new();
    for step in positions {
        match step {
            Ok(step) => steps.push(step),
            Err(error) => return (steps, Some(error)),
        }
    }
    (steps, None)
}

impl AnalyzeArguments {
    fn given(&self) -> ChosenTerms {
        ChosenTerms { rules: self.rules, komi: self.komi }
    }

    fn engine_options(&self, size: Size, rules: Rules, komi: Komi) -> EngineOptions {
        let mut options = self.engine.options(size, rules, komi, self.seed);
        options.dead_stones = self.dead.map(Into::into);
        options
    }

    /// Returns true if pass number `pass`, from 1, begins at the end of the game.
    fn goes_back(&self, pass: usize) -> bool {
        match self.direction {
            Direction::Forward => false,
            Direction::Back => true,
            Direction::Both => pass.is_multiple_of(2),
        }
    }
}

/// Returns an error with the name of the file; the message of `error` already includes its sources.
fn with_name(name: &str, error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{name}: {error}")
}

/// The analysis of a game: positions are searched in order, and each result is written at once.
struct GameAnalysis<'a> {
    arguments: &'a AnalyzeArguments,
    id: String,
    head: Head,
    is_head_written: bool,
    moves: Vec<Move>,
    engine: Engine,
    progress: ProgressBar,
}

impl<'a> GameAnalysis<'a> {
    /// Creates the analysis of a game of `count` positions with the board, rules and komi of `first`.
    fn new(
        arguments: &'a AnalyzeArguments,
        id: String,
        head: Head,
        first: &Position,
        count: usize,
    ) -> Result<GameAnalysis<'a>> {
        let mut options = arguments.engine_options(first.size(), first.rules(), first.komi());
        if arguments.file.is_some() {
            TableGame::keep_board_of_file(&mut options);
        }
        let (engine, progress) = (Engine::new(options)?, progress_bar(count as u64, "positions", false));
        Ok(GameAnalysis { arguments, id, head, is_head_written: false, moves: Vec::new(), engine, progress })
    }

    /// Analyses a position in pass number `pass`, from 1.
    fn analyse(&mut self, step: &RecordTurn, pass: usize) -> Result<()> {
        // Setup stones in a record may change the position, but never the size of the board.
        self.engine.set_record(Record::from_position(step.position.clone()))?;
        let next = self.moves.get(step.turn).copied();
        let end = step.position.is_over().then(|| {
            let dead = DeadStonesChoice::or_by_rules(self.arguments.dead, step.position.rules());
            dead.statuses(&step.position, self.engine.options().playouts)
        });
        let has_ownership = end.is_none() && self.arguments.ownership;
        let mut ownership = has_ownership.then(|| self.engine.line_ownership(&step.position));
        // Ahead of the search, so that the answer comes in time.
        ownership.iter_mut().for_each(|line| line.begin_report([], Duration::ZERO));
        let report = match end {
            Some(_) => self.engine.look_up(step.position.clone()),
            None => self.search(&step.position)?,
        };
        let is_timed = limits(self.arguments, step.position.size()).time.is_some();
        let wait = if is_timed { LIVE_REPORT_WAIT } else { FINAL_REPORT_WAIT };
        ownership.iter_mut().for_each(|line| line.begin_report([], wait));
        let huge_page_bytes = self.engine.table().huge_page_bytes();
        let analysis = Analysis {
            pass,
            huge_page_bytes,
            next,
            ..Analysis::new(&self.id, step.turn, step.played, &step.position, report)
        };
        let analysis = match (&end, ownership) {
            (Some(statuses), _) => analysis.with_end(&step.position, statuses),
            (None, Some(line)) => analysis.with_ownership(&self.engine, line),
            (None, None) => analysis,
        };
        if pass == self.arguments.passes.get() || self.arguments.format == Format::Json {
            self.progress.suspend(|| self.write(&step.position, &analysis)).context("cannot write output")?;
            self.is_head_written = true;
        }
        self.progress.inc(1);
        Ok(())
    }

    fn search(&mut self, position: &Position) -> Result<Report> {
        let limits = limits(self.arguments, position.size());
        let mut loading = LoadingMessages::new(self.engine.options().external.as_ref());
        let report = self.engine.search_position(position.clone(), limits, &mut |_| {
            self.progress.tick();
            loading.due().into_iter().for_each(|message| self.progress.suspend(|| print_error(&message)));
            true
        });
        Ok(report?)
    }

    fn write(&self, position: &Position, analysis: &Analysis) -> std::io::Result<()> {
        let mut output = BufWriter::new(std::io::stdout().lock());
        match self.arguments.format {
            Format::Text => {
                if !self.is_head_written {
                    let (size, rules, komi) = (position.size(), position.rules(), position.komi());
                    writeln!(output, "{}", self.head.text(&self.id, size, rules, komi))?;
                }
                let is_one = self.arguments.turn.is_some() || self.arguments.file.is_none();
                let style = text::Style { has_board: is_one, has_table: self.arguments.verbose };
                writeln!(output, "{}", text::paragraph(analysis, position, style))?;
                if self.arguments.ownership {
                    writeln!(output, "{}\n", text::territory(analysis))?;
                }
            }
            Format::Json => {
                let mut object = json::object(analysis);
                self.head.add_to(&mut object);
                if self.arguments.ownership {
                    object["ownership"] = json::ownership(analysis);
                }
                writeln!(output, "{object}")?;
            }
        }
        output.flush()
    }
}

impl Drop for GameAnalysis<'_> {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}

fn limits(arguments: &AnalyzeArguments, size: Size) -> Limits {
    let may_be_proven = arguments.file.is_none() && size.points() <= PROVABLE_POINTS;
    let default = if may_be_proven { DEFAULT_SIMULATIONS_FOR_PROOF } else { DEFAULT_SIMULATIONS };
    arguments.limits.or(Limits { simulations: Some(default), ..Limits::default() })
}
