//! Files composed of pages from different moments, as a power cut leaves them: they open; no search in them panics,
//! hangs, reports an illegal move or relies on a false proof; a repair leaves no faults.
//!
//! `TEWARI_POWER_CUTS=10000 cargo test --release --test table power_cut` for the long run.

#![cfg(unix)]

mod boards;
mod commands;
mod pages;
