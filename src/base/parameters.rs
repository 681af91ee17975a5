//! Parameters of selection and playout policies: names, ranges, parsing.

use std::fmt;

/// The allowed values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterRange {
    /// A number from the first to the second, inclusive.
    Number(f64, f64),
    /// One of these names; the value is its index.
    Choice(&'static [&'static str]),
}

/// A parameter of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub key: &'static str,
    /// The allowed values.
    pub range: ParameterRange,
    /// The value if none is given.
    pub default: f64,
    /// The effect, in half a sentence.
    pub meaning: &'static str,
}

/// Largest number of parameters of a policy.
pub const MAX_PARAMETERS: usize = 6;

/// The values of a policy's parameters, in their order.
pub type ParameterValues = [f64; MAX_PARAMETERS];

impl Parameter {
    /// Parses a value for `policy`.
    ///
    /// # Errors
    /// Returns the expected and the given value, in one line.
    pub fn parse(&self, policy: &str, text: &str) -> Result<f64, String> {
        let wrong = || format!("{policy}: {} is {text:?}, expected {}", self.key, self.range);
        match self.range {
            ParameterRange::Number(low, high) => {
                let value = text.parse::<f64>().ok().filter(|value| (low..=high).contains(value));
                value.ok_or_else(wrong)
            }
            ParameterRange::Choice(choices) => {
                let index = choices.iter().position(|choice| *choice == text);
                index.map(|index| index as f64).ok_or_else(wrong)
            }
        }
    }

    /// Formats a value so that [`parse`](Parameter::parse) parses it.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        match self.range {
            ParameterRange::Number(..) => value.to_string(),
            ParameterRange::Choice(choices) => {
                choices.get(value as usize).copied().unwrap_or_default().to_owned()
            }
        }
    }
}

impl fmt::Display for ParameterRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterRange::Number(low, high) => write!(f, "{low} to {high}"),
            ParameterRange::Choice(choices) => write!(f, "{}", choices.join(" | ")),
        }
    }
}
