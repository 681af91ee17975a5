//! A game as its record contains it: the main line, not yet played.

use super::error::Location;
use crate::base::game::Player;
use crate::go::Rules;
use std::fmt;

/// One game of a file: its game information, each item from the first node that has it, and the nodes of its main line.
///
/// Points refer to the board of the record, which may be larger than the boards supported here.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The game (`GM`): 1 is Go. Records of other games keep no moves.
    pub game: u32,
    /// Columns of the board, `1..=52`.
    pub columns: u8,
    /// Rows of the board, `1..=52`.
    pub rows: u8,
    /// The number written as komi (`KM`); [`GameRecord::terms`] interprets it.
    pub komi: Option<f64>,
    /// The handicap as written (`HA`), whatever stones are set up; `None` for 0 too.
    pub handicap: Option<u32>,
    /// The handicap stones that the text lacks and reading has set up, as Fox places them.
    pub placed_handicap: Vec<RecordPoint>,
    /// The name of the rules as written (`RU`).
    pub rules: Option<String>,
    /// The programs that wrote the record (`AP`); some programs append their name to an earlier one.
    pub applications: Vec<String>,
    /// True if `KO` holds the komi, as in records of the servers Sina and Tom.
    pub is_komi_in_ko: bool,
    /// True if the Go server Fox wrote the record, even if another program changed it.
    pub is_from_fox: bool,
    /// The players' names (`PB`, `PW`), Black first.
    pub names: [Option<String>; 2],
    /// The players' ranks (`BR`, `WR`), Black first.
    pub ranks: [Option<String>; 2],
    /// The result as written (`RE`), such as `W+3.5`.
    pub result: Option<String>,
    /// The date of the game (`DT`).
    pub date: Option<String>,
    /// The event, such as a tournament (`EV`).
    pub event: Option<String>,
    /// The title of the game (`GN`).
    pub title: Option<String>,
    /// The charset that the game names (`CA`).
    pub charset_label: Option<String>,
    /// The nodes of the main line, which always takes the first variation.
    pub nodes: Vec<Node>,
    /// Number of nodes in the game, variations included.
    pub total_nodes: usize,
    /// Number of nodes with more than one successor.
    pub forks: usize,
    /// Warnings about text that was ignored, with its place; at most [`MAX_WARNINGS`] about values, a few more about
    /// the whole game.
    pub warnings: Vec<String>,
}

/// Maximum number of warnings about values kept for one game.
pub const MAX_WARNINGS: usize = 20;

/// A node of the main line. Setup comes before moves, whatever their order in the file.
///
/// Most nodes contain only a move, so everything else is boxed: a file of 10 MB may have millions of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The moves (`B`, `W`) in the order of the file, the first value of each property; FF\[4\] allows one move.
    pub moves: Box<[(Player, RecordMove)]>,
    rest: Option<Box<NodeProperties>>,
}

/// The contents of a node other than moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeProperties {
    /// Stones added (`AB`, `AW`) and points emptied (`AE`, as `None`), in the order of the file.
    pub setup: Vec<(Option<Player>, RecordPoint)>,
    /// The first setup value that is not a point of the board. The rest of the setup is kept.
    pub unreadable_setup: Option<UnreadableValue>,
    /// The player to move next (`PL`).
    pub player_to_move: Option<Player>,
    /// The comment (`C`), with `\n` as line end.
    pub comment: Option<String>,
    /// The analyses by other programs, in the order of the file.
    pub analyses: Vec<StoredAnalysis>,
}

/// A property in which another program stored an analysis, not yet parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// The property.
    pub property: AnalysisProperty,
    /// Start of the first value.
    pub at: Location,
    /// The values, without the backslashes of SGF.
    pub values: Vec<String>,
}

/// A property for analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisProperty {
    /// `KT` of KaTrain.
    Katrain,
    /// `KTV` of KaTrain, in the first node: the version of the format.
    KatrainVersion,
    /// `LZ` of Lizzie, which LizzieYzy writes, too.
    Lizzie,
    /// `LZOP` of LizzieYzy.
    LizzieYzy,
    /// `LZ2` or `LZOP2` of LizzieYzy, the analysis by a second engine.
    SecondEngine,
}

