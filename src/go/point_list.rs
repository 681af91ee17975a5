//! A list of points without allocation.

use super::geometry::Point;

/// A short list of points on the stack.
#[derive(Clone, Copy, Debug)]
pub struct PointList<const CAPACITY: usize> {
    points: [Point; CAPACITY],
    length: usize,
}

impl<const CAPACITY: usize> PointList<CAPACITY> {
    /// The empty list.
    #[must_use]
    #[inline]
    pub const fn new() -> Self {
        PointList { points: [Point::NONE; CAPACITY], length: 0 }
    }

    /// Adds a point; one too many is left out.
    #[inline]
    pub fn push(&mut self, point: Point) {
        if self.length < CAPACITY {
            self.points[self.length] = point;
            self.length += 1;
        }
    }

    /// Takes out the point at `index`, filling its place with the last.
    #[inline]
    pub fn swap_remove(&mut self, index: usize) -> Point {
        let point = self.points[index];
        self.length -= 1;
        self.points[index] = self.points[self.length];
        point
    }

    /// Whether the point is in the list.
    #[must_use]
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.as_slice().contains(&point)
    }

    /// The points.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[Point] {
        &self.points[..self.length]
    }

    /// Number of points.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl<const CAPACITY: usize> Default for PointList<CAPACITY> {
    fn default() -> Self {
        Self::new()
    }
}
