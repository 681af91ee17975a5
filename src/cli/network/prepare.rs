//! `tewari network prepare`.

use crate::go::Size;
use crate::network::games::RecordedGame;
use crate::network::samples::SampleWriter;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    /// Games on 19x19, one a line: DATE RESULT KOMI MOVES, moves in the letters of SGF; - for standard input.
    games: PathBuf,
    /// Where to write train.rows and validation.rows.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Keep the last N games by date apart.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    validation: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let name = arguments.games.display();
    let mut games = read_games(&arguments.games).with_context(|| format!("cannot read {name}"))?;
    let apart = match games.len().checked_sub(arguments.validation) {
        Some(apart) if apart > 0 => apart,
        _ => bail!(
            "{name} has {} games: expected more than --validation {}",
            games.len(),
            arguments.validation
        ),
    };
    // Stable, so that games of one day stay in the order of the file.
    games.sort_by(|one, other| one.date.cmp(&other.date));
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot make {}", arguments.out.display()))?;
    let (train, validation) = games.split_at(apart);
    for (games, file) in [(train, "train.rows"), (validation, "validation.rows")] {
        let path = arguments.out.join(file);
        let (positions, cut) =
            write_games(games, &path).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}: {} games, {cut} of them cut off, {positions} positions", path.display(), games.len());
    }
    Ok(())
}

fn read_games(path: &Path) -> Result<Vec<RecordedGame>> {
    let input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path)?))
    };
    let mut games = Vec::new();
    for (index, line) in input.lines().enumerate() {
        games.push(RecordedGame::parse(&line?, index + 1)?);
    }
    Ok(games)
}

/// Writes all positions; returns how many there are, and how many games had an illegal move.
fn write_games(games: &[RecordedGame], path: &Path) -> Result<(usize, usize)> {
    let mut writer = SampleWriter::new(BufWriter::new(File::create(path)?), Size::new(19, 19)?)?;
    let (mut positions, mut cut_off) = (0, 0);
    for (number, game) in games.iter().enumerate() {
        let (count, cut) = game.write(number as u32, &mut writer)?;
        positions += count;
        cut_off += usize::from(cut);
    }
    writer.finish()?;
    Ok((positions, cut_off))
}
