//! The grammar: a game is a tree of nodes, a node a list of properties.
//!
//! ```text
//! game     = "(" node { node } { game } ")"
//! node     = ";" { property }
//! property = Name value { value }
//! ```
//!
//! Trees may be nested as deep as the file is long, so the stack of open parentheses is a vector and the tree is never
//! built: the main line is kept as a list, other nodes are only counted.

use super::error::SgfError::{self, Truncated};
use super::error::{Location, excerpt};
use super::game_record::{AnalysisProperty, GameRecord, Node, NodeProperties, StoredAnalysis};
use super::info;
use super::lexer::{Lexer, Token};
use super::property::Property;
use super::value::{self, PropertyValue, RecordBoard};
use super::{MAX_GAMES, MAX_MAIN_LINE_ITEMS};
use crate::base::game::Player;
use std::borrow::Cow;
use std::ops::Range;

/// An open parenthesis.
struct Level {
    on_main_line: bool,
    has_node: bool,
    /// Number of parentheses opened directly inside.
    variations: u32,
}

/// Reads the games of a text in order.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) peeked: Option<(Token<'a>, Location)>,
    games: usize,
    /// Nodes, moves and setup points kept so far, over all games.
    kept: usize,
    /// True if damaged games are read up to the damage: see [`super::damaged`].
    pub(super) is_lenient: bool,
    /// The byte range of each game in the text.
    pub(super) spans: Vec<Range<usize>>,
}

/// The game being read.
#[derive(Default)]
pub(super) struct PartialGame<'a> {
    /// `None` until the first node is complete.
    record: Option<GameRecord>,
    /// The properties of the node being read, if it is on the main line.
    pub(super) node: Option<Vec<Property<'a>>>,
    node_values: usize,
    levels: Vec<Level>,
    total_nodes: usize,
    forks: usize,
    /// The first property outside of a node, if the parser is patient.
    missing_semicolon: Option<Location>,
}

/// Maximum number of values in a node. They are kept until the node is read; the limit far exceeds all points of the
/// largest board in every markup.
const MAX_NODE_VALUES: usize = 1 << 18;

