//! Correction of an evaluator's values by the errors found in similar positions.
//!
//! An evaluator judges a local sequence wrongly in many positions of a search. The error of a position is
//!
//! e(s) = V(s) - Σ n(a)·Q(s, a) / Σ n(a),
//!
//! the evaluator's value V less the mean value of the moves searched. Positions with the same *context*, the last two
//! moves and the stones around the last, share a slot, which holds the mean error B, weighted by n^0.85 with n the visits
//! of the moves. The value of a position contains V - λ·B in place of V.
//!
//! The slots belong to an engine, not to its table, and are kept from one search to the next.
//!
//! Source: subtree value bias correction, KataGo, docs/KataGoMethods.md; there each position replaces its earlier error, here
//! every visit adds the present one with the weight by which n^0.85 grows.

use crate::base::value::Value;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// λ: the share of the mean error that is removed.
const CORRECTED_SHARE: f32 = 0.5;
/// Exponent of the visits in the weight of an error.
const WEIGHT_EXPONENT: f32 = 0.85;
/// Bits of a slot's number.
const SLOT_BITS: u32 = 16;

/// Mean errors of an evaluator by context.
pub struct ValueBias {
    /// Two numbers in each word: the weighted sum of the errors, and the sum of the weights.
    slots: Box<[AtomicU64]>,
}

/// The slot of a position's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BiasSlot(usize);

impl BiasSlot {
    /// Returns the slot of a [context](crate::base::game::Game::context_after). Different contexts may share one.
    pub(super) fn of(context: u64) -> BiasSlot {
        BiasSlot((context >> (u64::BITS - SLOT_BITS)) as usize)
    }
}

impl Default for ValueBias {
    fn default() -> ValueBias {
        ValueBias { slots: (0..1 << SLOT_BITS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl ValueBias {
    /// Forgets all errors.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot.get_mut() = 0);
    }

    /// Adds the error of a position after the visit number `visits` of its moves.
    pub(super) fn add(&self, BiasSlot(slot): BiasSlot, evaluated: Value, of_moves: Value, visits: u64) {
        let error = evaluated.as_f32() - of_moves.as_f32();
        let weight = WEIGHT_EXPONENT * libm::powf(visits.max(1) as f32, WEIGHT_EXPONENT - 1.0);
        let added = |word: u64| {
            let (sum, weights) = unpack(word);
            Some(pack(sum + error * weight, weights + weight))
        };
        let _ = self.slots[slot].fetch_update(Relaxed, Relaxed, added);
    }

    /// Returns V - λ·B: the evaluator's value of a position, corrected by the mean error of its context.
    pub(super) fn corrected(&self, BiasSlot(slot): BiasSlot, evaluated: Value) -> Value {
        let (sum, weights) = unpack(self.slots[slot].load(Relaxed));
        if weights <= 0.0 {
            return evaluated;
        }
        let value = evaluated.as_f64() - f64::from(CORRECTED_SHARE * sum / weights);
        Value((value.clamp(0.0, 1.0) * f64::from(u32::MAX)) as u32)
    }
}

fn pack(sum: f32, weights: f32) -> u64 {
    u64::from(sum.to_bits()) | u64::from(weights.to_bits()) << 32
}

fn unpack(word: u64) -> (f32, f32) {
    (f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64) -> Value {
        Value((value * f64::from(u32::MAX)) as u32)
    }

    #[test]
    fn half_of_the_mean_error_is_removed_in_the_same_context_alone() {
        let mut bias = ValueBias::default();
        let (here, elsewhere) = (BiasSlot::of(1 << 63), BiasSlot::of(1 << 48));
        assert_eq!(bias.corrected(here, value(0.7)), value(0.7));
        bias.add(here, value(0.7), value(0.3), 1);
        bias.add(here, value(0.7), value(0.3), 40);
        assert!((bias.corrected(here, value(0.6)).as_f64() - 0.4).abs() < 1e-6);
        assert!((bias.corrected(here, value(0.1)).as_f64()) < 1e-6, "at most a loss");
        assert_eq!(bias.corrected(elsewhere, value(0.6)), value(0.6));
        bias.clear();
        assert_eq!(bias.corrected(here, value(0.6)), value(0.6));
    }

    #[test]
    fn later_visits_of_one_position_weigh_less_each() {
        let bias = ValueBias::default();
        let slot = BiasSlot::of(0);
        bias.add(slot, value(0.5), value(0.5), 1);
        (2..=1000).for_each(|visits| bias.add(slot, value(0.5), value(0.25), visits));
        let (sum, weights) = unpack(bias.slots[0].load(Relaxed));
        assert!((weights - 1000.0_f32.powf(0.85)).abs() < 4.0, "{weights}");
        assert!((sum / weights - 0.25).abs() < 0.001);
    }
}
