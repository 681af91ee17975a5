//! The ladder reader finds the winner of the ladder game: the attacker gives atari with every move, the defender
//! extends or captures enemy chains in atari next to the chain.

use crate::common::naive::{NaiveBoard, NaiveGame};
use std::collections::BTreeSet;
use tewari::base::game::{Game, Move, Player, Trace};
use tewari::base::rng::PlayoutRng;
use tewari::go::ladder::LadderReader;
use tewari::go::{KoRule, Komi, Position, Rules, Size};

const RULES: Rules = Rules { ko: KoRule::Simple, suicide: false, ..Rules::CHINESE };

/// The position of a drawing, rows from the top; `#` is a black and `o` a white stone of the chain to read.
struct Case {
    position: Position,
    naive: NaiveGame,
    chain: usize,
}

fn case(columns: usize, rows: usize, drawing: &str, to_play: Player) -> Case {
    let board = NaiveBoard::from_drawing(columns, rows, drawing);
    let stones: Vec<(Player, Move)> =
        (0..).zip(&board.cells).filter_map(|(at, cell)| cell.map(|player| (player, Move(at)))).collect();
    let size = Size::new(columns, rows).expect("a size");
    let position = Position::with_stones(size, RULES, Komi(0), &stones, to_play).expect("a legal setup");
    let symbols: Vec<char> = drawing.chars().filter(|symbol| "XO#o.".contains(*symbol)).collect();
    let place = symbols.iter().position(|symbol| "#o".contains(*symbol)).expect("a chain");
    let chain = (rows - 1 - place / columns) * columns + place % columns;
    Case { position, naive: NaiveGame::new(board, to_play, RULES), chain }
}

/// The reading of a chain: catching, escaping and defending moves as move numbers; true if the chain is threatened;
/// true if it is lost.
type Reading = ([BTreeSet<usize>; 3], [bool; 2]);

fn read(position: &Position, chain: usize) -> Reading {
    let geometry = position.board().geometry();
    let target = geometry.points[chain];
    let mut reader = LadderReader::new(position.board());
    let numbers =
        |points: &[tewari::go::Point]| points.iter().map(|&at| geometry.move_of(at).index()).collect();
    let in_atari = position.board().in_atari(target);
    let catching = numbers(reader.catching_moves(target).as_slice());
    let escaping = if in_atari { numbers(reader.escaping_moves(target).as_slice()) } else { BTreeSet::new() };
    let defending = reader.defending_moves(target);
    let is_threatened = defending.is_some();
    let defending = defending.map_or_else(BTreeSet::new, |moves| numbers(moves.as_slice()));
    let is_lost = in_atari && reader.is_lost(target);
    // A second reading finds the same only if the first has undone all its moves.
    assert_eq!(numbers(reader.catching_moves(target).as_slice()), catching);
    ([catching, escaping, defending], [is_threatened, is_lost])
}

/// Returns the same by playing on copies of a board without stored liberties; `None` if it takes too long.
fn model(game: &NaiveGame, chain: usize) -> Option<Reading> {
    let defender = game.board.cells[chain].expect("a stone");
    let (_, liberties) = game.board.group(chain);
    let mut steps = 3_000;
    let for_player = |player: Player, keeps_ko: bool| {
        let mut game = game.clone();
        game.to_play = player;
        game.ko = game.ko.filter(|_| keeps_ko);
        game
    };
    let (mut catching, mut escaping, mut defending) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let [mut is_threatened, mut is_lost] = [false; 2];
    if liberties.len() == 2 {
        let attack = for_player(defender.other(), true);
        for &atari in &liberties {
            if atari_catches(&attack, chain, atari, &mut steps)? {
                catching.insert(atari);
            }
        }
        is_threatened = is_caught(&for_player(defender.other(), false), chain, &mut steps)?;
        if is_threatened {
            for &mv in &liberties {
                if escapes_after(&for_player(defender, true), chain, mv, &mut steps)? {
                    defending.insert(mv);
                }
            }
        }
    } else if liberties.len() == 1 {
        let defence = for_player(defender, true);
        for mv in answers(&defence, chain) {
            if escapes_after(&defence, chain, mv, &mut steps)? {
                escaping.insert(mv);
            }
        }
        is_lost = true;
        let defence = for_player(defender, false);
        for mv in answers(&defence, chain) {
            is_lost &= !escapes_after(&defence, chain, mv, &mut steps)?;
        }
    }
    Some(([catching, escaping, defending], [is_threatened, is_lost]))
}

fn is_caught(game: &NaiveGame, chain: usize, steps: &mut u32) -> Option<bool> {
    let (_, liberties) = game.board.group(chain);
    match liberties[..] {
        [only] => Some(game.check(only).is_ok()),
        [one, two] => {
            Some(atari_catches(game, chain, one, steps)? || atari_catches(game, chain, two, steps)?)
        }
        _ => Some(false),
    }
}

fn atari_catches(game: &NaiveGame, chain: usize, atari: usize, steps: &mut u32) -> Option<bool> {
    let Some(after) = played(game, atari, steps)? else { return Some(false) };
    for answer in answers(&after, chain) {
        if escapes_after(&after, chain, answer, steps)? {
            return Some(false);
        }
    }
    Some(true)
}

