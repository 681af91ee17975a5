//! `tewari table dump`: the best lines from a position.

use crate::cli::output_file::{check_absent, is_same_file, write_file};
use crate::cli::print::{print_error, print_line};
use crate::cli::table_game::{self, otherwise};
use crate::engine::{Engine, EngineOptions, TableFile, TableGameSettings};
use crate::go::{Komi, Position, Rules};
use crate::records::sgf::{self, ChosenTerms, DefaultTerms};
use crate::reports::analysis::lines::{self, Extent};
use crate::reports::analysis::positions;
use crate::table::{FileError, FileProblem, Table, TableMode};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct DumpArguments {
    /// The table file.
    file: PathBuf,
    /// The game of the position (SGF). Default: the empty board.
    #[arg(long)]
    game: Option<PathBuf>,
    /// The position after N moves. Default: the last.
    #[arg(long = "move", value_name = "N", requires = "game")]
    turn: Option<usize>,
    /// Komi. Default: the game's, or the table's.
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<Komi>,
    /// Rules. Default: the game's, or the table's.
    #[arg(long)]
    rules: Option<Rules>,
    /// Output format: SGF variations, or a graph for Graphviz, in which transpositions meet.
    #[arg(long, value_enum, default_value = "sgf")]
    format: DumpFormat,
    /// Maximum number of moves of each position.
    #[arg(long, value_name = "N", default_value_t = 5)]
    moves: usize,
    /// Maximum number of moves of a line.
    #[arg(long, value_name = "N", default_value_t = 10)]
    depth: usize,
    /// Leave out moves with fewer visits.
    #[arg(long, value_name = "N", default_value_t = 10)]
    visits: u64,
    /// The file to write. Default: standard output.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "out")]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    Sgf,
    Dot,
}

pub(super) fn dump(arguments: &DumpArguments) -> Result<()> {
    let table = Table::open(&arguments.file, TableMode::ReadOnly, None)?;
    let name = arguments.file.display();
    if let Some(out) = arguments.out.as_deref() {
        if is_same_file(out, &arguments.file) {
            return Err(FileError { path: name.to_string(), problem: FileProblem::SameFile }.into());
        }
        let is_game = arguments.game.as_deref().is_some_and(|game| is_same_file(out, game));
        ensure!(!is_game, "{}: the output would overwrite the game: give another name", out.display());
        check_absent(out, arguments.force)?;
    }
    let identity = table.identity().cloned().ok_or_else(|| anyhow!("{name}: expected a table in a file"))?;
    drop(table);
    let setting = TableGameSettings::read(&identity.game_settings);
    let (position, assumed) = match &arguments.game {
        Some(game) => position_of_game(arguments, game, &setting)?,
        None => {
            let size = table_game::size(&identity)
                .ok_or_else(|| anyhow!("{name}: expected a table for go, found {}", identity.game))?;
            let DefaultTerms { rules, komi } = otherwise(&setting);
            let (rules, komi) = (arguments.rules.unwrap_or(rules), arguments.komi.unwrap_or(komi));
            let mut position = Position::new(size, rules, komi);
            position.set_key_policy(setting.keys.unwrap_or_default());
            (position, Vec::new())
        }
    };
    let file = TableFile {
        path: arguments.file.clone(),
        board: position.size(),
        mode: TableMode::ReadOnly,
        is_limited: false,
        sync: None,
    };
    let policy = identity.policy_state.parse().unwrap_or_default();
    let options = EngineOptions {
        size: position.size(),
        rules: position.rules(),
        komi: position.komi(),
        keys: position.key_policy(),
        policy,
        table_file: Some(file),
        ..EngineOptions::default()
    };
    let engine = Engine::new(options)?;
    let extent = Extent { moves: arguments.moves, depth: arguments.depth, visits: arguments.visits };
    let text = match arguments.format {
        DumpFormat::Sgf => lines::sgf(&engine, &position, extent),
        DumpFormat::Dot => lines::graph(&engine, &position, extent),
    };
    let Some(text) = text else {
        bail!(
            "{name}: the table has no search of this position with rules {} and komi {} (it was made for {}): try other --rules, --komi or --move",
            position.rules(),
            position.komi(),
            identity.game_settings
        );
    };
    assumed.iter().for_each(|line| print_error(line));
    match &arguments.out {
        None => print_line(text.trim_end()),
        Some(out) => write_file(out, &text, arguments.force),
    }
}

fn position_of_game(
    arguments: &DumpArguments,
    game: &Path,
    setting: &TableGameSettings,
) -> Result<(Position, Vec<String>)> {
    let name = game.display();
    let bytes = std::fs::read(game).with_context(|| format!("cannot read {name}"))?;
    let collection = sgf::read_damaged(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
    let record = collection.games.first().ok_or_else(|| anyhow!("{name}: expected a game, found none"))?;
    let given = ChosenTerms { rules: arguments.rules, komi: arguments.komi };
    let terms = record.terms(given, otherwise(setting)).map_err(|error| anyhow!("{name}: {error}"))?;
    let last = record.move_count();
    let turn = arguments.turn.unwrap_or(last);
    ensure!(turn <= last, "{name}: expected a move from 0 to {last}, found {turn}");
    let mut positions = positions::positions_of(record, Some(turn), &terms, setting.keys.unwrap_or_default())
        .map_err(|error| anyhow!("{name}: {error}"))?;
    let step = positions.next().ok_or_else(|| anyhow!("{name}: expected a position, found none"))?;
    let position = step.map_err(|error| anyhow!("{name}: {error}"))?.position;
    Ok((position, terms.assumed.iter().map(|line| format!("{name}: {line}")).collect()))
}
