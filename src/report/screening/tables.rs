//! The screening's figures, row by row, and what they say of the claims.

use super::{Claim, Condition, Layer, Report, Resource, Row, claim, met, needed, words};
use crate::report::dial::ruling;
use crate::report::table::{Cell, Column, Head, Table};

/// One row per language: what the scatter is drawn from.
pub fn languages_table(report: &Report) -> Table {
    let row = |row: &Row| {
        vec![
            Cell::Text(row.language.name.clone()),
            Cell::Ranked(row.language.resource as u8, words::resource(row.language.resource).into()),
            Cell::Figure(row.usage),
            Cell::Figure(row.degradation),
        ]
    };
    Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("resource", "Resource", "Third of the trained languages by bytes seen"),
            Column::measured("usage", "ā_outlier", "Share of the activation in outlier layers"),
            Column::measured("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full"),
        ],
        of: "language",
        keys: report.rows.iter().map(|row| row.language.code.clone()).collect(),
        apart: report.rows.iter().map(|row| row.language.resource == Resource::Unseen).collect(),
        rows: report.rows.iter().map(row).collect(),
    }
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
    let condition = |condition: &Condition| {
        vec![
            Cell::Text(format!("Condition {}", needed(condition.which))),
            Cell::Text(met(condition).into()),
            Cell::Text(condition.because.clone()),
            Cell::Text("Of this model, by the bounds chosen.".into()),
        ]
    };
    let claimed: Vec<_> = Claim::ALL
        .into_iter()
        .flat_map(|own| report.verdicts.iter().filter(move |verdict| verdict.claim == own))
        .collect();
    let conditions = report.conditions.iter();
    Table {
        columns: vec![
            Column::plain("claim", "Claim", "What the seed says"),
            Column::plain("ruling", "Verdict", "What this model says of it"),
            Column::plain("because", "Because", "The figures that decide"),
            Column::plain("decided_by", "Decided by", "The rule by which they do"),
        ],
        of: "verdict",
        keys: conditions
            .clone()
            .map(|condition| format!("condition-{:?}", condition.which))
            .chain(claimed.iter().map(|verdict| format!("{:?}", verdict.claim)))
            .collect(),
        apart: Vec::new(),
        rows: conditions
            .map(condition)
            .chain(claimed.iter().map(|verdict| {
                vec![
                    Cell::Text(claim(verdict.claim).into()),
                    Cell::Text(ruling(verdict.ruling).into()),
                    Cell::Text(verdict.because.clone()),
                    Cell::Text(verdict.claim.rule().into()),
                ]
            }))
            .collect(),
    }
}
