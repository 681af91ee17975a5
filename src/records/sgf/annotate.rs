//! Additions to a record; the rest of its text is kept as it is.
//!
//! The text is copied token by token. Properties are added at the end of main-line nodes, and variations beside their
//! next moves: `;B[aa];W[bb]` becomes `;B[aa](;W[bb])(;W[cc])`. A damaged record is cut at the damage and its
//! parentheses are closed.

use super::lexer::{Lexer, Token};
use super::write::{Variation, escaped, write_variation};
use crate::go::Size;
use std::fmt::Write;
use std::ops::Range;

/// Additions to one node of the main line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addition {
    /// Text appended to the node's comment; may be empty.
    pub comment: String,
    /// Properties to add.
    pub extras: Vec<AddedProperty>,
    /// Variations beside the next move. They are left out at the end of the record, where they would become its main
    /// line.
    pub variations: Vec<Variation>,
}

/// A property to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedProperty {
    /// The name, in capitals.
    pub name: &'static str,
    /// The values as they stand between the brackets, already escaped.
    pub values: Vec<String>,
    /// Treatment of a property that the node already has.
    pub present: ExistingProperty,
}

/// Treatment of a property that a node already has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingProperty {
    /// The new property replaces an old one of the same name.
    Replace,
    /// The new property is left out if the node has one of these.
    Keep(&'static [&'static str]),
}

/// An open parenthesis.
struct Level {
    /// Byte offset of the parenthesis.
    start: usize,
    is_on_main_line: bool,
    has_node: bool,
    has_child: bool,
}

/// The node being read, if it is on the main line.
#[derive(Default)]
struct OpenNode {
    names: Vec<String>,
    has_comment: bool,
}

struct Annotator<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    peeked: Option<(Token<'a>, Range<usize>)>,
    size: Size,
    additions: &'a [Addition],
    levels: Vec<Level>,
    /// Text to insert before closing parentheses, the last first, with the number of levels open there. Kept apart from
    /// the levels, since a file may have millions of these.
    tails: Vec<(usize, String)>,
    node: Option<OpenNode>,
    /// Number of main-line nodes begun so far.
    nodes: usize,
    /// Byte ranges of the text and their replacements, in ascending order.
    edits: Vec<(Range<usize>, String)>,
    /// Byte offset at which the sound text ends.
    good: usize,
}

/// Returns the text of one game (see [`Sources`](super::Sources)) with `additions` to the nodes of its main line, from
/// the first node on; there may be fewer additions than nodes. `size` is the board of the variations' points.
#[must_use]
pub fn annotate(text: &str, size: Size, additions: &[Addition]) -> String {
    let mut walk = Annotator {
        text,
        lexer: Lexer::new(text),
        peeked: None,
        size,
        additions,
        levels: Vec::new(),
        tails: Vec::new(),
        node: None,
        nodes: 0,
        edits: Vec::new(),
        good: 0,
    };
    while walk.step() {}
    walk.finish()
}

impl<'a> Annotator<'a> {
    fn token(&mut self) -> (Token<'a>, Range<usize>) {
        self.peeked.take().unwrap_or_else(|| {
            let (token, _) = self.lexer.next();
            let end = self.lexer.offset();
            let length = match token {
                Token::Open | Token::Close | Token::Semicolon => 1,
                Token::Name(name) => name.len(),
                Token::Value(value) => value.len() + 2,
                _ => 0,
            };
            (token, end - length..end)
        })
    }

    /// Reads one token; returns `false` at the end of the game or at the first error.
    fn step(&mut self) -> bool {
        let (token, at) = self.token();
        let inside = self.levels.last();
        let (has_node, has_child) = inside.map_or((true, false), |level| (level.has_node, level.has_child));
        match token {
            Token::Open if has_node => self.open(at.start),
            Token::Semicolon if !has_child && inside.is_some() => self.start_node(at.start),
            Token::Name(name) if !has_child && inside.is_some() => {
                if !has_node {
                    self.edits.push((at.start..at.start, ";".to_owned()));
                    self.start_node(at.start);
                }
                if !self.property(name, &at) {
                    return false;
                }
            }
            Token::Close if has_node && inside.is_some() => {
                self.close(at.start);
                self.good = at.end;
                return !self.levels.is_empty();
            }
            _ => return false,
        }
        self.good = self.good.max(at.end);
        true
    }

