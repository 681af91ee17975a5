//! Joint strengths of several players, from the games between them.

use super::{Interval, PairCounts, two_sided_95};

/// Elo points of a factor e in strength: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Maximum number of rounds of the fit; a hundred players in a circle take thousands.
const MAX_ROUNDS: usize = 100_000;
/// Relative change of all strengths below which the fit ends.
const PRECISION: f64 = 1e-10;

/// The games of two players against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Indices of the two players.
    pub players: [usize; 2],
    /// Their results, from the first player's view.
    pub counts: PairCounts,
}

/// Joint strengths of all players.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Elo of each player relative to the mean of all, with its 95 % interval.
    pub elo: Vec<Interval>,
    /// True if a drawn game was added to every meeting, without which some strength would be infinite.
    pub has_imagined_draws: bool,
}

impl Ranking {
    /// Ranks `players` by their meetings, at most one for each two players; `None` if games do not connect all
    /// players, directly or through others.
    ///
    /// Strengths are the maximum-likelihood ones of the Bradley-Terry model: player i beats j with the probability
    /// γ_i / (γ_i + γ_j), a draw counts half. They are fitted by minorisation and maximisation. The model weighs all
    /// games alike, but the two games of a pair depend on each other, to a degree that differs between meetings. So
    /// intervals come from the *sandwich* A⁺BA⁺: A is the Fisher information of the games taken as independent, B the
    /// variance of the points, in which a meeting counts as [`PairCounts::effective_games`].
    ///
    /// Source: D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32 (2004),
    /// section 2, for the fit; H. White, "Maximum likelihood estimation of misspecified models", Econometrica 50
    /// (1982), for intervals; L. R. Ford, "Solution of a ranking problem from binary comparisons", American
    /// Mathematical Monthly 64 (1957), for the existence of a solution.
    #[must_use]
    pub fn of(players: usize, meetings: &[Meeting]) -> Option<Ranking> {
        let played = || meetings.iter().filter(|meeting| meeting.counts.games() > 0);
        let mut met = vec![vec![false; players]; players];
        let mut won = met.clone();
        let mut points = vec![vec![0.0; players]; players];
        for &Meeting { players: [one, other], counts } in played() {
            let of_one = counts.points();
            let of_other = counts.games() as f64 - of_one;
            (points[one][other], points[other][one]) = (of_one, of_other);
            (met[one][other], met[other][one]) = (true, true);
            (won[one][other], won[other][one]) = (of_one > 0.0, of_other > 0.0);
        }
        if players == 0 || !all_reach_all(met) {
            return None;
        }
        let has_imagined_draws = !all_reach_all(won);
        if has_imagined_draws {
            for Meeting { players: [one, other], .. } in played() {
                points[*one][*other] += 0.5;
                points[*other][*one] += 0.5;
            }
        }
        let strengths = fit(&points);
        let variances = variances(&strengths, meetings, has_imagined_draws);
        let interval = |(strength, variance): (&f64, f64)| {
            let (estimate, half) = (ELO * strength.ln(), ELO * two_sided_95() * variance.sqrt());
            Interval { estimate, low: estimate - half, high: estimate + half }
        };
        let elo = strengths.iter().zip(variances).map(interval).collect();
        Some(Ranking { elo, has_imagined_draws })
    }
}

/// Returns true if every player reaches every other along the relation (transitive closure).
fn all_reach_all(mut reaches: Vec<Vec<bool>>) -> bool {
    let players = reaches.len();
    for through in 0..players {
        for from in 0..players {
            if reaches[from][through] {
                let further = reaches[through].clone();
                reaches[from].iter_mut().zip(further).for_each(|(here, there)| *here |= there);
            }
        }
    }
    (0..players).all(|from| (0..players).all(|to| from == to || reaches[from][to]))
}

/// Returns the maximum-likelihood strengths γ, with the mean logarithm 0: γ_i is set to W_i / Σ_j n_ij / (γ_i + γ_j)
/// until it converges. `points[i][j]` are the points of i against j.
fn fit(points: &[Vec<f64>]) -> Vec<f64> {
    let players = points.len();
    let mut strengths = vec![1.0_f64; players];
    for _ in 0..MAX_ROUNDS {
        let mut change = 0.0_f64;
        for player in 0..players {
            let others = (0..players).filter(|&other| other != player);
            let (mut won, mut weight) = (0.0, 0.0);
            for other in others {
                won += points[player][other];
                let games = points[player][other] + points[other][player];
                weight += games / (strengths[player] + strengths[other]);
            }
            // A single player has no games.
            let better = if weight > 0.0 { won / weight } else { 1.0 };
            change = change.max((better / strengths[player] - 1.0).abs());
            strengths[player] = better;
        }
        let mean = strengths.iter().map(|strength| strength.ln()).sum::<f64>() / players as f64;
        strengths.iter_mut().for_each(|strength| *strength /= mean.exp());
        if change < PRECISION {
            break;
        }
    }
    strengths
}

