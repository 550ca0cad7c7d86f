//! A language's effective weights: w_ℓ^eff = W ⊙ a_ℓ (Theorem 2, step 1 of its proof).

use super::grouping::Layout;

/// The activation pattern a_ℓ ∈ [0, 1]^k of a matrix: how much each input channel carries, over the channel that carries
/// most. All zeros stay zeros.
pub fn pattern(magnitudes: &[f64]) -> Vec<f64> {
    let most = magnitudes.iter().copied().fold(0.0, f64::max);
    magnitudes.iter().map(|magnitude| if most > 0.0 { magnitude / most } else { 0.0 }).collect()
}

/// W ⊙ a: every weight times the share of its input channel, each product rounded once. `pattern` is (k).
pub fn effective(values: &[f32], layout: Layout, pattern: &[f64]) -> Vec<f32> {
    assert_eq!((values.len(), pattern.len()), (layout.len(), layout.k), "a ({}, {}) matrix", layout.k, layout.n);
    let times = |x: &f32, a: f64| (f64::from(*x) * a) as f32;
    if layout.transposed {
        values
            .chunks_exact(layout.k.max(1))
            .flat_map(|row| row.iter().zip(pattern).map(|(x, a)| times(x, *a)))
            .collect()
    } else {
        let rows = values.chunks_exact(layout.n.max(1)).zip(pattern);
        rows.flat_map(|(row, a)| row.iter().map(move |x| times(x, *a))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Each weight meets the share of its own input channel, however the matrix lies.
        #[test]
        fn every_weight_meets_its_channel(k in 1usize..9, n in 1usize..9, transposed: bool, seed: u64) {
            let mut rng = super::super::rng::Rng::new(seed);
            let layout = Layout { k, n, transposed };
            let values: Vec<f32> = (0..k * n).map(|_| rng.normal() as f32).collect();
            let a = pattern(&(0..k).map(|_| rng.uniform() * 7.0).collect::<Vec<_>>());
            prop_assert_eq!(a.iter().copied().fold(0.0, f64::max), 1.0);
            let out = effective(&values, layout, &a);
            for (kk, share) in a.iter().enumerate() {
                for nn in 0..n {
                    let place = layout.place(kk, nn);
                    prop_assert_eq!(out[place], (f64::from(values[place]) * share) as f32);
                }
            }
        }
    }

    #[test]
    fn silence_is_no_pattern() {
        assert_eq!(pattern(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(pattern(&[1.0, 4.0]), [0.25, 1.0]);
    }
}
