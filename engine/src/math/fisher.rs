//! Fisher's F and its noncentral kin: how far apart groups lie, beside what lies within them.

use super::student::incomplete_beta;

/// What is left out of Poisson's sum at either end, in standard deviations of the mixture and a few terms more.
const REACH: (f64, f64) = (12.0, 40.0);
/// Halvings that find a noncentrality to the last digits.
const HALVINGS: usize = 200;

/// P(F > f) of `between` and `within` degrees of freedom.
pub fn above(f: f64, between: f64, within: f64) -> f64 {
    incomplete_beta(0.5 * within, 0.5 * between, within / (within + between * f.max(0.0)))
}

/// P(F ≤ f) where the groups differ: noncentrality λ is Σ n·(μ − μ̄)²/σ². A mixture of central ones by Poisson's weights.
pub fn noncentral_cdf(f: f64, between: f64, within: f64, lambda: f64) -> f64 {
    let x = between * f / (between * f + within);
    let half = 0.5 * lambda;
    let reach = REACH.0 * libm::sqrt(half) + REACH.1;
    let (first, last) = ((half - reach).max(0.0) as u64, (half + reach) as u64);
    let weight = |j: f64| match half > 0.0 {
        true => libm::exp(j * libm::log(half) - half - libm::lgamma(j + 1.0)),
        false => f64::from(u8::from(j == 0.0)),
    };
    // I_x(a, b) = I_x(a + 1, b) + x^a(1 − x)^b/(a·B(a, b)): from the last down all is added, and nothing is lost.
    let (mut a, b) = (0.5 * between + last as f64, 0.5 * within);
    let mut own = incomplete_beta(a, b, x);
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    // As a logarithm: at the last it may be below what a float holds.
    let mut log_step = a * libm::log(x) + b * libm::log1p(-x) - log_beta - libm::log(a);
    let mut sum = 0.0;
    for j in (first..=last).rev() {
        sum += weight(j as f64) * own;
        log_step += libm::log(a / (x * (a - 1.0 + b)));
        a -= 1.0;
        own += libm::exp(log_step);
    }
    sum
}

/// The noncentrality under which P(F ≤ f) = p; 0 where even equal groups lie so far apart less often.
pub fn noncentrality(f: f64, between: f64, within: f64, p: f64) -> f64 {
    let cdf = |lambda: f64| noncentral_cdf(f, between, within, lambda);
    if !f.is_finite() || cdf(0.0) <= p {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, between.max(1.0) * f.max(1.0));
    while cdf(high) > p {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        // It falls as λ rises.
        if cdf(middle) > p {
            low = middle
        } else {
            high = middle
        }
        if high - low <= 1e-13 * high {
            break;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::student::{noncentral_cdf as t_cdf, two_sided};
    use proptest::prelude::*;

    proptest! {
        /// Of two groups F is the square of t, noncentral ones too; and a noncentrality gives its p back.
        #[test]
        fn f_of_two_groups_is_t_squared(t in 0.05f64..6.0, df in 2u32..60, delta in 0f64..6.0, p in 0.02f64..0.98) {
            let df = f64::from(df);
            prop_assert!((above(t * t, 1.0, df) - two_sided(t, df)).abs() < 1e-12);
            let within = t_cdf(t, df, delta) - t_cdf(-t, df, delta);
            prop_assert!((noncentral_cdf(t * t, 1.0, df, delta * delta) - within).abs() < 1e-9);
            let lambda = noncentrality(t * t, 4.0, df, p);
            let again = noncentral_cdf(t * t, 4.0, df, lambda);
            prop_assert!((again - p).abs() < 1e-9 || (lambda == 0.0 && again <= p), "{again} for {p}");
        }
    }
}
