//! Theorem 2 as written (document 000): for each language the effective weights W ⊙ a_ℓ, their σ, κ and α*; and beside it
//! document 002's form, κ_eff(λ) = Σ ā_l κ_l. The two do not say the same; the report holds both.

use crate::lab::{
    AnalysisError,
    clipping::{
        Config, Tensor,
        per_language::{Effective, Language, PERMUTATIONS},
    },
    draws::LEVEL,
    effective_weights::{inputs, optimum},
    layer_activation::{effective_kurtosis, norm_sums, shares},
    plan::{Plan, Seen, Taps},
    runner::{Lab, Progress, Step},
    sample::Reading,
};
use crate::{
    arch::{recipe::Recipe, spec::Linear},
    math::{
        clipping::{kurtosis_factor, mse},
        correlation::{Correlation, Draws, correlate},
        effective::{effective, pattern},
        moments::Moments,
        quantizer::Bits,
        statistics::bca,
    },
    model::card::{Card, Resource},
};

/// Every language of the config: one full-precision pass over its texts, then a search on each tensor. `layers` are the
/// layers' κ.
pub(crate) async fn measure(
    config: &Config,
    tensors: &[Tensor],
    layers: &[f64],
    reading: &Reading,
    lab: &impl Lab,
) -> Result<Vec<Language>, AnalysisError> {
    let spec = &lab.model().device.spec;
    let mut plan = Plan::new(reading.texts.clone());
    // The means are not for this report: the path model of Causes is mostly asked for next, and finds its pass made.
    let taps = Taps { norms: true, inputs: true, means: true, ..Taps::LOSSES };
    let full = plan.ask(&Recipe::default(), 0..reading.texts.len(), taps);
    let seen = lab.run(&plan).await?;
    let card = lab.model().card.as_ref();
    let mut languages: Vec<Language> = (0..config.texts.languages.len())
        .map(|language| described(config, card, reading, &seen, (full, language), layers))
        .collect();
    let reference =
        config.texts.languages.iter().position(|code| *code == config.reference).expect("the config was checked");
    let magnitudes: Vec<Vec<f64>> =
        (0..languages.len()).map(|language| inputs(reading, &seen, full, language)).collect();
    for (at, (tensor, (linear, channels))) in tensors.iter().zip(spec.inputs()).enumerate() {
        lab.tell(Progress { step: Step::Tensors, done: at, total: tensors.len() });
        let values = lab.model().device.values(&tensor.name).await?;
        let search = async |language: usize, from: Option<&Effective>| {
            let of = weigh(&values, linear, &magnitudes[language][channels.clone()], config.bits, from, lab);
            lab.pause().await;
            of
        };
        let own = search(reference, None).await;
        for (number, language) in languages.iter_mut().enumerate() {
            language.tensors.push(if number == reference { own } else { search(number, Some(&own)).await });
        }
    }
    lab.tell(Progress { step: Step::Tensors, done: tensors.len(), total: tensors.len() });
    Ok(languages)
}

/// T2b: whether the excess error at the reference's α grows with the square of the distance from the own α*, over all other
/// languages and matrices, in units of each matrix's σ; none without a second language.
pub(crate) fn wrong_threshold(config: &Config, languages: &[Language]) -> Option<Correlation> {
    let reference = languages.iter().find(|language| language.code == config.reference)?;
    let others = languages.iter().filter(|language| language.code != reference.code);
    let pair = |(own, theirs): (&Effective, &Effective)| {
        let distance = (theirs.alpha - own.alpha) / own.sigma;
        (own.sigma > 0.0).then_some((distance * distance, own.error_at_reference - own.error))
    };
    let pairs = others.flat_map(|language| language.tensors.iter().zip(&reference.tensors)).filter_map(pair);
    let (squares, excess): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let (resamples, seed) = (config.draws.resamples, config.draws.seed);
    correlate(&squares, &excess, &Draws { resamples, permutations: PERMUTATIONS, level: LEVEL, seed })
}

/// Steps a to c of the algorithm on one tensor, and what the reference's α costs there.
fn weigh(
    values: &[f32],
    linear: &Linear,
    magnitudes: &[f64],
    bits: Bits,
    reference: Option<&Effective>,
    lab: &impl Lab,
) -> Effective {
    let weights = effective(values, linear.layout, &pattern(magnitudes));
    let moments = Moments::of(&weights);
    let (sigma, alpha) = (moments.sigma(), optimum(&weights, linear, magnitudes, bits, lab));
    let variance = if sigma > 0.0 { sigma * sigma } else { 1.0 };
    let error = |alpha: f32| {
        let (clipping, rounding) = mse(&weights, alpha, bits.levels());
        (clipping + rounding) / variance
    };
    let own = error(alpha);
    let (at_reference, at_shape) = reference.map_or((own, own), |reference| {
        (error(reference.alpha as f32), error((reference.alpha_over_sigma() * sigma) as f32))
    });
    Effective {
        sigma,
        kurtosis: moments.kurtosis(),
        alpha: f64::from(alpha),
        error: own,
        error_at_reference: at_reference,
        error_at_reference_shape: at_shape,
    }
}

/// What is known of a language before its weights are searched: document 002's figures.
fn described(
    config: &Config,
    card: Option<&Card>,
    reading: &Reading,
    seen: &Seen,
    (full, language): (usize, usize),
    kurtosis: &[f64],
) -> Language {
    let code = &config.texts.languages[language];
    let of = reading.corpus.languages.iter().find(|language| language.code == *code);
    let of = of.expect("the sample was checked against this corpus");
    let texts = reading.of_language(language);
    // ā does not see how many rows there are, so sums over rows stand for means.
    let activation = |times: &[u32]| shares(&norm_sums(reading, seen, full, language, times));
    let interval = bca(texts.len(), 1, config.draws.resamples, LEVEL, config.draws.seed, |drawn, out| {
        out[0] = effective_kurtosis(&activation(drawn), kurtosis);
    })[0];
    Language {
        code: code.clone(),
        name: of.name.clone(),
        endonym: of.endonym.clone(),
        direction: of.direction.clone(),
        resource: Resource::of(card, code),
        rows: reading.texts[texts.clone()].iter().map(|text| text.scored as u64).sum(),
        activation: activation(&vec![1; texts.len()]),
        kurtosis: interval,
        factor: kurtosis_factor(interval.value, config.bits),
        tensors: Vec::new(),
    }
}
