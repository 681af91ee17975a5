//! A table in a file: what it keeps, and what it refuses with one line that says what was expected, what was found and
//! what to do.

#![cfg(unix)]

mod common;
mod table_file {
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
}
