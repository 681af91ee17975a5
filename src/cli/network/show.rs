//! `tewari network info` and `tewari network eval`.

use super::source::NetworkSource;
use crate::base::game::{Game, Move, Player};
use crate::base::value::Value;
use crate::cli::print::{print_error, print_line};
use crate::cli::record_files::read_bytes;
use crate::go::geometry::column_letter;
use crate::go::{Komi, Position, Rules, Symmetry};
use crate::network::probabilities::PROBABILITY_ONE;
use crate::network::{Evaluation, Evaluator, InputPosition, MAX_SMALL_SIDE, Network, Networks};
use crate::records::sgf::{self, ChosenTerms, DefaultTerms, GameRecord, Terms};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Number of moves listed below the board.
const MAX_LISTED_MOVES: usize = 8;

#[derive(Args)]
pub(super) struct EvalArguments {
    /// An SGF file, or - for standard input.
    file: PathBuf,
    /// The position after N moves; 0 is the start. Default: the last one.
    #[arg(long = "move", value_name = "N")]
    turn: Option<usize>,
    /// The number of the game, from 1, in a file with several.
    #[arg(long, value_name = "N", default_value = "1")]
    game: NonZeroUsize,
    /// Komi; default: the file's, or 0.5 with a handicap, or 7.5, or 6.5 under territory scoring.
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<Komi>,
    /// Rules: chinese, japanese, korean, aga, nz, ing, tromp-taylor, or
    /// ko=simple|positional|situational,suicide=yes|no,scoring=area|territory. Default: the file's if it names them,
    /// or chinese.
    #[arg(long)]
    rules: Option<Rules>,
    #[command(flatten)]
    source: NetworkSource,
}

/// Returns the descriptions of networks; those in the program with their boards.
pub(super) fn all_info(networks: &Networks) -> String {
    let networks = networks.all();
    match &networks[..] {
        [small, large] => format!(
            "for boards up to {MAX_SMALL_SIDE}x{MAX_SMALL_SIDE}\n{}\n\nfor larger boards\n{}",
            info(small),
            info(large)
        ),
        others => others.iter().map(|network| info(network)).collect(),
    }
}

/// Returns the description of a network, one property a line.
fn info(network: &Network) -> String {
    let architecture = network.architecture();
    let pooled: Vec<String> = (0..architecture.blocks)
        .filter(|block| architecture.pooled_blocks >> block & 1 != 0)
        .map(|block| (block + 1).to_string())
        .collect();
    let trained = architecture.trained;
    let heads = [("policy", trained.policy), ("owners", trained.owners), ("score", trained.score)];
    let heads: Vec<&str> = heads.iter().filter(|(_, trained)| *trained).map(|(name, _)| *name).collect();
    let or_none = |words: Vec<&str>| if words.is_empty() { "none".to_owned() } else { words.join(", ") };
    format!(
        "name: {}\nidentity: {:016x}\nchannels: {}\nblocks: {}\nblocks with global pooling: {}\ninput planes: {}\n\
         trained heads: {}\ntrained on: {} positions\nmemory: {} bytes",
        if architecture.name.is_empty() { "none" } else { &architecture.name },
        network.identity(),
        architecture.channels,
        architecture.blocks,
        or_none(pooled.iter().map(String::as_str).collect()),
        architecture.planes.iter().count(),
        or_none(heads),
        architecture.samples,
        network.bytes(),
    )
}

pub(super) fn run(arguments: &EvalArguments) -> Result<()> {
    let networks = arguments.source.networks()?;
    let name = arguments.file.display().to_string();
    let bytes = read_bytes(&arguments.file).with_context(|| format!("cannot read {name}"))?;
    let (collection, broken) = sgf::read_prefix(&bytes);
    let Some(record) = collection.games.get(arguments.game.get() - 1) else {
        match broken {
            Some(error) => bail!("{name}: {error}"),
            None => bail!("{name} has {} games: there is no game {}", collection.games.len(), arguments.game),
        }
    };
    for warning in collection.warnings.iter().chain(&record.warnings) {
        print_error(&format!("{name}: {warning}"));
    }
    let given = ChosenTerms { rules: arguments.rules, komi: arguments.komi };
    let terms = record.terms(given, DefaultTerms::default()).map_err(|error| anyhow!("{name}: {error}"))?;
    let mut position = find(record, &terms, arguments.turn).map_err(|error| anyhow!("{name}: {error}"))?;
    position.settle_komi();
    let mut evaluator = Evaluator::new(networks.network_for(position.size()), position.size());
    let input = InputPosition::of(&position);
    let evaluation = evaluator.evaluate(&input, Symmetry::IDENTITY);
    print_line(format_args!("{}", evaluation_text(&position, &input, &evaluation)))?;
    for line in &terms.assumed {
        print_line(format_args!("assumed: {line}"))?;
    }
    Ok(())
}

