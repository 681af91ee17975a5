//! The board and the positions agree with a direct implementation of the rules (`common/naive.rs`), move by move, in
//! random games on boards of every size.

use crate::common::naive::{NaiveBoard, NaiveGame};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use tewari::base::game::{Game, Move, Player};
use tewari::base::zobrist::{SIDE, keys};
use tewari::go::board::cell;
use tewari::go::geometry::MAX_POINTS;
use tewari::go::{Board, KeyPolicy, KoRule, Komi, Point, Position, Rules, Size};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Returns sizes, small ones more often: these have many captures and repetitions.
fn sizes() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![
        6 => (1_usize..=6, 1_usize..=6),
        3 => (1_usize..=SIDE, 1_usize..=3),
        3 => (1_usize..=3, 1_usize..=SIDE),
        2 => (7_usize..=9, 7_usize..=9),
        1 => (1_usize..=SIDE, 1_usize..=SIDE),
        1 => Just((SIDE, SIDE)),
    ]
}

fn every_rules() -> impl Strategy<Value = Rules> {
    let ko = prop::sample::select(vec![KoRule::Simple, KoRule::Positional, KoRule::Situational]);
    (ko, any::<bool>()).prop_map(|(ko, suicide)| Rules { ko, suicide, ..Rules::CHINESE })
}

/// Returns the points to check: all of a small board, about forty of a large one, different ones at each ply.
fn sample(points: usize, ply: usize) -> impl Iterator<Item = usize> {
    let stride = points.div_ceil(40);
    (ply % stride..points).step_by(stride)
}

fn move_number(board: &Board, point: Point) -> usize {
    board.geometry().move_of(point).index()
}

fn sorted_numbers(board: &Board, points: impl IntoIterator<Item = Point>) -> Vec<usize> {
    let mut numbers: Vec<usize> = points.into_iter().map(|point| move_number(board, point)).collect();
    numbers.sort_unstable();
    numbers
}

fn ko_number(board: &Board, ko: Point) -> Option<usize> {
    (ko != Point::NONE).then(|| move_number(board, ko))
}

fn stones_key(naive: &NaiveBoard) -> u64 {
    let key = |(at, stone): (usize, &Option<Player>)| {
        let place = at / naive.columns * SIDE + at % naive.columns;
        stone.map_or(0, |player| keys().stones[player.index()][place])
    };
    naive.cells.iter().enumerate().map(key).fold(0, |all, one| all ^ one)
}

fn bits(naive: &NaiveBoard, at: Option<usize>) -> u8 {
    match at.map(|at| naive.cells[at]) {
        None => cell::BORDER,
        Some(None) => cell::EMPTY,
        Some(Some(Player::Black)) => cell::BLACK,
        Some(Some(Player::White)) => cell::WHITE,
    }
}

/// Checks the state of the board.
fn assert_same_stones(fast: &Board, naive: &NaiveBoard, ko: Option<usize>) {
    let drawing = naive.drawing();
    assert_eq!(fast.stones().map(usize::from), Player::BOTH.map(|player| naive.count(player)), "{drawing}");
    assert_eq!(fast.key(), stones_key(naive), "{drawing}");
    assert_eq!(ko_number(fast, fast.ko()), ko, "{drawing}");
    let empty: Vec<usize> = (0..naive.cells.len()).filter(|&at| naive.cells[at].is_none()).collect();
    assert_eq!(sorted_numbers(fast, fast.empty_points().iter().copied()), empty, "{drawing}");
    for (at, &point) in fast.geometry().points.iter().enumerate() {
        assert_eq!(fast.stone_at(point), naive.cells[at], "{at} of {drawing}");
        assert_eq!(fast.cell(point), bits(naive, Some(at)), "{at} of {drawing}");
        let around = naive.around(at).map(|neighbour| u16::from(bits(naive, neighbour)));
        let expected = around.iter().enumerate().fold(0, |all, (k, bits)| all | bits << (2 * k));
        assert_eq!(fast.neighbourhood(point), expected, "{at} of {drawing}");
    }
    let mut done = BTreeSet::new();
    for at in 0..naive.cells.len() {
        if naive.cells[at].is_some() && !done.contains(&at) {
            let (stones, liberties) = naive.group(at);
            assert_same_chain(fast, &stones, &liberties, &drawing);
            done.extend(stones);
        }
    }
}

