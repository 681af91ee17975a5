//! Self-play: games of the engine against itself, from which a network learns.
//!
//! A quarter of the moves get a long search with noise at the root; the policy learns from the visits of these searches.
//! The other moves get a short search, so that more games end and the value has more results to learn from. Source of both,
//! and of the numbers: Wu, "Accelerating Self-Play Learning in Go", arXiv 1902.10565, sections 3.1 and 3.2 and appendix D.

pub mod comparison;
mod folder;
mod noise;

pub use folder::{DESCRIPTION, SelfplayFolder, SelfplayFolderError};

use crate::base::folder::FolderIdentity;
use crate::base::game::{Game, Move, Player};
use crate::base::shard::Shard;
use crate::base::zobrist::mix;
use crate::engine::{Engine, EngineError, EngineOptions, evaluation};
use crate::go::status::DeadStones;
use crate::go::{Komi, Position, Size, final_ownership, playout_ownership};
use crate::lab::training::selfplay_games::{SearchedPosition, SelfplayGame};
use crate::search::{CatchUp, Limits, MoveReport, Report};
use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp, Normal};

/// Distance of the win rate from 0 or 1 below which a game is decided and continues with an even komi.
const DECIDED_MARGIN: f64 = 0.08;
/// Moves between two tests for a settled board, and playouts of each test.
const SETTLED_TEST_INTERVAL: usize = 4;
const SETTLED_TEST_PLAYOUTS: u32 = 32;
/// Maximum number of playouts in which a settled point has another owner.
const MAX_SETTLED_EXCEPTIONS: u64 = 1;
/// Maximum length of a game, in moves per point of the board.
const MAX_MOVES_PER_POINT: usize = 3;
/// Default mean length of an opening drawn from the policy, in moves per point of the board.
const OPENING_MOVES_PER_POINT: f64 = 0.04;
/// Probability of a long search, in 1/256.
const LONG_SEARCH_PROBABILITY: u64 = 64;
/// Temperatures of move choice: at the beginning, and the limit. The difference from the limit halves every `columns`
/// moves, the width of the board.
const TEMPERATURES: [f64; 2] = [0.8, 0.2];
/// Minimum visits of a move to be chosen, as a fraction of the most visited move's.
const MIN_VISITS_SHARE: f64 = 0.02;
/// Number of playouts that decide the owner of each point at the end.
const FINAL_PLAYOUTS: u32 = 200;

/// Settings of self-play games.
#[derive(Clone, Debug)]
pub struct SelfplaySettings {
    /// Board sizes, which the games use in turn.
    pub sizes: Vec<Size>,
    /// Mean komi in points.
    pub komi: f64,
    /// Standard deviation of the komi in points.
    pub komi_spread: f64,
    /// True if decided games keep their komi, false if they continue with one that evens them.
    pub keep_komi: bool,
    /// Simulations of a long search.
    pub simulations: u64,
    /// Simulations of a short search.
    pub short_simulations: u64,
    /// Mean length of the openings in moves; `None`: 4 % of the board's points.
    pub opening: Option<f64>,
    /// Temperature of the policy in openings: 1 draws in proportion to the policy, more makes rare moves more frequent.
    pub opening_temperature: f64,
    /// Seed of all games.
    pub seed: u64,
}

