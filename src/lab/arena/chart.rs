//! Charts as SVG: table size against strength, and against the share of an unbounded search that the table holds.

mod page;

pub use page::{ChartError, ChartText};

use self::page::{Area, DrawResult, LegendEntry, LegendSymbol, TEXT_SIZE, TITLE_SIZE};
use crate::base::byte_size::{exact_bytes, rounded_bytes};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A measured point of a chart: a value with its 95 % interval, which may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartPoint {
    /// Position on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The points of one curve.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSeries {
    /// Name in the legend.
    pub label: String,
    /// The points, from left to right.
    pub points: Vec<ChartPoint>,
    /// Points of the lower panel, from left to right; may be empty.
    pub speeds: Vec<(f64, f64)>,
    /// x of the knee, if there is one.
    pub knee: Option<f64>,
    /// Reason to draw no curve, such as too few games.
    pub missing_reason: Option<String>,
}

type Panel<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Dark to light, so that they also differ in print.
const COLOURS: [RGBColor; 5] = [
    RGBColor(20, 40, 110),
    RGBColor(200, 60, 30),
    RGBColor(20, 140, 110),
    RGBColor(150, 90, 190),
    RGBColor(210, 160, 30),
];
/// Height of the upper panel of a sweep chart, as a share of the panels.
const UPPER_SHARE: f64 = 0.68;
/// Height of the name of a knee, as a share of the panel.
const KNEE_ROW: f64 = 0.06;
/// Limit of the Elo axis; a side with a larger difference won practically all games.
const MAX_ELO: f64 = 700.0;

/// Draws Elo against table size, with the speed beneath. `x` of the points is log2 of the size in bytes.
///
/// # Errors
/// Returns an error if there are no points.
pub fn sweep_chart(words: &ChartText, series: &[ChartSeries]) -> Result<String, ChartError> {
    let entries = legend(series, Some(format!("0: as strong as the reference, {}", words.reference)));
    page::draw(words, &entries, |area| {
        let height = area.dim_in_pixel().1;
        let (upper, lower) = area.split_vertically((f64::from(height) * UPPER_SHARE) as u32);
        let x_range = x_range(series, 0.4)?;
        let y_range = y_range(series, MAX_ELO, 25.0);
        let mut panel = ChartBuilder::on(&upper)
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(70)
            .build_cartesian_2d(x_range.clone(), y_range)?;
        mesh(&mut panel, &bytes_label, "", "Elo (95 %)")?;
        reference_line(&mut panel, 0.0)?;
        draw_all(&mut panel, &upper, series, 0.05)?;
        let is_finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let speeds = || series.iter().flat_map(|one| &one.speeds);
        let fastest = speeds().filter(is_finite).map(|&(_, speed)| speed / 1000.0).fold(1.0, f64::max);
        let mut panel = ChartBuilder::on(&lower)
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(70)
            .build_cartesian_2d(x_range, 0.0..fastest * 1.15)?;
        mesh(&mut panel, &bytes_label, &words.x, "1,000 simulations / s")?;
        for (index, one) in series.iter().enumerate() {
            let points = || one.speeds.iter().filter(is_finite).map(|&(x, speed)| (x, speed / 1000.0));
            panel.draw_series(LineSeries::new(points(), colour(index).stroke_width(2)))?;
            panel.draw_series(points().map(|point| Circle::new(point, 3, colour(index).filled())))?;
        }
        Ok(())
    })
}

