//! The end of a descent.

use crate::base::game::Bounds;
use crate::table::Entry;

/// The position at which a descent ends, with the reason.
pub(super) enum Leaf<'t> {
    /// A position without a page, which may get one.
    Unexpanded(Entry<'t>),
    /// A position that gets a playout. It has no entry at the first visit of an edge if entries are deferred, if the table
    /// has no room, or if the path has returned to an earlier position. It has pages if all moves on them are refuted and
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
