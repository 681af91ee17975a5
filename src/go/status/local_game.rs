//! A game on part of a board: stones that may be captured, all their liberties, and walls of stones that cannot be captured.

use crate::base::game::Player;

/// A set of points of a [`LocalArea`], one bit a point.
pub(super) type PointSet = u128;

/// Largest number of points of an area.
pub(super) const MAX_AREA: usize = PointSet::BITS as usize;

/// Minimum stones of one capture that leave an eye space in which the captor lives whatever the opponent plays.
const MIN_LIVING_CAPTURE: u32 = 7;

/// Minimum points of a region, not beside the player's living stones, that give the opponent room for two eyes.
const MIN_POINTS_FOR_TWO_EYES: u32 = 2;

/// Value of `ko` without a ko ban.
const NO_KO: u8 = u8::MAX;

/// Returns the elements of a set, ascending.
pub(super) fn elements(set: PointSet) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let at = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (at < PointSet::BITS).then_some(at as usize)
    })
}

/// Returns the set of one point.
pub(super) const fn single(at: usize) -> PointSet {
    1 << at
}

/// The part of a board on which a local game is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocalArea {
    /// The points.
    pub(super) all: PointSet,
    /// The neighbours of the points.
    pub(super) neighbours: Neighbours,
    /// By player, the points beside stones outside the area that cannot be captured. A stone of that player on such a point
    /// is connected to them.
    pub(super) walls: [PointSet; 2],
}

/// The neighbours of the points of an area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// The points are numbered by rows of this many numbers, the last of which is no point: neighbours differ by one or by a
    /// row.
    Rows(u32),
    /// The neighbours inside the area, by point.
    Listed(Vec<PointSet>),
}

/// A position of a local game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LocalPosition {
    /// The stones of each player.
    pub(super) stones: [PointSet; 2],
    /// The stones of each player that count as connected to walls.
    pub(super) safe: [PointSet; 2],
    /// The player to move.
    pub(super) to_play: Player,
    /// Number of passes just made, without those that lifted a ko ban.
    pub(super) passes: u8,
    ko: u8,
}

impl LocalPosition {
    /// Creates a position without ko and passes.
    pub(super) fn new(stones: [PointSet; 2], to_play: Player) -> LocalPosition {
        LocalPosition { stones, safe: [0; 2], to_play, passes: 0, ko: NO_KO }
    }

    /// Returns the position in which a ko forbids `at` to the player to move.
    pub(super) fn with_ko(self, at: usize) -> LocalPosition {
        LocalPosition { ko: at as u8, ..self }
    }

    /// Returns the position after a pass. A pass that only lifts a ko ban does not count towards the end of the game: the
    /// player had a move to make.
    pub(super) fn pass(self) -> LocalPosition {
        let passes = if self.ko == NO_KO { self.passes + 1 } else { 0 };
        LocalPosition { to_play: self.to_play.other(), passes, ko: NO_KO, ..self }
    }

    /// Returns true after two passes in a row.
    pub(super) fn is_over(&self) -> bool {
        self.passes >= 2
    }
}

/// A chain of a local game.
struct LocalChain {
    stones: PointSet,
    liberties: PointSet,
    is_alive: bool,
}

impl LocalArea {
    /// Returns the empty points.
    pub(super) fn empty(&self, state: &LocalPosition) -> PointSet {
        self.all & !(state.stones[0] | state.stones[1])
    }

    /// Returns the points on which a stone of `player` cannot be captured.
    fn walls_in(&self, state: &LocalPosition, player: Player) -> PointSet {
        self.walls[player.index()] | state.safe[player.index()]
    }

    /// Returns the neighbours of the points of a set, some of which may be in the set.
    fn neighbours_of(&self, set: PointSet) -> PointSet {
        match &self.neighbours {
            Neighbours::Rows(row) => {
                // Shifts by less than 64 have no branch.
                let row = row % 64;
                (set << 1 | set >> 1 | set << row | set >> row) & self.all
            }
            Neighbours::Listed(neighbours) => elements(set).fold(0, |found, at| found | neighbours[at]),
        }
    }

    /// Returns the points of the area beside a set.
    pub(super) fn beside(&self, set: PointSet) -> PointSet {
        self.neighbours_of(set) & !set
    }

    /// Returns the points of `within` that are connected with `start` inside it.
    pub(super) fn connected(&self, start: PointSet, within: PointSet) -> PointSet {
        let mut found = start & within;
        let mut frontier = found;
        while frontier != 0 {
            frontier = self.neighbours_of(frontier) & within & !found;
            found |= frontier;
        }
        found
    }

