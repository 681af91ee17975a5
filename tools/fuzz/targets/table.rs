//! Table files with damaged header, entries and blocks, and all operations on them.
//!
//! The first byte chooses the table and, with the second, the operations; patches follow.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::path::Path;
use tewari::base::game::{Game, Player};
use tewari::cli::Cli;
use tewari::engine::{Engine, EngineOptions, TableGameSettings};
use tewari::go::{Position, Size};
use tewari::reports::analysis::lines::{self, Extent};
use tewari::search::{Limits, Report};
use tewari::table::{Table, TableMode, TableStatistics};
use tewari_fuzz::damage::Damage;
use tewari_fuzz::tables::{Sound, in_file, mend_checksum, sound};
use tewari_fuzz::{count, folder};

/// Simulations of each search.
const SIMULATIONS: u64 = 16;

fuzz_target!(|data: &[u8]| {
    let [kind, flags, damage @ ..] = data else { return };
    let sound = sound(*kind);
    let mut bytes = sound.bytes.clone();
    Damage::read(damage, bytes.len(), flags & 0x3 == 3).apply(&mut bytes, &sound.areas);
    if flags & 0x4 != 0 {
        mend_checksum(&mut bytes);
    }
    let folder = folder();
    let [path, other, sum] = ["damaged", "other", "sum"].map(|name| folder.path().join(name));
    std::fs::write(&path, &bytes).expect("written");
    count("table files", 1);
    if kind & 0xf0 == 0xf0 {
        std::fs::write(&other, &sound.other).expect("written");
        by_command(&path, &other, &sum);
    }
    let Ok(table) = Table::open(&path, TableMode::ReadOnly, None).inspect_err(one_line) else {
        search(sound, &path, *flags);
        return;
    };
    assert!((0.0..=1.0).contains(&table.census().occupancy()));
    look(&table.scan(&mut |_| {}));
    if flags & 0x8 != 0 {
        dump(&sound.options, &table, &path);
    }
    if kind & 0x40 != 0 {
        std::fs::write(&other, &sound.other).expect("written");
        merge(&table, &other, &sum);
    }
    if kind & 0x80 != 0 {
        snapshot(&table, &sum);
    }
    drop(table);
    search(sound, &path, *flags);
    repair(&path);
    if kind & 0x30 == 0x30 {
        search(sound, &path, *flags);
    }
});

fn one_line(error: &impl ToString) {
    let text = error.to_string();
    assert!(!text.trim().is_empty() && !text.contains('\n'), "not one line: {text:?}");
}

/// Checks that the numbers of a survey agree with each other.
fn look(survey: &TableStatistics) {
    assert_eq!(survey.ages.iter().sum::<u64>(), survey.entries);
    assert_eq!(survey.visits.iter().sum::<u64>(), survey.entries);
    assert!(survey.described.len() as u64 <= survey.faults);
    assert!(survey.described.iter().all(|fault| !fault.contains('\n')));
}

/// Dumps the game for which the file states it was made, as `tewari table dump` does.
fn dump(options: &EngineOptions, table: &Table, path: &Path) {
    let identity = table.identity().expect("a table in a file");
    let Some(size) = identity.game.strip_prefix("go ").and_then(|size| size.parse::<Size>().ok()) else {
        return;
    };
    let setting = TableGameSettings::read(&identity.game_settings);
    let (rules, komi) = (setting.rules.unwrap_or(options.rules), setting.komi.unwrap_or(options.komi));
    let mut position = Position::new(size, rules, komi);
    let keys = setting.keys.unwrap_or_default();
    position.set_key_policy(keys);
    let policy = identity.policy_state.parse().unwrap_or_default();
    let options = EngineOptions { size, rules, komi, keys, policy, ..options.clone() };
    let Ok(engine) = Engine::new(in_file(&options, path, TableMode::ReadOnly)) else { return };
    let extent = Extent { moves: 3, depth: 3, visits: 2 };
    if let Some(text) = lines::sgf(&engine, &position, extent) {
        tewari::records::sgf::read(text.as_bytes()).expect("a dump is SGF");
    }
    if let Some(text) = lines::graph(&engine, &position, extent) {
        assert!(text.ends_with("}\n"));
    }
}

