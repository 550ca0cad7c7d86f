//! Intervals: the paired bootstrap, bias-corrected and accelerated (Efron 1987), and what noise adds to a figure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::normal;
use super::rng::Rng;

/// A figure with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// Lower end at the stated level.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// A figure without spread.
    pub fn point(value: f64) -> Interval {
        Interval { value, low: value, high: value }
    }
}

/// A statistic over all units, over all but one of them, and over resamples of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Resampled {
    value: f64,
    /// With each unit left out: the jackknife.
    left_out: Vec<f64>,
    /// Over resamples, ascending; none is NaN.
    sorted: Vec<f64>,
}

/// Several statistics over the same units (texts that stand beside each other in every language), resampled together.
///
/// `f` is told how often each unit is drawn and writes the statistics. Every resample serves all of them, so they are
/// paired. Before the resamples it is called with every unit once (the figure itself) and with each unit left out (the
/// jackknife). A resample whose statistic is not a number is left out; an infinite one counts as the largest float of its
/// sign. Fewer than two units are not resampled.
///
/// The same arguments give the same bits everywhere.
pub fn bootstrap(
    units: usize,
    statistics: usize,
    resamples: usize,
    seed: u64,
    mut f: impl FnMut(&[u32], &mut [f64]),
) -> Vec<Resampled> {
    let mut out = vec![0.0; statistics];
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); statistics];
    each_draw(units, resamples, seed, |drawn| {
        f(drawn, &mut out);
        series.iter_mut().zip(&out).for_each(|(of, &figure)| of.push(figure));
    });
    series.iter().map(|series| Resampled::of(series, units)).collect()
}

/// Tells `f` how often each unit is drawn: every unit once, then each left out in turn, then the resamples. Fewer than two
/// units are drawn once, and that is all.
pub fn each_draw(units: usize, resamples: usize, seed: u64, mut f: impl FnMut(&[u32])) {
    let mut drawn = vec![1u32; units];
    f(&drawn);
    if units < 2 {
        return;
    }
    for unit in 0..units {
        drawn[unit] = 0;
        f(&drawn);
        drawn[unit] = 1;
    }
    let mut rng = Rng::new(seed);
    for _ in 0..resamples {
        drawn.fill(0);
        for _ in 0..units {
            drawn[rng.below(units as u32) as usize] += 1;
        }
        f(&drawn);
    }
}

/// BCa intervals of several statistics over the same units; see [`bootstrap`] and [`Resampled::bca`].
pub fn bca(
    units: usize,
    statistics: usize,
    resamples: usize,
    level: f64,
    seed: u64,
    f: impl FnMut(&[u32], &mut [f64]),
) -> Vec<Interval> {
    bootstrap(units, statistics, resamples, seed, f).iter().map(|of| of.bca(level)).collect()
}

impl Resampled {
    /// From a statistic of every draw of [`each_draw`], in its order.
    pub fn of(series: &[f64], units: usize) -> Resampled {
        let (left_out, resamples) = series[1..].split_at(units.min(series.len() - 1));
        let known = resamples.iter().filter(|figure| !figure.is_nan());
        let mut sorted: Vec<f64> = known.map(|figure| figure.clamp(-f64::MAX, f64::MAX)).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Resampled { value: series[0], left_out: left_out.to_vec(), sorted }
    }

    /// The figure over all units, then over all but each.
    pub fn jackknife(&self) -> Vec<f64> {
        std::iter::once(self.value).chain(self.left_out.iter().copied()).collect()
    }

    /// The figure with the resamples' quantiles as they are: for ranks, which no correction may move past their ends.
    pub fn percentile(&self, level: f64) -> Interval {
        if self.is_point() {
            return Interval::point(self.value);
        }
        let tail = 0.5 * (1.0 - level);
        let end = |p: f64| interpolate(&self.sorted, p);
        Interval { value: self.value, low: end(tail), high: end(1.0 - tail) }
    }

