//! The Redundancy report: R measured in four ways, the loss against 1/R, the bound, and the verdicts.

mod chart;
mod tables;

use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::{format, labels};

use super::{Baseline, Claim, Error, Measure, Report, Row, SEED_OBSERVED, SEED_PREDICTED};
pub use chart::{chart, chart_table, sentence as pick_sentence};
pub use tables::{languages_table, layers_table, ratios_table, relations_table, verdict_table};

/// What the scatter shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// What is called R.
    pub measure: Measure,
    /// What is called ε.
    pub error: Error,
}

impl Pick {
    /// Every pair.
    pub fn all() -> impl Iterator<Item = Pick> {
        Measure::ALL.into_iter().flat_map(|measure| Error::ALL.map(|error| Pick { measure, error }))
    }

    /// On the page and in files.
    pub fn key(self) -> String {
        format!("{}-{}", measure_key(self.measure), error_key(self.error))
    }

    /// In a list of choices.
    pub fn title(self) -> String {
        format!("{} against 1/R, R = {}", error_name(self.error), measure_name(self.measure))
    }
}

/// On the page and in files.
pub fn measure_key(measure: Measure) -> &'static str {
    match measure {
        Measure::Information => "information",
        Measure::Spectrum => "spectrum",
        Measure::Ablation => "ablation",
        Measure::Proxy => "proxy",
    }
}

/// In a few words.
pub fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::Information => "information beyond what is missing",
        Measure::Spectrum => "H_max − H of the states",
        Measure::Ablation => "information lost without the outlier layers",
        Measure::Proxy => "R̂, activation in outlier layers",
    }
}

/// How it is measured, and which document defines it so.
pub fn measure_explained(measure: Measure) -> &'static str {
    match measure {
        Measure::Information => {
            "Document 000: R = I(X; Y) − H(Y | X, context). Here H(Y) is the loss of a reader without any state and H(Y | X) that \
             of the model, so R = (loss without state − loss) − loss, in bits per token."
        }
        Measure::Spectrum => {
            "Document 001: R = H_max − H(X). Here H is the entropy of the eigenvalues of the covariance of the hidden states after \
             a layer, over their sum, and H_max the logarithm of their number; in bits, mean over layers. 2^H is the \
             effective rank."
        }
        Measure::Ablation => {
            "Document 002, definition 2: R = I(h_outlier; y | h_generic) ÷ I(h_all; y). Here the numerator is what the loss rises \
             by when the layers are left out and the stream goes past them, and the denominator the loss without any state less the loss. \
             The model was not trained without these layers, so the numerator is an upper estimate."
        }
        Measure::Proxy => {
            "Document 002, section 3.4: R̂ = Σ ā over the outlier layers, the share of a language's activation in them."
        }
    }
}

fn error_key(error: Error) -> &'static str {
    match error {
        Error::Loss => "loss",
        Error::Weights => "weights",
    }
}

/// In a few words.
pub fn error_name(error: Error) -> &'static str {
    match error {
        Error::Loss => "loss D",
        Error::Weights => "error of the weights",
    }
}

/// What a reader without any state knows.
pub fn known_without_states(baseline: Baseline) -> &'static str {
    match baseline {
        Baseline::Unigram => "how often each token comes in the language's other texts",
        Baseline::Uniform => "that all tokens are equally likely",
    }
}

/// A claim in a few words.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::T1 => "T1: ε ≤ C/(R + δ), and ε rises in a line with 1/R",
        Claim::T1c => "T1c: ε of low over high resource is at least (R_HR + δ)/(R_LR + δ)",
    }
}

/// H_max − H by language and layer.
pub fn heat(report: &Report) -> HeatMap {
    let cell = |row: &Row, layer: usize| HeatCell {
        value: Some(row.spectrum[layer].value),
        shown: format::figure(row.spectrum[layer].value),
        told: format!(
            "{}, layer {}: H_max − H is {} bits",
            row.language.name,
            report.origin.layer(layer),
            format::interval(&row.spectrum[layer])
        ),
        flagged: report.layers[layer].left_out,
    };
    let title = format!("How far from even the states of {} are spread: H_max − H", report.origin.model);
    HeatMap {
        description: format!("{title}. {}", sentence(report)),
        title,
        unit: "H_max − H in bits".into(),
        across: "layer".into(),
        columns: (0..report.layers.len()).map(|layer| report.origin.layer(layer)).collect(),
        rows: report
            .rows
            .iter()
            .map(|row| HeatRow {
                key: row.language.code.clone(),
                label: row.language.name.clone(),
                cells: (0..report.layers.len()).map(|layer| cell(row, layer)).collect(),
            })
            .collect(),
        flag: Some(left_out(report).1),
    }
}

