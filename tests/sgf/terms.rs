//! Rules and komi of a record: what is written is what is meant, and what is assumed is said.

use super::*;
use tewari::go::Record;
use tewari::sgf::{Terms, UnusableKomi};

fn terms_of(properties: &str) -> Result<Terms, UnusableKomi> {
    game(&format!("(;{properties})")).terms(Given::default(), Otherwise::default())
}

fn terms(properties: &str) -> Terms {
    terms_of(properties).unwrap_or_else(|error| panic!("{properties}: {error}"))
}

fn komi(properties: &str) -> f64 {
    terms(properties).komi.points()
}

#[test]
fn a_komi_in_points_is_taken_as_it_is_and_nothing_is_said() {
    for (written, points) in
        [("6.5", 6.5), ("7", 7.0), ("0", 0.0), ("-3.5", -3.5), ("5,5", 5.5), ("-59.5", -59.5)]
    {
        let terms = terms(&format!("RU[Chinese]KM[{written}]"));
        assert_eq!((terms.komi.points(), terms.assumed.as_slice()), (points, &[][..]), "{written}");
    }
}

#[test]
fn the_komi_of_a_record_of_ours_is_read_as_it_was_meant() {
    for (side, half_points) in [("19", 13), ("19", 250), ("19", -400), ("2", 15), ("1", 2000)] {
        let (size, given) = (side.parse().expect("a size"), Komi(half_points));
        let text = tewari::sgf::write_record(&Record::new(size, Rules::CHINESE, given));
        let terms = game(&text).terms(Given::default(), Otherwise::default()).expect("a komi");
        assert_eq!((terms.komi, terms.assumed.as_slice()), (given, &[][..]), "{text}");
    }
    // Another program had its hands on it.
    assert_eq!(komi("AP[Tewari:0.1.0]AP[other]KM[650]"), 6.5);
}

#[test]
fn numbers_from_one_hundred_on_are_hundredths() {
    for (written, points) in [("650", 6.5), ("750", 7.5), ("700", 7.0), ("550", 5.5), ("-650", -6.5)] {
        let terms = terms(&format!("RU[Chinese]KM[{written}]"));
        assert_eq!((terms.komi.points(), terms.assumed.len()), (points, 1), "{written}");
        assert!(terms.assumed[0].contains(&format!("KM[{written}] is in hundredths")), "{terms:?}");
    }
}

#[test]
fn quarters_are_stones_of_two_points() {
    for (written, points) in
        [("3.75", 7.5), ("2.75", 5.5), ("375", 7.5), ("275", 5.5), ("325", 6.5), ("3.25", 6.5)]
    {
        let terms = terms(&format!("RU[Chinese]KM[{written}]"));
        assert_eq!((terms.komi.points(), terms.assumed.len()), (points, 1), "{written}");
        assert!(terms.assumed[0].contains("stones of two points"), "{terms:?}");
    }
}

#[test]
fn no_komi_in_an_even_chinese_game_of_fox_is_not_believed() {
    // Fox puts its name behind that of another program.
    let fox = "AP[GNU Go:3.8]AP[foxwq]";
    assert_eq!(komi(&format!("KM[0]HA[0]RU[Chinese]{fox}")), 7.5);
    assert_eq!(komi(&format!("KM[350]HA[0]RU[Chinese]{fox}")), 7.0);
    assert!(terms(&format!("KM[0]RU[Chinese]{fox}")).assumed[0].contains("not believed"));
    for kept in
        ["RU[Chinese]HA[3]AP[foxwq]", "RU[Chinese]AP[CGoban:3]", "RU[Chinese]", "RU[Japanese]AP[foxwq]"]
    {
        assert_eq!(komi(&format!("KM[0]{kept}")), 0.0, "{kept}");
    }
}

#[test]
fn a_komi_that_is_no_half_point_or_larger_than_the_board_is_refused() {
    for (properties, points, found) in [
        ("KM[7.3]", 361, "7.3"),
        ("KM[6.6]SZ[9]", 81, "6.6"),
        ("KM[655]", 361, "655"),
        ("SZ[3]KM[9.5]", 9, "9.5"),
        ("SZ[3]KM[-9.5]", 9, "-9.5"),
        ("SZ[5]KM[5000]", 25, "5000"),
        ("KM[1e300]", 361, ""),
    ] {
        let error = terms_of(properties).expect_err(properties);
        assert_eq!(error.points, points, "{properties}");
        assert!(error.found.starts_with(found) && error.to_string().contains("half points"), "{error}");
    }
}

#[test]
fn what_the_user_names_wins_and_needs_no_assumption() {
    let given = Given { rules: Some(Rules::TROMP_TAYLOR), komi: Some(Komi(11)) };
    for properties in ["KM[7.3]", "KM[650]RU[Japanese]", ""] {
        let terms = game(&format!("(;{properties})")).terms(given, Otherwise::default());
        let terms = terms.expect(properties);
        assert_eq!((terms.rules, terms.komi), (Rules::TROMP_TAYLOR, Komi(11)), "{properties}");
        let said = usize::from(properties.contains("RU"));
        assert_eq!(terms.assumed.len(), said, "only that the record has other rules: {terms:?}");
    }
}