/// Draws agreement with a reference, `0..=1`, and regret, in win rate, against table size. `x` of the points is log2
/// of the size in bytes.
///
/// # Errors
/// Returns an error if there are no points.
pub fn move_quality_chart(
    words: &ChartText,
    agreement: &[ChartSeries],
    regret: &[ChartSeries],
) -> Result<String, ChartError> {
    page::draw(words, &legend(agreement, None), |area| {
        let (upper, lower) = area.split_vertically(area.dim_in_pixel().1 / 2);
        let highest = regret.iter().flat_map(|one| &one.points).map(|point| point.high).fold(0.01, f64::max);
        let panels = [
            (&upper, agreement, 0.0..1.0, "", format!("agreement with {} (95 %)", words.reference)),
            (&lower, regret, 0.0..highest * 1.05, words.x.as_str(), "win rate given away (95 %)".to_owned()),
        ];
        for (area, series, y_range, x_text, y_text) in panels {
            let mut panel = ChartBuilder::on(area)
                .margin(12)
                .x_label_area_size(52)
                .y_label_area_size(70)
                .build_cartesian_2d(x_range(series, 0.4)?, y_range)?;
            mesh(&mut panel, &bytes_label, x_text, &y_text)?;
            draw_all(&mut panel, area, series, 0.05)?;
        }
        Ok(())
    })
}

/// Draws the share of points won against the edge pages of the table, as a share of those that an unbounded search
/// makes, on a logarithmic axis: `x` of the points is log10 of the share. `marks` are results of others: name, log10
/// of the share, share of points.
///
/// # Errors
/// Returns an error if there are no points.
pub fn share_chart(
    words: &ChartText,
    series: &[ChartSeries],
    marks: &[(&str, f64, f64)],
) -> Result<String, ChartError> {
    let mut entries = legend(series, Some(format!("0.5: as strong as the reference, {}", words.reference)));
    let names = (1..).zip(marks).map(|(number, (name, ..))| format!("{number}: {name}"));
    entries.extend(names.map(|name| (LegendSymbol::Cross(BLACK.to_rgba()), name)));
    page::draw(words, &entries, |area| {
        let mut panel = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(70)
            .build_cartesian_2d(x_range(series, 0.15)?, 0.0..1.0)?;
        mesh(&mut panel, &share_label, &words.x, "share of games won (95 %)")?;
        reference_line(&mut panel, 0.5)?;
        draw_all(&mut panel, area, series, 0.01)?;
        for (number, &(_, x, y)) in (1..).zip(marks) {
            panel.draw_series([Cross::new((x, y), 6, BLACK.stroke_width(2))])?;
            let style = TextStyle::from(("sans-serif", TEXT_SIZE)).pos(Pos::new(HPos::Center, VPos::Bottom));
            panel.draw_series([Text::new(number.to_string(), (x, y + 0.02), style)])?;
        }
        Ok(())
    })
}

/// Returns the legend: all series and the reference.
fn legend(series: &[ChartSeries], reference: Option<String>) -> Vec<LegendEntry> {
    let label = |one: &ChartSeries| match &one.missing_reason {
        Some(why) => format!("{}: {why}", one.label),
        None => one.label.clone(),
    };
    let line =
        |(index, one): (usize, &ChartSeries)| (LegendSymbol::Line(colour(index).to_rgba()), label(one));
    let reference = reference.map(|label| (LegendSymbol::Line(BLACK.mix(0.5)), label));
    series.iter().enumerate().map(line).chain(reference).collect()
}

/// Draws the series with enough games, or a message if there are none.
fn draw_all(panel: &mut Panel<'_, '_>, area: &Area<'_>, series: &[ChartSeries], step: f64) -> DrawResult {
    for (index, one) in series.iter().enumerate().filter(|(_, one)| one.missing_reason.is_none()) {
        draw_series(panel, one, index, series.len(), step)?;
    }
    if let (Some(missing_reason), true) =
        (&series[0].missing_reason, series.iter().all(|one| one.missing_reason.is_some()))
    {
        let (width, height) = area.dim_in_pixel();
        let style = TextStyle::from(("sans-serif", TITLE_SIZE)).pos(Pos::new(HPos::Center, VPos::Center));
        area.draw(&Text::new(missing_reason.clone(), (width as i32 / 2, height as i32 / 3), style))?;
    }
    Ok(())
}

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

fn x_range(series: &[ChartSeries], margin: f64) -> DrawResult<std::ops::Range<f64>> {
    // With an infinite end the search for marks of the axis would not end.
    let all = || series.iter().flat_map(|one| &one.points).map(|point| point.x).filter(|x| x.is_finite());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if low > high {
        return Err(Box::new(ChartError::Empty));
    }
    Ok(low - margin..high + margin)
}