fn assert_same_chain(fast: &Board, stones: &[usize], liberties: &[usize], drawing: &str) {
    let name = fast.chain(fast.geometry().points[stones[0]]);
    assert!(stones.contains(&move_number(fast, name)), "a chain's name is a stone of it: {drawing}");
    for &at in stones {
        let point = fast.geometry().points[at];
        assert_eq!(fast.chain(point), name, "{at} of {drawing}");
        assert_eq!(fast.chain_size(point), stones.len(), "{at} of {drawing}");
        assert_eq!(fast.in_atari(point), liberties.len() == 1, "{at} of {drawing}");
        let only = if liberties.len() == 1 { Some(liberties[0]) } else { None };
        assert_eq!(fast.atari_liberty(point).map(|p| move_number(fast, p)), only, "{at} of {drawing}");
    }
    let point = fast.geometry().points[*stones.last().expect("a stone")];
    assert_eq!(sorted_numbers(fast, fast.chain_stones(point)), stones, "{drawing}");
    let all = fast.liberties::<MAX_POINTS>(point);
    assert_eq!(sorted_numbers(fast, all.as_slice().iter().copied()), liberties, "{drawing}");
    let two = fast.liberties::<2>(point);
    assert_eq!(two.as_slice(), &all.as_slice()[..liberties.len().min(2)], "{drawing}");
    let three = sorted_numbers(fast, fast.liberties::<3>(point).as_slice().iter().copied());
    assert_eq!(three.len(), liberties.len().min(3), "{drawing}");
    assert!(three.iter().all(|liberty| liberties.contains(liberty)), "{drawing}");
}

/// Checks the board's predictions for a stone on the empty cell `at`.
fn assert_same_prospects(fast: &Board, naive: &NaiveBoard, at: usize) {
    let point = fast.geometry().points[at];
    for player in Player::BOTH {
        let context = || format!("{player} at {at} of {}", naive.drawing());
        let play = naive.play(at, player);
        assert_eq!(fast.is_not_suicide(point, player), play.suicides.is_empty(), "{}", context());
        assert_eq!(fast.is_eye(point, player), naive.is_eye(at, player), "{}", context());
        let captures = fast.captures(point, player);
        let names: BTreeSet<Point> = captures.as_slice().iter().map(|&chain| fast.chain(chain)).collect();
        assert_eq!(names.len(), captures.len(), "each chain once: {}", context());
        let captured = captures.as_slice().iter().flat_map(|&chain| fast.chain_stones(chain));
        assert_eq!(sorted_numbers(fast, captured), play.captured, "{}", context());
        let (key, ko) = fast.key_and_ko_after(point, player);
        assert_eq!((key, ko_number(fast, ko)), (stones_key(&play.board), play.ko), "{}", context());
        let mut after = fast.clone();
        assert_eq!(after.place(point, player), play.captured.len(), "{}", context());
        assert_eq!((after.key(), after.ko()), (key, ko), "{}", context());
    }
}

/// A board and its model. Random words choose the moves: the point at which the search for an empty one starts, and the
/// observance of turn and suicide.
struct Pair {
    fast: Board,
    naive: NaiveBoard,
    ko: Option<usize>,
    player: Player,
}

impl Pair {
    fn new((columns, rows): (usize, usize)) -> Pair {
        let size = Size::new(columns, rows).expect("a size");
        Pair {
            fast: Board::new(size),
            naive: NaiveBoard::new(columns, rows),
            ko: None,
            player: Player::Black,
        }
    }

    fn play(&mut self, word: u16) {
        let points = self.naive.cells.len();
        if word >> 13 == 0 {
            self.player = self.player.other();
        }
        let suicide_is_fine = word >> 10 & 7 == 0;
        let chosen = (0..points).map(|k| (usize::from(word) + k) % points).find(|&at| {
            self.naive.cells[at].is_none()
                && self.ko != Some(at)
                && (suicide_is_fine || self.naive.play(at, self.player).suicides.is_empty())
        });
        self.ko = None;
        match chosen {
            None => self.fast.clear_ko(),
            Some(at) => {
                let play = self.naive.play(at, self.player);
                let captured = self.fast.place(self.fast.geometry().points[at], self.player);
                assert_eq!(captured, play.captured.len(), "{at} of {}", self.naive.drawing());
                (self.naive, self.ko) = (play.board, play.ko);
            }
        }
        self.player = self.player.other();
    }

