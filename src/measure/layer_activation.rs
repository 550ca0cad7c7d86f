//! How much of each layer a language uses: a_l(λ) = E‖h_l‖, ā_l = a_l/Σ a_l (document 002, section 2.2), and κ of the layers.

use super::{AnalysisError, plan::Seen, runner::Lab, sample::Reading};
use crate::{arch::dial::Dial, math::moments::Moments};

/// Excess kurtosis of each layer after a dial: of its matrices as if they were one, merged.
pub async fn layer_kurtosis(dial: &Dial, lab: &impl Lab) -> Result<Vec<f64>, AnalysisError> {
    let device = &lab.model().device;
    let scalings = dial.scalings(&device.spec)?;
    let mut kurtosis = Vec::new();
    for block in &device.spec.blocks {
        let mut whole = Moments::default();
        for linear in block.linears() {
            whole = whole.merge(&Moments::of(&device.values_after(&scalings, &linear.weight).await?));
        }
        kurtosis.push(whole.kurtosis());
        lab.pause().await;
    }
    Ok(kurtosis)
}

/// Σ ‖h_l‖ over the rows of one language after each layer, its texts counted `times` each.
pub fn norm_sums(reading: &Reading, seen: &Seen, full: usize, language: usize, times: &[u32]) -> Vec<f64> {
    let mut sums = Vec::new();
    for (text, &times) in reading.of_language(language).zip(times) {
        let norms = seen.norms(full, text);
        sums.resize(norms.len(), 0.0);
        for (sum, norm) in sums.iter_mut().zip(norms) {
            *sum += f64::from(times) * norm;
        }
    }
    sums
}

/// a_l(λ) of one language: the mean norm of its hidden states after each layer, its texts counted `times` each.
pub fn mean_norms(reading: &Reading, seen: &Seen, full: usize, language: usize, times: &[u32]) -> Vec<f64> {
    let counted = reading.of_language(language).zip(times);
    let rows: f64 = counted.map(|(text, &times)| f64::from(times) * reading.texts[text].scored as f64).sum();
    norm_sums(reading, seen, full, language, times).iter().map(|sum| sum / rows).collect()
}

/// ā_l = a_l/Σ a_l.
pub fn shares(norms: &[f64]) -> Vec<f64> {
    let whole: f64 = norms.iter().sum();
    norms.iter().map(|norm| norm / whole).collect()
}

/// κ_eff(λ) = Σ ā_l κ_l (document 002, definition 1).
pub fn effective_kurtosis(shares: &[f64], kurtosis: &[f64]) -> f64 {
    shares.iter().zip(kurtosis).map(|(share, kurtosis)| share * kurtosis).sum()
}

/// R̂(λ) = Σ ā_l over the outlier layers (document 002, section 3.4).
pub fn outlier_share(shares: &[f64], outliers: &[usize]) -> f64 {
    outliers.iter().map(|&layer| shares[layer]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// κ_eff lies between the least and the largest κ_l; shares add up to 1, and so does R̂ over all layers.
        #[test]
        fn a_weighted_mean_lies_between(layers in prop::collection::vec((0.01f64..100.0, -2f64..500.0), 1..30)) {
            let (norms, kurtosis): (Vec<f64>, Vec<f64>) = layers.into_iter().unzip();
            let shares = shares(&norms);
            let kappa = effective_kurtosis(&shares, &kurtosis);
            let least = kurtosis.iter().copied().fold(f64::INFINITY, f64::min);
            let most = kurtosis.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let slack = 1e-12 * (1.0 + most.abs().max(least.abs()));
            prop_assert!(least - slack <= kappa && kappa <= most + slack);
            let all: Vec<usize> = (0..norms.len()).collect();
            prop_assert!((outlier_share(&shares, &all) - 1.0).abs() < 1e-12);
            prop_assert!(outlier_share(&shares, &all[1..]) < 1.0);
        }
    }
}
