//! An evaluation allocates no memory.

#![allow(unsafe_code, reason = "an allocator that counts is the only way to see allocations")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use tewari::base::game::{Move, Player};
use tewari::go::{Board, Komi, Size, Symmetry};
use tewari::network::kernels::Kernel;
use tewari::network::{Evaluator, InputPosition, Network};

struct Counting;

thread_local! {
    /// Counted for this thread only: other threads of the test harness allocate at any time.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller upholds the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_second_evaluation_allocates_nothing() {
    for side in [9, 19] {
        let board = Board::new(Size::new(side, side).unwrap());
        let situation = InputPosition {
            board: &board,
            to_play: Player::Black,
            last_moves: &[Move(3)],
            has_passes: true,
            komi: Komi(15),
        };
        for kernel in Kernel::available() {
            let mut evaluator = Evaluator::with_kernel(Network::embedded(board.size()), board.size(), kernel);
            let mut chances = vec![0; board.size().points() + 1];
            let mut ask = || {
                let before = ALLOCATIONS.get();
                let evaluation = evaluator.evaluate(&situation, Symmetry::IDENTITY);
                evaluation.move_probabilities(|_| true, &mut chances);
                ALLOCATIONS.get() - before
            };
            ask();
            assert_eq!(ask(), 0, "{side}x{side}, {kernel:?}");
        }
    }
}
