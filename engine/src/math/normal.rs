//! The normal distribution, through `libm`.

/// Density φ(x).
pub fn density(x: f64) -> f64 {
    const INV_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
    INV_SQRT_TAU * libm::exp(-0.5 * x * x)
}

/// Φ(x), the share below x, with full relative precision in the lower tail.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// 1 − Φ(x), with full relative precision in the upper tail.
pub fn tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Φ⁻¹(p): Wichura's algorithm AS 241 (PPND16, 1988), good to about 1e-16 relative. −∞ at 0, ∞ at 1, NaN outside.
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(r, &CENTRE.0, &CENTRE.1);
    }
    let nearer = if q < 0.0 { p } else { 1.0 - p };
    if nearer <= 0.0 || nearer.is_nan() {
        return if nearer == 0.0 { f64::INFINITY.copysign(q) } else { f64::NAN };
    }
    let r = libm::sqrt(-libm::log(nearer));
    let magnitude = if r <= 5.0 { ratio(r - 1.6, &NEAR.0, &NEAR.1) } else { ratio(r - 5.0, &FAR.0, &FAR.1) };
    magnitude.copysign(q)
}

/// Two polynomials of degree 7, highest power last, by Horner.
fn ratio(r: f64, above: &[f64; 8], below: &[f64; 8]) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
    horner(above) / horner(below)
}

/// |p − ½| ≤ 0.425.
#[allow(clippy::excessive_precision, reason = "digits as published")]
const CENTRE: ([f64; 8], [f64; 8]) = (
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
);

/// √(−ln p) ≤ 5.
#[allow(clippy::excessive_precision, reason = "digits as published")]
const NEAR: ([f64; 8], [f64; 8]) = (
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
);

/// Further out.
#[allow(clippy::excessive_precision, reason = "digits as published")]
const FAR: ([f64; 8], [f64; 8]) = (
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_are_infinite_and_outside_is_nan() {
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
        assert_eq!(quantile(0.5), 0.0);
        assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan() && quantile(f64::NAN).is_nan());
    }

    proptest! {
        #[test]
        fn the_quantile_undoes_the_cdf(x in -8.0f64..5.0) {
            // Above 5, 1 − Φ is lost in Φ's last bits.
            let back = quantile(cdf(x));
            prop_assert!((back - x).abs() < 1e-9, "{x} came back as {back}");
        }
    }
}
