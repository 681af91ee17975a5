//! GTP, the analysis protocol and SGF records.

mod analysis_server;
#[path = "../common/mod.rs"]
mod common;
mod gnugo;
mod gtp_check;
mod gtp_live;
mod gtp_session;
mod gtp_transcript;
mod sgf;
