//! Moments in f64 that merge: n, mean, σ, excess kurtosis, shares in the tails.
//!
//! Blocks of a slice are measured around their own mean and then merged (Pébay 2008, equations 2.1 and 3.1), so neither a
//! large mean nor many values cost precision. Shares beyond kσ need σ first and are counted in a second pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tensor's distribution in a few figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Values.
    pub n: u64,
    /// Mean.
    pub mean: f64,
    /// Population standard deviation.
    pub sigma: f64,
    /// Excess kurtosis κ (Gaussian: 0); 0 where σ is 0.
    pub kurtosis: f64,
    /// Largest magnitude.
    pub absmax: f64,
    /// Share of values further than 3σ from the mean.
    pub beyond_3: f64,
    /// Share further than 6σ.
    pub beyond_6: f64,
}

/// Values that are measured together: few enough to stay in the first-level cache for the second look.
const BLOCK: usize = 4096;
/// Sums kept side by side, so that additions do not wait for each other; their order is fixed.
const LANES: usize = 4;

/// Moments that merge. `m2`, `m3`, `m4` are sums of powers of (x − mean).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Values.
    pub n: u64,
    /// Mean.
    pub mean: f64,
    /// Σ (x − mean)².
    pub m2: f64,
    /// Σ (x − mean)³.
    pub m3: f64,
    /// Σ (x − mean)⁴.
    pub m4: f64,
    /// Largest magnitude.
    pub absmax: f64,
}

impl Moments {
    /// Of a slice.
    pub fn of(values: &[f32]) -> Moments {
        values.chunks(BLOCK).fold(Moments::default(), |all, block| all.merge(&Moments::block(block)))
    }

    /// Of one block, in two looks: the mean, then powers of the distance from it.
    fn block(values: &[f32]) -> Moments {
        let n = values.len() as f64;
        let mean = lanes(values, |sums: &mut [f64; 1], x| sums[0] += x)[0] / n;
        let [m1, m2, m3, m4] = lanes(values, |sums: &mut [f64; 4], x| {
            let d = x - mean;
            let square = d * d;
            sums[0] += d;
            sums[1] += square;
            sums[2] += square * d;
            sums[3] += square * square;
        });
        let absmax = values.iter().fold(0f32, |most, x| most.max(x.abs())) as f64;
        // The mean was rounded; m1 is what it missed, and shifting by it removes the error.
        let miss = m1 / n;
        Moments {
            n: values.len() as u64,
            mean: mean + miss,
            m2: m2 - n * miss * miss,
            m3: m3 - 3.0 * miss * m2,
            m4: m4 - 4.0 * miss * m3,
            absmax,
        }
    }

    /// Of both sets together.
    pub fn merge(&self, other: &Moments) -> Moments {
        if self.n == 0 {
            return *other;
        }
        if other.n == 0 {
            return *self;
        }
        let (a, b) = (self.n as f64, other.n as f64);
        let n = a + b;
        let delta = other.mean - self.mean;
        let part = delta / n;
        let square = delta * part;
        Moments {
            n: self.n + other.n,
            mean: self.mean + b * part,
            m2: self.m2 + other.m2 + square * a * b,
            m3: self.m3 + other.m3 + square * part * a * b * (a - b) + 3.0 * part * (a * other.m2 - b * self.m2),
            m4: self.m4
                + other.m4
                + square * part * part * a * b * (a * a - a * b + b * b)
                + 6.0 * part * part * (a * a * other.m2 + b * b * self.m2)
                + 4.0 * part * (a * other.m3 - b * self.m3),
            absmax: self.absmax.max(other.absmax),
        }
    }

    /// Population variance; 0 for no values and where all values are equal.
    pub fn variance(&self) -> f64 {
        if self.is_flat() { 0.0 } else { self.m2 / self.n as f64 }
    }

    /// Whether all values are equal. Two different f32 values are at least 2^−24 of their magnitude apart, so a relative
    /// spread under 2^−45 (which fewer than 2^40 values cannot have) is what rounding left of none.
    fn is_flat(&self) -> bool {
        let least = self.absmax * (1.0 / (1u64 << 45) as f64);
        self.m2 <= self.n as f64 * least * least
    }

    /// Population standard deviation.
    pub fn sigma(&self) -> f64 {
        libm::sqrt(self.variance())
    }

    /// Excess kurtosis κ = n·M4/M2² − 3; 0 where σ is 0.
    pub fn kurtosis(&self) -> f64 {
        if self.is_flat() { 0.0 } else { self.n as f64 * self.m4 / (self.m2 * self.m2) - 3.0 }
    }
}

/// Sums over a slice in [`LANES`] lanes, joined in a fixed order: ((0 + 1) + (2 + 3)) + rest.
#[inline(always)]
fn lanes<const S: usize>(values: &[f32], add: impl Fn(&mut [f64; S], f64)) -> [f64; S] {
    let mut sums = [[0.0; S]; LANES];
    let chunks = values.chunks_exact(LANES);
    let mut rest = [0.0; S];
    for &x in chunks.remainder() {
        add(&mut rest, x as f64);
    }
    for chunk in chunks {
        for (sums, &x) in sums.iter_mut().zip(chunk) {
            add(sums, x as f64);
        }
    }
    std::array::from_fn(|s| ((sums[0][s] + sums[1][s]) + (sums[2][s] + sums[3][s])) + rest[s])
}

