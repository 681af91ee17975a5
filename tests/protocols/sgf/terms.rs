//! Rules and komi of a record: interpretation, and the list of assumptions.

use super::*;
use tewari::base::game::Move;
use tewari::go::Record;
use tewari::records::sgf::{Terms, UnusableKomi};

fn terms_of(properties: &str) -> Result<Terms, UnusableKomi> {
    game(&format!("(;{properties})")).terms(ChosenTerms::default(), DefaultTerms::default())
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
        let text = tewari::records::sgf::write_record(&Record::new(size, Rules::CHINESE, given));
        let terms = game(&text).terms(ChosenTerms::default(), DefaultTerms::default()).expect("a komi");
        assert_eq!((terms.komi, terms.assumed.as_slice()), (given, &[][..]), "{text}");
    }
    // Another program changed the record.
    assert_eq!(komi("AP[Tewari:0.1.0]AP[other]KM[650]"), 6.5);
}

#[test]
fn units_after_a_komi_are_read() {
    for (written, points) in [
        ("5.5目", 5.5),
        ("6目半", 6.5),
        ("六目半", 6.5),
        ("3.75子", 7.5),
        ("7 points", 7.0),
        ("0.5点", 0.5),
        ("3又3/4子", 7.5),
        ("2 又 3/4 子", 5.5),
        ("三又四分之三子", 7.5),
        ("三又3/4子", 7.5),
        ("3又1/2目", 3.5),
        ("十目", 10.0),
        ("两子", 4.0),
    ] {
        let terms = terms(&format!("CA[UTF-8]RU[Chinese]KM[{written}]"));
        assert_eq!((terms.komi.points(), terms.assumed.as_slice()), (points, &[][..]), "{written}");
    }
}

#[test]
fn numerals_and_units_of_a_handicap_are_read() {
    let written = [
        ("9", 9),
        ("九子", 9),
        ("九", 9),
        ("两子", 2),
        ("2子", 2),
        ("十三子", 13),
        ("4 stones", 4),
        ("二十", 20),
    ];
    for (written, stones) in written {
        let record = game(&format!("(;CA[UTF-8]HA[{written}];W[aa])"));
        assert_eq!(record.handicap, Some(stones), "{written}");
    }
    for (property, unreadable) in
        [("HA", "子"), ("HA", "九九"), ("HA", "多"), ("KM", "3又4/3子"), ("KM", "3又0/0子")]
    {
        let record = game(&format!("(;CA[UTF-8]{property}[{unreadable}];W[aa])"));
        assert!(record.warnings[0].contains("expected a number"), "{:?}", record.warnings);
        assert_eq!((record.handicap, record.komi), (None, None), "{unreadable}");
    }
}

#[test]
fn the_usual_komi_is_read_on_tiny_boards() {
    assert_eq!(komi("SZ[2]KM[6.5]"), 6.5);
    assert!(terms_of("SZ[2]KM[40]").is_err());
}

#[test]
fn komi_in_katago_s_form_of_rules_is_that_of_a_record_without_km() {
    let rules = "RU[koSIMPLEscoreAREAtaxNONEsui0komi5.5]";
    assert_eq!(komi(rules), 5.5);
    assert_eq!(komi(&format!("{rules}KM[6.5]")), 6.5);
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
    assert_eq!(komi(&format!("KM[0]HA[0]RU[Japanese]{fox}")), 6.5);
    assert_eq!(komi("KM[0]HA[0]RU[Chinese]AP[GNU Go:3.8]GN[]"), 7.5, "an older record of Fox");
    assert!(terms(&format!("KM[0]RU[Chinese]{fox}")).assumed[0].contains("implausible"));
    for kept in
        ["RU[Chinese]HA[3]AP[foxwq]", "RU[Chinese]AP[CGoban:3]", "RU[Chinese]", "RU[Japanese]AP[GNU Go:3.8]"]
    {
        assert_eq!(komi(&format!("KM[0]{kept}")), 0.0, "{kept}");
    }
}

