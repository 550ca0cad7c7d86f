//! Clipping thresholds α: the rules and their optima.
//!
//! ACIQ (Banner et al. 2019, equations 5 to 12) minimises MSE(α) = E[(|X| − α)²; |X| > α] + α²/(3·4^B): it assumes 2^B
//! cells of even noise. The theory's symmetric grid has one cell fewer, so its true optimum is lower; that one is found on
//! the weights themselves by [`super::optimum`]. No rule is capped at the largest magnitude: each is what it says.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::moments::Moments;
use super::quantizer::Bits;
use super::{normal, optimum};

/// Declares the rules, a row each: its name in reports and links, its name on the page, what it does in one sentence, and the
/// threshold of a group of weights at so many bits. Lists, words and schemas follow.
macro_rules! rules {
    ($( $(#[$doc:meta])* $name:ident = $key:literal, $label:literal, $sentence:literal, $alpha:expr; )*) => {
        /// How α is chosen for a group of weights.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Rule { $( $(#[$doc])* #[serde(rename = $key)] $name, )* }

        impl Rule {
            /// Every rule, in the order of the page.
            pub const ALL: [Rule; [$(Rule::$name),*].len()] = [$(Rule::$name),*];

            /// Its name in reports and links.
            pub fn key(self) -> &'static str {
                match self { $( Rule::$name => $key, )* }
            }

            /// Its name on the page.
            pub fn label(self) -> &'static str {
                match self { $( Rule::$name => $label, )* }
            }

            /// What it does.
            pub fn sentence(self) -> &'static str {
                match self { $( Rule::$name => $sentence, )* }
            }

            fn of(self) -> fn(&[f32], Bits) -> f64 {
                match self { $( Rule::$name => $alpha, )* }
            }
        }
    };
}

rules! {
    /// Largest magnitude: nothing is clipped.
    Absmax = "absmax", "largest weight (absmax)",
        "The grid reaches to the largest weight: nothing is clipped, and one outlier makes every step coarser.",
        |values, _| values.iter().fold(0f32, |most, x| most.max(x.abs())).into();

    /// ACIQ's optimum for a Gaussian of the same σ.
    AciqGaussian = "aciq_gaussian", "ACIQ, Gaussian",
        "Weights beyond the best threshold for a bell curve of the same σ are clipped.",
        |values, bits| aciq_gaussian(bits) * Moments::of(values).sigma();

    /// ACIQ's optimum for a Laplace distribution of the same σ.
    AciqLaplace = "aciq_laplace", "ACIQ, Laplace",
        "Weights beyond the best threshold for a Laplace curve of the same σ are clipped.",
        |values, bits| aciq_laplace(bits) * std::f64::consts::FRAC_1_SQRT_2 * Moments::of(values).sigma();

    /// The theory's f(κ, B) = c_B + d_B·log(1 + κ), times σ.
    Kurtosis = "kurtosis", "by kurtosis, f(κ, B)",
        "The threshold grows with the kurtosis κ of the weights: heavier tails, wider grid.",
        |values, bits| {
            let moments = Moments::of(values);
            kurtosis_factor(moments.kurtosis(), bits) * moments.sigma()
        };

    /// The α of least squared error on the weights themselves, on the true grid.
    Optimal = "optimal", "least squared error",
        "The threshold with the least squared error on the weights themselves, found by search.",
        |values, bits| optimum::optimum(values, bits.levels()).into();
}

/// The threshold of a group of weights under a rule, worked out in f64 and rounded once. 0 for no weights, zeros, and,
/// under the rules that scale σ, equal weights. Weights are finite; where one is not, so is what depends on it.
pub fn alpha(rule: Rule, values: &[f32], bits: Bits) -> f32 {
    rule.of()(values, bits) as f32
}

/// ACIQ's α*/σ for a Gaussian.
pub fn aciq_gaussian(bits: Bits) -> f64 {
    static OPTIMA: LazyLock<[f64; 7]> = LazyLock::new(|| {
        // d/dα of 2∫_α^∞ (x − α)²φ(x)dx is −4(φ(α) − α(1 − Φ(α))).
        Bits::ALL.map(|bits| root(|a| -4.0 * (normal::density(a) - a * normal::tail(a)) + 2.0 * a * noise(bits)))
    });
    OPTIMA[bits.get() as usize - 2]
}

/// ACIQ's α*/b for a Laplace distribution of scale b = σ/√2.
pub fn aciq_laplace(bits: Bits) -> f64 {
    static OPTIMA: LazyLock<[f64; 7]> = LazyLock::new(|| {
        // The clipping part is 2b²·e^(−α/b).
        Bits::ALL.map(|bits| root(|a| -2.0 * libm::exp(-a) + 2.0 * a * noise(bits)))
    });
    OPTIMA[bits.get() as usize - 2]
}

/// ACIQ's mean squared error of a Gaussian of σ = 1 at threshold α, in its two parts: clipping and rounding.
pub fn aciq_gaussian_mse(alpha: f64, bits: Bits) -> (f64, f64) {
    let clip = 2.0 * ((1.0 + alpha * alpha) * normal::tail(alpha) - alpha * normal::density(alpha));
    (clip, alpha * alpha * noise(bits))
}

/// ACIQ's mean squared error of a Laplace distribution of b = 1 at threshold α: clipping and rounding.
pub fn aciq_laplace_mse(alpha: f64, bits: Bits) -> (f64, f64) {
    (2.0 * libm::exp(-alpha), alpha * alpha * noise(bits))
}

