//! Options shared by several subcommands.

use super::network_choice::{NetworkChoice, parse_network};
use super::ranks::{on_this_machine, table_path};
use super::usage_error::UsageError;
use super::value_parsers::{
    key_policies, parse_bytes, parse_playouts, parse_policy, parse_seconds, replacements,
};
use crate::base::memory::MemoryBudget;
use crate::engine::DEFAULT_VALUE_WEIGHT;
use crate::engine::ranks::Ranks;
use crate::engine::{EngineOptions, TableFile};
use crate::external::ExternalEvaluator;
use crate::go::status::DeadStones;
use crate::go::{KeyPolicy, Komi, PlayoutPolicy, Rules, Size};
use crate::search::policy::Preset;
use crate::search::{CatchUp, Limits};
use crate::table::{Replacement, TableMode};
use anyhow::ensure;
use clap::{Arg, Args, ValueEnum};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Headings of option groups in the help.
pub(super) const POSITION: &str = "Position";
pub(super) const LIMITS: &str = "Limits of a search";
const MEMORY: &str = "Memory and table";
const SEARCH: &str = "Search";
const PLAYOUTS: &str = "Playouts and network";

/// Default number of threads with an external evaluator.
const THREADS_WITH_EVALUATOR: u16 = 16;

/// Options of the engine: memory, table, search, playouts and network.
#[derive(Args, Clone, Debug)]
pub(super) struct EngineArguments {
    /// Memory for the whole engine, for example 256MiB; at least 16MiB. Default:
    /// a quarter of the memory that the machine or its control group allows, at most 2GiB.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = MEMORY)]
    memory: Option<u64>,
    /// Memory for the table alone, from a few KiB; overrides --memory. A page for eight moves takes 128 bytes;
    /// without a network, a page for all moves takes 1.1 KiB on 9x9 and 4.3 KiB on 19x19.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = MEMORY)]
    table_size: Option<u64>,
    /// Bytes of the table for subcommands with their own default.
    #[arg(skip)]
    default_table: Option<u64>,
    /// The place of this process among the ranks of an MPI job.
    #[arg(skip)]
    ranks: Option<Arc<Ranks>>,
    /// Keep the table in this file, which is created with --memory or --table-size if it does not exist. Other
    /// processes may search in it at the same time. Games on other boards have tables of its size beside it:
    /// go-9x9.tewari for go.tewari; so has each rank of an MPI job: go-rank0.tewari.
    #[arg(long, value_name = "FILE", help_heading = MEMORY)]
    table: Option<PathBuf>,
    /// Access of searches to the table file.
    #[arg(long, value_enum, default_value_t = FileMode::Rw, requires = "table", help_heading = MEMORY)]
    table_mode: FileMode,
    /// Write the table to the disk every SECONDS and at the end; the search continues meanwhile. Default: at
    /// times that the system chooses.
    #[arg(long, value_name = "SECONDS", requires = "table", value_parser = parse_seconds, allow_hyphen_values = true,
        help_heading = MEMORY)]
    sync: Option<Duration>,
    /// Choice of the positions that a full table evicts; always: replace whatever is in the slot.
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = replacements(), help_heading = MEMORY)]
    replacement: Replacement,
    /// Number of threads that search one position together; with --evaluator, number of positions sent to it at a time, all
    /// by one thread. Default: 1; 16 with --evaluator.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=255), help_heading = SEARCH)]
    threads: Option<u16>,
    /// Selection policy, as NAME or NAME:key=value,key=value; `--policy help` lists all of them with their parameters.
    /// Default: rave; puct with --evaluator.
    #[arg(long, value_name = "POLICY", value_parser = parse_policy, help_heading = SEARCH)]
    policy: Option<Preset>,
    /// Playout policy: heavy, michi or light (uniformly random), or NAME:part=P,part=P with probabilities P;
    /// `--playout-policy help` lists the parts.
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = parse_playouts, help_heading = PLAYOUTS)]
    playout_policy: PlayoutPolicy,
    /// Transpositions that share statistics: plain (all; network and priors see no earlier moves), recent (those with
    /// the same last three moves, which network and priors see), last (those with the same last move, which priors
    /// see), graph (those without a short cycle in their history) or path (none: the table holds a tree). Default:
    /// recent with a network for rave and puct, last for rave without one, plain otherwise and with --evaluator.
    #[arg(long, value_name = "POLICY", value_parser = key_policies(), help_heading = SEARCH)]
    key_policy: Option<KeyPolicy>,
    /// The network that evaluates positions, for the policies rave and puct: a weights file, or none. Default: the one in the
    /// program for the board.
    #[arg(long, value_name = "FILE", value_parser = parse_network, help_heading = PLAYOUTS)]
    network: Option<NetworkChoice>,
    /// The command of a program that evaluates positions in place of a network, and speaks KataGo's analysis protocol:
    /// "katago analysis -config FILE -model FILE". It starts when a position that is not in the table is searched.
    #[arg(long, value_name = "COMMAND", conflicts_with = "network", help_heading = PLAYOUTS)]
    evaluator: Option<String>,
    /// The name of the evaluator's model, under which a table file stores its results. Default: the name of the file after
    /// -model in the command.
    #[arg(long, value_name = "NAME", requires = "evaluator", help_heading = PLAYOUTS)]
    evaluator_name: Option<String>,
    /// Append the messages of the evaluator (its standard error) to this file.
    #[arg(long, value_name = "FILE", requires = "evaluator", help_heading = PLAYOUTS)]
    evaluator_log: Option<PathBuf>,
    /// Weight of the network's value estimate of a position, in playouts, for the policy rave; 0 leaves it out.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_VALUE_WEIGHT, hide_short_help = true,
        help_heading = PLAYOUTS)]
    network_value: u8,
    /// Action of a simulation at a position that has more visits than the edge to it, from transpositions: continue
    /// below it, or stop there and back up its value. Default: continue; stop for the policy puct.
    #[arg(long, value_enum, help_heading = SEARCH)]
    catch_up: Option<CatchUpChoice>,
    /// Start an evicted position again with the visits and value of the edge to it.
    #[arg(long, value_enum, default_value_t = OnOff::On, help_heading = SEARCH)]
    reseed: OnOff,
    /// Playouts of a position before it gets an edge page. Default: by policy, 2 for rave with a
    /// network, 8 without, 1 for most others.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = SEARCH)]
    expand_at: Option<u32>,
}

