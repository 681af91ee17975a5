//! Files put together from pages of different moments, as a power cut leaves them: they open, nothing in them makes a
//! search panic, hang, report an illegal move or believe a false proof, and a repair leaves nothing to be found.
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
