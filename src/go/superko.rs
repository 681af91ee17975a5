//! The history that superko rules depend on.

use crate::base::zobrist::mix;
use std::collections::HashSet;
use std::sync::Arc;

/// A set of superko keys. `ahash` has no stable output, so its order must not reach a file.
type SeenKeys = HashSet<u64, ahash::RandomState>;

/// The positions that a superko rule forbids to recreate, by superko key.
#[derive(Default)]
pub(super) struct SuperkoHistory {
    /// Keys shared by clones.
    shared: Arc<SeenKeys>,
    /// Keys added since the last call of [`SuperkoHistory::share`].
    recent: Vec<u64>,
    /// XOR of all mixed keys.
    key: u64,
}

impl Clone for SuperkoHistory {
    fn clone(&self) -> SuperkoHistory {
        SuperkoHistory { shared: Arc::clone(&self.shared), recent: self.recent.clone(), key: self.key }
    }

    fn clone_from(&mut self, source: &SuperkoHistory) {
        if !Arc::ptr_eq(&self.shared, &source.shared) {
            self.shared = Arc::clone(&source.shared);
        }
        self.recent.clone_from(&source.recent);
        self.key = source.key;
    }
}

impl FromIterator<u64> for SuperkoHistory {
    fn from_iter<I: IntoIterator<Item = u64>>(keys: I) -> SuperkoHistory {
        let mut history = SuperkoHistory::default();
        keys.into_iter().for_each(|key| history.add(key));
        history.share();
        history
    }
}

impl SuperkoHistory {
    /// Returns all superko keys, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.shared.iter().chain(&self.recent).copied()
    }

    /// Returns true if the history contains a superko key.
    pub(super) fn contains(&self, superko_key: u64) -> bool {
        self.recent.contains(&superko_key) || self.shared.contains(&superko_key)
    }

    /// Adds a superko key.
    pub(super) fn add(&mut self, superko_key: u64) {
        if !self.contains(superko_key) {
            self.key ^= mix(superko_key);
            self.recent.push(superko_key);
        }
    }

    /// Moves all keys into storage that clones share.
    pub(super) fn share(&mut self) {
        if !self.recent.is_empty() {
            let mut keys = SeenKeys::clone(&self.shared);
            keys.extend(self.recent.drain(..));
            self.shared = Arc::new(keys);
        }
    }

    /// Returns the key of the whole history as a set, independent of its order.
    pub(super) fn key(&self) -> u64 {
        self.key
    }
}