impl AnalysisProperty {
    /// Returns the property with a name; `None` for other properties.
    pub(super) fn named(name: &str) -> Option<AnalysisProperty> {
        Some(match name {
            "KT" => AnalysisProperty::Katrain,
            "KTV" => AnalysisProperty::KatrainVersion,
            "LZ" => AnalysisProperty::Lizzie,
            "LZOP" => AnalysisProperty::LizzieYzy,
            "LZ2" | "LZOP2" => AnalysisProperty::SecondEngine,
            _ => return None,
        })
    }
}

impl Node {
    /// Creates a node; an empty `rest` takes no memory.
    #[must_use]
    pub fn new(moves: Vec<(Player, RecordMove)>, rest: NodeProperties) -> Node {
        let rest = (rest != NodeProperties::default()).then(|| Box::new(rest));
        Node { moves: moves.into_boxed_slice(), rest }
    }

    /// Adds stones and empty points to the setup.
    pub(super) fn set_up(&mut self, stones: Vec<(Option<Player>, RecordPoint)>) {
        self.rest.get_or_insert_default().setup.extend(stones);
    }

    /// Returns [`NodeProperties::setup`].
    #[must_use]
    pub fn setup(&self) -> &[(Option<Player>, RecordPoint)] {
        self.rest.as_ref().map_or(&[], |rest| &rest.setup)
    }

    /// Returns [`NodeProperties::unreadable_setup`].
    #[must_use]
    pub fn unreadable_setup(&self) -> Option<&UnreadableValue> {
        self.rest.as_ref()?.unreadable_setup.as_ref()
    }

    /// Returns [`NodeProperties::player_to_move`].
    #[must_use]
    pub fn player_to_move(&self) -> Option<Player> {
        self.rest.as_ref()?.player_to_move
    }

    /// Returns [`NodeProperties::comment`].
    #[must_use]
    pub fn comment(&self) -> Option<&str> {
        self.rest.as_ref()?.comment.as_deref()
    }

    /// Returns [`NodeProperties::analyses`].
    #[must_use]
    pub fn analyses(&self) -> &[StoredAnalysis] {
        self.rest.as_ref().map_or(&[], |rest| &rest.analyses)
    }
}

/// A move on the main line of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordMove {
    /// A point.
    Point(RecordPoint),
    /// A pass.
    Pass,
    /// A value that is not a point of this board.
    Unreadable(Box<UnreadableValue>),
}

/// A point of a record's board, which may have up to 52 columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordPoint {
    /// The column, from 0 at the left.
    pub column: u8,
    /// The row, from 0 at the bottom, as in [`go::Size::move_at`](crate::go::Size::move_at); the file counts from the
    /// top.
    pub row: u8,
}

/// A value that is not a point of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableValue {
    /// Start of the value.
    pub at: Location,
    /// The property, such as `AB`.
    pub property: String,
    /// The value, shortened.
    pub value: String,
    /// Columns and rows of the board.
    pub board: (u8, u8),
}

impl fmt::Display for UnreadableValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreadableValue { at, property, value, board: (columns, rows) } = self;
        write!(f, "{at}: expected a point of the {columns}x{rows} board, found {property}[{value}]")
    }
}

impl GameRecord {
    /// Returns the number of moves on the main line, passes included, unreadable ones excluded.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.moves().filter(|(_, place)| !matches!(place, RecordMove::Unreadable(_))).count()
    }

    /// Returns all moves of the main line.
    pub fn moves(&self) -> impl Iterator<Item = &(Player, RecordMove)> {
        self.nodes.iter().flat_map(|node| node.moves.iter())
    }

    /// Returns the rules that [`rules`](GameRecord::rules) names; `None` if the name is missing or unknown.
    #[must_use]
    pub fn known_rules(&self) -> Option<Rules> {
        super::rules::rules_named(self.rules.as_deref()?).map(|(rules, _)| rules)
    }
}
