//! A review as one page that works offline: style, script and data are embedded.
//!
//! The data is JSON in a script element, with `<`, `>` and `&` escaped, so that no name or comment of a record can end
//! the element. The script inserts text as text nodes, and the page's content policy forbids every request.

use super::judgement::{Judgement, PlayerSummary, ReportSettings};
use super::model::Review;
use super::move_judgement::{MoveJudgement, Phase, Severity};
use super::text::title;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
/// The scripts in the order of their inclusion.
const SCRIPTS: [&str; 4] = [
    include_str!("page/rules.js"),
    include_str!("page/board.js"),
    include_str!("page/graph.js"),
    include_str!("page/main.js"),
];

/// Returns the page of some games; for more than one it has a list to choose from.
#[must_use]
pub fn page(reviews: &[Review], settings: &ReportSettings) -> String {
    let games: Vec<Value> = reviews.iter().map(|review| game(review, settings)).collect();
    let heading = match reviews {
        [one] => title(one),
        several => format!("{} games", several.len()),
    };
    let parts = [
        ("{{title}}", escaped_text(&format!("{heading} · review"))),
        ("{{style}}", STYLE.to_owned()),
        ("{{script}}", SCRIPTS.concat()),
        ("{{data}}", escaped_json(&json!(games))),
    ];
    // Each placeholder is replaced once, from the left, so that inserted text is never searched for placeholders.
    let mut rest = PAGE;
    let mut page = String::new();
    for (place, text) in parts {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(&text);
        rest = after;
    }
    page + rest
}

fn escaped_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns JSON without characters that an HTML parser interprets.
fn escaped_json(value: &Value) -> String {
    value.to_string().replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

fn game(review: &Review, settings: &ReportSettings) -> Value {
    let judgement = Judgement::new(review, settings);
    let verdict = &judgement.verdict;
    json!({
        "title": title(review),
        "file": review.name(),
        "names": review.names,
        "ranks": review.ranks,
        "columns": review.columns,
        "rows": review.rows,
        "facts": facts(review),
        "notes": review.assumed,
        "warnings": review.warnings,
        "complete": review.is_complete,
        "made": format!("{}: {}", review.engine, review.limits),
        "verdict": {
            "turn": verdict.turn,
            "result": verdict.result,
            "headline": verdict.headline,
            "detail": verdict.detail,
        },
        "worst": judgement.costliest_turns,
        "players": judgement.players.iter().map(player).collect::<Vec<_>>(),
        "phases": Phase::ALL.map(Phase::name),
        "severities": Severity::ALL.map(Severity::name),
        "thresholds": settings.thresholds.percentages(),
        "turns": turns(review, &judgement),
    })
}

fn facts(review: &Review) -> Vec<[String; 2]> {
    let mut facts = vec![
        ["Board".to_owned(), format!("{} × {}", review.columns, review.rows)],
        ["Komi".to_owned(), review.komi.to_string()],
        ["Rules".to_owned(), review.rules.clone()],
    ];
    let texts = [
        ("Result", &review.result),
        ("Date", &review.date),
        ("Event", &review.event),
        ("Game", &review.title),
    ];
    facts.extend(texts.into_iter().filter_map(|(name, text)| Some([name.to_owned(), text.clone()?])));
    facts
}

fn player(summary: &PlayerSummary) -> Value {
    json!({
        "moves": summary.moves,
        "loss": summary.total_loss,
        "byPhase": summary.loss,
        "points": summary.points,
        "first": summary.first_choices,
        "three": summary.top_three,
        "severities": summary.severities,
    })
}

fn turns(review: &Review, judgement: &Judgement) -> Vec<Value> {
    let turns = review.turns.iter().enumerate();
    turns
        .map(|(number, turn)| {
            let finding = turn.finding.as_ref();
            json!({
                "player": turn.played.as_ref().map(|played| played.player.letter()),
                "vertex": turn.played.as_ref().map(|played| &played.vertex),
                "next": turn.to_play.letter(),
                "stones": turn.stones,
                "prisoners": turn.prisoners,
                "comment": turn.comment,
                "winrate": finding.map(|it| rounded(it.winrate)),
                "lead": finding.and_then(|it| it.lead).map(rounded),
                "visits": finding.map(|it| it.visits),
                "ownership": finding.map(|it| &it.ownership),
                "end": finding.and_then(|it| it.end.as_ref()),
                "candidates": finding.map_or_else(Vec::new, |it| it.candidates.iter().map(|mv| json!({
                    "vertex": mv.vertex,
                    "order": mv.order,
                    "visits": mv.visits,
                    "winrate": rounded(mv.winrate),
                    "lead": mv.lead.map(rounded),
                    "line": mv.line,
                })).collect()),
                "judged": judgement.of(number).map(judged),
            })
        })
        .collect()
}

fn judged(mv: &MoveJudgement) -> Value {
    json!({
        "before": rounded(mv.before),
        "after": rounded(mv.after),
        "loss": rounded(mv.loss),
        "points": mv.points.map(rounded),
        "best": mv.best.vertex,
        "order": mv.order,
        "severity": mv.severity as usize,
        "only": mv.is_only_move,
        "phase": mv.phase as usize,
    })
}

/// Rounds to three decimals, which exceeds the precision of the page.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}