/// Returns the range of the finite values and interval ends, at most `limit` from 0, rounded outwards to `step`, with
/// room for the names of knees above.
fn y_range(series: &[ChartSeries], limit: f64, step: f64) -> std::ops::Range<f64> {
    let drawn = || series.iter().filter(|one| one.missing_reason.is_none());
    let values = drawn().flat_map(|one| &one.points).flat_map(|point| [point.low, point.y, point.high]);
    let (mut low, mut high) = (-step, step);
    for value in values.filter(|value| value.is_finite()) {
        low = value.min(low);
        high = value.max(high);
    }
    let (low, high) =
        ((low / step).floor().max(-limit / step) * step, (high / step).ceil().min(limit / step) * step);
    let knees = drawn().filter(|one| one.knee.is_some()).count() as f64;
    low..high + step + KNEE_ROW * knees * (high - low)
}

fn bytes_label(x: &f64) -> String {
    if (x - x.round()).abs() > 1e-6 || !(0.0..64.0).contains(x) {
        String::new()
    } else {
        exact_bytes(1 << x.round() as u64)
    }
}

fn share_label(x: &f64) -> String {
    let percent = 10_f64.powf(x + 2.0);
    // Rounded to two digits.
    let step = 10_f64.powf(percent.log10().floor() - 1.0);
    format!("{} %", ((percent / step).round() * step * 1e6).round() / 1e6)
}

fn mesh(panel: &mut Panel<'_, '_>, x_label: &dyn Fn(&f64) -> String, x: &str, y: &str) -> DrawResult {
    panel
        .configure_mesh()
        .light_line_style(WHITE)
        .x_labels(16)
        .x_label_formatter(&|value| x_label(value))
        .y_label_formatter(&|value| format!("{}", (value * 1000.0).round() / 1000.0))
        .x_desc(x)
        .y_desc(y)
        .axis_desc_style(("sans-serif", TEXT_SIZE))
        .label_style(("sans-serif", TEXT_SIZE))
        .draw()?;
    Ok(())
}

fn reference_line(panel: &mut Panel<'_, '_>, y: f64) -> DrawResult {
    let x = panel.x_range();
    panel.draw_series(LineSeries::new([(x.start, y), (x.end, y)], BLACK.mix(0.5)))?;
    Ok(())
}

