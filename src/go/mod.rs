//! Go: boards, rules, positions with history, playouts.
//!
//! [`board`] has the fast mechanics without rules; [`position`] adds rules and history and implements
//! [`Game`](crate::base::game::Game) for the search; [`record`] adds setup, undo and move names for protocols and game records.

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
pub mod tactics;
pub mod unconditional;

pub use board::Board;
pub use geometry::{Point, Size};
pub use key_policy::KeyPolicy;
pub use playout_policy::PlayoutPolicy;
pub use position::{IllegalMove, Position};
pub use record::Record;
pub use rules::{HandicapBonus, KoRule, Komi, KomiError, Rules, RulesError, Scoring};
