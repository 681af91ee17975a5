//! Charts as SVG: table size against strength, and against the share of what an unbounded search would hold.

use super::sweep::bytes_in_words;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::error::Error;

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// There is nothing to draw.
    #[error("nothing to draw: expected at least one point")]
    Empty,
    /// The drawing library.
    #[error("cannot draw the chart: {0}")]
    Drawing(String),
}

/// A measured point of a chart: a value with the ends of its 95 % interval, which may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartPoint {
    /// Where.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<ChartPoint>,
    /// Values for the lower panel, from left to right; may be empty.
    pub speeds: Vec<(f64, f64)>,
    /// Where the knee is, if there is one.
    pub knee: Option<f64>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Panel<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

const WIDTH: u32 = 960;
const HEIGHT: u32 = 720;
const UPPER_HEIGHT: u32 = 480;
/// Dark to light, so that they differ in print too.
const COLOURS: [RGBColor; 5] = [
    RGBColor(20, 40, 110),
    RGBColor(200, 60, 30),
    RGBColor(20, 140, 110),
    RGBColor(150, 90, 190),
    RGBColor(210, 160, 30),
];
const TITLE: i32 = 22;
const TEXT: i32 = 15;
/// Beyond these, an Elo difference says "all lost" or "all won".
const ELO_LIMIT: f64 = 700.0;

/// Elo against the size of the table, with the speed beneath. `x` of the points is log2 of the size in bytes.
///
/// # Errors
/// When there are no points.
pub fn sweep_chart(title: &str, caption: &str, series: &[Series]) -> Result<String, ChartError> {
    draw(|root| {
        let (upper, lower) = root.split_vertically(UPPER_HEIGHT);
        let x_range = x_range(series, 0.4)?;
        let y_range = y_range(series, ELO_LIMIT, 25.0);
        let mut panel = ChartBuilder::on(&upper)
            .caption(title, ("sans-serif", TITLE))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(70)
            .build_cartesian_2d(x_range.clone(), y_range)?;
        mesh(&mut panel, &bytes_label, "", "Elo against the reference (95 %)")?;
        reference_line(&mut panel, 0.0)?;
        for (index, one) in series.iter().enumerate() {
            draw_series(&mut panel, one, index, series.len(), 0.05)?;
        }
        legend(&mut panel)?;
        let fastest =
            series.iter().flat_map(|one| &one.speeds).map(|&(_, speed)| speed / 1000.0).fold(1.0, f64::max);
        let mut panel = ChartBuilder::on(&lower)
            .margin(12)
            .x_label_area_size(64)
            .y_label_area_size(70)
            .build_cartesian_2d(x_range, 0.0..fastest * 1.15)?;
        mesh(&mut panel, &bytes_label, caption, "1,000 simulations / s")?;
        for (index, one) in series.iter().enumerate() {
            let points = || one.speeds.iter().map(|&(x, speed)| (x, speed / 1000.0));
            panel.draw_series(LineSeries::new(points(), colour(index).stroke_width(2)))?;
            panel.draw_series(points().map(|point| Circle::new(point, 3, colour(index).filled())))?;
        }
        Ok(())
    })
}

/// Agreement with a reference, `0..=1`, and regret, in win rate, against the size of the table. `x` of the
/// points is log2 of the size in bytes.
///
/// # Errors
/// When there are no points.
pub fn proxy_chart(
    title: &str,
    caption: &str,
    agreement: &[Series],
    regret: &[Series],
) -> Result<String, ChartError> {
    draw(|root| {
        let (upper, lower) = root.split_vertically(HEIGHT / 2);
        let highest = regret.iter().flat_map(|one| &one.points).map(|point| point.high).fold(0.01, f64::max);
        let panels = [
            (&upper, agreement, 0.0..1.0, Some(title), "", "agreement (95 %)"),
            (&lower, regret, 0.0..highest * 1.05, None, caption, "win rate given away (95 %)"),
        ];
        for (area, series, y_range, title, x_text, y_text) in panels {
            let mut builder = ChartBuilder::on(area);
            builder.margin(12).x_label_area_size(52).y_label_area_size(70);
            if let Some(title) = title {
                builder.caption(title, ("sans-serif", TITLE));
            }
            let mut panel = builder.build_cartesian_2d(x_range(series, 0.4)?, y_range)?;
            mesh(&mut panel, &bytes_label, x_text, y_text)?;
            for (index, one) in series.iter().enumerate() {
                draw_series(&mut panel, one, index, series.len(), 0.05)?;
            }
            if title.is_some() {
                legend(&mut panel)?;
            }
        }
        Ok(())
    })
}