#[test]
fn a_game_of_fox_with_a_handicap_has_no_komi_of_an_even_game() {
    for rules in ["Chinese", "Japanese"] {
        for (properties, points) in [
            ("KM[0]HA[1];B[pd];W[dd]", 0.0),
            ("KM[375]HA[1];B[pd];W[dd]", 0.0),
            ("KM[0]HA[2]AB[pd][dp];W[dd]", 0.0),
            ("KM[50]HA[2]AB[pd][dp];W[dd]", 0.5),
            ("KM[650]HA[2]AB[pd][dp];W[dd]", 0.0),
            ("KM[375]HA[0];B[pd];B[dp];W[dd]", 0.0),
            ("KM[650]HA[0];B[pd];W[dd]", 6.5),
            ("KM[750];B[pd];W[dd]", 7.5),
            ("KM[375];B[pd];W[dd]", 7.5),
        ] {
            let terms = terms(&format!("RU[{rules}]AP[GNU Go:3.8]AP[foxwq]{properties}"));
            assert_eq!(terms.komi.points(), points, "{rules} {properties}");
            let is_as_written = properties.starts_with("KM[0]HA[2]");
            assert!(is_as_written || terms.assumed.iter().any(|line| line.contains("KM[")), "{terms:?}");
        }
    }
    assert_eq!(komi("RU[Chinese]KM[50]"), 50.0, "of other sources as it is");
}

#[test]
fn a_missing_komi_is_that_of_the_rules_and_said() {
    for (properties, points) in [
        ("RU[Japanese]", 6.5),
        ("RU[Korean]", 6.5),
        ("RU[日本]", 6.5),
        ("RU[Chinese]", 7.5),
        ("RU[AGA]", 7.5),
        ("", 7.5),
        ("RU[Japanese]KM[]", 6.5),
        ("RU[Japanese]HA[2]AB[dd][pp];W[dp]", 0.5),
        ("RU[Chinese];B[dd];B[pp];W[dp]", 0.5),
    ] {
        let terms = terms(properties);
        assert_eq!(terms.komi.points(), points, "{properties}");
        assert!(terms.assumed.iter().any(|line| line.contains("no komi in the record")), "{terms:?}");
    }
}

#[test]
fn a_number_in_ko_is_the_komi_where_the_record_has_no_other() {
    for (properties, points) in
        [("KO[7.5]", 7.5), ("KO[3.75]", 7.5), ("KO[6.5]KM[5.5]", 5.5), ("KO[]", 7.5), ("KO[no]", 7.5)]
    {
        let terms = terms(properties);
        assert_eq!(terms.komi.points(), points, "{properties}");
        let is_from_ko = terms.assumed.iter().any(|line| line.contains("is read as the komi"));
        assert_eq!(is_from_ko, properties == "KO[7.5]" || properties == "KO[3.75]", "{terms:?}");
    }
}

#[test]
fn moves_of_black_before_white_s_first_stone_are_a_handicap() {
    for (moves, stones) in [
        (";B[aa];B[bb];W[cc]", 2),
        (";B[aa];W[];B[bb];W[];B[dd];W[cc];B[ee]", 3),
        (";B[aa];W[tt];B[bb];W[cc]", 2),
        ("HA[0];B[aa];B[bb];B[cc];B[dd];W[ee]", 4),
        ("HA[3];B[aa];W[];B[bb];W[];B[dd];W[cc]", 3),
        (";B[aa]B[bb];W[cc]", 2),
        ("AB[aa][bb];W[cc]", 2),
        ("AB[aa][bb];B[cc];W[dd]", 0),
        ("AB[aa][bb]PL[W]", 2),
        ("AB[aa][bb];PL[B];PL[W]", 2),
        ("AB[aa][bb]PL[B]", 0),
        ("AB[aa][bb]", 0),
        ("AB[aa][bb]PL[W];B[cc];W[dd]", 0),
        ("AB[aa][bb]AW[cc]PL[W]", 0),
        ("AB[aa][bb]AW[cc];W[dd]", 0),
        (";B[aa];W[cc];B[bb];B[dd]", 0),
        (";B[aa];B[bb];W[cc];W[dd]", 0),
        (";B[aa];W[cc]", 0),
        ("HA[1];B[aa];W[cc]", 0),
    ] {
        let terms = terms(&format!("SZ[9]KM[0.5]RU[Chinese]{moves}"));
        assert_eq!((terms.handicap, terms.compensation()), (stones, Komi(2 * stones as i32)), "{moves}");
        let is_said = terms.assumed.iter().any(|line| line.contains(&format!("a handicap of {stones}")));
        assert_eq!(is_said, stones > 0 && !moves.contains("AB"), "{terms:?}");
    }
}