impl Summary {
    /// Of a slice.
    pub fn of(values: &[f32]) -> Summary {
        Summary::of_parts(&[values])
    }

    /// Of several slices as if they were one: a pass for the moments, which merge, and one for the tails.
    pub fn of_parts(parts: &[&[f32]]) -> Summary {
        let moments = parts.iter().fold(Moments::default(), |all, part| all.merge(&Moments::of(part)));
        Summary::with_tails(&moments, parts)
    }

    /// Of slices whose merged moments are known already.
    pub fn with_tails(moments: &Moments, parts: &[&[f32]]) -> Summary {
        let (mean, sigma) = (moments.mean, moments.sigma());
        let (mut beyond_3, mut beyond_6) = (0u64, 0u64);
        if sigma > 0.0 {
            let (limit_3, limit_6) = (3.0 * sigma, 6.0 * sigma);
            for block in parts.iter().flat_map(|part| part.chunks(BLOCK)) {
                // 32-bit counts of a block vectorise beside the floats.
                let (mut three, mut six) = (0u32, 0u32);
                for &x in block {
                    let distance = (x as f64 - mean).abs();
                    three += u32::from(distance > limit_3);
                    six += u32::from(distance > limit_6);
                }
                beyond_3 += u64::from(three);
                beyond_6 += u64::from(six);
            }
        }
        let n = moments.n.max(1) as f64;
        Summary {
            n: moments.n,
            mean,
            sigma,
            kurtosis: moments.kurtosis(),
            absmax: moments.absmax,
            beyond_3: beyond_3 as f64 / n,
            beyond_6: beyond_6 as f64 / n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::Rng;
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64, scale: f64) -> bool {
        (a - b).abs() <= 1e-12 * scale
    }

    fn cubes(seed: u64, n: usize) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        (0..n)
            .map(|_| {
                let x = rng.normal();
                (x * x * x + 0.3) as f32
            })
            .collect()
    }

    proptest! {
        /// Any split merges to the whole, to 1e-12 of each moment's own scale.
        #[test]
        fn parts_merge_to_the_whole(seed: u64, n in 1usize..9000, cuts in prop::collection::vec(0.0f64..1.0, 0..6)) {
            let values = cubes(seed, n);
            let mut cuts: Vec<usize> = cuts.iter().map(|c| (c * n as f64) as usize).chain([0, n]).collect();
            cuts.sort_unstable();
            let parts: Vec<&[f32]> = cuts.windows(2).map(|w| &values[w[0]..w[1]]).collect();
            let whole = Moments::of(&values);
            let merged = parts.iter().rev().fold(Moments::default(), |all, part| Moments::of(part).merge(&all));
            let sigma = whole.sigma();
            prop_assert_eq!(merged.n, whole.n);
            prop_assert_eq!(merged.absmax, whole.absmax);
            prop_assert!(close(merged.mean, whole.mean, sigma + whole.mean.abs()));
            prop_assert!(close(merged.m2, whole.m2, whole.m2));
            // The third moment may cancel to nothing: its scale is √(M2·M4).
            prop_assert!(close(merged.m3, whole.m3, (whole.m2 * whole.m4).sqrt()));
            prop_assert!(close(merged.m4, whole.m4, whole.m4));
            let (a, b) = (Summary::of(&values), Summary::of_parts(&parts));
            prop_assert!(close(a.kurtosis, b.kurtosis, a.kurtosis.abs() + 3.0));
            prop_assert_eq!((a.beyond_3, a.beyond_6), (b.beyond_3, b.beyond_6));
        }

        /// κ does not see scale (a power of two: to the last bits) nor shift (to what f32 values can carry).
        #[test]
        fn kurtosis_ignores_scale_and_shift(seed: u64, power in -20i32..20, shift in -8f32..8.0) {
            let values = cubes(seed, 2000);
            let kurtosis = Moments::of(&values).kurtosis();
            let factor = libm::ldexpf(1.0, power);
            let scaled: Vec<f32> = values.iter().map(|x| x * factor).collect();
            prop_assert!(close(Moments::of(&scaled).kurtosis(), kurtosis, kurtosis.abs() + 3.0));
            // Adding in f32 rounds each value by up to 1e-6 or so: κ moves by about as much, relatively.
            let shifted: Vec<f32> = values.iter().map(|x| x + shift).collect();
            prop_assert!((Moments::of(&shifted).kurtosis() - kurtosis).abs() < 1e-4 * (kurtosis.abs() + 3.0));
        }

        #[test]
        fn a_constant_has_no_spread(x in -1e30f32..1e30, n in 1usize..10_000) {
            let summary = Summary::of(&vec![x; n]);
            prop_assert_eq!((summary.sigma, summary.kurtosis), (0.0, 0.0));
            prop_assert_eq!((summary.beyond_3, summary.beyond_6), (0.0, 0.0));
            prop_assert!((summary.mean - x as f64).abs() <= 1e-15 * x.abs() as f64);
        }
    }

    #[test]
    fn no_values_give_zeros() {
        let none = Summary::of(&[]);
        assert_eq!((none.n, none.mean, none.sigma, none.kurtosis, none.beyond_3), (0, 0.0, 0.0, 0.0, 0.0));
    }
}
