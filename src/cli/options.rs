//! Options that several subcommands share.

use crate::engine::expert::VALUE_WEIGHT;
use crate::engine::{EngineOptions, TableFile};
use crate::go::rules::RulesError;
use crate::go::status::DeadStones;
use crate::go::{KeyPolicy, Komi, PlayoutPolicy, Rules, Scoring, Size, playout_policy};
use crate::memory::Budget;
use crate::network::{Network, Networks};
use crate::search::CatchUp;
use crate::search::policy::{self, Preset};
use crate::table::{Replacement, TableMode};
use anyhow::ensure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The groups of options in the help.
pub(super) const POSITION: &str = "Position";
pub(super) const LIMITS: &str = "Limits of a search";
const MEMORY: &str = "Memory and table";
const SEARCH: &str = "Search";
const PLAYOUTS: &str = "Playouts and network";

/// How the engine searches and what it may use.
#[derive(Args, Clone, Debug)]
pub(super) struct EngineArguments {
    /// Memory for the whole engine, for example 256MiB; at least 7.3125MiB, and 0.625MiB more with a network. Default: a
    /// quarter of what the machine or its control group allows, at most 2GiB.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = MEMORY)]
    memory: Option<u64>,
    /// Memory for the table alone, any size from 16KiB (1 KiB holds the moves of one 9x9 position, 4.3 KiB of
    /// a 19x19 one); wins over --memory.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = MEMORY)]
    table_size: Option<u64>,
    /// The table of a subcommand with a default of its own.
    #[arg(skip)]
    default_table: Option<u64>,
    /// Keep the table in this file; it is made with --memory or --table-size if it is not there. Other processes
    /// may search in it at the same time.
    #[arg(long, value_name = "FILE", help_heading = MEMORY)]
    table: Option<PathBuf>,
    /// What searches do with the table file.
    #[arg(long, value_enum, default_value_t = FileMode::Rw, requires = "table", help_heading = MEMORY)]
    table_mode: FileMode,
    /// Write what is learnt to the disk that often, and at the end; the search goes on meanwhile. Default: when the
    /// system does.
    #[arg(long, value_name = "SECONDS", requires = "table", value_parser = parse_seconds, allow_hyphen_values = true,
        help_heading = MEMORY)]
    sync: Option<Duration>,
    /// What a full table forgets; always is whatever is in the way.
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = replacements(), help_heading = MEMORY)]
    replacement: Replacement,
    /// Threads that search one position together.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=255),
        help_heading = SEARCH)]
    threads: u16,
    /// Selection policy, as NAME or NAME:key=value,key=value; help lists all of them with their parameters.
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = parse_policy, help_heading = SEARCH)]
    policy: Preset,
    /// How playouts choose moves: heavy, michi or light (uniformly random), or NAME:part=chance,part=chance; help lists
    /// the parts.
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = parse_playouts, help_heading = PLAYOUTS)]
    playout_policy: PlayoutPolicy,
    /// Transpositions that share statistics: plain (all; network and priors see no earlier moves), recent (those with the
    /// same last three moves, which network and priors see), last (those with the same last move, which priors see),
    /// prisoners (those with the same number of captures), graph (those without a short cycle in their history) or path
    /// (none: the table holds a tree). Default: for rave recent, or last without a network; plain for other policies.
    #[arg(long, value_name = "POLICY", value_parser = key_policies(), help_heading = SEARCH)]
    key_policy: Option<KeyPolicy>,
    /// The network that is asked about positions: a weights file, or none. Default: the one in the program for the
    /// board. Only the policy rave asks one.
    #[arg(long, value_name = "FILE", value_parser = parse_network, help_heading = PLAYOUTS)]
    network: Option<NetworkChoice>,
    /// Playouts that the network's estimate of a position counts like; 0 leaves it out.
    #[arg(long, value_name = "N", default_value_t = VALUE_WEIGHT, hide_short_help = true,
        help_heading = PLAYOUTS)]
    network_value: u8,
    /// What a simulation does at a position that has more visits than the edge to it, from transpositions: go on below
    /// it, or stop there and back up its value.
    #[arg(long, value_enum, default_value_t = AtKnown::Continue, help_heading = SEARCH)]
    catch_up: AtKnown,
    /// Whether a position that was evicted starts again with the visits and value of the edge to it.
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = SEARCH)]
    reseed: Switch,
    /// Playouts of a position before it gets an edge block. Default: by policy, 2 for rave with a
    /// network, 8 without, 1 for most others.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = SEARCH)]
    expand_at: Option<u32>,
}

/// See [`CatchUp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AtKnown {
    Continue,
    Stop,
}

/// See [`DeadStones`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Dead {
    /// Those that playouts call dead.
    Agreement,
    /// None: what stands counts, as on CGOS.
    None,
}

impl Dead {
    /// What was chosen, or what the rules say.
    pub(super) fn or_by_rules(choice: Option<Dead>, rules: Rules) -> DeadStones {
        choice.map_or_else(|| DeadStones::of_rules(rules), DeadStones::from)
    }
}

impl From<Dead> for DeadStones {
    fn from(choice: Dead) -> DeadStones {
        match choice {
            Dead::Agreement => DeadStones::Agreement,
            Dead::None => DeadStones::None,
        }
    }
}

/// How a table file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileMode {
    /// Write what is learnt to it.
    Rw,
    /// Write to private copies of its pages: the file stays as it is.
    Cow,
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// How long each search lasts.
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

