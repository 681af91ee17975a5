//! The Go Text Protocol, version 2: how GUIs, servers and scripts talk to the engine.
//!
//! * [`protocol`]: bytes to commands and responses to text; knows no Go.
//! * [`session`]: the state of a conversation, and its loop.
//! * `commands`: what each command does, one file a topic, one table of all.
//! * `live`: searches that tell what they find while they run.
//! * [`clock`]: time settings, and how long to think.
//!
//! Every command line gets one response. One that fails leaves the state as it was.
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
