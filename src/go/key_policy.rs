//! The transpositions that share a table key.

use std::fmt;
use std::str::FromStr;

/// Last moves in the key under [`KeyPolicy::Recent`]; the network sees them. Measured with the 9x9 network, 400 simulations,
/// 400 games against seeing five moves: none 33.9 %, one 42.8 %, two 44.5 %, three 50.9 % (each ± 4.9).
pub(super) const RECENT_IN_KEY: usize = 3;

/// The transpositions that share a table key and its statistics.
///
/// Under a superko rule the value of a position depends on its history. The less history a key contains, the more statistics
/// are shared, and the more of them are means over histories that ban different moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyPolicy {
    /// All transpositions: the key covers stones, side to move, ko point and passes. Evaluators and priors see no earlier
    /// moves.
    #[default]
    Plain,
    /// Transpositions with the same last three moves, which evaluators and priors see. After a move with few empty points,
    /// all transpositions, so that proofs are shared. The default with a network.
    Recent,
    /// Transpositions with the same last move, which priors see. After a move with few empty points, all transpositions. The
    /// default with priors and without evaluators.
    Last,
    /// Transpositions without a short cycle in their history, after KataGo (`docs/GraphSearch.md`): a move that makes a
    /// chain of S stones beside regions of E empty points cannot be undone in fewer than S + E - 1 moves. After a move with
    /// S + E of 11 or less, and after a pass, the key contains the key before the move.
    Graph,
    /// No transpositions: the key contains every move since the start of the game, and the table holds a tree.
    Path,
}

impl KeyPolicy {
    /// All policies.
    pub const ALL: [KeyPolicy; 5] =
        [KeyPolicy::Plain, KeyPolicy::Recent, KeyPolicy::Last, KeyPolicy::Graph, KeyPolicy::Path];

    /// Returns the policy's name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            KeyPolicy::Plain => "plain",
            KeyPolicy::Recent => "recent",
            KeyPolicy::Last => "last",
            KeyPolicy::Graph => "graph",
            KeyPolicy::Path => "path",
        }
    }

    /// Returns the number of last moves in the key, where it is fixed.
    pub(super) const fn window(self) -> usize {
        match self {
            KeyPolicy::Recent => RECENT_IN_KEY,
            KeyPolicy::Last => 1,
            KeyPolicy::Plain | KeyPolicy::Graph | KeyPolicy::Path => 0,
        }
    }
}

impl fmt::Display for KeyPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for KeyPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<KeyPolicy, String> {
        let found = KeyPolicy::ALL.into_iter().find(|policy| policy.name() == text);
        found.ok_or_else(|| {
            let names = KeyPolicy::ALL.map(KeyPolicy::name).join(", ");
            format!("unknown key policy {text:?}: expected one of {names}")
        })
    }
}
