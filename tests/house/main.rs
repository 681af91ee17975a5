//! Rules for the source itself.

mod layering;
