//! Reports for people: analysed positions and reviewed games.

pub mod analysis;
pub mod review;
