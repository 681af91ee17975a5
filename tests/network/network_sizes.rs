//! The program has a network for small boards and one for large ones; an engine uses the one for its board.

use tewari::base::game::Player;
use tewari::base::memory::MemoryBudget;
use tewari::engine::{Engine, EngineOptions, evaluation};
use tewari::go::{Komi, Position, Rules, Size};
use tewari::network::Network;
use tewari::search::Limits;

fn square(side: usize) -> Size {
    Size::new(side, side).expect("a size")
}

#[test]
fn both_together_take_at_most_500_kilobytes_and_one_is_loaded_once() {
    let [small, large] = [9, 19].map(|side| Network::embedded(square(side)));
    assert_ne!(small.identity(), large.identity());
    assert!(small.file_bytes() + large.file_bytes() <= 500_000);
    let size = |columns, rows| Network::embedded(Size::new(columns, rows).expect("a size"));
    for (size, expected) in
        [(size(1, 1), &small), (size(9, 7), &small), (size(3, 10), &large), (size(10, 10), &large)]
    {
        assert_eq!(size.identity(), expected.identity());
    }
    assert!(std::sync::Arc::ptr_eq(&small, &size(9, 9)));
}

#[test]
fn an_engine_asks_the_network_for_its_board_also_after_another_size() {
    let memory = MemoryBudget::Table(1 << 20);
    let options = EngineOptions { size: square(11), komi: Komi(13), memory, ..EngineOptions::default() };
    let mut engine = Engine::new(options).expect("an engine");
    for side in [11, 5, 9, 10, 7] {
        engine.new_game(square(side)).expect("a board");
        let network = Network::embedded(square(side));
        assert_eq!(engine.network().map(|network| network.identity()), Some(network.identity()), "{side}");
        let limits = Limits { simulations: Some(20), ..Limits::default() };
        let report = engine.search(Player::Black, limits, &mut |_| true).expect("a report");
        let policy =
            evaluation::evaluate(&network, &Position::new(square(side), Rules::CHINESE, Komi(13))).policy;
        for candidate in report.moves.iter().chain(&report.untried) {
            assert_eq!(candidate.prior, policy[candidate.mv.index()], "{side}");
        }
    }
}
