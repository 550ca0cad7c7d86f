//! What quantization costs a language, from summed losses in nats.

use std::f64::consts::LN_2;

/// Perplexity per token: exp(nll/tokens). NaN for no tokens.
pub fn perplexity(nll: f64, tokens: u64) -> f64 {
    libm::exp(nll / tokens as f64)
}

/// D(λ) = (PPL_q − PPL_fp)/PPL_fp over the same tokens. As exp(Δnll/tokens) − 1 it keeps its digits where the two are
/// close.
pub fn degradation(nll_full: f64, nll_quantized: f64, tokens: u64) -> f64 {
    libm::expm1((nll_quantized - nll_full) / tokens as f64)
}

/// Bits per UTF-8 byte of the text: nll/(ln 2·bytes). It does not depend on the tokenizer. NaN for no bytes.
pub fn bits_per_byte(nll: f64, bytes: u64) -> f64 {
    nll / (LN_2 * bytes as f64)
}

/// Bits per byte, quantized − full, of the same text.
pub fn delta_bits_per_byte(nll_full: f64, nll_quantized: f64, bytes: u64) -> f64 {
    (nll_quantized - nll_full) / (LN_2 * bytes as f64)
}

/// Nats as bits.
pub fn bits(nats: f64) -> f64 {
    nats / LN_2
}

/// How the probability of the right token changes, token by token, from its losses in nats.
pub fn shifts(full: &[f64], quantized: &[f64]) -> Vec<f64> {
    full.iter().zip(quantized).map(|(full, quantized)| libm::exp(-quantized) - libm::exp(-full)).collect()
}

/// Percentiles of these values, between neighbours by a straight line; NaN of none.
pub fn percentiles<const N: usize>(values: &[f64], of: [f64; N]) -> [f64; N] {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    of.map(|percent| {
        let place = percent / 100.0 * sorted.len().saturating_sub(1) as f64;
        let [below, above] = [libm::floor(place), libm::ceil(place)].map(|place| sorted.get(place as usize));
        match (below, above) {
            (Some(below), Some(above)) => below + (above - below) * (place - libm::floor(place)),
            _ => f64::NAN,
        }
    })
}

/// Arithmetic mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Mean squared deviation from the mean (of a whole population, as the theory's Var over languages); 0 of one value, or
/// of none.
pub fn variance(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let mean = mean(values).unwrap_or(f64::NAN);
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64
}

/// max D − min D; none for fewer than two languages.
pub fn disparity(degradations: &[f64]) -> Option<f64> {
    if degradations.len() < 2 {
        return None;
    }
    let most = degradations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = degradations.iter().copied().fold(f64::INFINITY, f64::min);
    Some(most - least)
}

/// mean D(LR)/mean D(HR); none where a group is empty or the high-resource mean is exactly 0. The definition is taken at
/// its word: where the denominator is near 0 or negative (8 bits, say, where D is noise) the figure is large or negative
/// and its interval says how little it means.
pub fn ratio(low: &[f64], high: &[f64]) -> Option<f64> {
    let (low, high) = (mean(low)?, mean(high)?);
    (high != 0.0).then(|| low / high)
}

/// The Fair-Efficiency Score √(efficiency × fairness) (document 003): efficiency is the share of memory saved, fairness
/// 1/(1 + disparity); both lie between 0 and 1.
pub fn fair_efficiency(efficiency: f64, disparity: f64) -> f64 {
    libm::sqrt(efficiency.clamp(0.0, 1.0) / (1.0 + disparity.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn empty_groups_have_no_figure() {
        assert_eq!(disparity(&[0.3]), None);
        assert_eq!(disparity(&[0.3, -0.1, 0.2]), Some(0.3 - -0.1));
        assert_eq!(ratio(&[], &[0.1]), None);
        assert_eq!(ratio(&[0.1], &[]), None);
        assert_eq!(ratio(&[0.1], &[0.1, -0.1]), None);
        assert_eq!(ratio(&[0.2, 0.4], &[0.1, 0.2]), Some((0.2 + 0.4) / 2.0 / ((0.1 + 0.2) / 2.0)));
    }

    proptest! {
        /// D is the relative rise of perplexity, and bits per byte differ by Δ.
        #[test]
        fn the_forms_agree(nll in 1f64..5000.0, rise in -50f64..500.0, tokens in 100u64..1000, bytes in 100u64..9000) {
            let (full, quantized) = (perplexity(nll, tokens), perplexity(nll + rise, tokens));
            let d = degradation(nll, nll + rise, tokens);
            prop_assert!((d - (quantized - full) / full).abs() <= 1e-12 * (1.0 + d.abs()));
            let delta = bits_per_byte(nll + rise, bytes) - bits_per_byte(nll, bytes);
            prop_assert!((delta - delta_bits_per_byte(nll, nll + rise, bytes)).abs() <= 1e-12 * (1.0 + nll));
        }
    }
}