/// The layers that were left out, and why these.
pub fn left_out(report: &Report) -> (Vec<String>, String) {
    let layers: Vec<String> = (0..report.layers.len())
        .filter(|&layer| report.layers[layer].left_out)
        .map(|layer| report.origin.layer(layer))
        .collect();
    let why = match report.above {
        true => format!("left out: κ above {}", format::figure(report.config.threshold)),
        false => "left out: of the largest κ".to_string(),
    };
    (layers, why)
}

/// What was found, in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let (layers, _) = left_out(report);
    let slope = |measure: Measure| {
        report.relations.iter().find(|of| of.measure == measure && of.error == Error::Loss).and_then(|of| of.slope)
    };
    let rises = Measure::ALL.into_iter().filter(|measure| slope(*measure).is_some_and(|slope| slope.low > 0.0)).count();
    let falls =
        Measure::ALL.into_iter().filter(|measure| slope(*measure).is_some_and(|slope| slope.high < 0.0)).count();
    let line = format!(
        "Of four ways to measure redundancy, the loss D surely rises with 1/R under {rises} and surely falls under {falls}."
    );
    let without = {
        let of = |row: &&Row| row.loss_without.value - row.loss.value;
        let seen = || report.rows.iter().filter(|row| row.language.counts());
        let most = seen().max_by(|a, b| of(a).total_cmp(&of(b)));
        most.map(|row| {
            format!(
                " Without {} {}, {} needs {} bits per token instead of {}.",
                if layers.len() == 1 { "layer" } else { "layers" },
                layers.join(", "),
                row.language.name,
                format::interval(&row.loss_without),
                format::interval(&row.loss)
            )
        })
    };
    line + &without.unwrap_or_default()
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let (layers, _) = left_out(report);
    let baseline = known_without_states(config.baseline);
    let why = match report.above {
        true => format!("those whose κ lies above {}", format::figure(config.threshold)),
        false => format!(
            "no layer's κ lies above {}, so the {} of the largest κ stand for them",
            format::figure(config.threshold),
            config.top
        ),
    };
    let (width, seen) = report.widths;
    let subspace = match width > seen {
        true => format!(" States have {width} channels; their spectrum is that of a random subspace of {seen}."),
        false => String::new(),
    };
    vec![
        format!(
            "D and the error of the weights at {} bits, {}, one grid per {}; {} of each language from {}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus
        ),
        format!(
            "Layers left out: {} ({why}). A layer is left out whole: the stream goes past it as it is.",
            layers.join(", ")
        ),
        format!(
            "A reader without any state knows {baseline}{}. Losses are cross-entropies, so informations are estimates.",
            if config.baseline == Baseline::Unigram { ", each count plus one" } else { "" }
        ),
        format!(
            "C = 3σ²·2^(−2b). ε of the weights is over σ², each layer's error by the language's share of activation in it; \
             the bound drawn is C/σ² ÷ (R + δ). The proof takes δ = b = {}, its check δ = 0.1.",
            config.quantizer.bits.get()
        ),
        format!(
            "Intervals: 95%. Of losses, D and R: paired BCa bootstrap over texts; of H: jackknife over {} of the texts; of r, \
             slope and intercept: over languages. Where R is H_max − H, ε − bound and the ratios take it as it is. {} \
             resamples, {} shuffles behind each p, seed {}.{subspace}",
            format::counted(crate::lab::draws::parts(config.texts.units) as u64, "part"),
            format::count(config.draws.resamples as u64),
            format::count(config.permutations as u64),
            config.draws.seed
        ),
        crate::lab::provenance(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-redundancy-{}bit", report.origin.model, report.config.quantizer.bits.get()))
}
