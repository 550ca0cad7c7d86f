//! From figures to places on an axis, and which figures get a tick.

/// A loss of D = 2 is a perplexity three times as high: from there on, on a linear axis the small losses sit on one
/// spot, and the axis becomes logarithmic.
pub const LOGARITHMIC_FROM: f64 = 2.0;
/// Room beyond the outermost interval, as a share of the axis.
const MARGIN: f64 = 0.03;
/// D = −1 would be a perplexity of 0; no interval end is drawn at or below this.
const LOWEST: f64 = -0.99;

/// How figures are spread over the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Equal differences take equal room.
    Linear,
    /// Equal ratios of 1 + D = PPL_q/PPL_fp take equal room; defined for every D, near zero the same as linear.
    Logarithmic,
}

/// An axis from `start` to `end` (in pixels) for D from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Linear or logarithmic.
    pub spread: Spread,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// The axis that holds all `ends` and zero; logarithmic when one is above [`LOGARITHMIC_FROM`].
    pub fn fit(ends: impl IntoIterator<Item = f64>, start: f64, end: f64) -> Scale {
        Scale::fit_as(None, ends, start, end)
    }

    /// The same, spread as is wanted.
    pub fn fit_as(wanted: Option<Spread>, ends: impl IntoIterator<Item = f64>, start: f64, end: f64) -> Scale {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for value in ends.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value.max(LOWEST));
            high = high.max(value);
        }
        if low == high {
            high = 1.0;
        }
        let by_size = if high > LOGARITHMIC_FROM { Spread::Logarithmic } else { Spread::Linear };
        let spread = wanted.unwrap_or(by_size);
        let (from, to) = (spread.stretch(low), spread.stretch(high));
        let margin = (to - from) * MARGIN;
        // Zero is drawn as a line: where nothing lies below it, it is the axis itself.
        let from = if low < 0.0 { from - margin } else { from };
        Scale { spread, low: spread.unstretch(from), high: spread.unstretch(to + margin), start, end }
    }

    /// Where D is drawn. What is outside the axis or not a number is drawn at its nearest end.
    pub fn position(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.low } else { value.clamp(self.low, self.high) };
        let (from, to) = (self.spread.stretch(self.low), self.spread.stretch(self.high));
        self.start + (self.spread.stretch(value) - from) / (to - from) * (self.end - self.start)
    }

    /// Figures to mark, ascending, at least `apart` pixels from each other; zero is always one of them.
    pub fn ticks(&self, apart: f64) -> Vec<f64> {
        let mut ticks = match self.spread {
            Spread::Linear => self.linear_ticks(apart),
            Spread::Logarithmic => self.logarithmic_ticks(apart),
        };
        ticks.sort_by(f64::total_cmp);
        ticks
    }

    fn linear_ticks(&self, apart: f64) -> Vec<f64> {
        let smallest = apart / (self.end - self.start) * (self.high - self.low);
        let step = nice_step(smallest);
        let first = libm::ceil(self.low / step) as i64;
        let last = libm::floor(self.high / step) as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }

    /// Zero first, then powers of ten, then 3 × and 0.5: whatever finds room in that order.
    fn logarithmic_ticks(&self, apart: f64) -> Vec<f64> {
        let decades = 0..=libm::floor(libm::log10(self.high)) as i32;
        let tens = decades.clone().map(|k| libm::pow(10.0, f64::from(k)));
        let threes = decades.map(|k| 3.0 * libm::pow(10.0, f64::from(k)));
        let mut ticks: Vec<f64> = Vec::new();
        for candidate in [0.0].into_iter().chain(tens).chain(threes).chain([-0.5]) {
            let inside = (self.low..=self.high).contains(&candidate);
            let place = self.position(candidate);
            if inside && ticks.iter().all(|&tick| (self.position(tick) - place).abs() >= apart) {
                ticks.push(candidate);
            }
        }
        ticks
    }
}

impl Spread {
    fn stretch(self, value: f64) -> f64 {
        match self {
            Spread::Linear => value,
            Spread::Logarithmic => libm::log1p(value.max(LOWEST)),
        }
    }

    fn unstretch(self, stretched: f64) -> f64 {
        match self {
            Spread::Linear => stretched,
            Spread::Logarithmic => libm::expm1(stretched),
        }
    }
}

/// The smallest of 1, 2, 5 × 10^k that is not below `smallest`.
pub(super) fn nice_step(smallest: f64) -> f64 {
    let decade = libm::pow(10.0, libm::floor(libm::log10(smallest)));
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|m| m * decade)
        .find(|step| *step >= smallest * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_rule_for_the_spread() {
        assert_eq!(Scale::fit([0.06, 0.18], 0.0, 100.0).spread, Spread::Linear);
        assert_eq!(Scale::fit([0.06, 2.0], 0.0, 100.0).spread, Spread::Linear);
        assert_eq!(Scale::fit([-0.01, 50.0], 0.0, 100.0).spread, Spread::Logarithmic);
    }

    #[test]
    fn ticks_are_round_and_hold_zero() {
        let scale = Scale::fit([-0.02, 0.18], 0.0, 400.0);
        let shown: Vec<String> = scale.ticks(60.0).iter().map(|t| format!("{t:.2}")).collect();
        assert_eq!(shown, ["0.00", "0.05", "0.10", "0.15"]);
        let shown: Vec<String> = Scale::fit([0.9], 0.0, 400.0).ticks(80.0).iter().map(|t| format!("{t:.1}")).collect();
        assert_eq!(shown, ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(Scale::fit([45.3], 0.0, 400.0).ticks(40.0), [0.0, 1.0, 3.0, 10.0, 30.0]);
        assert_eq!(Scale::fit([45.3], 0.0, 150.0).ticks(60.0), [0.0, 10.0]);
    }

    #[test]
    fn nothing_measured_still_makes_an_axis() {
        let scale = Scale::fit([f64::NAN, f64::INFINITY], 0.0, 100.0);
        assert_eq!(scale.position(0.0), 0.0);
        assert_eq!(scale.position(f64::NAN), 0.0);
        assert!(scale.ticks(20.0).contains(&0.0));
    }

    proptest! {
        /// Larger loss, further right; everything measured is inside.
        #[test]
        fn order_is_kept(ends in prop::collection::vec(-0.9..300.0f64, 2..20)) {
            let scale = Scale::fit(ends.iter().copied(), 10.0, 510.0);
            for pair in ends.windows(2) {
                let (a, b) = (scale.position(pair[0]), scale.position(pair[1]));
                prop_assert!((10.0..=510.0).contains(&a));
                prop_assert_eq!(pair[0] < pair[1], a < b);
            }
        }

        #[test]
        fn ticks_keep_their_distance(high in 0.001..5000.0f64, low in -0.9..0.0f64, apart in 20.0..120.0f64) {
            let scale = Scale::fit([low, high], 0.0, 500.0);
            let ticks = scale.ticks(apart);
            prop_assert!(ticks.contains(&0.0));
            for pair in ticks.windows(2) {
                prop_assert!(scale.position(pair[1]) - scale.position(pair[0]) >= apart * 0.999);
            }
        }
    }
}
