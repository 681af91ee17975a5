//! Go: boards, rules, positions with history, playouts.
//!
//! [`board`] has the fast mechanics without rules; [`position`] adds [`rules`] and history and implements
//! [`Game`](crate::base::game::Game) for the search; [`record`] adds the list of moves, undo and handicaps.
//!
//! * Random games: [`playout`] (light), [`heavy`] with [`pattern`] and [`tactics`]; [`ladder`] reads ladders.
//! * The end of a game: [`score`] counts, [`status`] finds dead chains, [`settled`] finds positions with nothing left to gain.
//! * Keys: `key_policy` and `history_hash` are the part of the table key that depends on earlier moves; `superko` holds the
//!   positions that may not be repeated.

pub mod board;
pub mod drawing;
pub mod final_ownership;
pub mod geometry;
pub mod handicap;
pub mod heavy;
mod history_hash;
mod key_policy;
pub mod ladder;
mod liberties;
mod lookahead;
pub mod pattern;
pub mod playout;
pub mod playout_ownership;
pub mod playout_policy;
pub mod point_list;
pub mod position;
pub mod prior;
pub mod record;
pub mod rules;
pub mod score;
pub mod settled;
pub mod status;
mod superko;
pub mod symmetry;
pub mod tactics;
pub mod unconditional;

pub use board::Board;
pub use geometry::{Point, Size};
pub use key_policy::KeyPolicy;
pub use playout_policy::PlayoutPolicy;
pub use position::{IllegalMove, Position, PositionSnapshot, SnapshotError};
pub use record::Record;
pub use rules::{HandicapBonus, KoRule, Komi, KomiError, Rules, RulesError, Scoring};
pub use symmetry::Symmetry;
