//! Reviews in a file, to be shown again without searching.

use super::model::{Review, UnusableReview};
use serde::{Deserialize, Serialize};

/// What tells such a file from other JSON.
const KIND: &str = "tewari review";
/// The version of [`Review`]: raised when an older program would misread it.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Written<'a> {
    kind: &'a str,
    version: u32,
    reviews: &'a [Review],
}

/// What every version has.
#[derive(Deserialize)]
struct Label {
    kind: String,
    version: u32,
}

#[derive(Deserialize)]
struct Read {
    reviews: Vec<Review>,
}

/// Why a file is no review.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// Something else, or damaged.
    #[error("expected a file that `tewari review --save` wrote, found something else: {0}")]
    NotSaved(serde_json::Error),
    /// JSON of another kind or a later version.
    #[error("expected {KIND:?} of version {VERSION}, found {kind:?} of version {version}")]
    Version {
        /// What it says it is.
        kind: String,
        /// Its version.
        version: u32,
    },
    /// A review that cannot be.
    #[error("the file is damaged: {0}")]
    Damaged(#[from] UnusableReview),
}

/// The text of such a file.
///
/// # Errors
/// Never in practice: reviews have no values that JSON lacks.
pub fn write(reviews: &[Review]) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Written { kind: KIND, version: VERSION, reviews }).map(|text| text + "\n")
}

/// Reads such a file; every review is checked.
///
/// # Errors
/// When it is something else.
pub fn read(text: &str) -> Result<Vec<Review>, SavedError> {
    let Label { kind, version } = serde_json::from_str(text).map_err(SavedError::NotSaved)?;
    if kind != KIND || version != VERSION {
        return Err(SavedError::Version { kind, version });
    }
    let Read { reviews } = serde_json::from_str(text).map_err(SavedError::NotSaved)?;
    reviews.iter().try_for_each(Review::check)?;
    Ok(reviews)
}