    fn open(&mut self, at: usize) {
        if let Some(variations) = self.end_node() {
            self.tails.push((self.levels.len(), variations));
        }
        let is_on_main_line = match self.levels.last_mut() {
            None => true,
            Some(parent) => {
                let is_first = !std::mem::replace(&mut parent.has_child, true);
                parent.is_on_main_line && is_first
            }
        };
        self.levels.push(Level { start: at, is_on_main_line, has_node: false, has_child: false });
    }

    fn start_node(&mut self, at: usize) {
        if let Some(variations) = self.end_node() {
            self.edits.push((at..at, "(".to_owned()));
            self.tails.push((self.levels.len(), format!("){variations}")));
        }
        let Some(level) = self.levels.last_mut() else { return };
        level.has_node = true;
        if level.is_on_main_line {
            self.node = Some(OpenNode::default());
            self.nodes += 1;
        }
    }

    fn close(&mut self, at: usize) {
        self.end_node();
        let tail = self.tail();
        self.levels.pop();
        if !tail.is_empty() {
            self.edits.push((at..at, tail));
        }
    }

    /// Takes the text that is due before the closing parenthesis of the innermost level.
    fn tail(&mut self) -> String {
        let mut tail = String::new();
        while self.tails.last().is_some_and(|(levels, _)| *levels == self.levels.len()) {
            tail.extend(self.tails.pop().map(|(_, text)| text));
        }
        tail
    }

    /// Reads the values of the property `name`; returns `false` if it has none.
    fn property(&mut self, name: &str, at: &Range<usize>) -> bool {
        let mut values: Vec<Range<usize>> = Vec::new();
        loop {
            match self.token() {
                (Token::Value(_), range) => values.push(range),
                other => {
                    self.peeked = Some(other);
                    break;
                }
            }
        }
        let Some(last) = values.last().map(|range| range.end) else { return false };
        self.good = last;
        let Some(addition) = self.additions.get(self.nodes.wrapping_sub(1)) else { return true };
        let Some(node) = &mut self.node else { return true };
        let name: String = name.chars().filter(|c| !c.is_ascii_lowercase()).collect();
        if addition
            .extras
            .iter()
            .any(|extra| extra.name == name && extra.present == ExistingProperty::Replace)
        {
            self.edits.push((at.start..last, String::new()));
        } else if name == "C" && !addition.comment.is_empty() && !node.has_comment {
            node.has_comment = true;
            let end = values[0].end - 1;
            let is_empty = self.text[values[0].start + 1..end].trim().is_empty();
            let between = if is_empty { "" } else { "\n\n" };
            self.edits.push((end..end, format!("{between}{}", escaped(&addition.comment))));
        }
        node.names.push(name);
        true
    }

    /// Adds the properties of the node that ends here and returns the variations that go beside its successor.
    fn end_node(&mut self) -> Option<String> {
        let node = self.node.take()?;
        let addition = self.additions.get(self.nodes - 1)?;
        let mut text = String::new();
        for extra in &addition.extras {
            if let ExistingProperty::Keep(names) = extra.present
                && node.names.iter().any(|name| names.contains(&name.as_str()))
            {
                continue;
            }
            text.push_str(extra.name);
            for value in &extra.values {
                // Writing to a string cannot fail.
                let _ = write!(text, "[{value}]");
            }
        }
        if !addition.comment.is_empty() && !node.has_comment {
            let _ = write!(text, "C[{}]", escaped(&addition.comment));
        }
        if !text.is_empty() {
            self.edits.push((self.good..self.good, text));
        }
        let mut variations = String::new();
        for variation in &addition.variations {
            write_variation(&mut variations, self.size, variation);
        }
        (!variations.is_empty()).then_some(variations)
    }