    /// The figure with its BCa interval.
    ///
    /// - The bias correction z₀ counts ties half; a share of 0 or 1 is moved in by half a resample.
    /// - The acceleration is Σu³/(6·(Σu²)^1.5) over the jackknife; 0 where all its values are equal or one is not finite.
    /// - Ends are quantiles of the resampled figures by linear interpolation between order statistics, so they are always
    ///   finite and in order.
    /// - The interval is the point itself for fewer than two units, for no resamples, where all resamples agree, and where
    ///   the figure is not a number: there is no spread to report.
    pub fn bca(&self, level: f64) -> Interval {
        let Resampled { value, left_out, sorted } = self;
        if self.is_point() {
            return Interval::point(*value);
        }
        let acceleration = acceleration(left_out);
        let below = sorted.partition_point(|figure| figure < value);
        let up_to = sorted.partition_point(|figure| figure <= value);
        let half = 0.5 / sorted.len() as f64;
        let share = ((below + up_to) as f64 * half).clamp(half, 1.0 - half);
        let bias = normal::quantile(share);
        let end = |p: f64| {
            let z = bias + normal::quantile(p);
            let shrink = 1.0 - acceleration * z;
            // Past this pole the map turns over; the outermost resample is the honest end.
            let adjusted = if shrink > 0.0 { normal::cdf(bias + z / shrink) } else { f64::from(z > 0.0) };
            interpolate(sorted, adjusted)
        };
        let tail = 0.5 * (1.0 - level);
        Interval { value: *value, low: end(tail), high: end(1.0 - tail) }
    }

    /// The figure less its bias, 2·θ̂ − mean θ* (Efron & Tibshirani 1993, equation 10.41), and the resamples' quantiles moved
    /// as far, so that they lie around it.
    ///
    /// For figures that noise can only raise, such as a largest less a smallest: a resample has the noise twice, so it lies
    /// above the figure by about as much as the figure above the truth. BCa moves its ends too, but never below the least
    /// resample. It is a correction of the first order: where there is nothing but noise, less than half of it goes.
    pub fn corrected(&self, level: f64) -> Interval {
        if self.is_point() {
            return Interval::point(self.value);
        }
        let bias = self.sorted.iter().sum::<f64>() / self.sorted.len() as f64 - self.value;
        let tail = 0.5 * (1.0 - level);
        let end = |p: f64| interpolate(&self.sorted, p) - 2.0 * bias;
        Interval { value: self.value - bias, low: end(tail), high: end(1.0 - tail) }
    }

    /// Whether there is no spread.
    fn is_point(&self) -> bool {
        self.value.is_nan() || self.sorted.first() == self.sorted.last()
    }
}

/// Skewness of the jackknife over 6: Efron's estimate of how the standard error changes with the figure.
fn acceleration(jackknife: &[f64]) -> f64 {
    let mean = jackknife.iter().sum::<f64>() / jackknife.len() as f64;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for &figure in jackknife {
        let u = mean - figure;
        squares += u * u;
        cubes += u * u * u;
    }
    let a = cubes / (6.0 * squares * libm::sqrt(squares));
    if a.is_finite() { a } else { 0.0 }
}

