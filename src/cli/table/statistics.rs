//! Statistics of tables as text, and their progress bars.

use crate::cli::print::plural;
use crate::table::{Table, TableStatistics};
use indicatif::{ProgressBar, ProgressStyle};

/// Bytes of a mebibyte.
pub(super) const MIB: f64 = (1 << 20) as f64;

/// Checks all entries and pages, with a progress bar.
pub(super) fn survey(table: &Table) -> TableStatistics {
    let bar = progress((table.layout().entries() + table.layout().pages) as u64);
    let survey = table.scan(&mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    survey
}

/// Returns a summary of a survey.
pub(super) fn soundness(survey: &TableStatistics) -> String {
    let unfinished = survey.unfinished_entries + survey.unfinished_pages;
    let void = plural(survey.void_bounds, "invalid bound");
    match survey.faults {
        0 => format!("clean; {unfinished} unfinished entries or pages, {void}"),
        faults => format!("{}; {unfinished} unfinished entries or pages, {void}", plural(faults, "fault")),
    }
}

/// Returns a progress bar, drawn on standard error if that is a terminal.
pub(super) fn progress(all: u64) -> ProgressBar {
    let bar = ProgressBar::new(all);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent} %, {eta} left") {
        bar.set_style(style);
    }
    bar
}
