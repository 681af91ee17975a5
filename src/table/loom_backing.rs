//! The replacement for [`backing`](super::backing) under loom: its atomics cannot lie in mapped memory.

use super::atomic::AtomicU64;
use std::fs::File;
use std::io;

pub(super) struct Backing(Vec<AtomicU64>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    Shared,
    Private,
}

impl Backing {
    pub(super) fn heap(words: usize, _: usize) -> Option<Backing> {
        Some(Backing((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    pub(super) fn file(_: &File, _: usize, _: Sharing) -> io::Result<Backing> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn words(&self) -> &[AtomicU64] {
        &self.0
    }

    pub(super) fn enlarge_pages(&self, _: u64) {}

    pub(super) fn sync_start(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn expect_scan(&self) {}

    pub(super) fn huge_page_bytes(&self) -> Option<usize> {
        None
    }
}

pub(super) fn prefetch(_: &AtomicU64) {}

pub(super) fn prefetch_for_write(_: &AtomicU64) {}
