//! Errors and warnings about queries.

use serde_json::{Map, Value, json};

/// A query that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueryError {
    pub(super) message: String,
    /// The wrong field of the query.
    pub(super) field: Option<String>,
    pub(super) id: Option<String>,
}

/// Maximum length of a value that a message repeats, in characters.
const MAX_FOUND: usize = 60;

impl QueryError {
    /// Returns the error for the value of a field, or of a part of it, that is not the one `expected`; `None` for a missing
    /// value.
    pub(super) fn unexpected(
        field: &str,
        expected: &str,
        value: Option<&Value>,
        id: Option<&str>,
    ) -> QueryError {
        let message = format!("{expected}, {}", found(value));
        QueryError { message, field: Some(field.to_owned()), id: id.map(str::to_owned) }
    }

    pub(super) fn object(&self) -> Value {
        let mut object = Map::from_iter([("error".to_owned(), self.message.clone().into())]);
        for (key, value) in [("field", &self.field), ("id", &self.id)] {
            if let Some(value) = value {
                object.insert(key.to_owned(), value.clone().into());
            }
        }
        Value::Object(object)
    }
}

/// Returns the words of a message for the value found, cut to [`MAX_FOUND`] characters.
pub(super) fn found(value: Option<&Value>) -> String {
    let Some(value) = value else { return "found nothing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(MAX_FOUND) {
        None => format!("found {text}"),
        Some((end, _)) => format!("found {}...", &text[..end]),
    }
}

/// A field of a query without effect; the query is answered nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IgnoredField {
    pub(super) field: String,
    pub(super) reason: &'static str,
}

/// Returns the warning for an ignored field.
pub(super) fn warning(ignored: &IgnoredField, id: &str) -> Value {
    json!({"warning": ignored.reason, "field": ignored.field, "id": id})
}
