//! A review as text for a terminal of 80 columns.

use super::judgement::{Judgement, PlayerSummary, ReportSettings};
use super::model::{Review, ReviewTurn};
use super::move_judgement::{MoveJudgement, Phase, Severity};
use super::verdict::{name, percent};
use crate::base::game::Player;
use crate::go::Size;
use crate::go::geometry::{SizeError, column_letter};
use std::fmt::Write;

/// Maximum width of a line in columns.
const WIDTH: usize = 80;
/// Maximum width of a graph in columns.
const GRAPH_WIDTH: usize = 66;
/// Number of points between the moves shown and the edge of a board section.
const MARGIN: usize = 4;
/// Columns between a board section and the text beside it.
const GAP: usize = 3;
/// The bars of a graph, the lowest first.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns the review as text.
///
/// # Errors
/// Fails if no board has the size of the review.
pub fn text(review: &Review, settings: &ReportSettings) -> Result<String, SizeError> {
    let size = review.size()?;
    let judgement = Judgement::new(review, settings);
    let mut text = write_heading(review);
    verdict(&mut text, review, &judgement);
    graphs(&mut text, review);
    players(&mut text, &judgement);
    write_costliest_moves(&mut text, &judgement);
    if !judgement.costliest_turns.is_empty() {
        text.push_str("\nOn the boards, (X) and (O) mark the moves played, and 1 the better moves.\n");
    }
    for &turn in &judgement.costliest_turns {
        if let Some(mv) = judgement.of(turn) {
            text.push('\n');
            write_mistake(&mut text, mv, &review.turns[turn - 1], size);
        }
    }
    Ok(text)
}

/// Returns the players as a title; the file's name if the record has no names.
#[must_use]
pub fn title(review: &Review) -> String {
    let players: Vec<String> =
        Player::BOTH.iter().filter_map(|&player| player_name(review, player)).collect();
    match players.as_slice() {
        [black, white] => format!("{black} – {white}"),
        [one] if review.names[0].is_some() => format!("{one} (Black)"),
        [one] => format!("{one} (White)"),
        _ => plain(review.name()),
    }
}

/// Returns a player's name and rank as the record states them.
fn player_name(review: &Review, player: Player) -> Option<String> {
    let name = review.names[player.index()].as_deref().map(plain)?;
    Some(match review.ranks[player.index()].as_deref() {
        Some(rank) => format!("{name} ({})", plain(rank)),
        None => name,
    })
}

/// Replaces control characters, which could command a terminal, by blanks.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn write_heading(review: &Review) -> String {
    let mut text = String::new();
    let mut facts = vec![
        if review.columns == review.rows {
            format!("{0}x{0}", review.rows)
        } else {
            format!("{}x{}", review.columns, review.rows)
        },
        format!("komi {}", review.komi),
        format!("rules {}", review.rules),
    ];
    facts.extend(review.result.iter().map(|result| format!("result {}", plain(result))));
    facts.extend(review.date.iter().map(|date| plain(date)));
    facts.extend(review.event.iter().map(|event| plain(event)));
    wrapped(&mut text, "", &title(review));
    if title(review) != plain(review.name()) {
        wrapped(&mut text, "", &plain(review.name()));
    }
    wrapped(&mut text, "", &facts.join(" · "));
    for line in &review.assumed {
        wrapped(&mut text, "  ", &format!("assumed: {line}"));
    }
    for line in &review.warnings {
        wrapped(&mut text, "  ", &format!("warning: {}", plain(line)));
    }
    text
}

fn verdict(text: &mut String, review: &Review, judgement: &Judgement) {
    let verdict = &judgement.verdict;
    text.push('\n');
    wrapped(text, "", &format!("{} {} {}", verdict.result, verdict.headline, verdict.detail));
    let searched = review.turns.iter().filter(|turn| turn.finding.is_some()).count();
    if !review.is_complete {
        let all = review.turns.len();
        wrapped(text, "", &format!("Incomplete: the search was ended after {searched} of {all} positions."));
    }
    wrapped(
        text,
        "",
        &format!("Searched by {}: {}. Win rates and leads are Black's.", review.engine, review.limits),
    );
}

