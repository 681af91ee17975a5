//! `tewari network prepare`: training and validation positions from games.

use super::games::{TrainingGames, recorded_name, selfplay_name};
use super::label::games_identity;
use crate::base::folder::{FolderIdentity, json, write_atomically};
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::cli::output_file::NewFile;
use crate::cli::print::print_line;
use crate::cli::shard_identity::fingerprint;
use crate::go::Size;
use crate::lab::training::label_folder::read_labels;
use crate::lab::training::labelled_rows::{LabelledRows, by_game};
use crate::lab::training::recorded_games::RecordedGame;
use crate::lab::training::sample_files::{DESCRIPTION, FILES, add_length};
use crate::lab::training::samples::SampleWriter;
use crate::lab::training::selfplay_games::SelfplayGame;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs::File;
use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

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
    /// The board to use, if the games of self-play are on several boards.
    #[arg(long)]
    size: Option<Size>,
    /// For self-play: take one in N positions beside all those with a long search, since positions of one game are
    /// correlated.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Take the positions and labels that `tewari network label` has made from the same games in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "shard")]
    labels: Option<PathBuf>,
    /// Learn the moves played in the games, not the evaluator's policy.
    #[arg(long, requires = "labels")]
    played_policy: bool,
}

pub(super) fn run(arguments: &PrepareArguments) -> Result<()> {
    let (games, size) = TrainingGames::read(&arguments.games, arguments.size)?;
    if let Some(folder) = &arguments.labels {
        let count = arguments.games_to_learn(games.names().len())?;
        let labels = read_labels(folder, &games_identity(&games, size), size)?;
        let writer = LabelledRows { games: games.moves(), size, has_played_policy: arguments.played_policy };
        let (learned, validation) = by_game(labels, count);
        return write_files(arguments, [&learned, &validation], None, &mut |labels, file| {
            writer.write(labels, file)
        });
    }
    match games {
        TrainingGames::Recorded(games) => prepare_recorded_games(arguments, &games, size),
        TrainingGames::Selfplay(games) => prepare_selfplay_games(arguments, &games, size),
    }
}

fn prepare_recorded_games(arguments: &PrepareArguments, games: &[RecordedGame], size: Size) -> Result<()> {
    split(arguments, games, &recorded_name, &mut |games, first, file| {
        let mut writer = SampleWriter::new(BufWriter::new(file), size)?;
        let counts = (first as u32..).zip(games).map(|(number, game)| game.write(number, &mut writer));
        let total = sum(counts)?;
        writer.finish()?;
        Ok(total)
    })
}

fn prepare_selfplay_games(arguments: &PrepareArguments, games: &[SelfplayGame], size: Size) -> Result<()> {
    split(arguments, games, &selfplay_name, &mut |games, _, file| {
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

/// Writes the last games to the validation file and all others to the training file, or a shard's part of each. `write`
/// gets games and the number of the first.
fn split<G>(
    arguments: &PrepareArguments,
    games: &[G],
    name: &dyn Fn(&G) -> String,
    write: &mut impl FnMut(&[G], usize, &mut File) -> io::Result<(usize, usize)>,
) -> Result<()> {
    let parts = games.split_at(arguments.games_to_learn(games.len())?);
    let identity = arguments.shard.map(|shard| arguments.shard_identity(shard, games, name));
    write_files(arguments, parts.into(), identity, &mut |games, file| {
        let range = arguments.shard.map_or(0..games.len(), |shard| shard.range(games.len()));
        let (count, first) = (range.len(), range.start);
        let (positions, cut) = write(&games[range], first, file)?;
        Ok(format!("{count} games, {cut} of them cut off, {positions} positions"))
    })
}

/// Writes the training and the validation file by `write`, which returns a description for the user. A trainer may be
/// reading older files: they stay until both new ones are complete.
pub(super) fn write_files<G>(
    arguments: &PrepareArguments,
    parts: [&[G]; 2],
    identity: Option<FolderIdentity>,
    write: &mut impl FnMut(&[G], &mut File) -> io::Result<String>,
) -> Result<()> {
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make {}", arguments.out.display()))?;
    let [train_path, validation_path] = FILES.map(|name| arguments.out.join(name));
    let (mut files, mut lines) = (Vec::new(), Vec::new());
    for (part, path) in parts.into_iter().zip([&train_path, &validation_path]) {
        let mut file = NewFile::begin(path, true)?;
        let written = write(part, file.file()).with_context(|| format!("cannot write {}", path.display()))?;
        lines.push(format!("{}: {written}", path.display()));
        files.push(file);
    }
    // The description of a shard says that its files are complete.
    let description = arguments.out.join(DESCRIPTION);
    remove(&description)?;
    // Validation games of the older files may be training games of the new ones: no validation file is better than an
    // old one.
    remove(&validation_path)?;
    files.into_iter().try_for_each(NewFile::finish)?;
    if let Some(mut identity) = identity {
        for (name, path) in FILES.into_iter().zip([&train_path, &validation_path]) {
            let metadata = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
            add_length(&mut identity, name, metadata.len());
        }
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
    /// Returns the number of games to learn from, which are those before the ones kept for validation.
    pub(super) fn games_to_learn(&self, games: usize) -> Result<usize> {
        match games.checked_sub(self.validation.get()) {
            Some(apart) if apart > 0 => Ok(apart),
            _ => bail!(
                "expected more than the {} games for validation, found {games}: set --validation lower, or play more",
                self.validation
            ),
        }
    }

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