    fn assert_agreement(&self, ply: usize) {
        assert_same_stones(&self.fast, &self.naive, self.ko);
        for at in sample(self.naive.cells.len(), ply) {
            if self.naive.cells[at].is_none() {
                assert_same_prospects(&self.fast, &self.naive, at);
            }
        }
    }
}

impl Pair {
    /// Checks a copy of the board, also while play continues on it; returns the copy.
    fn assert_agreement_of_copy(&self, copy: Board, words: &[u16]) -> Board {
        let mut copy = Pair { fast: copy, naive: self.naive.clone(), ko: self.ko, player: self.player };
        copy.assert_agreement(0);
        words.iter().take(9).for_each(|&word| copy.play(word.rotate_left(5)));
        assert_same_stones(&copy.fast, &copy.naive, copy.ko);
        copy.fast
    }
}

proptest! {
    #![proptest_config(config(160))]

    #[test]
    fn the_board_agrees_with_flood_fill_after_every_move(
        size in sizes(),
        words in prop::collection::vec(any::<u16>(), 1..450),
    ) {
        let mut pair = Pair::new(size);
        pair.assert_agreement(0);
        for (ply, &word) in words.iter().enumerate() {
            pair.play(word);
            pair.assert_agreement(ply);
        }
    }

    #[test]
    fn a_board_copied_over_another_is_the_same_as_a_clone(
        size in sizes(),
        other_size in sizes(),
        words in prop::collection::vec(any::<u16>(), 1..300),
    ) {
        let mut pair = Pair::new(size);
        let mut target = Board::new(Size::new(other_size.0, other_size.1).expect("a size"));
        for chunk in words.chunks(23) {
            chunk.iter().for_each(|&word| pair.play(word));
            let clone = pair.fast.clone();
            target.clone_from(&pair.fast);
            // Playouts depend on the order, and so does their reproducibility.
            prop_assert_eq!(target.empty_points(), clone.empty_points());
            prop_assert_eq!(pair.fast.empty_points(), clone.empty_points());
            pair.assert_agreement_of_copy(clone, chunk);
            target = pair.assert_agreement_of_copy(target, chunk);
        }
    }
}

/// A position and its model.
struct Modelled {
    fast: Position,
    naive: NaiveGame,
    /// By player, Black first: true if, since a position that permitted proofs for the player, the player has lost no
    /// stone.
    promised: [bool; 2],
}

impl Modelled {
    /// Returns a game from a board with a few stones or none.
    fn new((columns, rows): (usize, usize), rules: Rules, setup: &[u16]) -> Modelled {
        let size = Size::new(columns, rows).expect("a size");
        let mut board = NaiveBoard::new(columns, rows);
        let mut stones = Vec::new();
        for (&word, &player) in setup.iter().zip(Player::BOTH.iter().cycle()) {
            let at = usize::from(word) % size.points();
            if board.cells[at].is_none() {
                let play = board.play(at, player);
                if play.captured.is_empty() && play.suicides.is_empty() {
                    stones.push((player, Move(at as u16)));
                    board = play.board;
                }
            }
        }
        let to_play = Player::BOTH[setup.len() % 2];
        let fast = Position::with_stones(size, rules, Komi(13), &stones, to_play).expect("a legal setup");
        Modelled { fast, naive: NaiveGame::new(board, to_play, rules), promised: [false; 2] }
    }

    fn assert_agreement(&mut self, ply: usize) {
        let (fast, naive) = (&self.fast, &self.naive);
        assert_same_stones(fast.board(), &naive.board, naive.ko);
        assert_eq!((fast.to_play(), fast.passes()), (naive.to_play, naive.passes));
        assert_eq!(fast.prisoners(), naive.prisoners);
        let score = (naive.passes == 2).then(|| naive.board.area_score() as i16);
        assert_eq!(fast.terminal_score(), score, "{}", naive.board.drawing());
        for winner in Player::BOTH {
            let now = naive.board.count(winner);
            let most = naive.history.iter().map(|(board, _)| board.count(winner)).max();
            let is_over = fast.passes() >= 2;
            let expected = naive.rules.ko == KoRule::Simple || is_over || most == Some(now);
            assert_eq!(fast.permits_proof_for(winner), expected, "{winner}: {}", naive.board.drawing());
            // The game continues after two passes, a case that the promise excludes.
            self.promised[winner.index()] |= expected && !is_over;
        }
        let points = naive.board.cells.len();
        sample(points, ply).chain([points]).for_each(|at| self.assert_same_move(at));
        self.assert_same_list_of_moves();
    }

