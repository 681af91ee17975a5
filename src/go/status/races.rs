//! Races: a chain and the chains on which its status may depend, searched alone in areas too large to search.

use super::area_search::{AreaSearch, RoundBoard};
use super::safe_chains::{self, MAX_SHARE_ASSUMED_SAFE, MIN_FREE_LIBERTIES};
use super::searched_area::SearchedArea;

/// Minimum share of playouts that lose a chain for it to be removed as dead before its neighbours are searched.
pub(super) const MIN_SHARE_DEAD: f64 = 0.75;

/// Largest number of positions that the search of the race of a chain in doubt visits.
const MAX_DOUBTFUL_POSITIONS: u32 = 3_000;

/// The chains with a race to search, by the share of playouts that lose them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RaceRule {
    /// Chains that would be removed as dead.
    Lost,
    /// Chains in doubt, between chains that the vote keeps.
    Doubtful,
}

impl RaceRule {
    /// Returns the minimum share of playouts that lose the chain, and the largest number of positions of a search.
    fn limits(self) -> (f64, u32) {
        match self {
            RaceRule::Lost => (MIN_SHARE_DEAD, u32::MAX),
            RaceRule::Doubtful => (MAX_SHARE_ASSUMED_SAFE, MAX_DOUBTFUL_POSITIONS),
        }
    }
}

/// Searches races in areas too large to search, and returns those that are sekis whoever moves first. Their chains are
/// removed from `unsearched`.
pub(super) fn kept_races(
    areas: &mut AreaSearch<'_>,
    round: &RoundBoard,
    unsearched: &mut [Vec<usize>],
    rule: RaceRule,
) -> Vec<SearchedArea> {
    let (min_share_lost, max_positions) = rule.limits();
    let mut kept = Vec::new();
    for component in unsearched {
        let is_due = |chain: &usize| areas.share_lost(round, *chain) >= min_share_lost;
        let due: Vec<usize> = component.iter().copied().filter(is_due).collect();
        for chain in due {
            // An earlier race may have had the chain in it.
            if !component.contains(&chain) {
                continue;
            }
            // Without a search of captures, captured chains seem to live in seki.
            if rule == RaceRule::Doubtful && !areas.can_search_captures() {
                return kept;
            }
            let race = chains_of_race(areas, round, chain);
            let Some(area) = areas.search(round, &race, max_positions) else { continue };
            let is_kept = area.settles_seki_of(round.numbers[chain])
                && (rule == RaceRule::Lost || has_living_walls(areas, round, &race));
            if is_kept {
                component.retain(|chain| !race.contains(chain));
                kept.push(area);
            }
        }
    }
    kept
}

/// Returns a chain and the chains in contact with it on which its status may depend: those that more than a few
/// playouts lose, and enemy chains with few liberties that the chain does not share.
fn chains_of_race(areas: &AreaSearch<'_>, round: &RoundBoard, chain: usize) -> Vec<usize> {
    let map = &round.map;
    let is_at_risk =
        |other: &usize| !round.safe[*other] && areas.share_lost(round, *other) >= MAX_SHARE_ASSUMED_SAFE;
    let is_short = |enemy: &usize| {
        let free = || safe_chains::liberties_apart_from(map, *enemy, |beside| beside == chain);
        !round.safe[*enemy] && free() < MIN_FREE_LIBERTIES
    };
    let enemies = safe_chains::contacts(map, chain).into_iter();
    let mut race: Vec<usize> = enemies.filter(|enemy| is_at_risk(enemy) || is_short(enemy)).collect();
    race.extend(safe_chains::companions(map, chain).into_iter().filter(is_at_risk));
    race.push(chain);
    race.sort_unstable();
    race.dedup();
    race
}

/// Returns true if the vote keeps all enemy chains in contact with a race, which its search takes for safe.
fn has_living_walls(areas: &AreaSearch<'_>, round: &RoundBoard, race: &[usize]) -> bool {
    let walls = race.iter().flat_map(|&chain| safe_chains::contacts(&round.map, chain));
    walls.filter(|wall| !race.contains(wall)).all(|wall| areas.share_lost(round, wall) <= 0.5)
}
