//! Second values of properties that should have one.

use super::*;

#[test]
fn a_second_value_of_a_move_is_left_out_with_a_warning() {
    let record = game("(;SZ[9];B[ee][dd];W[cc]\n[])");
    assert_eq!(vertices(&record), ["black E5", "white C7"]);
    let expected = [
        "line 1, column 14: expected no value beside B[ee], found B[dd]: ignored",
        "line 2, column 1: expected no value beside W[cc], found W[]: ignored",
    ];
    assert_eq!(record.warnings, expected);
    // Two properties are two moves, as in records of older programs.
    let two = game("(;SZ[9];B[ee]B[dd])");
    assert_eq!((vertices(&two).len(), two.warnings.len()), (2, 0));
}

#[test]
fn of_two_values_of_game_information_the_first_holds_with_a_warning() {
    for (text, second) in [
        ("(;SZ[9][13])", "SZ[9], found SZ[13]"),
        ("(;SZ[9]KM[6.5]KM[0.5])", "KM[6.5], found KM[0.5]"),
        ("(;SZ[9]KM[]KM[6.5][0.5])", "KM[6.5], found KM[0.5]"),
        ("(;SZ[9]HA[2]AB[cc][gg]HA[3])", "HA[2], found HA[3]"),
        ("(;SZ[9]RU[Japanese]RU[Chinese])", "RU[Japanese], found RU[Chinese]"),
        ("(;SZ[9];PB[a][b])", "PB[a], found PB[b]"),
    ] {
        let record = game(text);
        assert_eq!(record.columns, 9, "{text}");
        let [warning] = record.warnings.as_slice() else { panic!("{text}: {:?}", record.warnings) };
        assert!(warning.contains(&format!("expected no value beside {second}: ignored")), "{warning}");
    }
    let record = game("(;KM[6.5][0.5]RU[Japanese]RU[Chinese])");
    assert_eq!((record.komi, record.rules.as_deref()), (Some(6.5), Some("Japanese")));
}

#[test]
fn a_value_that_is_repeated_or_empty_needs_no_warning() {
    for text in ["(;SZ[9]SZ[9])", "(;KM[6.5][])", "(;RU[][ Chinese ]RU[Chinese])", "(;AP[a]AP[b])"] {
        assert!(game(text).warnings.is_empty(), "{text}");
    }
}
