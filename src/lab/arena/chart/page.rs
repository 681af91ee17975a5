//! The page of a chart: a title, a legend above the panels, notes below them, and colours for light and dark pages.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::fmt::Write;

/// Sizes of the fonts of the title and of all other text.
pub(super) const TITLE_SIZE: i32 = 22;
pub(super) const TEXT_SIZE: i32 = 15;
const WIDTH: u32 = 960;
const HEIGHT: u32 = 720;
const MARGIN: i32 = 24;
/// Heights in pixels of the title, of a row of the legend and of a note.
const TITLE_HEIGHT: i32 = 44;
const ROW_HEIGHT: i32 = 24;
const NOTE_HEIGHT: i32 = 20;
/// Widths in pixels of a symbol of the legend and of a character: no usual font is wider on average.
const SYMBOL_WIDTH: i32 = 34;
const CHARACTER_WIDTH: f64 = 7.3;

/// Each colour on light pages, as the drawing library writes it, and on dark pages.
const COLOURS: [(&str, &str); 7] = [
    ("FFFFFF", "14171C"),
    ("000000", "E4E7EB"),
    ("14286E", "8FB4FF"),
    ("C83C1E", "FF8A66"),
    ("148C6E", "4FD1AE"),
    ("965ABE", "CFA0F0"),
    ("D2A01E", "F0C75E"),
];

/// A failure to draw a chart.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// There are no points.
    #[error("nothing to draw: expected at least one point")]
    Empty,
    /// An error of the drawing library.
    #[error("cannot draw the chart: {0}")]
    Drawing(String),
}

/// A drawing area of a page.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of drawing.
pub(super) type DrawResult<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The texts of a page besides its panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartText {
    /// Title of the chart.
    pub title: String,
    /// Label of the horizontal axis.
    pub x: String,
    /// Name of the reference, in a few words.
    pub reference: String,
    /// Notes below the panels, a sentence each.
    pub notes: Vec<String>,
}

/// A symbol in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LegendSymbol {
    Line(RGBAColor),
    Cross(RGBAColor),
}

/// An entry of the legend.
pub(super) type LegendEntry = (LegendSymbol, String);

/// Draws a page as SVG; `paint` draws the panels.
pub(super) fn draw(
    words: &ChartText,
    entries: &[LegendEntry],
    paint: impl FnOnce(&Area<'_>) -> DrawResult,
) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
        let failed = |error: Box<dyn Error + Send + Sync>| match error.downcast::<ChartError>() {
            Ok(error) => *error,
            Err(error) => ChartError::Drawing(error.to_string()),
        };
        compose(&root, words, entries, paint).map_err(failed)?;
        root.present().map_err(|error| ChartError::Drawing(error.to_string()))?;
    }
    Ok(with_dark_style(&svg, &words.title))
}

fn compose(
    root: &Area<'_>,
    words: &ChartText,
    entries: &[LegendEntry],
    paint: impl FnOnce(&Area<'_>) -> DrawResult,
) -> DrawResult {
    root.fill(&WHITE)?;
    let title = TextStyle::from(("sans-serif", TITLE_SIZE)).pos(Pos::new(HPos::Center, VPos::Top));
    root.draw(&Text::new(words.title.clone(), (WIDTH as i32 / 2, 14), title))?;
    let mut top = TITLE_HEIGHT;
    let mut left = MARGIN;
    for (symbol, label) in entries {
        let width = SYMBOL_WIDTH + (label.chars().count() as f64 * CHARACTER_WIDTH) as i32 + MARGIN;
        if left > MARGIN && left + width > WIDTH as i32 {
            (left, top) = (MARGIN, top + ROW_HEIGHT);
        }
        let middle = top + ROW_HEIGHT / 2;
        match *symbol {
            LegendSymbol::Line(colour) => {
                let line = [(left, middle), (left + SYMBOL_WIDTH - 10, middle)];
                root.draw(&PathElement::new(line, colour.stroke_width(3)))?;
            }
            LegendSymbol::Cross(colour) => {
                root.draw(&Cross::new((left + SYMBOL_WIDTH / 3, middle), 6, colour.stroke_width(2)))?;
            }
        }
        let style = TextStyle::from(("sans-serif", TEXT_SIZE)).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(label.clone(), (left + SYMBOL_WIDTH, middle), style))?;
        left += width;
    }
    top += if entries.is_empty() { 0 } else { ROW_HEIGHT };
    let notes = wrapped(&words.notes);
    let below = notes.len() as i32 * NOTE_HEIGHT + 8;
    let (_, rest) = root.split_vertically(top);
    let (panels, footer) = rest.split_vertically(HEIGHT as i32 - top - below);
    for (row, note) in (0..).zip(notes) {
        footer.draw(&Text::new(note, (MARGIN, row * NOTE_HEIGHT), ("sans-serif", TEXT_SIZE)))?;
    }
    paint(&panels)
}

/// Breaks notes into lines that fit the page.
fn wrapped(notes: &[String]) -> Vec<String> {
    let longest = (f64::from(WIDTH as i32 - 2 * MARGIN) / CHARACTER_WIDTH) as usize;
    let mut lines = Vec::new();
    for note in notes {
        let mut line = String::new();
        for word in note.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > longest {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// Adds a title for screen readers, and colours for dark pages.
fn with_dark_style(svg: &str, title: &str) -> String {
    let mut style = String::from("<style>@media (prefers-color-scheme: dark) {");
    for (light, dark) in COLOURS {
        // Writing to a string cannot fail.
        let _ = write!(
            style,
            " [fill=\"#{light}\"] {{ fill: #{dark}; }} [stroke=\"#{light}\"] {{ stroke: #{dark}; }}"
        );
    }
    style.push_str(" }</style>\n");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    match svg.split_once('>') {
        Some((opening, rest)) => {
            format!("{opening} role=\"img\">\n<title>{title}</title>\n{style}{}", rest.trim_start())
        }
        None => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_a_page_has_one_for_dark_pages() {
        let series: Vec<LegendEntry> = super::super::COLOURS
            .iter()
            .map(|colour| (LegendSymbol::Line(colour.to_rgba()), "one".to_owned()))
            .chain([(LegendSymbol::Cross(BLACK.to_rgba()), "other".to_owned())])
            .collect();
        let words = ChartText { title: "A < B".to_owned(), ..ChartText::default() };
        let svg = draw(&words, &series, |_| Ok(())).expect("a page");
        assert!(
            svg.contains("<title>A &lt; B</title>") && svg.contains("prefers-color-scheme: dark"),
            "{svg}"
        );
        let picture = svg.split_once("</style>").expect("a style").1;
        for part in picture.split("=\"#").skip(1) {
            let colour = &part[..6];
            assert!(COLOURS.iter().any(|(light, _)| *light == colour), "{colour}");
        }
    }

    #[test]
    fn long_notes_and_legends_go_on_in_the_next_row() {
        let note = "words ".repeat(60);
        assert!(wrapped(std::slice::from_ref(&note)).len() > 2);
        let entries: Vec<LegendEntry> =
            (0..5).map(|_| (LegendSymbol::Line(BLACK.to_rgba()), "word ".repeat(8))).collect();
        let svg = draw(&ChartText { notes: vec![note], ..ChartText::default() }, &entries, |_| Ok(()))
            .expect("a page");
        let rights = svg
            .match_indices("x=\"")
            .filter_map(|(at, _)| svg[at + 3..].split('"').next()?.parse::<i32>().ok());
        assert!(rights.max().expect("something") < WIDTH as i32);
    }
}
