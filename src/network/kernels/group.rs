//! Groups of points that are computed together, so that weights are read once for all of them.

/// Points computed together with 256-bit registers: three times four sums and their operands fill all sixteen.
pub(super) const AVX2_POINTS: usize = 3;
/// Points computed together with 512-bit registers: nine times two sums hide the latency of the products, and 81 is
/// nine times nine.
pub(super) const VNNI_POINTS: usize = 9;
/// Points computed together on ARM: three times eight sums, three inputs and a weight fit its 32 registers of 128 bits.
pub(super) const SDOT_POINTS: usize = 3;

/// Maximum span of a group's points in cells, so that one slice contains all inputs of a tap and no index needs a
/// check.
pub(in crate::network) const SPAN: usize = 16;

/// A group of points that are computed together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::network) struct Group {
    /// The padded point of the first one.
    pub(super) first: u32,
    /// Number of points.
    pub(super) count: usize,
    /// Offset of each point from the first, less than [`SPAN`]. Offsets beyond `count` are 0, and their results are not
    /// used.
    pub(super) relative: [u8; SPAN],
}

impl Group {
    /// Divides `points`, which ascend, into groups of at most `most <= SPAN`.
    pub(in crate::network) fn all(points: &[u32], most: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for &point in points {
            let fits = |group: &&mut Group| group.count < most && point - group.first < SPAN as u32;
            if let Some(group) = groups.last_mut().filter(fits) {
                group.relative[group.count] = (point - group.first) as u8;
                group.count += 1;
            } else {
                groups.push(Group { first: point, count: 1, relative: [0; SPAN] });
            }
        }
        groups
    }

    pub(super) fn points(&self) -> impl Iterator<Item = usize> {
        let relative = self.relative[..self.count].iter();
        relative.map(|&relative| self.first as usize + usize::from(relative))
    }
}