impl EngineArguments {
    /// The same, with a table of `bytes` unless the user said how much memory there is.
    pub(super) fn with_default_table(&self, bytes: u64) -> EngineArguments {
        EngineArguments { default_table: Some(bytes), ..self.clone() }
    }

    /// Says that a subcommand has no use for a table file.
    pub(super) fn without_file(&self) -> anyhow::Result<&EngineArguments> {
        ensure!(
            self.table.is_none(),
            "expected a table that starts empty, found --table: it is for gtp, analyze, match and play"
        );
        Ok(self)
    }

    /// The table file.
    pub(super) fn table_path(&self) -> Option<&Path> {
        self.table.as_deref()
    }

    /// Which transpositions share statistics.
    pub(super) fn key_policy(&self) -> KeyPolicy {
        let has_network = NetworkChoice::or_default(self.network.as_ref()).is_some();
        self.key_policy.unwrap_or_else(|| EngineOptions::default_keys(self.policy, has_network))
    }

    /// The engine they describe, with `size`, `rules`, `komi` and `seed`.
    pub(super) fn options(&self, size: Size, rules: Rules, komi: Komi, seed: u64) -> EngineOptions {
        let memory = match (self.table_size, self.memory, self.default_table) {
            (Some(bytes), ..) | (None, None, Some(bytes)) => Budget::Table(bytes),
            (None, Some(bytes), _) => Budget::Engine(bytes),
            (None, None, None) => Budget::default_for_machine(),
        };
        let table_file = self.table.as_ref().map(|path| TableFile {
            path: path.clone(),
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
            policy: self.policy,
            playouts: self.playout_policy,
            networks: NetworkChoice::or_default(self.network.as_ref()),
            value_weight: self.network_value,
            keys: self.key_policy(),
            ..EngineOptions::default()
        };
        options.parameters.threads = usize::from(self.threads);
        options.parameters.seed = seed;
        options.parameters.reseed = self.reseed == Switch::On;
        options.parameters.catch_up = match self.catch_up {
            AtKnown::Continue => CatchUp::Continue,
            AtKnown::Stop => CatchUp::Stop,
        };
        options.parameters.expand_at = self.expand_at.unwrap_or_else(|| options.default_expand_at());
        options
    }
}

/// What `--network` says: a network, or none.
#[derive(Clone, Debug)]
pub(super) struct NetworkChoice(Option<Arc<Network>>);

impl NetworkChoice {
    /// The network that was chosen, or those in the program where nothing was said.
    pub(super) fn or_default(choice: Option<&NetworkChoice>) -> Option<Networks> {
        match choice {
            None => Some(Networks::Embedded),
            Some(choice) => choice.0.clone().map(Networks::Given),
        }
    }
}

/// The network of a weights file; `none` is none.
pub(super) fn parse_network(text: &str) -> Result<NetworkChoice, String> {
    if text == "none" {
        return Ok(NetworkChoice(None));
    }
    let network = super::network::load(Path::new(text));
    network.map(|network| NetworkChoice(Some(network))).map_err(|error| format!("{error:#}"))
}

/// Reads a replacement policy; help and completions list all of them.
pub(super) fn replacements() -> impl TypedValueParser<Value = Replacement> {
    PossibleValuesParser::new(Replacement::ALL.map(Replacement::name))
        .try_map(|name| name.parse::<Replacement>())
}

/// Reads a key policy; help and completions list all of them.
pub(super) fn key_policies() -> impl TypedValueParser<Value = KeyPolicy> {
    PossibleValuesParser::new(KeyPolicy::ALL.map(KeyPolicy::name)).try_map(|name| name.parse::<KeyPolicy>())
}

/// Rules under which area is counted, as the referee does.
pub(super) fn parse_area_rules(text: &str) -> Result<Rules, String> {
    let rules: Rules = text.parse().map_err(|error: RulesError| error.to_string())?;
    match rules.scoring {
        Scoring::Area => Ok(rules),
        Scoring::Territory => Err(format!("expected rules that count area, found {rules}")),
    }
}

/// Bytes with an optional unit; `64M`, `64MiB` and `64mb` are all mebibytes, as memory is sold.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let binary = parse_size::Config::new().with_binary();
    let expected = "expected a number of bytes such as 65536, 512KiB, 64MiB or 2GiB";
    let bytes = binary.parse_size(text).map_err(|_| format!("{expected}, found {text:?}"))?;
    if bytes == 0 { Err(format!("{expected}, found nothing at all")) } else { Ok(bytes) }
}

/// A positive number of seconds.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("expected seconds, found {text:?}"))?;
    if seconds > 0.0 && seconds <= 1e6 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("expected more than 0 and at most a million seconds, found {text}"))
    }
}

/// A policy; `help` prints all of them and ends the program.
pub(super) fn parse_policy(text: &str) -> Result<Preset, String> {
    if text == "help" {
        let printed = write!(std::io::stdout(), "{}", policy::help());
        std::process::exit(i32::from(printed.is_err()));
    }
    text.parse()
}

/// A playout policy; `help` prints all of them and ends the program.
fn parse_playouts(text: &str) -> Result<PlayoutPolicy, String> {
    if text == "help" {
        let printed = write!(std::io::stdout(), "{}", playout_policy::help());
        std::process::exit(i32::from(printed.is_err()));
    }
    text.parse()
}
