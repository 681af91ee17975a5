//! One search in several processes, the *ranks* of an MPI job or of a test.
//!
//! Every rank has a table of its own and searches the same position. The ranks send each other the new visits of positions, with
//! values, bounds and evaluations (`exchange`), so that each table becomes that of one search, and no rank evaluates what
//! another one has. Rank 0 (`leader`) speaks with the user; the others (`follower`) wait for its requests. A transport is a
//! [`Link`]: channels within one process, or MPI (`mpi`, a feature of the package). [`Outbox`], [`Inbox`] and the messages between
//! them are public for simulations of many ranks (`tools/cluster/simulate`).
//!
//! **Guaranteed:** an own simulation is counted once in every table. Only own visits are sent (`search::journal`), and those
//! received are added by the operations that workers use. Bounds are proofs for a key, as in merged tables.
//!
//! **Possible losses:** positions below four visits are sent later or never; positions evicted before they were sent are not
//! sent; what finds no room in the other table is lost there. AMAF samples, samples of expected scores and policy state stay
//! with their rank. A position that another rank reseeds from its edge has those visits, fewer than four from each rank, twice.

mod exchange;
mod follower;
mod handle;
mod identity;
mod inbox;
mod leader;
mod link;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod outbox;
mod part;
#[cfg(test)]
mod property;
mod share;
mod wire;

pub use exchange::{FIRST_INTERVAL, INTERVAL};
pub use follower::serve;
pub use handle::{RankError, Ranks};
pub use inbox::Inbox;
pub use link::Link;
pub use message::{read_increments, write_increments};
#[cfg(feature = "mpi")]
pub use mpi::connect;
pub use outbox::Outbox;
pub(super) use part::{Part, seed_of};
