//! The Go Text Protocol, version 2, by which GUIs, servers and scripts control the engine.
//!
//! * [`protocol`]: parsing of command lines and formatting of responses, without Go.
//! * [`session`]: the state of a conversation, and its loop.
//! * `commands`: the implementation of each command, one file a topic, and the table of all.
//! * `live`: searches that report while they run.
//! * [`clock`]: time settings, and the time to spend on a move.
//!
//! Every command line gets one response. A command that fails leaves the state unchanged.
//!
//! Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2",
//! <https://www.lysator.liu.se/~gunnar/gtp/>.

mod arguments;
pub mod clock;
mod commands;
pub mod error;
mod live;
pub mod protocol;
pub mod session;
mod think;

pub use error::GtpError;
pub use session::{SearchTotals, Session, SessionOptions};
pub use think::MoveBudget;