/// Adds the graphs of win rate and lead over the game, one line each.
fn graphs(text: &mut String, review: &Review) {
    let rates: Vec<Option<f64>> = findings(review, |finding| Some(finding.winrate));
    let leads: Vec<Option<f64>> = findings(review, |finding| finding.lead);
    let furthest = leads.iter().flatten().fold(0.0_f64, |most, lead| most.max(lead.abs())).max(1.0);
    let shares: Vec<Option<f64>> =
        leads.iter().map(|lead| lead.map(|lead| (lead / furthest + 1.0) / 2.0)).collect();
    let last = review.turns.len() - 1;
    let _ = writeln!(text, "\nBlack's win rate (low 0 %, high 100 %) after moves 0 to {last}");
    let _ = writeln!(text, "  {}", sparkline(&rates));
    let _ = writeln!(text, "Black's lead in points (low {:+.0}, high {furthest:+.0})", -furthest);
    let _ = writeln!(text, "  {}", sparkline(&shares));
}

fn findings(review: &Review, of: impl Fn(&super::model::PositionResult) -> Option<f64>) -> Vec<Option<f64>> {
    review.turns.iter().map(|turn| turn.finding.as_ref().and_then(&of)).collect()
}

/// Draws shares, `0..=1`, as bars; if turns share a column, it shows the one furthest from one half.
fn sparkline(shares: &[Option<f64>]) -> String {
    let columns = shares.len().min(GRAPH_WIDTH);
    let of_column = |column: usize| {
        let (from, to) = (column * shares.len() / columns, (column + 1) * shares.len() / columns);
        let known = shares[from..to].iter().flatten().copied();
        known.max_by(|one, other| (one - 0.5).abs().total_cmp(&(other - 0.5).abs()))
    };
    let bar = |share: Option<f64>| {
        share.map_or(' ', |share| BARS[((share * BARS.len() as f64) as usize).min(BARS.len() - 1)])
    };
    (0..columns).map(|column| bar(of_column(column))).collect()
}

fn players(text: &mut String, judgement: &Judgement) {
    let _ = writeln!(text, "\n{:25}{:>10}{:>10}", "", "Black", "White");
    let mut row = |label: &str, of: &dyn Fn(&PlayerSummary) -> String| {
        let [black, white] = &judgement.players;
        let _ = writeln!(text, "{label:25}{:>10}{:>10}", of(black), of(white));
    };
    row("moves judged", &|player| player.moves.to_string());
    let loss = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    row("mean loss a move", &|player| loss(player.total_loss));
    for (index, phase) in Phase::ALL.into_iter().enumerate() {
        row(&format!("  {}", phase.name()), &|player| loss(player.loss[index]));
    }
    row("mean points lost a move", &|player| {
        player.points.map_or("-".to_owned(), |points| format!("{points:.1}"))
    });
    let share = |count: usize, of: usize| match of {
        0 => "-".to_owned(),
        of => percent(count as f64 / of as f64),
    };
    row("engine's first choice", &|player| share(player.first_choices, player.moves));
    row("among its first three", &|player| share(player.top_three, player.moves));
    for severity in [Severity::Inaccuracy, Severity::Mistake, Severity::Blunder] {
        let label = if severity == Severity::Inaccuracy { "inaccuracies" } else { "" };
        let label = if label.is_empty() { format!("{}s", severity.name()) } else { label.to_owned() };
        row(&label, &|player| player.severities[severity as usize].to_string());
    }
}

fn write_costliest_moves(text: &mut String, judgement: &Judgement) {
    if judgement.costliest_turns.is_empty() {
        text.push_str(if judgement.has_costly_moves() { "" } else { "\nNo judged move was costly.\n" });
        return;
    }
    let _ = writeln!(text, "\nCostliest moves");
    let _ = writeln!(text, "  move  player  played  better  mover's win rate    loss  points");
    for mv in judgement.costliest_turns.iter().filter_map(|&turn| judgement.of(turn)) {
        let points = mv.points.map_or("-".to_owned(), |points| format!("{points:.1}"));
        let chances = format!("{} to {}", percent(mv.before), percent(mv.after));
        let _ = writeln!(
            text,
            "  {:4}  {:6}  {:6}  {:6}  {chances:>15}  {:>6}  {points:>6}",
            mv.turn,
            name(mv.player),
            mv.vertex,
            mv.best.vertex,
            percent(mv.loss),
        );
    }
}

