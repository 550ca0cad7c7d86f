//! Random draws: how many an analysis may be asked for, and the level of the intervals that come of them.

/// Level of every interval.
pub const LEVEL: f64 = 0.95;
/// A BCa interval wants many resamples; beyond the upper bound nothing changes but the time.
pub(crate) const RESAMPLES: std::ops::RangeInclusive<usize> = 100..=100_000;
/// Shuffles behind a p; fewer cannot say 0.01, more change nothing but the time.
pub(crate) const PERMUTATIONS: std::ops::RangeInclusive<usize> = 100..=100_000;

/// Parts of a language's texts of which one at a time is left out, for the spectrum's interval: each part is one more
/// spectrum of every layer.
const MOST_PARTS: usize = 5;

/// Parts of so many texts.
pub fn parts(units: usize) -> usize {
    if units < 2 { 0 } else { units.min(MOST_PARTS) }
}
