//! Searches, proofs and policies.

mod chains;
#[path = "../common/mod.rs"]
mod common;
mod evaluated;
#[path = "proofs/exact.rs"]
mod exact;
mod knowledge;
mod presets;
mod proofs;
mod ranks;
mod reproducible;
mod root_moves;
mod search_oracle;
mod signature;
#[path = "proofs/truth.rs"]
mod truth;

mod waiting;
