//! Rules for the source itself.

mod circles;
mod layering;
mod prose;
mod sources;
