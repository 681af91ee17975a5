//! The knowledge of priors and playouts agrees with the board: liberties after a move, areas without stones.

use crate::common::naive::{NaiveBoard, NaiveGame};
use tewari::base::game::{Game, Move, Player, Prior, Trace};
use tewari::base::rng::PlayoutRng;
use tewari::go::{KoRule, Komi, Position, Rules, Size};

const RULES: Rules = Rules { ko: KoRule::Simple, suicide: false, ..Rules::CHINESE };

#[test]
fn a_move_is_self_atari_exactly_if_its_chain_has_one_liberty_afterwards_captures_included() {
    let mut rng = PlayoutRng::new(23, 0);
    let (mut captures_with_liberties, mut self_ataris) = (0, 0);
    for (columns, rows) in [(2, 3), (5, 5), (9, 9), (13, 4), (19, 19)] {
        for _ in 0..40 {
            let size = Size::new(columns, rows).expect("a size");
            let mut position = Position::new(size, RULES, Komi(0));
            let mut naive = NaiveGame::new(NaiveBoard::new(columns, rows), Player::Black, RULES);
            let mut trace = Trace::default();
            position.clone().playout(&mut rng, &mut trace);
            let moves = rng.below(trace.moves.len());
            for &(_, mv) in trace.moves.iter().take(moves) {
                position.play(mv);
                naive.play((mv != size.pass()).then_some(mv.index()));
                naive.history.clear();
            }
            for at in (0..size.points()).filter(|&at| naive.board.cells[at].is_none()) {
                let play = naive.board.play(at, naive.to_play);
                if !play.suicides.is_empty() {
                    continue;
                }
                let is_self_atari = play.board.group(at).1.len() == 1;
                let point = position.board().geometry().points[at];
                let context = || format!("{at} by {} on {}", naive.to_play, naive.board.drawing());
                assert_eq!(
                    position.board().is_self_atari(point, naive.to_play),
                    is_self_atari,
                    "{}",
                    context()
                );
                captures_with_liberties += u32::from(!play.captured.is_empty() && !is_self_atari);
                self_ataris += u32::from(is_self_atari);
            }
        }
    }
    assert!(captures_with_liberties > 100 && self_ataris > 500, "{captures_with_liberties} {self_ataris}");
}

fn priors(stones: &[&str]) -> Vec<Option<Prior>> {
    let size = Size::new(9, 9).expect("a size");
    let stones: Vec<(Player, Move)> =
        stones.iter().map(|vertex| (Player::White, size.parse_vertex(vertex).expect("a vertex"))).collect();
    let position = Position::with_stones(size, RULES, Komi(13), &stones, Player::Black).expect("legal");
    let mut priors = vec![None; position.move_count()];
    position.expand(&mut priors);
    priors
}

#[test]
fn a_stone_at_one_edge_changes_no_prior_at_the_other() {
    let size = Size::new(9, 9).expect("a size");
    let empty = priors(&[]);
    for row in 1..=9 {
        let edge = priors(&[&format!("J{row}")]);
        for vertex in (1..=9).flat_map(|row| ["A", "B", "C"].map(|column| format!("{column}{row}"))) {
            let mv = size.parse_vertex(&vertex).expect("a vertex").index();
            assert_eq!(edge[mv], empty[mv], "{vertex} with a stone on J{row}");
        }
    }
}

#[test]
fn an_area_is_empty_where_no_stone_is_three_steps_away_or_nearer() {
    let size = Size::new(9, 9).expect("a size");
    let (empty, centre) = (priors(&[]), priors(&["E5"]));
    for mv in 0..81_usize {
        let steps = (mv % 9).abs_diff(4) + (mv / 9).abs_diff(4);
        if steps > 3 {
            assert_eq!(centre[mv], empty[mv], "{}", size.vertex(Move(mv as u16)));
        } else if steps > 1 && (1..8).contains(&(mv % 9)) && (1..8).contains(&(mv / 9)) {
            // There is no pattern and no chain in danger, so only the prior of empty areas differs.
            let (with, without) = (empty[mv].expect("legal"), centre[mv].expect("legal"));
            assert_eq!(with.visits, without.visits + 10, "{}", size.vertex(Move(mv as u16)));
        }
    }
}
