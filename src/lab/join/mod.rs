//! Shards of an experiment, made by separate processes or machines, put together into what one run would have written.
//!
//! * [`shards`]: the folders, checked to be all shards of one experiment.
//! * [`rows`]: their games or tests, checked to be complete, and their files.
//! * [`review_file`]: the description of a folder of reviewed records; [`review_sources`]: the records of its reviews.
//! * [`reviews`]: the reviews of all shards.
//! * [`samples`]: the training positions of all shards.
//! * [`error`]: the faults of shards. Nothing is written if there is one.

pub mod error;
pub mod review_file;
pub mod review_sources;
pub mod reviews;
pub mod rows;
pub mod samples;
pub mod shards;
