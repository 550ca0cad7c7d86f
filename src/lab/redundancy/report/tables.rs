//! Rows and columns of the Redundancy report.

use super::chart::redundancy;
use super::{
    Report, Row, SEED_OBSERVED, SEED_PREDICTED, error_key, error_name, measure_explained, measure_key, measure_name,
};
use crate::lab::redundancy::{Bound, Delta, Layer, Measure, Ratio, Relation};
use crate::lab::verdicts::{self, Ruled};
use crate::report::format;
use crate::report::table::{Cell, Column, Head, Table};

/// One row per language.
pub fn languages_table(report: &Report) -> Table {
    let cells = |row: &Row| {
        let redundancy = Measure::ALL.map(|measure| Cell::known(redundancy(row, measure)));
        let losses = [row.degradation, row.weight_error, row.loss, row.loss_without, row.loss_baseline];
        redundancy.into_iter().chain(losses.map(Cell::Figure)).collect()
    };
    let columns = [
        Column::measured(
            "information",
            "I − H, bits",
            "Document 000: information of the states about the token, less what is missing",
        ),
        Column::measured("spectrum", "H_max − H, bits", "Document 001: of the states' spectrum, mean over layers"),
        Column::measured(
            "ablation",
            "I lost, share",
            "Document 002: information lost without the outlier layers, over all",
        ),
        Column::measured("proxy", "R̂", "Document 002: share of activation in the outlier layers"),
        Column::measured("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full"),
        Column::measured(
            "weight_error",
            "ε of weights",
            "Mean squared error over σ², each layer by its share of activation",
        ),
        Column::measured("loss", "Loss", "Bits per token in full precision"),
        Column::measured("loss_without", "Loss without", "Bits per token with the layers left out"),
        Column::measured("loss_baseline", "Loss of no state", "Bits per token of a reader without any state"),
    ];
    Table::of_languages(&report.rows, |row| &row.language, columns, cells)
}

/// Own names and levels of the languages.
pub fn heads(report: &Report) -> Vec<Head> {
    report.rows.iter().map(|row| Head::of(&row.language)).collect()
}

/// Every language and layer: what the map is drawn from.
pub fn layers_table(report: &Report) -> Table {
    let pairs = || report.rows.iter().flat_map(|row| report.layers.iter().enumerate().map(move |of| (row, of)));
    let cells = |(row, (number, layer)): (&Row, (usize, &Layer))| {
        vec![
            Cell::Text(row.language.name.clone()),
            Cell::Count(number as u64),
            Cell::Figure(row.spectrum[number]),
            Cell::Number(layer.kurtosis),
            Cell::Text(if layer.left_out { "yes" } else { "no" }.into()),
            Cell::Number(layer.relative_mse),
        ]
    };
    Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("layer", "Layer", "Block"),
            Column::measured("spectrum", "H_max − H, bits", "Of the spectrum of the states after the layer"),
            Column::plain("kurtosis", "κ", "Excess kurtosis of the layer's matrices as if they were one"),
            Column::plain("left_out", "Left out", "Whether it was left out"),
            Column::plain("relative_mse", "MSE ÷ σ²", "Of its rounded weights"),
        ],
        of: "language",
        keys: pairs().map(|(row, _)| row.language.code.clone()).collect(),
        apart: Vec::new(),
        rows: pairs().map(cells).collect(),
    }
}

/// One row per R and ε.
pub fn relations_table(report: &Report) -> Table {
    let above = |bound: Option<&Bound>| {
        bound.map_or(Cell::Missing, |of| {
            let names = if of.violated.is_empty() { "none".into() } else { of.violated.join(", ") };
            Cell::Text(names)
        })
    };
    let row = |of: &Relation| {
        let r = of.correlation;
        vec![
            Cell::Text(measure_name(of.measure).into()),
            Cell::Text(error_name(of.error).into()),
            Cell::Count(of.n as u64),
            Cell::known(r.map(|r| r.pearson)),
            Cell::chance(r.map(|r| r.pearson_p), report.config.permutations),
            Cell::known(of.slope),
            Cell::known(of.intercept),
            above(of.bounds.iter().find(|bound| bound.reading == Delta::Proof)),
            above(of.bounds.iter().find(|bound| bound.reading == Delta::Check)),
            Cell::Text(measure_explained(of.measure).into()),
        ]
    };
    Table {
        columns: vec![
            Column::plain("measure", "R", "What is called redundancy"),
            Column::plain("error", "ε", "What is called error"),
            Column::plain("n", "n", "Seen languages whose R is above 0"),
            Column::measured("r", "r(1/R, ε)", "Pearson's, with its BCa interval over languages"),
            Column::plain("p", "p", "Permutation p of r, two-sided"),
            Column::measured("slope", "Slope", "Of the line through ε against 1/R"),
            Column::measured("intercept", "Intercept", "Of that line"),
            Column::plain("above_proof", "Above, δ = b", "Seen languages whose ε surely lies above the bound"),
            Column::plain("above_check", "Above, δ = 0.1", "The same with the check's δ"),
            Column::plain("explained", "How R is measured", "And which document defines it so"),
        ],
        of: "relation",
        keys: (report.relations.iter())
            .map(|of| format!("{}-{}", measure_key(of.measure), error_key(of.error)))
            .collect(),
        apart: Vec::new(),
        rows: report.relations.iter().map(row).collect(),
    }
}

/// The corollary: one row per R, ε and δ.
pub fn ratios_table(report: &Report) -> Table {
    let row = |of: &Ratio| {
        vec![
            Cell::Text(measure_name(of.measure).into()),
            Cell::Text(error_name(of.error).into()),
            Cell::Number(of.delta),
            Cell::Figure(of.observed),
            Cell::Figure(of.predicted),
            Cell::Figure(of.difference),
            Cell::Figure(of.gap),
            Cell::Text(format!(
                "{} predicted, {} observed",
                format::figure(SEED_PREDICTED),
                format::figure(SEED_OBSERVED)
            )),
        ]
    };
    Table {
        columns: vec![
            Column::plain("measure", "R", "What is called redundancy"),
            Column::plain("error", "ε", "What is called error"),
            Column::plain("delta", "δ", "b as in the proof, or 0.1 as in its check"),
            Column::measured(
                "observed",
                "ε low ÷ high",
                "Mean over low-resource languages over that over high-resource ones",
            ),
            Column::measured("predicted", "At least", "(R_HR + δ)/(R_LR + δ)"),
            Column::measured("difference", "Difference", "Observed less predicted, paired over texts"),
            Column::measured("gap", "R high − low", "The corollary speaks of R_HR > R_LR"),
            Column::plain("seed", "Documents 000, 001", "What they predict and observe, times"),
        ],
        of: "ratio",
        keys: (report.ratios.iter())
            .map(|of| format!("{}-{}-{}", measure_key(of.measure), error_key(of.error), of.delta))
            .collect(),
        apart: Vec::new(),
        rows: report.ratios.iter().map(row).collect(),
    }
}

/// T1 and T1c under each R.
pub fn verdict_table(report: &Report) -> Table {
    let ruled = report.verdicts.iter().map(|own| {
        let name = Cell::Text(measure_name(own.measure).into());
        Ruled::from(own).under(measure_key(own.measure), [name])
    });
    verdicts::table([Column::plain("measure", "R", "What is called redundancy")], ruled)
}
