//! The settings of a query that KataGo reads from `overrideSettings`.

use super::defaults::Perspective;
use super::error::{IgnoredField, QueryError};
use super::fields::{EXPECTED_POSITIVE, QueryFields};
use super::ignored_fields::UNKNOWN_FIELD;
use serde_json::Value;
use std::time::Duration;

/// Values of `overrideSettings`.
#[derive(Default)]
pub(super) struct Overrides {
    pub(super) perspective: Option<Perspective>,
    pub(super) visits: Option<u64>,
    pub(super) simulations: Option<u64>,
    pub(super) time: Option<Duration>,
}

impl QueryFields<'_> {
    /// Returns the supported part of `overrideSettings`, and the other fields.
    pub(super) fn overrides(&self) -> Result<(Overrides, Vec<IgnoredField>), QueryError> {
        let (mut overrides, mut unknown) = (Overrides::default(), Vec::new());
        let Some(settings) = self.get("overrideSettings") else { return Ok((overrides, unknown)) };
        let settings =
            settings.as_object().ok_or_else(|| self.unexpected("overrideSettings", "expected an object"))?;
        let number = |value: &Value| match value {
            // KataGo reads every setting as text.
            Value::String(text) => text.trim().parse::<f64>().ok(),
            other => other.as_f64(),
        };
        for (key, value) in settings {
            let refusal = |expected: &str| {
                self.unexpected_part("overrideSettings", &format!("{key}: {expected}"), Some(value))
            };
            let count = || {
                let count = number(value).filter(|count| *count >= 1.0 && count.fract() == 0.0);
                count.map(|count| count as u64).ok_or_else(|| refusal(EXPECTED_POSITIVE))
            };
            match key.as_str() {
                "maxVisits" => overrides.visits = Some(count()?),
                "maxPlayouts" => overrides.simulations = Some(count()?),
                "maxTime" => {
                    let seconds = number(value).filter(|&seconds| seconds > 0.0);
                    let seconds = seconds.ok_or_else(|| refusal("expected a number of seconds above 0"))?;
                    overrides.time = Some(Duration::from_secs_f64(seconds.min(1e6)));
                }
                "reportAnalysisWinratesAs" => {
                    let perspective = value.as_str().and_then(Perspective::parse);
                    overrides.perspective =
                        Some(perspective.ok_or_else(|| refusal("expected BLACK, WHITE or SIDETOMOVE"))?);
                }
                _ => unknown
                    .push(IgnoredField { field: format!("overrideSettings.{key}"), reason: UNKNOWN_FIELD }),
            }
        }
        Ok((overrides, unknown))
    }
}
