//! `tewari table create`: empty table files.

use super::statistics::MIB;
use crate::base::memory::MemoryBudget;
use crate::cli::network_choice::{NetworkChoice, parse_network};
use crate::cli::print::print_line;
use crate::cli::value_parsers::{key_policies, parse_bytes, parse_policy};
use crate::engine::EngineOptions;
use crate::go::{KeyPolicy, Komi, Rules, Size};
use crate::records::sgf::customary_komi;
use crate::search::policy::Preset;
use crate::table::Table;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct CreateArguments {
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

pub(super) fn create(arguments: &CreateArguments) -> Result<()> {
    let CreateArguments { file, size, komi, rules, memory, table_size, policy, network, key_policy } =
        arguments;
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
    print_line(format_args!(
        "{}: {:.1} MiB for go {size}, {} entries, {} edge pages",
        file.display(),
        layout.bytes() as f64 / MIB,
        layout.entries(),
        layout.pages
    ))
}
