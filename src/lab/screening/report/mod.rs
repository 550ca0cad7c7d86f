//! The Screening report: document 004's checklist and decision rule for one model, and models side by side.

use crate::lab::screening::{Claim, Condition, Layer, Needed, Row, VARIANCE};
use crate::lab::thresholds::NEAR_ZERO;
use crate::report::{Interval, chance::Chance, format, labels};

mod charts;
mod designs;
mod screened;
mod tables;

pub use super::models::ModelEntry;
use super::{Advice, Config, Report};
pub use charts::{kurtosis_chart, scatter};
pub use designs::{across_table, comparison, models_table};
pub use screened::{ScreenedError, ScreenedModels};
pub use tables::{languages_table, layers_table, verdict_table};

/// The usual bound of `Var[ā_outlier]`.
pub const USUAL_VARIANCE: f64 = VARIANCE;

/// A claim in a few words.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::C1 => "C1: without outlier layers there is no disparity",
        Claim::C2 => "C2: without varying activation there is no disparity",
        Claim::C3 => "C3: with enough bits there is no disparity",
        Claim::P4 => "P4: max κ decides how use and loss go together",
        Claim::M1 => "M1: the larger max κ, the larger the disparity",
    }
}

/// A condition in a few words.
pub fn needed(which: Needed) -> &'static str {
    match which {
        Needed::C1 => "C1, outlier layers exist",
        Needed::C2 => "C2, activation varies",
        Needed::C3 => "C3, the width is below B_safe",
    }
}

/// Whether a condition is met, as a word.
fn met(condition: &Condition) -> &'static str {
    match condition.met {
        Some(true) => "met",
        Some(false) => "not met",
        None => "open",
    }
}

/// What section 7.2 advises.
pub fn advice(advice: Advice) -> &'static str {
    match advice {
        Advice::Standard => "Quantize as usual; no special handling.",
        Advice::Evaluate => "Quantize as usual, and evaluate every language on its own: the Languages page does.",
        Advice::Protect => {
            "Protect: 8 bits for the outlier layers, calibration per language, or more bits everywhere. The Mitigation page tries \
             these."
        }
    }
}

/// What a measured disparity, corrected for noise, advises: surely above the theory's “≈ 0”, surely not, or open.
fn by_measurement(disparity: &Interval) -> Advice {
    match disparity {
        of if of.low > NEAR_ZERO => Advice::Protect,
        of if of.high <= NEAR_ZERO => Advice::Standard,
        _ => Advice::Evaluate,
    }
}

/// What is to be done: where there is a measurement, it decides.
pub fn decided(report: &Report) -> Advice {
    report.disparity_corrected.as_ref().map_or(report.advice, by_measurement)
}

/// What is to be done, with the figure that decides; and the branch of the theory's rule that applies.
pub fn branch(report: &Report) -> String {
    let Config { light, heavy, .. } = report.config;
    let [light, heavy] = [light, heavy].map(format::figure);
    let kappa = format::figure(report.max_kurtosis);
    let case = match report.advice {
        Advice::Standard => format!("max κ = {kappa} is below {light}"),
        Advice::Evaluate => format!("max κ = {kappa} lies between {light} and {heavy}"),
        Advice::Protect => format!("max κ = {kappa} is not below {heavy}"),
    };
    let Some(measured) = &report.disparity_corrected else {
        return format!("The theory's rule: {case}. {}", advice(report.advice));
    };
    let (decided, shown) = (by_measurement(measured), format::interval(measured));
    let found = match decided {
        Advice::Standard => format!("not above {NEAR_ZERO:.3}"),
        Advice::Evaluate => format!("not surely above {NEAR_ZERO:.3}, nor surely below"),
        Advice::Protect => format!("above {NEAR_ZERO:.3}"),
    };
    let rule = match decided == report.advice {
        true => format!("The theory's rule agrees: {case}."),
        false => {
            format!("The theory's rule, which looks at max κ alone, would have said: {case}. {}", advice(report.advice))
        }
    };
    format!("Measured: disparity, corrected for noise, is {shown}, {found}. {} {rule}", advice(decided))
}

/// What was found, in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let expects = match report.expected() {
        Some(true) => "By document 004's conditions disparity is to be expected here: all three are met.".to_string(),
        Some(false) => {
            let failed: Vec<&str> = report
                .conditions
                .iter()
                .filter(|condition| condition.met == Some(false))
                .map(|condition| needed(condition.which))
                .collect();
            format!("By document 004's conditions no disparity is to be expected here. Not met: {}.", failed.join("; "))
        }
        None => "Document 004's conditions do not decide whether disparity is to be expected here.".into(),
    };
    let measured = match (&report.disparity, &report.disparity_corrected) {
        (Some(plain), Some(corrected)) => format!(
            " Measured at {} bits: disparity {}, corrected for noise {}.",
            report.config.quantizer.bits.get(),
            format::interval(plain),
            format::interval(corrected)
        ),
        _ => " There is no disparity to compare with: fewer than two trained languages were chosen.".into(),
    };
    format!("{expects}{measured} {}", correlation(report))
}

