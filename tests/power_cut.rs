//! Files composed of pages from different moments, as a power cut leaves them: they open; no search in them panics,
//! hangs, reports an illegal move or relies on a false proof; a repair leaves no faults.
//!
//! `TEWARI_POWER_CUTS=10000 cargo test --release --test power_cut` for the long run.

#![cfg(unix)]

mod common;
#[path = "proofs/exact.rs"]
#[allow(dead_code, reason = "tests/proofs.rs uses the rest")]
mod exact;
mod power_cut {
    mod boards;
    mod commands;
    mod pages;
}
#[path = "proofs/truth.rs"]
#[allow(dead_code, reason = "tests/proofs.rs uses the rest")]
mod truth;
