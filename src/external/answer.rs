//! Answers of KataGo's analysis protocol.

use crate::go::Size;
use serde::Deserialize;

/// The evaluation of a position by another process.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalEvaluation {
    /// Probability of each move, by move number; `None` for moves that the evaluator takes for illegal.
    pub policy: Vec<Option<f32>>,
    /// Black's win rate, `0..=1`.
    pub black_win_rate: f64,
    /// Black's lead in points, komi included.
    pub black_lead: f64,
    /// Standard deviation of the final score, in points.
    pub score_deviation: f64,
    /// Mean owner of each point, by move number, from -1 for White to 1 for Black; `None` if not asked for.
    pub ownership: Option<Vec<f64>>,
}

/// Largest magnitude of an owner: 1, and an error of rounding.
const OWNER_LIMIT: f64 = 1.01;

/// A line from an evaluator, as far as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    error: Option<String>,
    root_info: Option<RootInfo>,
    policy: Option<Vec<f32>>,
    ownership: Option<Vec<f64>>,
}

/// The root of an answer; the numbers of the network alone exist since KataGo 1.12, the others are those of one visit.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo {
    winrate: f64,
    score_lead: f64,
    score_stdev: Option<f64>,
    raw_winrate: Option<f64>,
    raw_lead: Option<f64>,
    raw_score_selfplay_stdev: Option<f64>,
}

/// An answer that is no evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoEvaluation {
    /// The evaluator refuses the question, with this message.
    Refused(String),
    /// The line is not understood.
    Unreadable,
}

impl ExternalEvaluation {
    /// Reads the answer to a question for a board of `size`, and for its ownership if `has_ownership`.
    pub(super) fn read(
        line: &str,
        size: Size,
        has_ownership: bool,
    ) -> Result<ExternalEvaluation, NoEvaluation> {
        let line: Line = serde_json::from_str(line).map_err(|_| NoEvaluation::Unreadable)?;
        if let Some(message) = line.error {
            return Err(NoEvaluation::Refused(message));
        }
        let (Some(root), Some(policy)) = (line.root_info, line.policy) else {
            return Err(NoEvaluation::Unreadable);
        };
        let points = size.points();
        let ownership = line.ownership.map(|rows| from_rows(&rows, size));
        let black_win_rate = root.raw_winrate.unwrap_or(root.winrate);
        let black_lead = root.raw_lead.unwrap_or(root.score_lead);
        let score_deviation = root.raw_score_selfplay_stdev.or(root.score_stdev).unwrap_or(0.0);
        let are_owners = |owners: &Vec<f64>| {
            owners.len() == points && owners.iter().all(|owner| (-OWNER_LIMIT..=OWNER_LIMIT).contains(owner))
        };
        let is_usable = policy.len() == points + 1
            && ownership.as_ref().map_or(!has_ownership, are_owners)
            && (0.0..=1.0).contains(&black_win_rate)
            && black_lead.is_finite()
            && score_deviation >= 0.0;
        if !is_usable {
            return Err(NoEvaluation::Unreadable);
        }
        let mut policy: Vec<Option<f32>> = from_rows(&policy[..points], size)
            .into_iter()
            .chain(policy.last().copied())
            .map(|probability| (0.0..=1.0).contains(&probability).then_some(probability))
            .collect();
        // A pass is always legal.
        policy[points] = policy[points].or(Some(0.0));
        Ok(ExternalEvaluation { policy, black_win_rate, black_lead, score_deviation, ownership })
    }
}

/// Returns values listed from the top left of the board in the order of move numbers, which begin at the bottom left.
fn from_rows<T: Copy>(rows: &[T], size: Size) -> Vec<T> {
    rows.chunks(size.columns()).rev().flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> Size {
        Size::new(2, 2).expect("a size")
    }

    fn read(line: &str) -> Result<ExternalEvaluation, NoEvaluation> {
        ExternalEvaluation::read(line, size(), false)
    }

    #[test]
    fn rows_begin_at_the_top_and_illegal_moves_have_no_probability() {
        let line = r#"{"id":"1","rootInfo":{"winrate":0.5,"scoreLead":1,"rawWinrate":0.75,"rawLead":2.5,
            "rawScoreSelfplayStdev":8.5,"visits":1},"policy":[0.5,-1,0.25,0.125,0.125],"ownership":[1,0,-1,0.5]}"#;
        let found = read(line).expect("an evaluation");
        assert_eq!(found.policy, [Some(0.25), Some(0.125), Some(0.5), None, Some(0.125)]);
        assert_eq!(found.ownership, Some(vec![-1.0, 0.5, 1.0, 0.0]));
        assert_eq!((found.black_win_rate, found.black_lead, found.score_deviation), (0.75, 2.5, 8.5));
    }

    #[test]
    fn what_is_no_evaluation_is_refused() {
        assert_eq!(
            read(r#"{"error":"komi must be a half-integer","field":"komi","id":"1"}"#),
            Err(NoEvaluation::Refused("komi must be a half-integer".to_owned()))
        );
        let root = r#""rootInfo":{"winrate":0.5,"scoreLead":1}"#;
        for line in [
            "hello".to_owned(),
            "{}".to_owned(),
            format!("{{{root}}}"),
            format!("{{{root},\"policy\":[0.5,0.5]}}"),
            r#"{"rootInfo":{"winrate":1.5,"scoreLead":1},"policy":[0,0,0,0,1]}"#.to_owned(),
            format!("{{{root},\"policy\":[0,0,0,0,1],\"ownership\":[1]}}"),
            format!("{{{root},\"policy\":[0,0,0,0,1],\"ownership\":[1,0,0,9]}}"),
        ] {
            assert_eq!(read(&line), Err(NoEvaluation::Unreadable), "{line}");
        }
        let without_owners = format!("{{{root},\"policy\":[0,0,0,0,1]}}");
        assert!(read(&without_owners).is_ok());
        assert_eq!(ExternalEvaluation::read(&without_owners, size(), true), Err(NoEvaluation::Unreadable));
    }
}