/// Adds a mistake: a section of the board, and the better move beside it.
fn write_mistake(text: &mut String, mv: &MoveJudgement, before: &ReviewTurn, size: Size) {
    let board = board(mv, before, size);
    let wide = board.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut words = String::new();
    let width = WIDTH.saturating_sub(wide + GAP);
    let title = format!("Move {}, {} {}: {}", mv.turn, name(mv.player), mv.vertex, mv.severity.name());
    wrapped_to(&mut words, "", &title, width);
    let player = name(mv.player);
    let chances = format!("{player}'s win rate falls from {} to {}.", percent(mv.before), percent(mv.after));
    wrapped_to(&mut words, "", &chances, width);
    wrapped_to(&mut words, "", &format!("Better: {}", mv.best.line.join(" ")), width);
    let words: Vec<&str> = words.lines().collect();
    for row in 0..board.len().max(words.len()) {
        let left = board.get(row).map_or("", String::as_str);
        let right = words.get(row).copied().unwrap_or("");
        let line = format!("{left:wide$}{:GAP$}{right}", "");
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// Draws the section of the board around the two moves: the one played in parentheses, the better one as 1.
fn board(mv: &MoveJudgement, before: &ReviewTurn, size: Size) -> Vec<String> {
    let place = |vertex: &str| size.parse_vertex(vertex).and_then(|point| size.coordinates(point));
    let (played, best) = (place(&mv.vertex), place(&mv.best.vertex));
    let shown = |of: fn((usize, usize)) -> usize, length: usize| {
        let places = played.iter().chain(&best).map(|&place| of(place));
        let (low, high) = (places.clone().min(), places.max());
        let (low, high) = (low.unwrap_or(0), high.unwrap_or(length - 1));
        (low.saturating_sub(MARGIN), (high + MARGIN).min(length - 1))
    };
    let (left, right) = shown(|(column, _)| column, size.columns());
    let (bottom, top) = shown(|(_, row)| row, size.rows());
    let stones = before.stones.as_bytes();
    let symbol = |column: usize, row: usize| match stones[(size.rows() - 1 - row) * size.columns() + column] {
        _ if played == Some((column, row)) => {
            if mv.player == Player::Black {
                'X'
            } else {
                'O'
            }
        }
        _ if best == Some((column, row)) => '1',
        stone => char::from(stone),
    };
    let line = |row: usize| {
        let mut line = format!("{:2}", row + 1);
        for column in left..=right {
            let before = match played {
                Some(place) if place == (column, row) => '(',
                Some(place) if column > left && place == (column - 1, row) => ')',
                _ => ' ',
            };
            line.push(before);
            line.push(symbol(column, row));
        }
        if played == Some((right, row)) {
            line.push(')');
        }
        line
    };
    let mut lines: Vec<String> = (bottom..=top).rev().map(line).collect();
    lines.push(
        (left..=right).fold("  ".to_owned(), |line, column| format!("{line} {}", column_letter(column))),
    );
    lines
}

fn wrapped(text: &mut String, indent: &str, words: &str) {
    wrapped_to(text, indent, words, WIDTH);
}

/// Adds words in lines of at most `width` columns. Longer words are cut, no line begins with a percent sign, and
/// control characters count as spaces.
fn wrapped_to(text: &mut String, indent: &str, words: &str, width: usize) {
    let mut line = indent.to_owned();
    let mut used = indent.chars().count();
    let mut is_empty = true;
    let words = words.replace(" %", "\u{a0}%");
    for word in words.split(|c: char| c == ' ' || c.is_control()).filter(|word| !word.is_empty()) {
        let mut rest: Vec<char> = word.replace('\u{a0}', " ").chars().collect();
        if !is_empty && used + 1 + rest.len() > width {
            let _ = writeln!(text, "{line}");
            (line, used, is_empty) = (indent.to_owned(), indent.chars().count(), true);
        }
        if !is_empty {
            line.push(' ');
            used += 1;
        }
        while used + rest.len() > width && rest.len() > 1 {
            let fits = width.saturating_sub(used).max(1);
            line.extend(rest.drain(..fits));
            let _ = writeln!(text, "{line}");
            (line, used) = (indent.to_owned(), indent.chars().count());
        }
        used += rest.len();
        line.extend(rest);
        is_empty = false;
    }
    if !is_empty {
        let _ = writeln!(text, "{line}");
    }
}