/// Draws error bars, points, a line through them, and the knee. Series are shifted by `step` so that their bars do
/// not hide each other; a bar that leaves the panel ends in an arrow.
fn draw_series(
    panel: &mut Panel<'_, '_>,
    series: &ChartSeries,
    index: usize,
    count: usize,
    step: f64,
) -> DrawResult {
    let colour = colour(index);
    let shift = step * (index as f64 - (count - 1) as f64 / 2.0);
    let y = panel.y_range();
    let within = |value: f64| value.clamp(y.start, y.end);
    let points = || series.points.iter().filter(|point| point.x.is_finite() && !point.y.is_nan());
    let line = points().map(|point| (point.x + shift, within(point.y)));
    panel.draw_series(LineSeries::new(line, colour.stroke_width(2)))?;
    for point in points() {
        let x = point.x + shift;
        let (low, high) = (within(point.low), within(point.high));
        panel.draw_series([PathElement::new([(x, low), (x, high)], colour.stroke_width(2))])?;
        panel.draw_series([Circle::new((x, within(point.y)), 4, colour.filled())])?;
        if point.low < y.start {
            panel.draw_series([TriangleMarker::new((x, y.start), -7, colour.filled())])?;
        }
        if point.high > y.end {
            panel.draw_series([TriangleMarker::new((x, y.end), 7, colour.filled())])?;
        }
    }
    let x_range = panel.x_range();
    if let Some(knee) = series.knee.filter(|knee| x_range.contains(knee)) {
        let height = y.end - KNEE_ROW * (y.end - y.start) * index as f64;
        let dashes = DashedLineSeries::new([(knee, y.start), (knee, height)], 6, 5, colour.stroke_width(2));
        panel.draw_series(dashes)?;
        let style = TextStyle::from(("sans-serif", TEXT_SIZE)).color(&colour);
        let name = format!("knee: {}", rounded_bytes(knee.exp2()));
        let beside = EmptyElement::at((knee, height)) + Text::new(name, (6, 0), style);
        panel.draw_series([beside])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> ChartText {
        let [title, x, reference] = ["Strength and table size", "9x9", "self"].map(str::to_owned);
        ChartText { title, x, reference, notes: Vec::new() }
    }

    fn series(label: &str, lift: f64) -> ChartSeries {
        let point = |x: f64, y: f64| ChartPoint { x, y, low: y - 40.0, high: y + 40.0 };
        let mut points: Vec<ChartPoint> =
            (13..24).map(|x| point(f64::from(x), lift - 300.0 * 0.6_f64.powi(x - 13))).collect();
        points[0].low = f64::NEG_INFINITY;
        let speeds = points.iter().map(|point| (point.x, 40_000.0 + 1000.0 * point.x)).collect();
        ChartSeries { label: label.to_owned(), points, speeds, knee: Some(17.5), missing_reason: None }
    }

    #[test]
    fn a_chart_names_everything_and_is_the_same_every_time() {
        let all = [series("visits", 0.0), series("always", -60.0)];
        let svg = sweep_chart(&words(), &all).unwrap();
        for expected in [
            "Strength and table size",
            "visits",
            "always",
            "16KiB",
            "1MiB",
            "Elo",
            "simulations / s",
            "knee: 181 KiB",
            "the reference, self",
        ] {
            assert!(svg.contains(expected), "{expected} is not in the chart");
        }
        assert_eq!(svg, sweep_chart(&words(), &all).unwrap());
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.matches("<polygon").count() >= 2, "an arrow for each infinite end");
    }

    #[test]
    fn infinite_values_are_left_out() {
        let mut all = [series("visits", 0.0)];
        all[0].points[1].x = f64::NEG_INFINITY;
        all[0].points[2].y = f64::NAN;
        all[0].speeds[3].1 = f64::INFINITY;
        let svg = sweep_chart(&words(), &all).expect("a chart");
        assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
        all[0].points.iter_mut().for_each(|point| point.x = f64::INFINITY);
        assert!(matches!(sweep_chart(&words(), &all), Err(ChartError::Empty)));
    }

    #[test]
    fn shares_have_an_axis_of_their_own() {
        let points = vec![
            ChartPoint { x: -2.0, y: 0.3, low: 0.2, high: 0.4 },
            ChartPoint { x: 0.0, y: 0.5, low: 0.4, high: 0.6 },
        ];
        let one = ChartSeries {
            label: "rave".to_owned(),
            points,
            speeds: Vec::new(),
            knee: None,
            missing_reason: None,
        };
        let svg = share_chart(&words(), &[one], &[("others", -1.0, 0.45)]).unwrap();
        for expected in ["1: others", "rave", "100 %", "share of games won"] {
            assert!(svg.contains(expected), "{expected} is not in the chart");
        }
    }

    #[test]
    fn empty_series_is_an_error() {
        assert!(matches!(sweep_chart(&words(), &[]), Err(ChartError::Empty)));
    }

    #[test]
    fn too_few_games_are_named_instead_of_drawn() {
        let silent =
            |label| ChartSeries { missing_reason: Some("too few games".to_owned()), ..series(label, 0.0) };
        let both = sweep_chart(&words(), &[silent("visits"), series("always", 0.0)]).unwrap();
        assert!(both.contains("visits: too few games") && both.matches("knee: ").count() == 1);
        let none = sweep_chart(&words(), &[silent("visits")]).unwrap();
        assert!(!none.contains("knee: ") && none.matches("too few games").count() == 2);
    }
}
