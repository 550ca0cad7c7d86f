//! Student's t and its noncentral kin, through `libm` and quadrature.

use super::{normal, quadrature::integrate};

/// Terms of the continued fraction; it has converged after some √df.
const MOST_TERMS: usize = 10_000;
/// Below this a denominator is taken for 0 and set aside (Lentz).
const TINY: f64 = 1e-300;
/// Panels of the noncentral integral.
const PANELS: usize = 64;
/// −2 ln of what is left out at the ends of the integral.
const LEFT_OUT: f64 = 90.0;
/// Halvings that find a noncentrality to the last digits.
const HALVINGS: usize = 200;

/// I_x(a, b), the regularized incomplete beta function, by its continued fraction.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x >= 1.0 { 1.0 } else { 0.0 };
    }
    // The fraction converges fast on this side only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    let sound = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / sound(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for term in 1..MOST_TERMS {
        let m = term as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for step in [even, odd] {
            d = 1.0 / sound(1.0 + step * d);
            c = sound(1.0 + step / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= f64::EPSILON * fraction.abs() {
            break;
        }
    }
    libm::exp(log_front) * fraction / a
}

/// Two-sided p of t with `df` degrees of freedom.
pub fn two_sided(t: f64, df: f64) -> f64 {
    incomplete_beta(0.5 * df, 0.5, df / (df + t * t))
}

/// Where P(T ≤ t) = p, for p from a half up.
pub fn quantile(p: f64, df: f64) -> f64 {
    let above = |t: f64| 0.5 * two_sided(t, df);
    let (mut low, mut high) = (0.0, 1.0);
    while above(high) > 1.0 - p {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if above(middle) > 1.0 - p {
            low = middle
        } else {
            high = middle
        }
        if high - low <= 2.0 * f64::EPSILON * high {
            break;
        }
    }
    0.5 * (low + high)
}

/// P(T ≤ t) of the noncentral t of whole `df`: Φ(t·s − δ) over s = √(χ²/df).
pub fn noncentral_cdf(t: f64, df: f64, delta: f64) -> f64 {
    let reach = libm::sqrt(LEFT_OUT / df);
    let log_constant = std::f64::consts::LN_2 + 0.5 * df * libm::log(0.5 * df) - libm::lgamma(0.5 * df);
    integrate((1.0 - reach).max(0.0), 1.0 + reach, PANELS, |s| {
        let log_density = log_constant + (df - 1.0) * libm::log(s) - 0.5 * df * s * s;
        libm::exp(log_density) * normal::cdf(t * s - delta)
    })
}

/// The noncentrality under which P(T ≤ t) = p.
pub fn noncentrality(t: f64, df: f64, p: f64) -> f64 {
    // T lies around δ, with a spread that grows with t where df is small.
    let reach = 10.0 + 10.0 * t.abs() / libm::sqrt(df).min(1.0);
    let (mut low, mut high) = (t - reach, t + reach);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        // It falls as δ rises.
        if noncentral_cdf(t, df, middle) > p {
            low = middle
        } else {
            high = middle
        }
        if high - low <= 2.0 * f64::EPSILON * high.abs().max(low.abs()) {
            break;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        // I_x(1, 1) = x, and t of one degree is Cauchy's.
        assert!((incomplete_beta(1.0, 1.0, 0.3) - 0.3).abs() < 1e-15);
        assert!((two_sided(1.0, 1.0) - 0.5).abs() < 1e-14);
        assert_eq!((incomplete_beta(2.0, 3.0, 0.0), incomplete_beta(2.0, 3.0, 1.0)), (0.0, 1.0));
    }

    proptest! {
        /// Both sides of the beta add up to one; a noncentral t without its δ is Student's.
        #[test]
        fn the_kin_agree(a in 0.5f64..40.0, b in 0.5f64..40.0, x in 0.01f64..0.99, t in -4f64..4.0, df in 2u32..60) {
            let df = f64::from(df);
            let sum = incomplete_beta(a, b, x) + incomplete_beta(b, a, 1.0 - x);
            prop_assert!((sum - 1.0).abs() < 1e-12);
            let half = 0.5 * two_sided(t, df);
            let below = if t < 0.0 { half } else { 1.0 - half };
            prop_assert!((noncentral_cdf(t, df, 0.0) - below).abs() < 1e-10);
        }

        /// A noncentrality gives its p back.
        #[test]
        fn noncentrality_is_undone(t in -6f64..6.0, df in 3u32..60, p in 0.02f64..0.98) {
            let df = f64::from(df);
            prop_assert!((noncentral_cdf(t, df, noncentrality(t, df, p)) - p).abs() < 1e-9);
        }
    }
}
