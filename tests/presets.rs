//! The engines of the seeds: each preset's formula, its choices and its final move.

#[path = "presets/formulas.rs"]
mod formulas;
#[path = "presets/names.rs"]
mod names;
#[path = "presets/searches.rs"]
mod searches;

use tewari::search::policy::{EdgeView, ParentView, Policy, Preset, SelectionPolicy};

/// The policy of that name, for a search of 1,000 simulations.
fn policy(name: &str) -> Policy {
    name.parse::<Preset>().expect("a preset").policy(1000)
}

/// A visited edge.
fn edge(visits: f32, value: f32) -> EdgeView {
    EdgeView { visits, value, ..EdgeView::default() }
}

/// An edge with AMAF samples.
fn amaf(visits: f32, value: f32, amaf_visits: f32, amaf_wins: f32) -> EdgeView {
    EdgeView { amaf_visits, amaf_wins, ..edge(visits, value) }
}

/// The score that `name` gives an edge of a position with `parent_visits`.
fn score(name: &str, parent_visits: f32, edge: EdgeView) -> f32 {
    policy(name).score(&ParentView::new(parent_visits), &edge)
}
