//! What live analysis tells of a report. Values and scores are those of the player who is asked about.
//!
//! Sources: the documentation of KataGo's GTP extensions (docs/GTP_Extensions.md) and of Leela Zero's `lz-analyze`; for
//! CGOS the "GTP tournament game expansion" of zakki/cgos.

use super::request::{Dialect, Request};
use crate::game::{Move, Player};
use crate::go::{Position, Size};
use crate::search::{MoveReport, Report};
use serde_json::json;
use std::fmt::Write;

/// A line of analysis of the position that was searched; empty while there is nothing to tell.
pub(super) fn line(report: &Report, request: &Request, position: &Position) -> String {
    if report.moves.is_empty() {
        return String::new();
    }
    let view = View { report, position, player: request.player };
    let told = report.moves.len().max(request.least_moves).min(request.most_moves);
    let moves = || report.moves.iter().chain(&report.untried).take(told).enumerate();
    match request.dialect {
        Dialect::LeelaZero => moves().map(|(order, mv)| view.leela_zero(order, mv)).collect(),
        Dialect::KataGo => {
            let mut text: String =
                moves().map(|(order, mv)| view.katago(order, mv, request.has_pv_visits)).collect();
            if request.has_root_info {
                text += &view.root_info();
            }
            if request.has_ownership {
                text += "ownership";
                for value in view.ownership() {
                    let _ = write!(text, " {value:.3}");
                }
            }
            text
        }
        Dialect::Cgos => view.cgos(request.most_moves),
    }
}

/// A report, seen by a player.
struct View<'r> {
    report: &'r Report,
    position: &'r Position,
    player: Player,
}

impl View<'_> {
    fn size(&self) -> Size {
        self.position.size()
    }

    /// By how much the player leads, komi included; `None` where no score is known.
    fn lead(&self, black_score: Option<f64>) -> Option<f64> {
        let score = black_score.or(self.report.root.black_score)?;
        let lead = score - self.position.score_komi().points();
        Some(if self.player == Player::Black { lead } else { -lead })
    }

    fn pv(&self, moves: &[Move]) -> String {
        moves.iter().map(|&mv| self.size().vertex(mv)).collect::<Vec<_>>().join(" ")
    }

    /// Every line of a client's parser ends with the principal variation.
    fn leela_zero(&self, order: usize, mv: &MoveReport) -> String {
        let whole = |value: f64| (10_000.0 * value).round();
        format!(
            "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {} ",
            self.size().vertex(mv.mv),
            mv.edge_visits,
            whole(mv.value.as_f64()),
            whole(mv.prior),
            whole(mv.lower_bound()),
            self.pv(&mv.pv)
        )
    }

    fn katago(&self, order: usize, mv: &MoveReport, has_pv_visits: bool) -> String {
        let (value, bound, lead) = (mv.value.as_f64(), mv.lower_bound(), self.lead(mv.black_score));
        let mut text = format!(
            "info move {} visits {} edgeVisits {} utility {:.6} winrate {value:.6} {}prior {:.6} \
             lcb {bound:.6} utilityLcb {:.6} order {order} pv {} ",
            self.size().vertex(mv.mv),
            mv.visits.max(mv.edge_visits),
            mv.edge_visits,
            utility(value),
            score_pairs(lead),
            mv.prior,
            utility(bound),
            self.pv(&mv.pv)
        );
        if has_pv_visits {
            text += "pvVisits ";
            for visits in &mv.pv_visits {
                let _ = write!(text, "{visits} ");
            }
        }
        text
    }

    fn root_info(&self) -> String {
        let root = &self.report.root;
        let (value, lead) = (root.value.as_f64(), self.lead(root.black_score));
        format!(
            "rootInfo visits {} utility {:.6} winrate {value:.6} {}",
            root.visits,
            utility(value),
            score_pairs(lead)
        )
    }

    /// From -1, the opponent's, to 1, by rows from the top left.
    fn ownership(&self) -> impl Iterator<Item = f64> {
        let sign = if self.player == Player::Black { 1.0 } else { -1.0 };
        self.size()
            .points_from_top_left()
            .map(move |point| sign * self.report.ownership.mean_for_black(point))
    }

    fn cgos(&self, most_moves: usize) -> String {
        let root = &self.report.root;
        let moves = self.report.moves.iter().take(most_moves).map(|mv| {
            json!({
                "move": self.size().vertex(mv.mv),
                "visits": mv.edge_visits,
                "winrate": rounded(mv.value.as_f64()),
                "score": self.lead(mv.black_score).map(rounded),
                "prior": rounded(mv.prior),
                "pv": self.pv(mv.pv.get(1..).unwrap_or_default()),
            })
        });
        json!({
            "winrate": rounded(root.value.as_f64()),
            "score": self.lead(root.black_score).map(rounded),
            "visits": root.visits,
            "moves": moves.collect::<Vec<_>>(),
            "ownership": self.ownership().map(ownership_letter).collect::<String>(),
        })
        .to_string()
    }
}

/// A value as a letter: -1 is `A`, 1 is `+`, in 63 steps.
fn ownership_letter(value: f64) -> char {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char::from(LETTERS[((value + 1.0) / 2.0 * 62.0).round().clamp(0.0, 62.0) as usize])
}

/// A lead as KataGo writes it, with a space behind; nothing where it is not known.
fn score_pairs(lead: Option<f64>) -> String {
    lead.map_or_else(String::new, |lead| format!("scoreMean {lead:.3} scoreLead {lead:.3} "))
}

/// A win rate from -1 to 1.
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
