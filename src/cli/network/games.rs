//! Games from which a network learns, as named on the command line.

use crate::base::game::Move;
use crate::cli::print::print_error;
use crate::go::{Komi, Size};
use crate::lab::training::label_positions::GameMoves;
use crate::lab::training::recorded_games::RecordedGame;
use crate::lab::training::selfplay_games::SelfplayGame;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// First bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Games of one kind.
pub(super) enum TrainingGames {
    /// Games of a file, one a line, by date.
    Recorded(Vec<RecordedGame>),
    /// Games of self-play, in the order of their folders and numbers.
    Selfplay(Vec<SelfplayGame>),
}

impl TrainingGames {
    /// Reads folders of self-play or one file of recorded games. Returns the games and their board; `size` chooses among
    /// boards of self-play.
    pub(super) fn read(paths: &[PathBuf], size: Option<Size>) -> Result<(TrainingGames, Size)> {
        if paths.iter().all(|path| path.is_dir()) {
            let (games, size) = read_selfplay_games(paths, size)?;
            return Ok((TrainingGames::Selfplay(games), size));
        }
        let [file] = paths else {
            bail!("expected folders of self-play or one file with games, found {} names", paths.len());
        };
        let mut games = read(file, |text, line| Ok(RecordedGame::parse(text, line)?))?;
        // The sort is stable: games of one day stay in the order of the file.
        games.sort_by(|one, other| one.date.cmp(&other.date));
        Ok((TrainingGames::Recorded(games), Size::new(19, 19)?))
    }

    /// Returns a name for each game, which identifies the games together.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            TrainingGames::Recorded(games) => games.iter().map(recorded_name).collect(),
            TrainingGames::Selfplay(games) => games.iter().map(selfplay_name).collect(),
        }
    }

    /// Returns the moves of all games, with the komi at the start of each.
    pub(super) fn moves(&self) -> Vec<GameMoves> {
        match self {
            TrainingGames::Recorded(games) => {
                games.iter().map(|game| GameMoves { komi: game.komi, moves: game.moves.clone() }).collect()
            }
            TrainingGames::Selfplay(games) => {
                let komi = |game: &SelfplayGame| Komi(game.komis.first().map_or(0, |&(_, komi)| komi));
                let moves = |game: &SelfplayGame| game.moves.iter().map(|&mv| Move(mv)).collect();
                games.iter().map(|game| GameMoves { komi: komi(game), moves: moves(game) }).collect()
            }
        }
    }
}

/// Returns the name of a recorded game: its date and length.
pub(super) fn recorded_name(game: &RecordedGame) -> String {
    format!("{} {}", game.date, game.moves.len())
}

/// Returns the name of a game of self-play: its number and length.
pub(super) fn selfplay_name(game: &SelfplayGame) -> String {
    format!("{} {}", game.number, game.moves.len())
}

/// Returns the self-play games on one board, in the order of the folders and then of their numbers, and the board.
pub(super) fn read_selfplay_games(
    folders: &[PathBuf],
    size: Option<Size>,
) -> Result<(Vec<SelfplayGame>, Size)> {
    let mut games = Vec::new();
    let mut taken = HashSet::new();
    for folder in folders {
        let file = folder.join("games.jsonl");
        let place = file.canonicalize().with_context(|| {
            format!("cannot read {}: expected a folder that tewari selfplay --out has made", file.display())
        })?;
        // Otherwise a game could be in both training and validation.
        ensure!(taken.insert(place), "{} is named twice: name each folder once", folder.display());
        let hint =
            "remove the line; a cut-off last line is removed when tewari selfplay continues in the folder";
        let mut played = read(&file, |text, line| {
            SelfplayGame::parse(text, line).map_err(|error| anyhow!("{error}: {hint}"))
        })?;
        // The file has them in the order in which they ended, which differs from run to run.
        played.sort_by_key(|game| game.number);
        let lines = played.len();
        played.dedup_by_key(|game| game.number);
        if lines > played.len() {
            // Otherwise one copy could be in training and the other in validation.
            let (name, copies) = (folder.display(), lines - played.len());
            print_error(&format!("{name}: left out {copies} games with a number that occurs twice"));
        }
        games.extend(played);
    }
    if let Some(size) = size {
        let boards = boards(&games);
        games.retain(|game| game.board() == Some(size));
        ensure!(!games.is_empty(), "expected games on {size}, found {boards}: choose another --size");
        return Ok((games, size));
    }
    let Some(size) = games.first().and_then(SelfplayGame::board) else {
        bail!("expected games of self-play, found none: play some with tewari selfplay");
    };
    if games.iter().any(|game| game.board() != Some(size)) {
        bail!("expected games on one board, found {}: choose with --size", boards(&games));
    }
    Ok((games, size))
}

/// Returns the boards of games as text.
fn boards(games: &[SelfplayGame]) -> String {
    let sizes: BTreeSet<&str> = games.iter().map(|game| &*game.size).collect();
    if sizes.is_empty() { "none".to_owned() } else { sizes.into_iter().collect::<Vec<_>>().join(", ") }
}

/// Reads all games of a file.
fn read<G>(path: &Path, parse: impl Fn(&str, usize) -> Result<G>) -> Result<Vec<G>> {
    let name = path.display();
    let mut input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).with_context(|| format!("cannot read {name}"))?))
    };
    if input.fill_buf().is_ok_and(|first| first.starts_with(&GZIP)) {
        bail!(
            "{name} is compressed: expected games as text, as gzip -dc writes them (- reads standard input)"
        );
    }
    let lines = input.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines
        .map(|(number, line)| parse(&line?, number))
        .collect::<Result<_>>()
        .with_context(|| format!("cannot read {name}"))
}