/// r(ā_outlier, D) in a sentence.
fn correlation(report: &Report) -> String {
    let of = match report.stand_in {
        true => "the heaviest layers, none being an outlier layer,",
        false => "the outlier layers",
    };
    match &report.correlation {
        Some(r) => format!(
            "How much a language uses {of} and how much it loses have r = {} over {} languages (p {}).",
            format::interval(&r.pearson),
            r.n,
            Chance::new(r.pearson_p, report.config.permutations).told()
        ),
        None => format!(
            "There is no r of how much a language uses {of} and its loss: one of the two does not vary, or too few \
                         languages were seen."
        ),
    }
}

/// Section 7.1's checklist: whether an item asks for caution (none where it only had to be done), and what was found.
pub fn checklist(report: &Report) -> Vec<(Option<bool>, String)> {
    let config = &report.config;
    let heaviest =
        (0..report.layers.len()).max_by(|&a, &b| report.layers[a].kurtosis.total_cmp(&report.layers[b].kurtosis));
    let at = heaviest.map_or(String::new(), |layer| format!(", in layer {}", report.origin.layer(layer)));
    let (heavy, bound) = (report.max_kurtosis > config.heavy, format::small(config.variance));
    let varied =
        report.conditions.iter().find(|condition| condition.which == Needed::C2).and_then(|condition| condition.met);
    let variance = report.variance.as_ref().map_or("unknown".into(), small_interval);
    let judged = match varied {
        Some(true) => "surely above it: expect disparity",
        Some(false) => "surely not above it",
        None => "which does not tell it from the bound",
    };
    vec![
        (None, format!("Per-layer kurtosis extracted: {}.", format::counted(report.layers.len() as u64, "layer"))),
        (
            Some(heavy),
            format!(
                "max κ above {}? It is {}{at}: {}.",
                format::figure(config.heavy),
                format::figure(report.max_kurtosis),
                if heavy { "proceed with caution" } else { "no" }
            ),
        ),
        (None, format!("Activation patterns computed: {}.", format::counted(report.rows.len() as u64, "language"))),
        (Some(varied == Some(true)), format!("Var[ā_outlier] above {bound}? It is {variance}, {judged}.")),
        (
            Some(heavy || varied == Some(true)),
            match heavy || varied == Some(true) {
                true => {
                    "Consider calibration per language or mixed precision: the Mitigation and Gateway pages try them."
                        .into()
                }
                false => "Calibration per language or mixed precision: not asked for by the items above.".into(),
            },
        ),
    ]
}

/// An interval of figures that are too small for decimals.
fn small_interval(of: &Interval) -> String {
    format!("{} [{}, {}]", format::small(of.value), format::small(of.low), format::small(of.high))
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let outliers: Vec<String> = report
        .layers
        .iter()
        .enumerate()
        .filter(|(_, layer)| layer.outlier)
        .map(|(number, _)| report.origin.layer(number))
        .collect();
    let which = match report.stand_in {
        true => format!(
            "No layer has κ above {}, so there is no outlier layer. ā_outlier is taken over the heaviest eighth of the layers instead \
             ({}), so that r can be looked at all the same; C1 is not met whatever it shows.",
            format::figure(config.light),
            outliers.join(", ")
        ),
        false => format!("Outlier layers, with κ above {}: {}.", format::figure(config.light), outliers.join(", ")),
    };
    vec![
        which,
        format!(
            "D at {} bits, {}, one grid per {}; {} of each language from {}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus
        ),
        format!(
            "ā_outlier is the share of a language's activation (mean norm of the hidden states after each layer) in the outlier layers. \
             Intervals of it, of D, of disparity and of Var: 95%, paired BCa bootstrap over texts. Intervals of r: over languages. {} \
             resamples, {} shuffles behind each p, seed {}.",
            format::count(config.draws.resamples as u64),
            format::count(config.permutations as u64),
            config.draws.seed
        ),
        "κ is a figure of the weights, without sampling error. The theory gives no figure for B_safe; it is your choice. Unseen languages \
         are left out of Var, disparity and r."
            .into(),
        crate::lab::provenance(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-screening-{}bit", report.origin.model, report.config.quantizer.bits.get()))
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
