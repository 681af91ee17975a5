//! A property of a node, its values not yet parsed.

use super::value::PropertyValue;
use std::borrow::Cow;

/// A property of the file; its name without small letters.
pub(super) struct Property<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) values: Vec<PropertyValue<'a>>,
}
