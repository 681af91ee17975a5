//! StegoUCT: UCT with the four uses of AMAF that its readme describes.

use super::{EdgeView, ParentView, SelectionPolicy};

/// A use of AMAF in StegoUCT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StegoMode {
    /// U = w/n + c·sqrt(ln N / n) alone.
    Uct,
    /// AMAF samples count as the move's own samples, in w and n.
    Amaf,
    /// α·A + (1-α)·U with a fixed α, where A is the mean of the AMAF samples.
    AlphaAmaf,
    /// α·A + (1-α)·U with α = max(0, (R-P)/R), where P counts the move's playouts.
    Rave,
}

/// StegoUCT. A move without samples of the kind that its mode uses comes first.
///
/// AMAF statistics are those of the parent position, as in RAVE. With α = 1 AMAF alone decides; without AMAF samples
/// the UCT value alone decides.
///
/// Source: StegoUCT, readme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stego {
    /// Use of AMAF.
    pub mode: StegoMode,
    /// c, not negative.
    pub exploration: f32,
    /// α of [`StegoMode::AlphaAmaf`], `0..=1`.
    pub alpha: f32,
    /// R of [`StegoMode::Rave`], positive, in playouts.
    pub warmup: f32,
}

impl Stego {
    #[inline]
    fn uct(&self, parent: &ParentView, visits: f32, value: f32) -> f32 {
        if visits > 0.0 {
            value + self.exploration * (parent.ln_visits / visits).sqrt()
        } else {
            f32::INFINITY
        }
    }

    #[inline]
    fn mixed(&self, parent: &ParentView, edge: &EdgeView, alpha: f32) -> f32 {
        let uct = self.uct(parent, edge.visits, edge.value);
        if edge.amaf_visits <= 0.0 || alpha <= 0.0 {
            return uct;
        }
        let amaf = edge.amaf_wins / edge.amaf_visits;
        if alpha >= 1.0 { amaf } else { alpha * amaf + (1.0 - alpha) * uct }
    }
}

impl SelectionPolicy for Stego {
    #[inline]
    fn score(&self, parent: &ParentView, edge: &EdgeView) -> f32 {
        match self.mode {
            StegoMode::Uct => self.uct(parent, edge.visits, edge.value),
            StegoMode::Amaf => {
                let visits = edge.visits + edge.amaf_visits;
                let wins = edge.visits * edge.value + edge.amaf_wins;
                self.uct(parent, visits, if visits > 0.0 { wins / visits } else { 0.0 })
            }
            StegoMode::AlphaAmaf => self.mixed(parent, edge, self.alpha),
            StegoMode::Rave => {
                let alpha = ((self.warmup - edge.visits) / self.warmup).max(0.0);
                self.mixed(parent, edge, alpha)
            }
        }
    }

    fn uses_amaf(&self) -> bool {
        self.mode != StegoMode::Uct
    }
}