    /// Returns the connected parts of a set.
    fn parts(&self, set: PointSet) -> impl Iterator<Item = PointSet> + '_ {
        let mut rest = set;
        std::iter::from_fn(move || {
            let part = self.connected(rest & rest.wrapping_neg(), rest);
            rest &= !part;
            (part != 0).then_some(part)
        })
    }

    /// Returns the position after a stone on the empty point `at`; `None` if ko or suicide forbids it.
    pub(super) fn play(&self, state: &LocalPosition, at: usize) -> Option<LocalPosition> {
        if usize::from(state.ko) == at {
            return None;
        }
        let (own, enemy) = (state.to_play.index(), state.to_play.other().index());
        let [own_walls, enemy_walls] =
            [state.to_play, state.to_play.other()].map(|of| self.walls_in(state, of));
        let stone = single(at);
        let mut stones = state.stones;
        stones[own] |= stone;
        let empty = self.all & !(stones[0] | stones[1]);
        let mut captured: PointSet = 0;
        let mut rest = self.beside(stone) & stones[enemy];
        while rest != 0 {
            let chain = self.connected(rest & rest.wrapping_neg(), stones[enemy]);
            rest &= !chain;
            if chain & enemy_walls == 0 && self.beside(chain) & empty == 0 {
                captured |= chain;
            }
        }
        stones[enemy] &= !captured;
        let chain = self.connected(stone, stones[own]);
        let liberties = self.beside(chain) & (empty | captured);
        if liberties == 0 && chain & own_walls == 0 {
            return None;
        }
        let is_ko = captured.count_ones() == 1 && chain == stone && liberties == captured;
        let ko = if is_ko && chain & own_walls == 0 { captured.trailing_zeros() as u8 } else { NO_KO };
        let after = LocalPosition { stones, safe: state.safe, to_play: state.to_play.other(), passes: 0, ko };
        Some(with_living_space_filled(captured, state.to_play, after))
    }

    /// Returns the points that each player owns if the game ends now: all stones, and empty points that reach one player
    /// alone.
    pub(super) fn owned(&self, state: &LocalPosition) -> [PointSet; 2] {
        let mut owned = state.stones;
        for region in self.parts(self.empty(state)) {
            let reached = self.beside(region);
            let reaches = Player::BOTH.map(|player| {
                let player = player.index();
                reached & state.stones[player] != 0 || region & self.walls[player] != 0
            });
            match reaches {
                [true, false] => owned[0] |= region,
                [false, true] => owned[1] |= region,
                _ => {}
            }
        }
        owned
    }

    /// Returns the points that each player owns whatever is played: chains connected to walls or unconditionally alive,
    /// and regions that they alone surround if no group of the opponent can make two eyes there.
    pub(super) fn settled(&self, state: &LocalPosition) -> [PointSet; 2] {
        Player::BOTH.map(|player| self.settled_for(state, player))
    }

    fn settled_for(&self, state: &LocalPosition, player: Player) -> PointSet {
        let alive = self.alive(state, player);
        if alive | self.walls[player.index()] == 0 {
            return 0;
        }
        let near = self.beside(alive) | self.walls[player.index()];
        let enemy_walls = self.walls_in(state, player.other());
        let mut settled = alive;
        for region in self.parts(self.all & !alive) {
            let is_closed = region & enemy_walls == 0;
            if is_closed && (region & !near).count_ones() < MIN_POINTS_FOR_TWO_EYES {
                settled |= region;
            }
        }
        settled
    }

    /// Returns the stones of `player` that are connected to walls or, together with those, unconditionally alive (Benson's
    /// theorem, as in [`unconditional`](crate::go::unconditional)).
    fn alive(&self, state: &LocalPosition, player: Player) -> PointSet {
        let own = state.stones[player.index()];
        let [walls, enemy_walls] = [player, player.other()].map(|of| self.walls_in(state, of));
        let empty = self.empty(state);
        let mut chains: Vec<LocalChain> = self
            .parts(own)
            .map(|stones| LocalChain {
                stones,
                liberties: self.beside(stones) & empty,
                is_alive: stones & walls != 0,
            })
            .collect();
        // A region beside the opponent's walls continues outside the area.
        let closed: Vec<PointSet> =
            self.parts(self.all & !own).filter(|region| region & enemy_walls == 0).collect();
        let sure = chains.iter().filter(|chain| chain.is_alive).fold(0, |sure, chain| sure | chain.stones);
        for chain in chains.iter_mut().filter(|chain| !chain.is_alive) {
            chain.is_alive = closed.iter().filter(|&&region| is_vital(region & empty, chain)).count() >= 2;
        }
        loop {
            let alive =
                chains.iter().filter(|chain| chain.is_alive).fold(0, |alive, chain| alive | chain.stones);
            let surrounded: Vec<PointSet> =
                closed.iter().copied().filter(|&region| self.beside(region) & own & !alive == 0).collect();
            let mut is_changed = false;
            for chain in chains.iter_mut().filter(|chain| chain.is_alive && chain.stones & sure == 0) {
                let eyes = surrounded.iter().filter(|&&region| is_vital(region & empty, chain)).count();
                chain.is_alive = eyes >= 2;
                is_changed |= !chain.is_alive;
            }
            if !is_changed {
                return alive;
            }
        }
    }
}

/// Fills the points of a large capture with stones of the captor: the space lives, and moves there do not matter.
fn with_living_space_filled(captured: PointSet, captor: Player, mut after: LocalPosition) -> LocalPosition {
    if captured.count_ones() >= MIN_LIVING_CAPTURE {
        after.stones[captor.index()] |= captured;
        after.safe[captor.index()] |= captured;
    }
    after
}

/// Returns true if the region is vital to the chain: the opponent cannot fill its last empty point, since all of them are
/// liberties of the chain.
fn is_vital(empty_of_region: PointSet, chain: &LocalChain) -> bool {
    empty_of_region != 0 && empty_of_region & !chain.liberties == 0
}
