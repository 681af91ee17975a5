//! Parameters of a search.

/// Action of a simulation at a child with more visits than the edge to it, because transpositions also lead there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// Continues the descent below the child.
    Continue,
    /// Treats the child as a leaf and backs up its stored value, until the edge has as many visits.
    Stop,
}

/// Parameters of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchParameters {
    /// Number of playouts of a position before it gets an edge page.
    pub expand_at: u32,
    /// Action at children with more visits than the edge to them.
    pub catch_up: CatchUp,
    /// True if an evicted position restarts with the visits and value of the edge to it.
    pub reseed: bool,
    /// True if a position gets its entry at the second visit through one edge; the edge stores the first visit. Needs
    /// `reseed`. An engine sets it by its evaluator.
    pub defers_entries: bool,
    /// True if the value of a position that an evaluator has just evaluated ends the simulation, in place of a playout;
    /// `expand_at` is then ignored. An engine sets it by its policy.
    pub evaluates_leaves: bool,
    /// Number of workers, 1 to 255.
    pub threads: usize,
    /// Seed of all randomness.
    pub seed: u64,
}

impl Default for SearchParameters {
    fn default() -> SearchParameters {
        SearchParameters {
            expand_at: 8,
            catch_up: CatchUp::Continue,
            reseed: true,
            defers_entries: false,
            evaluates_leaves: false,
            threads: 1,
            seed: 1,
        }
    }
}
