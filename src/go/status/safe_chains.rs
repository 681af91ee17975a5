//! Chains that are safe without a search: by unconditional life, by their territory, or by a clear vote of playouts.

use super::chain_map::ChainMap;
use crate::go::board::Board;
use crate::go::unconditional::unconditional_owners;

/// Minimum points of territory in which a group lives whatever the opponent plays there.
const MIN_LIVING_TERRITORY: usize = 7;

/// Share of lost playouts below which a chain is safe if every enemy chain in contact with it is safe or dead.
pub(super) const MAX_SHARE_SAFE: f64 = 0.02;

/// Share of lost playouts below which a chain beside its own large territory is safe.
const MAX_SHARE_SAFE_BESIDE_TERRITORY: f64 = 0.1;

/// Maximum share of playouts that lose a chain assumed safe. A chain is doubtful between this share and one minus it.
pub(super) const MAX_SHARE_ASSUMED_SAFE: f64 = 0.15;

/// Minimum liberties in regions without doubtful chains for a chain in contact with a doubtful one to be assumed safe.
pub(super) const MIN_FREE_LIBERTIES: usize = 3;

/// Returns the chains that are safe and those that are dead without a search. `lost` is the share of playouts that lose
/// each chain.
///
/// A chain is safe if it is unconditionally alive, has two liberties in a territory large enough to live in (or one, if
/// few playouts lose it), or if almost no playout loses it and it has [two eye spaces](with_two_eye_spaces) or all enemy
/// chains in contact with it are safe or dead. Playouts are wrong where stones inside an eye space or a race decide.
pub(super) fn settled_without_search(
    board: &Board,
    map: &ChainMap,
    suicide: bool,
    lost: &[f64],
) -> (Vec<bool>, Vec<bool>) {
    let owners = unconditional_owners(board, suicide);
    let owner_of = |chain: usize| owners[board.geometry().move_of(map.chains[chain].stones[0]).index()];
    let player_of = |chain: usize| map.chains[chain].player;
    let count = map.chains.len();
    let mut safe: Vec<bool> = (0..count).map(|chain| owner_of(chain) == Some(player_of(chain))).collect();
    let dead: Vec<bool> = (0..count).map(|chain| owner_of(chain) == Some(player_of(chain).other())).collect();
    for region in map.regions.iter().filter(|region| region.points.len() >= MIN_LIVING_TERRITORY) {
        if region.owner(&map.chains).is_some() {
            for &(chain, liberties) in &region.borders {
                safe[chain] |= liberties >= 2 || lost[chain] < MAX_SHARE_SAFE_BESIDE_TERRITORY;
            }
        }
    }
    let two_eyed = with_two_eye_spaces(map, |chain| !dead[chain] && lost[chain] < MAX_SHARE_SAFE);
    safe.iter_mut().zip(two_eyed).for_each(|(safe, has_two)| *safe |= has_two);
    let contacts: Vec<Vec<usize>> = (0..count).map(|chain| contacts(map, chain)).collect();
    loop {
        let is_newly_safe = |chain: &usize| {
            !safe[*chain]
                && !dead[*chain]
                && lost[*chain] < MAX_SHARE_SAFE
                && contacts[*chain].iter().all(|&enemy| safe[enemy] || dead[enemy])
        };
        let new: Vec<usize> = (0..count).filter(is_newly_safe).collect();
        if new.is_empty() {
            return (safe, dead);
        }
        new.into_iter().for_each(|chain| safe[chain] = true);
    }
}

/// Returns the chains that the search of the other chains of `component` may take for safe, and all chains outside it.
///
/// Few playouts lose such a chain. If it is in contact with chains of doubtful status, almost no playout loses it and it has
/// liberties of its own: otherwise it may be part of a race or a seki, in which playouts are wrong.
pub(super) fn assumed_safe(map: &ChainMap, component: &[usize], lost: &[f64]) -> Vec<bool> {
    let is_doubtful =
        |chain: usize| (MAX_SHARE_ASSUMED_SAFE..1.0 - MAX_SHARE_ASSUMED_SAFE).contains(&lost[chain]);
    let free_liberties = |chain| liberties_apart_from(map, chain, is_doubtful);
    let is_safe = |chain: usize| {
        let may_race = contacts(map, chain).into_iter().any(is_doubtful);
        lost[chain] < MAX_SHARE_ASSUMED_SAFE
            && (!may_race || lost[chain] < MAX_SHARE_SAFE && free_liberties(chain) >= MIN_FREE_LIBERTIES)
    };
    (0..map.chains.len()).map(|chain| !component.contains(&chain) || is_safe(chain)).collect()
}

/// Returns the chains among `candidates` that border two or more empty regions that such chains alone surround. Unlike in
/// Benson's theorem, a point of a region need not be a liberty: a move of the opponent on it is assumed to be answered
/// inside the region.
fn with_two_eye_spaces(map: &ChainMap, candidates: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut chosen: Vec<bool> = (0..map.chains.len()).map(candidates).collect();
    loop {
        let mut eye_spaces = vec![0; map.chains.len()];
        for region in map.regions.iter().filter(|region| region.owner(&map.chains).is_some()) {
            if region.borders.iter().all(|&(chain, _)| chosen[chain]) {
                region.borders.iter().for_each(|&(chain, _)| eye_spaces[chain] += 1);
            }
        }
        let before = chosen.clone();
        chosen.iter_mut().zip(&eye_spaces).for_each(|(chosen, &count)| *chosen &= count >= 2);
        if chosen == before {
            return chosen;
        }
    }
}

/// Returns the number of liberties of a chain in regions that no chain among `others` touches.
pub(super) fn liberties_apart_from(map: &ChainMap, chain: usize, others: impl Fn(usize) -> bool) -> usize {
    let is_free = |borders: &[(usize, usize)]| !borders.iter().any(|&(beside, _)| others(beside));
    let free = map.regions.iter().filter(|region| is_free(&region.borders));
    free.flat_map(|region| &region.borders).filter(|border| border.0 == chain).map(|border| border.1).sum()
}

/// Returns the chains of the same player with liberties in the same empty region, a chain itself among them.
pub(super) fn companions(map: &ChainMap, chain: usize) -> Vec<usize> {
    let shared =
        map.regions.iter().filter(|region| region.borders.iter().any(|&(beside, _)| beside == chain));
    let beside = shared.flat_map(|region| region.borders.iter().map(|&(beside, _)| beside));
    beside.filter(|&beside| map.chains[beside].player == map.chains[chain].player).collect()
}

/// Returns the enemy chains beside a chain or with liberties in the same empty region.
pub(super) fn contacts(map: &ChainMap, chain: usize) -> Vec<usize> {
    let mut enemies = map.chains[chain].enemies.clone();
    for region in &map.regions {
        if region.borders.iter().any(|&(beside, _)| beside == chain) {
            let player = map.chains[chain].player;
            let others = region.borders.iter().map(|&(beside, _)| beside);
            enemies.extend(others.filter(|&beside| map.chains[beside].player != player));
        }
    }
    enemies.sort_unstable();
    enemies.dedup();
    enemies
}
