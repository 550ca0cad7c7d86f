//! Power of a test of r, exactly: the distribution of r under bivariate normality (Hotelling 1953, equation 25), integrated.

use super::{normal, quadrature::integrate, student};

/// Fewest pairs for which r has a test.
pub const LEAST_PAIRS: usize = 4;
/// No study has more; the search for n ends here.
pub const MOST_PAIRS: usize = 100_000;
/// Panels of the integral.
const PANELS: usize = 48;
/// Terms of the hypergeometric series, of which a few dozen count.
const MOST_TERMS: usize = 20_000;
/// How far from the middle the integral goes: so many standard deviations, and so many times the rate at which few pairs fall.
const REACH: (f64, f64) = (12.0, 40.0);
/// Halvings of the search for the critical r.
const HALVINGS: usize = 200;

/// P(r > `from`) over `pairs` pairs whose true correlation is `rho`.
///
/// r is tanh z; over z the density is smooth and falls exponentially at both ends.
pub fn above(rho: f64, pairs: usize, from: f64) -> f64 {
    let n = pairs as f64;
    let log_constant = libm::log(n - 2.0) + libm::lgamma(n - 1.0) - libm::lgamma(n - 0.5)
        + 0.5 * (n - 1.0) * libm::log1p(-rho * rho)
        - 0.5 * libm::log(std::f64::consts::TAU);
    let (middle, reach) = (libm::atanh(rho), REACH.0 / libm::sqrt(n - 2.0) + REACH.1 / (n - 2.0));
    let start = libm::atanh(from).max(middle - reach);
    integrate(start, (middle + reach).max(start), PANELS, |z| {
        let r = libm::tanh(z);
        // ln(1 − r²) = −2 ln cosh z.
        let log_cosh = z.abs() + libm::log1p(libm::exp(-2.0 * z.abs())) - std::f64::consts::LN_2;
        let log_density = log_constant - (n - 2.0) * log_cosh - (n - 1.5) * libm::log1p(-rho * r);
        libm::exp(log_density) * hypergeometric(n - 0.5, 0.5 * (1.0 + rho * r))
    })
}

/// ₂F₁(½, ½; c; x) for 0 ≤ x < 1.
fn hypergeometric(c: f64, x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 0..MOST_TERMS {
        let k = k as f64;
        term *= (k + 0.5) * (k + 0.5) * x / ((c + k) * (k + 1.0));
        sum += term;
        if term <= 1e-17 * sum {
            break;
        }
    }
    sum
}

/// The |r| that a two-sided test at `alpha` must pass: t of n − 2 degrees of freedom, as r.
pub fn critical(pairs: usize, alpha: f64) -> f64 {
    let df = pairs as f64 - 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let r = 0.5 * (low + high);
        let t = r * libm::sqrt(df / (1.0 - r * r));
        if student::two_sided(t, df) > alpha {
            low = r
        } else {
            high = r
        }
        if high - low <= f64::EPSILON * high {
            break;
        }
    }
    0.5 * (low + high)
}

/// Power of the two-sided test of r at `alpha`, where the true correlation is `rho`.
pub fn power(rho: f64, pairs: usize, alpha: f64) -> f64 {
    let critical = critical(pairs, alpha);
    (above(rho, pairs, critical) + above(-rho, pairs, critical)).clamp(0.0, 1.0)
}

/// The same by Fisher's z, as most tables have it: z is taken for normal with variance 1/(n − 3).
pub fn fisher_power(rho: f64, pairs: usize, alpha: f64) -> f64 {
    let shift = libm::atanh(rho.abs()) * libm::sqrt(pairs as f64 - 3.0);
    let line = normal::quantile(1.0 - 0.5 * alpha);
    normal::tail(line - shift) + normal::tail(line + shift)
}

/// The fewest pairs whose power is at least `wanted`; none up to [`MOST_PAIRS`].
pub fn pairs_needed(rho: f64, alpha: f64, wanted: f64) -> Option<usize> {
    let enough = |pairs: usize| power(rho, pairs, alpha) >= wanted;
    let mut high = LEAST_PAIRS;
    while !enough(high) {
        if high == MOST_PAIRS {
            return None;
        }
        high = (2 * high).min(MOST_PAIRS);
    }
    let mut low = (high / 2).max(LEAST_PAIRS);
    // Power rises with n.
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        /// Without a correlation power is α; it rises with n and with ρ, and the sign of ρ does not matter.
        #[test]
        fn power_is_a_power(rho in 0.02f64..0.95, pairs in 4usize..200, alpha in 0.001f64..0.2) {
            prop_assert!((power(0.0, pairs, alpha) - alpha).abs() < 1e-9);
            let own = power(rho, pairs, alpha);
            prop_assert!(own > alpha && own <= 1.0);
            prop_assert!((own - power(-rho, pairs, alpha)).abs() < 1e-9);
            prop_assert!(power(rho, pairs + 1, alpha) >= own - 1e-12);
            prop_assert!(power(rho + 0.02, pairs, alpha) >= own - 1e-12);
        }

        /// What lies above −1 is everything.
        #[test]
        fn the_density_is_one(rho in -0.95f64..0.95, pairs in 3usize..3000) {
            let whole = above(rho, pairs, -1.0);
            prop_assert!((whole - 1.0).abs() < 1e-9, "{}", whole);
        }
    }

    #[test]
    fn the_fewest_pairs_are_the_fewest() {
        for (rho, wanted) in [(0.7, 0.8), (0.3, 0.9), (0.1, 0.8), (0.95, 0.5)] {
            let pairs = pairs_needed(rho, 0.05, wanted).unwrap();
            assert!(power(rho, pairs, 0.05) >= wanted);
            assert!(pairs == LEAST_PAIRS || power(rho, pairs - 1, 0.05) < wanted, "{rho}: {pairs}");
        }
        assert_eq!(pairs_needed(0.001, 0.05, 0.99), None);
        assert_eq!(pairs_needed(0.0, 0.05, 0.5), None);
    }
}
