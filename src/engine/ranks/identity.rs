//! The options that must be equal on all ranks, since their tables share results.

use super::message::{Identity, version_difference};
use crate::engine::EngineOptions;

/// Returns names and values of everything that results in the table depend on.
pub(super) fn of(options: &EngineOptions) -> Identity {
    let table = options.identity();
    let parameters = options.parameters;
    let dead = options.dead_stones.map_or_else(|| "by the rules".to_owned(), |dead| format!("{dead:?}"));
    let pairs = [
        ("program", env!("CARGO_PKG_VERSION").to_owned()),
        ("board", options.size.to_string()),
        ("rules", options.rules.to_string()),
        ("komi", options.komi.to_string()),
        ("network", options.network_identity()),
        ("weight of the network", options.value_weight.to_string()),
        ("policy", format!("{:?}", options.policy)),
        ("key policy", options.keys.to_string()),
        ("seed of the keys", table.key_seed.to_string()),
        ("playout policy", options.playouts.to_string()),
        ("dead stones", dead),
        ("playouts before a page", parameters.expand_at.to_string()),
        ("catch-up", format!("{:?}", parameters.catch_up)),
        ("reseeding", parameters.reseed.to_string()),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the first difference between the identities of the first rank and of rank number `rank`, in one line.
pub(super) fn difference(first: &Identity, own: &Identity, rank: usize) -> Option<String> {
    let differs = |(one, other): &(&(String, String), &(String, String))| one != other;
    let shown = |value: &str| if value.is_empty() { "none".to_owned() } else { value.to_owned() };
    if let Some(((name, expected), (_, found))) = first.iter().zip(own).find(differs) {
        let (expected, found) = (shown(expected), shown(found));
        return Some(format!(
            "rank {rank} has another {name} than rank 0: expected {expected}, found {found}; start the same program with the same options on all ranks"
        ));
    }
    (first.len() != own.len()).then(|| version_difference(rank))
}
