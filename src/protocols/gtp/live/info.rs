//! Lines of live analysis. Values and scores are those of the player that the request names.
//!
//! Sources: the documentation of KataGo's GTP extensions (docs/GTP_Extensions.md) and of Leela Zero's `lz-analyze`; the
//! reader of Sabaki 0.60 (src/modules/analysis.js), which takes win rates in ten-thousandths except for commands that
//! begin with `kata`; for CGOS the "GTP tournament game expansion" of zakki/cgos.

use super::request::{Dialect, LineParts, Request};
use crate::base::game::{Move, Player};
use crate::engine::{LIVE_REPORT_WAIT, LineOwnership};
use crate::go::{Position, Size};
use crate::search::{MoveReport, Report};
use serde_json::json;
use std::fmt::Write;

/// Returns a line of analysis of `position`, which was searched; empty as long as no move was searched.
pub(super) fn line(
    report: &Report,
    request: &Request,
    position: &Position,
    ownership: &mut LineOwnership,
) -> String {
    if report.moves.is_empty() {
        return String::new();
    }
    let count = report.moves.len().max(request.min_moves).min(request.max_moves);
    let moves = || report.moves.iter().chain(&report.untried).take(count).enumerate();
    let LineParts { ownership: has_ownership, moves_ownership, .. } = request.parts;
    if has_ownership || moves_ownership || request.dialect == Dialect::Cgos {
        let moves_with_ownership = if moves_ownership { count } else { 0 };
        ownership.begin_report(moves().map(|(_, mv)| mv).take(moves_with_ownership), LIVE_REPORT_WAIT);
    }
    let mut view = InfoView { report, position, player: request.player, ownership };
    match request.dialect {
        Dialect::LeelaZero => moves().map(|(order, mv)| view.leela_zero(order, mv, "")).collect(),
        Dialect::Sabaki => {
            moves().map(|(order, mv)| view.leela_zero(order, mv, &score_lead(view.lead_after(mv)))).collect()
        }
        Dialect::KataGo => {
            let mut text: String =
                moves().map(|(order, mv)| view.katago(order, mv, &request.parts)).collect();
            if request.parts.root_info {
                text += &view.root_info();
            }
            if request.parts.ownership {
                text += "ownership ";
                text += &points(&view.root_ownership());
            }
            text.truncate(text.trim_end().len());
            text
        }
        Dialect::Cgos => view.cgos(request.max_moves),
    }
}

/// A report from the point of view of a player.
struct InfoView<'r> {
    report: &'r Report,
    position: &'r Position,
    player: Player,
    ownership: &'r mut LineOwnership,
}

