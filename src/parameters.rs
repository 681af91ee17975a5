//! Parameters of selection and playout policies: names, ranges, and how they are read.

use std::fmt;

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// A number from one to the other.
    Number(f64, f64),
    /// One of these; its value is the index.
    Choice(&'static [&'static str]),
}

/// A parameter of a preset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub key: &'static str,
    /// What it may be.
    pub range: Range,
    /// Its value where none is given.
    pub default: f64,
    /// What it does, in half a sentence.
    pub meaning: &'static str,
}

/// Most parameters that a preset has.
pub const MOST_PARAMETERS: usize = 6;

/// The values of a preset's parameters, in their order.
pub type Values = [f64; MOST_PARAMETERS];

impl Parameter {
    /// Reads a value for `policy`.
    ///
    /// # Errors
    /// What was expected and found, in one line.
    pub fn read(&self, policy: &str, text: &str) -> Result<f64, String> {
        let wrong = || format!("{policy}: {} is {text:?}, expected {}", self.key, self.range);
        match self.range {
            Range::Number(low, high) => {
                let value = text.parse::<f64>().ok().filter(|value| (low..=high).contains(value));
                value.ok_or_else(wrong)
            }
            Range::Choice(choices) => {
                let index = choices.iter().position(|choice| *choice == text);
                index.map(|index| index as f64).ok_or_else(wrong)
            }
        }
    }

    /// Writes a value as it is read.
    #[must_use]
    pub fn show(&self, value: f64) -> String {
        match self.range {
            Range::Number(..) => value.to_string(),
            Range::Choice(choices) => choices.get(value as usize).copied().unwrap_or_default().to_owned(),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Number(low, high) => write!(f, "{low} to {high}"),
            Range::Choice(choices) => write!(f, "{}", choices.join(" | ")),
        }
    }
}