/// Share of points won, against the edge blocks of the table as a share of those that an unbounded search
/// makes, on a logarithmic axis: `x` of the points is log10 of the share. `marks` are results of others: a
/// name, log10 of the share, and the share of points.
///
/// # Errors
/// When there are no points.
pub fn share_chart(
    title: &str,
    caption: &str,
    series: &[Series],
    marks: &[(&str, f64, f64)],
) -> Result<String, ChartError> {
    draw(|root| {
        let mut panel = ChartBuilder::on(root)
            .caption(title, ("sans-serif", TITLE))
            .margin(12)
            .x_label_area_size(52)
            .y_label_area_size(70)
            .build_cartesian_2d(x_range(series, 0.15)?, 0.0..1.0)?;
        let description =
            format!("edge blocks, as a share of those that one unbounded search makes ({caption})");
        mesh(&mut panel, &share_label, &description, "share of games won (95 %)")?;
        reference_line(&mut panel, 0.5)?;
        for (index, one) in series.iter().enumerate() {
            draw_series(&mut panel, one, index, series.len(), 0.01)?;
        }
        for &(name, x, y) in marks {
            panel.draw_series([Cross::new((x, y), 6, BLACK.stroke_width(2))])?;
            panel.draw_series([Text::new(name.to_owned(), (x, y + 0.04), ("sans-serif", TEXT))])?;
        }
        legend(&mut panel)?;
        Ok(())
    })
}

type Drawn<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn draw(paint: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
        let failed = |error: Box<dyn Error + Send + Sync>| match error.downcast::<ChartError>() {
            Ok(error) => *error,
            Err(error) => ChartError::Drawing(error.to_string()),
        };
        root.fill(&WHITE).map_err(|error| ChartError::Drawing(error.to_string()))?;
        paint(&root).map_err(failed)?;
        root.present().map_err(|error| ChartError::Drawing(error.to_string()))?;
    }
    Ok(svg)
}

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

fn x_range(series: &[Series], margin: f64) -> Drawn<std::ops::Range<f64>> {
    let all = || series.iter().flat_map(|one| &one.points).map(|point| point.x);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if low > high {
        return Err(Box::new(ChartError::Empty));
    }
    Ok(low - margin..high + margin)
}

/// From the lowest to the highest finite value or end, at most `limit` from 0, rounded outwards to `step`.
fn y_range(series: &[Series], limit: f64, step: f64) -> std::ops::Range<f64> {
    let values = series.iter().flat_map(|one| &one.points).flat_map(|point| [point.low, point.y, point.high]);
    let (mut low, mut high) = (-step, step);
    for value in values.filter(|value| value.is_finite()) {
        low = value.min(low);
        high = value.max(high);
    }
    (low / step).floor().max(-limit / step) * step..(high / step).ceil().min(limit / step) * step + step
}

fn bytes_label(x: &f64) -> String {
    if (x - x.round()).abs() > 1e-6 || *x < 0.0 {
        String::new()
    } else {
        bytes_in_words(1 << x.round() as u64)
    }
}

fn share_label(x: &f64) -> String {
    let percent = 10_f64.powf(x + 2.0);
    // Two digits.
    let step = 10_f64.powf(percent.log10().floor() - 1.0);
    format!("{} %", ((percent / step).round() * step * 1e6).round() / 1e6)
}

