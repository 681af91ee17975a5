//! All selection policies by name, with their parameters.

use super::{
    AlphaZero, EdgeColumns, EdgeView, EpsilonGreedy, Flat, Lazarus, ParentView, Puct, Rave, SelectionPolicy,
    Stego, StegoMode, Ucb1, Ucb1Tuned, UcbImproved, Valkyria,
};
use crate::base::parameters::{MAX_PARAMETERS, Parameter, ParameterRange, ParameterValues};
use crate::base::value::Value;
use crate::table::atomic::AtomicU64;
use std::fmt::{self, Write};
use std::str::FromStr;

/// Any of the policies, in one enum, so that the search is compiled only once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "each has the name and the documentation of its type")]
pub enum Policy {
    Rave(Rave),
    Ucb1(Ucb1),
    Ucb1Tuned(Ucb1Tuned),
    UcbImproved(UcbImproved),
    Valkyria(Valkyria),
    Lazarus(Lazarus),
    Stego(Stego),
    Flat(Flat),
    EpsilonGreedy(EpsilonGreedy),
    AlphaZero(AlphaZero),
}

/// Evaluates an expression for the policy inside the enum.
macro_rules! dispatch {
    ($policy:expr, $inner:ident => $body:expr) => {
        match $policy {
            Policy::Rave($inner) => $body,
            Policy::Ucb1($inner) => $body,
            Policy::Ucb1Tuned($inner) => $body,
            Policy::UcbImproved($inner) => $body,
            Policy::Valkyria($inner) => $body,
            Policy::Lazarus($inner) => $body,
            Policy::Stego($inner) => $body,
            Policy::Flat($inner) => $body,
            Policy::EpsilonGreedy($inner) => $body,
            Policy::AlphaZero($inner) => $body,
        }
    };
}

impl SelectionPolicy for Policy {
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        dispatch!(self, policy => policy.score(parent, edge))
    }

    fn score_all(&self, parent: &ParentView, edges: &EdgeColumns<'_>, scores: &mut [f32]) {
        dispatch!(self, policy => policy.score_all(parent, edges, scores));
    }

    fn uses_amaf(&self) -> bool {
        dispatch!(self, policy => policy.uses_amaf())
    }

    fn uses_state(&self) -> bool {
        dispatch!(self, policy => policy.uses_state())
    }

    fn random_probability_256(&self) -> u32 {
        dispatch!(self, policy => policy.random_probability_256())
    }

    fn update(&self, state: &[AtomicU64], chosen: usize, half_points: u32) {
        dispatch!(self, policy => policy.update(state, chosen, half_points));
    }

    fn update_at_root(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) {
        dispatch!(self, policy => policy.update_at_root(state, candidates));
    }

    fn is_settled(&self, state: &[AtomicU64], candidates: &dyn Fn(usize) -> bool) -> bool {
        dispatch!(self, policy => policy.is_settled(state, candidates))
    }

    fn plays_most_visited(&self) -> bool {
        dispatch!(self, policy => policy.plays_most_visited())
    }

    fn final_rank(&self, visits: u64, value: Value, state: u64) -> f64 {
        dispatch!(self, policy => policy.final_rank(visits, value, state))
    }
}

/// The definition of a preset.
struct PresetDefinition {
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Parameter],
    /// Default number of playouts of a position before it gets an edge page. In the sources of UCT and its variants
    /// the children of a position are created on its second visit. Unused where evaluations end the simulation.
    expand_at: u32,
    build: fn(&ParameterValues) -> Policy,
}

const fn number(key: &'static str, low: f64, high: f64, default: f64, meaning: &'static str) -> Parameter {
    Parameter { key, range: ParameterRange::Number(low, high), default, meaning }
}

const EXPLORATION: &str = "factor of the exploration term";
/// Crazy Stone's exploration factor, 2·C_p with C_p = 1/sqrt(20).
const CRAZY_STONE: f64 = 0.4472;
/// c of UCT in its paper, 2·C_p with C_p = 1/√2.
const UCT: f64 = std::f64::consts::SQRT_2;

/// Name of the policy with an evaluator that ends the simulations.
const PUCT: &str = "puct";

/// Value of `expand_at` with which only the root gets a page.
const NEVER: u32 = u32::MAX;

