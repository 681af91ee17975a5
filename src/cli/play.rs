//! `tewari play`.

use super::options::{EngineArguments, LimitArguments, POSITION};
use super::print_error;
use super::table_game::{Chosen, TableGame, choose};
use crate::engine::Engine;
use crate::game::Player;
use crate::go::{Komi, Rules, Size};
use crate::play::go::GoGame;
use crate::play::tictactoe::TicTacToeGame;
use crate::play::{InteractiveGame, converse};
use crate::search::Limits;
use crate::sgf::Given;
use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use std::io::{BufReader, ErrorKind};
use std::time::Duration;

/// Time for a move where nothing limits it: nobody waits long for a game.
pub(super) const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// Simulations for a move of tic-tac-toe: enough to prove it.
pub(super) const DEFAULT_SIMULATIONS: u64 = 20_000;
/// More than all positions of tic-tac-toe take.
pub(super) const TICTACTOE_TABLE: u64 = 8 << 20;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    game: Choice,
}

#[derive(Subcommand)]
enum Choice {
    /// Go.
    Go(Box<GoArguments>),
    /// Tic-tac-toe.
    Tictactoe(Box<CommonArguments>),
}

#[derive(Args)]
struct GoArguments {
    /// Board, as COLUMNSxROWS or one number. Default: the table file's, or 9.
    #[arg(long, help_heading = POSITION)]
    size: Option<Size>,
    /// Komi. Default: the table file's, or 7.5.
    #[arg(long, allow_hyphen_values = true, help_heading = POSITION)]
    komi: Option<Komi>,
    /// Rules. Default: the table file's, or chinese.
    #[arg(long, help_heading = POSITION)]
    rules: Option<Rules>,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Args)]
struct CommonArguments {
    /// Your side: black moves first (in tic-tac-toe it is X).
    #[arg(long, value_enum, default_value_t = Side::Black)]
    colour: Side,
    /// Seed of all randomness.
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
        let LimitArguments { visits, simulations, time } = self.limits;
        let is_limited = visits.is_some() || simulations.is_some() || time.is_some();
        if is_limited { Limits { visits, simulations, time, ..Limits::default() } } else { default }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.game {
        Choice::Go(go) => {
            let table = TableGame::of(&go.common.engine);
            let given = Given { rules: go.rules, komi: go.komi };
            let Chosen { size, rules, komi } = choose(table.as_ref(), go.size, given, Size::new(9, 9)?);
            let engine = Engine::new(go.common.engine.options(size, rules, komi, go.common.seed))?;
            if let Some(mismatch) = table.and_then(|table| table.mismatch(rules, komi)) {
                print_error(&mismatch);
            }
            let limits = go.common.limits(Limits { time: Some(DEFAULT_TIME), ..Limits::default() });
            sit_down(&mut GoGame::new(engine, limits), go.common.human())
        }
        Choice::Tictactoe(common) => {
            let engine = common.engine.without_file()?.with_default_table(TICTACTOE_TABLE);
            let options = engine.options(Size::new(3, 3)?, Rules::CHINESE, Komi(0), common.seed);
            let bytes = options.table_bytes()?;
            let limits =
                common.limits(Limits { simulations: Some(DEFAULT_SIMULATIONS), ..Limits::default() });
            let policy = options.policy.policy(limits.simulations.unwrap_or(DEFAULT_SIMULATIONS));
            let mut game = TicTacToeGame::new(bytes, policy, options.parameters, limits)?;
            sit_down(&mut game, common.human())
        }
    }
}

fn sit_down(game: &mut dyn InteractiveGame, human: Player) -> Result<()> {
    let mut input = BufReader::new(std::io::stdin());
    match converse(game, human, &mut input, &mut std::io::stdout().lock()) {
        // Nobody looks any more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.context("cannot go on with the game"),
    }
}