fn mesh(panel: &mut Panel<'_, '_>, x_label: &dyn Fn(&f64) -> String, x: &str, y: &str) -> Drawn {
    panel
        .configure_mesh()
        .light_line_style(WHITE)
        .x_labels(16)
        .x_label_formatter(&|value| x_label(value))
        .y_label_formatter(&|value| format!("{}", (value * 1000.0).round() / 1000.0))
        .x_desc(x)
        .y_desc(y)
        .axis_desc_style(("sans-serif", TEXT))
        .label_style(("sans-serif", TEXT))
        .draw()?;
    Ok(())
}

fn reference_line(panel: &mut Panel<'_, '_>, y: f64) -> Drawn {
    let x = panel.x_range();
    panel.draw_series(LineSeries::new([(x.start, y), (x.end, y)], BLACK.mix(0.5)))?;
    Ok(())
}

/// Error bars, points, a line through them, and the knee. Series are set beside each other by `step`, so that
/// their bars do not hide each other; a bar that leaves the panel ends in an arrow.
fn draw_series(panel: &mut Panel<'_, '_>, series: &Series, index: usize, count: usize, step: f64) -> Drawn {
    let colour = colour(index);
    let shift = step * (index as f64 - (count - 1) as f64 / 2.0);
    let y = panel.y_range();
    let within = |value: f64| value.clamp(y.start, y.end);
    let label = series.label.clone();
    let line = series.points.iter().map(|point| (point.x + shift, within(point.y)));
    panel
        .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
        .label(label)
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
    for point in &series.points {
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
        let dashes = DashedLineSeries::new([(knee, y.start), (knee, y.end)], 6, 5, colour.stroke_width(2));
        panel.draw_series(dashes)?;
        let height = y.end - 0.05 * (y.end - y.start) * (0.5 + index as f64);
        let style = TextStyle::from(("sans-serif", TEXT)).color(&colour);
        panel.draw_series([Text::new(" knee".to_owned(), (knee, height), style)])?;
    }
    Ok(())
}

fn legend<'a, 'b: 'a>(panel: &mut Panel<'a, 'b>) -> Drawn {
    panel
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", TEXT))
        .draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(label: &str, lift: f64) -> Series {
        let point = |x: f64, y: f64| ChartPoint { x, y, low: y - 40.0, high: y + 40.0 };
        let mut points: Vec<ChartPoint> =
            (13..24).map(|x| point(f64::from(x), lift - 300.0 * 0.6_f64.powi(x - 13))).collect();
        points[0].low = f64::NEG_INFINITY;
        let speeds = points.iter().map(|point| (point.x, 40_000.0 + 1000.0 * point.x)).collect();
        Series { label: label.to_owned(), points, speeds, knee: Some(17.5) }
    }

    #[test]
    fn a_chart_names_everything_and_is_the_same_every_time() {
        let all = [series("visits", 0.0), series("always", -60.0)];
        let svg = sweep_chart("Strength and table size", "9x9", &all).unwrap();
        for expected in
            ["Strength and table size", "visits", "always", "16KiB", "1MiB", "Elo", "simulations / s", "knee"]
        {
            assert!(svg.contains(expected), "{expected} is not in the chart");
        }
        assert_eq!(svg, sweep_chart("Strength and table size", "9x9", &all).unwrap());
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.matches("<polygon").count() >= 2, "an arrow for each infinite end");
    }

    #[test]
    fn shares_have_an_axis_of_their_own() {
        let points = vec![
            ChartPoint { x: -2.0, y: 0.3, low: 0.2, high: 0.4 },
            ChartPoint { x: 0.0, y: 0.5, low: 0.4, high: 0.6 },
        ];
        let one = Series { label: "rave".to_owned(), points, speeds: Vec::new(), knee: None };
        let svg = share_chart("Share", "", &[one], &[("others", -1.0, 0.45)]).unwrap();
        for expected in ["others", "rave", "100 %", "share of games won"] {
            assert!(svg.contains(expected), "{expected} is not in the chart");
        }
    }

    #[test]
    fn nothing_is_no_chart() {
        assert!(matches!(sweep_chart("", "", &[]), Err(ChartError::Empty)));
    }
}
