//! What several sets of weights cost the same languages: D(λ), disparity and its kin.

pub use crate::report::language::Language;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::math::statistics::Resampled;
use crate::math::{metrics, statistics::Interval};

/// What a set of weights costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// D(λ) of each language.
    pub degradation: Vec<Interval>,
    /// max D − min D over seen languages; none for fewer than two.
    pub disparity: Option<Interval>,
    /// Disparity less what noise alone adds to a largest − smallest; see [`Resampled::corrected`].
    pub disparity_corrected: Option<Interval>,
    /// mean D over high-resource languages.
    pub mean_high: Option<Interval>,
    /// mean D over low-resource languages.
    pub mean_low: Option<Interval>,
    /// mean D(LR)/mean D(HR).
    pub ratio: Option<Interval>,
}

/// Disparity under one set of weights against another, text by text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Disparity of the first − of the second.
    pub difference: Interval,
    /// The same less what noise alone adds to it; see [`Resampled::corrected`].
    pub difference_corrected: Interval,
    /// 1 − first/second: 0.5 where the first halves the disparity of the second.
    pub reduction: Interval,
}

/// The figure with its interval, where it is known.
pub fn known(interval: Interval) -> Option<Interval> {
    Some(interval).filter(|interval| interval.value.is_finite())
}

impl Cost {
    /// The Fair-Efficiency Score of weights that take so many bytes, of so many in f32.
    pub fn score(&self, bytes: u64, bytes_full: u64) -> Option<Interval> {
        let efficiency = 1.0 - bytes as f64 / bytes_full as f64;
        let score = |disparity: f64| metrics::fair_efficiency(efficiency, disparity);
        // It falls as disparity rises, so the ends change places; BCa follows any such change of scale.
        self.disparity.map(|of| Interval { value: score(of.value), low: score(of.high), high: score(of.low) })
    }
}