    fn assert_same_list_of_moves(&self) {
        let points = self.naive.board.cells.len();
        if points <= 40 {
            let legal: Vec<Move> =
                (0..points).filter(|&at| self.naive.check(at).is_ok()).map(|at| Move(at as u16)).collect();
            assert_eq!(self.fast.legal_moves().collect::<Vec<_>>(), legal);
            let mut priors = vec![None; points + 1];
            self.fast.expand(&mut priors);
            for (number, prior) in (0..).zip(priors) {
                assert_eq!(prior.is_some(), self.fast.is_legal_ignoring_history(Move(number)), "{number}");
            }
        }
    }

    /// Checks the position's predictions for a move.
    fn assert_same_move(&self, at: usize) {
        let (fast, naive, mv) = (&self.fast, &self.naive, Move(at as u16));
        let context = || format!("{} {} at {at} of {}", fast.rules(), naive.to_play, naive.board.drawing());
        let pass = at == naive.board.cells.len();
        let legality = if pass { Ok(()) } else { naive.check(at) };
        assert_eq!(fast.check(mv), legality, "{}", context());
        let ignoring_history = matches!(legality, Ok(()) | Err(tewari::go::position::IllegalMove::Superko));
        assert_eq!(fast.is_legal_ignoring_history(mv), ignoring_history, "{}", context());
        if !ignoring_history {
            return;
        }
        assert_eq!(fast.is_banned(mv), legality.is_err(), "{}", context());
        let mut loses = [false; 2];
        if !pass {
            let play = naive.board.play(at, naive.to_play);
            loses[naive.to_play.index()] = !play.suicides.is_empty();
            loses[naive.to_play.other().index()] = !play.captured.is_empty();
        }
        assert_eq!(fast.loses_stones(mv), loses, "{}", context());
        if legality.is_err() {
            let broken = self.promised[naive.to_play.index()] && !loses[naive.to_play.index()];
            assert!(!broken, "a promise to a winner is broken: {}", context());
            return;
        }
        let mut after = fast.clone();
        after.play(mv);
        assert_eq!(fast.key_after(mv), after.key(), "{}", context());
        for keys in KeyPolicy::ALL {
            let mut before = fast.clone();
            before.set_key_policy(keys);
            let promised = before.key_after(mv);
            before.play(mv);
            assert_eq!(promised, before.key(), "{keys} {}", context());
        }
        assert_eq!(fast.key_with_history_after(mv), after.key_with_history(), "{}", context());
        // The suicide of a single stone leaves the stones as they were; refusing the proof is safe.
        let vanishes = !pass && naive.board.play(at, naive.to_play).suicides.len() == 1;
        for winner in Player::BOTH {
            let before = fast.permits_proof_after(mv, winner);
            let expected = after.permits_proof_for(winner);
            assert!(before == expected || (vanishes && expected), "{winner}: {}", context());
        }
    }

    fn play(&mut self, at: Option<usize>) {
        if let Some(at) = at {
            let play = self.naive.board.play(at, self.naive.to_play);
            self.promised[self.naive.to_play.index()] &= play.suicides.is_empty();
            self.promised[self.naive.to_play.other().index()] &= play.captured.is_empty();
        }
        self.fast.play(at.map_or(self.fast.size().pass(), |at| Move(at as u16)));
        self.naive.play(at);
    }

