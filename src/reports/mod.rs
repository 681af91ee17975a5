//! Reports for people: analysed positions and reviewed games; analyses by other programs, stored in a table.

pub mod analysis;
pub mod learn;
pub mod review;
