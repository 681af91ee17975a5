//! The network: kernels, sizes, training and searches with it.

#[path = "../common/mod.rs"]
mod common;
mod network;
mod network_cli;
mod network_labels;
mod network_search;
mod network_sizes;
mod network_trainer;
