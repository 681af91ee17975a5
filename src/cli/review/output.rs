//! Output of reviews.

use crate::cli::output_file::{check_absent, write_file};
use crate::cli::shard_identity::fingerprint;
use crate::lab::join::review_file::DESCRIPTION;
use crate::lab::join::review_sources::{self, ReviewSources};
use crate::reports::review::{ReportSettings, Review, html, sgf, table, text};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
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
        let mut taken = BTreeSet::new();
        let free = |input: &&Path| {
            let name = self.family(input).names().find(|name| !taken.contains(name))?;
            taken.insert(name.clone());
            Some(folder.join(name))
        };
        inputs.iter().filter_map(free).collect()
    }

    fn family(&self, input: &Path) -> NameFamily {
        let stem = input.file_stem().map_or("game".into(), |stem| stem.to_string_lossy());
        let stem = if stem == "-" { "game".to_owned() } else { stem.into_owned() };
        NameFamily { stem, extension: self.format.extension() }
    }
}

/// The names that the output file of an input file may have.
struct NameFamily {
    stem: String,
    extension: &'static str,
}

impl NameFamily {
    /// Returns the names in the order of preference, without end.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let NameFamily { stem, extension } = self;
        let numbered = (2_u64..).map(move |number| format!("{stem}-{number}.{extension}"));
        let names = std::iter::once(format!("{stem}.{extension}")).chain(numbered);
        names.filter(|name| name != DESCRIPTION)
    }

    fn contains(&self, name: &str) -> bool {
        let number = name.strip_prefix(&self.stem).and_then(|rest| rest.strip_suffix(self.extension));
        let number = number.and_then(|rest| rest.strip_suffix('.'));
        number.is_some_and(|it| {
            it.is_empty() || it.strip_prefix('-').is_some_and(|it| it.parse::<u64>().is_ok())
        })
    }
}

/// The reviews found in the output folder.
struct FoundReviews<'f> {
    folder: &'f Path,
    sources: ReviewSources,
}

impl<'f> FoundReviews<'f> {
    fn read(folder: &'f Path) -> Result<FoundReviews<'f>> {
        Ok(FoundReviews { folder, sources: review_sources::read(folder)? })
    }

    fn exists(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// Returns true if the folder has the review `path` of the record with the hash `hash`, false if it has no such
    /// file, and an error if it has a review of another record.
    fn has(&self, path: &Path, input: &Path, hash: Option<&String>) -> Result<bool> {
        if !path.exists() {
            return Ok(false);
        }
        let source = path.file_name().and_then(|name| self.sources.get(name.to_str()?));
        ensure!(
            source.is_some() && source == hash,
            "{}: expected the review of {}, found that of another record, or one that is not in {}: move it away, or \
             choose another folder",
            path.display(),
            input.display(),
            review_sources::SOURCES
        );
        Ok(true)
    }

    /// Returns the names of the reviews in the folder by the hashes of their records.
    fn by_hash(&self) -> BTreeMap<&String, Vec<&String>> {
        let mut names: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
        for (name, hash) in self.sources.iter().filter(|(name, _)| self.exists(name)) {
            names.entry(hash).or_default().push(name);
        }
        names
    }

    /// Returns the first name that no file has. A file with an unknown record is an error.
    fn free_name(&self, family: &NameFamily, taken: &BTreeSet<String>, input: &Path) -> Result<String> {
        let is_known = |name: &String| self.sources.contains_key(name) && self.exists(name);
        let is_free = |name: &String| !(taken.contains(name) || is_known(name));
        let name = family.names().find(is_free).context("expected fewer reviews of one name")?;
        self.has(&self.folder.join(&name), input, None)?;
        Ok(name)
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

    /// Returns the number of output files.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns the number of input files and a hash of the names of their output files and of their own hashes.
    pub(super) fn fingerprint(&self, hashes: &[Option<String>]) -> String {
        let names = self.names.iter().filter_map(|path| path.file_name()?.to_str());
        let files = names.zip(hashes).map(|(name, hash)| match hash {
            Some(hash) => format!("{name} {hash}"),
            None => name.to_owned(),
        });
        fingerprint(files)
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

    /// Returns true for each input file with a review in the output folder. `hashes` are those of the input files; by
    /// them each gets the name of its own review, or of none in the folder.
    pub(super) fn resume(&mut self, inputs: &[&Path], hashes: &[Option<String>]) -> Result<Vec<bool>> {
        let found = FoundReviews::read(self.resumed_folder()?)?;
        let by_hash = found.by_hash();
        let (mut taken, mut names, mut done) = (BTreeSet::new(), Vec::new(), Vec::new());
        for (input, hash) in inputs.iter().zip(hashes) {
            let family = self.output.family(input);
            let same = hash.as_ref().and_then(|hash| by_hash.get(hash)).into_iter().flatten();
            let own = same.copied().find(|&name| family.contains(name) && !taken.contains(name)).cloned();
            done.push(own.is_some());
            let name = own.map_or_else(|| found.free_name(&family, &taken, input), Ok)?;
            names.push(found.folder.join(&name));
            taken.insert(name);
        }
        self.names = names;
        Ok(done)
    }

    /// Like `resume`, for a shard: the names are those of the whole run.
    pub(super) fn resume_shard(&self, inputs: &[&Path], hashes: &[Option<String>]) -> Result<Vec<bool>> {
        let found = FoundReviews::read(self.resumed_folder()?)?;
        let planned = self.names.iter().zip(inputs).zip(hashes);
        planned.map(|((name, input), hash)| found.has(name, input, hash.as_ref())).collect()
    }

    fn resumed_folder(&self) -> Result<&Path> {
        self.output.folder().context("--resume: expected a folder as OUT; name one with -o DIR/")
    }

    /// Adds the reviews of input file number `nth`, from 0, with the hash `hash`. With a folder as output, their file is
    /// written at once.
    pub(super) fn add(&mut self, nth: usize, reviews: Vec<Review>, hash: &str) -> Result<()> {
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
        let path = &self.names[nth];
        if let Some(name) = path.file_name().and_then(OsStr::to_str) {
            review_sources::append(folder, &[(name.to_owned(), hash.to_owned())].into())?;
        }
        write_file(path, &text, self.output.is_forced)
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
