//! The screening's figures, row by row, and what they say of the claims.

use super::{Claim, Report, met, needed};
use crate::lab::verdicts::{self, Ruled};
use crate::report::{rows::Rows, table::Table};

/// One row per language: what the scatter is drawn from.
pub fn languages_table(report: &Report) -> Table {
    Rows::of_languages(&report.rows, |row| &row.language)
        .column("usage", "ā_outlier", "Share of the activation in outlier layers", |row| row.usage)
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |row| row.degradation)
        .table()
}

/// One row per layer: what the chart of κ is drawn from.
pub fn layers_table(report: &Report) -> Table {
    Rows::of("layer", report.layers.iter().enumerate(), |(number, _)| format!("layer-{number}"))
        .column("number", "Layer", "Block", |(number, _)| report.origin.layer(*number))
        .column("kurtosis", "κ", "Excess kurtosis of its matrices as if they were one", |(_, layer)| layer.kurtosis)
        .column("outlier", "Outlier", "Whether it counts in ā_outlier", |(_, layer)| match layer.outlier {
            true if report.stand_in => "stands in",
            true => "yes",
            false => "no",
        })
        .table()
}

/// The conditions, then every claim.
pub fn verdict_table(report: &Report) -> Table {
    // Whether a condition is met is no ruling on a claim; it stands in the same columns, before them.
    let conditions = report.conditions.iter().map(|condition| Ruled {
        key: format!("condition-{:?}", condition.which),
        claim: format!("Condition {}", needed(condition.which)),
        ruling: met(condition),
        because: condition.because.clone(),
        rule: "Of this model, by the bounds chosen.",
    });
    let of_claim = |own: Claim| report.verdicts.iter().filter(move |verdict| verdict.claim == own);
    let claims = Claim::ALL.into_iter().flat_map(of_claim).map(|own| Ruled::from(own).in_words());
    verdicts::plain(conditions.chain(claims))
}
