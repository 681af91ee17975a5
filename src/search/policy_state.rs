//! Access to the policy state in the table, which few policies use (see [`SelectionPolicy::uses_state`]).

use super::policy::SelectionPolicy;
use crate::base::game::Game;
use crate::base::value::Value;
use crate::table::{Page, Table};
use std::sync::atomic::Ordering::Relaxed;

/// Returns the state of each edge of a page; 0 if the layout has none.
pub(super) fn of_edges<'b>(page: &'b Page<'_>) -> impl Iterator<Item = u64> + 'b {
    page.policy_state().iter().map(|word| word.load(Relaxed)).chain(std::iter::repeat(0))
}

/// Copies the state of each edge for a selection; at the root the policy updates it first. `candidates` returns true
/// for the edges that may be selected.
pub(super) fn load<P: SelectionPolicy>(
    policy: &P,
    page: &Page<'_>,
    is_root: bool,
    candidates: impl Fn(usize) -> bool,
    copy: &mut [u64],
) {
    if is_root {
        policy.update_at_root(page.policy_state(), &candidates);
    }
    for (state, stored) in copy.iter_mut().zip(page.policy_state()) {
        *state = stored.load(Relaxed);
    }
}

/// Returns true if the policy lets the search of `root` stop, see [`SelectionPolicy::is_settled`].
pub(super) fn is_settled<G: Game, P: SelectionPolicy>(table: &Table, root: &G, policy: &P) -> bool {
    if !policy.uses_state() {
        return true;
    }
    let Some(page) = table.find(root.key()).and_then(|entry| table.page(&entry)) else { return true };
    policy.is_settled(page.policy_state(), &|index| {
        let edge = page.edge(index);
        edge.is_legal() && edge.visits() > 0 && edge.value() != Value::LOSS
    })
}
