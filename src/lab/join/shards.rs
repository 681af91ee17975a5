//! The folders of the shards of one experiment.

use super::error::JoinError;
use super::review_file::{self, ReviewShardFile};
use crate::base::folder::{self, FolderIdentity};
use crate::base::shard::{Shard, ShardPlace, ShardedCommand};
use crate::lab::arena::store::{EXPERIMENT, ExperimentIdentity};
use crate::lab::selfplay::DESCRIPTION;
use crate::lab::training::sample_files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The folder of a shard.
#[derive(Clone, Debug)]
pub struct ShardFolder {
    /// Its path.
    pub path: PathBuf,
    /// The shard.
    pub shard: Shard,
}

/// All shards of one experiment.
#[derive(Clone, Debug)]
pub struct ShardSet {
    /// The command that made them.
    pub command: ShardedCommand,
    /// Number of games, tests or files of the experiment.
    pub total: u64,
    /// The identity of the whole experiment.
    pub identity: ExperimentIdentity,
    /// The folders, in the order of the shards.
    pub folders: Vec<ShardFolder>,
}

/// The description of a folder that may be a shard.
struct Description {
    folder: ShardFolder,
    place: ShardPlace,
    identity: ExperimentIdentity,
}

impl ShardSet {
    /// Opens the folders `paths`, in any order.
    ///
    /// # Errors
    /// Returns an error if one of them is no shard, if they belong to different experiments, or if a shard is absent or
    /// given twice.
    pub fn open(paths: &[PathBuf]) -> Result<ShardSet, JoinError> {
        let mut all = paths.iter().map(|path| describe(path)).collect::<Result<Vec<_>, _>>()?;
        for other in all.iter().skip(1) {
            compare(&all[0], other)?;
        }
        // The sort is stable: of a shard given twice the folders are named in the order given.
        all.sort_by_key(|description| description.folder.shard);
        if let Some(pair) = all.windows(2).find(|pair| pair[0].folder.shard == pair[1].folder.shard) {
            let folders = Box::new([pair[0].folder.path.clone(), pair[1].folder.path.clone()]);
            return Err(JoinError::Twice { shard: pair[0].folder.shard, folders });
        }
        let Some(Description { place, identity, .. }) = all.first() else {
            return Err(JoinError::NoShard { path: PathBuf::new(), found: "no folder" });
        };
        let (command, total, identity) = (place.command, place.total, identity.clone());
        let given: BTreeSet<Shard> = all.iter().map(|description| description.folder.shard).collect();
        let missing: Vec<Shard> =
            Shard::all(place.shard.count()).filter(|shard| !given.contains(shard)).collect();
        if !missing.is_empty() {
            return Err(JoinError::Missing { shards: missing });
        }
        let folders = all.into_iter().map(|description| description.folder).collect();
        Ok(ShardSet { command, total, identity, folders })
    }

    /// Returns the number of shards.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.folders.len() as u64
    }

    /// Returns a value of the identity; empty if there is none.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        self.identity.setting.get(name).map_or("", String::as_str)
    }
}

/// Reads the description of a folder.
fn describe(path: &Path) -> Result<Description, JoinError> {
    let has = |name: &str| path.join(name).is_file();
    let mut identity = if has(EXPERIMENT) {
        ExperimentIdentity::read(path)?
    } else if has(DESCRIPTION) {
        let setting: FolderIdentity = folder::read_json(&path.join(DESCRIPTION))?;
        ExperimentIdentity { setting, ..ExperimentIdentity::default() }
    } else if has(sample_files::DESCRIPTION) {
        let mut setting: FolderIdentity = folder::read_json(&path.join(sample_files::DESCRIPTION))?;
        for name in sample_files::FILES {
            sample_files::take_length(&mut setting, name);
        }
        ExperimentIdentity { setting, ..ExperimentIdentity::default() }
    } else if has(review_file::DESCRIPTION) {
        let setting = ReviewShardFile::read(path)?.identity;
        ExperimentIdentity { setting, ..ExperimentIdentity::default() }
    } else {
        let found = match path.is_dir() {
            true if has(sample_files::FILES[0]) => "positions of a whole or interrupted `network prepare`",
            true => "a folder without a description",
            false => "no folder",
        };
        return Err(JoinError::NoShard { path: path.to_owned(), found });
    };
    let place = ShardPlace::take_from(&mut identity.setting)
        .ok_or_else(|| JoinError::NoShard { path: path.to_owned(), found: "a whole experiment" })?;
    Ok(Description { folder: ShardFolder { path: path.to_owned(), shard: place.shard }, place, identity })
}

/// Returns an error if two folders belong to different experiments.
fn compare(one: &Description, other: &Description) -> Result<(), JoinError> {
    let [first, second] = [one, other].map(values);
    for key in first.keys().chain(second.keys()) {
        let values = [&first, &second].map(|values| values.get(key).cloned().unwrap_or_default());
        if values[0] != values[1] {
            return Err(JoinError::Different {
                folders: Box::new([one.folder.path.clone(), other.folder.path.clone()]),
                key: key.clone(),
                values: Box::new(values),
            });
        }
    }
    Ok(())
}

/// Returns all values that shards of one experiment share.
fn values(description: &Description) -> BTreeMap<String, String> {
    let Description { place, identity, .. } = description;
    let engines = identity.engines.iter().map(|(name, engine)| (format!("engine {name}"), engine.clone()));
    let settings = identity.setting.clone().into_iter();
    let own = [
        ("command", place.command.name().to_owned()),
        ("number of shards", place.shard.count().to_string()),
        ("number of games, tests or files", place.total.to_string()),
    ];
    own.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(settings).chain(engines).collect()
}