impl SelfplaySettings {
    /// Returns the settings that distinguish these games, played by engines with `options`, from others in a folder.
    #[must_use]
    pub fn identity(&self, options: &EngineOptions) -> FolderIdentity {
        let sizes: Vec<String> = self.sizes.iter().map(Size::to_string).collect();
        let mut identity: FolderIdentity = [
            ("sizes", sizes.join(",")),
            ("komi", self.komi.to_string()),
            ("komi-spread", self.komi_spread.to_string()),
            ("simulations", self.simulations.to_string()),
            ("short-simulations", self.short_simulations.to_string()),
            ("seed", self.seed.to_string()),
            ("network", self.network_identities(options)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        // Defaults are left out, as in folders older than these settings.
        if self.keep_komi {
            identity.insert("keep-komi".to_owned(), self.keep_komi.to_string());
        }
        if let Some(opening) = self.opening {
            identity.insert("opening".to_owned(), opening.to_string());
        }
        if self.opening_temperature != 1.0 {
            identity.insert("opening-temperature".to_owned(), self.opening_temperature.to_string());
        }
        identity.extend(unusual_search(options));
        identity
    }

    /// Returns true if game `number` belongs to `shard`. Every shard has games on all boards.
    #[must_use]
    pub fn is_in_shard(&self, shard: Shard, number: u64) -> bool {
        let boards = self.sizes.len() as u64;
        shard.holds(number / boards, number % boards)
    }

    /// Returns the identities of the networks for the board sizes, each once.
    fn network_identities(&self, options: &EngineOptions) -> String {
        let on_board = |&size: &Size| EngineOptions { size, ..options.clone() }.network_identity();
        let mut identities: Vec<String> = self.sizes.iter().map(on_board).collect();
        identities.sort_unstable();
        identities.dedup();
        identities.join(",")
    }
}

/// Returns the search options that differ from their defaults, by their names on the command line.
fn unusual_search(options: &EngineOptions) -> impl Iterator<Item = (String, String)> {
    let usual = EngineOptions::default();
    let catch_up = |catch_up: CatchUp| format!("{catch_up:?}").to_lowercase();
    let usual_keys = EngineOptions::default_keys(options.policy, options.networks.is_some());
    [
        ("policy", options.policy.to_string(), usual.policy.to_string()),
        ("playout-policy", options.playouts.to_string(), usual.playouts.to_string()),
        ("key-policy", options.keys.to_string(), usual_keys.to_string()),
        ("network-value", options.value_weight.to_string(), usual.value_weight.to_string()),
        ("expand-at", options.parameters.expand_at.to_string(), options.default_expand_at().to_string()),
        (
            "catch-up",
            catch_up(options.parameters.catch_up),
            catch_up(EngineOptions::default_catch_up(options.policy)),
        ),
        ("reseed", options.parameters.reseed.to_string(), usual.parameters.reseed.to_string()),
        ("replacement", options.replacement.to_string(), usual.replacement.to_string()),
    ]
    .into_iter()
    .filter(|(_, value, usual)| value != usual)
    .map(|(name, value, _)| (name.to_owned(), value))
}

/// A player of self-play games, one after another.
pub struct SelfPlayer<'s> {
    settings: &'s SelfplaySettings,
    engine: Engine,
}

impl<'s> SelfPlayer<'s> {
    /// Creates a player with an engine.
    ///
    /// # Errors
    /// Returns an error if the engine cannot be made with these options.
    pub fn new(
        settings: &'s SelfplaySettings,
        options: EngineOptions,
    ) -> Result<SelfPlayer<'s>, EngineError> {
        // All stones are counted as alive: no players could agree on dead ones.
        let options = EngineOptions { dead_stones: Some(DeadStones::Keep), ..options };
        Ok(SelfPlayer { settings, engine: Engine::new(options)? })
    }

    /// Plays game `number`, which depends only on the number, the settings and the engine.
    ///
    /// # Errors
    /// Returns an error if there is no memory for another board, or if a search fails.
    pub fn play(&mut self, number: u64) -> Result<SelfplayGame, EngineError> {
        let seed = mix(self.settings.seed ^ mix(number));
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let size = self.settings.sizes[number as usize % self.settings.sizes.len()];
        self.engine.set_komi(self.draw_komi(&mut random));
        self.engine.new_game(size)?;
        self.engine.clear_table();
        self.engine.set_seed(seed);
        let mut game = SelfplayGame {
            number,
            size: size.to_string(),
            komis: vec![(0, self.engine.position().komi().0)],
            network: self.engine.options().network_identity(),
            opening: 0,
            moves: Vec::new(),
            values: Vec::new(),
            searches: Vec::new(),
            owners: String::new(),
        };
        self.play_opening(&mut game, &mut random);
        while self.engine.position().passes() < 2
            && game.moves.len() < MAX_MOVES_PER_POINT * size.points()
            && !self.is_settled(game.moves.len(), seed)
            && self.play_move(&mut game, &mut random)?
        {}
        game.owners = owners_at_end(self.engine.position(), seed);
        Ok(game)
    }

