//! Random command lines.

use super::*;
use proptest::prelude::*;
use tewari::protocols::gtp::protocol;

/// All commands of the standard except `quit`, and an unknown one.
const COMMANDS: &str = "\
    all_legal boardsize clear_board clear_cache cputime final_score final_status_list \
    fixed_handicap genmove get_komi gg-undo is_legal kgs-time_settings known_command komi \
    list_commands list_stones loadsgf place_free_handicap play rectangular_boardsize reg_genmove \
    set_free_handicap set_position set_random_seed showboard tewari-table time_left time_settings undo nosuch";

/// Valid and invalid arguments.
const ARGUMENTS: &str = "\
    b w black A1 B2 c3 D4 e5 T19 pass resign 0 1 2 3 5 -7 6.5 1e400 nan 99999999999999999999 dead \
    alive seki none byoyomi canadian absolute /dev/null # é";

/// Returns a line between a valid command and noise.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let command = prop::sample::select(COMMANDS.split_whitespace().collect::<Vec<_>>());
    let odd = ["\t", "\r", "\u{0}", ""];
    let argument = prop::sample::select(ARGUMENTS.split_whitespace().chain(odd).collect::<Vec<_>>());
    let id = prop::sample::select(vec!["", "", "1 ", "2147483648 ", "-1 "]);
    let words = (id, command, prop::collection::vec(argument, 0..4))
        .prop_map(|(id, command, arguments)| format!("{id}{command} {}", arguments.join(" ")).into_bytes());
    let moves = (0..5_usize, 1..6_usize, prop::bool::ANY).prop_map(|(column, row, black)| {
        let column = ["A", "B", "C", "D", "E"][column];
        format!("play {} {column}{row}", if black { "b" } else { "w" }).into_bytes()
    });
    let noise = prop::collection::vec(any::<u8>(), 0..60).prop_map(|mut bytes| {
        bytes.retain(|&byte| byte != b'\n');
        bytes
    });
    prop_oneof![4 => words, 3 => moves, 1 => noise]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_command_line_gets_exactly_one_well_formed_response(lines in prop::collection::vec(line(), 0..40)) {
        let mut session = session_with(5, options(5));
        let output = converse(&mut session, &lines.join(&b'\n'));
        let commands: Vec<_> =
            lines.iter().filter_map(|line| protocol::parse_line(&String::from_utf8_lossy(line))).collect();
        prop_assert!(output.is_empty() || output.ends_with("\n\n"));
        let responses: Vec<&str> = output.split_terminator("\n\n").collect();
        prop_assert_eq!(responses.len(), commands.len(), "{:?}\n{}", commands, output);
        for (command, response) in commands.iter().zip(responses) {
            let id = command.id.map_or_else(String::new, |id| id.to_string());
            let rest = response.strip_prefix(['=', '?']).and_then(|rest| rest.strip_prefix(id.as_str()));
            let rest = rest.expect("status and id");
            prop_assert!(rest.is_empty() || rest.starts_with([' ', '\n']), "{response:?}");
        }
    }
}
