//! The status of every chain of the positions in `tests/data/status/positions.txt` and, for a given player to move, in
//! `unsettled.txt` there, and the neutral points of those in `territory.txt`.

use std::fmt::Write;
use std::ops::Range;
use tewari::base::game::{Game, Move, Player};
use tewari::go::status::{BoardStatus, ChainStatus};
use tewari::go::{Komi, PlayoutPolicy, Position, Rules, Size};

/// A finished position with the status of its chains: `X` and `O` are alive, `B` and `W` in seki, `x` and `o` dead. Under
/// territory rules `+` is a point that does not count: neutral, or to be filled by its owner. A name that begins with a
/// colour names the player to move.
struct Diagram {
    name: String,
    rows: Vec<Vec<char>>,
}

fn diagrams(text: &str) -> Vec<Diagram> {
    let mut diagrams: Vec<Diagram> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('#') {
            diagrams.push(Diagram { name: name.trim().to_owned(), rows: Vec::new() });
        } else if !line.is_empty() {
            let row = line.chars().filter(|symbol| !symbol.is_whitespace()).collect();
            diagrams.last_mut().expect("a name before the rows").rows.push(row);
        }
    }
    diagrams.retain(|diagram| !diagram.rows.is_empty());
    diagrams
}

impl Diagram {
    /// Returns the player to move; `None` if the status is the same for both.
    fn to_play(&self, swaps_colours: bool) -> Option<Player> {
        let player = match self.name.split(' ').next()? {
            "Black" => Player::Black,
            "White" => Player::White,
            _ => return None,
        };
        Some(if swaps_colours { player.other() } else { player })
    }

    /// Returns the diagram under one of the eight symmetries, with exchanged colours if requested.
    fn turned(&self, symmetry: usize, swaps_colours: bool) -> Vec<Vec<char>> {
        let mut rows = self.rows.clone();
        if symmetry & 1 != 0 {
            rows.reverse();
        }
        if symmetry & 2 != 0 {
            rows.iter_mut().for_each(|row| row.reverse());
        }
        if symmetry & 4 != 0 {
            rows = (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
        }
        if swaps_colours {
            for symbol in rows.iter_mut().flatten() {
                *symbol = match *symbol {
                    'X' => 'O',
                    'O' => 'X',
                    'x' => 'o',
                    'o' => 'x',
                    'B' => 'W',
                    'W' => 'B',
                    other => other,
                };
            }
        }
        rows
    }
}

fn player_of(symbol: char) -> Option<Player> {
    match symbol {
        'X' | 'x' | 'B' => Some(Player::Black),
        'O' | 'o' | 'W' => Some(Player::White),
        _ => None,
    }
}

/// Returns the diagram of the same position by the program's statuses.
fn drawn(rows: &[Vec<char>], rules: Rules, to_play: Player, seed: u64) -> String {
    let size = Size::new(rows[0].len(), rows.len()).expect("a size");
    let mut stones = Vec::new();
    for (row, symbols) in rows.iter().rev().enumerate() {
        for (column, &symbol) in symbols.iter().enumerate() {
            if let Some(player) = player_of(symbol) {
                stones.push((player, size.move_at(column, row).expect("a point")));
            }
        }
    }
    let position = Position::with_stones(size, rules, Komi(0), &stones, to_play);
    let statuses =
        BoardStatus::computed(&position.expect("a legal position"), PlayoutPolicy::default(), seed);
    let counts = |owner: &Option<Player>| owner.is_some() || rules != Rules::JAPANESE;
    let mut symbols: Vec<char> =
        statuses.owners().iter().map(|owner| if counts(owner) { '.' } else { '+' }).collect();
    for chain in statuses.chains() {
        let symbol = match (chain.status, chain.player) {
            (ChainStatus::Alive, Player::Black) => 'X',
            (ChainStatus::Alive, Player::White) => 'O',
            (ChainStatus::Dead, Player::Black) => 'x',
            (ChainStatus::Dead, Player::White) => 'o',
            (ChainStatus::Seki, Player::Black) => 'B',
            (ChainStatus::Seki, Player::White) => 'W',
        };
        chain.stones.iter().for_each(|&Move(stone)| symbols[usize::from(stone)] = symbol);
    }
    text(symbols.chunks(size.columns()).rev())
}

fn text<'a>(rows: impl Iterator<Item = &'a [char]>) -> String {
    rows.fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "{}", row.iter().collect::<String>());
        text
    })
}

