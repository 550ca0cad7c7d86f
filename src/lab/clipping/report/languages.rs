//! Theorem 2 per language: the best threshold of the weights as a language uses them.

use super::Report;
use crate::lab::clipping::per_language::{Effective, Language};
use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::scope::Scope;
use crate::report::table::{Head, Table};
use crate::report::{Part, format, labels, rows::Rows};

/// A language's figure over the matrices of a scope: mean by number of weights.
pub fn effective(report: &Report, language: &Language, scope: Scope, of: impl Fn(&Effective) -> f64) -> f64 {
    let pairs = || report.tensors.iter().zip(&language.tensors).filter(|(t, _)| scope.holds(t.layer, t.part));
    let weights: f64 = pairs().map(|(tensor, _)| tensor.n as f64).sum();
    pairs().map(|(tensor, own)| tensor.n as f64 * of(own)).sum::<f64>() / weights.max(1.0)
}

/// How much more a language loses at the reference's threshold than at its own: error over error, less one.
fn excess(report: &Report, language: &Language, scope: Scope, at: fn(&Effective) -> f64) -> f64 {
    let own = effective(report, language, scope, |of| of.error);
    if own > 0.0 { effective(report, language, scope, at) / own - 1.0 } else { 0.0 }
}

/// Language × layer: α*_ℓ/σ_ℓ of the effective weights, of one part of each block or of the whole.
pub fn heat(report: &Report, part: Option<Part>) -> HeatMap {
    let layers = report.tensors.iter().map(|tensor| tensor.layer + 1).max().unwrap_or(0);
    let cell = |language: &Language, layer: usize| {
        let scope = part.map_or(Scope::Layer(layer), |part| Scope::Tensor(layer, part));
        let figure = |of: fn(&Effective) -> f64| effective(report, language, scope, of);
        let alpha = figure(Effective::alpha_over_sigma);
        HeatCell {
            value: Some(alpha),
            shown: format::fixed(alpha, 2),
            told: format!(
                "{}, {}: α*/σ {} (effective weights), κ {}; at the reference's α {} more error, at its α/σ {} more",
                language.name,
                scope.title(),
                format::figure(alpha),
                format::figure(figure(|of| of.kurtosis)),
                format::percent(excess(report, language, scope, |of| of.error_at_reference)),
                format::percent(excess(report, language, scope, |of| of.error_at_reference_shape))
            ),
            flagged: false,
        }
    };
    let of = part.map_or("all matrices", labels::part);
    let title =
        format!("Best threshold per language, {} at {} bits, {of}", report.origin.model, report.config.bits.get());
    HeatMap {
        description: format!("{title}. {}", languages_sentence(report)),
        title,
        unit: "α*/σ of W ⊙ a".into(),
        across: "layer".into(),
        columns: (0..layers).map(|layer| report.origin.layer(layer)).collect(),
        rows: report
            .languages
            .iter()
            .map(|language| HeatRow {
                key: language.code.clone(),
                label: language.name.clone(),
                cells: (0..layers).map(|layer| cell(language, layer)).collect(),
            })
            .collect(),
        flag: None,
    }
}

impl From<&Language> for Head {
    fn from(language: &Language) -> Head {
        let Language { code, name, endonym, direction, resource: level, .. } = language.clone();
        Head { code, name, endonym, direction, level }
    }
}

