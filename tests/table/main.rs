//! The table in memory and in files.

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
#[path = "../search/proofs/exact.rs"]
#[allow(dead_code, reason = "the proofs use the rest")]
mod exact;
mod power_cut;
mod table_chains;
mod table_counters;
mod table_file;
mod table_format;
mod table_model;
mod table_orphans;
mod table_stress;
#[cfg(unix)]
#[path = "../search/proofs/truth.rs"]
#[allow(dead_code, reason = "the proofs use the rest")]
mod truth;