/// Advice for text in the wrong place.
const ADVICE_CORRECT_FILE: &str = "correct the file there";
/// Advice for text that probably escaped from a comment.
const ADVICE_ESCAPE_BRACKET: &str = "inside a value, write \"]\" as \"\\]\"";

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Parser<'a> {
        let lexer = Lexer::new(text);
        Parser { lexer, peeked: None, games: 0, kept: 0, is_lenient: false, spans: Vec::new() }
    }

    /// Reads the next game; `None` if there is none.
    pub(super) fn next_game(&mut self) -> Option<Result<GameRecord, SgfError>> {
        self.lexer.find_game().then(|| {
            let start = self.lexer.offset();
            let mut game = PartialGame::default();
            self.read_game(&mut game)?;
            self.spans.push(start..self.lexer.offset());
            game.into_record()
        })
    }

    /// Reads a game to its end; on error `game` contains the part before it.
    pub(super) fn read_game(&mut self, game: &mut PartialGame<'a>) -> Result<(), SgfError> {
        self.games += 1;
        limit("games in a file", self.games, MAX_GAMES, self.lexer.here())?;
        loop {
            let (token, at) = self.token();
            match token {
                Token::Open => {
                    if self.is_lenient && !game.levels.is_empty() && self.lexer.is_before_first_node() {
                        self.peeked = Some((token, at));
                        return Err(syntax(
                            at,
                            "\")\" at the end of a game",
                            "another game",
                            ADVICE_CORRECT_FILE,
                        ));
                    }
                    game.expect_node_before(at, "\"(\"")?;
                    self.end_node(game, at)?;
                    game.open();
                }
                Token::Semicolon => {
                    game.expect_no_variation_before(at, "\";\"")?;
                    self.end_node(game, at)?;
                    game.start_node();
                }
                Token::Name(name) => {
                    if self.is_lenient && game.levels.last().is_some_and(|level| !level.has_node) {
                        game.missing_semicolon.get_or_insert(at);
                        game.start_node();
                    }
                    game.expect_node_before(at, name)?;
                    game.expect_no_variation_before(at, name)?;
                    let property = self.property(name, at)?;
                    if let Some(properties) = &mut game.node {
                        game.node_values += property.values.len();
                        limit("values in a node", game.node_values, MAX_NODE_VALUES, at)?;
                        properties.push(property);
                    }
                }
                Token::Close => {
                    game.expect_node_before(at, "\")\"")?;
                    self.end_node(game, at)?;
                    game.levels.pop();
                    if game.levels.is_empty() {
                        return Ok(());
                    }
                }
                Token::End => {
                    let expected = format!("\")\" for each of {} open \"(\"", game.levels.len());
                    return Err(Truncated { at, expected });
                }
                Token::UnendedValue => return Err(self.unended(at)),
                Token::Value(_) => {
                    return Err(syntax(at, "the name of a property", "\"[\"", ADVICE_CORRECT_FILE));
                }
                Token::Stray(c) => {
                    let expected = "a property, \";\", \"(\" or \")\"";
                    return Err(syntax(at, expected, &excerpt(&format!("{c:?}")), ADVICE_ESCAPE_BRACKET));
                }
            }
        }
    }

    fn token(&mut self) -> (Token<'a>, Location) {
        self.peeked.take().unwrap_or_else(|| self.lexer.next())
    }

    /// Reads the values after a name.
    fn property(&mut self, name: &'a str, at: Location) -> Result<Property<'a>, SgfError> {
        let mut values = Vec::new();
        loop {
            match self.token() {
                (Token::Value(raw), at) => {
                    limit("values in a node", values.len(), MAX_NODE_VALUES, at)?;
                    values.push(PropertyValue { at, raw });
                }
                (Token::UnendedValue, at) => return Err(self.unended(at)),
                (Token::End, at) if values.is_empty() => {
                    return Err(Truncated {
                        at,
                        expected: format!("a value in brackets for {}", excerpt(name)),
                    });
                }
                _ if values.is_empty() => {
                    let found = format!("{} without one", excerpt(name));
                    return Err(syntax(
                        at,
                        "a property with a value in brackets",
                        &found,
                        ADVICE_ESCAPE_BRACKET,
                    ));
                }
                other => {
                    self.peeked = Some(other);
                    break;
                }
            }
        }
        let name = if name.bytes().all(|byte| byte.is_ascii_uppercase()) {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(name.chars().filter(|c| !c.is_ascii_lowercase()).collect())
        };
        if name.is_empty() {
            return Err(syntax(
                at,
                "a property name with capital letters",
                "small letters only",
                ADVICE_CORRECT_FILE,
            ));
        }
        Ok(Property { name, values })
    }

    fn unended(&self, start: Location) -> SgfError {
        Truncated {
            at: self.lexer.here(),
            expected: format!("the \"]\" of the value that starts at {start}"),
        }
    }

    /// Adds the finished node to the record, if it is on the main line.
    pub(super) fn end_node(&mut self, game: &mut PartialGame<'a>, at: Location) -> Result<(), SgfError> {
        let Some(properties) = game.node.take() else { return Ok(()) };
        let record = match &mut game.record {
            Some(record) => {
                info::complete(record, &properties);
                record
            }
            first => first.insert(info::read(&properties)?),
        };
        let node = self.typed_node(record, &properties, at)?;
        record.nodes.push(node);
        self.keep(1, at)
    }

    fn typed_node(
        &mut self,
        record: &mut GameRecord,
        properties: &[Property],
        at: Location,
    ) -> Result<Node, SgfError> {
        let (mut moves, mut rest) = (Vec::new(), NodeProperties::default());
        let board = RecordBoard { columns: record.columns, rows: record.rows };
        for property in properties {
            let name = &*property.name;
            match name {
                "C" => rest.comment = property.values.first().map(|value| value::text(value.raw)),
                // Other games write points and moves differently.
                _ if record.game != 1 => {}
                "AB" => self.setup(&mut rest, board, Some(Player::Black), property, at)?,
                "AW" => self.setup(&mut rest, board, Some(Player::White), property, at)?,
                "AE" => self.setup(&mut rest, board, None, property, at)?,
                "B" | "W" => {
                    let player = if name == "B" { Player::Black } else { Player::White };
                    self.keep(1, at)?;
                    // Exact, since almost every node has one move.
                    moves.reserve_exact(1);
                    moves.extend(property.values.first().map(|&value| (player, board.place(name, value))));
                    if let [first, second, ..] = property.values[..] {
                        info::warn_of_second(&mut record.warnings, name, first, second);
                    }
                }
                "PL" => {
                    if let Some(&value) = property.values.first() {
                        rest.player_to_move = value::player(value.raw);
                        if rest.player_to_move.is_none() {
                            info::warn(&mut record.warnings, "PL", "B or W", value);
                        }
                    }
                }
                _ => rest.analyses.extend(stored_analysis(property)),
            }
        }
        Ok(Node::new(moves, rest))
    }

    fn keep(&mut self, more: usize, at: Location) -> Result<(), SgfError> {
        self.kept += more;
        limit("nodes, moves and points of setup in main lines", self.kept, MAX_MAIN_LINE_ITEMS, at)
    }

    fn setup(
        &mut self,
        rest: &mut NodeProperties,
        board: RecordBoard,
        player: Option<Player>,
        property: &Property,
        at: Location,
    ) -> Result<(), SgfError> {
        for &value in &property.values {
            match board.points(&property.name, value, &mut self.kept) {
                Ok(points) => rest.setup.extend(points.into_iter().map(|point| (player, point))),
                Err(unreadable) if rest.unreadable_setup.is_none() => {
                    rest.unreadable_setup = Some(unreadable);
                }
                Err(_) => {}
            }
            self.keep(0, at)?;
        }
        Ok(())
    }
}

