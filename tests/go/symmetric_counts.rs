//! A position and its images under symmetries of the board, with exchanged colours too, have the same count.

use std::collections::HashSet;
use tewari::base::game::{Game, Move, Player};
use tewari::base::rng::PlayoutRng;
use tewari::go::status::{BoardStatus, COUNTING_SEED};
use tewari::go::{Komi, PlayoutPolicy, Point, Position, Rules, Size, Symmetry};

/// A symmetry of the board, and an exchange of colours.
#[derive(Clone, Copy, Debug)]
struct Image {
    symmetry: Symmetry,
    swaps_colours: bool,
}

impl Image {
    fn all(size: Size) -> Vec<Image> {
        let with = |swaps_colours| Symmetry::all(size).map(move |symmetry| Image { symmetry, swaps_colours });
        with(false).chain(with(true)).collect()
    }

    fn player(self, player: Player) -> Player {
        if self.swaps_colours { player.other() } else { player }
    }

    /// Returns the image of the position after `moves`.
    fn position(self, size: Size, rules: Rules, moves: &[Move]) -> Position {
        let mut position = Position::new(size, rules, Komi(0));
        position.set_to_play(self.player(Player::Black));
        moves.iter().for_each(|&mv| position.try_play(self.symmetry.apply(mv, size)).expect("legal"));
        position
    }
}

/// Returns a game of random legal moves that fill few own eyes, cut off at a random move.
fn unfinished_game(size: Size, rng: &mut PlayoutRng) -> Vec<Move> {
    let mut position = Position::new(size, Rules::CHINESE, Komi(0));
    let mut moves = Vec::new();
    let length = size.points() / 2 + rng.below(size.points());
    while moves.len() < length {
        let board = position.board();
        let is_eye = |mv: Move| {
            board.geometry().point_of(mv).is_some_and(|point| board.is_eye(point, position.to_play()))
        };
        let open: Vec<Move> = position.legal_moves().filter(|&mv| !is_eye(mv)).collect();
        if open.is_empty() {
            break;
        }
        let mv = open[rng.below(open.len())];
        position.play(mv);
        moves.push(mv);
    }
    moves
}

/// Returns true if no symmetry but the identity maps the position to itself. Of two equal chains on a symmetric board, one
/// may be dead.
fn is_asymmetric(size: Size, moves: &[Move]) -> bool {
    let image =
        |symmetry| Image { symmetry, swaps_colours: false }.position(size, Rules::CHINESE, moves).key();
    let images: HashSet<u64> = Symmetry::all(size).map(image).collect();
    images.len() == usize::from(Symmetry::count(size))
}

fn counted(position: &Position) -> BoardStatus {
    BoardStatus::computed(position, PlayoutPolicy::default(), COUNTING_SEED)
}

/// Checks the counts of all images of a position against its own. Returns true if the position has a ko.
fn check(size: Size, rules: Rules, moves: &[Move]) -> bool {
    let identity = Image { symmetry: Symmetry::IDENTITY, swaps_colours: false };
    let position = identity.position(size, rules, moves);
    let expected = counted(&position);
    for image in Image::all(size) {
        let found = counted(&image.position(size, rules, moves));
        let context = || format!("{size} {rules}, {image:?} of {moves:?}");
        let sign = if image.swaps_colours { -1 } else { 1 };
        assert_eq!(found.area_score(), sign * expected.area_score(), "{}", context());
        let mut owners = vec![None; size.points()];
        for (number, owner) in expected.owners().iter().enumerate() {
            let at = image.symmetry.apply(Move(number as u16), size);
            owners[at.index()] = owner.map(|owner| image.player(owner));
        }
        assert_eq!(found.owners(), owners, "{}", context());
        let mut dead: Vec<Move> =
            expected.dead_stones().into_iter().map(|stone| image.symmetry.apply(stone, size)).collect();
        dead.sort_unstable();
        assert_eq!(found.dead_stones(), dead, "{}", context());
    }
    position.board().ko() != Point::NONE
}

/// Numbers of games by size. Until the count had a canonical orientation, most of these positions had several counts. Those
/// with large areas to search are left out.
const GAMES: [((usize, usize), &[u64]); 4] = [
    ((5, 5), &[2, 3, 4, 7, 84]),
    ((7, 7), &[1, 21, 44, 54, 57, 67, 86, 95]),
    ((9, 9), &[1, 5, 8, 17, 18, 21, 25, 35, 49]),
    ((5, 9), &[1, 14, 19, 43, 44, 55, 67, 70, 71, 83]),
];

#[test]
fn the_count_of_an_unfinished_position_is_the_same_for_all_symmetries_and_colours() {
    let mut kos = 0;
    for ((columns, rows), games) in GAMES {
        let size = Size::new(columns, rows).expect("a size");
        for &game in games {
            let moves = unfinished_game(size, &mut PlayoutRng::new(game, 0));
            assert!(is_asymmetric(size, &moves), "{size}, game {game}");
            kos += u32::from(check(size, Rules::CHINESE, &moves));
            check(size, Rules::JAPANESE, &moves);
        }
    }
    assert!(kos >= 4, "{kos} positions with a ko");
}
