//! The implementation of each command, one file a topic, and the table of all commands.

mod about;
mod board;
mod gogui;
mod handicap;
mod katago;
mod load;
mod moves;
mod query;
mod score;
mod time;

use super::arguments::Arguments;
use super::error::GtpError;
use super::live;
use super::session::Session;
use crate::base::game::Move;
use crate::go::Size;

/// A function that executes a command and returns its result. On an error the state is unchanged.
pub(super) type Handler = fn(&mut Session, Arguments<'_>) -> Result<String, GtpError>;

/// All commands but those of live analysis, by name.
const COMMANDS: &[(&str, Handler)] = &[
    ("all_legal", query::all_legal),
    ("boardsize", board::boardsize),
    ("clear_board", board::clear_board),
    ("clear_cache", board::clear_cache),
    ("cputime", about::cputime),
    ("final_score", score::final_score),
    ("final_status_list", score::final_status_list),
    ("fixed_handicap", handicap::fixed_handicap),
    ("genmove", moves::genmove),
    ("get_handicap", handicap::get_handicap),
    ("get_komi", board::get_komi),
    ("get_random_seed", about::get_random_seed),
    ("gg-undo", moves::gg_undo),
    ("gogui-analyze_commands", gogui::analyze_commands),
    ("gogui-interrupt", about::stop),
    ("gogui-play_sequence", gogui::play_sequence),
    ("gogui-setup", gogui::setup),
    ("gogui-setup_player", gogui::setup_player),
    ("gomill-cpu_time", about::cputime),
    ("gomill-explain_last_move", moves::explain_last_move),
    ("is_legal", query::is_legal),
    ("kata-get-models", katago::get_models),
    ("kata-get-param", katago::get_param),
    ("kata-get-params", katago::get_params),
    ("kata-get-rules", katago::get_rules),
    ("kata-list-params", katago::list_params),
    ("kata-list_time_settings", time::kata_list_time_settings),
    ("kata-raw-nn", katago::raw_nn),
    ("kata-search", moves::kata_search),
    ("kata-search_cancellable", moves::kata_search_cancellable),
    ("kata-set-param", katago::set_param),
    ("kata-set-rule", katago::set_rule),
    ("kata-set-rules", katago::set_rules),
    ("kata-time_settings", time::kata_time_settings),
    ("kgs-chat", about::kgs_chat),
    ("kgs-game_over", about::stop),
    ("kgs-genmove_cleanup", moves::kgs_genmove_cleanup),
    ("kgs-rules", katago::set_rules),
    ("kgs-time_settings", time::kgs_time_settings),
    ("known_command", about::known_command),
    ("komi", board::komi),
    ("list_commands", about::list_commands),
    ("list_stones", query::list_stones),
    ("loadsgf", load::loadsgf),
    ("name", about::name),
    ("place_free_handicap", handicap::place_free_handicap),
    ("play", moves::play),
    ("printsgf", load::printsgf),
    ("protocol_version", about::protocol_version),
    ("quit", about::quit),
    ("rectangular_boardsize", board::rectangular_boardsize),
    ("reg_genmove", moves::reg_genmove),
    ("set_free_handicap", handicap::set_free_handicap),
    ("set_position", katago::set_position),
    ("set_random_seed", about::set_random_seed),
    ("showboard", query::showboard),
    ("stop", about::stop),
    ("tewari-best_moves", gogui::best_moves),
    ("tewari-ownership", gogui::ownership),
    ("tewari-param", gogui::param),
    ("tewari-table", query::tewari_table),
    ("tewari-variation", gogui::variation),
    ("tewari-win_rates", gogui::win_rates),
    ("time_left", time::time_left),
    ("time_settings", time::time_settings),
    ("undo", moves::undo),
    ("version", about::version),
];

/// Returns the handler of the command `name`.
pub(super) fn find(name: &str) -> Option<Handler> {
    COMMANDS.iter().find(|(known, _)| *known == name).map(|&(_, handler)| handler)
}

/// Returns the names of all commands, sorted.
fn names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = COMMANDS.iter().map(|&(name, _)| name).chain(live::names()).collect();
    names.sort_unstable();
    names.into_iter()
}

/// Returns moves as GTP vertices in one line.
fn vertices(size: Size, moves: impl IntoIterator<Item = Move>) -> String {
    moves.into_iter().map(|mv| size.vertex(mv)).collect::<Vec<_>>().join(" ")
}

/// Returns the rows of a board from the top, with the point's value by `text`.
fn rows(size: Size, text: impl Fn(Move) -> String) -> String {
    let row = |row: usize| {
        let columns = 0..size.columns();
        columns.map(|column| text(Move((row * size.columns() + column) as u16))).collect::<Vec<_>>().join(" ")
    };
    (0..size.rows()).rev().map(row).collect::<Vec<_>>().join("\n")
}
