//! The reviewed record: the original with additions.

use super::{GAME, directory, file, review, run};
use crate::common;
use tewari::records::sgf;

#[test]
fn everything_of_the_original_is_kept_and_mistakes_have_marks_and_variations() {
    let directory = directory();
    let text = review(&[&file(&directory, "game.sgf", GAME), "--format", "sgf"]);
    for kept in ["PB[Ann]", "BR[3k]", "RE[B+R]", "DT[2026-11-01]", "a first comment", "C[why here?\n\nBlack "]
    {
        assert!(text.contains(kept), "no {kept:?} in {text}");
    }
    let games = sgf::read(text.as_bytes()).expect("a record").games;
    let original = sgf::read(GAME.as_bytes()).expect("a record").games;
    let moves = |record: &sgf::GameRecord| record.moves().cloned().collect::<Vec<_>>();
    assert_eq!(moves(&games[0]), moves(&original[0]));
    assert!(games[0].forks > 0, "variations: {text}");
    assert_eq!(text.matches("SBKV[").count(), original[0].nodes.len());
    assert!(text.contains("BM[") && text.contains("TR[") && text.contains("Instead of"), "{text}");
    assert!(games[0].nodes[0].comment().is_some_and(|it| it.contains("Black won by resignation.")));
}

#[test]
fn a_margin_is_in_the_unit_of_the_komi() {
    let directory = directory();
    for (properties, words) in [
        ("KM[3.75]RE[W+1.25]", "White won by 2.5 points (1.25 stones)."),
        ("KM[375]RE[B+0.75]", "Black won by 1.5 points (0.75 stones)."),
        ("KM[350]RE[B+2]AP[foxwq]", "Black won by 4 points (2 stones)."),
        ("KM[7.5]RE[W+2.5]", "White won by 2.5 points."),
        ("KM[650]RE[W+2.5]", "White won by 2.5 points."),
    ] {
        let game = format!("(;SZ[5]RU[Chinese]{properties};B[cc];W[bb])");
        let options = ["--simulations", "10", "--table-size", "4MiB"];
        let run = run(&[&[file(&directory, "game.sgf", game).as_str()], &options[..]].concat());
        assert!(run.output.contains(words), "{properties}: {} {}", run.output, run.errors);
    }
}

#[test]
fn a_second_review_replaces_the_win_rates_of_the_first() {
    let directory = directory();
    let once = review(&[&file(&directory, "game.sgf", GAME), "--format", "sgf"]);
    let twice = review(&[&file(&directory, "again.sgf", &once), "--format", "sgf"]);
    assert_eq!(twice.matches("SBKV[").count(), once.matches("SBKV[").count());
    assert_eq!(
        twice.matches("BM[").count() + twice.matches("DO[").count(),
        once.matches("BM[").count() + once.matches("DO[").count()
    );
}

#[test]
fn handicap_stones_that_fox_leaves_out_are_written() {
    let directory = directory();
    let game = "(;GM[1]FF[4]SZ[9]KM[0]HA[2]RU[Chinese]AP[foxwq];W[ee];B[cc])";
    // Assumptions about the handicap are printed as errors.
    let reviewed = |text: &str| {
        run(&[
            &file(&directory, "game.sgf", text),
            "--format",
            "sgf",
            "--simulations",
            "60",
            "--table-size",
            "4MiB",
        ])
        .output
    };
    let once = reviewed(game);
    for text in [&once, &reviewed(&once)] {
        assert!(text.contains("AB[cg][gc]"), "{text}");
        assert_eq!(text.matches("AB[").count(), 1, "{text}");
    }
    for (other, stones) in [(game.replace("HA[2]", "HA[2]AB[cg][gc]"), 1), (game.replace("AP[foxwq]", ""), 0)]
    {
        assert_eq!(reviewed(&other).matches("AB[").count(), stones, "{other}");
    }
}

#[test]
fn a_collection_stays_one_and_other_charsets_become_utf_8() {
    let directory = directory();
    let mut bytes = b"(;CA[GBK]SZ[5]PB[".to_vec();
    bytes.extend([0xce, 0xe2, 0xc7, 0xe5]);
    bytes.extend(b"];B[cc])(;SZ[5]PB[second];B[bb])");
    let text = review(&[&file(&directory, "games.sgf", bytes), "--format", "sgf"]);
    let collection = sgf::read(text.as_bytes()).expect("records");
    assert_eq!(collection.charset, "UTF-8");
    let names: Vec<Option<&str>> = collection.games.iter().map(|game| game.names[0].as_deref()).collect();
    assert_eq!(names, [Some("吴清"), Some("second")]);
}