/// Returns the property as an analysis by another program; `None` if it is none.
fn stored_analysis(property: &Property) -> Option<StoredAnalysis> {
    Some(StoredAnalysis {
        property: AnalysisProperty::named(&property.name)?,
        at: property.values.first()?.at,
        values: property.values.iter().map(|value| value::text(value.raw)).collect(),
    })
}

impl PartialGame<'_> {
    /// Returns an error if the innermost parenthesis has no node yet: only a game's first parenthesis may stand before
    /// a node.
    fn expect_node_before(&self, at: Location, found: &str) -> Result<(), SgfError> {
        match self.levels.last() {
            Some(level) if !level.has_node => {
                Err(syntax(at, "\";\" to start a node", &excerpt(found), ADVICE_CORRECT_FILE))
            }
            _ => Ok(()),
        }
    }

    fn expect_no_variation_before(&self, at: Location, found: &str) -> Result<(), SgfError> {
        match self.levels.last() {
            Some(level) if level.variations > 0 => {
                Err(syntax(at, "\"(\" or \")\" after a variation", &excerpt(found), ADVICE_CORRECT_FILE))
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self) {
        let on_main_line = match self.levels.last_mut() {
            None => true,
            Some(parent) => {
                parent.variations += 1;
                self.forks += usize::from(parent.variations == 2);
                parent.on_main_line && parent.variations == 1
            }
        };
        self.levels.push(Level { on_main_line, has_node: false, variations: 0 });
    }

    fn start_node(&mut self) {
        self.total_nodes += 1;
        self.node_values = 0;
        if let Some(level) = self.levels.last_mut() {
            level.has_node = true;
            self.node = level.on_main_line.then(Vec::new);
        }
    }

    /// Completes the record; fails if the game has no first node, which a game read to its end always has.
    pub(super) fn into_record(self) -> Result<GameRecord, SgfError> {
        let mut record = self.record.ok_or(SgfError::NoGame)?;
        record.total_nodes = self.total_nodes;
        record.forks = self.forks;
        record.nodes.shrink_to_fit();
        if let Some(at) = self.missing_semicolon {
            record.warnings.push(format!(
                "{at}: expected \";\" before a property, found none: read as if it were there"
            ));
        }
        record.complete_handicap();
        Ok(record)
    }
}

fn syntax(at: Location, expected: &'static str, found: &str, advice: &'static str) -> SgfError {
    SgfError::Syntax { at, expected, found: found.to_owned(), advice }
}

fn limit(what: &'static str, count: usize, limit: usize, at: Location) -> Result<(), SgfError> {
    if count <= limit { Ok(()) } else { Err(SgfError::TooMany { at, what, limit }) }
}
