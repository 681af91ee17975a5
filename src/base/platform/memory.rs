//! The memory of the machine, and advice about pages.
//!
//! Advice affects the speed of memory, never its content. These functions ignore it on systems without it. `unsafe` is
//! allowed for a call that `memmap2` lacks.

#![allow(unsafe_code)]

use super::linux_text;
use memmap2::MmapRaw;
use std::ops::Range;
use std::path::Path;

/// Returns the bytes of memory that this process may use: those of the machine, or its control group's limit if that is
/// lower.
///
/// Linux only; `None` elsewhere.
pub(crate) fn available() -> Option<u64> {
    let machine = linux_text("/proc/meminfo").and_then(|text| total_in_meminfo(&text));
    [machine, control_group_limit()].into_iter().flatten().min()
}

fn total_in_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Returns the smallest limit from this process's control group up to the root, for versions 1 and 2.
fn control_group_limit() -> Option<u64> {
    let groups = linux_text("/proc/self/cgroup")?;
    let mut smallest = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (base, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let path = Path::new(path.trim_start_matches('/'));
        for group in path.ancestors() {
            let limit = linux_text(Path::new(base).join(group).join(file));
            let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
            smallest = [smallest, limit].into_iter().flatten().min();
        }
    }
    smallest
}

/// Requests huge pages for a range of a mapping, given by its first byte and its length. Linux only.
pub(crate) fn advise_huge_pages(memory: &MmapRaw, start: usize, length: usize) {
    #[cfg(target_os = "linux")]
    let _ = memory.advise_range(memmap2::Advice::HugePage, start, length);
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, start, length);
}

/// Requests small pages for `length` bytes of a mapping from `start` on. Does nothing on systems without huge pages.
pub(crate) fn advise_no_huge_pages(memory: &MmapRaw, start: usize, length: usize) {
    #[cfg(target_os = "linux")]
    let _ = memory.advise_range(memmap2::Advice::NoHugePage, start, length);
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, start, length);
}

/// Number of the advice in include/uapi/asm-generic/mman-common.h of Linux; `libc` has it for few systems.
#[cfg(target_os = "linux")]
const MADV_COLLAPSE: i32 = 25;

/// Replaces the small pages of a range, which begins at a multiple of a huge page, by huge ones at once. Linux 6.1 or newer.
pub(crate) fn collapse_into_huge_pages(memory: &MmapRaw, start: usize, length: usize) {
    assert!(start <= memory.len() && length <= memory.len() - start, "a range of the mapping");
    #[cfg(target_os = "linux")]
    // SAFETY: the range lies in a mapping that lives during the call. The system copies the content of its pages and keeps
    // it as it is for all readers and writers; where it cannot, it returns an error and changes nothing.
    unsafe {
        let range = memory.as_mut_ptr().wrapping_add(start);
        let _ = libc::madvise(range.cast(), length, MADV_COLLAPSE);
    }
}

/// Brings all pages of a mapped file into memory for reading. Linux only; elsewhere pages are loaded one by one.
pub(crate) fn populate(memory: &MmapRaw) {
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::PopulateRead);
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Advises that pages are accessed in random order, which disables read-ahead. Does nothing on Windows.
pub(crate) fn advise_random(memory: &MmapRaw) {
    #[cfg(unix)]
    let _ = memory.advise(memmap2::Advice::Random);
    #[cfg(not(unix))]
    let _ = memory;
}

/// Advises that all pages will be read in order. Does nothing on Windows.
pub(crate) fn advise_scan(memory: &MmapRaw) {
    #[cfg(unix)]
    let _ = memory.advise(memmap2::Advice::Sequential);
    #[cfg(not(unix))]
    let _ = memory;
}

/// Returns the bytes in huge pages of the mappings that overlap a range of addresses. Linux only; `None` elsewhere.
pub(crate) fn huge_page_bytes(range: Range<usize>) -> Option<usize> {
    Some(huge_bytes(&linux_text("/proc/self/smaps")?, range))
}

/// Returns the bytes in huge pages of the mappings that overlap `range`, from the text of `/proc/PID/smaps`.
fn huge_bytes(smaps: &str, range: Range<usize>) -> usize {
    let kinds = ["AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"];
    let (mut is_inside, mut kib) = (false, 0);
    for line in smaps.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else { continue };
        if let Some((from, to)) = first.split_once('-') {
            let address = |text| usize::from_str_radix(text, 16).ok();
            if let (Some(from), Some(to)) = (address(from), address(to)) {
                is_inside = from < range.end && to > range.start;
            }
        } else if is_inside && kinds.contains(&first) {
            kib += words.next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        }
    }
    kib * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read_in_kibibytes() {
        assert_eq!(total_in_meminfo("MemTotal:       16 kB\nMemFree: 3 kB\n"), Some(16 * 1024));
        assert_eq!(total_in_meminfo("nonsense"), None);
    }

    #[test]
    fn huge_pages_are_counted_in_the_mappings_of_the_table_alone() {
        let smaps = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0\nRss: 9 kB\nAnonHugePages:      2048 kB\n\
                     ShmemPmdMapped:        0 kB\n7f0000400000-7f0000800000 rw-p 0 0 0\nAnonHugePages:  4096 kB\n";
        assert_eq!(huge_bytes(smaps, 0x7f00_0020_0000..0x7f00_0030_0000), 2 << 20);
        assert_eq!(huge_bytes(smaps, 0x7f00_0020_0000..0x7f00_0050_0000), 6 << 20);
        assert_eq!(huge_bytes(smaps, 0x1000..0x2000), 0);
        assert_eq!(huge_bytes("nonsense\n1-z\n", 0..10), 0);
    }
}
