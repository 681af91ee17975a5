//! Territory and prisoners follow from the area: the difference is the number of stones placed.

use proptest::prelude::*;
use tewari::base::game::{Game, Move, Player};
use tewari::go::{Komi, Position, Rules, Size};

const SIZE: usize = 5;

fn size() -> Size {
    Size::new(SIZE, SIZE).expect("a small board")
}

/// Returns Black's territory minus White's by flood fill: empty points that touch stones of one colour only.
fn territory(cells: &[Option<Player>]) -> i32 {
    let beside = |at: usize| {
        let (column, row) = (at % SIZE, at / SIZE);
        [
            (column > 0).then(|| at - 1),
            (column + 1 < SIZE).then_some(at + 1),
            (row > 0).then(|| at - SIZE),
            (row + 1 < SIZE).then_some(at + SIZE),
        ]
    };
    let mut sum = 0;
    let mut done = vec![false; cells.len()];
    for start in (0..cells.len()).filter(|&at| cells[at].is_none()) {
        let (mut region, mut touched) = (Vec::new(), [false; 2]);
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            match cells[at] {
                Some(player) => touched[player.index()] = true,
                None if done[at] => {}
                None => {
                    done[at] = true;
                    region.push(at);
                    open.extend(beside(at).into_iter().flatten());
                }
            }
        }
        sum += match touched {
            [true, false] => region.len() as i32,
            [false, true] => -(region.len() as i32),
            _ => 0,
        };
    }
    sum
}

/// Returns territory and prisoners, Black's minus White's.
fn japanese_score(position: &Position) -> i32 {
    let board = position.board();
    let cells: Vec<_> = board.geometry().points.iter().map(|&point| board.stone_at(point)).collect();
    let [by_black, by_white] = position.prisoners().map(|stones| stones as i32);
    territory(&cells) + by_black - by_white
}

proptest! {
    #[test]
    fn the_area_less_the_stones_placed_is_territory_and_prisoners(
        choices in prop::collection::vec(any::<u16>(), 0..120),
        handicap in prop::collection::btree_set(0u16..25, 0..5),
    ) {
        let stones: Vec<_> = handicap.iter().map(|&point| (Player::Black, Move(point))).collect();
        let first = if stones.is_empty() { Player::Black } else { Player::White };
        let mut position =
            Position::with_stones(size(), Rules::JAPANESE, Komi(0), &stones, first).expect("free stones");
        for choice in choices {
            let points = (SIZE * SIZE) as u16;
            let legal: Vec<Move> =
                (0..=points).map(Move).filter(|&mv| position.check(mv).is_ok()).collect();
            position.play(legal[usize::from(choice) % legal.len()]);
            let area = tewari::go::score::area_score(position.board());
            let by_area = 2 * i32::from(area) - position.final_area_komi().0;
            prop_assert_eq!(by_area, 2 * japanese_score(&position));
        }
    }
}

#[test]
fn the_komi_of_a_search_changes_with_passes_alone() {
    let mut position = Position::new(size(), Rules::JAPANESE, Komi(13));
    let vertex = |name: &str| size().parse_vertex(name).expect("a vertex");
    for (vertex_name, komi) in [("C3", 13), ("D4", 13), ("pass", 11), ("B2", 11), ("D2", 11), ("pass", 13)] {
        position.try_play(vertex(vertex_name)).expect("legal");
        assert_eq!(position.area_komi(), Komi(komi), "after {vertex_name}");
    }
}

#[test]
fn under_area_scoring_the_komi_is_the_komi() {
    let mut position = Position::new(size(), Rules::CHINESE, Komi(13));
    for name in ["C3", "pass", "D4", "pass"] {
        position.try_play(size().parse_vertex(name).expect("a vertex")).expect("legal");
        assert_eq!((position.area_komi(), position.final_area_komi()), (Komi(13), Komi(13)));
    }
}

#[test]
fn a_settled_komi_has_the_compensation_once() {
    let stones = [(Player::Black, Move(6)), (Player::Black, Move(18)), (Player::Black, Move(16))];
    let mut position =
        Position::with_stones(size(), Rules::JAPANESE, Komi(1), &stones, Player::White).expect("free stones");
    position.set_compensation(Komi(2));
    for _ in 0..2 {
        position.settle_komi();
        // Black has placed three stones, and White has answered one of them.
        assert_eq!(
            (position.komi(), position.score_komi(), position.area_komi()),
            (Komi(3), Komi(3), Komi(7))
        );
    }
}

proptest! {
    #[test]
    fn keys_of_passes_under_territory_scoring_are_those_that_were_foretold(
        choices in prop::collection::vec(any::<u16>(), 0..80),
        agreement in any::<bool>(),
    ) {
        let mut position = Position::new(size(), Rules::JAPANESE, Komi(13));
        position.set_agreement(agreement);
        for choice in choices {
            if position.is_over() {
                position.resume();
            }
            let points = (SIZE * SIZE) as u16;
            let mut legal: Vec<Move> =
                (0..=points).map(Move).filter(|&mv| position.check(mv).is_ok()).collect();
            // Passes are more frequent than in a uniform choice.
            legal.extend([Move(points); 4]);
            let mv = legal[usize::from(choice) % legal.len()];
            let key = position.key_after(mv);
            position.play(mv);
            prop_assert_eq!(position.key(), key);
            let exact = (position.is_over() && !agreement).then(|| japanese_score(&position) as i16);
            prop_assert_eq!(position.terminal_score(), exact);
        }
    }
}