    /// Draws a komi of whole points and a half, which excludes draws.
    fn draw_komi(&self, random: &mut ChaCha8Rng) -> Komi {
        let SelfplaySettings { komi, komi_spread, .. } = *self.settings;
        let drawn = Normal::new(komi, komi_spread).map_or(komi, |normal| normal.sample(random));
        Komi(2 * drawn.floor() as i32 + 1)
    }

    /// Plays an opening drawn from the network's policy; none without a network.
    fn play_opening(&mut self, game: &mut SelfplayGame, random: &mut ChaCha8Rng) {
        let Some(network) = self.engine.network().cloned() else { return };
        let size = self.engine.position().size();
        let mean = self.settings.opening.unwrap_or(OPENING_MOVES_PER_POINT * size.points() as f64);
        let length = Exp::new(1.0 / mean).map_or(0.0, |exponential| exponential.sample(random)) as usize;
        for _ in 0..length.min(size.points() / 2) {
            let probabilities = evaluation::evaluate(&network, self.engine.position()).policy;
            let weight = |probability: f64| probability.powf(1.0 / self.settings.opening_temperature);
            let points = probabilities
                .iter()
                .take(size.points())
                .enumerate()
                .map(|(point, &probability)| (point, weight(probability)));
            let Some(point) = draw(points, random) else { break };
            self.put(Move(point as u16), game);
            game.opening += 1;
        }
    }

    /// Returns true if each point has the same owner, or none as in seki, in all but [`MAX_SETTLED_EXCEPTIONS`] of the
    /// playouts. False between two tests, and before half as many moves as the board has points.
    fn is_settled(&self, turn: usize, seed: u64) -> bool {
        let position = self.engine.position();
        let points = position.size().points();
        if turn < points / 2 || !turn.is_multiple_of(SETTLED_TEST_INTERVAL) {
            return false;
        }
        let ownership = playout_ownership::by_playouts(position, SETTLED_TEST_PLAYOUTS, seed);
        (0..points as u16).all(|point| {
            let [black, white] = Player::BOTH.map(|player| ownership.count(player, Move(point)));
            let playouts = u64::from(SETTLED_TEST_PLAYOUTS);
            let nobody = playouts - black - white;
            black.max(white).max(nobody) >= playouts - MAX_SETTLED_EXCEPTIONS
        })
    }

    /// Sets the komi of a decided game to half a point above the expected score of the last search, rounded to points.
    fn make_even(&mut self, report: &Report, game: &mut SelfplayGame) {
        let value = report.root.value.as_f64();
        let Some(score) = report.root.black_score.filter(|_| value.min(1.0 - value) < DECIDED_MARGIN) else {
            return;
        };
        let komi = Komi(2 * score.round() as i32 + 1);
        if komi != self.engine.position().komi() {
            self.engine.set_komi(komi);
            game.komis.push((game.moves.len(), komi.0));
        }
    }

    /// Searches the position and plays a move; returns false if the outcome is proven, which ends the game.
    fn play_move(&mut self, game: &mut SelfplayGame, random: &mut ChaCha8Rng) -> Result<bool, EngineError> {
        let is_long = random.next_u64() % 256 < LONG_SEARCH_PROBABILITY;
        let to_play = self.engine.position().to_play();
        let simulations = if is_long { self.settings.simulations } else { self.settings.short_simulations };
        if is_long {
            // Noise must enter the priors before the root has any.
            self.engine.clear_table();
            self.engine.set_root_noise(noise::draw(self.engine.position(), random));
        }
        let limits = Limits { simulations: Some(simulations), ..Limits::default() };
        let report = self.engine.search(to_play, limits, &mut |_| true);
        self.engine.set_root_noise(None);
        let report = report?;
        if report.root.proven.is_some() {
            return Ok(false);
        }
        if is_long {
            let visits = report.moves.iter().map(|it| (it.mv.0, it.edge_visits as u32)).collect();
            game.searches.push(SearchedPosition { turn: game.moves.len(), visits });
        }
        game.values.push((1000.0 * report.root.value.as_f64()).round() as u16);
        let mv = self.choose(&report, game.moves.len(), random);
        self.put(mv, game);
        if !self.settings.keep_komi {
            self.make_even(&report, game);
        }
        Ok(true)
    }