#[test]
fn records_of_many_programs_keep_their_main_line_and_their_variations() {
    let Some(testdata) = common::testdata() else { return };
    let mut checked = 0;
    for folder in ["SabakiHQ_sgf", "mattheww_sgfmill", "otrego_clamshell", "derived_handmade"] {
        for entry in std::fs::read_dir(testdata.join("sgf/files").join(folder)).expect("a folder") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            let Ok((collection, texts)) = sgf::read_damaged_with_sources(&bytes) else { continue };
            for (number, record) in collection.games.iter().enumerate() {
                let Ok(size) = tewari::go::Size::new(record.columns.into(), record.rows.into()) else {
                    continue;
                };
                let added = sgf::Addition { comment: "added ]".to_owned(), ..sgf::Addition::default() };
                let additions = vec![added; record.nodes.len()];
                let text = sgf::annotate(texts.of(number), size, &additions);
                let (read, error) = sgf::read_prefix(text.as_bytes());
                assert_eq!(error, None, "{text}");
                assert_eq!(read.games.len(), 1);
                let without = |record: &sgf::GameRecord| {
                    let moves: Vec<_> = record.moves().cloned().collect();
                    (moves, record.nodes.iter().map(|node| node.setup().to_vec()).collect::<Vec<_>>())
                };
                assert_eq!(without(&read.games[0]), without(record), "{text}");
                let comments = read.games[0].nodes.iter().map(|node| node.comment());
                assert!(comments.flatten().all(|comment| comment.ends_with("added ]")));
                assert_eq!(read.games[0].total_nodes, record.total_nodes);
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "only {checked} games");
}

#[test]
fn a_record_with_an_unreadable_move_is_reviewed_up_to_it() {
    let directory = directory();
    let game = file(&directory, "game.sgf", "(;SZ[5];B[cc];W[bb];B[zz];W[dd])");
    let run = run(&[&game, "--format", "json", "--simulations", "20"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.output.lines().count(), 2, "{}", run.output);
    assert!(run.errors.contains("game.sgf: after move 2: line 1"), "{}", run.errors);
    assert_eq!(run.errors.lines().count(), 1);
}

#[test]
fn moves_that_place_handicap_stones_are_not_judged() {
    let directory = directory();
    for moves in [
        "HA[3];B[cc];W[];B[gg];W[];B[gc];W[ee];B[ec]",
        "HA[4];B[aa];W[];B[ia];W[];B[ai];W[];B[ii];W[ee];B[ec]",
        "HA[0];B[aa];B[ab];B[ac];W[ee];B[ec]",
    ] {
        let game = file(&directory, "game.sgf", format!("(;SZ[9]KM[0.5]RU[Chinese]{moves})"));
        let run = run(&[&game, "--format", "json", "--simulations", "50"]);
        assert_eq!(run.code, Some(0), "{}", run.errors);
        let first_of_white = moves.matches(';').count() - 1;
        let judged: Vec<usize> = run
            .output
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a row"))
            .filter(|row| !row["loss"].is_null())
            .filter_map(|row| row["move"].as_u64().map(|turn| turn as usize))
            .collect();
        assert!(judged.iter().all(|&turn| turn >= first_of_white), "{moves}: {judged:?}\n{}", run.output);
        let text = review(&[&game]);
        assert!((1..first_of_white).all(|turn| !text.contains(&format!("turned at move {turn}."))), "{text}");
    }
}

#[test]
fn no_move_is_judged_by_what_a_setup_after_it_did() {
    let directory = directory();
    // The setup removes three black stones.
    let moves = ";B[cc];W[gg];B[gc];W[cg];B[ee];AE[cc][gc][ee];W[cc];B[gc];W[ec];B[eg]";
    let game = file(&directory, "game.sgf", format!("(;SZ[9]KM[7.5]RU[Chinese]{moves})"));
    let text = review(&[&game]);
    assert!((1..=5).all(|turn| !text.contains(&format!("turned at move {turn}."))), "{text}");
    let json = review(&[&game, "--format", "json"]);
    let fifth: serde_json::Value = serde_json::from_str(json.lines().nth(4).expect("a row")).expect("JSON");
    assert!(fifth["winrate"].is_f64() && fifth["loss"].is_null(), "{fifth}");
    // The comment on the position is at the node of the setup, not at the move before it.
    let record = sgf::read(review(&[&game, "--format", "sgf"]).as_bytes()).expect("a record").games.remove(0);
    let without: Vec<usize> = (0..11).filter(|&node| record.nodes[node].comment().is_none()).collect();
    assert_eq!(without, [5]);
}
