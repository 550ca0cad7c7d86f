//! Rows and columns of the Redundancy report.

use super::chart::redundancy;
use super::{
    Report, Row, SEED_OBSERVED, SEED_PREDICTED, error_key, error_name, measure_explained, measure_key, measure_name,
};
use crate::lab::redundancy::{Delta, Measure, Relation};
use crate::lab::verdicts::{self, Ruled};
use crate::report::{chance::Chance, format, rows::Rows, table::Table};

/// One row per language.
pub fn languages_table(report: &Report) -> Table {
    let of = |measure: Measure| move |row: &&Row| redundancy(row, measure);
    Rows::of_languages(&report.rows, |row| &row.language)
        .column(
            "information",
            "I − H, bits",
            "Document 000: information of the states about the token, less what is missing",
            of(Measure::Information),
        )
        .column(
            "spectrum",
            "H_max − H, bits",
            "Document 001: of the states' spectrum, mean over layers",
            of(Measure::Spectrum),
        )
        .column(
            "ablation",
            "I lost, share",
            "Document 002: information lost without the outlier layers, over all",
            of(Measure::Ablation),
        )
        .column("proxy", "R̂", "Document 002: share of activation in the outlier layers", of(Measure::Proxy))
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |row| row.degradation)
        .column(
            "weight_error",
            "ε of weights",
            "Mean squared error over σ², each layer by its share of activation",
            |row| row.weight_error,
        )
        .column("loss", "Loss", "Bits per token in full precision", |row| row.loss)
        .column("loss_without", "Loss without", "Bits per token with the layers left out", |row| row.loss_without)
        .column("loss_baseline", "Loss of no state", "Bits per token of a reader without any state", |row| {
            row.loss_baseline
        })
        .table()
}

/// Every language and layer: what the map is drawn from.
pub fn layers_table(report: &Report) -> Table {
    let layers = || report.layers.iter().enumerate();
    let pairs = report.rows.iter().flat_map(|row| layers().map(move |(number, layer)| (row, number, layer)));
    Rows::named(pairs, |(row, ..)| &row.language)
        .column("layer", "Layer", "Block", |(_, number, _)| *number)
        .column("spectrum", "H_max − H, bits", "Of the spectrum of the states after the layer", |(row, number, _)| {
            row.spectrum[*number]
        })
        .column("kurtosis", "κ", "Excess kurtosis of the layer's matrices as if they were one", |(.., layer)| {
            layer.kurtosis
        })
        .column("left_out", "Left out", "Whether it was left out", |(.., layer)| layer.left_out)
        .column("relative_mse", "MSE ÷ σ²", "Of its rounded weights", |(.., layer)| layer.relative_mse)
        .table()
}

/// One row per R and ε.
pub fn relations_table(report: &Report) -> Table {
    let above = |of: &Relation, reading: Delta| {
        let bound = of.bounds.iter().find(|bound| bound.reading == reading)?;
        Some(if bound.violated.is_empty() { "none".into() } else { bound.violated.join(", ") })
    };
    let key = |of: &&Relation| format!("{}-{}", measure_key(of.measure), error_key(of.error));
    Rows::of("relation", &report.relations, key)
        .column("measure", "R", "What is called redundancy", |of| measure_name(of.measure))
        .column("error", "ε", "What is called error", |of| error_name(of.error))
        .column("n", "n", "Seen languages whose R is above 0", |of| of.n)
        .column("r", "r(1/R, ε)", "Pearson's, with its BCa interval over languages", |of| {
            of.correlation.map(|r| r.pearson)
        })
        .column("p", "p", "Permutation p of r, two-sided", |of| {
            of.correlation.map(|r| Chance::new(r.pearson_p, report.config.permutations))
        })
        .column("slope", "Slope", "Of the line through ε against 1/R", |of| of.slope)
        .column("intercept", "Intercept", "Of that line", |of| of.intercept)
        .column("above_proof", "Above, δ = b", "Seen languages whose ε surely lies above the bound", |of| {
            above(of, Delta::Proof)
        })
        .column("above_check", "Above, δ = 0.1", "The same with the check's δ", |of| above(of, Delta::Check))
        .column("explained", "How R is measured", "And which document defines it so", |of| {
            measure_explained(of.measure)
        })
        .table()
}

/// The corollary: one row per R, ε and δ.
pub fn ratios_table(report: &Report) -> Table {
    let seed = format!("{} predicted, {} observed", format::figure(SEED_PREDICTED), format::figure(SEED_OBSERVED));
    Rows::of("ratio", &report.ratios, |of| format!("{}-{}-{}", measure_key(of.measure), error_key(of.error), of.delta))
        .column("measure", "R", "What is called redundancy", |of| measure_name(of.measure))
        .column("error", "ε", "What is called error", |of| error_name(of.error))
        .column("delta", "δ", "b as in the proof, or 0.1 as in its check", |of| of.delta)
        .column(
            "observed",
            "ε low ÷ high",
            "Mean over low-resource languages over that over high-resource ones",
            |of| of.observed,
        )
        .column("predicted", "At least", "(R_HR + δ)/(R_LR + δ)", |of| of.predicted)
        .column("difference", "Difference", "Observed less predicted, paired over texts", |of| of.difference)
        .column("gap", "R high − low", "The corollary speaks of R_HR > R_LR", |of| of.gap)
        .column("seed", "Documents 000, 001", "What they predict and observe, times", |_| seed.clone())
        .table()
}

/// T1 and T1c under each R.
pub fn verdict_table(report: &Report) -> Table {
    let ruled = report.verdicts.iter().map(|own| (Ruled::from(own).under(measure_key(own.measure)), own.measure));
    verdicts::table(ruled, |claims| {
        claims.column("measure", "R", "What is called redundancy", |(_, measure)| measure_name(*measure))
    })
}