fn escapes_after(game: &NaiveGame, chain: usize, mv: usize, steps: &mut u32) -> Option<bool> {
    let Some(after) = played(game, mv, steps)? else { return Some(false) };
    Some(!is_caught(&after, chain, steps)?)
}

fn played(game: &NaiveGame, at: usize, steps: &mut u32) -> Option<Option<NaiveGame>> {
    *steps = steps.checked_sub(1)?;
    if game.check(at).is_err() {
        return Some(None);
    }
    let mut after = game.clone();
    after.history.clear();
    after.play(Some(at));
    Some(Some(after))
}

/// Returns the only liberties of the chain and of the enemy chains in atari next to it.
fn answers(game: &NaiveGame, chain: usize) -> BTreeSet<usize> {
    let (stones, liberties) = game.board.group(chain);
    let enemy = game.board.cells[chain].expect("a stone").other();
    let beside = stones.iter().flat_map(|&stone| game.board.neighbours(stone));
    let enemies = beside.filter(|&at| game.board.cells[at] == Some(enemy));
    let captures = enemies.filter_map(|at| match game.board.group(at).1[..] {
        [only] => Some(only),
        _ => None,
    });
    captures.chain(liberties).collect()
}

fn vertices(position: &Position, moves: &BTreeSet<usize>) -> String {
    let names: Vec<String> = moves.iter().map(|&at| position.size().vertex(Move(at as u16))).collect();
    names.join(" ")
}

/// Checks the reading of the drawn chain against the expected moves and against the model.
fn assert_reads(case: &Case, catching: &str, escaping: &str, defending: &str) {
    let found = read(&case.position, case.chain);
    let names = found.0.each_ref().map(|moves| vertices(&case.position, moves));
    assert_eq!(names, [catching, escaping, defending], "{}", case.naive.board.drawing());
    assert_eq!(model(&case.naive, case.chain).as_ref(), Some(&found));
}

#[test]
fn an_atari_that_drives_the_chain_to_the_edge_catches_it() {
    let ladder = ". . . . . . .
                  . . . . . . .
                  . . . . . . .
                  . . X o . . .
                  . . . X X . .
                  . . . . . . .
                  . . . . . . .";
    assert_reads(&case(7, 7, ladder, Player::Black), "D5", "", "E4 D5");
}

#[test]
fn a_stone_in_the_way_breaks_the_ladder() {
    let broken = ". . . . . . .
                  . . . . . O .
                  . . . . . . .
                  . . X o . . .
                  . . . X X . .
                  . . . . . . .
                  . . . . . . .";
    assert_reads(&case(7, 7, broken, Player::Black), "", "", "");
}

#[test]
fn an_extension_into_a_working_ladder_is_no_escape() {
    let caught = ". . . . . . .
                  . . . . . . .
                  . . . X . . .
                  . . X o . . .
                  . . . X X . .
                  . . . . . . .
                  . . . . . . .";
    assert_reads(&case(7, 7, caught, Player::White), "", "", "");
    let broken = ". . . . . . .
                  . . . . . O .
                  . . . X . . .
                  . . X o . . .
                  . . . X X . .
                  . . . . . . .
                  . . . . . . .";
    assert_reads(&case(7, 7, broken, Player::White), "", "E4", "");
}

#[test]
fn a_capture_next_to_the_chain_is_an_escape() {
    let capture = ". . . . . . .
                   . . . O . . .
                   . . O X . . .
                   . . X o . X .
                   . . . X X . .
                   . . . . . . .
                   . . . . . . .";
    assert_reads(&case(7, 7, capture, Player::White), "", "E5", "");
}

#[test]
fn random_positions_are_read_as_the_model_reads_them() {
    let mut rng = PlayoutRng::new(17, 0);
    let (mut chains, mut found_any) = (0, [0_usize; 3]);
    for size in [(4, 4), (5, 5), (7, 5), (9, 9), (3, 9)] {
        for _ in 0..60 {
            let points = size.0 * size.1;
            let (position, naive) = middle(size, 2 + rng.below(points), &mut rng);
            for chain in 0..points {
                if naive.board.cells[chain].is_none() || naive.board.group(chain).0[0] != chain {
                    continue;
                }
                let Some(expected) = model(&naive, chain) else { continue };
                let found = read(&position, chain);
                assert_eq!(found, expected, "{chain} of {} {}", naive.to_play, naive.board.drawing());
                chains += 1;
                for (count, moves) in found_any.iter_mut().zip(&found.0) {
                    *count += usize::from(!moves.is_empty());
                }
            }
        }
    }
    assert!(chains > 1_000 && found_any.iter().all(|&count| count > 30), "{chains} {found_any:?}");
}

/// Returns a position from the middle of a random game, and its model.
fn middle((columns, rows): (usize, usize), moves: usize, rng: &mut PlayoutRng) -> (Position, NaiveGame) {
    let size = Size::new(columns, rows).expect("a size");
    let mut position = Position::new(size, RULES, Komi(0));
    let mut naive = NaiveGame::new(NaiveBoard::new(columns, rows), Player::Black, RULES);
    let mut trace = Trace::default();
    position.clone().playout(rng, &mut trace);
    for &(_, mv) in trace.moves.iter().take(moves) {
        position.play(mv);
        naive.play((mv != size.pass()).then_some(mv.index()));
        naive.history.clear();
    }
    (position, naive)
}
