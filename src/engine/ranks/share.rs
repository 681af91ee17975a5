//! The part of a search's limits that falls to one rank.

use crate::search::Limits;

/// Returns the simulations of all ranks together, if the limits count them: those to the limit of simulations or of visits.
/// `visits` are those of the root before the search.
pub(super) fn simulations_of_all(limits: &Limits, visits: u64) -> Option<u64> {
    let missing = limits.visits.map(|limit| limit.saturating_sub(visits));
    [limits.simulations, missing].into_iter().flatten().min()
}

/// Returns the share of `all` simulations that `rank` of `ranks` runs; the shares differ by at most one.
pub(super) fn share(all: u64, rank: usize, ranks: usize) -> u64 {
    all / ranks as u64 + u64::from((rank as u64) < all % ranks as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_all_simulations_together() {
        for all in [0, 1, 2, 7, 1_000, u64::MAX] {
            for ranks in [1, 2, 3, 64] {
                let shares: Vec<u64> = (0..ranks).map(|rank| share(all, rank, ranks)).collect();
                assert_eq!(shares.iter().sum::<u64>(), all);
                assert!(shares[0] - shares[ranks - 1] <= 1);
            }
        }
    }

    #[test]
    fn a_limit_of_visits_counts_those_before() {
        let limits = |simulations, visits| Limits { simulations, visits, ..Limits::default() };
        assert_eq!(simulations_of_all(&limits(None, None), 9), None);
        assert_eq!(simulations_of_all(&limits(None, Some(100)), 9), Some(91));
        assert_eq!(simulations_of_all(&limits(Some(50), Some(100)), 9), Some(50));
        assert_eq!(simulations_of_all(&limits(None, Some(100)), 900), Some(0));
    }
}
