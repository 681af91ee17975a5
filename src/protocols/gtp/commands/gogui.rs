//! GoGui's extensions of GTP: set-up, analysis commands and parameters.
//!
//! Source: GoGui's manual, "GTP extensions" and "Analyze commands".

use super::{Arguments, GtpError, Session, rows, vertices};
use crate::base::game::{Game, Move, Player};
use crate::go::handicap::stones_given;
use crate::go::{Position, Record, Size};
use crate::records::sgf::DefaultTerms;
use std::fmt::Write;
use std::time::Duration;

/// Returns the analysis commands for GoGui's menu, one a line: kind of result, label and command.
pub(super) fn analyze_commands(_: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let commands = [
        "pspairs/Best Moves/tewari-best_moves",
        "dboard/Win Rates/tewari-win_rates",
        "dboard/Ownership/tewari-ownership",
        "varc/Principal Variation/tewari-variation %c",
        "string/Final Score/final_score",
        "plist/Dead Stones/final_status_list dead",
        "hstring/Table/tewari-table",
        "param/Settings/tewari-param",
    ];
    Ok(commands.join("\n"))
}

/// Plays several moves, all or none.
pub(super) fn play_sequence(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let moves = players_and_vertices(&mut arguments, session.size())?;
    let mut record = session.engine.record().clone();
    for (player, mv) in moves {
        record.play(player, mv).map_err(|_| GtpError::IllegalMove)?;
    }
    *session.engine.record_mut() = record;
    Ok(String::new())
}

/// Adds stones, pairs of a colour and a point, before the first move.
pub(super) fn setup(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let position = session.position();
    if session.engine.record().move_count() > 0 {
        return Err(GtpError::BoardNotEmpty);
    }
    let size = position.size();
    let board = position.board();
    let mut stones: Vec<(Player, Move)> = board
        .geometry()
        .points
        .iter()
        .filter_map(|&point| Some((board.stone_at(point)?, board.geometry().move_of(point))))
        .collect();
    stones.extend(players_and_vertices(&mut arguments, size)?);
    let to_play = position.to_play();
    set_up(session, &stones, to_play)
}

/// Sets the player to move after the set-up.
pub(super) fn setup_player(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    if session.engine.record().move_count() > 0 {
        return Err(GtpError::BoardNotEmpty);
    }
    let mut position = session.position().clone();
    position.set_to_play(player);
    session.set_record(Record::from_position(position)).map_err(GtpError::SizeFailed)?;
    Ok(String::new())
}

fn set_up(session: &mut Session, stones: &[(Player, Move)], to_play: Player) -> Result<String, GtpError> {
    let position = session.position();
    let terms = DefaultTerms { rules: position.rules(), komi: position.komi() };
    let position = set_up_position(position.size(), terms, stones, to_play)?;
    session.set_record(Record::from_position(position)).map_err(GtpError::SizeFailed)?;
    Ok(String::new())
}

/// Returns the position with the given stones. Two or more stones of Black alone are a handicap.
pub(super) fn set_up_position(
    size: Size,
    terms: DefaultTerms,
    stones: &[(Player, Move)],
    to_play: Player,
) -> Result<Position, GtpError> {
    let mut position = Position::with_stones(size, terms.rules, terms.komi, stones, to_play)
        .map_err(|(mv, reason)| GtpError::BadVertexList(format!("{}: {reason}", size.vertex(mv))))?;
    position.compensate_for(stones_given(position.board().stones().map(usize::from)));
    Ok(position)
}

/// Parses pairs of a colour and a vertex, up to the end of the arguments.
pub(super) fn players_and_vertices(
    arguments: &mut Arguments<'_>,
    size: Size,
) -> Result<Vec<(Player, Move)>, GtpError> {
    let mut moves = Vec::new();
    while let Some(word) = arguments.next_word() {
        let player = Arguments::new(word).player().map_err(|_| GtpError::InvalidColorOrCoordinate)?;
        let vertex = arguments.next_word().and_then(|word| size.parse_vertex(word));
        moves.push((player, vertex.ok_or(GtpError::InvalidColorOrCoordinate)?));
    }
    Ok(moves)
}

/// Returns the best moves with their visits.
pub(super) fn best_moves(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    const SHOWN: usize = 10;
    let report = session.engine.look_up(session.position().clone());
    let size = session.size();
    let pairs = report.moves.iter().take(SHOWN).filter(|mv| mv.edge_visits > 0);
    let pairs: Vec<String> = pairs.map(|mv| format!("{} {}", size.vertex(mv.mv), mv.edge_visits)).collect();
    Ok(pairs.join(" "))
}

/// Returns the win rate of each move with visits, for the player to move, as a board of numbers; other points are 0,
/// since GoGui accepts only numbers and draws nothing for 0.
pub(super) fn win_rates(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let report = session.engine.look_up(session.position().clone());
    let size = session.size();
    let mut values = vec![0.0; size.points() + 1];
    for mv in report.moves.iter().filter(|mv| mv.edge_visits > 0) {
        values[mv.mv.index()] = mv.value.as_f64();
    }
    Ok(rows(size, |point| format!("{:.2}", values[point.index()])))
}

