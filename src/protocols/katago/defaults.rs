//! Settings for fields that a query omits.

use crate::base::game::Player;
use crate::go::KeyPolicy;
use std::time::Duration;

/// The point of view of reported win rates and scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perspective {
    /// The player to move.
    SideToMove,
    /// Always the same player.
    Of(Player),
}

impl Perspective {
    /// Parses a value of `reportAnalysisWinratesAs`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Perspective> {
        match text.to_ascii_uppercase().as_str() {
            "BLACK" => Some(Perspective::Of(Player::Black)),
            "WHITE" => Some(Perspective::Of(Player::White)),
            "SIDETOMOVE" => Some(Perspective::SideToMove),
            _ => None,
        }
    }
}

/// Maximum visits of a position if nothing else limits its visits or simulations.
pub(super) const DEFAULT_VISITS: u64 = 1_000;

/// Settings for fields that a query omits.
#[derive(Clone, Copy, Debug)]
pub struct QueryDefaults {
    /// The perspective of win rates and scores.
    pub perspective: Perspective,
    /// Maximum visits of the root, those of earlier searches included. `None`: 1,000, or no limit if the number of
    /// simulations is limited.
    pub visits: Option<u64>,
    /// Maximum simulations of a search.
    pub simulations: Option<u64>,
    /// Maximum time for a position.
    pub time: Option<Duration>,
    /// The key policy: which transpositions share statistics.
    pub keys: KeyPolicy,
    /// True if waiting queries are answered after the end of the input.
    pub finishes_queue: bool,
}
