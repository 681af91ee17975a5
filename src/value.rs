//! Winning probabilities as integers, so that sums do not depend on the order of addition.

/// A value in `[0, 1]` for one player (for the player to move, unless a name says otherwise), in units
/// of `1 / (2^32 - 1)`.
///
/// Integers make the search reproducible: a sum of `visits * value` is the same in every order and on
/// every instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

impl Value {
    /// Certain loss.
    pub const LOSS: Value = Value(0);
    /// Neither: one half.
    pub const DRAW: Value = Value(1 << 31);
    /// Certain win.
    pub const WIN: Value = Value(u32::MAX);

    /// The same for the opponent: one minus it.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Value {
        Value(!self.0)
    }

    /// The mean of `visits` results that sum to `half_points` (a win is 2); a draw if there are none.
    #[must_use]
    #[inline]
    pub fn mean(half_points: u32, visits: u32) -> Value {
        if visits == 0 {
            return Value::DRAW;
        }
        let scaled = u64::from(half_points) * u64::from(u32::MAX) / (2 * u64::from(visits));
        Value(scaled.min(u64::from(u32::MAX)) as u32)
    }

    /// As a number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn as_f32(self) -> f32 {
        self.0 as f32 * (1.0 / u32::MAX as f32)
    }

    /// As a number in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(u32::MAX)
    }
}

impl From<crate::game::Outcome> for Value {
    fn from(outcome: crate::game::Outcome) -> Value {
        match outcome {
            crate::game::Outcome::Loss => Value::LOSS,
            crate::game::Outcome::Draw => Value::DRAW,
            crate::game::Outcome::Win => Value::WIN,
        }
    }
}