    /// Draws a move in proportion to a power of its visits.
    fn choose(&self, report: &Report, turn: usize, random: &mut ChaCha8Rng) -> Move {
        let best = self.engine.chosen_move(report);
        let columns = self.engine.position().size().columns() as f64;
        let [first, last] = TEMPERATURES;
        let temperature = last + (first - last) * (-(turn as f64) / columns * std::f64::consts::LN_2).exp();
        let most = report.moves.iter().map(|it| it.edge_visits).max().unwrap_or(1).max(1) as f64;
        let share = |it: &MoveReport| it.edge_visits as f64 / most;
        let weight = |it: &MoveReport| {
            if share(it) < MIN_VISITS_SHARE { 0.0 } else { share(it).powf(1.0 / temperature) }
        };
        draw(report.moves.iter().map(|it| (it.mv.index(), weight(it))), random)
            .map_or(best, |mv| Move(mv as u16))
    }

    fn put(&mut self, mv: Move, game: &mut SelfplayGame) {
        let to_play = self.engine.position().to_play();
        if self.engine.record_mut().play(to_play, mv).is_ok() {
            game.moves.push(mv.0);
        } else {
            // Unreachable: searches and the network's policy contain legal moves only.
            let pass = self.engine.position().size().pass();
            let _ = self.engine.record_mut().play(to_play, pass);
            game.moves.push(pass.0);
        }
    }
}

/// Returns the owner of each point by move number: under the rules after two passes, otherwise by the majority of
/// some playouts.
fn owners_at_end(position: &Position, seed: u64) -> String {
    let ended = (position.passes() >= 2).then(|| final_ownership::of_board(position.board()));
    let ownership = ended.unwrap_or_else(|| playout_ownership::by_playouts(position, FINAL_PLAYOUTS, seed));
    let points = (0..position.size().points() as u16).map(Move);
    let letter = |owner| match owner {
        Some(Player::Black) => 'b',
        Some(Player::White) => 'w',
        None => '.',
    };
    points.map(|point| letter(ownership.owner(point))).collect()
}

/// Draws an item in proportion to its weight; `None` if all weights are 0.
fn draw(items: impl Iterator<Item = (usize, f64)> + Clone, random: &mut ChaCha8Rng) -> Option<usize> {
    let all: f64 = items.clone().map(|(_, weight)| weight).sum();
    let mut left = all * (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut last = None;
    for (item, weight) in items.filter(|&(_, weight)| weight > 0.0) {
        last = Some(item);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Rules;

    #[test]
    fn a_seki_that_both_passed_in_stays_one() {
        // A1 and A2 are shared liberties; neither player can play there first.
        let size = Size::new(5, 2).expect("a size");
        let stones = |player, names: &[&str]| -> Vec<(Player, Move)> {
            names.iter().map(|name| (player, size.parse_vertex(name).expect("a point"))).collect()
        };
        let stones =
            [stones(Player::Black, &["B1", "C1", "D1"]), stones(Player::White, &["B2", "C2", "D2", "E2"])];
        let mut position =
            Position::with_stones(size, Rules::CHINESE, Komi(0), &stones.concat(), Player::Black)
                .expect("stones");
        let pass = size.pass();
        position.play(pass);
        position.play(pass);
        assert_eq!(owners_at_end(&position, 1), ".bbb..wwww");
    }
}
