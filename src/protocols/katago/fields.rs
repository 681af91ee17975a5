//! The fields of a query, by type.

use super::error::QueryError;
use serde_json::{Map, Value};
use std::time::Duration;

/// The value expected of the field `id`.
pub(super) const EXPECTED_ID: &str = "expected a text (the id that the answer repeats)";
/// The value expected of a number of visits and the like.
pub(super) const EXPECTED_POSITIVE: &str = "expected a whole number of at least 1";

/// Typed access to the fields of a query.
pub(super) struct QueryFields<'q> {
    object: &'q Map<String, Value>,
}

impl<'q> QueryFields<'q> {
    pub(super) fn new(object: &'q Map<String, Value>) -> QueryFields<'q> {
        QueryFields { object }
    }

    pub(super) fn error(&self, field: &str, message: &str) -> QueryError {
        let id = self.id().map(str::to_owned);
        QueryError { message: message.to_owned(), field: Some(field.to_owned()), id }
    }

    /// Returns the error for a field with another value than the one `expected`.
    pub(super) fn unexpected(&self, key: &str, expected: &str) -> QueryError {
        self.unexpected_part(key, expected, self.get(key))
    }

    /// Returns the error for a part of a field with another value than the one `expected`.
    pub(super) fn unexpected_part(&self, key: &str, expected: &str, part: Option<&Value>) -> QueryError {
        QueryError::unexpected(key, expected, part, self.id())
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.object.get("id").and_then(Value::as_str)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str, expected: &str) -> Result<Option<&str>, QueryError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.unexpected(key, expected))
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, QueryError> {
        let Some(value) = self.get(key) else { return Ok(false) };
        value.as_bool().ok_or_else(|| self.unexpected(key, "expected true or false"))
    }

    pub(super) fn positive(&self, key: &str) -> Result<Option<u64>, QueryError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_u64().filter(|&number| number > 0);
        number.map(Some).ok_or_else(|| self.unexpected(key, EXPECTED_POSITIVE))
    }

    pub(super) fn seconds(&self, key: &str) -> Result<Option<Duration>, QueryError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.as_f64() {
            Some(seconds) if seconds > 0.0 => Ok(Some(Duration::from_secs_f64(seconds.min(1e6)))),
            _ => Err(self.unexpected(key, "expected a number of seconds above 0")),
        }
    }

    pub(super) fn array(&self, key: &str, expected: &str) -> Result<&[Value], QueryError> {
        let Some(value) = self.get(key) else { return Ok(&[]) };
        value.as_array().map(Vec::as_slice).ok_or_else(|| self.unexpected(key, expected))
    }

    /// Returns all fields.
    pub(super) fn all(&self) -> &'q Map<String, Value> {
        self.object
    }
}