/// Merges with a sound table; the result must be sound.
fn merge(table: &Table, other: &Path, sum: &Path) {
    let other = Table::open(other, TableMode::ReadOnly, None).expect("a sound table");
    let bytes = other.layout().bytes();
    match Table::merge(sum, &[table, &other], None, bytes, false, &mut |_, _| true) {
        Ok((merged, kept)) => {
            assert!(kept.positions_kept <= kept.positions && kept.visits_kept <= kept.visits, "{kept:?}");
            let survey = merged.scan(&mut |_| {});
            assert_eq!(survey.faults, 0, "{:?}", survey.described);
        }
        Err(error) => one_line(&error),
    }
}

/// Copies the table: the copy has nothing unfinished, and no more faults than the table.
fn snapshot(table: &Table, copy: &Path) {
    match table.snapshot(copy, true, &|| true) {
        Ok(made) => {
            let copy = Table::open(copy, TableMode::ReadOnly, None).expect("a table");
            let [faults, left] = [table, &copy].map(|table| table.scan(&mut |_| {}));
            look(&left);
            assert_eq!((left.unfinished_entries, left.unfinished_pages), (0, 0));
            assert!(
                left.faults <= faults.faults,
                "{:?} where there were {:?}",
                left.described,
                faults.described
            );
            assert_eq!(left.entries + left.bad_entries, made.entries);
        }
        Err(error) => one_line(&error),
    }
}

/// Searches with the table, if the engine accepts it, and plays the move; all moves must be legal.
fn search(sound: &Sound, path: &Path, flags: u8) {
    let mode = if flags & 0x10 == 0 { TableMode::ReadWrite } else { TableMode::CopyOnWrite };
    let mut options = in_file(&sound.options, path, mode);
    options.parameters.threads = if flags & 0xe0 == 0xe0 { 2 } else { 1 };
    let mut engine = match Engine::new(options) {
        Ok(engine) => engine,
        Err(error) => return one_line(&error),
    };
    let limits = Limits { simulations: Some(SIMULATIONS), ..Limits::default() };
    let report = engine.search(Player::Black, limits, &mut |_| true).expect("a network in this process");
    judge(&report, engine.position());
    let mv = engine.chosen_move(&report);
    engine.record_mut().play(Player::Black, mv).expect("the move chosen is legal");
    judge(&engine.look_up(engine.position().clone()), engine.position());
}

/// Checks that every number of a report is in its range and that every line can be played.
fn judge(report: &Report, position: &Position) {
    assert!((0.0..=1.0).contains(&report.root.value.as_f64()));
    for candidate in &report.moves {
        let bounds = [candidate.value.as_f64(), candidate.prior, candidate.lower_bound()];
        assert!(bounds.iter().all(|value| (0.0..=1.0001).contains(value)), "{candidate:?}");
        let mut line = position.clone();
        line.resume();
        line.set_to_play(report.root.to_play);
        for &mv in &candidate.pv {
            line.try_play(mv).expect("a line of legal moves");
        }
    }
    assert!(position.terminal_score().is_some() || !report.moves.is_empty());
}

/// Repairs the table; no fault may be left.
fn repair(path: &Path) {
    let Ok(mut table) = Table::open(path, TableMode::ReadWrite, None) else { return };
    table.lock_exclusively().expect("nobody else uses it");
    table.repair(&mut |_| {});
    let survey = table.scan(&mut |_| {});
    look(&survey);
    let wrong = (survey.faults, survey.unfinished_entries, survey.unfinished_pages);
    assert_eq!(wrong, (0, 0, 0), "{:?}", survey.described);
    let census = table.census();
    assert_eq!(census.entries_used as u64, survey.entries);
}

/// Runs the commands themselves in this process.
fn by_command(path: &Path, other: &Path, sum: &Path) {
    let [path, other, sum] = [path, other, sum].map(|path| path.to_str().expect("a name"));
    let commands: [&[&str]; 9] = [
        &["info", path],
        &["info", "--format", "json", path],
        &["verify", path],
        &["dump", "--depth", "2", "--moves", "2", path],
        &["dump", "--depth", "2", "--moves", "2", "--format", "dot", path],
        &["merge", path, other, "-o", sum],
        &["snapshot", path, "-o", sum, "--force"],
        &["resize", "--table-size", "9000", path],
        &["verify", "--repair", path],
    ];
    for command in commands {
        let words = ["tewari", "--config", "none", "table"].into_iter().chain(command.iter().copied());
        if let Err(error) = Cli::read(words.map(OsString::from).collect()).expect("a command").run() {
            one_line(&format!("{error:#}"));
        }
    }
}