/// Returns the variances of the logarithms of the strengths relative to their mean: the diagonal of A⁺BA⁺ (see
/// [`Ranking::of`]). Rows of A and B sum to 0. So with J, the matrix of 1/n, the pseudo-inverse A⁺ is (A + J)^-1 - J,
/// and JB is 0.
fn variances(strengths: &[f64], meetings: &[Meeting], has_imagined_draws: bool) -> Vec<f64> {
    let players = strengths.len();
    let imagined = if has_imagined_draws { 1.0 } else { 0.0 };
    let mut information = vec![vec![1.0 / players as f64; players]; players];
    let mut variance = vec![vec![0.0; players]; players];
    for Meeting { players, counts } in meetings.iter().filter(|it| it.counts.games() > 0) {
        let [one, other] = players.map(|player| strengths[player]);
        let probability = one / (one + other);
        let known = (counts.games() as f64 + imagined) * probability * (1.0 - probability);
        let correlation = (counts.games() as f64 + imagined) / (counts.effective_games() + imagined);
        add_meeting(&mut information, *players, known);
        add_meeting(&mut variance, *players, known * correlation);
    }
    let inverse = inverse(information);
    let product = |row: &[f64], other: &[f64]| -> f64 { row.iter().zip(other).map(|(a, b)| a * b).sum() };
    let spread = |row: &Vec<f64>| -> f64 {
        // The inverse is symmetric: its rows are its columns.
        product(row, &variance.iter().map(|of_one| product(of_one, row)).collect::<Vec<_>>())
    };
    inverse.iter().map(|row| spread(row).max(0.0)).collect()
}

/// Adds a meeting's information about the difference of its two players.
fn add_meeting(matrix: &mut [Vec<f64>], [one, other]: [usize; 2], known: f64) {
    for (row, column, sign) in [(one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)]
    {
        matrix[row][column] += sign * known;
    }
}

