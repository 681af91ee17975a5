//! Playout policies by name, with their parts.

use super::board::Board;
use super::geometry::Point;
use super::heavy::HeavyPlayouts;
use super::playout::light_playout;
use crate::base::game::{Player, Score, Trace};
use crate::base::parameters::{Parameter, ParameterRange};
use crate::base::rng::PlayoutRng;
use std::fmt::{self, Write};
use std::str::FromStr;

/// The policy by which playouts choose moves, read and written as `NAME` or `NAME:PART=PROBABILITY,PART=PROBABILITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutPolicy {
    /// Uniform over the legal moves that fill no own one-point eye.
    Light,
    /// Tactics and patterns first; see [`HeavyPlayouts`].
    Heavy(HeavyPlayouts),
}

impl Default for PlayoutPolicy {
    fn default() -> PlayoutPolicy {
        PlayoutPolicy::Heavy(HeavyPlayouts::DEFAULT)
    }
}

impl PlayoutPolicy {
    /// The heavy playouts of michi.
    pub const MICHI: PlayoutPolicy = PlayoutPolicy::Heavy(HeavyPlayouts::MICHI);

    /// Plays to the end; see [`HeavyPlayouts::play`].
    #[inline]
    pub fn play(
        &self,
        board: &mut Board,
        player: Player,
        passes: u8,
        last: [Point; 2],
        rng: &mut PlayoutRng,
        trace: &mut Trace,
    ) -> Score {
        match self {
            PlayoutPolicy::Light => light_playout(board, player, passes, rng, trace),
            PlayoutPolicy::Heavy(heavy) => heavy.play(board, player, passes, last, rng, trace),
        }
    }
}

/// A policy with its name.
struct NamedPolicy {
    name: &'static str,
    summary: &'static str,
    policy: PlayoutPolicy,
}

const NAMED_POLICIES: [NamedPolicy; 3] = [
    NamedPolicy {
        name: "heavy",
        summary: "answers to atari and 3x3 patterns next to the last two moves, else random moves; the default",
        policy: PlayoutPolicy::Heavy(HeavyPlayouts::DEFAULT),
    },
    NamedPolicy {
        name: "michi",
        summary: "the playouts of the program michi: as heavy, without the last part",
        policy: PlayoutPolicy::MICHI,
    },
    NamedPolicy {
        name: "light",
        summary: "random moves that fill no own eye; has no parts",
        policy: PlayoutPolicy::Light,
    },
];

/// A part of heavy playouts: its name, its description and the field with its probability in 1/256.
struct PolicyPart {
    key: &'static str,
    meaning: &'static str,
    probability: fn(&mut HeavyPlayouts) -> &mut u32,
}

const PARTS: [PolicyPart; 5] = [
    PolicyPart {
        key: "atari",
        meaning: "save or capture stones in atari next to the last two moves",
        probability: |heavy| &mut heavy.atari,
    },
    PolicyPart {
        key: "pattern",
        meaning: "play 3x3 patterns next to the last two moves",
        probability: |heavy| &mut heavy.pattern,
    },
    PolicyPart {
        key: "pattern-self-atari",
        meaning: "refuse a pattern move that is self-atari",
        probability: |heavy| &mut heavy.pattern_self_atari,
    },
    PolicyPart {
        key: "self-atari",
        meaning: "refuse a random self-atari; the move may be drawn again",
        probability: |heavy| &mut heavy.random_self_atari,
    },
    PolicyPart {
        key: "many-self-atari",
        meaning: "refuse a self-atari of six or more stones that captures nothing",
        probability: |heavy| &mut heavy.large_self_atari,
    },
];

/// Units of probability in [`HeavyPlayouts`].
const UNITS: f64 = 256.0;

/// Returns a part as a parameter. Its default value depends on the policy.
const fn parameter(part: &PolicyPart) -> Parameter {
    Parameter { key: part.key, range: ParameterRange::Number(0.0, 1.0), default: 0.0, meaning: part.meaning }
}