    /// Returns the edited text; open parentheses are closed.
    fn finish(mut self) -> String {
        self.end_node();
        // Parentheses that were opened last and contain no node are cut off.
        while self.levels.last().is_some_and(|level| !level.has_node) {
            self.good = self.levels.pop().map_or(self.good, |level| level.start);
        }
        let mut output = String::with_capacity(self.text.len() + self.edits.len() * 32);
        let mut copied = 0;
        for (range, replacement) in &self.edits {
            output.push_str(&self.text[copied..range.start]);
            output.push_str(replacement);
            copied = range.end;
        }
        output.push_str(&self.text[copied..self.good.max(copied)]);
        while !self.levels.is_empty() {
            output.push_str(&self.tail());
            self.levels.pop();
            output.push(')');
        }
        output.push('\n');
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::game::Player;

    fn size() -> Size {
        Size::new(9, 9).unwrap()
    }

    fn comment(text: &str) -> Addition {
        Addition { comment: text.to_owned(), ..Addition::default() }
    }

    fn with_variation() -> Addition {
        let variation = Variation {
            played: size().parse_vertex("A9").map(|mv| (Player::White, mv)),
            comment: "better".to_owned(),
            next: Vec::new(),
        };
        Addition { variations: vec![variation], ..Addition::default() }
    }

    #[test]
    fn nothing_added_leaves_the_text_as_it_is() {
        let text = "( ;FF[4] XX[a\\]b]\nC[x](;B[ee] ; W[cc] (;B[aa])(;B[bb]))(;B[ff]) )";
        assert_eq!(annotate(text, size(), &[]).trim_end(), text);
    }

    #[test]
    fn comments_are_appended_and_properties_added_replaced_or_left() {
        let text = "(;CA[GBK]C[old: \\]];B[ee]SBKV[1]TE[1];W[cc])";
        let extras = vec![
            AddedProperty { name: "SBKV", values: vec!["55".to_owned()], present: ExistingProperty::Replace },
            AddedProperty {
                name: "BM",
                values: vec!["1".to_owned()],
                present: ExistingProperty::Keep(&["BM", "TE"]),
            },
        ];
        let second = Addition { extras, ..comment("new]") };
        assert_eq!(
            annotate(text, size(), &[comment("root"), second]).trim_end(),
            "(;CA[GBK]C[old: \\]\n\nroot];B[ee]TE[1]SBKV[55]C[new\\]];W[cc])"
        );
    }

    #[test]
    fn variations_stand_beside_the_next_move_and_never_after_the_last() {
        let all = [with_variation(), with_variation(), with_variation()];
        let variation = "\n(;W[aa]C[better])";
        assert_eq!(
            annotate("(;SZ[9];B[ee];W[cc])", size(), &all).trim_end(),
            format!("(;SZ[9](;B[ee](;W[cc]){variation}){variation})")
        );
        assert_eq!(
            annotate("(;SZ[9](;B[ee])(;B[cc]))", size(), &all).trim_end(),
            format!("(;SZ[9](;B[ee])(;B[cc]){variation})")
        );
    }

    #[test]
    fn damaged_records_are_closed_where_they_end() {
        for (text, expected) in [
            ("(;SZ[9];B[ee];W[c", "(;SZ[9];B[ee];)"),
            ("(;SZ[9];B[ee](", "(;SZ[9];B[ee])"),
            ("(SZ[9];B[ee] W", "(;SZ[9];B[ee])"),
            ("(;SZ[9](;B[ee];W[cc]", "(;SZ[9](;B[ee];W[cc]))"),
            ("", ""),
        ] {
            assert_eq!(annotate(text, size(), &[]).trim_end(), expected, "{text}");
        }
        let added = annotate("(;SZ[9];B[ee];W[cc]", size(), &[with_variation()]);
        assert_eq!(added.trim_end(), "(;SZ[9](;B[ee];W[cc])\n(;W[aa]C[better]))");
    }
}
