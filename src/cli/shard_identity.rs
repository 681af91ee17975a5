//! Settings that the shards of one run of `suite` or `review` share.

use super::options::LimitArguments;
use crate::base::folder::FolderIdentity;
use crate::base::zobrist::mix;
use crate::engine::EngineOptions;
use crate::go::Size;

/// Returns the settings of the engine, without those of the machine: memory, table and threads.
pub(super) fn engine_setting(options: &EngineOptions) -> FolderIdentity {
    let network = |side: usize| {
        let size = Size::new(side, side).unwrap_or(options.size);
        EngineOptions { size, ..options.clone() }.network_identity()
    };
    let networks = [9, 19].map(network).join(",");
    [
        ("tewari", env!("CARGO_PKG_VERSION").to_owned()),
        ("networks", networks),
        ("network-value", options.value_weight.to_string()),
        ("policy", options.policy.to_string()),
        ("playout-policy", options.playouts.to_string()),
        ("key-policy", options.keys.to_string()),
        ("replacement", options.replacement.to_string()),
        ("expand-at", options.parameters.expand_at.to_string()),
        ("seed", options.parameters.seed.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Returns the limits of a search as text.
pub(super) fn describe_limits(limits: LimitArguments) -> String {
    let LimitArguments { visits, simulations, time } = limits;
    let parts = [
        visits.map(|visits| format!("{visits} visits")),
        simulations.map(|simulations| format!("{simulations} simulations")),
        time.map(|time| format!("{} s", time.as_secs_f64())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "the default".to_owned() } else { parts.join(", ") }
}

/// Returns the number of names and a hash of them.
pub(super) fn fingerprint(names: impl Iterator<Item = impl AsRef<str>>) -> String {
    let (mut sum, mut count) = (0_u64, 0_u64);
    for name in names {
        sum = extended_hash(sum, name.as_ref().as_bytes());
        count += 1;
    }
    format!("{count} ({sum:016x})")
}

/// Returns a hash of the content of a file.
pub(super) fn content_hash(bytes: &[u8]) -> String {
    format!("{:016x}", extended_hash(0, bytes))
}

fn extended_hash(sum: u64, bytes: &[u8]) -> u64 {
    mix(!bytes.iter().fold(sum, |sum, &byte| mix(sum ^ u64::from(byte))))
}
