//! Analyses of KaTrain, in the property `KT`: three values, each compressed with gzip and written in base64.
//!
//! | value     | content                                                                                     |
//! |-----------|---------------------------------------------------------------------------------------------|
//! | ownership | a number of two bytes for each point, not read                                              |
//! | policy    | a number of two bytes for each point, rows from the top, and the pass; -1: illegal; may be empty |
//! | main      | JSON: `moves` by vertex, and `root`, both as KataGo's analysis protocol has them             |
//!
//! When KaTrain has analysed the position after a move, it replaces the move's visits and values by those of that position
//! and keeps the other fields. `edgeVisits`, which newer versions of KataGo send, stay.
//!
//! Source: KaTrain, katrain/core/game_node.py (`analysis_dumps`, `load_analysis`, `update_move_analysis`) and
//! katrain/core/utils.py (`pack_floats`).

use super::{AnalysisError, RecordedAnalysis, RecordedMove, limited_visits, share, total_visits, vertex};
use crate::base::game::Player;
use crate::go::Size;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use half::f16;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;

/// The newest version of the format that is read.
pub const KATRAIN_FORMAT: &str = "1.0";
/// The version [`KATRAIN_FORMAT`] as numbers.
const FORMAT: (u32, u32) = (1, 0);

/// Maximum bytes of the main part: some thousand moves with their lines.
const MAX_MAIN_BYTES: usize = 4 << 20;

/// Bytes of a number in a list.
const NUMBER_BYTES: usize = 2;

