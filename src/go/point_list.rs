//! A list of points without allocation.

use super::geometry::Point;

/// A short list of points on the stack.
#[derive(Clone, Copy, Debug)]
pub struct PointList<const CAPACITY: usize> {
    points: [Point; CAPACITY],
    length: usize,
}

impl<const CAPACITY: usize> PointList<CAPACITY> {
    /// Creates an empty list.
    #[must_use]
    #[inline]
    pub const fn new() -> Self {
        PointList { points: [Point::NONE; CAPACITY], length: 0 }
    }

    /// Adds a point; a full list drops it.
    #[inline]
    pub fn push(&mut self, point: Point) {
        if self.length < CAPACITY {
            self.points[self.length] = point;
            self.length += 1;
        }
    }

    /// Removes and returns the point at `index`; the last point takes its place.
    #[inline]
    pub fn swap_remove(&mut self, index: usize) -> Point {
        let point = self.points[index];
        self.length -= 1;
        self.points[index] = self.points[self.length];
        point
    }

    /// Returns true if the point is in the list.
    #[must_use]
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.as_slice().contains(&point)
    }

    /// Returns the points.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[Point] {
        &self.points[..self.length]
    }

    /// Returns the number of points.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if the list is empty.
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
