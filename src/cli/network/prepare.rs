//! `tewari network prepare`: training and validation positions from games.

use crate::base::folder::{FolderIdentity, json, write_atomically};
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::cli::output_file::NewFile;
use crate::cli::print::{print_error, print_line};
use crate::cli::shard_identity::fingerprint;
use crate::go::Size;
use crate::lab::training::recorded_games::RecordedGame;
use crate::lab::training::sample_files::{DESCRIPTION, FILES};
use crate::lab::training::samples::SampleWriter;
use crate::lab::training::selfplay_games::SelfplayGame;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// First bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

#[derive(Args)]
pub(super) struct PrepareArguments {
    /// Folders of self-play; or one file (- for standard input) of games on 19x19, one a line: DATE RESULT KOMI MOVES,
    /// with moves in SGF letters.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Folder to write train.rows and validation.rows to.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Prepare only part I of N of the games, for example 2/8; `tewari join` puts the folders of all parts together.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of games kept for validation, the last ones: by date, or for self-play by their order.
    #[arg(long, value_name = "N", default_value = "1000")]
    validation: NonZeroUsize,
    /// The board to take, if games of self-play are on several.
    #[arg(long)]
    size: Option<Size>,
    /// For self-play: take one in N positions beside all those with a long search, since positions of one game are
    /// correlated.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
}

pub(super) fn run(arguments: &PrepareArguments) -> Result<()> {
    if arguments.games.iter().all(|path| path.is_dir()) {
        return prepare_selfplay_games(arguments);
    }
    let [file] = &*arguments.games else {
        bail!("expected folders of self-play or one file with games, found {} names", arguments.games.len());
    };
    let mut games = read(file, |text, line| Ok(RecordedGame::parse(text, line)?))?;
    // The sort is stable: games of one day stay in the order of the file.
    games.sort_by(|one, other| one.date.cmp(&other.date));
    let size = Size::new(19, 19)?;
    let name = |game: &RecordedGame| format!("{} {}", game.date, game.moves.len());
    split(arguments, &games, &name, &mut |games, first, file| {
        let mut writer = SampleWriter::new(BufWriter::new(file), size)?;
        let counts = (first as u32..).zip(games).map(|(number, game)| game.write(number, &mut writer));
        let total = sum(counts)?;
        writer.finish()?;
        Ok(total)
    })
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

fn prepare_selfplay_games(arguments: &PrepareArguments) -> Result<()> {
    let (games, size) = read_selfplay_games(&arguments.games, arguments.size)?;
    let name = |game: &SelfplayGame| format!("{} {}", game.number, game.moves.len());
    split(arguments, &games, &name, &mut |games, _, file| {
        let mut writer = SampleWriter::with_visits(BufWriter::new(file), size)?;
        let counts = games.iter().map(|game| game.write(usize::from(arguments.every), &mut writer));
        let total = sum(counts)?;
        writer.finish()?;
        Ok(total)
    })
}

/// Returns the numbers of positions and of games cut off at an illegal move.
fn sum(mut counts: impl Iterator<Item = io::Result<(usize, bool)>>) -> io::Result<(usize, usize)> {
    counts.try_fold((0, 0), |(positions, cut_off), count| {
        let (more, cut) = count?;
        Ok((positions + more, cut_off + usize::from(cut)))
    })
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

/// Writes the last games to the validation file and all others to the training file, or a shard's part of each. `write`
/// gets games and the number of the first. A trainer may be reading older
/// files: they stay until both new ones are complete.
fn split<G>(
    arguments: &PrepareArguments,
    games: &[G],
    name: &dyn Fn(&G) -> String,
    write: &mut impl FnMut(&[G], usize, &mut File) -> io::Result<(usize, usize)>,
) -> Result<()> {
    let apart = match games.len().checked_sub(arguments.validation.get()) {
        Some(apart) if apart > 0 => apart,
        _ => bail!(
            "expected more than the {} games for validation, found {}: set --validation lower, or play more",
            arguments.validation,
            games.len()
        ),
    };
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make {}", arguments.out.display()))?;
    let (train, validation) = games.split_at(apart);
    let [train_path, validation_path] = FILES.map(|name| arguments.out.join(name));
    let (mut files, mut lines) = (Vec::new(), Vec::new());
    for (games, path) in [(train, &train_path), (validation, &validation_path)] {
        let range = arguments.shard.map_or(0..games.len(), |shard| shard.range(games.len()));
        let first = range.start;
        let games = &games[range];
        let mut file = NewFile::begin(path, true)?;
        let (positions, cut) =
            write(games, first, file.file()).with_context(|| format!("cannot write {}", path.display()))?;
        let counts = format!("{} games, {cut} of them cut off, {positions} positions", games.len());
        lines.push(format!("{}: {counts}", path.display()));
        files.push(file);
    }
    // The description of a shard says that its files are complete.
    let description = arguments.out.join(DESCRIPTION);
    let identity = arguments.shard.map(|shard| arguments.shard_identity(shard, games, name));
    remove(&description)?;
    // Validation games of the older files may be training games of the new ones: no validation file is better than an
    // old one.
    remove(&validation_path)?;
    files.into_iter().try_for_each(NewFile::finish)?;
    if let Some(identity) = identity {
        write_atomically(&description, &json(&identity, &description)?)?;
    }
    lines.iter().try_for_each(|line| print_line(format_args!("{line}")))
}

/// Removes a file, if there is one.
fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", path.display()))
        }
        _ => Ok(()),
    }
}

impl PrepareArguments {
    /// Returns the identity of a shard of all `games`, which have the names `name` in a hash.
    fn shard_identity<G>(&self, shard: Shard, games: &[G], name: &dyn Fn(&G) -> String) -> FolderIdentity {
        let setting = [
            ("tewari", env!("CARGO_PKG_VERSION").to_owned()),
            ("games", fingerprint(games.iter().map(name))),
            ("validation", self.validation.to_string()),
            ("size", self.size.map_or_else(|| "not set".to_owned(), |size| size.to_string())),
            ("every", self.every.to_string()),
        ];
        let mut identity: FolderIdentity = setting.map(|(name, value)| (name.to_owned(), value)).into();
        let place = ShardPlace { shard, total: games.len() as u64, command: ShardedCommand::Prepare };
        place.add_to(&mut identity);
        identity
    }
}