#[test]
fn white_is_compensated_for_stones_on_the_board_whatever_number_ha_states() {
    for (properties, stones) in [
        ("HA[4];B[dd];W[ff]", 0),
        ("HA[4]AB[dd];W[ff]", 0),
        ("HA[4]AB[dd][ee];W[ff]", 2),
        ("HA[4]AB[dd][ee];B[cc];W[ff]", 2),
        ("HA[4]AB[dd][ee];B[cc];B[gg];W[ff]", 4),
        ("HA[2]AB[dd][ee];B[cc];W[ff]", 2),
        ("HA[2]AB[dd];B[cc];W[ff]", 2),
        ("HA[4];B[dd];B[ee];W[ff]", 2),
        ("HA[4];B[dd];B[ee];W[ff];W[gg]", 0),
        ("HA[2];B[dd];B[ee];W[ff];W[gg]", 2),
        ("HA[4];W[ff]", 0),
        ("HA[2]AB[dd][ee][cc]AW[ff];W[gg]", 2),
        ("HA[4]AB[dd][ee][cc]AW[ff];W[gg]", 0),
    ] {
        let terms = terms(&format!("SZ[9]KM[0.5]RU[Chinese]{properties}"));
        assert_eq!((terms.handicap, terms.compensation()), (stones, Komi(2 * stones as i32)), "{properties}");
    }
}

