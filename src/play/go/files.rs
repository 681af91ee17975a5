//! Game records in files.

use super::GoGame;
use crate::base::bounded_file::read_bounded;
use crate::base::game::Player;
use crate::base::platform::files::use_umask;
use crate::go::Record;
use crate::play::InteractiveGame;
use crate::records::sgf::{self, ChosenTerms, DefaultTerms};
use std::io::{self, Write};
use std::path::Path;

/// The names of the person and of this program in a record.
const NAMES: [&str; 2] = ["Person", "Tewari"];

/// Saves the game: [`InteractiveGame::save`].
pub(super) fn save(
    game: &GoGame,
    path: &Path,
    resigned: Option<Player>,
    is_forced: bool,
) -> Result<String, String> {
    let record = game.engine.record();
    let [person, engine] = NAMES;
    let is_black = game.setting.human == Player::Black;
    let names = if is_black { [person, engine] } else { [engine, person] };
    let result = match resigned {
        Some(Player::Black) => "W+R".to_owned(),
        Some(Player::White) => "B+R".to_owned(),
        None if record.position().passes() < 2 => String::new(),
        None => result(game.count().1),
    };
    let text = sgf::write_game(record, names, &result);
    let name = path.display();
    match write(path, &text, is_forced) {
        Ok(()) => Ok(format!("Saved as {name}: {}.", moves(record))),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(format!("{name} exists: type save {name} --force to overwrite it, or choose another name."))
        }
        Err(error) => Err(format!("Cannot write {name}: {error}.")),
    }
}

/// Returns the result of a game that Black wins by `margin` points, as the SGF property RE has it.
fn result(margin: f64) -> String {
    match margin {
        margin if margin > 0.0 => format!("B+{margin}"),
        margin if margin < 0.0 => format!("W+{}", -margin),
        _ => "0".to_owned(),
    }
}

fn moves(record: &Record) -> String {
    match record.move_count() {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    }
}

/// Writes a file completely or leaves nothing behind.
fn write(path: &Path, text: &str, is_forced: bool) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    use_umask(&mut builder);
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let persisted = if is_forced { file.persist(path) } else { file.persist_noclobber(path) };
    persisted.map(drop).map_err(|error| error.error)
}

/// Loads a game: [`InteractiveGame::load`].
pub(super) fn load(game: &mut GoGame, path: &Path) -> Result<String, String> {
    let name = path.display();
    let bytes =
        read_bounded(path, sgf::MAX_BYTES).map_err(|error| format!("Cannot read {name}: {error}."))?;
    let (record, mut notices) =
        record(&bytes, game.terms_of_session).map_err(|why| format!("Cannot use {name}: {why}."))?;
    let loaded = format!("Loaded {name}: {}.", moves(&record));
    game.engine.set_record(record).map_err(|error| format!("Cannot go on with {name}: {error}."))?;
    (game.estimate, game.territory) = (None, None);
    notices.insert(0, loaded);
    notices.extend(game.terms());
    Ok(notices.join("\n"))
}

/// Returns the first game of a file, and messages about it.
fn record(bytes: &[u8], otherwise: DefaultTerms) -> Result<(Record, Vec<String>), String> {
    let collection = sgf::read_damaged(bytes).map_err(|error| error.to_string())?;
    let games = collection.games.len();
    let first = collection.games.first().ok_or("it has no game")?;
    let terms = first.terms(ChosenTerms::default(), otherwise).map_err(|error| error.to_string())?;
    let steps = first.steps(terms.rules, terms.komi).map_err(|error| error.to_string())?;
    let record = steps.with_handicap(terms.handicap).into_record(None).map_err(|error| error.to_string())?;
    let mut notices: Vec<String> = collection.warnings.iter().chain(&first.warnings).cloned().collect();
    notices.extend(terms.assumed);
    if games > 1 {
        notices.push(format!("it has {games} games: this is the first"));
    }
    Ok((record, notices))
}
