//! Territory and prisoners follow from the area: the difference is the number of stones placed.

use proptest::prelude::*;
use tewari::base::game::{Game, Move, Player, Trace};
use tewari::base::rng::PlayoutRng;
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

/// Komi of 6.5 points and half a point: each player places the last stone with equal probability.
#[test]
fn the_komi_of_a_search_changes_with_passes_alone() {
    let mut position = Position::new(size(), Rules::JAPANESE, Komi(13));
    let vertex = |name: &str| size().parse_vertex(name).expect("a vertex");
    for (vertex_name, komi) in [("C3", 14), ("D4", 14), ("pass", 12), ("B2", 12), ("D2", 12), ("pass", 14)] {
        position.try_play(vertex(vertex_name)).expect("legal");
        assert_eq!(position.area_komi(), Komi(komi), "after {vertex_name}");
    }
    position.try_play(vertex("pass")).expect("legal");
    assert_eq!((position.area_komi(), position.area_offset()), (Komi(13), 0), "after the last pass");
}

proptest! {
    #[test]
    fn exchanged_colours_exchange_the_komi_of_a_search(
        choices in prop::collection::vec(any::<u16>(), 0..80),
        rules in prop::sample::select(vec![Rules::JAPANESE, Rules::CHINESE, Rules::TROMP_TAYLOR]),
        komi in -20_i32..20,
    ) {
        let start = |komi, first| Position::with_stones(size(), rules, Komi(komi), &[], first).expect("an empty board");
        let (mut position, mut exchanged) = (start(komi, Player::Black), start(-komi, Player::White));
        for choice in choices {
            let points = (SIZE * SIZE) as u16;
            let mut legal: Vec<Move> =
                (0..=points).map(Move).filter(|&mv| position.check(mv).is_ok()).collect();
            legal.extend([Move(points); 4]);
            let mv = legal[usize::from(choice) % legal.len()];
            position.play(mv);
            exchanged.play(mv);
            prop_assert_eq!(exchanged.area_komi().0, -position.area_komi().0);
            prop_assert_eq!(exchanged.final_area_komi().0, -position.final_area_komi().0);
            prop_assert_eq!(exchanged.expected_area_offset(), -position.expected_area_offset());
            if position.is_over() {
                break;
            }
        }
    }
}

/// Black has two eyes and 13 stones, White two eyes and 8: nothing is left to play, and territory is even. Before a pass the player to
/// move is as likely to place a last stone as not.
#[test]
fn a_playout_gives_the_last_stone_of_the_game_to_either_player_alike() {
    const PLAYOUTS: usize = 1_000;
    let eyes = [1, 3, 21, 23];
    let owner = |number: u16| if number < 15 { Player::Black } else { Player::White };
    let stones: Vec<_> =
        (0..25).filter(|it| !eyes.contains(it)).map(|number| (owner(number), Move(number))).collect();
    for (to_play, scores) in [(Player::Black, [0, -1]), (Player::White, [1, 0])] {
        let mut position =
            Position::with_stones(size(), Rules::JAPANESE, Komi(1), &stones, to_play).expect("free points");
        position.seal();
        let mut rng = PlayoutRng::new(1, 0);
        let mut played = [0; 2];
        for _ in 0..PLAYOUTS {
            let score = position.clone().playout(&mut rng, &mut Trace::default());
            played[scores.iter().position(|&it| it == score).expect("one of two scores")] += 1;
        }
        assert!(played.iter().all(|count| (450..550).contains(count)), "{to_play:?}: {played:?}");
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
        // Black has placed three stones, and White has answered one of them; half a point is for the last stone.
        assert_eq!(
            (position.komi(), position.score_komi(), position.area_komi()),
            (Komi(3), Komi(3), Komi(8))
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
