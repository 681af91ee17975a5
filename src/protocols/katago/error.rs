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

impl QueryError {
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
