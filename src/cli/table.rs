//! `tewari table`: work with table files.

use super::laboratory::stop_on_interrupt;
use super::options::{NetworkChoice, key_policies, parse_bytes, parse_network, parse_policy};
use super::output_file::write_file;
use super::print_error;
use super::table_care::{self, soundness};
use super::table_game::{self, otherwise};
use crate::base::memory::MemoryBudget;
use crate::base::platform::files;
use crate::engine::{Engine, EngineOptions, TableFile, TableGameSettings};
use crate::go::{KeyPolicy, Komi, Position, Rules, Size};
use crate::records::sgf::{self, ChosenTerms, DefaultTerms, customary_komi};
use crate::reports::analysis::lines::{self, Extent};
use crate::reports::analysis::positions;
use crate::search::policy::Preset;
use crate::table::{CloseState, FileError, FileProblem, MergeCounts, Table, TableMode, TableStatistics};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

pub(super) const MIB: f64 = (1 << 20) as f64;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Create an empty table file.
    Create(Create),
    /// Print the game and settings that a table was made for, and statistics of its content.
    Info(Info),
    /// Check every entry and every edge block.
    Verify(table_care::Verify),
    /// Copy a table, even while other processes search in it.
    Snapshot(table_care::Snapshot),
    /// Add up the statistics of several tables.
    Merge(Merge),
    /// Change the size of a table; a smaller one keeps the most visited positions.
    Resize(Resize),
    /// Remove all positions from a table.
    Clear {
        /// The table file.
        file: PathBuf,
    },
    /// Print the best lines from a position, as far as they are in a table.
    Dump(Dump),
}

#[derive(Args)]
struct Create {
    /// The table file to create.
    file: PathBuf,
    /// Board, as COLUMNSxROWS or one number, each from 1 to 19.
    #[arg(long, default_value = "19")]
    size: Size,
    /// Default komi of searches in the table, which may use others, too. Default: 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<Komi>,
    /// Default rules of searches in the table, which may use others, too.
    #[arg(long, default_value = "chinese")]
    rules: Rules,
    /// Memory for an engine with this table, for example 256MiB. Default: as for an engine.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Size of the table alone; overrides --memory.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    table_size: Option<u64>,
    /// The network of searches in the table: a weights file, or none. Default: the one in the program for the board.
    #[arg(long, value_name = "FILE", value_parser = parse_network)]
    network: Option<NetworkChoice>,
    /// The selection policy of searches in the table; policies that keep state in it need a table of their own.
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = parse_policy)]
    policy: Preset,
    /// Transpositions that share statistics in the table. Default: as without --key-policy in a search with this policy
    /// and network.
    #[arg(long, value_name = "POLICY", value_parser = key_policies())]
    key_policy: Option<KeyPolicy>,
}

#[derive(Args)]
struct Info {
    /// The table file.
    file: PathBuf,
    /// Output format: text for people, or one JSON object.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Args)]
struct Merge {
    /// The table files to add up.
    #[arg(required = true, num_args = 2..)]
    files: Vec<PathBuf>,
    /// The table file to create.
    #[arg(long, short)]
    out: PathBuf,
    /// The table that all of them are copies of; its statistics count once.
    #[arg(long)]
    base: Option<PathBuf>,
    /// Size of the new table. Default: that of all together.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    table_size: Option<u64>,
}

#[derive(Args)]
struct Resize {
    /// The table file.
    file: PathBuf,
    /// Its new size.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    table_size: u64,
    /// Create another table file, and leave this one unchanged.
    #[arg(long, short)]
    out: Option<PathBuf>,
}

#[derive(Args)]
struct Dump {
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
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    Sgf,
    Dot,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Create(create) => self::create(create),
        What::Info(info) => self::info(info),
        What::Verify(verify) => table_care::verify(verify),
        What::Snapshot(snapshot) => table_care::snapshot(snapshot),
        What::Merge(merge) => self::merge(merge),
        What::Resize(resize) => self::resize(resize),
        What::Clear { file } => clear(file),
        What::Dump(dump) => self::dump(dump),
    }
}

pub(super) fn say(text: &str) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{}", text.trim_end()).context("cannot write output")
}