#[test]
fn a_record_that_says_nothing_gets_what_it_gets_otherwise_and_that_is_said() {
    let otherwise = Otherwise { rules: Rules::TROMP_TAYLOR, komi: Komi(1) };
    let terms = game("(;SZ[9])").terms(Given::default(), otherwise).unwrap();
    assert_eq!((terms.rules, terms.komi), (Rules::TROMP_TAYLOR, Komi(1)));
    assert!(terms.assumed.iter().any(|line| line.contains("no komi")), "{terms:?}");
}

#[test]
fn rules_are_known_by_the_names_that_servers_write() {
    let rules = |text: &str| game(&format!("(;RU[{text}])")).known_rules();
    assert_eq!(rules("Chinese"), Some(Rules::CHINESE));
    assert_eq!(rules("chinese "), Some(Rules::CHINESE));
    assert_eq!(rules("Tromp-Taylor"), Some(Rules::TROMP_TAYLOR));
    assert_eq!(rules("NZ"), Some(Rules::NEW_ZEALAND));
    assert_eq!(rules("New Zealand"), rules("NZ"));
    assert_eq!(rules("AGA"), Some(Rules::AGA));
    assert_eq!(rules("ko=simple,suicide=yes"), Some(Rules::customary(KoRule::Simple, true, Scoring::Area)));
    for territory in ["Japanese", "JP", "japanese ", "korean"] {
        assert_eq!(rules(territory), Some(Rules::JAPANESE), "{territory}");
    }
    assert_eq!(rules("GOE"), rules("NZ"));
    assert_eq!(rules("koPOSITIONALscoreAREAtaxNONEsui1"), Some(Rules::TROMP_TAYLOR));
    assert_eq!(rules("koSIMPLEscoreTERRITORYsui0"), Some(Rules::JAPANESE));
    for other in ["Lasker", "", "koscore", "koNONEscoreAREAtaxNONEsui0"] {
        assert_eq!(rules(other), None, "{other}");
    }
}

#[test]
fn rules_that_count_territory_are_searched_as_area_which_is_said_once() {
    let terms = terms("RU[Japanese]KM[6.5]");
    assert_eq!((terms.rules, terms.komi), (Rules::JAPANESE, Komi(13)));
    assert_eq!(terms.assumed, [sgf::terms::TERRITORY]);
}

#[test]
fn rules_that_are_not_known_or_not_named_are_chinese_and_that_is_said() {
    for (properties, said) in [("RU[Lasker]KM[7]", "RU[Lasker]"), ("KM[7]", "no rules")] {
        let terms = terms(properties);
        assert_eq!((terms.rules, terms.assumed.len()), (Rules::CHINESE, 1), "{terms:?}");
        assert!(terms.assumed[0].contains(said) && terms.assumed[0].contains("chinese"), "{terms:?}");
    }
}

#[test]
fn white_is_compensated_for_handicap_stones_as_the_record_s_rules_have_it() {
    let compensation =
        |properties: &str| terms(&format!("KM[0.5]AB[dd][pp][dp][pd]{properties}")).compensation();
    assert_eq!(compensation("HA[4]RU[Chinese]"), Komi(8));
    assert_eq!(compensation("HA[4]RU[AGA]"), Komi(6));
    for none in ["HA[4]RU[Japanese]", "HA[4]RU[NZ]", "HA[4]", "HA[1]RU[Chinese]", "RU[Chinese]"] {
        assert_eq!(compensation(none), Komi(0), "{none}");
    }
    let text = "(;SZ[5]KM[0.5]HA[4]RU[Chinese]AB[bb][db][bd][dd];W[cc];AB[aa];B[ab])";
    let terms = game(text).terms(Given::default(), Otherwise::default()).unwrap();
    assert!(terms.assumed[0].contains("4 points for White"), "{terms:?}");
    let record = game(text);
    let steps = record.steps(terms.rules, terms.komi).unwrap().with_handicap(terms.handicap);
    for step in steps {
        let position = step.unwrap().position;
        assert_eq!((position.komi(), position.area_komi()), (Komi(1), Komi(9)));
    }
}

/// Black takes a ko and White takes it back after a pass of each.
const REPEATED: &str = "SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb];B[ee]";

#[test]
fn a_repetition_is_played_where_the_rules_were_only_assumed() {
    for (named, lines) in [("", 3), ("RU[Lasker]", 3), ("RU[Chinese]", 1)] {
        let record = game(&format!("(;{named}{REPEATED})"));
        let terms = record.terms(Given::default(), Otherwise::default()).expect("terms");
        assert_eq!(terms.assumed.len(), lines, "{terms:?}");
        let is_assumed = named != "RU[Chinese]";
        assert_eq!(terms.rules.ko == KoRule::Simple, is_assumed, "{named}");
        assert_eq!(
            terms.assumed.iter().any(|line| line == "move 4 repeats a position: ko=simple"),
            is_assumed
        );
        let end = record.final_position(terms.rules, terms.komi).map(|_| ());
        assert_eq!(end.is_ok(), is_assumed, "{named}");
        let Err(error) = end else { continue };
        assert!(error.to_string().ends_with("up to turn 3; choose rules with ko=simple if it was played so"));
    }
    let given = Given { rules: Some(Rules::CHINESE), komi: None };
    let terms = game(&format!("(;{REPEATED})")).terms(given, Otherwise::default()).expect("terms");
    assert_eq!(terms.rules, Rules::CHINESE, "what the user names is kept");
}
