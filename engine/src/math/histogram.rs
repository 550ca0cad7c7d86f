//! How many values fall into each of equal cells around the mean, out to the last value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::moments::Moments;
use super::normal;

/// A cell is this many σ wide where the values' reach allows: 24 cells hold all but 0.3% of a Gaussian.
const WIDTH: f64 = 0.25;
/// No more cells than this on each side: beyond 15σ cells become wider, so that the last value is still inside.
const MOST_PER_SIDE: usize = 60;

/// Counts of cells of `width` σ, as many left of the mean as right of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// Width of a cell in σ.
    pub width: f64,
    /// From the leftmost; the mean lies between the two cells in the middle.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Of slices whose merged moments are known. No cells where there is no spread.
    pub fn of(moments: &Moments, parts: &[&[f32]]) -> Histogram {
        let (mean, sigma) = (moments.mean, moments.sigma());
        if sigma <= 0.0 {
            return Histogram { width: WIDTH, counts: Vec::new() };
        }
        let values = || parts.iter().flat_map(|part| part.iter()).map(|&x| (f64::from(x) - mean) / sigma);
        let reach = values().fold(0.0, |most: f64, z| most.max(z.abs()));
        let width = WIDTH.max(reach / MOST_PER_SIDE as f64);
        let side = (libm::ceil(reach / width) as usize).clamp(1, MOST_PER_SIDE);
        let mut counts = vec![0; 2 * side];
        for z in values() {
            let cell = libm::floor(z / width) + side as f64;
            counts[(cell.max(0.0) as usize).min(2 * side - 1)] += 1;
        }
        Histogram { width, counts }
    }

    /// Left and right edge of a cell, in σ from the mean.
    pub fn edges(&self, cell: usize) -> (f64, f64) {
        let side = (self.counts.len() / 2) as f64;
        ((cell as f64 - side) * self.width, (cell as f64 + 1.0 - side) * self.width)
    }

    /// Share of a Gaussian of the same mean and σ that lies in a cell. Both ends on one side, by the tail, which keeps its
    /// digits far out.
    pub fn gaussian(&self, cell: usize) -> f64 {
        let (near, far) = self.distances(cell);
        normal::tail(near) - normal::tail(far)
    }

    /// The same of a Laplace distribution of the same mean and σ, b = σ/√2: the tail is e^(−√2·z)/2.
    pub fn laplace(&self, cell: usize) -> f64 {
        let (near, far) = self.distances(cell);
        let tail = |z: f64| 0.5 * libm::exp(-std::f64::consts::SQRT_2 * z);
        tail(near) - tail(far)
    }

    /// Distance of a cell's near and far edge from the mean.
    fn distances(&self, cell: usize) -> (f64, f64) {
        let (left, right) = self.edges(cell);
        if left < 0.0 { (-right, -left) } else { (left, right) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every value is in one cell, in the cell that its distance names, and a power of two as scale changes nothing.
        #[test]
        fn cells_hold_every_value_once(seed: u64, n in 2usize..3000, power in -12i32..12, far in 1f32..400.0) {
            let mut rng = Rng::new(seed);
            let mut values: Vec<f32> = (0..n).map(|_| rng.normal() as f32).collect();
            values[0] = far;
            let moments = Moments::of(&values);
            let histogram = Histogram::of(&moments, &[&values]);
            prop_assert_eq!(histogram.counts.iter().sum::<u64>(), n as u64);
            let (left, right) = (histogram.edges(0).0, histogram.edges(histogram.counts.len() - 1).1);
            prop_assert!((left + right).abs() < 1e-9 && histogram.counts.len() <= 2 * MOST_PER_SIDE);
            let (mean, sigma) = (moments.mean, moments.sigma());
            for cell in 0..histogram.counts.len() {
                let (from, to) = histogram.edges(cell);
                let inside = |x: f32, slack: f64| {
                    let z = (f64::from(x) - mean) / sigma;
                    from - slack <= z && z < to + slack
                };
                let at_least = values.iter().filter(|&&x| inside(x, -1e-9)).count() as u64;
                let at_most = values.iter().filter(|&&x| inside(x, 1e-9)).count() as u64;
                prop_assert!((at_least..=at_most).contains(&histogram.counts[cell]), "cell {}", cell);
            }
            let scaled: Vec<f32> = values.iter().map(|x| libm::ldexpf(*x, power)).collect();
            let split = scaled.split_at(n / 2);
            let again = Histogram::of(&Moments::of(&scaled), &[split.0, split.1]);
            prop_assert_eq!(again.counts.len(), histogram.counts.len());
        }
    }

    #[test]
    fn the_fitted_curves_are_distributions() {
        let histogram = Histogram { width: 0.5, counts: vec![0; 80] };
        let whole = |share: fn(&Histogram, usize) -> f64| (0..80).map(|cell| share(&histogram, cell)).sum::<f64>();
        assert!((whole(Histogram::gaussian) - 1.0).abs() < 1e-12);
        assert!((whole(Histogram::laplace) - 1.0).abs() < 1e-11);
        // Φ(0.5) − Φ(0), and the Laplace cell beside the mean.
        assert!((histogram.gaussian(40) - 0.191_462_461_274_013_1).abs() < 1e-12);
        assert!((histogram.laplace(39) - 0.5 * (1.0 - libm::exp(-0.5 * 2f64.sqrt()))).abs() < 1e-15);
    }

    #[test]
    fn no_spread_has_no_cells() {
        assert!(Histogram::of(&Moments::of(&[2.0; 9]), &[&[2.0; 9]]).counts.is_empty());
    }
}