/// Command-line values of [`CatchUp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CatchUpChoice {
    Continue,
    Stop,
}

/// Command-line values of [`DeadStones`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DeadStonesChoice {
    /// The stones that both players would agree are dead.
    Agreement,
    /// No stones: all on the board count as alive, as on CGOS.
    None,
}

impl DeadStonesChoice {
    /// Returns the choice, or without one that of the rules.
    pub(super) fn or_by_rules(choice: Option<DeadStonesChoice>, rules: Rules) -> DeadStones {
        choice.map_or_else(|| DeadStones::of_rules(rules), DeadStones::from)
    }
}

impl From<DeadStonesChoice> for DeadStones {
    fn from(choice: DeadStonesChoice) -> DeadStones {
        match choice {
            DeadStonesChoice::Agreement => DeadStones::Agreement,
            DeadStonesChoice::None => DeadStones::Keep,
        }
    }
}

/// Access to a table file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileMode {
    /// Searches write their results to the file.
    Rw,
    /// Searches write to private copies of its pages; the file stays as it is.
    Cow,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnOff {
    On,
    Off,
}

/// Limits of each search.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct LimitArguments {
    /// Stop when the position has N visits, those from earlier searches included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    pub(super) visits: Option<u64>,
    /// Stop after N new simulations.
    #[arg(long, alias = "playouts", value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        help_heading = LIMITS)]
    pub(super) simulations: Option<u64>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(super) time: Option<Duration>,
}

impl LimitArguments {
    /// Returns the limits, or `default` if none is given.
    pub(super) fn or(self, default: Limits) -> Limits {
        let LimitArguments { visits, simulations, time } = self;
        let is_limited = visits.is_some() || simulations.is_some() || time.is_some();
        if is_limited { Limits { visits, simulations, time, ..Limits::default() } } else { default }
    }
}

/// Returns `option`; if it is called `id`, with the command's default for it added to the help.
pub(super) fn describe_default(option: Arg, id: &str, default: impl Display) -> Arg {
    if option.get_id() != id {
        return option;
    }
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    option.help(format!("{}. Default: {default}", help.trim_end_matches('.')))
}

/// Returns `option`; if it is the limit called `id`, with the command's default for it added to the help.
pub(super) fn describe_default_limit(option: Arg, id: &str, default: impl Display) -> Arg {
    describe_default(option, id, format_args!("{default}, unless another limit is set"))
}

/// Returns an option for a command with an own default table and no table file: the default of the table's size is in the
/// help, and options of table files are absent from it.
pub(super) fn describe_default_table(option: Arg, bytes: u64) -> Arg {
    let default = format!("{}MiB", bytes >> 20);
    let option = describe_default(option, "table_size", &default);
    match option.get_id().as_str() {
        "table" | "table_mode" | "sync" => option.hide(true),
        "memory" => option.help("Memory for the whole engine, for example 256MiB; at least 16MiB. Default: not limited, see --table-size"),
        _ => option,
    }
}

