//! A review within the record: the original text is kept; comments, properties and variations are added.
//!
//! Each searched position gets a comment and `SBKV` and `SBKS`, Black's win rate and lead in Sabaki's properties, which
//! replace those of an earlier review. Inaccuracies get `DO`, mistakes `BM[1]`, blunders `BM[2]`, only moves `TE[1]`,
//! unless the node has such a property; the decisive move gets `HO[1]`, the better move a triangle, unless there is
//! markup. The main line of the search becomes a variation beside each inaccuracy, mistake and blunder. Handicap stones
//! that the record leaves to the reader, as Fox does, are added as `AB`.

use super::judgement::{Judgement, ReportSettings};
use super::model::{PositionResult, Review};
use super::move_judgement::{MoveJudgement, Severity};
use super::verdict::{name, percent};
use crate::base::game::{Move, Player};
use crate::go::Size;
use crate::go::geometry::SizeError;
use crate::records::sgf::{
    AddedProperty, Addition, ExistingProperty, Variation, annotate, point, read_damaged,
};

/// Properties that judge a move or a position; a node has at most one of them.
const JUDGEMENTS: &[&str] = &["BM", "DO", "IT", "TE"];
/// Properties that mark points.
const MARKUP: &[&str] = &["CR", "LB", "MA", "SL", "SQ", "TR"];

/// Returns the record with the review.
///
/// # Errors
/// Fails if no board has the size of the review.
pub fn sgf(review: &Review, settings: &ReportSettings) -> Result<String, SizeError> {
    let size = review.size()?;
    let judgement = Judgement::new(review, settings);
    let nodes = review.turns.iter().map(|turn| turn.node + 1).max().unwrap_or(1);
    let mut additions = vec![Addition::default(); nodes];
    for (number, turn) in review.turns.iter().enumerate() {
        let addition = &mut additions[turn.node];
        if let Some(finding) = &turn.finding {
            addition.extras = rates(finding);
            addition.comment = position_in_words(finding);
        }
        let Some(mv) = judgement.of(number) else { continue };
        addition.comment = format!("{}{}", addition.comment, move_in_words(mv));
        addition.extras.extend(judged(mv, judgement.verdict.turn, size));
        let is_shown = mv.severity >= Severity::Inaccuracy;
        // The second move of a node cannot have a variation.
        let beside = turn.node.checked_sub(1).filter(|_| review.turns[number - 1].node < turn.node);
        if let (true, Some(node)) = (is_shown, beside) {
            additions[node].variations.extend(variation(mv, size));
        }
    }
    let root = &mut additions[0];
    root.comment = format!("{}\n{}", about(review, &judgement), root.comment).trim().to_owned();
    root.extras.push(AddedProperty {
        name: "CA",
        values: vec!["UTF-8".to_owned()],
        present: ExistingProperty::Replace,
    });
    root.extras.extend(placed_handicap(review, size));
    Ok(annotate(&review.sgf, size, &additions))
}

/// Returns the handicap stones that the text of the record lacks, so that every program shows them.
fn placed_handicap(review: &Review, size: Size) -> Option<AddedProperty> {
    let games = read_damaged(review.sgf.as_bytes()).ok()?.games;
    let placed = &games.first()?.placed_handicap;
    let moves = placed.iter().filter_map(|at| size.move_at(at.column.into(), at.row.into()));
    let values: Vec<String> = moves.map(|mv| point(size, mv)).collect();
    let is_needed = !values.is_empty();
    is_needed.then_some(AddedProperty { name: "AB", values, present: ExistingProperty::Keep(&["AB"]) })
}

fn about(review: &Review, judgement: &Judgement) -> String {
    let verdict = &judgement.verdict;
    let incomplete = if review.is_complete { "" } else { " Incomplete: the search was ended early." };
    let assumed: String = review.assumed.iter().map(|line| format!("\nAssumed: {line}.")).collect();
    format!(
        "{} {} {}\nReviewed by {}: {}, with komi {} and {} rules. Win rates and leads are Black's.{incomplete}{assumed}",
        verdict.result,
        verdict.headline,
        verdict.detail,
        review.engine,
        review.limits,
        review.komi,
        review.rules
    )
}

fn rates(finding: &PositionResult) -> Vec<AddedProperty> {
    let extra = |name, value| AddedProperty { name, values: vec![value], present: ExistingProperty::Replace };
    let mut extras = vec![extra("SBKV", format!("{:.2}", 100.0 * finding.winrate))];
    extras.extend(finding.lead.map(|lead| extra("SBKS", format!("{lead:.1}"))));
    extras
}

fn position_in_words(finding: &PositionResult) -> String {
    if let Some(end) = &finding.end {
        return format!("The game is over: {}.", end.result);
    }
    let rate = format!("Black {}", percent(finding.winrate));
    match finding.lead {
        Some(lead) if lead >= 0.0 => format!("{rate}, B+{lead:.1}."),
        Some(lead) => format!("{rate}, W+{:.1}.", -lead),
        None => format!("{rate}."),
    }
}

fn move_in_words(mv: &MoveJudgement) -> String {
    match mv.severity {
        Severity::Fine if mv.order == Some(0) => " The engine's choice.".to_owned(),
        Severity::Fine => String::new(),
        severity => format!(
            "\n{}: {}'s win rate falls from {} to {}. {} was better: {}",
            capitalised(severity.name()),
            name(mv.player),
            percent(mv.before),
            percent(mv.after),
            mv.best.vertex,
            mv.best.line.join(" ")
        ),
    }
}

fn capitalised(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn judged(mv: &MoveJudgement, decisive: Option<usize>, size: Size) -> Vec<AddedProperty> {
    let mut extras = Vec::new();
    let mut judgement = |name, value: &str| {
        extras.push(AddedProperty {
            name,
            values: vec![value.to_owned()],
            present: ExistingProperty::Keep(JUDGEMENTS),
        });
    };
    match mv.severity {
        Severity::Blunder => judgement("BM", "2"),
        Severity::Mistake => judgement("BM", "1"),
        Severity::Inaccuracy => judgement("DO", ""),
        Severity::Fine if mv.is_only_move => judgement("TE", "1"),
        Severity::Fine => {}
    }
    if decisive == Some(mv.turn) {
        extras.push(AddedProperty {
            name: "HO",
            values: vec!["1".to_owned()],
            present: ExistingProperty::Keep(&["HO"]),
        });
    }
    if mv.severity > Severity::Fine {
        let on_board = size.parse_vertex(&mv.best.vertex).filter(|&best| best != size.pass());
        extras.extend(on_board.map(|best| AddedProperty {
            name: "TR",
            values: vec![point(size, best)],
            present: ExistingProperty::Keep(MARKUP),
        }));
    }
    extras
}

/// Returns the line of the better move.
fn variation(mv: &MoveJudgement, size: Size) -> Option<Variation> {
    let players = std::iter::successors(Some(mv.player), |player| Some(player.other()));
    let line = mv.best.line.iter().map_while(|vertex| size.parse_vertex(vertex));
    let moves: Vec<(Player, Move)> = players.zip(line).collect();
    let following = moves.iter().rev().fold(None, |following: Option<Variation>, &played| {
        let next = following.into_iter().collect();
        Some(Variation { played: Some(played), comment: String::new(), next })
    })?;
    let comment = format!(
        "Instead of {}: {} keeps {} for {}.",
        mv.vertex,
        mv.best.vertex,
        percent(mv.before),
        name(mv.player)
    );
    Some(Variation { comment, ..following })
}