fn create(arguments: &Create) -> Result<()> {
    let Create { file, size, komi, rules, memory, table_size, policy, network, key_policy } = arguments;
    let memory = match (table_size, memory) {
        (Some(bytes), _) => MemoryBudget::Table(*bytes),
        (None, Some(bytes)) => MemoryBudget::Engine(*bytes),
        (None, None) => MemoryBudget::default_for_machine(),
    };
    let networks = NetworkChoice::or_default(network.as_ref());
    let options = EngineOptions {
        size: *size,
        komi: komi.unwrap_or_else(|| customary_komi(*rules)),
        rules: *rules,
        memory,
        policy: *policy,
        keys: key_policy.unwrap_or_else(|| EngineOptions::default_keys(*policy, networks.is_some())),
        networks,
        ..EngineOptions::default()
    };
    let table = Table::create(file, &options.identity(), options.table_shape(), options.table_bytes()?)?;
    let layout = table.layout();
    say(&format!(
        "{}: {:.1} MiB for go {size}, {} entries, {} edge blocks",
        file.display(),
        layout.bytes() as f64 / MIB,
        layout.entries(),
        layout.blocks
    ))
}

fn info(arguments: &Info) -> Result<()> {
    let table = Table::open(&arguments.file, TableMode::ReadOnly, None)?;
    let survey = survey(&table);
    match arguments.format {
        Format::Text => say(&describe(&table, &survey)),
        Format::Json => say(&json_of(&table, &survey).to_string()),
    }
}

/// Checks all entries and blocks, with a progress bar.
pub(super) fn survey(table: &Table) -> TableStatistics {
    let bar = progress((table.layout().entries() + table.layout().blocks) as u64);
    let survey = table.scan(&mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    survey
}

fn describe(table: &Table, survey: &TableStatistics) -> String {
    let (layout, identity) = (table.layout(), table.identity());
    let mut lines = Vec::new();
    if let (Some(path), Some(identity), Some(lineage)) = (table.path(), identity, table.lineage()) {
        lines.push(path.display().to_string());
        lines.push(format!("  made for      {}, {}", identity.game, identity.game_settings));
        if !identity.policy_state.is_empty() {
            lines.push(format!("  policy        {}", identity.policy_state));
        }
        let network = identity.network.map_or_else(|| "none".to_owned(), |network| format!("{network:016x}"));
        lines.push(format!("  network       {network}"));
        lines.push(format!("  key seed      {:#x}", identity.key_seed));
        lines.push(format!("  samples of    {}", plural(lineage.tables() as u64, "table")));
    }
    let per_mille = |part: u64, whole: usize| 1000.0 * part as f64 / whole.max(1) as f64;
    lines.push(format!("  size          {} bytes ({:.1} MiB)", layout.bytes(), layout.bytes() as f64 / MIB));
    lines.push(format!(
        "  positions     {} of {} ({:.0} per mille)",
        survey.entries,
        layout.entries(),
        per_mille(survey.entries, layout.entries())
    ));
    lines.push(format!(
        "  edge blocks   {} of {} ({:.0} per mille), {} orphaned, {} lost",
        survey.blocks,
        layout.blocks,
        per_mille(survey.blocks, layout.blocks),
        survey.orphans,
        survey.lost_blocks
    ));
    lines.push(format!("  proofs        {} positions with proven bounds", survey.bounded));
    lines.push(format!("  generation    {}, opened {} times", table.generation(), table.open_count()));
    if let Some(ending) = table.close_state() {
        lines.push(format!("  found         {}", ending.describe()));
    }
    lines.push(format!("  last visit    {}", ages(survey)));
    lines.push("  visits        positions".to_owned());
    for (bits, &count) in survey.visits.iter().enumerate().filter(|(_, count)| **count > 0) {
        let least = if bits == 0 { 0 } else { 1_u64 << (bits - 1) };
        lines.push(format!("  {least:>12}+ {count}"));
    }
    lines.push(format!("  {}", soundness(survey)));
    lines.join("\n")
}

/// Returns the numbers of positions in a few classes of age.
fn ages(survey: &TableStatistics) -> String {
    let sum = |range: std::ops::Range<usize>| survey.ages[range].iter().sum::<u64>();
    format!(
        "{} in this generation, {} in the one before, {} up to 7 before, {} earlier",
        sum(0..1),
        sum(1..2),
        sum(2..8),
        sum(8..survey.ages.len())
    )
}

pub(super) fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn json_of(table: &Table, survey: &TableStatistics) -> serde_json::Value {
    let (layout, identity) = (table.layout(), table.identity());
    serde_json::json!({
        "file": table.path().map(|path| path.display().to_string()),
        "game": identity.map(|identity| &identity.game),
        "setting": identity.map(|identity| &identity.game_settings),
        "policyState": identity.map(|identity| &identity.policy_state),
        "network": identity.and_then(|identity| identity.network).map(|network| format!("{network:016x}")),
        "keySeed": identity.map(|identity| format!("{:#x}", identity.key_seed)),
        "tables": table.lineage().map(crate::table::Lineage::tables),
        "bytes": layout.bytes(),
        "entries": layout.entries(),
        "entriesUsed": survey.entries,
        "blocks": layout.blocks,
        "blocksUsed": survey.blocks,
        "orphans": survey.orphans,
        "lostBlocks": survey.lost_blocks,
        "bounded": survey.bounded,
        "voidBounds": survey.void_bounds,
        "generation": table.generation(),
        "openings": table.open_count(),
        "ages": survey.ages,
        "visits": survey.visits,
        "unfinishedEntries": survey.unfinished_entries,
        "unfinishedBlocks": survey.unfinished_blocks,
        "faults": survey.faults,
        "found": table.close_state().map(CloseState::describe),
    })
}

fn merge(arguments: &Merge) -> Result<()> {
    let Merge { files, out, base, table_size } = arguments;
    let open = |path: &PathBuf| Table::open(path, TableMode::ReadOnly, None);
    let sources = files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<&Table> = sources.iter().collect();
    let base = base.as_ref().map(open).transpose()?;
    let all = || sources.iter().map(|source| source.layout().bytes()).sum();
    let bytes = table_size.map_or_else(|| Ok(all()), usize::try_from)?;
    join(out, &sources, base.as_ref(), bytes, false)
}

fn resize(arguments: &Resize) -> Result<()> {
    let Resize { file, table_size, out } = arguments;
    let table = Table::open(file, TableMode::ReadOnly, None)?;
    let bytes = usize::try_from(*table_size)?;
    match out {
        Some(out) => join(out, &[&table], None, bytes, false),
        None => {
            table.lock_exclusively()?;
            // A link stays a link: the file it points to is replaced.
            join(&file.canonicalize()?, &[&table], None, bytes, true)
        }
    }
}

fn join(out: &Path, sources: &[&Table], base: Option<&Table>, bytes: usize, may_replace: bool) -> Result<()> {
    let stop = stop_on_interrupt();
    let bar = progress(0);
    let joined = Table::merge(out, sources, base, bytes, may_replace, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
        !stop.load(Relaxed)
    });
    bar.finish_and_clear();
    let (table, kept) = joined?;
    say(&format!(
        "{}: {:.1} MiB; {}",
        out.display(),
        table.layout().bytes() as f64 / MIB,
        describe_kept(&kept)
    ))
}