/// ACIQ's rounding noise over α²: Δ²/12 with Δ = 2α/2^B, which is 1/(3·4^B).
fn noise(bits: Bits) -> f64 {
    1.0 / (3 * (1u64 << (2 * bits.get()))) as f64
}

/// Where a rising derivative crosses zero, by bisection between two ends that hold every optimum, to the last bit.
fn root(derivative: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.1, 20.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if derivative(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The theory's c_4 and d_4.
const SEED_C4: f64 = 2.5;
const SEED_D4: f64 = 0.3;

/// The theory's f(κ, B) = c_B + d_B·ln(1 + κ), with c_4 = 2.5 and d_4 = 0.3.
///
/// The theory gives 4 bits only. For other widths the whole is scaled as ACIQ's Gaussian optimum scales from 4 bits, the
/// one published law of B for the distribution at which f = c_B. A κ below 0 (lighter tails than a Gaussian) counts as
/// 0: the theory's form falls to −∞ at κ = −1, and it speaks of heavy tails only.
pub fn kurtosis_factor(kurtosis: f64, bits: Bits) -> f64 {
    const FOUR: usize = 2; // place of 4 in Bits::ALL
    let width = aciq_gaussian(bits) / aciq_gaussian(Bits::ALL[FOUR]);
    width * (SEED_C4 + SEED_D4 * libm::log1p(kurtosis.max(0.0)))
}

/// Mean squared error of a grid with threshold α on the values, in two parts: what clipping loses on values beyond α, and
/// what rounding loses on the others. The definition in f64: no rounding of the step or of the values to f32.
pub fn mse(values: &[f32], alpha: f32, levels: u32) -> (f64, f64) {
    /// As in the quantizer, for f64.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let alpha = alpha as f64;
    let step = alpha / levels as f64;
    let per_step = if step > 0.0 { 1.0 / step } else { 0.0 };
    let (mut clip, mut round) = (0.0, 0.0);
    for &x in values {
        let x = (x as f64).abs();
        let over = (x - alpha).max(0.0);
        let inside = x.min(alpha);
        let miss = inside - ((inside * per_step + ROUNDER) - ROUNDER) * step;
        clip += over * over;
        round += miss * miss;
    }
    (clip / values.len() as f64, round / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bits(b: u8) -> Bits {
        Bits::new(b).unwrap()
    }

    #[test]
    fn published_optima() {
        let gaussian = [1.71063519, 2.15159277, 2.55913646, 2.93620062, 3.28691474, 3.6151146, 3.92403714];
        let laplace = [2.83068299, 3.89722946, 5.02864014, 6.20476633, 7.41312622, 8.64561995, 9.89675982];
        for (i, width) in Bits::ALL.into_iter().enumerate() {
            // Relative: the published 3.92403714 for 8 bits is itself 1.65e-6 above the root, 3.92403549.
            assert!((aciq_gaussian(width) / gaussian[i] - 1.0f64).abs() < 1e-6, "Gaussian, {width:?}");
            assert!((aciq_laplace(width) / laplace[i] - 1.0f64).abs() < 1e-6, "Laplace, {width:?}");
        }
    }

    #[test]
    fn the_seeds_factor_at_four_bits() {
        assert_eq!(kurtosis_factor(0.0, bits(4)), 2.5);
        assert_eq!(kurtosis_factor(-0.9, bits(4)), 2.5);
        assert!((kurtosis_factor(std::f64::consts::E - 1.0, bits(4)) - 2.8).abs() < 1e-15);
        assert!((kurtosis_factor(0.0, bits(8)) / 2.5 - 3.9240354899 / 2.5591364620).abs() < 1e-9);
    }

    #[test]
    fn a_rule_is_known_by_its_names() {
        for (at, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.key());
            let apart = |other: &Rule| other.key() != rule.key() && other.label() != rule.label();
            assert!(Rule::ALL[..at].iter().all(apart), "{rule:?}");
            assert!(rule.sentence().ends_with('.'), "{rule:?}");
        }
    }

    #[test]
    fn nothing_gives_zero() {
        for rule in Rule::ALL {
            for values in [&[][..], &[0.0; 5], &[-0.0, 0.0]] {
                assert_eq!(alpha(rule, values, bits(4)).to_bits(), 0, "{rule:?}");
            }
            assert!(alpha(rule, &[0.25; 40], bits(3)).is_finite(), "{rule:?}");
        }
        assert_eq!(mse(&[], 1.0, 7), (0.0, 0.0));
        assert_eq!(mse(&[3.0, -1.0], 0.0, 7), (5.0, 0.0));
    }

    proptest! {
        /// Half a step is the most that rounding loses; clipping loses nothing at or beyond the largest magnitude.
        #[test]
        fn the_two_parts(values in prop::collection::vec(-3f32..3.0, 1..60), alpha in 0.01f32..4.0, b in 2u8..=8) {
            let levels = bits(b).levels();
            let (clip, round) = mse(&values, alpha, levels);
            let half = 0.5 * alpha as f64 / levels as f64;
            prop_assert!(round <= half * half * (1.0 + 1e-12));
            let absmax = super::alpha(Rule::Absmax, &values, bits(b));
            prop_assert_eq!(clip == 0.0, alpha >= absmax);
            prop_assert_eq!(mse(&values, absmax, levels).0, 0.0);
        }
    }
}
