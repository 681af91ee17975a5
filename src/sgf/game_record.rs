//! A game as its record tells it: the main line, nothing played yet.

use super::error::Location;
use crate::game::Player;
use crate::go::Rules;
use std::fmt;

/// One game of a file: what is said of it as a whole, by the first node that does, and the nodes of its main line.
///
/// Points are on the board of the record, which may be larger than any board of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// What is played (`GM`): 1 is Go. Records of other games keep no moves.
    pub game: u32,
    /// Points in a row, `1..=52`.
    pub columns: u8,
    /// Points in a column, `1..=52`.
    pub rows: u8,
    /// The number written as komi (`KM`); [`GameRecord::terms`] knows what it means.
    pub komi: Option<f64>,
    /// Handicap as written (`HA`), not what the setup has; `None` for 0 too.
    pub handicap: Option<u32>,
    /// The name of the rules as written (`RU`).
    pub rules: Option<String>,
    /// The programs that wrote it (`AP`): some put theirs after an earlier one.
    pub applications: Vec<String>,
    /// True if `KO` holds the komi, as in records of the servers Sina and Tom.
    pub is_komi_in_ko: bool,
    /// True if the server Fox wrote the record, also where another program changed it.
    pub is_from_fox: bool,
    /// Who plays (`PB`, `PW`), Black first.
    pub names: [Option<String>; 2],
    /// Their ranks (`BR`, `WR`), Black first.
    pub ranks: [Option<String>; 2],
    /// The result as written (`RE`), such as `W+3.5`.
    pub result: Option<String>,
    /// When it was played (`DT`).
    pub date: Option<String>,
    /// Where or in which tournament it was played (`EV`).
    pub event: Option<String>,
    /// The title of the game (`GN`).
    pub title: Option<String>,
    /// The charset that this game names (`CA`).
    pub charset_label: Option<String>,
    /// The main line from the first node on: always the first variation.
    pub nodes: Vec<Node>,
    /// Nodes in the file, variations included.
    pub total_nodes: usize,
    /// Nodes with more than one continuation.
    pub forks: usize,
    /// What could not be read and was left out, with its place; at most [`MAX_WARNINGS`].
    pub warnings: Vec<String>,
}

/// Warnings kept for one game.
pub const MAX_WARNINGS: usize = 20;

/// A node of the main line. Setup comes before moves, whatever their order in the file.
///
/// Most nodes have a move and nothing else, so all else lies apart: a file of 10 MB may say millions of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Moves (`B`, `W`) in the order of the file; FF\[4\] allows one.
    pub moves: Box<[(Player, Place)]>,
    rest: Option<Box<Rest>>,
}

/// What a node has besides moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Stones added (`AB`, `AW`) and points emptied (`AE`, as `None`), in the order of the file.
    pub setup: Vec<(Option<Player>, RecordPoint)>,
    /// A setup value that is no point of the board. The setup around it is kept.
    pub unreadable_setup: Option<Unreadable>,
    /// Who is to move next (`PL`).
    pub player_to_move: Option<Player>,
    /// The comment (`C`), line ends as `\n`.
    pub comment: Option<String>,
}

impl Node {
    /// A node with moves and the rest.
    #[must_use]
    pub fn new(moves: Vec<(Player, Place)>, rest: Rest) -> Node {
        let rest = (rest != Rest::default()).then(|| Box::new(rest));
        Node { moves: moves.into_boxed_slice(), rest }
    }

    /// Adds stones.
    pub(super) fn set_up(&mut self, stones: Vec<(Option<Player>, RecordPoint)>) {
        self.rest.get_or_insert_default().setup.extend(stones);
    }

    /// See [`Rest::setup`].
    #[must_use]
    pub fn setup(&self) -> &[(Option<Player>, RecordPoint)] {
        self.rest.as_ref().map_or(&[], |rest| &rest.setup)
    }

    /// See [`Rest::unreadable_setup`].
    #[must_use]
    pub fn unreadable_setup(&self) -> Option<&Unreadable> {
        self.rest.as_ref()?.unreadable_setup.as_ref()
    }

    /// See [`Rest::player_to_move`].
    #[must_use]
    pub fn player_to_move(&self) -> Option<Player> {
        self.rest.as_ref()?.player_to_move
    }

    /// See [`Rest::comment`].
    #[must_use]
    pub fn comment(&self) -> Option<&str> {
        self.rest.as_ref()?.comment.as_deref()
    }
}

/// Where a move was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// On a point.
    Point(RecordPoint),
    /// Nowhere.
    Pass,
    /// The file says something that is no point of this board.
    Unreadable(Box<Unreadable>),
}

/// A point of a record's board, which may have up to 52 lines either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordPoint {
    /// From 0 at the left.
    pub column: u8,
    /// From 0 at the bottom, as in [`go::Size::move_at`](crate::go::Size::move_at); the file counts
    /// from the top.
    pub row: u8,
}

/// A value that names no point of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where the value stands.
    pub at: Location,
    /// The property, such as `AB`.
    pub property: String,
    /// The value, shortened.
    pub value: String,
    /// Columns and rows of the board.
    pub board: (u8, u8),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unreadable { at, property, value, board: (columns, rows) } = self;
        write!(f, "{at}: expected a point of the {columns}x{rows} board, found {property}[{value}]")
    }
}

impl GameRecord {
    /// Moves of the main line, passes included, without those that cannot be read.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.moves().filter(|(_, place)| !matches!(place, Place::Unreadable(_))).count()
    }

    /// All moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = &(Player, Place)> {
        self.nodes.iter().flat_map(|node| node.moves.iter())
    }

    /// The rules that [`rules`](GameRecord::rules) names, if they are rules of ours; a record under
    /// others leaves the choice to the caller.
    #[must_use]
    pub fn known_rules(&self) -> Option<Rules> {
        super::rules::rules_named(self.rules.as_deref()?).map(|(rules, _)| rules)
    }
}
