//! Weight of a move in the value of a position that a network has evaluated.

/// Weight of one visit of a move with the mean value.
pub(super) const WEIGHT_UNIT: u32 = 256;
/// Standard deviation of the value of a single visit.
const VISIT_DEVIATION: f32 = 0.4;

/// Returns the weight of each visit of a move, in units of 1 / [`WEIGHT_UNIT`]; the caller rounds it down. The weight falls
/// with the certainty that the move is worse than the mean of the moves tried: such a move was only explored, and will not be
/// played.
///
/// w = (2·T(z))^(1/4), z = (value - mean)·√visits / 0.4, where T(z) = 1/2 + z / (2·√(2 + z²)) is Student's distribution
/// function with two degrees of freedom. It needs no function but √, hence gives the same bits on every processor.
///
/// Source: `valueWeightExponent` of KataGo's search, which has three degrees of freedom.
#[inline]
pub(super) fn of_visit(value: f32, visits: f32, mean: f32) -> f32 {
    let z = (value - mean) * visits.sqrt() * (1.0 / VISIT_DEVIATION);
    let share = (1.0 + z / (2.0 + z * z).sqrt()).max(0.0);
    WEIGHT_UNIT as f32 * share.sqrt().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_counts_less_the_more_certainly_its_move_is_worse() {
        let of_visit = |value, visits, mean| of_visit(value, visits, mean) as u32;
        assert_eq!(of_visit(0.5, 100.0, 0.5), WEIGHT_UNIT);
        // z = -2.5: 1 - 2.5 / √8.25 = 0.1296, and its fourth root 0.6.
        assert_eq!(of_visit(0.4, 100.0, 0.5), 153);
        assert!(of_visit(0.4, 10.0, 0.5) > 200 && of_visit(0.4, 10_000.0, 0.5) < 80);
        assert_eq!(of_visit(1.0, 1e9, 0.0), (256.0 * 2.0_f32.powf(0.25)) as u32);
        assert!(of_visit(0.0, 4e9, 1.0) < 2);
    }
}
