//! The screening's figures, row by row, and what they say of the claims.

use super::{Claim, Layer, Report, Row, met, needed};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Head, Table};

/// One row per language: what the scatter is drawn from.
pub fn languages_table(report: &Report) -> Table {
    let cells = |row: &Row| vec![Cell::Figure(row.usage), Cell::Figure(row.degradation)];
    let columns = [
        Column::measured("usage", "ā_outlier", "Share of the activation in outlier layers"),
        Column::measured("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full"),
    ];
    Table::of_languages(&report.rows, |row| &row.language, columns, cells)
}

/// Own names and levels of the languages.
pub fn heads(report: &Report) -> Vec<Head> {
    report.rows.iter().map(|row| Head::of(&row.language)).collect()
}

/// One row per layer: what the chart of κ is drawn from.
pub fn layers_table(report: &Report) -> Table {
    let row = |(number, layer): (usize, &Layer)| {
        let outlier = match layer.outlier {
            true if report.stand_in => "stands in",
            true => "yes",
            false => "no",
        };
        vec![Cell::Text(report.origin.layer(number)), Cell::Number(layer.kurtosis), Cell::Text(outlier.into())]
    };
    Table {
        columns: vec![
            Column::plain("number", "Layer", "Block"),
            Column::plain("kurtosis", "κ", "Excess kurtosis of its matrices as if they were one"),
            Column::plain("outlier", "Outlier", "Whether it counts in ā_outlier"),
        ],
        of: "layer",
        keys: (0..report.layers.len()).map(|layer| format!("layer-{layer}")).collect(),
        apart: Vec::new(),
        rows: report.layers.iter().enumerate().map(row).collect(),
    }
}

/// The conditions, then every claim.
pub fn verdict_table(report: &Report) -> Table {
    let of_claim = |own: Claim| report.verdicts.iter().filter(move |verdict| verdict.claim == own);
    let mut table = verdicts::table([], Claim::ALL.into_iter().flat_map(of_claim).map(Ruled::from));
    // Whether a condition is met is no ruling on a claim; it stands in the same columns, before them.
    for (at, condition) in report.conditions.iter().enumerate() {
        let cells = [
            format!("Condition {}", needed(condition.which)),
            met(condition).into(),
            condition.because.clone(),
            "Of this model, by the bounds chosen.".into(),
        ];
        table.keys.insert(at, format!("condition-{:?}", condition.which));
        table.rows.insert(at, cells.map(Cell::Text).into());
    }
    table
}
