//! `tewari match`: games between two or more engines.

use super::contestants;
use super::experiments::{ExperimentState, GameArguments};
use super::options::{LimitArguments, describe_default_limit};
use super::print::print_line;
use super::usage_error::usage;
use crate::base::shard::ShardedCommand;
use crate::lab::arena::experiment::{Experiment, GameRow, Pairing};
use crate::lab::arena::report::MatchReport;
use crate::lab::arena::schedule::Schedule;
use crate::lab::arena::standings::Standings;
use crate::lab::stats::{Sprt, SprtRun};
use anyhow::{Result, bail, ensure};
use clap::{Args, ValueEnum};

/// Both error probabilities, α and β, of the sequential test.
const SPRT_ERROR: f64 = 0.05;

#[derive(Args)]
#[command(mut_args(|it| {
    describe_default_limit(it, "simulations", format_args!("{} a move for self", contestants::DEFAULT_SIMULATIONS))
}))]
pub(super) struct MatchArguments {
    /// The contestant with Black in the first game of each pair: a GTP command line, self, or self:OPTIONS such as
    /// "self:--simulations 100 --policy ucb1". {seed} in a command line is replaced by a number that differs from game
    /// to game; without {seed} the command set_random_seed passes it.
    #[arg(
        long,
        value_name = "CMD",
        required_unless_present = "player",
        conflicts_with = "player",
        requires = "white"
    )]
    black: Option<String>,
    /// The other contestant.
    #[arg(long, value_name = "CMD", requires = "black")]
    white: Option<String>,
    /// A contestant of a round robin, as NAME=CMD; give at least two. Three or more are ranked: a crosstable, and Elo
    /// by the Bradley-Terry model.
    #[arg(long, value_name = "NAME=CMD")]
    player: Vec<String>,
    /// With --player: play only neighbours in the list against each other.
    #[arg(long, requires = "player")]
    ladder: bool,
    /// Number of games; in a round robin, of each pairing.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// Stop as soon as the sequential probability ratio test decides between these two Elo differences.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt, allow_hyphen_values = true, conflicts_with = "player")]
    sprt: Option<Sprt>,
    /// Keep the tables of `self` engines from game to game, and do not send clear_cache to programs.
    #[arg(long)]
    keep_table: bool,
    /// Output format of the result.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    games_arguments: GameArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &MatchArguments) -> Result<()> {
    let common = &arguments.games_arguments;
    usage(arguments.check_shard())?;
    let experiment = Experiment {
        pairings: usage(pairings(arguments))?,
        conditions: common.conditions(arguments.limits),
        openings: common.read_openings()?,
        seed: common.seed,
        keep_table: arguments.keep_table,
    };
    let schedule = Schedule::of(&experiment);
    let games = arguments.games * experiment.pairings.len() as u64;
    let mut identity = common.identity(&experiment, arguments.limits);
    common.add_shard(&mut identity, ShardedCommand::Match, games);
    let mut sprt = arguments.sprt.map(SprtRun::new);
    let played = common.play(&experiment, &identity, games, &mut |rows| {
        if experiment.pairings.len() > 1 {
            return ExperimentState { line: format!("{} pairings", experiment.pairings.len()), stop: false };
        }
        if let Some(run) = &mut sprt {
            // The rows of a resumed folder, too, are in the order in which the games ended.
            for row in &rows[run.games()..] {
                run.add(schedule.pair_of(row.game), row.half_points());
            }
        }
        let report = MatchReport::new(&schedule, 0, rows, sprt.as_ref());
        ExperimentState { line: report.line(), stop: report.is_decided() }
    })?;
    let results = MatchResults::new(&schedule, &played.rows, sprt.as_ref());
    let kept = played.store.as_ref().map_or(Ok(()), |store| {
        results.files()?.iter().try_for_each(|(name, text)| Ok(store.write(name, text)?))
    });
    results.print(arguments.format)?;
    played.outcome.and(kept)
}

