//! Tables in files: their contents, and refusals in one line that names the expected value, the value found, and the
//! remedy.

#![cfg(unix)]

mod bad_input;
mod commands;
mod crowd;
mod damage;
mod duplicates;
mod game;
mod kill;
mod life;
#[cfg(target_os = "linux")]
mod pages;
mod process;
mod snapshot;
mod sync;
mod unlucky;
