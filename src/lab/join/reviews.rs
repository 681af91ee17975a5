//! The reviews of all shards.

use super::error::{IncompleteShard, JoinError};
use super::review_file::ReviewShardFile;
use super::review_sources::{self, ReviewSources};
use super::shards::ShardSet;
use crate::base::folder::at;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

impl ShardSet {
    /// Returns the paths of all reviews by name.
    ///
    /// # Errors
    /// Returns an error if a shard is incomplete, a file is absent, or two have one name.
    pub fn reviews(&self) -> Result<BTreeMap<String, PathBuf>, JoinError> {
        let (mut reviews, mut incomplete) = (BTreeMap::<String, PathBuf>::new(), Vec::new());
        for folder in &self.folders {
            let Some(files) = ReviewShardFile::read(&folder.path)?.files else {
                let (path, shard) = (folder.path.clone(), folder.shard);
                let missing = vec!["that were not written before it ended".to_owned()];
                incomplete.push(IncompleteShard { path, shard, missing, count: 1, unit: "reviews" });
                continue;
            };
            for name in files {
                let path = folder.path.join(&name);
                let is_inside = Path::new(&name).file_name().is_some_and(|plain| plain == name.as_str());
                if !is_inside || !path.is_file() {
                    return Err(JoinError::NoFile { path, kind: "review", shard: folder.shard });
                }
                if let Some(first) = reviews.insert(name, path.clone()) {
                    return Err(JoinError::SameFile { files: Box::new([first, path]) });
                }
            }
        }
        if incomplete.is_empty() { Ok(reviews) } else { Err(JoinError::Incomplete { shards: incomplete }) }
    }

    /// Returns the hashes of the reviewed records, by the names of the reviews.
    ///
    /// # Errors
    /// Returns an error if the list of a shard cannot be read.
    pub fn review_sources(&self) -> Result<ReviewSources, JoinError> {
        let mut sources = ReviewSources::new();
        for folder in &self.folders {
            sources.extend(review_sources::read(&folder.path)?);
        }
        Ok(sources)
    }
}

/// Copies reviews into `folder`.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub fn copy(reviews: &BTreeMap<String, PathBuf>, folder: &Path) -> Result<(), JoinError> {
    for (name, path) in reviews {
        fs::copy(path, folder.join(name)).map_err(at(path))?;
    }
    Ok(())
}
