//! Output as one JSON object per position, with the field names of KataGo's analysis engine (KataGo
//! docs/Analysis_Engine.md) and an additional `table` object.

use super::Analysis;
use crate::table::Count;
use serde_json::{Value, json};

/// Returns the object of one position.
#[must_use]
pub fn object(analysis: &Analysis) -> Value {
    let report = &analysis.report;
    let vertex = |mv| analysis.size.vertex(mv);
    let moves: Vec<Value> = report
        .moves
        .iter()
        .enumerate()
        .map(|(order, mv)| {
            json!({
                "move": vertex(mv.mv),
                "visits": mv.visits,
                "edgeVisits": mv.edge_visits,
                "winrate": analysis.black_winrate_after(mv),
                "scoreLead": analysis.lead_after(mv),
                "scoreMean": analysis.lead_after(mv),
                "scoreStdev": report.score_after(mv).map(|(_, deviation)| deviation),
                "prior": mv.prior,
                "order": order,
                "pv": mv.pv.iter().map(|&mv| vertex(mv)).collect::<Vec<_>>(),
                "proven": mv.proven.is_some(),
            })
        })
        .collect();
    json!({
        "id": analysis.id,
        "turnNumber": analysis.turn,
        "isDuringSearch": false,
        "pass": analysis.pass,
        "perspective": "black",
        "boardXSize": analysis.size.columns(),
        "boardYSize": analysis.size.rows(),
        "komi": analysis.komi.points(),
        "rules": analysis.rules,
        "rootInfo": {
            "currentPlayer": report.root.to_play.letter(),
            "winrate": analysis.black_winrate(),
            "scoreLead": analysis.lead(report.root.black_score),
            "scoreStdev": report.root.score_deviation,
            "visits": report.root.visits,
            "simulations": report.simulations,
            "proven": analysis.proven_winner().map(|winner| winner.map_or_else(|| "draw".to_owned(), |winner| winner.letter().to_string())),
            "scoreBounds": [report.root.bounds.lower, report.root.bounds.upper],
        },
        "moveInfos": moves,
        "end": analysis.end.as_ref().map(|end| json!({
            "result": end.result,
            "dead": end.dead.iter().map(|&stone| vertex(stone)).collect::<Vec<_>>(),
        })),
        "table": table(analysis),
    })
}

/// Returns the ownership of each point, from -1 (White) to 1 (Black), by rows from the top left, as KataGo's
/// `ownership`.
#[must_use]
pub fn ownership(analysis: &Analysis) -> Value {
    analysis.size.points_from_top_left().map(|point| analysis.owner_mean(point)).collect()
}

/// Returns table statistics: its contents, and the counters of this search.
fn table(analysis: &Analysis) -> Value {
    let (census, counters) = (&analysis.report.census, &analysis.report.counters);
    let mut table = json!({
        "bytes": census.bytes,
        "bytesUsed": census.bytes_used,
        "occupancy": census.occupancy(),
        "perMille": census.per_mille(),
        "hugePages": analysis.huge_page_bytes,
    });
    for (name, count) in counters.list() {
        table[name] = match count {
            Count::Number(number) => number.into(),
            Count::Numbers(numbers) => numbers.into(),
        };
    }
    table
}
