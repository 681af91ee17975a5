//! Files of openings and of test positions, and the small languages of options: rules, komi, policies, sizes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tewari::engine::{EngineOptions, TableGameSettings};
use tewari::go::{KeyPolicy, Komi, PlayoutPolicy, Rules, Size};
use tewari::lab::arena::{opening, suite};
use tewari::search::policy::Preset;

fuzz_target!(|data: &[u8]| {
    let Some((&kind, text)) = data.split_first() else { return };
    let size = Size::new(9, 9).expect("a size");
    let text_of_options = String::from_utf8_lossy(text);
    match kind % 4 {
        0 => drop(opening::read(text, size, Rules::CHINESE).map_err(|error| one_line(&error))),
        1 => drop(opening::read_games(text, size, Rules::TROMP_TAYLOR).map_err(|error| one_line(&error))),
        2 => drop(suite::read(&text_of_options, &EngineOptions::default()).map_err(|error| one_line(&error))),
        _ => options(&text_of_options),
    }
});

fn one_line(error: &impl ToString) {
    let text = error.to_string();
    assert!(!text.contains('\n'), "not one line: {text:?}");
}

/// Checks that each value read can be written and read again.
fn options(text: &str) {
    macro_rules! read_again {
        ($($kind:ty),*) => {$(
            if let Ok(value) = text.parse::<$kind>() {
                assert_eq!(value.to_string().parse().ok(), Some(value));
            }
        )*};
    }
    read_again!(Rules, Komi, Size, Preset, PlayoutPolicy, KeyPolicy);
    assert!(TableGameSettings::read(text).rules.is_none() || text.starts_with("rules "));
}