/// The p-quantile of sorted figures, linear between neighbours.
fn interpolate(sorted: &[f64], p: f64) -> f64 {
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let index = place as usize;
    let next = sorted[(index + 1).min(sorted.len() - 1)];
    let part = place - index as f64;
    let gap = next - sorted[index];
    // Neighbours of huge figures may be further apart than a float can say; equal ones give exactly themselves.
    if gap.is_finite() { (sorted[index] + gap * part).min(next) } else { sorted[index] * (1.0 - part) + next * part }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;
    use proptest::prelude::*;

    fn mean_of(values: &[f64]) -> impl Fn(&[u32], &mut [f64]) {
        move |drawn, out| {
            let n: u32 = drawn.iter().sum();
            out[0] = drawn.iter().zip(values).map(|(&d, v)| d as f64 * v).sum::<f64>() / n as f64;
        }
    }

    #[test]
    fn no_spread_gives_a_point() {
        let interval = bca(10, 1, 100, 0.95, 1, |_, out| out[0] = 4.0);
        assert_eq!(interval, [Interval::point(4.0)]);
        assert_eq!(bca(1, 1, 100, 0.95, 1, mean_of(&[2.5])), [Interval::point(2.5)]);
        assert_eq!(bca(5, 1, 0, 0.95, 1, mean_of(&[1.0, 2.0, 3.0, 4.0, 5.0])), [Interval::point(3.0)]);
        assert_eq!(bca(0, 0, 10, 0.95, 1, |_, _| ()), []);
    }

    #[test]
    fn what_is_not_finite_never_reaches_the_ends() {
        let values: Vec<f64> = (0..12).map(|v| v as f64).collect();
        let mean = mean_of(&values);
        let intervals = bca(12, 3, 500, 0.95, 9, |drawn, out| {
            mean(drawn, out);
            out[1] = if drawn[0] == 0 { f64::NAN } else { out[0] };
            out[2] = if drawn[0] > 1 { f64::INFINITY } else { out[0] };
        });
        for interval in &intervals {
            assert!(interval.low.is_finite() && interval.high.is_finite() && interval.low < interval.high);
        }
        assert_eq!(intervals[2].high, f64::MAX);
        assert!(bca(3, 1, 50, 0.95, 1, |_, out| out[0] = f64::NAN)[0].value.is_nan());
    }

    #[test]
    fn every_statistic_sees_the_same_resamples() {
        let values: Vec<f64> = (0..20).map(|v| (v * v) as f64).collect();
        let mean = mean_of(&values);
        let both = bca(20, 2, 300, 0.9, 4, |drawn, out| {
            mean(drawn, out);
            out[1] = out[0] + 100.0;
        });
        assert!((both[1].low - both[0].low - 100.0).abs() < 1e-9 && (both[1].high - both[0].high - 100.0).abs() < 1e-9);
        assert_eq!(both[0], bca(20, 1, 300, 0.9, 4, &mean)[0]);
        assert_ne!(both[0], bca(20, 1, 300, 0.9, 5, &mean)[0]);
    }

    #[test]
    fn ninety_five_in_a_hundred_intervals_hold_the_truth() {
        let mut rng = Rng::new(11);
        let held = (0..400)
            .filter(|&round| {
                let values: Vec<f64> = (0..40).map(|_| rng.normal()).collect();
                let interval = bca(40, 1, 400, 0.95, round, mean_of(&values))[0];
                interval.low <= 0.0 && 0.0 <= interval.high
            })
            .count();
        // 400 rounds at the 92–95% that BCa reaches with 40 units: between 355 and 392 in all but one of 1000 seeds.
        assert!((355..=392).contains(&held), "{held} of 400");
    }

    /// Largest − smallest of six means of eight figures each, over the same units.
    fn range(figures: &[[f64; 6]]) -> Resampled {
        let of = |drawn: &[u32], out: &mut [f64]| {
            let mean =
                |at: usize| drawn.iter().zip(figures).map(|(&times, row)| f64::from(times) * row[at]).sum::<f64>();
            let means: [f64; 6] = std::array::from_fn(|at| mean(at) / figures.len() as f64);
            out[0] = means.iter().copied().fold(f64::MIN, f64::max) - means.iter().copied().fold(f64::MAX, f64::min);
        };
        bootstrap(figures.len(), 1, 400, 7, of).remove(0)
    }

    #[test]
    fn noise_alone_is_no_range() {
        let (mut rng, rounds) = (Rng::new(5), 60);
        let mut drawn = |gap: f64| {
            let row = |_| std::array::from_fn(|at| rng.normal() + if at == 0 { gap } else { 0.0 });
            range(&(0..8).map(row).collect::<Vec<[f64; 6]>>())
        };
        let (mut raw, mut corrected, mut zero_inside, mut wide) = (0.0, 0.0, [0; 2], 0.0);
        for _ in 0..rounds {
            let noise = drawn(0.0);
            raw += noise.value;
            corrected += noise.corrected(0.95).value;
            zero_inside[0] += usize::from(noise.bca(0.95).low <= 0.0);
            zero_inside[1] += usize::from(noise.corrected(0.95).low <= 0.0);
            wide += drawn(20.0).corrected(0.95).value;
        }
        assert!(corrected < 0.8 * raw, "{corrected} of {raw}");
        assert_eq!(zero_inside[0], 0, "no resample lies at zero");
        // Better than never, and far from 95 in 100: half of the noise stays in.
        assert!(zero_inside[1] > rounds / 3, "{} of {rounds}", zero_inside[1]);
        // Five means of eight lie around 0, the least of them about 1.16/√8 below: that is the truth's noise, not the gap's.
        assert!((wide / rounds as f64 - 20.0).abs() < 0.6, "{wide}");
    }

    #[test]
    fn what_has_no_bias_is_not_moved() {
        let values: Vec<f64> = (0..30).map(|v| (v * 7 % 11) as f64).collect();
        let mean = bootstrap(30, 1, 4000, 3, mean_of(&values)).remove(0);
        let (plain, corrected) = (mean.bca(0.95), mean.corrected(0.95));
        let width = plain.high - plain.low;
        assert!(
            (plain.value - corrected.value).abs() < 0.02 * width && (plain.low - corrected.low).abs() < 0.1 * width
        );
        assert_eq!(bootstrap(1, 1, 9, 1, mean_of(&[2.5]))[0].corrected(0.95), Interval::point(2.5));
    }

    proptest! {
        /// Ends are in order and among the resampled figures; a wider level is never narrower.
        #[test]
        fn ends_are_in_order(values in prop::collection::vec(-5f64..5.0, 2..20), seed: u64) {
            let at = |level| bca(values.len(), 1, 200, level, seed, mean_of(&values))[0];
            let (narrow, wide) = (at(0.8), at(0.95));
            prop_assert!(narrow.low <= narrow.high);
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert!(wide.low >= least - 1e-12);
        }
    }
}