/// Checks diagrams under the symmetries `turns`: eight, then eight with colours exchanged.
fn check(diagrams: &[Diagram], rules: Rules, turns: Range<usize>, seeds: impl Fn(u64) -> Vec<u64>) {
    let (mut asked, mut wrong) = (0, Vec::new());
    for diagram in diagrams {
        let mut found: Vec<(String, usize)> = Vec::new();
        for turn in turns.clone() {
            let rows = diagram.turned(turn % 8, turn >= 8);
            let expected = text(rows.iter().map(Vec::as_slice));
            for seed in seeds(turn as u64) {
                asked += 1;
                let to_play = diagram.to_play(turn >= 8).unwrap_or(Player::BOTH[turn / 4 % 2]);
                let drawn = drawn(&rows, rules, to_play, seed);
                if drawn != expected {
                    let entry = found.iter_mut().find(|(other, _)| *other == drawn);
                    match entry {
                        Some((_, count)) => *count += 1,
                        None => found.push((drawn, 1)),
                    }
                }
            }
        }
        if let Some((drawn, _)) = found.first() {
            let count: usize = found.iter().map(|(_, count)| count).sum();
            wrong.push(format!("{}: {count} times, as\n{drawn}", diagram.name));
        }
    }
    println!("{} positions, judged {asked} times", diagrams.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn check_statuses(turns: Range<usize>, seeds: impl Fn(u64) -> Vec<u64>) {
    let diagrams = diagrams(include_str!("../../data/status/positions.txt"));
    assert!(diagrams.len() >= 40);
    check(&diagrams, Rules::CHINESE, turns, seeds);
}

#[test]
fn small_groups_have_their_status_however_the_board_is_turned() {
    check_statuses(0..8, |turn| vec![turn]);
}

#[test]
fn small_groups_have_their_status_with_colours_exchanged() {
    check_statuses(8..16, |turn| vec![turn]);
}

#[test]
#[ignore = "takes minutes: every symmetry with every seed"]
fn small_groups_have_their_status_with_every_seed() {
    check_statuses(0..16, |_| (0..5).collect());
}

#[test]
fn a_defence_that_filled_neutral_points_require_costs_a_point_of_territory() {
    let diagrams = diagrams(include_str!("../../data/status/territory.txt"));
    assert!(diagrams.len() >= 5);
    check(&diagrams, Rules::JAPANESE, 0..16, |turn| vec![turn]);
}

#[test]
fn a_group_that_the_first_move_kills_or_saves_is_the_player_to_moves() {
    let diagrams = diagrams(include_str!("../../data/status/unsettled.txt"));
    assert!(diagrams.len() >= 10 && diagrams.iter().all(|diagram| diagram.to_play(false).is_some()));
    check(&diagrams, Rules::CHINESE, 0..16, |turn| vec![turn]);
}

/// A finished position in which Black takes the last ko at `!`, and the stone at `@` with it.
const LAST_KO: &str = "
    # last ko
    .X@!OOXX.
    X.XOOOX.X
    .XXXOOXXX
    XX.XO.OXO
    ..XOOOOOO
    ..XXO.O..
    ...XOOO..
    ...XXOO..
    ....XO...";

#[test]
fn a_stone_that_has_taken_a_ko_lives_if_its_owner_can_connect_it_next() {
    let diagram = &diagrams(LAST_KO)[0];
    for turn in 0..16 {
        let (rows, taker) = (diagram.turned(turn % 8, turn >= 8), Player::BOTH[usize::from(turn >= 8)]);
        let size = Size::new(9, 9).expect("a size");
        let points = (0..9).flat_map(|row| (0..9).map(move |column| (column, row)));
        let points: Vec<(char, Move)> = points
            .map(|(column, row)| (rows[8 - row][column], size.move_at(column, row).expect("a point")))
            .collect();
        let at = |wanted: char| points.iter().find(|(symbol, _)| *symbol == wanted).expect("a ko").1;
        let (taken, captured) = (at('!'), at('@'));
        let stones: Vec<(Player, Move)> =
            points.iter().filter_map(|&(symbol, point)| Some((player_of(symbol)?, point))).collect();
        let with = |player: Player, point: Move, to_play: Player| {
            let stones = [stones.clone(), vec![(player, point)]].concat();
            Position::with_stones(size, Rules::JAPANESE, Komi(0), &stones, to_play).expect("a legal position")
        };
        let status_of_taker = |position: &Position| {
            let statuses = BoardStatus::computed(position, PlayoutPolicy::default(), turn as u64);
            let mut chains = statuses.chains().iter();
            chains.find(|chain| chain.stones.contains(&taken)).map(|chain| chain.status)
        };
        let mut after_taking = with(taker.other(), captured, taker);
        after_taking.play(taken);
        assert_eq!(status_of_taker(&after_taking), Some(ChainStatus::Alive), "turn {turn}");
        let without_ban = with(taker, taken, taker.other());
        assert_eq!(status_of_taker(&without_ban), Some(ChainStatus::Dead), "turn {turn}");
    }
}
