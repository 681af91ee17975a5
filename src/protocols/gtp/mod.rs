//! The Go Text Protocol, version 2, by which GUIs, servers and scripts control the engine.
//!
//! * [`protocol`]: bytes to commands and responses to text, without Go; [`error`]: the errors of commands.
//! * `arguments`: parsing of a command's arguments.
//! * [`session`]: the state of a session.
//! * `think`: a decision on a move within a session.
//! * `live`: searches that report while they run.
//! * `commands`: the commands, one file a topic, and the table of all.
//! * `dialogue`: the loop from a line to its response.
//!
//! Each file imports only those above it.
//!
//! Every command line gets one response. A command that fails leaves the state unchanged.
//!
//! Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2",
//! <https://www.lysator.liu.se/~gunnar/gtp/>.

mod arguments;
mod commands;
mod dialogue;
pub mod error;
mod live;
pub mod protocol;
pub mod session;
mod think;

pub use error::GtpError;
pub use session::{SearchTotals, Session, SessionOptions};
