//! Estimate of the memory of a query, made before the query is parsed.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Bytes of one JSON value in memory.
const VALUE_BYTES: usize = 32;
/// Maximum overhead of an allocation, in bytes.
const ALLOCATION_BYTES: usize = 32;
/// Bytes of a key and its entry in an object, including the warning for an unknown key.
const KEY_BYTES: usize = 1024;
/// Capacity of the smallest non-empty list.
const MIN_LIST: usize = 4;

/// The estimate for a query, up to the first syntax error.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct QuerySize {
    /// Bytes of all values in memory.
    pub(super) bytes: usize,
    /// The query's id.
    pub(super) id: Option<String>,
    /// The last key read.
    pub(super) last: Option<String>,
    /// The key with the largest value, and the bytes of that value.
    pub(super) largest: Option<(String, usize)>,
}

impl QuerySize {
    /// Estimates a JSON object without keeping its values. A text that is not an object, or is cut off, counts up to
    /// the error.
    pub(super) fn of(text: &str) -> QuerySize {
        let mut estimate = QuerySize::default();
        // The parser reports the errors.
        let _ = (&mut estimate).deserialize(&mut serde_json::Deserializer::from_str(text));
        estimate
    }
}

impl<'de> DeserializeSeed<'de> for &mut QuerySize {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut QuerySize {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            self.last = Some(key.clone());
            let before = self.bytes;
            let is_id = key == "id";
            let id = map.next_value_seed(ValueSize { bytes: &mut self.bytes, keeps_text: is_id })?;
            self.bytes += KEY_BYTES + key.len();
            self.id = if is_id { id } else { self.id.take() };
            let bytes = self.bytes - before;
            if self.largest.as_ref().is_none_or(|(_, most)| bytes > *most) {
                self.largest = Some((key, bytes));
            }
        }
        Ok(())
    }
}

/// A value; reading it adds its size to `bytes`.
struct ValueSize<'w> {
    bytes: &'w mut usize,
    /// True if the text of a string value is returned.
    keeps_text: bool,
}

impl<'de> DeserializeSeed<'de> for ValueSize<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSize<'_> {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<String>, E> {
        *self.bytes += ALLOCATION_BYTES + text.len();
        Ok(self.keeps_text.then(|| text.to_owned()))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut values: S) -> Result<Option<String>, S::Error> {
        let mut count = 0;
        while values.next_element_seed(ValueSize { bytes: self.bytes, keeps_text: false })?.is_some() {
            count += 1;
        }
        if count > 0 {
            // The capacity of a growing list doubles.
            *self.bytes += ALLOCATION_BYTES + VALUE_BYTES * usize::max(MIN_LIST, 2 * count);
        }
        Ok(None)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Option<String>, M::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(ValueSize { bytes: self.bytes, keeps_text: false })?;
            *self.bytes += KEY_BYTES;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_field_is_named_and_cut_text_keeps_its_id() {
        let moves = "[\"B\",\"D4\"],".repeat(1000);
        let query = format!(
            "{{\"id\":\"q\",\"komi\":7.5,\"moves\":[{}],\"rules\":\"aga\"}}",
            &moves[..moves.len() - 1]
        );
        let whole = QuerySize::of(&query);
        assert_eq!((whole.id.as_deref(), whole.last.as_deref()), (Some("q"), Some("rules")));
        let (largest, bytes) = whole.largest.expect("something");
        assert_eq!(largest, "moves");
        assert!((200_000..whole.bytes).contains(&bytes), "{bytes}");
        let cut = QuerySize::of(&query[..query.len() / 2]);
        assert_eq!((cut.id.as_deref(), cut.last.as_deref()), (Some("q"), Some("moves")));
        assert!(cut.bytes > 60_000);
        for nonsense in ["", "[1]", "{\"id\":[]}", "{\"a\":", "{\"id\":\"a", "\u{fffd}{}", &"[".repeat(1000)]
        {
            assert_eq!(QuerySize::of(nonsense).id, None, "{nonsense}");
        }
    }
}
