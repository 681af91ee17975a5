//! The presets of the search: formula, selection and final move of each.

mod formulas;
mod names;
mod searches;

use tewari::search::policy::{EdgeView, ParentView, Policy, Preset, SelectionPolicy};

/// Returns the policy of that name, for a search of 1,000 simulations.
fn policy(name: &str) -> Policy {
    name.parse::<Preset>().expect("a preset").policy(1000)
}

/// Returns a visited edge.
fn edge(visits: f32, value: f32) -> EdgeView {
    EdgeView { visits, value, ..EdgeView::default() }
}

/// Returns an edge with AMAF samples.
fn amaf(visits: f32, value: f32, amaf_visits: f32, amaf_wins: f32) -> EdgeView {
    EdgeView { amaf_visits, amaf_wins, ..edge(visits, value) }
}

/// Returns the score that `name` gives an edge of a position with `parent_visits` visits.
fn score(name: &str, parent_visits: f32, edge: EdgeView) -> f32 {
    policy(name).score(&ParentView::new(parent_visits), &edge)
}