const PRESETS: &[PresetDefinition] = &[
    PresetDefinition {
        name: "rave",
        summary: "RAVE with the minimum-MSE schedule and priors (Gelly & Silver 2011); the default",
        parameters: &[
            number(
                "equivalence",
                1.0,
                1e6,
                1500.0,
                "number of AMAF samples at which AMAF has a weight of 1/3 (with as many visits)",
            ),
            number("c", 0.0, 10.0, 0.0, EXPLORATION),
            number("priors", 0.0, 1.0, 0.6, "weight of Go knowledge in new moves"),
            number("puct", 0.0, 10.0, 0.8, "exploration by the network's move probabilities"),
            number("untried", 0.0, 1.0, 0.1, "reduction of an untried move's value, with a network"),
        ],
        expand_at: 8,
        build: |values| {
            let [equivalence, c, priors, exploration, first_play_loss, ..] = values.map(|value| value as f32);
            let puct = Puct { exploration, first_play_loss };
            Policy::Rave(Rave { equivalence, exploration: c, priors, puct })
        },
    },
    PresetDefinition {
        name: PUCT,
        summary: "PUCT (Silver et al. 2018): the evaluator's values end the simulations, without playouts and AMAF",
        parameters: &[
            number("c", 0.0, 10.0, 0.3, EXPLORATION),
            number("growth", 0.0, 10.0, 0.15, "growth of that factor with the logarithm of the visits"),
            number("untried", 0.0, 1.0, 0.1, "reduction of an untried move's value"),
        ],
        expand_at: 1,
        build: |values| {
            let [exploration, growth, first_play_loss, ..] = values.map(|value| value as f32);
            Policy::AlphaZero(AlphaZero { exploration, growth, first_play_loss })
        },
    },
    PresetDefinition {
        name: "ucb1",
        summary: "value + c·sqrt(ln N / n) (Kocsis & Szepesvári 2006)",
        parameters: &[number("c", 0.0, 10.0, UCT, "exploration, twice C_p; the paper has C_p = 1/sqrt 2")],
        expand_at: 1,
        build: |values| Policy::Ucb1(Ucb1 { exploration: values[0] as f32 }),
    },
    PresetDefinition {
        name: "ucb1-tuned",
        summary: "exploration by the variance of the results (Auer et al. 2002)",
        parameters: &[number("c", 0.0, 10.0, 1.0, EXPLORATION)],
        expand_at: 1,
        build: |values| Policy::Ucb1Tuned(Ucb1Tuned { exploration: values[0] as f32 }),
    },
    PresetDefinition {
        name: "ucb-improved",
        summary: "rounds of elimination at the root, UCB1 below (Auer & Ortner 2010)",
        parameters: &[
            number("horizon", 0.0, 1e9, 0.0, "planned number of simulations; 0: the limit of the search"),
            number("c", 0.0, 10.0, CRAZY_STONE, "exploration below the root"),
        ],
        expand_at: 1,
        build: |values| {
            let below = Ucb1 { exploration: values[1] as f32 };
            Policy::UcbImproved(UcbImproved { horizon: values[0] as f32, below })
        },
    },
    PresetDefinition {
        name: "valkyria",
        summary: "win rate + UCTK·sqrt(ln N / 5n), plays the highest win rate (Persson 2006)",
        parameters: &[number("uctk", 0.0, 10.0, 1.0, "exploration; larger values search more uniformly")],
        expand_at: 1,
        build: |values| Policy::Valkyria(Valkyria { uctk: values[0] as f32 }),
    },
    PresetDefinition {
        name: "crazystone",
        summary: "v + 2·C_p·sqrt(ln t / n), that is sqrt(2 ln t / 10 n) (Coulom 2006)",
        parameters: &[number(
            "cp",
            0.0,
            5.0,
            CRAZY_STONE / 2.0,
            "C_p, here 1/sqrt 20; ucb1 has the 1/sqrt 2 of the paper",
        )],
        expand_at: 1,
        build: |values| Policy::Ucb1(Ucb1 { exploration: 2.0 * values[0] as f32 }),
    },
    PresetDefinition {
        name: "lazarus",
        summary: "highest (r+N)/(s+N) with decaying samples; plays the most sampled move (Dailey 2006)",
        parameters: &[
            number("n", 0.01, 1e6, 1.0, "the constant N of the formula"),
            number(
                "degrade",
                0.5,
                1.0,
                0.9999,
                "factor applied to samples after each simulation; 1: no decay",
            ),
            number(
                "scale",
                0.0,
                100.0,
                0.0,
                "N as a multiple of the most sampled move's samples; 0: constant N",
            ),
        ],
        expand_at: 1,
        build: |values| {
            let [constant, degrade, scale, ..] = values.map(|value| value as f32);
            Policy::Lazarus(Lazarus { constant, scale, degrade })
        },
    },
    PresetDefinition {
        name: "stego",
        summary: "UCT with AMAF in one of four ways (StegoUCT)",
        parameters: &[
            Parameter {
                key: "mode",
                range: ParameterRange::Choice(&["uct", "amaf", "alpha-amaf", "rave"]),
                default: 3.0,
                meaning: "use of AMAF",
            },
            number("c", 0.0, 10.0, CRAZY_STONE, EXPLORATION),
            number("alpha", 0.0, 1.0, 0.5, "weight of AMAF in alpha-amaf"),
            number("r", 1.0, 1e6, 1000.0, "playouts after which AMAF has no weight in mode rave"),
        ],
        expand_at: 1,
        build: |values| {
            let modes = [StegoMode::Uct, StegoMode::Amaf, StegoMode::AlphaAmaf, StegoMode::Rave];
            let [mode, exploration, alpha, warmup, ..] = *values;
            Policy::Stego(Stego {
                mode: modes[(mode as usize).min(modes.len() - 1)],
                exploration: exploration as f32,
                alpha: alpha as f32,
                warmup: warmup as f32,
            })
        },
    },
    PresetDefinition {
        name: "flat",
        summary: "Monte-Carlo without a tree: samples all moves in turn, plays the highest win rate",
        parameters: &[],
        expand_at: NEVER,
        build: |_| Policy::Flat(Flat),
    },
    PresetDefinition {
        name: "epsilon-greedy",
        summary: "the highest win rate, or a random move: the baseline that UCT improves on (Sensei's Library)",
        parameters: &[number("epsilon", 0.0, 1.0, 0.5, "probability of a random move")],
        expand_at: 1,
        build: |values| Policy::EpsilonGreedy(EpsilonGreedy { epsilon: values[0] as f32 }),
    },
];