    /// Mostly plays the first legal move from a random point on, sometimes does what protocols and search do.
    fn act(&mut self, word: u16) {
        if self.naive.passes == 2 {
            self.fast.resume();
            self.naive.passes = 0;
        }
        match word >> 11 {
            0 | 1 => self.play(None),
            2 => {
                self.fast.set_to_play(self.naive.to_play.other());
                self.naive.turn();
                // The promise assumes alternating moves.
                self.promised = [false; 2];
            }
            3 => self.fast.set_to_play(self.naive.to_play),
            4 => self.fast.seal(),
            5 => self.fast = self.fast.clone(),
            6 => {
                let mut copy = Position::new(self.fast.size(), Rules::TROMP_TAYLOR, Komi(-3));
                copy.clone_from(&self.fast);
                self.fast = copy;
            }
            _ => {
                let points = self.naive.board.cells.len();
                let places = (0..points).map(|k| (usize::from(word) + k) % points);
                let chosen = places.into_iter().find(|&at| self.naive.check(at).is_ok());
                self.play(chosen);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_position_agrees_with_a_list_of_all_earlier_boards(
        size in prop_oneof![
            8 => (1_usize..=4, 1_usize..=4),
            3 => (1_usize..=7, 1_usize..=2),
            2 => (5_usize..=7, 5_usize..=7),
            1 => (1_usize..=SIDE, 1_usize..=SIDE),
        ],
        rules in every_rules(),
        setup in prop::collection::vec(any::<u16>(), 0..6),
        words in prop::collection::vec(any::<u16>(), 1..250),
    ) {
        let mut game = Modelled::new(size, rules, &setup);
        game.assert_agreement(0);
        for (ply, &word) in words.iter().enumerate() {
            game.act(word);
            game.assert_agreement(ply);
        }
    }
}

/// A check that two identifications are equivalent: two things are equal by one if and only if by the other.
struct Bijection<A, B>(HashMap<A, B>, HashMap<B, A>);

impl<A: std::hash::Hash + Eq + Clone, B: std::hash::Hash + Eq + Clone + Copy> Bijection<A, B> {
    fn holds(&mut self, one: A, other: B) -> bool {
        *self.0.entry(one.clone()).or_insert(other) == other
            && *self.1.entry(other).or_insert(one.clone()) == one
    }
}

#[test]
fn two_positions_have_one_key_exactly_when_they_are_one_position() {
    let mut rng = tewari::base::rng::PlayoutRng::new(1, 0);
    for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
        // Sizes with captures of all kinds, with kos (2x2 has none), and with both.
        for size in [(2, 2), (4, 1), (2, 3)] {
            let mut by_key = Bijection(HashMap::new(), HashMap::new());
            let mut by_history = Bijection(HashMap::new(), HashMap::new());
            for _ in 0..300 {
                let mut game = Modelled::new(size, Rules { ko, suicide: false, ..Rules::CHINESE }, &[]);
                for _ in 0..40 {
                    game.act(rng.next_u64() as u16);
                    let Modelled { fast, naive, .. } = &game;
                    let identity = (naive.board.clone(), naive.to_play, naive.ko, naive.passes);
                    let text = format!("{ko:?} {size:?} {}", naive.board.drawing());
                    assert!(by_key.holds(identity.clone(), fast.key()), "{text}");
                    let history: Vec<_> = naive.forbidden().into_iter().collect();
                    assert!(by_history.holds((identity, history), fast.key_with_history()), "{text}");
                }
            }
            let met = [by_key.0.len(), by_history.0.len()];
            assert!(met[0] > 100, "{ko:?} {size:?}: only {met:?} were met");
            assert_eq!(met[0] == met[1], ko == KoRule::Simple, "{ko:?}: history counts or not");
        }
    }
}

#[test]
fn rules_and_komi_are_part_of_the_key_and_the_playout_policy_is_not() {
    let size = Size::new(9, 9).expect("a size");
    let mut all = BTreeSet::new();
    for ko in [KoRule::Simple, KoRule::Positional, KoRule::Situational] {
        for suicide in [false, true] {
            for komi in [-1, 0, 13, 15] {
                let mut position = Position::new(size, Rules { ko, suicide, ..Rules::CHINESE }, Komi(7));
                position.set_komi(Komi(komi));
                assert_eq!(position.key(), Position::new(size, position.rules(), Komi(komi)).key());
                all.insert(position.key());
            }
        }
    }
    assert_eq!(all.len(), 3 * 2 * 4);
    all.insert(Position::new(Size::new(9, 10).expect("a size"), Rules::CHINESE, Komi(13)).key());
    all.insert(Position::new(Size::new(10, 9).expect("a size"), Rules::CHINESE, Komi(13)).key());
    assert_eq!(all.len(), 3 * 2 * 4 + 2, "the size counts, too");
}
