//! Whether several figures lie further apart than equal ones would: the bootstrap of a largest − smallest under the hypothesis
//! that there is no difference.
//!
//! A largest − smallest is never below 0, so no interval of it holds 0. What can be asked instead is how far apart figures that
//! are equal would lie by noise alone. Each resample is moved so that all figures are equal in it but for its noise (Hall & Wilson
//! 1991, first guideline), and the share of resamples that then span as much as the figures themselves is p.

use super::metrics::disparity;

/// Counts resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct Equality {
    figures: Vec<f64>,
    span: f64,
    as_far: usize,
    of: usize,
}

impl Equality {
    /// Of figures; none for fewer than two.
    pub fn new(figures: &[f64]) -> Option<Equality> {
        Some(Equality { figures: figures.to_vec(), span: disparity(figures)?, as_far: 0, of: 0 })
    }

    /// The same figures in a resample.
    pub fn see(&mut self, drawn: &[f64]) {
        assert_eq!(drawn.len(), self.figures.len(), "a resample has the same figures");
        let noise: Vec<f64> = drawn.iter().zip(&self.figures).map(|(drawn, figure)| drawn - figure).collect();
        let span = disparity(&noise).unwrap_or(f64::NAN);
        // What is no number speaks for nothing: it counts as noise that reaches as far.
        self.as_far += usize::from(span.is_nan() || span >= self.span);
        self.of += 1;
    }

    /// The share of resamples at least as far apart, the data itself counted as one; none where nothing was resampled.
    pub fn p(&self) -> Option<f64> {
        (self.of > 0).then(|| (self.as_far + 1) as f64 / (self.of + 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{rng::Rng, statistics::each_draw};
    use proptest::prelude::*;

    /// p of the means of five columns over `rows`, each of which is a unit.
    fn p_of(rows: &[[f64; 5]]) -> f64 {
        let (mut equality, mut draw) = (None, 0);
        each_draw(rows.len(), 400, 3, |drawn| {
            let mean = |at: usize| {
                drawn.iter().zip(rows).map(|(&times, row)| f64::from(times) * row[at]).sum::<f64>()
                    / f64::from(drawn.iter().sum::<u32>())
            };
            let means: [f64; 5] = std::array::from_fn(mean);
            if draw == 0 {
                equality = Equality::new(&means);
            } else if draw > rows.len() {
                equality.as_mut().unwrap().see(&means);
            }
            draw += 1;
        });
        equality.unwrap().p().unwrap()
    }

    #[test]
    fn equal_figures_are_seldom_told_apart_and_different_ones_are() {
        let (mut rng, rounds) = (Rng::new(8), 200);
        let mut told_apart = |gap: f64| {
            let mut below = 0;
            for _ in 0..rounds {
                // Noise that all columns share, as hard texts are hard in every language, moves no difference.
                let row = |_| {
                    let shared = 3.0 * rng.normal();
                    std::array::from_fn(|at| shared + rng.normal() + if at == 0 { gap } else { 0.0 })
                };
                let rows: Vec<[f64; 5]> = (0..16).map(row).collect();
                below += usize::from(p_of(&rows) <= 0.05);
            }
            below
        };
        let (equal, apart) = (told_apart(0.0), told_apart(2.0));
        // 5 in 100 at best; resampling 16 units understates their spread a little.
        assert!((2..=28).contains(&equal), "{equal} of {rounds} equal ones");
        assert!(apart > rounds * 95 / 100, "{apart} of {rounds} different ones");
    }

    #[test]
    fn what_was_not_resampled_has_no_p() {
        assert_eq!(Equality::new(&[0.3]), None);
        assert_eq!(Equality::new(&[0.3, 0.4]).unwrap().p(), None);
    }

    proptest! {
        /// p lies above 0 and at 1 at most, is 1 for figures that are the same, and what is added to all figures alike changes
        /// nothing.
        #[test]
        fn p_is_a_share(figures in prop::collection::vec(-4i32..4, 2..6), seed: u64, shift in -8i32..8) {
            let figures: Vec<f64> = figures.into_iter().map(f64::from).collect();
            let moved: Vec<f64> = figures.iter().map(|figure| figure + f64::from(shift)).collect();
            let mut rng = Rng::new(seed);
            let (mut plain, mut shifted) = (Equality::new(&figures).unwrap(), Equality::new(&moved).unwrap());
            let mut same = Equality::new(&vec![1.0; figures.len()]).unwrap();
            for _ in 0..50 {
                let noise: Vec<f64> = figures.iter().map(|_| f64::from(rng.below(9)) - 4.0).collect();
                let add = |to: &[f64]| to.iter().zip(&noise).map(|(a, b)| a + b).collect::<Vec<_>>();
                plain.see(&add(&figures));
                shifted.see(&add(&moved));
                same.see(&noise);
            }
            prop_assert_eq!(plain.p(), shifted.p());
            prop_assert!(plain.p().unwrap() > 0.0 && plain.p().unwrap() <= 1.0);
            prop_assert_eq!(same.p(), Some(1.0));
        }
    }
}