/// Returns the position after `turn` moves, by default the last one.
fn find(record: &GameRecord, terms: &Terms, turn: Option<usize>) -> Result<Position, sgf::ReplayError> {
    let turn = turn.unwrap_or(record.move_count());
    let mut found = None;
    for step in record.steps(terms.rules, terms.komi)?.with_handicap(terms.handicap) {
        let step = step?;
        let is_it = step.turn == turn;
        found = Some(step);
        if is_it {
            break;
        }
    }
    match found {
        Some(step) if step.turn == turn => Ok(step.position),
        _ => Err(sgf::ReplayError::NoSuchTurn { turn, last: record.move_count() }),
    }
}

/// Returns the board with the probabilities of moves in percent, the most probable moves, and the ownership and score
/// from Black's point of view, if the network has them.
fn evaluation_text(position: &Position, input: &InputPosition<'_>, evaluation: &Evaluation<'_>) -> String {
    let size = position.size();
    let mut probabilities = vec![0; evaluation.policy.len()];
    evaluation.move_probabilities(|mv| position.check(mv).is_ok(), &mut probabilities);
    let percent = |mv: Move| 100.0 * f64::from(probabilities[mv.index()]) / f64::from(PROBABILITY_ONE);
    let mut text = board(position, |mv| match percent(mv) {
        small if small < 0.5 => ".".to_owned(),
        percent => format!("{percent:.0}"),
    });
    let mut moves: Vec<Move> = (0..probabilities.len() as u16).map(Move).collect();
    moves.sort_by_key(|mv| std::cmp::Reverse(probabilities[mv.index()]));
    let listed: Vec<String> = moves
        .iter()
        .take(MAX_LISTED_MOVES)
        .filter(|mv| probabilities[mv.index()] > 0)
        .map(|&mv| format!("{} {:.1}", size.vertex(mv), percent(mv)))
        .collect();
    let _ = write!(text, "{} to play, per cent: {}", position.to_play(), listed.join(", "));
    // The network's values are those of the player to move.
    let is_blacks = position.to_play() == Player::Black;
    let for_black = |value: Value| 100.0 * if is_blacks { value } else { value.other() }.as_f64();
    if evaluation.owners.is_some() {
        let owner = |mv: Move| evaluation.owner_probability(mv).map_or(0.0, for_black);
        let owners = board(position, |mv| format!("{:.0}", owner(mv)));
        let _ = write!(text, "\n\n{owners}probability that Black owns each empty point, percent");
    }
    if let Some(score) = evaluation.score {
        let komi = input.own_komi();
        let lead = if is_blacks { score.lead(komi) } else { -score.lead(komi) };
        let probability = for_black(score.win_rate(komi));
        let leader = if lead < 0.0 { "White" } else { "Black" };
        let _ = write!(
            text,
            "\n{leader} leads by {:.1} points, Black wins {probability:.1} per cent",
            lead.abs()
        );
    }
    text
}

/// Returns the board as text, one row a line: stones, and on empty points the text of `cell`, at most three characters
/// wide.
fn board(position: &Position, cell: impl Fn(Move) -> String) -> String {
    let size = position.size();
    let mut text = String::new();
    for row in (0..size.rows()).rev() {
        let _ = write!(text, "{:2} ", row + 1);
        for column in 0..size.columns() {
            let mv = size.move_at(column, row).unwrap_or(size.pass());
            let stone =
                position.board().geometry().point_of(mv).and_then(|point| position.board().stone_at(point));
            let shown = match stone {
                Some(Player::Black) => "X".to_owned(),
                Some(Player::White) => "O".to_owned(),
                None => cell(mv),
            };
            let _ = write!(text, "{shown:>4}");
        }
        text.push('\n');
    }
    text.push_str("   ");
    for column in 0..size.columns() {
        let _ = write!(text, "{:>4}", column_letter(column));
    }
    text.push('\n');
    text
}