/// The main part, as far as it is read.
#[derive(Deserialize)]
struct Main {
    moves: BTreeMap<String, MoveInfo>,
    root: Option<RootInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MoveInfo {
    visits: u64,
    edge_visits: Option<u64>,
    winrate: f64,
    prior: Option<f64>,
    /// A field of roots: the visits are those of the position after the move.
    current_player: Option<String>,
    /// The move that has the statistics; this one is its image in a symmetric position.
    is_symmetry_of: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RootInfo {
    visits: u64,
    winrate: f64,
    score_lead: Option<f64>,
    score_stdev: Option<f64>,
    raw_winrate: Option<f64>,
    raw_lead: Option<f64>,
    raw_score_selfplay_stdev: Option<f64>,
    current_player: Option<String>,
}

/// Returns true if analyses of a version, as `KTV` has it, can be read.
#[must_use]
pub fn is_readable_version(version: &str) -> bool {
    let (major, minor) = version.trim().split_once('.').unwrap_or((version.trim(), "0"));
    matches!((major.parse(), minor.parse()), (Ok(major), Ok(minor)) if (major, minor) <= FORMAT)
}

/// Reads the values of `KT`.
pub(super) fn read(
    values: &[String],
    size: Size,
    to_play: Player,
) -> Result<RecordedAnalysis, AnalysisError> {
    let [_, policy, main, ..] = values else {
        return Err(AnalysisError::unexpected("three values", &format!("{} values", values.len())));
    };
    let policy = read_policy(&unpacked(policy, "policy", (size.points() + 1) * NUMBER_BYTES)?, size)?;
    let main = unpacked(main, "main part", MAX_MAIN_BYTES)?;
    let main: Main =
        serde_json::from_slice(&main).map_err(|error| AnalysisError::Json { reason: error.to_string() })?;
    let root = main.root.ok_or_else(|| AnalysisError::unexpected("the root of a search", "none"))?;
    let moves = read_moves(&main.moves, root.visits, size)?;
    let to_play = root.current_player.as_deref().and_then(player).unwrap_or(to_play);
    Ok(RecordedAnalysis {
        to_play,
        visits: total_visits(root.visits, &moves)?,
        black_win_rate: share(root.winrate, "a win rate from 0 to 1")?,
        black_lead: root.score_lead,
        score_deviation: root.raw_score_selfplay_stdev.or(root.score_stdev).filter(|it| *it >= 0.0),
        network_win_rate: root.raw_winrate.map(|it| share(it, "a win rate from 0 to 1")).transpose()?,
        network_lead: root.raw_lead,
        moves,
        policy,
    })
}

/// Returns the data of a value with at most `limit` bytes.
fn unpacked(value: &str, part: &'static str, limit: usize) -> Result<Vec<u8>, AnalysisError> {
    let packed = STANDARD.decode(value.trim()).map_err(|_| AnalysisError::Encoding { part })?;
    let mut data = Vec::new();
    let mut reader = GzDecoder::new(packed.as_slice()).take(limit as u64 + 1);
    reader.read_to_end(&mut data).map_err(|_| AnalysisError::Encoding { part })?;
    if data.len() > limit { Err(AnalysisError::TooLong { part, limit }) } else { Ok(data) }
}

/// Returns the probabilities by move number, rows from the bottom; `None` if there are none.
fn read_policy(data: &[u8], size: Size) -> Result<Option<Vec<Option<f32>>>, AnalysisError> {
    if data.is_empty() {
        return Ok(None);
    }
    let points = size.points();
    if data.len() != (points + 1) * NUMBER_BYTES {
        let found = format!("{} bytes", data.len());
        return Err(AnalysisError::unexpected("two bytes for each point and the pass as policy", &found));
    }
    let (numbers, _) = data.as_chunks::<NUMBER_BYTES>();
    let numbers: Vec<Option<f32>> = numbers
        .iter()
        .map(|bytes| f16::from_le_bytes(*bytes).to_f32())
        .map(|number| (0.0..=1.0).contains(&number).then_some(number))
        .collect();
    let (rows, pass) = numbers.split_at(points);
    Ok(Some(rows.chunks(size.columns()).rev().flatten().chain(pass).copied().collect()))
}

/// Returns the moves. Those with the visits of the position after them get the visits that the root has beside the others.
fn read_moves(
    infos: &BTreeMap<String, MoveInfo>,
    root_visits: u64,
    size: Size,
) -> Result<Vec<RecordedMove>, AnalysisError> {
    let known: u64 = infos.values().filter_map(known_visits).fold(0, u64::saturating_add);
    let mut rest = root_visits.saturating_sub(1).saturating_sub(known);
    let mut moves = Vec::with_capacity(infos.len());
    for (text, info) in infos {
        let visits = known_visits(info).unwrap_or_else(|| {
            let visits = info.visits.min(rest);
            rest -= visits;
            visits
        });
        moves.push(RecordedMove {
            mv: vertex(text, size)?,
            visits: limited_visits(visits)?,
            black_win_rate: share(info.winrate, "a win rate from 0 to 1")?,
            prior: info
                .prior
                .map(|it| share(it, "a prior from 0 to 1"))
                .transpose()?
                .map(|prior| prior as f32),
        });
    }
    Ok(moves)
}

/// Returns the visits through a move; `None` if only those of the position after it are known.
fn known_visits(info: &MoveInfo) -> Option<u64> {
    if info.is_symmetry_of.is_some() {
        return Some(0);
    }
    let is_of_child = info.current_player.is_some() || info.prior.is_none();
    info.edge_visits.or(Some(info.visits).filter(|_| !is_of_child))
}

fn player(letter: &str) -> Option<Player> {
    match letter {
        "B" => Some(Player::Black),
        "W" => Some(Player::White),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn size() -> Size {
        Size::new(3, 2).expect("a size")
    }

    fn packed(data: &[u8]) -> String {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).expect("memory");
        STANDARD.encode(encoder.finish().expect("memory"))
    }

    fn numbers(numbers: &[f32]) -> String {
        packed(&numbers.iter().flat_map(|it| f16::from_f32(*it).to_le_bytes()).collect::<Vec<u8>>())
    }

    fn values(policy: &str, main: &str) -> Vec<String> {
        vec![packed(b""), policy.to_owned(), packed(main.as_bytes())]
    }

    fn read_here(values: &[String]) -> Result<RecordedAnalysis, AnalysisError> {
        read(values, size(), Player::Black)
    }

    const ROOT: &str = r#""root": {"visits": 40, "winrate": 0.75, "scoreLead": 2.5, "rawWinrate": 0.5, "rawLead": 1.0,
        "rawScoreSelfplayStdev": 9.5, "scoreStdev": 12.0, "currentPlayer": "W"}"#;

    fn main_part(moves: &str) -> String {
        format!("{{\"moves\": {{{moves}}}, {ROOT}, \"completed\": true}}")
    }

    #[test]
    fn an_analysis_is_read_with_its_root_moves_and_policy() {
        let moves = r#""A2": {"move": "A2", "visits": 30, "winrate": 0.7, "prior": 0.25, "order": 0, "pv": ["A2"]},
            "pass": {"move": "pass", "visits": 9, "winrate": 0.9, "prior": 0.125}"#;
        let policy = numbers(&[0.25, 0.0, -1.0, 0.5, 0.125, 0.0625, 0.0625]);
        let found = read_here(&values(&policy, &main_part(moves))).expect("an analysis");
        assert_eq!((found.to_play, found.visits, found.black_win_rate), (Player::White, 40, 0.75));
        assert_eq!(
            (found.black_lead, found.network_win_rate, found.network_lead),
            (Some(2.5), Some(0.5), Some(1.0))
        );
        assert_eq!(found.score_deviation, Some(9.5));
        let by_number = [0.5, 0.125, 0.0625, 0.25, 0.0].map(Some).into_iter().chain([None, Some(0.0625)]);
        assert_eq!(found.policy, Some(by_number.collect()));
        let visits: Vec<(String, u32)> =
            found.moves.iter().map(|it| (size().vertex(it.mv), it.visits)).collect();
        assert_eq!(visits, [("A2".to_owned(), 30), ("pass".to_owned(), 9)]);
        assert_eq!((found.moves[0].black_win_rate, found.moves[0].prior), (0.7, Some(0.25)));
    }

    #[test]
    fn visits_of_the_position_after_a_move_are_not_those_of_the_move() {
        let moves = r#""A2": {"visits": 30, "winrate": 0.7, "prior": 0.25},
            "B2": {"visits": 500, "winrate": 0.6, "prior": 0.25, "currentPlayer": "B"},
            "C2": {"visits": 500, "winrate": 0.6}"#;
        let found = read_here(&values(&packed(b""), &main_part(moves))).expect("an analysis");
        assert_eq!(found.moves.iter().map(|it| it.visits).collect::<Vec<_>>(), [30, 9, 0]);
        assert_eq!((found.visits, found.policy), (40, None));
        let moves = r#""A2": {"visits": 30, "edgeVisits": 28, "winrate": 0.7, "prior": 0.25},
            "B2": {"visits": 500, "edgeVisits": 11, "winrate": 0.6, "prior": 0.25, "currentPlayer": "B"},
            "C2": {"visits": 30, "edgeVisits": 28, "winrate": 0.7, "prior": 0.25, "isSymmetryOf": "A2"}"#;
        let found = read_here(&values(&packed(b""), &main_part(moves))).expect("an analysis");
        assert_eq!(found.moves.iter().map(|it| it.visits).collect::<Vec<_>>(), [28, 11, 0]);
    }

    #[test]
    fn impossible_values_are_errors() {
        let good = main_part("");
        let other = |from: &str, to: &str| good.replace(from, to);
        for (found, expected) in [
            (vec![packed(b""); 2], "three values"),
            (vec!["!".to_owned(); 3], "policy that cannot be decoded"),
            (vec![STANDARD.encode("hello"); 3], "policy that cannot be decoded"),
            (values(&numbers(&[0.5]), &good), "two bytes for each point"),
            (values(&numbers(&[0.5; 100]), &good), "at most 14 bytes of policy"),
            (values(&packed(b""), "{"), "an analysis in JSON"),
            (values(&packed(b""), r#"{"moves": {}, "root": null}"#), "the root of a search"),
            (values(&packed(b""), &other("0.75", "1.5")), "a win rate from 0 to 1"),
            (values(&packed(b""), &other("0.75", "NaN")), "an analysis in JSON"),
            (values(&packed(b""), &other("40", "100000000000")), "visits"),
            (
                values(&packed(b""), &main_part(r#""Z9": {"visits": 1, "winrate": 0.5}"#)),
                "a move on the board",
            ),
            (
                values(&packed(b""), &main_part(r#""A2": {"visits": 1, "winrate": 0.5, "prior": 7}"#)),
                "a prior",
            ),
        ] {
            let error = read_here(&found).expect_err(expected).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_small_value_cannot_unpack_to_much_memory() {
        let bomb = packed(&vec![b' '; 64 << 20]);
        assert!(bomb.len() < 100_000);
        let error = read_here(&[packed(b""), packed(b""), bomb.clone()]).expect_err("too long");
        assert_eq!(error, AnalysisError::TooLong { part: "main part", limit: MAX_MAIN_BYTES });
        assert_eq!(
            read_here(&[packed(b""), bomb, packed(b"")]).expect_err("too long"),
            AnalysisError::TooLong { part: "policy", limit: 14 }
        );
    }

    #[test]
    fn damaged_values_never_panic() {
        let moves = r#""A2": {"visits": 30, "winrate": 0.7, "prior": 0.25}"#;
        let good = values(&numbers(&[0.25, 0.0, -1.0, 0.5, 0.125, 0.0625, 0.0625]), &main_part(moves));
        for part in 1..3 {
            for length in 0..good[part].len() {
                let mut cut = good.clone();
                cut[part].truncate(length);
                assert!(read_here(&cut).is_err(), "part {part} of {length} characters");
                let mut changed = good.clone();
                changed[part].replace_range(length..=length, if length % 2 == 0 { "A" } else { "+" });
                let _ = read_here(&changed);
            }
        }
        let text = main_part(moves);
        for length in 0..text.len() {
            assert!(read_here(&values(&packed(b""), &text[..length])).is_err());
            let changed = format!("{}9{}", &text[..length], &text[length + 1..]);
            let _ = read_here(&values(&packed(b""), &changed));
        }
    }

    #[test]
    fn later_versions_are_not_readable() {
        assert!(
            ["1.0", "0.9", "1", " 1.0 ", KATRAIN_FORMAT].iter().all(|version| is_readable_version(version))
        );
        assert!(["1.1", "2.0", "1.0.1", "", "x", "-1.0"].iter().all(|version| !is_readable_version(version)));
    }
}
