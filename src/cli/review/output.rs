//! Output of reviews.

use crate::cli::output_file::{check_absent, write_file};
use crate::reports::review::{ReportSettings, Review, html, sgf, table, text};
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The format of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReviewFormat {
    Text,
    Html,
    Sgf,
    Csv,
    Json,
}

/// The place and format of the output.
pub(super) struct ReviewOutput {
    place: OutputPlace,
    format: ReviewFormat,
    is_forced: bool,
}

enum OutputPlace {
    Standard,
    File(PathBuf),
    /// A file for each input file.
    Folder(PathBuf),
}

impl ReviewFormat {
    /// Returns the format named by the extension of a file.
    fn of(path: &Path) -> Option<ReviewFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "htm" => Some(ReviewFormat::Html),
            "txt" => Some(ReviewFormat::Text),
            "jsonl" => Some(ReviewFormat::Json),
            extension => ReviewFormat::from_str(extension, true).ok(),
        }
    }

    fn extension(self) -> &'static str {
        match self {
            ReviewFormat::Text => "txt",
            ReviewFormat::Html => "html",
            ReviewFormat::Sgf => "sgf",
            ReviewFormat::Csv => "csv",
            ReviewFormat::Json => "json",
        }
    }

    fn written(self, reviews: &[Review], settings: &ReportSettings) -> Result<String> {
        let each = |write: &dyn Fn(&Review) -> Result<String>, between: &str| {
            let texts: Result<Vec<String>> = reviews.iter().map(write).collect();
            texts.map(|texts| texts.join(between))
        };
        match self {
            ReviewFormat::Text => each(&|review| Ok(text::text(review, settings)?), "\n\n"),
            ReviewFormat::Sgf => each(&|review| Ok(sgf::sgf(review, settings)?), ""),
            ReviewFormat::Html => Ok(html::page(reviews, settings)),
            ReviewFormat::Csv => Ok(table::csv(reviews, settings)?),
            ReviewFormat::Json => Ok(table::json(reviews, settings)),
        }
    }
}

impl ReviewOutput {
    pub(super) fn new(path: Option<&Path>, format: Option<ReviewFormat>, is_forced: bool) -> ReviewOutput {
        let place = match path {
            None => OutputPlace::Standard,
            Some(path) if path == Path::new("-") => OutputPlace::Standard,
            Some(path) if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                OutputPlace::Folder(path.to_owned())
            }
            Some(path) => OutputPlace::File(path.to_owned()),
        };
        let named = match &place {
            OutputPlace::File(path) => ReviewFormat::of(path),
            _ => None,
        };
        ReviewOutput { place, format: format.or(named).unwrap_or(ReviewFormat::Text), is_forced }
    }

    /// Returns the output folder, if each input file gets a file in it.
    pub(super) fn folder(&self) -> Option<&Path> {
        match &self.place {
            OutputPlace::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    pub(super) fn format(&self) -> ReviewFormat {
        self.format
    }

    /// Plans the output for these input files.
    pub(super) fn plan(self, inputs: &[&Path], settings: ReportSettings) -> OutputPlan {
        let names = match &self.place {
            OutputPlace::Standard => Vec::new(),
            OutputPlace::File(path) => vec![path.clone()],
            OutputPlace::Folder(folder) => self.names(folder, inputs),
        };
        OutputPlan { output: self, names, settings, kept: Vec::new() }
    }

    /// Returns the output file of each input file: its name with another extension, and a number if that is taken.
    fn names(&self, folder: &Path, inputs: &[&Path]) -> Vec<PathBuf> {
        let mut names: Vec<PathBuf> = Vec::new();
        for input in inputs {
            let stem = input.file_stem().map_or("game".into(), |stem| stem.to_string_lossy());
            let stem = if stem == "-" { "game".into() } else { stem };
            let extension = self.format.extension();
            let numbered = (2..).map(|number| folder.join(format!("{stem}-{number}.{extension}")));
            let mut candidates = std::iter::once(folder.join(format!("{stem}.{extension}"))).chain(numbered);
            names.extend(candidates.find(|name| !names.contains(name)));
        }
        names
    }
}

/// The output of the reviews of several input files.
pub(super) struct OutputPlan {
    output: ReviewOutput,
    names: Vec<PathBuf>,
    settings: ReportSettings,
    /// The reviews for one common file or standard output.
    kept: Vec<Review>,
}

impl OutputPlan {
    /// Returns an error if the output of input file number `nth` must not be overwritten.
    pub(super) fn check(&self, nth: usize) -> Result<()> {
        let path = if self.output.folder().is_some() { self.names.get(nth) } else { self.names.first() };
        path.map_or(Ok(()), |path| check_absent(path, self.output.is_forced))
    }

    /// Returns the output files of the input files, if they have one each.
    pub(super) fn names(&self) -> &[PathBuf] {
        &self.names
    }

    /// Returns true if each input file gets a file in a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.output.folder().is_some()
    }

    /// Returns the names of the output files that exist, of the input files that `is_wanted` accepts.
    pub(super) fn written(&self, is_wanted: &dyn Fn(usize) -> bool) -> Vec<String> {
        let files = self.names.iter().enumerate().filter(|&(nth, path)| is_wanted(nth) && path.is_file());
        files.filter_map(|(_, path)| Some(path.file_name()?.to_str()?.to_owned())).collect()
    }

    /// Returns true if the reviews of input file number `nth` are in the output folder.
    pub(super) fn is_done(&self, nth: usize) -> bool {
        self.output.folder().is_some() && self.names.get(nth).is_some_and(|path| path.is_file())
    }

    /// Adds the reviews of input file number `nth`, from 0. With a folder as output, their file is written at once.
    pub(super) fn add(&mut self, nth: usize, reviews: Vec<Review>) -> Result<()> {
        let OutputPlace::Folder(folder) = &self.output.place else {
            self.kept.extend(reviews);
            return Ok(());
        };
        if reviews.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let text = self.output.format.written(&reviews, &self.settings)?;
        write_file(&self.names[nth], &text, self.output.is_forced)
    }

    /// Writes the reviews for one common file or standard output.
    pub(super) fn finish(self) -> Result<()> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let text = self.output.format.written(&self.kept, &self.settings)?;
        match self.names.first() {
            Some(path) => write_file(path, &text, self.output.is_forced),
            None => print(&text),
        }
    }
}

/// Writes to standard output and ignores the error of a closed output.
fn print(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write output"),
    }
}