impl InfoView<'_> {
    fn size(&self) -> Size {
        self.position.size()
    }

    /// Returns the player's lead in points, komi included, and the standard deviation of the final score.
    fn lead(&self, score: Option<(f64, f64)>) -> Option<(f64, f64)> {
        let (mean, deviation) = score?;
        let lead = mean - self.position.score_komi().points();
        Some((if self.player == Player::Black { lead } else { -lead }, deviation))
    }

    fn lead_after(&self, mv: &MoveReport) -> Option<(f64, f64)> {
        self.lead(self.report.score_after(mv))
    }

    fn pv(&self, moves: &[Move]) -> String {
        moves.iter().map(|&mv| self.size().vertex(mv)).collect::<Vec<_>>().join(" ")
    }

    /// Writes a move with win rates in ten-thousandths. The pairs in `more` come before the main line, which every
    /// client's parser expects last.
    fn leela_zero(&self, order: usize, mv: &MoveReport, more: &str) -> String {
        let whole = |value: f64| (10_000.0 * value).round();
        format!(
            "info move {} visits {} winrate {} {more}prior {} lcb {} order {order} pv {} ",
            self.size().vertex(mv.mv),
            mv.edge_visits,
            whole(mv.value.as_f64()),
            whole(mv.prior),
            whole(mv.lower_bound()),
            self.pv(&mv.pv)
        )
    }

    fn katago(&mut self, order: usize, mv: &MoveReport, parts: &LineParts) -> String {
        let (value, bound) = (mv.value.as_f64(), mv.lower_bound());
        let mut text = format!(
            "info move {} visits {} edgeVisits {} utility {:.6} winrate {value:.6} {}prior {:.6} \
             lcb {bound:.6} utilityLcb {:.6} weight {} order {order} pv {} ",
            self.size().vertex(mv.mv),
            mv.visits.max(mv.edge_visits),
            mv.edge_visits,
            utility(value),
            score_pairs(self.lead_after(mv)),
            mv.prior,
            utility(bound),
            mv.edge_visits,
            self.pv(&mv.pv)
        );
        let visits_of_line = [
            ("pvVisits", parts.pv_visits, &mv.pv_visits),
            ("pvEdgeVisits", parts.pv_edge_visits, &mv.pv_edge_visits),
        ];
        for (name, _, visits) in visits_of_line.iter().filter(|(_, is_shown, _)| *is_shown) {
            let visits: Vec<String> = visits.iter().map(u64::to_string).collect();
            let _ = write!(text, "{name} {} ", visits.join(" "));
        }
        if parts.moves_ownership {
            let of_move = self.ownership.after(mv);
            let _ = write!(text, "movesOwnership {} ", points(&self.of_player(&of_move)));
        }
        text
    }

    fn root_info(&self) -> String {
        let root = &self.report.root;
        let value = root.value.as_f64();
        format!(
            "rootInfo visits {} utility {:.6} winrate {value:.6} {}weight {} ",
            root.visits,
            utility(value),
            score_pairs(self.lead(root.score())),
            root.visits
        )
    }

    fn root_ownership(&mut self) -> Vec<f64> {
        let of_root = self.ownership.of_root(self.report);
        self.of_player(&of_root)
    }

    /// Converts Black's ownership by move number to the player's, from -1 (the opponent's) to 1, by rows from the top
    /// left.
    fn of_player(&self, for_black: &[f64]) -> Vec<f64> {
        let sign = if self.player == Player::Black { 1.0 } else { -1.0 };
        self.size().points_from_top_left().map(|point| sign * for_black[point.index()]).collect()
    }

    fn cgos(&mut self, max_moves: usize) -> String {
        let letters: String = self.root_ownership().into_iter().map(ownership_letter).collect();
        let root = &self.report.root;
        let moves = self.report.moves.iter().take(max_moves).map(|mv| {
            json!({
                "move": self.size().vertex(mv.mv),
                "visits": mv.edge_visits,
                "winrate": rounded(mv.value.as_f64()),
                "score": self.lead_after(mv).map(|(lead, _)| rounded(lead)),
                "prior": rounded(mv.prior),
                "pv": self.pv(mv.pv.get(1..).unwrap_or_default()),
            })
        });
        json!({
            "winrate": rounded(root.value.as_f64()),
            "score": self.lead(root.score()).map(|(lead, _)| rounded(lead)),
            "visits": root.visits,
            "moves": moves.collect::<Vec<_>>(),
            "ownership": letters,
        })
        .to_string()
    }
}

/// Returns a value as a letter in 63 steps: -1 is `A`, 1 is `+`.
fn ownership_letter(value: f64) -> char {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char::from(LETTERS[((value + 1.0) / 2.0 * 62.0).round().clamp(0.0, 62.0) as usize])
}

/// Returns a lead and the standard deviation of the final score as KataGo writes them, with a space at the end; empty
/// if they are not known.
fn score_pairs(lead: Option<(f64, f64)>) -> String {
    lead.map_or_else(String::new, |(lead, deviation)| {
        format!("scoreMean {lead:.3} scoreStdev {deviation:.3} scoreLead {lead:.3} scoreSelfplay {lead:.3} ")
    })
}

/// Returns a lead as Sabaki reads it, with a space at the end; empty if it is not known.
fn score_lead(lead: Option<(f64, f64)>) -> String {
    lead.map_or_else(String::new, |(lead, _)| format!("scoreLead {lead:.3} "))
}

/// Returns the numbers of all points in one line.
fn points(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.3}")).collect::<Vec<_>>().join(" ")
}

/// Converts a win rate to the range from -1 to 1.
fn utility(value: f64) -> f64 {
    2.0 * value - 1.0
}

fn rounded(value: f64) -> f64 {
    (10_000.0 * value).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ownership_has_63_letters() {
        assert_eq!([-1.0, -0.999, 0.0, 1.0, 7.0].map(ownership_letter), ['A', 'A', 'f', '+', '+']);
    }
}
