//! The figures behind the paths, row by row.

use super::charts::{Pair, curve};
use super::{Report, Row, Scm, chance, paths};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Head, Table};

/// One row per language.
pub fn table(report: &Report) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::Number(row.fertility.tokens_per_byte),
            Cell::Number(row.fertility.tokens_per_word),
            Cell::Share(row.fertility.single_token_words),
            Cell::Number(row.tokenization),
            Cell::known(row.alignment),
            Cell::Figure(row.redundancy),
            Cell::Figure(row.degradation),
        ]
    };
    let columns = [
        Column::plain("tokens_per_byte", "Tokens per byte", "Of the texts read"),
        Column::plain("tokens_per_word", "Tokens per word", "Fertility; words stand between white space"),
        Column::plain("single_token_words", "Single-token words", "Share of words that are one token"),
        Column::plain("tokenization", "T", "How well the tokenizer fits, as chosen"),
        Column::measured("alignment", "A", "Cosine margin of parallel over other articles; none for the reference"),
        Column::measured("redundancy", "R̂", "Share of activation in heavy-tailed layers"),
        Column::measured("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full"),
    ];
    Table::of_languages(&report.rows, |row| &row.language, columns, cells)
}

/// Own names and levels of the languages.
pub fn heads(report: &Report) -> Vec<Head> {
    report.rows.iter().map(|row| Head::of(&row.language)).collect()
}

/// One row per path; none without a path model.
pub fn paths_table(report: &Report) -> Table {
    let all = report.paths.as_ref().map(paths);
    let all = || all.iter().flatten();
    Table {
        columns: vec![
            Column::plain("name", "Path", "From cause to effect"),
            Column::measured("coefficient", "Coefficient", "Standardised, with its BCa interval over languages"),
        ],
        of: "path",
        keys: all().map(|(key, ..)| key.to_string()).collect(),
        apart: Vec::new(),
        rows: all().map(|(_, name, of)| vec![Cell::Text((*name).into()), Cell::Figure(*of)]).collect(),
    }
}

/// What a scatter is drawn from.
pub fn scatter_table(report: &Report, pair: Pair) -> Table {
    let rows = || report.rows.iter().filter(|row| row.counts()).filter_map(|row| pair.of(row).map(|both| (row, both)));
    Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::measured("x", "Across", "The first of the two figures"),
            Column::measured("y", "Upwards", "The second"),
        ],
        of: "language",
        keys: rows().map(|(row, _)| row.language.code.clone()).collect(),
        apart: Vec::new(),
        rows: rows()
            .map(|(row, (x, y))| vec![Cell::Text(row.language.name.clone()), Cell::Figure(x), Cell::Figure(y)])
            .collect(),
    }
}

/// What the chart of the simulation is drawn from.
pub fn intervene_table(report: &Report, scm: &Scm) -> Table {
    let under = curve(report, scm);
    Table {
        columns: vec![
            Column::plain("median", "Median D", "Simulated"),
            Column::plain("lower", "Lower quartile", "Simulated"),
            Column::plain("upper", "Upper quartile", "Simulated"),
            Column::plain("closed", "γ/(β₁β₂t)", "The theory's closed form"),
            Column::plain("slope", "−γβ₁β₂/(β₁β₂t)²", "Its derivative"),
        ],
        of: "t",
        keys: under.iter().map(|of| of.t.to_string()).collect(),
        apart: Vec::new(),
        rows: under
            .iter()
            .map(|of| {
                [of.median, of.quartiles.0, of.quartiles.1, scm.closed(of.t), scm.slope(of.t)]
                    .map(Cell::Number)
                    .to_vec()
            })
            .collect(),
    }
}

/// S1 and S3.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::table([], report.verdicts.iter().map(|own| Ruled::from(own).with_chance(chance(report))))
}
