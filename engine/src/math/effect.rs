//! How far two groups lie apart: Cohen's d and Hedges' g, with intervals that are exact for normal groups, and by bootstrap.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    correlation::Draws,
    metrics::mean,
    rng::Rng,
    statistics::{Interval, bca},
    student,
};

/// Stream of the seed that permutations are drawn from, as that of a correlation.
const PERMUTATIONS: u64 = 1;
/// Sums of the same numbers in another order may differ in their last bits.
const TIE: f64 = 1e-12;

/// Two groups against each other; every difference is first − second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Sizes of the groups.
    pub n: (usize, usize),
    /// Their means.
    pub means: (f64, f64),
    /// d: the difference of means over the pooled standard deviation, with the interval by the noncentral t.
    pub d: Interval,
    /// g: d less its bias in small groups, Γ(df/2)/(√(df/2)·Γ((df − 1)/2))·d, with the same interval as scaled.
    pub g: Interval,
    /// d with its BCa interval over rows, for groups that are not normal.
    pub d_bootstrap: Interval,
    /// Two-sided permutation p of the difference of means, the data itself counted as one.
    pub p: f64,
}

/// d of rows that count `times` each; NaN where a group is empty or nothing varies.
fn cohen(values: &[f64], first: &[bool], times: &[u32]) -> f64 {
    let (mut n, mut sum) = ([0.0; 2], [0.0; 2]);
    for ((value, first), times) in values.iter().zip(first).zip(times) {
        n[usize::from(!first)] += f64::from(*times);
        sum[usize::from(!first)] += f64::from(*times) * value;
    }
    let means = [sum[0] / n[0], sum[1] / n[1]];
    let mut squares = 0.0;
    for ((value, first), times) in values.iter().zip(first).zip(times) {
        let off = value - means[usize::from(!first)];
        squares += f64::from(*times) * off * off;
    }
    let pooled = libm::sqrt(squares / (n[0] + n[1] - 2.0));
    let scale = means[0].abs().max(means[1].abs());
    if pooled <= f64::EPSILON * scale { f64::NAN } else { (means[0] - means[1]) / pooled }
}

/// Hedges' factor for so many degrees of freedom.
pub fn hedges_factor(df: f64) -> f64 {
    libm::exp(libm::lgamma(0.5 * df) - libm::lgamma(0.5 * (df - 1.0))) / libm::sqrt(0.5 * df)
}

/// The two groups of values, those marked `first` and the others; none where a group has fewer than two, or nothing varies.
pub fn compare(values: &[f64], first: &[bool], draws: &Draws) -> Option<Effect> {
    let group = |own: bool| {
        values.iter().zip(first).filter(|(_, first)| **first == own).map(|(value, _)| *value).collect::<Vec<f64>>()
    };
    let (a, b) = (group(true), group(false));
    let d = cohen(values, first, &vec![1; values.len()]);
    if a.len() < 2 || b.len() < 2 || !d.is_finite() {
        return None;
    }
    let (n1, n2) = (a.len() as f64, b.len() as f64);
    let (df, scale) = (n1 + n2 - 2.0, libm::sqrt(n1 * n2 / (n1 + n2)));
    let tail = 0.5 * (1.0 - draws.level);
    let end = |p: f64| student::noncentrality(d * scale, df, p) / scale;
    let exact = Interval { value: d, low: end(1.0 - tail), high: end(tail) };
    let factor = hedges_factor(df);
    let scaled = |of: f64| factor * of;
    let boot = bca(values.len(), 1, draws.resamples, draws.level, draws.seed, |drawn, out| {
        out[0] = cohen(values, first, drawn);
    })[0];
    let means = (mean(&a)?, mean(&b)?);
    Some(Effect {
        n: (a.len(), b.len()),
        means,
        d: exact,
        g: Interval { value: scaled(d), low: scaled(exact.low), high: scaled(exact.high) },
        d_bootstrap: Interval { value: d, ..boot },
        p: shuffled_p(values, a.len(), means.0 - means.1, draws),
    })
}

/// Share of shuffles whose first `n` lie at least as far from the others as the groups do.
fn shuffled_p(values: &[f64], n: usize, difference: f64, draws: &Draws) -> f64 {
    let (mut rng, mut order, mut as_far) = (Rng::stream(draws.seed, PERMUTATIONS), values.to_vec(), 0);
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    for _ in 0..draws.permutations {
        rng.shuffle(&mut order);
        let (a, b) = order.split_at(n);
        let apart = a.iter().sum::<f64>() / a.len() as f64 - b.iter().sum::<f64>() / b.len() as f64;
        as_far += usize::from(apart.abs() >= difference.abs() - TIE * largest);
    }
    (as_far + 1) as f64 / (draws.permutations + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRAWS: Draws = Draws { resamples: 200, permutations: 200, level: 0.95, seed: 1 };

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        /// d does not depend on units, changes sign with the groups, lies in its intervals, and g is nearer to 0.
        #[test]
        fn d_is_free_of_units(values in prop::collection::vec(-5f64..5.0, 6..20), scale in 0.1f64..9.0, shift in -9f64..9.0) {
            let first: Vec<bool> = (0..values.len()).map(|at| at % 2 == 0).collect();
            let effect = compare(&values, &first, &DRAWS).unwrap();
            let other: Vec<f64> = values.iter().map(|value| scale * value + shift).collect();
            let scaled = compare(&other, &first, &DRAWS).unwrap();
            prop_assert!((effect.d.value - scaled.d.value).abs() < 1e-9);
            let second: Vec<bool> = first.iter().map(|first| !first).collect();
            let turned = compare(&values, &second, &DRAWS).unwrap();
            prop_assert!((effect.d.value + turned.d.value).abs() < 1e-9);
            prop_assert!((effect.d.low + turned.d.high).abs() < 1e-7);
            prop_assert!(effect.d.low <= effect.d.value && effect.d.value <= effect.d.high);
            prop_assert!(effect.g.value.abs() <= effect.d.value.abs());
            prop_assert!(effect.p > 0.0 && effect.p <= 1.0);
        }
    }

    #[test]
    fn what_does_not_vary_has_no_effect() {
        let first = [true, true, false, false];
        assert_eq!(compare(&[1.0; 4], &first, &DRAWS), None);
        assert_eq!(compare(&[1.0, 2.0, 3.0, 4.0], &[true, false, false, false], &DRAWS), None);
        assert_eq!(compare(&[1.0, 1.0, 2.0, 2.0], &first, &DRAWS), None, "no spread within the groups");
    }
}
