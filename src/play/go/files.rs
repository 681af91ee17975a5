//! Game records in files.

use super::GoGame;
use crate::base::bounded_file::read_bounded;
use crate::base::game::{Move, Player};
use crate::base::platform::files::use_umask;
use crate::go::Record;
use crate::play::InteractiveGame;
use crate::records::sgf::{self, ChosenTerms, DefaultTerms, GameInformation};
use std::io::{self, Write};
use std::path::Path;

/// The names of the person and of this program in a record.
const NAMES: [&str; 2] = ["Person", "Tewari"];

/// A loaded record, of which a saved game keeps the information.
pub(super) struct LoadedGame {
    /// The name of the file.
    name: String,
    information: GameInformation,
    /// All moves, and those after the last setup.
    moves: (usize, Vec<(Player, Move)>),
}

impl LoadedGame {
    /// Returns true if the game has the moves of the record.
    fn is_unchanged(&self, record: &Record) -> bool {
        (record.move_count(), record.moves()) == (self.moves.0, &self.moves.1)
    }
}

/// Saves the game: [`InteractiveGame::save`].
pub(super) fn save(
    game: &GoGame,
    path: &Path,
    resigned: Option<Player>,
    is_forced: bool,
) -> Result<String, String> {
    let record = game.engine.record();
    let text = sgf::write_game(record, &information(game, resigned));
    let name = path.display();
    let left_out = game.loaded.as_ref().map_or_else(String::new, |loaded| {
        format!(", without comments, variations, marks and further information of {}", loaded.name)
    });
    match write(path, &text, is_forced) {
        Ok(()) => Ok(format!("Saved as {name}: {}{left_out}.", moves(record))),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(format!("{name} exists: type save {name} --force to overwrite it, or choose another name."))
        }
        Err(error) => Err(format!("Cannot write {name}: {error}.")),
    }
}

/// Returns the information on the game: that of the record if it was loaded. Its result is that of the present end or, as
/// long as no other move was made, that of the record.
fn information(game: &GoGame, resigned: Option<Player>) -> GameInformation {
    let record = game.engine.record();
    let (is_unchanged, mut information) = match &game.loaded {
        Some(loaded) => (loaded.is_unchanged(record), loaded.information.clone()),
        None => (false, GameInformation::default()),
    };
    information.result = match resigned {
        Some(Player::Black) => Some("W+R".to_owned()),
        Some(Player::White) => Some("B+R".to_owned()),
        None if is_unchanged && information.result.is_some() => information.result,
        None if record.position().passes() < 2 => None,
        None => Some(result(game.count().1)),
    };
    if information.names == [None, None] {
        let [person, engine] = NAMES.map(|name| Some(name.to_owned()));
        let is_black = game.setting.human == Player::Black;
        information.names = if is_black { [person, engine] } else { [engine, person] };
    }
    information
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
    let (record, information, mut notices) =
        record(&bytes, game.terms_of_session).map_err(|why| format!("Cannot use {name}: {why}."))?;
    let message = format!("Loaded {name}: {}.", moves(&record));
    let moves = (record.move_count(), record.moves().to_vec());
    let loaded = LoadedGame { name: name.to_string(), information, moves };
    game.engine.set_record(record).map_err(|error| format!("Cannot go on with {name}: {error}."))?;
    (game.estimate, game.territory, game.loaded) = (None, None, Some(loaded));
    notices.insert(0, message);
    notices.extend(game.terms());
    Ok(notices.join("\n"))
}

/// Returns the first game of a file, the information in it, and messages about it.
fn record(bytes: &[u8], otherwise: DefaultTerms) -> Result<(Record, GameInformation, Vec<String>), String> {
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
    Ok((record, GameInformation::of(first), notices))
}
