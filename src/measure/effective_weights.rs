//! The weights that a language uses: W ⊙ a_ℓ, and where their grid should end.

use super::{
    plan::Seen,
    result_cache::{key, model_key},
    runner::Lab,
    sample::Reading,
};
use crate::{
    arch::spec::Linear,
    math::{
        clipping::{Rule, alpha},
        effective::{effective, pattern},
        moments::Moments,
        quantizer::Bits,
    },
};

/// Mean |x_c| of every input channel of every linear layer, over all rows of a language.
pub(crate) fn inputs(reading: &Reading, seen: &Seen, full: usize, language: usize) -> Vec<f64> {
    let texts = reading.of_language(language);
    let mut sums = vec![0.0; seen.inputs(full, texts.start).len()];
    for text in texts.clone() {
        sums.iter_mut().zip(seen.inputs(full, text)).for_each(|(sum, of_text)| *sum += of_text);
    }
    let rows: usize = reading.texts[texts].iter().map(|text| text.scored).sum();
    sums.iter().map(|sum| sum / rows as f64).collect()
}

/// Theorem 2's α*_ℓ/σ_ℓ of a tensor's effective weights, times σ of the tensor itself: α*_ℓ as it is belongs to weights that
/// are scaled down by a_ℓ, and would clip those that are not.
pub(crate) fn own_threshold(
    (values, sigma): (&[f32], f64),
    linear: &Linear,
    magnitudes: &[f64],
    bits: Bits,
    lab: &impl Lab,
) -> f32 {
    let weights = effective(values, linear.layout, &pattern(magnitudes));
    let own = Moments::of(&weights).sigma();
    let best = f64::from(optimum(&weights, linear, magnitudes, bits, lab));
    if own > 0.0 { (best / own * sigma) as f32 } else { best as f32 }
}

/// α* of the effective weights of a matrix of the lab's model.
pub(crate) fn optimum(weights: &[f32], linear: &Linear, magnitudes: &[f64], bits: Bits, lab: &impl Lab) -> f32 {
    let model = model_key(&lab.model().files());
    let of = [b"optimum", &model[..], linear.weight.as_bytes(), bytemuck::cast_slice(magnitudes), &[bits.get()]];
    lab.searched(key(&of), || f64::from(alpha(Rule::Optimal, weights, bits))) as f32
}