/// The two definitions side by side, one row per language.
pub fn languages_table(report: &Report) -> Table {
    let figure = |of: fn(&Effective) -> f64| move |own: &&Language| effective(report, own, Scope::Model, of);
    let more = |at: fn(&Effective) -> f64| move |own: &&Language| excess(report, own, Scope::Model, at);
    Rows::of_languages(&report.languages, |own| *own)
        .column(
            "kurtosis",
            "κ of W ⊙ a",
            "Document 000: excess kurtosis of the effective weights, mean over matrices",
            figure(|of| of.kurtosis),
        )
        .column(
            "alpha_over_sigma",
            "α*/σ",
            "Document 000: argmin MSE of the effective weights over their σ, mean",
            figure(Effective::alpha_over_sigma),
        )
        .column(
            "excess",
            "Excess at α",
            "Error at the reference's α over that at the own α*, less one",
            more(|of| of.error_at_reference),
        )
        .column(
            "excess_shape",
            "Excess at α/σ",
            "The same where only α/σ is taken over from the reference",
            more(|of| of.error_at_reference_shape),
        )
        .column("kurtosis_effective", "κ_eff", "Document 002: mean of the layers' κ, by activation", |own| {
            own.kurtosis
        })
        .column("factor", "f(κ_eff, B)", "Document 002: the threshold that the formula gives, in σ", |own| own.factor)
        .table()
}

/// Every language and matrix: what the heat map is drawn from.
pub fn effective_table(report: &Report) -> Table {
    let pairs = (report.languages.iter())
        .flat_map(|own| report.tensors.iter().zip(&own.tensors).map(move |(tensor, of)| (own, tensor, of)));
    Rows::of("language", pairs, |(own, ..)| own.code.clone())
        .column("layer", "Layer", "Block", |(_, tensor, _)| tensor.layer)
        .column("part", "Matrix", "Which of the block's matrices", |(_, tensor, _)| labels::part_key(tensor.part))
        .column("name", "Language", "English name", |(own, ..)| own.name.clone())
        .column("sigma", "σ", "Of the effective weights", |(.., of)| of.sigma)
        .column("kurtosis", "κ", "Of the effective weights", |(.., of)| of.kurtosis)
        .column("alpha", "α*", "argmin MSE", |(.., of)| of.alpha)
        .column("alpha_over_sigma", "α*/σ", "In σ of the effective weights", |(.., of)| of.alpha_over_sigma())
        .column("error", "Error", "MSE at α* over σ²", |(.., of)| of.error)
        .column("error_at_reference", "At reference α", "MSE at the reference's α* over σ²", |(.., of)| {
            of.error_at_reference
        })
        .column(
            "error_at_reference_shape",
            "At reference α/σ",
            "MSE at the reference's α*/σ over σ²",
            |(.., of)| of.error_at_reference_shape,
        )
        .table()
}

/// What Theorem 2 finds, in a sentence or two.
pub fn languages_sentence(report: &Report) -> String {
    let alpha = |language: &&Language| effective(report, language, Scope::Model, Effective::alpha_over_sigma);
    let by_alpha = |a: &&Language, b: &&Language| alpha(a).total_cmp(&alpha(b));
    let (Some(most), Some(least)) =
        (report.languages.iter().max_by(by_alpha), report.languages.iter().min_by(by_alpha))
    else {
        return "No languages were chosen.".into();
    };
    let shape = |language: &Language| excess(report, language, Scope::Model, |of| of.error_at_reference_shape);
    let dearest = report.languages.iter().map(shape).fold(0.0, f64::max);
    let reference = report.languages.iter().find(|language| language.code == report.config.reference);
    format!(
        "The best threshold of the effective weights is widest for {} ({}σ) and narrowest for {} ({}σ). Taking {}'s α/σ \
         for every language costs at most {} more error.",
        most.name,
        format::figure(alpha(&most)),
        least.name,
        format::figure(alpha(&least)),
        reference.map_or(report.config.reference.as_str(), |language| language.name.as_str()),
        format::percent(dearest)
    )
}

/// T2b as a sentence; none without a second language.
pub fn wrong_threshold_sentence(report: &Report) -> Option<String> {
    let found = report.wrong_threshold?;
    Some(format!(
        "T2b says that the excess error of a wrong threshold grows with (α_ref − α*)²: over {} matrices of other languages, \
         r of the two is {} and ρ {} (in units of each matrix's σ).",
        format::count(found.n as u64),
        format::interval(&found.pearson),
        format::interval(&found.spearman)
    ))
}