/// A policy chosen by name, with values for its parameters: `NAME` or `NAME:key=value,key=value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Index in [`PRESETS`].
    index: usize,
    values: ParameterValues,
}

impl Preset {
    /// Returns the names of all presets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|definition| definition.name)
    }

    /// Returns the default policy for evaluators in another process.
    #[must_use]
    pub fn for_evaluators() -> Preset {
        Preset::of(PRESETS.iter().position(|definition| definition.name == PUCT).unwrap_or(0))
    }

    fn definition(&self) -> &'static PresetDefinition {
        &PRESETS[self.index]
    }

    fn of(index: usize) -> Preset {
        let mut values = [0.0; MAX_PARAMETERS];
        for (value, parameter) in values.iter_mut().zip(PRESETS[index].parameters) {
            *value = parameter.default;
        }
        Preset { index, values }
    }

    /// Returns the name of the preset.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.definition().name
    }

    /// Returns the default number of playouts of a position before it gets an edge page.
    #[must_use]
    pub fn expand_at(&self) -> u32 {
        self.definition().expand_at
    }

    /// Returns true if the policy uses priors of moves, which a network can supply.
    #[must_use]
    pub fn has_priors(&self) -> bool {
        self.name() == Preset::default().name() || self.evaluates_leaves()
    }

    /// Returns true if the policy needs an evaluator; the evaluator's values then end the simulations.
    #[must_use]
    pub fn evaluates_leaves(&self) -> bool {
        self.name() == PUCT
    }

    /// Returns the policy, for a search of at most `budget` simulations.
    #[must_use]
    pub fn policy(&self, budget: u64) -> Policy {
        match (self.definition().build)(&self.values) {
            Policy::UcbImproved(policy) if policy.horizon < std::f32::consts::E => {
                let horizon = (budget as f32).max(std::f32::consts::E);
                Policy::UcbImproved(UcbImproved { horizon, ..policy })
            }
            policy => policy,
        }
    }
}

impl Default for Preset {
    fn default() -> Preset {
        Preset::of(0)
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Preset, String> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let index = PRESETS.iter().position(|definition| definition.name == name).ok_or_else(|| {
            let names: Vec<&str> = Preset::names().collect();
            format!(
                "unknown policy {name:?}: expected one of {}; --policy help explains them",
                names.join(", ")
            )
        })?;
        let mut preset = Preset::of(index);
        let parameters = PRESETS[index].parameters;
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            let keys = || parameters.iter().map(|parameter| parameter.key).collect::<Vec<_>>().join(", ");
            let expected =
                || format!("policy {name}: expected key=value with a key of [{}], found {setting:?}", keys());
            let (key, value) = setting.split_once('=').ok_or_else(expected)?;
            let place = parameters.iter().position(|parameter| parameter.key == key).ok_or_else(expected)?;
            preset.values[place] = parameters[place].parse(&format!("policy {name}"), value)?;
        }
        Ok(preset)
    }
}

impl fmt::Display for Preset {
    /// Writes the name and the parameters that differ from their defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PresetDefinition { name, parameters, .. } = self.definition();
        f.write_str(name)?;
        let set = parameters.iter().zip(self.values).filter(|(parameter, value)| *value != parameter.default);
        for (number, (parameter, value)) in set.enumerate() {
            let separator = if number == 0 { ':' } else { ',' };
            write!(f, "{separator}{}={}", parameter.key, parameter.format(value))?;
        }
        Ok(())
    }
}

/// Returns a text for users that lists all presets with their parameters, ranges and defaults.
#[must_use]
pub fn help() -> String {
    let mut text = "Selection policies, as NAME or NAME:key=value,key=value\n".to_owned();
    for PresetDefinition { name, summary, parameters, .. } in PRESETS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{name:16}{summary}");
        for parameter in *parameters {
            let Parameter { key, range, default, meaning } = parameter;
            let default = parameter.format(*default);
            let _ = writeln!(text, "    {key:12}{meaning} ({range}; default {default})");
        }
    }
    text
}