impl EngineArguments {
    /// Returns the arguments with a default table of `bytes`, used if they set no memory size.
    pub(super) fn with_default_table(&self, bytes: u64) -> EngineArguments {
        EngineArguments { default_table: Some(bytes), ..self.clone() }
    }

    /// Returns the arguments of one rank of an MPI job: its table has a file of its own, and the default memory is
    /// divided by the ranks on this machine.
    pub(super) fn of_rank(&self, ranks: Option<&Arc<Ranks>>) -> EngineArguments {
        let Some(ranks) = ranks else { return self.clone() };
        let by_default = match MemoryBudget::default_for_machine() {
            MemoryBudget::Engine(bytes) | MemoryBudget::Table(bytes) => bytes / on_this_machine(),
        };
        EngineArguments {
            ranks: Some(Arc::clone(ranks)),
            table: self.table.as_ref().map(|path| table_path(path, ranks.rank())),
            memory: self.memory.or(self.table_size.is_none().then_some(by_default)),
            ..self.clone()
        }
    }

    /// Returns the arguments, or an error if they name a table file.
    pub(super) fn without_file(&self) -> anyhow::Result<&EngineArguments> {
        ensure!(
            self.table.is_none(),
            UsageError(
                "--table cannot be used here: this command starts with an empty table (--table is for gtp, analyze, review, match and play go)"
                    .to_owned()
            )
        );
        Ok(self)
    }

    /// Returns the arguments, or an error if they name an evaluator in another process.
    pub(super) fn without_evaluator(&self) -> anyhow::Result<&EngineArguments> {
        ensure!(
            self.evaluator.is_none(),
            UsageError(
                "--evaluator cannot be used here: this command measures or trains what is in the program"
                    .to_owned()
            )
        );
        Ok(self)
    }

    /// Returns the path of the table file.
    pub(super) fn table_path(&self) -> Option<&Path> {
        self.table.as_deref()
    }

    /// Returns the key policy, by default that of the selection policy and network.
    pub(super) fn key_policy(&self) -> KeyPolicy {
        let has_network = NetworkChoice::or_default(self.network.as_ref()).is_some();
        let by_default = || match self.evaluator {
            Some(_) => KeyPolicy::Plain,
            None => EngineOptions::default_keys(self.policy(), has_network),
        };
        self.key_policy.unwrap_or_else(by_default)
    }

    /// Returns the selection policy.
    fn policy(&self) -> Preset {
        let by_default = if self.evaluator.is_some() { Preset::for_evaluators() } else { Preset::default() };
        self.policy.unwrap_or(by_default)
    }

    /// Returns the options of an engine with `size`, `rules`, `komi` and `seed`.
    pub(super) fn options(&self, size: Size, rules: Rules, komi: Komi, seed: u64) -> EngineOptions {
        let memory = match (self.table_size, self.memory, self.default_table) {
            (Some(bytes), ..) | (None, None, Some(bytes)) => MemoryBudget::Table(bytes),
            (None, Some(bytes), _) => MemoryBudget::Engine(bytes),
            (None, None, None) => MemoryBudget::default_for_machine(),
        };
        let table_file = self.table.as_ref().map(|path| TableFile {
            path: path.clone(),
            board: size,
            mode: match self.table_mode {
                FileMode::Rw => TableMode::ReadWrite,
                FileMode::Cow => TableMode::CopyOnWrite,
            },
            is_limited: self.table_size.is_some() || self.memory.is_some(),
            sync: self.sync,
        });
        let mut options = EngineOptions {
            size,
            rules,
            komi,
            memory,
            table_file,
            replacement: self.replacement,
            policy: self.policy(),
            playouts: self.playout_policy,
            networks: NetworkChoice::or_default(self.network.as_ref()),
            external: self.evaluator.as_ref().map(|command| {
                let evaluator = ExternalEvaluator::new(command, self.evaluator_name.as_deref());
                Arc::new(evaluator.with_log(self.evaluator_log.as_deref()))
            }),
            ranks: self.ranks.clone(),
            value_weight: self.network_value,
            keys: self.key_policy(),
            ..EngineOptions::default()
        };
        let by_default = if self.evaluator.is_some() { THREADS_WITH_EVALUATOR } else { 1 };
        options.parameters.threads = usize::from(self.threads.unwrap_or(by_default));
        options.parameters.seed = seed;
        options.parameters.reseed = self.reseed == OnOff::On;
        options.parameters.catch_up = match self.catch_up {
            Some(CatchUpChoice::Continue) => CatchUp::Continue,
            Some(CatchUpChoice::Stop) => CatchUp::Stop,
            None => EngineOptions::default_catch_up(self.policy()),
        };
        options.parameters.expand_at = self.expand_at.unwrap_or_else(|| options.default_expand_at());
        options
    }
}
