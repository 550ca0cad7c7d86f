//! How two figures go together over languages: Pearson's r and Spearman's ρ, their BCa intervals, and permutation p.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    rng::Rng,
    statistics::{Interval, bca},
};

/// Fewer pairs than this always lie on a line.
pub const LEAST_PAIRS: usize = 3;
/// Stream of the seed that permutations are drawn from; resamples have stream 0.
const PERMUTATIONS: u64 = 1;
/// Two orders of the same numbers may differ in the last bits of r; they count as equally far from 0.
const TIE: f64 = 1e-12;

/// A correlation with all that is needed to judge it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Correlation {
    /// Pairs.
    pub n: usize,
    /// r, with its BCa interval over pairs.
    pub pearson: Interval,
    /// Two-sided permutation p of r: the share of shuffles at least as far from 0, the data itself counted as one.
    pub pearson_p: f64,
    /// ρ, with its BCa interval over pairs.
    pub spearman: Interval,
    /// Two-sided permutation p of ρ.
    pub spearman_p: f64,
}

/// How intervals and p are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draws {
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Shuffles for p.
    pub permutations: usize,
    /// Level of the intervals.
    pub level: f64,
    /// Of both.
    pub seed: u64,
}

/// Pearson's r; none for fewer than [`LEAST_PAIRS`] pairs, where a side does not vary, and where a figure is not finite.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    assert_eq!(x.len(), y.len(), "pairs have two sides");
    let r = if x.len() < LEAST_PAIRS { f64::NAN } else { weighted(x, y, None) };
    r.is_finite().then_some(r)
}

/// Spearman's ρ: Pearson's r of the ranks, equal figures sharing the mean of theirs.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    pearson(&ranks(x), &ranks(y)).filter(|_| x.iter().chain(y).all(|figure| figure.is_finite()))
}

/// Ranks from 1, ties sharing their mean.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut rest = &order[..];
    while let Some(&first) = rest.first() {
        let tied = rest.iter().take_while(|&&other| values[other] == values[first]).count().max(1);
        let before = values.len() - rest.len();
        for &place in &rest[..tied] {
            ranks[place] = before as f64 + (tied + 1) as f64 / 2.0;
        }
        rest = &rest[tied..];
    }
    ranks
}

/// r of pairs that count `times` each, in two looks; NaN where a side does not vary.
fn weighted(x: &[f64], y: &[f64], times: Option<&[u32]>) -> f64 {
    let weight = |i: usize| times.map_or(1.0, |times| f64::from(times[i]));
    let (mut n, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        n += weight(i);
        sum_x += weight(i) * x[i];
        sum_y += weight(i) * y[i];
    }
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        let (dx, dy) = (x[i] - mean_x, y[i] - mean_y);
        xx += weight(i) * dx * dx;
        yy += weight(i) * dy * dy;
        xy += weight(i) * dx * dy;
    }
    // Equal figures leave only the rounding of their mean.
    let flat = |squares: f64, mean: f64| squares <= n * (mean * f64::EPSILON) * (mean * f64::EPSILON);
    if flat(xx, mean_x) || flat(yy, mean_y) {
        return f64::NAN;
    }
    (xy / (libm::sqrt(xx) * libm::sqrt(yy))).clamp(-1.0, 1.0)
}

/// Both coefficients with intervals and p; none where either does not exist.
pub fn correlate(x: &[f64], y: &[f64], draws: &Draws) -> Option<Correlation> {
    let (r, rho) = (pearson(x, y)?, spearman(x, y)?);
    let (rank_x, rank_y) = (ranks(x), ranks(y));
    let intervals = bca(x.len(), 2, draws.resamples, draws.level, draws.seed, |drawn, out| {
        // A resample has ranks of its own: those of the pairs as often as they were drawn.
        let again = |values: &[f64]| -> Vec<f64> {
            let each = values.iter().zip(drawn);
            each.flat_map(|(&value, &times)| std::iter::repeat_n(value, times as usize)).collect()
        };
        out[0] = weighted(x, y, Some(drawn));
        out[1] = weighted(&ranks(&again(x)), &ranks(&again(y)), None);
    });
    let mut shuffled: Vec<usize> = (0..x.len()).collect();
    let (mut rng, mut as_far) = (Rng::stream(draws.seed, PERMUTATIONS), [0usize; 2]);
    for _ in 0..draws.permutations {
        rng.shuffle(&mut shuffled);
        let of = |values: &[f64]| shuffled.iter().map(|&i| values[i]).collect::<Vec<_>>();
        as_far[0] += usize::from(weighted(x, &of(y), None).abs() >= r.abs() - TIE);
        as_far[1] += usize::from(weighted(&rank_x, &of(&rank_y), None).abs() >= rho.abs() - TIE);
    }
    let p = as_far.map(|count| (count + 1) as f64 / (draws.permutations + 1) as f64);
    // The figures as defined; the bootstrap's own look at every pair once may differ in the last bit.
    let at = |value, interval: Interval| Interval { value, ..interval };
    Some(Correlation {
        n: x.len(),
        pearson: at(r, intervals[0]),
        pearson_p: p[0],
        spearman: at(rho, intervals[1]),
        spearman_p: p[1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRAWS: Draws = Draws { resamples: 300, permutations: 500, level: 0.95, seed: 1 };

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn what_does_not_vary_has_no_correlation() {
        assert_eq!(pearson(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(pearson(&[0.1; 7], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]), None);
        assert_eq!(correlate(&[1.0; 4], &[1.0, 2.0, 3.0, 4.0], &DRAWS), None);
    }

    #[test]
    fn a_shuffle_as_far_as_the_data_counts() {
        // Of the six orders of three figures on a line two have |r| = 1.
        let x = [1.0, 2.0, 3.0];
        let p = correlate(&x, &x, &Draws { permutations: 60_000, ..DRAWS }).unwrap().pearson_p;
        assert!((p - 1.0 / 3.0).abs() < 0.01, "{p}");
    }

    proptest! {
        /// r is between −1 and 1, the same from both sides, and unmoved by rising lines; ρ by any rising function.
        #[test]
        fn coefficients_do_not_depend_on_units(
            pairs in prop::collection::vec((-5f64..5.0, -5f64..5.0), 4..20), scale in 0.1f64..10.0, shift in -9f64..9.0,
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let r = pearson(&x, &y).unwrap();
            prop_assert!((-1.0..=1.0).contains(&r));
            prop_assert!((r - pearson(&y, &x).unwrap()).abs() < 1e-12);
            let line: Vec<f64> = x.iter().map(|x| scale * x + shift).collect();
            prop_assert!((r - pearson(&line, &y).unwrap()).abs() < 1e-9);
            let cubes: Vec<f64> = x.iter().map(|x| x * x * x).collect();
            prop_assert_eq!(spearman(&x, &y), spearman(&cubes, &y));
            let all = correlate(&x, &y, &DRAWS).unwrap();
            prop_assert!(all.pearson.low <= all.pearson.high && all.pearson.low >= -1.0 && all.pearson.high <= 1.0);
            prop_assert!(all.pearson_p > 0.0 && all.pearson_p <= 1.0);
        }
    }
}
