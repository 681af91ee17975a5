//! The end of a search that a person waits for.

use crate::search::SearchSnapshot;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A flag that ends the running search once it is set; `None`: searches cannot be ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndSearch(pub Option<&'static AtomicBool>);

impl EndSearch {
    /// Clears the flag, and returns the progress callback of a search that begins.
    pub(super) fn progress(self) -> impl FnMut(&SearchSnapshot<'_>) -> bool {
        self.0.inspect(|flag| flag.store(false, Relaxed));
        move |_| !self.0.is_some_and(|flag| flag.load(Relaxed))
    }
}
