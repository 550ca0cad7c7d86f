//! Several tests at once: p adjusted for the size of their family.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A p under each correction: reject where it is at most α.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Adjusted {
    /// m·p: the chance of any false rejection stays below α, whatever the tests have in common.
    pub bonferroni: f64,
    /// Holm's step-down: the same promise, never stricter.
    pub holm: f64,
    /// Benjamini and Hochberg's step-up: of all rejections, a share of α at most is false on average.
    pub benjamini_hochberg: f64,
}

/// Every p of a family, adjusted, in its order.
pub fn adjust(p: &[f64]) -> Vec<Adjusted> {
    let tests = p.len() as f64;
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let one = Adjusted { bonferroni: 1.0, holm: 1.0, benjamini_hochberg: 1.0 };
    let mut adjusted = vec![one; p.len()];
    let mut largest = 0.0f64;
    for (rank, &at) in order.iter().enumerate() {
        largest = largest.max((tests - rank as f64) * p[at]);
        adjusted[at].bonferroni = (tests * p[at]).min(1.0);
        adjusted[at].holm = largest.min(1.0);
    }
    let mut least = 1.0f64;
    for (rank, &at) in order.iter().enumerate().rev() {
        least = least.min(tests * p[at] / (rank + 1) as f64);
        adjusted[at].benjamini_hochberg = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Bonferroni is never the mildest, Benjamini–Hochberg never the strictest, none is below p, and all keep the order.
        #[test]
        fn corrections_keep_their_order(p in prop::collection::vec(0f64..=1.0, 1..40)) {
            let adjusted = adjust(&p);
            for (p, of) in p.iter().zip(&adjusted) {
                prop_assert!(*p <= of.benjamini_hochberg + 1e-15);
                prop_assert!(of.benjamini_hochberg <= of.holm + 1e-15 && of.holm <= of.bonferroni + 1e-15);
                prop_assert!(of.bonferroni <= 1.0);
            }
            for (a, of_a) in p.iter().zip(&adjusted) {
                for (b, of_b) in p.iter().zip(&adjusted) {
                    if a <= b {
                        prop_assert!(of_a.holm <= of_b.holm && of_a.benjamini_hochberg <= of_b.benjamini_hochberg);
                    }
                }
            }
        }

        /// Holm rejects as its procedure does: walk from the smallest p, stop at the first that fails.
        #[test]
        fn holm_walks_down(mut p in prop::collection::vec(0f64..0.2, 1..20), alpha in 0.01f64..0.2) {
            p.sort_by(f64::total_cmp);
            let tests = p.len();
            let walked = p.iter().enumerate().take_while(|(rank, p)| **p <= alpha / (tests - rank) as f64).count();
            let rejected = adjust(&p).iter().filter(|of| of.holm <= alpha * (1.0 + 1e-14)).count();
            prop_assert_eq!(walked, rejected);
        }
    }
}