impl MatchArguments {
    /// Returns an error if the games of a shard would depend on those of others.
    fn check_shard(&self) -> Result<()> {
        let has_shard = self.games_arguments.shard.is_some();
        ensure!(
            !has_shard || self.sprt.is_none(),
            "--shard cannot be used with --sprt: shards do not see each other's games, so that none can stop the test; \
             play a fixed number of games, or use --sprt in one run"
        );
        ensure!(
            !has_shard || !self.keep_table,
            "--shard cannot be used with --keep-table: the games of a shard would depend on those of others; leave \
             out one of them"
        );
        Ok(())
    }
}

/// The results of a match or a round robin.
pub(super) struct MatchResults {
    reports: Vec<MatchReport>,
    standings: Option<Standings>,
}

impl MatchResults {
    /// Evaluates `rows`, which are in the order of their numbers.
    pub(super) fn new(schedule: &Schedule, rows: &[GameRow], sprt: Option<&SprtRun>) -> MatchResults {
        let report = |index| MatchReport::new(schedule, index, rows, sprt);
        let reports: Vec<MatchReport> = (0..schedule.pairings.len()).map(report).collect();
        let standings = (reports.len() > 1).then(|| Standings::new(schedule, rows));
        MatchResults { reports, standings }
    }

    /// Returns the names and contents of the files kept beside the games.
    pub(super) fn files(&self) -> Result<Vec<(&'static str, String)>> {
        let mut files = vec![("result.json", format!("{}\n", serde_json::to_string_pretty(&self.reports)?))];
        if let Some(standings) = &self.standings {
            files.push(("standings.json", format!("{}\n", serde_json::to_string_pretty(standings)?)));
        }
        Ok(files)
    }

    pub(super) fn print(&self, format: Format) -> Result<()> {
        for report in &self.reports {
            print_line(match format {
                Format::Text => report.paragraph(),
                Format::Json => serde_json::to_string(report)?,
            })?;
        }
        let Some(standings) = &self.standings else { return Ok(()) };
        print_line(match format {
            Format::Text => standings.text(),
            Format::Json => serde_json::to_string(standings)?,
        })
    }
}

/// Returns the pairings: the two contestants, all pairs of a round robin, or the neighbours on a ladder.
fn pairings(arguments: &MatchArguments) -> Result<Vec<Pairing>> {
    let setting = arguments.games_arguments.setting(arguments.limits);
    if let (Some(black), Some(white)) = (&arguments.black, &arguments.white) {
        let contestants = [contestants::parse(black, &setting)?, contestants::parse(white, &setting)?];
        let names = if black == white {
            [format!("{black} (first)"), format!("{white} (second)")]
        } else {
            [black.clone(), white.clone()]
        };
        return Ok(vec![Pairing { label: String::new(), contestants, names }]);
    }
    let mut players = Vec::new();
    for player in &arguments.player {
        let Some((name, command)) = player.split_once('=').filter(|(name, _)| is_name(name)) else {
            bail!("--player {player:?}: expected NAME=CMD, with a name of letters, digits, -, _ and .");
        };
        ensure!(
            players.iter().all(|(other, _)| other != name),
            "two players are called {name}: give each a different name"
        );
        players.push((name.to_owned(), contestants::parse(command, &setting)?));
    }
    ensure!(players.len() >= 2, "expected at least two --player, found {}", players.len());
    let mut pairings = Vec::new();
    for (first, (one, one_spec)) in players.iter().enumerate() {
        let others = players.iter().skip(first + 1);
        for (other, other_spec) in others.take(if arguments.ladder { 1 } else { players.len() }) {
            pairings.push(Pairing {
                label: format!("{one} - {other}"),
                contestants: [one_spec.clone(), other_spec.clone()],
                names: [one.clone(), other.clone()],
            });
        }
    }
    Ok(pairings)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let expected =
        || format!("expected two Elo differences such as 0,10, the lower one first, found {text:?}");
    let (low, high) = text.split_once(',').ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 2000.0);
    let (elo0, elo1) = number(low).zip(number(high)).filter(|(low, high)| low < high).ok_or_else(expected)?;
    Ok(Sprt { elo0, elo1, alpha: SPRT_ERROR, beta: SPRT_ERROR })
}