/// Returns the ownership of each point as a board of numbers, from -1 for White to 1 for Black. Without an evaluator it
/// is that of the last search, if this was of the position, else that of new playouts.
pub(super) fn ownership(session: &mut Session, _: Arguments<'_>) -> Result<String, GtpError> {
    let root = session.engine.root_for(session.position().to_play());
    let searched = session.last_search.as_ref().filter(|(key, _)| *key == session.position().key());
    let report = searched.map_or_else(|| session.engine.look_up(root.clone()), |(_, report)| report.clone());
    let mut line = session.engine.line_ownership(&root);
    let owners = line.of_root(&report);
    session.engine.store_ownership(&line);
    Ok(rows(session.size(), |point| format!("{:.2}", owners[point.index()])))
}

/// Returns the best line from the position with a given player to move; empty before a search.
pub(super) fn variation(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let player = arguments.player()?;
    let mut position = session.position().clone();
    position.set_to_play(player);
    let report = session.engine.look_up(position);
    let searched = report.best().filter(|best| best.edge_visits > 0);
    let line = searched.map_or_else(Vec::new, |best| best.pv.clone());
    Ok(vertices(session.size(), line))
}

/// Returns the settings for GoGui's dialog; with a name and a value, changes a setting.
pub(super) fn param(session: &mut Session, mut arguments: Arguments<'_>) -> Result<String, GtpError> {
    let Some(name) = arguments.next_word() else { return Ok(settings(session)) };
    let setting = setting(name).ok_or_else(|| GtpError::syntax(SETTINGS, Some(name)))?;
    let value: f64 = arguments.number("a number")?;
    set(session, setting, value)?;
    Ok(String::new())
}

const SETTINGS: &str = "simulations, visits, time, threads, resign or ponder";

/// A setting that can be changed during a session.
#[derive(Clone, Copy)]
pub(super) enum SessionParameter {
    Simulations,
    Visits,
    Time,
    Threads,
    Resign,
    Ponder,
}

fn setting(name: &str) -> Option<SessionParameter> {
    Some(match name {
        "simulations" => SessionParameter::Simulations,
        "visits" => SessionParameter::Visits,
        "time" => SessionParameter::Time,
        "threads" => SessionParameter::Threads,
        "resign" => SessionParameter::Resign,
        "ponder" => SessionParameter::Ponder,
        _ => return None,
    })
}

fn settings(session: &Session) -> String {
    let options = &session.options;
    let mut text = String::new();
    let number = |value: Option<u64>| value.unwrap_or(0);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[string] simulations {}", number(options.decisions.budget.simulations));
    let _ = writeln!(text, "[string] visits {}", number(options.decisions.budget.visits));
    let _ =
        writeln!(text, "[string] time {}", options.decisions.budget.time.unwrap_or_default().as_secs_f64());
    let _ = writeln!(text, "[string] threads {}", session.engine.options().parameters.threads);
    let _ = writeln!(text, "[string] resign {}", options.decisions.resign_below);
    let _ = write!(text, "[bool] ponder {}", u8::from(options.ponders));
    text
}

/// Visits or simulations that mean no limit, as does a larger number: KataGo's value for an absent limit.
pub(super) const UNLIMITED_COUNT: u64 = 1 << 50;
/// Seconds that mean no limit, as does a larger number.
const UNLIMITED_SECONDS: f64 = 1e15;

/// Changes a setting; 0 removes a limit, as [`UNLIMITED_COUNT`] and [`UNLIMITED_SECONDS`] do.
pub(super) fn set(session: &mut Session, setting: SessionParameter, value: f64) -> Result<(), GtpError> {
    let refuse = |expected| Err(GtpError::syntax(expected, Some(&value.to_string())));
    if !(0.0..).contains(&value) {
        return refuse("a number from 0 on");
    }
    let is_count = matches!(
        setting,
        SessionParameter::Simulations | SessionParameter::Visits | SessionParameter::Threads
    );
    if is_count && value.is_finite() && value.fract() != 0.0 {
        return refuse("a whole number from 0 on");
    }
    let limit = (1.0..UNLIMITED_COUNT as f64).contains(&value).then_some(value as u64);
    let options = &mut session.options;
    match setting {
        SessionParameter::Simulations => options.decisions.budget.simulations = limit,
        SessionParameter::Visits => options.decisions.budget.visits = limit,
        SessionParameter::Time => {
            let is_limit = value > 0.0 && value < UNLIMITED_SECONDS;
            options.decisions.budget.time = is_limit.then(|| Duration::from_secs_f64(value.min(1e6)));
        }
        SessionParameter::Threads if !(1.0..=255.0).contains(&value) => return refuse("1 to 255 threads"),
        SessionParameter::Threads => {
            session.engine.set_threads(value as usize).map_err(GtpError::NoMemoryForThreads)?;
        }
        SessionParameter::Resign if value > 1.0 => return refuse("a probability from 0 to 1"),
        SessionParameter::Resign => options.decisions.resign_below = value,
        SessionParameter::Ponder if value > 0.0 && options.level.is_some() => {
            return refuse("0 for ponder: pondering searches more than --level allows");
        }
        SessionParameter::Ponder if value != 0.0 && value != 1.0 => return refuse("0 or 1 for ponder"),
        SessionParameter::Ponder => options.ponders = value == 1.0,
    }
    Ok(())
}
