//! Simulations under way, so that several workers do not all take the same path.
//!
//! Kept beside the table, not in it: a process that dies would leave its virtual losses in a shared
//! file for ever. The counters are hashed by position and move; two edges that share one only look
//! busier than they are.

use crate::zobrist::mix;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

const COUNTERS: usize = 1 << 14;

/// Counters of simulations under way, by edge.
pub(super) struct VirtualLoss {
    counters: Box<[AtomicU8]>,
}

impl VirtualLoss {
    pub(super) fn new() -> VirtualLoss {
        VirtualLoss { counters: (0..COUNTERS).map(|_| AtomicU8::new(0)).collect() }
    }

    #[inline]
    fn counter(&self, key: u64, index: usize) -> &AtomicU8 {
        &self.counters[(mix(key) as usize).wrapping_add(index.wrapping_mul(0x9e5)) % COUNTERS]
    }

    /// Simulations under way through the edge.
    #[inline]
    pub(super) fn get(&self, key: u64, index: usize) -> f32 {
        f32::from(self.counter(key, index).load(Relaxed))
    }

    /// One more. There are never more than workers, and those are fewer than 256.
    #[inline]
    pub(super) fn add(&self, key: u64, index: usize) {
        self.counter(key, index).fetch_add(1, Relaxed);
    }

    /// One less.
    #[inline]
    pub(super) fn remove(&self, key: u64, index: usize) {
        self.counter(key, index).fetch_sub(1, Relaxed);
    }
}
