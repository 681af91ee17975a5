//! `tewari play`: a game against the engine in the terminal.

mod screen;
mod terminal;

use self::terminal::Terminal;
use super::interrupt::end_search_on_interrupt;
use super::options::{
    EngineArguments, LIMITS, LimitArguments, POSITION, describe_default_limit, describe_default_table,
};
use super::print::print_error;
use super::table_game::{ChosenGame, TableGame, choose_game};
use super::usage_error::usage;
use crate::base::game::Player;
use crate::engine::{Engine, Level};
use crate::go::drawing::BoardStyle;
use crate::go::handicap::Handicap;
use crate::go::{Komi, Rules, Size};
use crate::play::console::{Console, Lines};
use crate::play::end_search::EndSearch;
use crate::play::go::{GoGame, GoGameSettings};
use crate::play::tictactoe::TicTacToeGame;
use crate::play::{InteractiveGame, converse};
use crate::records::sgf::ChosenTerms;
use crate::search::Limits;
use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use std::io::{BufReader, ErrorKind, IsTerminal};
use std::time::Duration;

/// Default komi of handicap games, half a point: the stones are the compensation.
const HANDICAP_KOMI: Komi = Komi(1);
/// Default time for a move, short since a person waits.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// Default number of simulations for a move of tic-tac-toe: enough to prove it.
const DEFAULT_SIMULATIONS: u64 = 20_000;
/// Bytes of a table of tic-tac-toe, more than all its positions take.
const TICTACTOE_TABLE_BYTES: u64 = 8 << 20;

#[derive(Args)]
pub(super) struct PlayArguments {
    #[command(subcommand)]
    game: PlayedGameCommand,
}

#[derive(Subcommand)]
enum PlayedGameCommand {
    /// Play Go.
    Go(Box<GoArguments>),
    /// Play tic-tac-toe.
    #[command(mut_args(|it| {
        describe_default_limit(it, "simulations", format_args!("{DEFAULT_SIMULATIONS} a move"))
    }))]
    #[command(mut_args(|it| describe_default_table(it, TICTACTOE_TABLE_BYTES)))]
    Tictactoe(Box<CommonArguments>),
}

#[derive(Args)]
#[command(mut_args(|it| {
    describe_default_limit(it, "time", format_args!("{} s a move", DEFAULT_TIME.as_secs_f64()))
}))]
struct GoArguments {
    /// Board, as COLUMNSxROWS or one number. Default: the table file's, or 9.
    #[arg(long, help_heading = POSITION)]
    size: Option<Size>,
    /// Komi. Default: 0.5 with a handicap, else the table file's, or 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true, help_heading = POSITION)]
    komi: Option<Komi>,
    /// Handicap stones of Black: a number, placed as by GTP's fixed_handicap, or points such as D4,Q16.
    #[arg(long, value_name = "N|POINTS", help_heading = POSITION)]
    handicap: Option<Handicap>,
    /// Rules. Default: the table file's, or chinese.
    #[arg(long, help_heading = POSITION)]
    rules: Option<Rules>,
    /// Strength: from 1 to 10, or beginner, novice, learner, casual, improver, steady, club, strong, expert, master.
    /// Overrides --simulations, --visits and --time, and below club also --network; hints and estimates keep these
    /// options, except --network if --table is given.
    #[arg(long, value_name = "LEVEL", help_heading = LIMITS)]
    level: Option<Level>,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Args)]
struct CommonArguments {
    /// Your colour: black moves first (in tic-tac-toe it is X).
    #[arg(long, value_enum, default_value_t = Side::Black)]
    colour: Side,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Side {
    Black,
    White,
}

impl CommonArguments {
    fn human(&self) -> Player {
        match self.colour {
            Side::Black => Player::Black,
            Side::White => Player::White,
        }
    }

    fn limits(&self, default: Limits) -> Limits {
        self.limits.or(default)
    }
}

pub(super) fn run(arguments: &PlayArguments) -> Result<()> {
    match &arguments.game {
        PlayedGameCommand::Go(go) => play_go(go),
        PlayedGameCommand::Tictactoe(common) => {
            let engine = common.engine.without_file()?.with_default_table(TICTACTOE_TABLE_BYTES);
            let options = engine.options(Size::new(3, 3)?, Rules::CHINESE, Komi(0), common.seed);
            let bytes = options.table_bytes()?;
            let limits =
                common.limits(Limits { simulations: Some(DEFAULT_SIMULATIONS), ..Limits::default() });
            let policy = options.policy.policy(limits.simulations.unwrap_or(DEFAULT_SIMULATIONS));
            let end_search = end_search();
            let mut game = TicTacToeGame::new(bytes, policy, options.parameters, limits, end_search)?;
            play_game(&mut game, common.human(), end_search)
        }
    }
}

fn play_go(arguments: &GoArguments) -> Result<()> {
    let common = &arguments.common;
    let table = TableGame::of(&common.engine);
    let komi = arguments.komi.or(arguments.handicap.as_ref().map(|_| HANDICAP_KOMI));
    let given = ChosenTerms { rules: arguments.rules, komi };
    let ChosenGame { size, rules, komi } =
        choose_game(table.as_ref(), arguments.size, given, Size::new(9, 9)?);
    let mut options = common.engine.options(size, rules, komi, common.seed);
    let mut adviser = None;
    if let Some(level) = arguments.level {
        adviser = options.split_off_adviser().map(Engine::new).transpose()?;
        level.apply(&mut options);
    }
    let engine = Engine::new(options)?;
    if let Some(mismatch) = table.and_then(|table| table.mismatch(rules, komi)) {
        print_error(&mismatch);
    }
    let limits = common.limits(Limits { time: Some(DEFAULT_TIME), ..Limits::default() });
    let end_search = end_search();
    let setting = GoGameSettings {
        human: common.human(),
        limits,
        level: arguments.level,
        style: board_style(),
        end_search,
    };
    let mut game = GoGame::new(engine, setting);
    if let Some(adviser) = adviser {
        game = game.with_adviser(adviser);
    }
    if let Some(handicap) = &arguments.handicap {
        usage(game.give(handicap).context("--handicap"))?;
    }
    play_game(&mut game, common.human(), end_search)
}

/// Returns the end of a search by Ctrl-C at a terminal.
fn end_search() -> EndSearch {
    EndSearch(is_terminal().then(end_search_on_interrupt))
}

/// Returns true if standard input and output are terminals that can move the cursor.
fn is_terminal() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|kind| kind == "dumb");
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !is_dumb
}

/// Returns colours for a terminal, unless `NO_COLOR` is set, and circles if the locale is UTF-8.
///
/// Source: <https://no-color.org>.
fn board_style() -> BoardStyle {
    let has_colours = is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.is_empty()).then(|| value.to_lowercase())
    });
    let has_circles = locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"));
    if has_colours { BoardStyle::Colours { has_circles } } else { BoardStyle::Plain }
}

fn play_game(game: &mut dyn InteractiveGame, human: Player, end_search: EndSearch) -> Result<()> {
    let mut console: Box<dyn Console> = if is_terminal() {
        Box::new(Terminal::new().context("cannot use the terminal")?)
    } else {
        Box::new(Lines::new(BufReader::new(std::io::stdin()), std::io::stdout().lock()))
    };
    match converse(game, human, end_search, &mut *console) {
        // The reader has closed the output.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("cannot continue the game"),
    }
}