impl FromStr for PlayoutPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayoutPolicy, String> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let named = NAMED_POLICIES.iter().find(|named| named.name == name).ok_or_else(|| {
            let names = NAMED_POLICIES.map(|named| named.name).join(", ");
            format!("unknown playout policy {name:?}: expected one of {names}; --playout-policy help explains them")
        })?;
        let mut policy = named.policy;
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            let PlayoutPolicy::Heavy(heavy) = &mut policy else {
                return Err(format!("playout policy {name} has no parts, found {setting:?}"));
            };
            let expected = || {
                let keys = PARTS.map(|part| part.key).join(", ");
                format!(
                    "playout policy {name}: {setting:?}: expected PART=PROBABILITY, where PART is one of {keys}"
                )
            };
            let (key, value) = setting.split_once('=').ok_or_else(expected)?;
            let part = PARTS.iter().find(|part| part.key == key).ok_or_else(expected)?;
            let probability = match value {
                "off" => 0.0,
                value => parameter(part).parse(&format!("playout policy {name}"), value)?,
            };
            *(part.probability)(heavy) = (probability * UNITS).round() as u32;
        }
        Ok(policy)
    }
}

impl fmt::Display for PlayoutPolicy {
    /// Writes the name and the parts that differ from the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(named) = NAMED_POLICIES.iter().find(|named| named.policy == *self) {
            return f.write_str(named.name);
        }
        let (PlayoutPolicy::Heavy(mut heavy), mut default) = (*self, HeavyPlayouts::DEFAULT) else {
            return f.write_str("light");
        };
        let different = PARTS.iter().filter_map(|part| {
            let probability = *(part.probability)(&mut heavy);
            (probability != *(part.probability)(&mut default))
                .then(|| format!("{}={}", part.key, f64::from(probability) / UNITS))
        });
        write!(f, "heavy:{}", different.collect::<Vec<_>>().join(","))
    }
}

/// Returns the help text for all playout policies with their parts and probabilities.
#[must_use]
pub fn help() -> String {
    let mut text =
        "Playout policies, as NAME or NAME:PART=P,PART=P, where P is a probability from 0 to 1, or off\n"
            .to_owned();
    for NamedPolicy { name, summary, policy } in NAMED_POLICIES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{name:20}{summary}");
        if let PlayoutPolicy::Heavy(mut heavy) = policy {
            for part in &PARTS {
                let probability = f64::from(*(part.probability)(&mut heavy)) / UNITS;
                let _ = writeln!(text, "    {:20}{} ({probability:.2})", part.key, part.meaning);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read_as_it_is_written() {
        for text in ["heavy", "michi", "light", "heavy:pattern=0.5", "heavy:atari=0,many-self-atari=0.25"] {
            assert_eq!(text.parse::<PlayoutPolicy>().map(|policy| policy.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("heavy:many-self-atari=off".parse(), Ok(PlayoutPolicy::MICHI));
        assert_eq!("michi:many-self-atari=1".parse(), Ok(PlayoutPolicy::default()));
    }

    #[test]
    fn a_part_that_does_not_exist_is_named_with_those_that_do() {
        let error = "heavy:magic=1".parse::<PlayoutPolicy>().expect_err("no such part");
        assert!(error.contains("magic") && PARTS.iter().all(|part| error.contains(part.key)), "{error}");
        for wrong in [
            "magic",
            "heavy:atari",
            "heavy:atari=2",
            "heavy:atari=x",
            "light:atari=1",
            "heavy:=",
            "heavy:atari=NaN",
        ] {
            assert!(wrong.parse::<PlayoutPolicy>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn help_names_every_policy_and_part() {
        let help = help();
        let names = NAMED_POLICIES.iter().map(|named| named.name).chain(PARTS.iter().map(|part| part.key));
        names.for_each(|name| assert!(help.contains(name), "{name}"));
    }
}
