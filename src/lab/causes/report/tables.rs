//! The figures behind the paths, row by row.

use super::charts::{Pair, curve};
use super::{Report, Scm, chance, paths};
use crate::lab::verdicts::{self, Ruled};
use crate::report::rows::Rows;
use crate::report::table::{Cell, Table};

/// One row per language.
pub fn table(report: &Report) -> Table {
    Rows::of_languages(&report.rows, |row| &row.language)
        .column("tokens_per_byte", "Tokens per byte", "Of the texts read", |row| row.fertility.tokens_per_byte)
        .column("tokens_per_word", "Tokens per word", "Fertility; words stand between white space", |row| {
            row.fertility.tokens_per_word
        })
        .column("single_token_words", "Single-token words", "Share of words that are one token", |row| {
            Cell::Share(row.fertility.single_token_words)
        })
        .column("tokenization", "T", "How well the tokenizer fits, as chosen", |row| row.tokenization)
        .column("alignment", "A", "Cosine margin of parallel over other articles; none for the reference", |row| {
            row.alignment
        })
        .column("redundancy", "R̂", "Share of activation in heavy-tailed layers", |row| row.redundancy)
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |row| row.degradation)
        .table()
}

/// One row per path; none without a path model.
pub fn paths_table(report: &Report) -> Table {
    let all = report.paths.as_ref().map(paths);
    Rows::of("path", all.into_iter().flatten(), |(key, ..)| *key)
        .column("name", "Path", "From cause to effect", |(_, name, _)| *name)
        .column("coefficient", "Coefficient", "Standardised, with its BCa interval over languages", |(.., of)| *of)
        .table()
}

/// What a scatter is drawn from.
pub fn scatter_table(report: &Report, pair: Pair) -> Table {
    let counted = report.rows.iter().filter(|row| row.counts());
    Rows::named(counted.filter_map(|row| Some((row, pair.of(row)?))), |(row, _)| &row.language)
        .column("x", "Across", "The first of the two figures", |(_, (x, _))| *x)
        .column("y", "Upwards", "The second", |(_, (_, y))| *y)
        .table()
}

/// What the chart of the simulation is drawn from.
pub fn intervene_table(report: &Report, scm: &Scm) -> Table {
    Rows::of("t", curve(report, scm), |of| of.t)
        .column("median", "Median D", "Simulated", |of| of.median)
        .column("lower", "Lower quartile", "Simulated", |of| of.quartiles.0)
        .column("upper", "Upper quartile", "Simulated", |of| of.quartiles.1)
        .column("closed", "γ/(β₁β₂t)", "The theory's closed form", |of| scm.closed(of.t))
        .column("slope", "−γβ₁β₂/(β₁β₂t)²", "Its derivative", |of| scm.slope(of.t))
        .table()
}

/// S1 and S3.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::plain(report.verdicts.iter().map(|own| Ruled::from(own).with_chance(chance(report))))
}