fn describe_kept(kept: &MergeCounts) -> String {
    let share = |part: u64, whole: u64| if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 };
    format!(
        "kept {} of {} positions, {} of {} edge blocks, {:.1} % of the visits; {} positions were in several",
        kept.positions_kept,
        kept.positions,
        kept.blocks_kept,
        kept.blocks,
        share(kept.visits_kept, kept.visits),
        kept.shared
    )
}

fn clear(file: &Path) -> Result<()> {
    let mut table = Table::open(file, TableMode::ReadWrite, None)?;
    table.lock_exclusively()?;
    table.clear();
    say(&format!("{}: empty", file.display()))
}

fn dump(arguments: &Dump) -> Result<()> {
    let table = Table::open(&arguments.file, TableMode::ReadOnly, None)?;
    let name = arguments.file.display();
    if arguments.out.as_deref().is_some_and(|out| is_same_file(out, &arguments.file)) {
        return Err(FileError { path: name.to_string(), problem: FileProblem::SameFile }.into());
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
    let file =
        TableFile { path: arguments.file.clone(), mode: TableMode::ReadOnly, is_limited: false, sync: None };
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
            "{name}: expected a position that was searched, found nothing known of this one with rules {} and komi {}: \
             the table was made for {}; give other --rules or --komi, or another --move",
            position.rules(),
            position.komi(),
            identity.game_settings
        );
    };
    assumed.iter().for_each(|line| print_error(line));
    match &arguments.out {
        None => say(&text),
        Some(out) => write_file(out, &text, true),
    }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let metadata = std::fs::metadata;
    matches!((metadata(one), metadata(other)), (Ok(one), Ok(other)) if files::is_same(&one, &other))
}

fn position_of_game(
    arguments: &Dump,
    game: &Path,
    setting: &TableGameSettings,
) -> Result<(Position, Vec<String>)> {
    let name = game.display();
    let bytes = std::fs::read(game).with_context(|| format!("cannot read {name}"))?;
    let collection = sgf::read(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
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

/// Returns a progress bar, drawn on standard error if that is a terminal.
pub(super) fn progress(all: u64) -> ProgressBar {
    let bar = ProgressBar::new(all);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent} %, {eta} left") {
        bar.set_style(style);
    }
    bar
}
