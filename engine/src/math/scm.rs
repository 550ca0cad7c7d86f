//! The structural causal model of document 000, theorem 4, simulated: A = β₁T + ε, R = β₂A + ε, D = γ/R + ε under do(T = t).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rng::Rng;

/// Its coefficients; every ε is normal with the same standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scm {
    /// T → A.
    pub beta1: f64,
    /// A → R.
    pub beta2: f64,
    /// R → D.
    pub gamma: f64,
    /// Standard deviation of each ε.
    pub noise: f64,
}

/// D under do(T = t), over many draws.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Under {
    /// t.
    pub t: f64,
    /// Median of D. A mean does not exist: R is normal and comes as near to 0 as one likes, so 1/R has none.
    pub median: f64,
    /// Quartiles of D.
    pub quartiles: (f64, f64),
    /// Share of draws in which R is not above 0.
    pub beyond: f64,
}

impl Scm {
    /// The theory's own coefficients, with a noise that leaves them visible.
    pub const SEED: Scm = Scm { beta1: 0.92, beta2: 0.85, gamma: 1.5, noise: 0.1 };

    /// The theory's closed form γ/(β₁β₂t).
    pub fn closed(&self, t: f64) -> f64 {
        self.gamma / (self.beta1 * self.beta2 * t)
    }

    /// Its derivative, −γβ₁β₂/(β₁β₂t)².
    pub fn slope(&self, t: f64) -> f64 {
        let product = self.beta1 * self.beta2;
        -self.gamma * product / (product * t * product * t)
    }

    /// D under do(T = t) for every t, each from so many draws of its own.
    pub fn intervene(&self, places: &[f64], draws: usize, seed: u64) -> Vec<Under> {
        let at = |(stream, &t): (usize, &f64)| {
            let mut rng = Rng::stream(seed, stream as u64);
            let (mut values, mut beyond) = (Vec::with_capacity(draws), 0usize);
            for _ in 0..draws {
                let a = self.beta1 * t + self.noise * rng.normal();
                let r = self.beta2 * a + self.noise * rng.normal();
                beyond += usize::from(r <= 0.0);
                values.push(self.gamma / r + self.noise * rng.normal());
            }
            values.sort_unstable_by(f64::total_cmp);
            let quantile = |share: f64| values[((draws - 1) as f64 * share) as usize];
            let quartiles = (quantile(0.25), quantile(0.75));
            Under { t, median: quantile(0.5), quartiles, beyond: beyond as f64 / draws as f64 }
        };
        places.iter().enumerate().map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_the_closed_form_holds() {
        let scm = Scm { noise: 0.0, ..Scm::SEED };
        for under in scm.intervene(&[0.5, 1.0, 2.0], 11, 1) {
            assert!((under.median - scm.closed(under.t)).abs() < 1e-12 && under.beyond == 0.0);
            let slope = (scm.closed(under.t + 1e-6) - scm.closed(under.t - 1e-6)) / 2e-6;
            assert!((slope - scm.slope(under.t)).abs() < 1e-6);
        }
    }

    #[test]
    fn the_median_falls_and_follows_the_closed_form() {
        let places: Vec<f64> = (2..=10).map(|t| f64::from(t) * 0.25).collect();
        let under = Scm::SEED.intervene(&places, 4001, 7);
        assert!(under.windows(2).all(|pair| pair[1].median < pair[0].median));
        for of in &under {
            let closed = Scm::SEED.closed(of.t);
            assert!((of.median - closed).abs() < 0.05 * closed, "{of:?} against {closed}");
            assert!(of.quartiles.0 <= of.median && of.median <= of.quartiles.1);
        }
        // The mean of the same draws is at the mercy of the least R.
        let wild = Scm { noise: 1.0, ..Scm::SEED }.intervene(&[0.5], 4001, 7)[0];
        assert!(wild.beyond > 0.2, "{wild:?}");
    }
}
