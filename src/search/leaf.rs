//! The end of a descent, and its expansion.

use crate::base::game::Bounds;
use crate::table::{Entry, Page, PageEvaluation};

/// The position at which a descent ends, with the reason.
pub(super) enum Leaf<'t> {
    /// A position without a page, which may get one.
    Unexpanded(Entry<'t>),
    /// A position that an evaluator has just evaluated; its value ends the simulation. Without an entry if the table has no
    /// room.
    Evaluated(Option<Entry<'t>>, PageEvaluation),
    /// A position for which the table has no room; it gets a playout, or an evaluation that ends the simulation.
    Unstored,
    /// A position that gets a playout. It has no entry at the first visit of an edge if entries are deferred, or if the
    /// path has returned to an earlier position. It has pages if all moves on them are refuted and
    /// the table has no room for another; the value stored is then that of its leaf playouts.
    Playout(Option<Entry<'t>>),
    /// A position with an outcome decided by its path bounds or by the end of the game.
    Decided(Option<Entry<'t>>, Bounds),
    /// A position with all moves refuted on this path.
    AllRefuted(Entry<'t>),
    /// The root, with all allowed moves refuted: nothing is proven of the others.
    AllowedRefuted(Entry<'t>),
    /// A child with more visits than the edge to it; see [`CatchUp::Stop`](super::CatchUp::Stop).
    CatchUp(Entry<'t>),
}

/// The result of an expansion.
pub(super) enum Expansion<'t> {
    /// The position has a page: the descent goes on.
    Page(Page<'t>),
    /// The position has just been evaluated, and its value ends the simulation. It may have no page.
    Evaluated(PageEvaluation),
    /// The position has no page and is not evaluated.
    None,
    /// The evaluator has no evaluation: the search ends.
    Ended,
}
