//! Agreement with sgfmill on each file of `manifest.csv`.

use super::*;
use sha1::{Digest, Sha1};
use std::path::{Path, PathBuf};

/// The manifest's row of one file. Fields are empty if sgfmill could not read the file.
struct Row {
    fields: std::collections::HashMap<String, String>,
}

impl Row {
    fn get(&self, field: &str) -> &str {
        &self.fields[field]
    }

    fn number(&self, field: &str) -> usize {
        self.get(field).parse().unwrap_or_else(|_| panic!("{}: {field}", self.get("file")))
    }

    fn read(&self) -> (Vec<GameRecord>, Option<SgfError>) {
        let bytes = std::fs::read(directory().join(self.get("file"))).expect("a file of the manifest");
        let (collection, error) = sgf::read_prefix(&bytes);
        (collection.games, error)
    }

    /// Returns the game that the row describes.
    fn first_game(&self) -> GameRecord {
        let (mut games, error) = self.read();
        assert!(!games.is_empty(), "{}: {error:?}", self.get("file"));
        games.swap_remove(0)
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/testdata/sgf")
}

/// Returns all rows; none if the test data is absent.
fn rows() -> Vec<Row> {
    let Ok(mut reader) = csv::Reader::from_path(directory().join("manifest.csv")) else {
        println!("skipped: ../shared/testdata is absent");
        return Vec::new();
    };
    reader.deserialize().map(|fields| Row { fields: fields.expect("a row") }).collect()
}

/// A board of any size with captures as its only rule.
struct NaiveBoard {
    columns: usize,
    stones: Vec<Option<Player>>,
}

impl NaiveBoard {
    fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let (columns, points, column) = (self.columns, self.stones.len(), at % self.columns);
        [
            (column > 0).then(|| at.wrapping_sub(1)),
            (column + 1 < columns).then_some(at + 1),
            at.checked_sub(columns),
            Some(at + columns).filter(|&below| below < points),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the chain at `at` if it has no liberty.
    fn captured(&self, at: usize) -> Option<Vec<usize>> {
        let mut chain = vec![at];
        let mut next = 0;
        while next < chain.len() {
            for neighbour in self.neighbours(chain[next]) {
                let stone = self.stones[neighbour]?;
                if Some(stone) == self.stones[at] && !chain.contains(&neighbour) {
                    chain.push(neighbour);
                }
            }
            next += 1;
        }
        Some(chain)
    }

    /// Plays a stone; returns `false` on an occupied point, the only move that sgfmill refuses.
    fn play(&mut self, player: Player, at: usize) -> bool {
        if self.stones[at].is_some() {
            return false;
        }
        self.stones[at] = Some(player);
        let others: Vec<usize> =
            self.neighbours(at).filter(|&n| self.stones[n] == Some(player.other())).collect();
        for chain in others.into_iter().chain([at]) {
            if self.stones[chain].is_some() {
                for stone in self.captured(chain).unwrap_or_default() {
                    self.stones[stone] = None;
                }
            }
        }
        true
    }

    /// Plays a record to its end or to the first move that sgfmill refuses.
    fn of(record: &GameRecord) -> (NaiveBoard, bool) {
        let (columns, rows) = (usize::from(record.columns), usize::from(record.rows));
        let mut board = NaiveBoard { columns, stones: vec![None; columns * rows] };
        let index = |p: RecordPoint| (rows - 1 - usize::from(p.row)) * columns + usize::from(p.column);
        for node in &record.nodes {
            for &(player, point) in node.setup() {
                board.stones[index(point)] = player;
            }
            for (player, place) in node.moves.iter() {
                let played = match place {
                    RecordMove::Pass => true,
                    RecordMove::Point(point) => board.play(*player, index(*point)),
                    RecordMove::Unreadable(_) => false,
                };
                if !played {
                    return (board, false);
                }
            }
        }
        (board, true)
    }

    fn text(&self) -> String {
        let symbol = |stone: &Option<Player>| match stone {
            None => '.',
            Some(Player::Black) => 'X',
            Some(Player::White) => 'O',
        };
        self.stones.iter().map(symbol).collect()
    }
}

fn check_board(row: &Row, text: &str) {
    let hash = Sha1::digest(text.as_bytes());
    let digits: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let count = |symbol| text.chars().filter(|&c| c == symbol).count();
    assert_eq!(
        (count('X'), count('O'), digits.as_str()),
        (row.number("final_black"), row.number("final_white"), row.get("final_board_sha1")),
        "{}",
        row.get("file")
    );
}

#[test]
fn what_sgfmill_reads_we_read_alike() {
    for row in rows().iter().filter(|row| row.get("parse") == "ok") {
        let file = row.get("file");
        let game = row.first_game();
        let passes = game.moves().filter(|(_, place)| *place == RecordMove::Pass).count();
        for (field, ours) in [
            ("size", usize::from(game.columns)),
            ("size", usize::from(game.rows)),
            ("mainline_nodes", game.nodes.len()),
            ("mainline_moves", game.move_count()),
            ("passes", passes),
            ("total_nodes", game.total_nodes),
            ("forks", game.forks),
        ] {
            assert_eq!(ours, row.number(field), "{file}: {field}");
        }
        // sgfmill reads the komi of the first node only, and returns 0 without one.
        let (komi, handicap) = (row.get("komi").parse::<f64>().unwrap(), row.get("handicap"));
        assert!(komi == 0.0 || game.komi == Some(komi), "{file}: {:?}", game.komi);
        let ours = game.handicap.map_or(String::new(), |stones| stones.to_string());
        assert!(handicap.is_empty() || ours == handicap, "{file}: {ours}");
    }
}

#[test]
fn files_hold_as_many_games_as_sgfmill_says() {
    for row in rows().iter().filter(|row| row.get("parse") == "ok") {
        let (games, error) = row.read();
        // The manifest has no number if the first game is whole but sgfmill refuses the file because of a later one.
        let number = row.get("n_games").parse().ok();
        assert_eq!(error.is_none().then_some(games.len()), number, "{}: {error:?}", row.get("file"));
    }
}

/// sgfmill has no ko rule and removes suicides, so it plays every move that the most permissive rules here allow.
#[test]
fn boards_end_as_sgfmill_says() {
    let generous = Rules { ko: KoRule::Simple, suicide: true, ..Rules::CHINESE };
    for row in rows().iter().filter(|row| row.get("replay") == "ok") {
        let (file, record) = (row.get("file"), row.first_game());
        let (naive, whole) = NaiveBoard::of(&record);
        assert!(whole, "{file}");
        check_board(row, &naive.text());
        match record.final_position(generous, KOMI) {
            Ok(position) => check_board(row, &text(&position)),
            Err(error) => {
                let too_large = record.columns > 19 || record.rows > 19;
                assert!(too_large && matches!(error, ReplayError::Size(_)), "{file}: {error}");
            }
        }
    }
}

#[test]
fn stricter_rules_forbid_only_suicide_and_superko_and_play_them_too() {
    for row in rows().iter().filter(|row| row.get("replay") == "ok") {
        let (file, record) = (row.get("file"), row.first_game());
        let Ok(position) = record.final_position(Rules::CHINESE, KOMI) else { continue };
        check_board(row, &text(&position));
        for (turn, _, _, reason) in record.illegal_moves(Rules::CHINESE) {
            assert!(
                matches!(reason, IllegalMove::Suicide | IllegalMove::Superko),
                "{file}: move {turn}: {reason}"
            );
        }
    }
}

/// Occupied points, points off the board, setup without liberties, and a game that is not Go.
#[test]
fn what_sgfmill_cannot_replay_is_an_error_or_played_on_a_stone() {
    for row in rows().iter().filter(|row| row.get("parse") == "ok" && row.get("replay") != "ok") {
        let record = row.first_game();
        if record.final_position(RULES, KOMI).is_ok() {
            let illegal = record.illegal_moves(RULES);
            let is_on_a_stone = illegal.iter().any(|(.., reason)| *reason == IllegalMove::Occupied);
            assert!(is_on_a_stone, "{}", row.get("file"));
        }
    }
}

/// Rectangles, UTF-16 and games in a guessed charset are read here, though not by sgfmill.
#[test]
fn what_sgfmill_cannot_parse_is_an_error_unless_we_know_better() {
    for row in rows().iter().filter(|row| row.get("parse") != "ok") {
        let (file, reason) = (row.get("file"), row.get("error"));
        let start = std::fs::read(directory().join(file)).unwrap();
        let utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
        let rectangle = reason.contains("bad SZ property") && reason.contains(':');
        let (games, error) = row.read();
        if utf16 || rectangle || reason.contains("unknown encoding") {
            assert_eq!((games.len(), &error), (1, &None), "{file}");
            let position = games[0].final_position(RULES, KOMI).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(text(&position), NaiveBoard::of(&games[0]).0.text(), "{file}");
        } else {
            assert!(error.is_some(), "{file}");
        }
    }
}

/// Returns `.XO`, rows from the top.
fn text(position: &Position) -> String {
    drawing(position).replace('/', "")
}

/// Any file with a game can be analysed; damage and assumptions are reported.
#[test]
fn every_file_that_has_a_node_has_games_with_terms() {
    for row in &rows() {
        let file = row.get("file");
        let bytes = std::fs::read(directory().join(file)).expect("a file of the manifest");
        let games = match sgf::read_damaged(&bytes) {
            Ok(collection) => collection.games,
            Err(error) => {
                assert_ne!(row.get("parse"), "ok", "{file}: {error}");
                println!("{file}: {error}");
                continue;
            }
        };
        if let Ok(number) = row.get("n_games").parse::<usize>() {
            assert_eq!(games.len(), number, "{file}");
        }
        for game in &games {
            let terms = game.terms(ChosenTerms::default(), DefaultTerms::default());
            let terms = terms.unwrap_or_else(|error| panic!("{file}: {error}"));
            let komi = terms.komi.points();
            match game.komi {
                Some(written) if written.abs() >= 100.0 => assert_eq!(komi, written / 100.0, "{file}"),
                Some(written) => assert_eq!(komi, written, "{file}"),
                None if game.handicap_stones() >= 2 => assert_eq!(komi, 0.5, "{file}"),
                None if terms.rules == Rules::JAPANESE => assert_eq!(komi, 6.5, "{file}"),
                None => assert_eq!(komi, 7.5, "{file}"),
            }
            if game.komi != Some(komi) || game.known_rules().is_none() {
                assert!(!terms.assumed.is_empty(), "{file}");
            }
        }
    }
}

/// Files that were cut off, or lost bytes, keep the moves before the damage, with a warning.
#[test]
fn damaged_files_keep_their_moves_up_to_the_damage() {
    for row in &rows() {
        let file = row.get("file");
        if !file.contains(".trunc") && !file.contains(".bitrot") {
            continue;
        }
        let bytes = std::fs::read(directory().join(file)).expect("a file of the manifest");
        let collection = match sgf::read_damaged(&bytes) {
            Ok(collection) => collection,
            // One file was cut off within its first property.
            Err(error) => {
                assert!(bytes.len() < 10, "{file}: {error}");
                continue;
            }
        };
        let warned = collection.games.iter().any(|game| !game.warnings.is_empty());
        assert_eq!(warned, sgf::read(&bytes).is_err(), "{file}");
        println!(
            "{file}: {} games, the first of {} moves",
            collection.games.len(),
            collection.games[0].move_count()
        );
    }
}