#[test]
fn a_handicap_without_stones_is_placed_as_its_source_does_or_said_to_be_missing() {
    let board = |text: &str| {
        let record = game(text);
        let start = record.position_after(0, Rules::CHINESE, Komi(0)).expect("a position");
        let size = start.size();
        let is_black = |mv: &Move| {
            let point = start.board().geometry().point_of(*mv);
            point.and_then(|point| start.board().stone_at(point)) == Some(Player::Black)
        };
        let mut stones: Vec<String> =
            (0..size.points() as u16).map(Move).filter(is_black).map(|mv| size.vertex(mv)).collect();
        stones.sort();
        (stones.join(" "), record.warnings.join("\n"))
    };
    let fox = "AP[GNU Go:3.8]AP[foxwq]";
    for (properties, stones) in [
        ("SZ[19]HA[2];W[dd]", "D4 Q16"),
        ("SZ[19]HA[3];W[cf]", "D16 D4 Q16"),
        ("SZ[19]HA[6]DT[2020-07-20];W[cf]", "D10 D16 D4 Q10 Q16 Q4"),
        ("SZ[19]HA[6]DT[2016-07-20];W[cf]", "D16 D4 K16 K4 Q16 Q4"),
        ("SZ[19]HA[9];W[cf]", "D10 D16 D4 K10 K16 K4 Q10 Q16 Q4"),
        ("SZ[9]HA[2];W[cc]", "C3 G7"),
    ] {
        let (found, warnings) = board(&format!("(;{fox}{properties})"));
        assert_eq!(found, stones, "{properties}");
        assert!(warnings.contains("HA[") && warnings.contains("as Fox does"), "{warnings}");
    }
    for properties in [
        "SZ[19]HA[7]KM[0];W[qf];B[nc]",
        "SZ[19]HA[2]AP[CGoban:3];W[dd]",
        "SZ[19]HA[10]AP[foxwq];W[dd]",
        "SZ[5]HA[2]AP[foxwq];W[dd]",
        // Moves are on the points where Fox places stones.
        "SZ[19]HA[2]AP[foxwq];W[dd];B[pd]",
    ] {
        let (found, warnings) = board(&format!("(;{properties})"));
        assert_eq!(found, "", "{properties}");
        assert!(warnings.contains("HA[") && warnings.contains("found none"), "{warnings}");
        let terms = terms(&format!("RU[Chinese]{properties}"));
        assert_eq!(terms.compensation(), Komi(0), "{properties}");
    }
    let (_, warnings) = board("(;SZ[9]HA[4]AB[cc][gg][cg];W[ee])");
    assert!(warnings.contains("HA[4]: expected 4 handicap stones, found 3"), "{warnings}");
    for whole in ["(;SZ[9]HA[2]AB[cc][gg];W[ee])", "(;SZ[9]HA[2];B[cc];B[gg];W[ee])", "(;SZ[9]HA[1];B[cc])"] {
        assert_eq!(board(whole).1, "", "{whole}");
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
    let given = ChosenTerms { rules: Some(Rules::TROMP_TAYLOR), komi: Some(Komi(11)) };
    for properties in ["KM[7.3]", "KM[650]RU[Japanese]", ""] {
        let terms = game(&format!("(;{properties})")).terms(given, DefaultTerms::default());
        let terms = terms.expect(properties);
        assert_eq!((terms.rules, terms.komi), (Rules::TROMP_TAYLOR, Komi(11)), "{properties}");
        let said = usize::from(properties.contains("RU"));
        assert_eq!(terms.assumed.len(), said, "only that the record has other rules: {terms:?}");
    }
}

#[test]
fn a_record_that_says_nothing_gets_what_it_gets_otherwise_and_that_is_said() {
    let otherwise = DefaultTerms { rules: Rules::TROMP_TAYLOR, komi: Komi(1) };
    let terms = game("(;SZ[9])").terms(ChosenTerms::default(), otherwise).unwrap();
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
    let without_agreement = rules("koPOSITIONALscoreAREAtaxNONEsui0whbN");
    assert_eq!(without_agreement, Some(Rules { removes_dead: false, ..Rules::CHINESE }), "no fpok");
    assert_eq!(rules("koSIMPLEscoreTERRITORYsui0"), Some(Rules::JAPANESE));
    assert_eq!(rules("koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1komi7.5"), Some(Rules::CHINESE));
    for (named, expected) in [
        (
            Rules::JAPANESE,
            &[
                "Japanese Rules",
                "japanese rules",
                "jp",
                "JPN",
                "日本",
                "日本规则",
                "日本規則",
                "日本ルール",
                "일본룰",
                "Korean rules",
                "한국",
                "韩国规则",
                "Korean Rule",
                "Japanese, 6.5",
                "territory scoring",
            ][..],
        ),
        (
            Rules::CHINESE,
            &[
                "Chinese Rules",
                "Chinese rule",
                "cn",
                "中国规则",
                "中國規則",
                "中国",
                "중국룰",
                "Chinese, 7.5",
                "chinese:7.5",
                "Chinese (KGS)",
                "Area Scoring",
                "chinese-rules",
                "CHINESE_RULES",
            ],
        ),
        (Rules::AGA, &["AGA rules", "AGA Rules", "BGA", "French"]),
        (
            Rules::NEW_ZEALAND,
            &["New Zealand rules", "NewZealand", "Ing's rules", "GOE", "应氏规则", "Ing Rules"],
        ),
        (Rules::TROMP_TAYLOR, &["Tromp-Taylor Rules", "tromp taylor", "TrompTaylor"]),
    ] {
        for text in expected {
            assert_eq!(rules(text), Some(named), "{text}");
        }
    }
    let taxed = terms("RU[koPOSITIONALscoreAREAtaxALLsui1]KM[7]");
    assert_eq!(taxed.rules, Rules::TROMP_TAYLOR);
    assert!(taxed.assumed[0].contains("tax: expected NONE"), "{taxed:?}");
    for other in ["Lasker", "", "koscore", "koNONEscoreAREAtaxNONEsui0"] {
        assert_eq!(rules(other), None, "{other}");
    }
}

#[test]
fn rules_that_count_territory_are_searched_as_area_which_is_said_once() {
    let terms = terms("RU[Japanese]KM[6.5]");
    assert_eq!((terms.rules, terms.komi), (Rules::JAPANESE, Komi(13)));
    assert_eq!(terms.assumed, [sgf::terms::TERRITORY_NOTE]);
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
    let terms = game(text).terms(ChosenTerms::default(), DefaultTerms::default()).unwrap();
    assert!(terms.assumed[0].contains("4 points for White"), "{terms:?}");
    let record = game(text);
    let steps = record.steps(terms.rules, terms.komi).unwrap().with_handicap(terms.handicap);
    for step in steps {
        let position = step.unwrap().position;
        assert_eq!((position.komi(), position.area_komi()), (Komi(1), Komi(9)));
    }
}

/// Black captures a ko, and White recaptures after a pass by each player.
const REPEATED: &str = "SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[];B[];W[bb];B[ee]";

#[test]
fn a_repetition_is_played_where_the_rules_were_only_assumed() {
    for (named, lines) in [("", 3), ("RU[Lasker]", 3), ("RU[Chinese]", 2)] {
        let record = game(&format!("(;{named}{REPEATED})"));
        let terms = record.terms(ChosenTerms::default(), DefaultTerms::default()).expect("terms");
        assert_eq!(terms.assumed.len(), lines, "{terms:?}");
        let is_assumed = named != "RU[Chinese]";
        assert_eq!(terms.rules.ko == KoRule::Simple, is_assumed, "{named}");
        assert_eq!(
            terms
                .assumed
                .iter()
                .any(|line| line == "move 4 repeats a position: played without superko (ko=simple)"),
            is_assumed
        );
        let is_said =
            terms.assumed.iter().any(|line| line.starts_with("move 4, white B4, repeats a position"));
        assert_eq!(is_said, !is_assumed, "{terms:?}");
        assert!(record.final_position(terms.rules, terms.komi).is_ok(), "{named}");
    }
    let given = ChosenTerms { rules: Some(Rules::CHINESE), komi: None };
    let terms = game(&format!("(;{REPEATED})")).terms(given, DefaultTerms::default()).expect("terms");
    assert_eq!(terms.rules, Rules::CHINESE, "what the user names is kept");
}