/// Returns the inverse of a positive definite matrix, by Gauss-Jordan elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (row, values) in matrix.iter_mut().enumerate() {
        values.extend((0..size).map(|column| if column == row { 1.0 } else { 0.0 }));
    }
    for pivot in 0..size {
        let scale = matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|value| *value /= scale);
        let pivot_row = matrix[pivot].clone();
        for (row, values) in matrix.iter_mut().enumerate().filter(|(row, _)| *row != pivot) {
            debug_assert_ne!(row, pivot);
            let factor = values[pivot];
            values.iter_mut().zip(&pivot_row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    matrix.into_iter().map(|row| row[size..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    /// Returns a meeting of games without partners, each one independent trial.
    fn singles(one: usize, other: usize, won: u64, lost: u64) -> Meeting {
        let counts = PairCounts { pairs: [0; 5], singles: [lost, 0, won] };
        Meeting { players: [one, other], counts }
    }

    /// Games won by the row's team in the American League East of 1987. A. Agresti, "Categorical Data Analysis" (2nd
    /// edition, 2002), table 10.10.
    const BASEBALL: [[u64; 7]; 7] = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ];

    fn baseball() -> Vec<Meeting> {
        let pairs = (0..7).flat_map(|one| (one + 1..7).map(move |other| (one, other)));
        pairs.map(|(one, other)| singles(one, other, BASEBALL[one][other], BASEBALL[other][one])).collect()
    }

    /// H. Turner and D. Firth, "Bradley-Terry Models in R", Journal of Statistical Software 48 (2012), section 2.3:
    /// Milwaukee, Detroit, Toronto, New York, Boston and Cleveland against Baltimore, as logarithms.
    #[test]
    fn strengths_are_the_published_ones() {
        let ranking = Ranking::of(7, &baseball()).expect("a ranking");
        let published = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0];
        assert!(!ranking.has_imagined_draws);
        for (team, expected) in published.into_iter().enumerate() {
            let found = (ranking.elo[team].estimate - ranking.elo[6].estimate) / ELO;
            assert!((found - expected).abs() < 1e-4, "{team}: {found}, published {expected}");
        }
        assert!(ranking.elo.iter().map(|elo| elo.estimate).sum::<f64>().abs() < 1e-6);
    }

    #[test]
    fn intervals_of_two_players_are_those_of_their_difference() {
        let ranking = Ranking::of(2, &[singles(0, 1, 30, 10)]).expect("a ranking");
        // The log odds have the variance 1/30 + 1/10; each player has half of the difference.
        let expected = ELO * two_sided_95() * (1.0_f64 / 30.0 + 1.0 / 10.0).sqrt() / 2.0;
        let half = (ranking.elo[0].high - ranking.elo[0].low) / 2.0;
        assert!((half - expected).abs() < 1e-9, "{half} {expected}");
        assert!((ranking.elo[0].estimate - ELO * 3.0_f64.ln() / 2.0).abs() < 1e-6);
    }

    /// From the same source. The standard error of a team is that of its difference to Baltimore, from the inverse of
    /// the information without Baltimore's row and column.
    #[test]
    fn standard_errors_are_the_published_ones() {
        let strengths: Vec<f64> =
            Ranking::of(7, &baseball()).unwrap().elo.iter().map(|elo| (elo.estimate / ELO).exp()).collect();
        let mut information = vec![vec![0.0; 6]; 6];
        for one in 0..7 {
            for other in (0..7).filter(|&other| other != one) {
                let probability = strengths[one] / (strengths[one] + strengths[other]);
                let known = 13.0 * probability * (1.0 - probability);
                if one < 6 {
                    information[one][one] += known;
                    if other < 6 {
                        information[one][other] -= known;
                    }
                }
            }
        }
        let covariance = inverse(information);
        for (team, expected) in [0.3433, 0.3396, 0.3367, 0.3359, 0.3339, 0.3319].into_iter().enumerate() {
            let found = covariance[team][team].sqrt();
            assert!((found - expected).abs() < 1e-4, "{team}: {found}, published {expected}");
        }
    }

    #[test]
    fn games_of_a_pair_are_not_taken_for_independent_ones() {
        let half = |pairs| {
            let counts = PairCounts { pairs, singles: [0; 3] };
            let ranking = Ranking::of(2, &[Meeting { players: [0, 1], counts }]).expect("a ranking");
            ranking.elo[0].high - ranking.elo[0].estimate
        };
        // Half of 100 games won: with both games of a pair alike, or with all pairs split.
        assert!(half([25, 0, 0, 0, 25]) > 5.0 * half([0, 0, 50, 0, 0]));
    }

    /// Returns pairs of games between equals: the share `split` is split, one side wins both games of the others.
    fn pairs_of_equals(count: u64, split: f64, rng: &mut ChaCha8Rng) -> PairCounts {
        let mut counts = PairCounts::default();
        for _ in 0..count {
            let is_split = f64::from(rng.next_u32()) < split * 2_f64.powi(32);
            counts.pairs[if is_split { 2 } else { 4 * (rng.next_u32() % 2) as usize }] += 1;
        }
        counts
    }

    #[test]
    fn intervals_hold_the_truth_where_pairs_of_some_meetings_are_mostly_split() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut held = [0; 3];
        for _ in 0..1000 {
            let mut meeting = |players, split| {
                let counts = pairs_of_equals(50, split, &mut rng);
                Meeting { players, counts }
            };
            let meetings = [meeting([0, 1], 0.98), meeting([1, 2], 0.3), meeting([0, 2], 0.98)];
            let ranking = Ranking::of(3, &meetings).expect("a ranking");
            for (held, elo) in held.iter_mut().zip(&ranking.elo) {
                *held += u32::from(elo.low <= 0.0 && 0.0 <= elo.high);
            }
        }
        // Player 0 has mostly split pairs, and each of its meetings includes a part of the imagined pair.
        assert!(held[0] >= 930, "{held:?}");
        assert!(held[1..].iter().all(|held| (930..970).contains(held)), "{held:?}");
    }

    #[test]
    fn unbeaten_player_has_finite_strength() {
        let ranking = Ranking::of(3, &[singles(0, 1, 9, 0), singles(1, 2, 5, 4)]).expect("a ranking");
        assert!(ranking.has_imagined_draws);
        let elo: Vec<f64> = ranking.elo.iter().map(|elo| elo.estimate).collect();
        // 9.5 of 10 points, the imagined draw included.
        assert!((elo[0] - elo[1] - ELO * 19.0_f64.ln()).abs() < 1e-6, "{elo:?}");
        assert!(elo[1] > elo[2]);
    }

    #[test]
    fn players_without_games_in_common_cannot_be_ranked() {
        assert_eq!(Ranking::of(4, &[singles(0, 1, 3, 2), singles(2, 3, 3, 2)]), None);
        assert_eq!(Ranking::of(3, &[singles(0, 1, 3, 2), singles(1, 2, 0, 0)]), None);
        assert_eq!(Ranking::of(0, &[]), None);
    }
}
