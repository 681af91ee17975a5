//! Reviews in a file, to be shown again without a search.

use super::model::{Review, UnusableReview};
use serde::{Deserialize, Serialize};

/// The value of `kind`, which identifies such a file.
const KIND: &str = "tewari review";
/// Version of [`Review`], raised when an older program would misread it.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct SavedFile<'a> {
    kind: &'a str,
    version: u32,
    reviews: &'a [Review],
}

/// The fields of every version.
#[derive(Deserialize)]
struct FileHeader {
    kind: String,
    version: u32,
}

#[derive(Deserialize)]
struct SavedReviews {
    reviews: Vec<Review>,
}

/// A reason to refuse a file as a review.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// The file is no JSON of a review, or is damaged.
    #[error(
        "expected a file written by `tewari review --save`, found other contents: {0}; choose another file"
    )]
    NotSaved(serde_json::Error),
    /// JSON of another kind or version.
    #[error("expected {KIND:?} of version {VERSION}, found {kind:?} of version {version}")]
    Version {
        /// The file's kind.
        kind: String,
        /// The file's version.
        version: u32,
    },
    /// A review with invalid data.
    #[error("the file is damaged: {0}")]
    Damaged(#[from] UnusableReview),
}

/// Returns the text of a file with these reviews.
///
/// # Errors
/// Never fails in practice: reviews have no values that JSON lacks.
pub fn write(reviews: &[Review]) -> Result<String, serde_json::Error> {
    serde_json::to_string(&SavedFile { kind: KIND, version: VERSION, reviews }).map(|text| text + "\n")
}

/// Reads the text of such a file and validates every review.
///
/// # Errors
/// Fails if the text is anything else.
pub fn read(text: &str) -> Result<Vec<Review>, SavedError> {
    let FileHeader { kind, version } = serde_json::from_str(text).map_err(SavedError::NotSaved)?;
    if kind != KIND || version != VERSION {
        return Err(SavedError::Version { kind, version });
    }
    let SavedReviews { reviews } = serde_json::from_str(text).map_err(SavedError::NotSaved)?;
    reviews.iter().try_for_each(Review::check)?;
    Ok(reviews)
}
