//! The family's figures, row by row.

use super::{CELLS, Factor, Measured, NAMES, Report, Row, chance};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Head, Table};
use crate::report::words;

fn measured_columns(prefix: [&'static str; CELLS + 3], of: &str) -> Vec<Column> {
    let names: Vec<String> = NAMES.iter().map(|name| format!("{of}, {name}")).collect();
    let mut columns: Vec<Column> =
        prefix.iter().zip(&names).map(|(key, name)| Column::measured(key, name, "Under this model")).collect();
    for (key, factor) in prefix[CELLS..].iter().zip(Factor::ALL) {
        columns.push(Column::measured(key, &format!("{of}: {}", factor.key()), "Balanced − skewed, paired over texts"));
    }
    columns
}

fn cells(of: &Measured) -> impl Iterator<Item = Cell> {
    of.of.into_iter().chain(Factor::ALL.map(|factor| factor.of(&of.effects))).map(Cell::Figure)
}

/// One row per language.
pub fn table(report: &Report) -> Table {
    let mut columns = vec![
        Column::plain("name", "Language", "English name"),
        Column::plain("resource", "Resource", "Third of the trained languages by bytes seen, of the first model"),
        Column::plain("skewed_tokens", "Bytes per token, skewed", "Of the skewed tokenizer"),
        Column::plain("balanced_tokens", "Bytes per token, balanced", "Of the balanced tokenizer"),
    ];
    columns.extend(measured_columns(["d_ss", "d_sb", "d_bs", "d_bb", "d_data", "d_tokenizer", "d_interaction"], "D"));
    columns.extend(measured_columns(
        ["bits_ss", "bits_sb", "bits_bs", "bits_bb", "bits_data", "bits_tokenizer", "bits_interaction"],
        "Δ bits per byte",
    ));
    let row = |row: &Row| {
        let mut own = vec![
            Cell::Text(row.language.name.clone()),
            Cell::Ranked(row.language.resource as u8, words::resource(row.language.resource).into()),
            Cell::Number(row.bytes_per_token[0]),
            Cell::Number(row.bytes_per_token[1]),
        ];
        own.extend(cells(&row.degradation).chain(cells(&row.bits_per_byte)));
        own
    };
    Table {
        columns,
        of: "language",
        keys: report.rows.iter().map(|row| row.language.code.clone()).collect(),
        apart: report.rows.iter().map(|row| !row.counts).collect(),
        rows: report.rows.iter().map(row).collect(),
    }
}

/// Own names and levels of the languages.
pub fn heads(report: &Report) -> Vec<Head> {
    report.rows.iter().map(|row| Head::of(&row.language)).collect()
}

/// Over all languages that count: mean D, mean Δ bits per byte, disparity.
pub fn over_all_table(report: &Report) -> Table {
    let all = [
        ("mean", "mean D", report.mean),
        ("mean_bits", "mean Δ bits per byte", report.mean_bits_per_byte),
        ("disparity", "disparity, largest − smallest D", report.disparity),
    ];
    let known = || all.iter().filter_map(|(key, name, of)| of.map(|of| (*key, *name, of)));
    let mut columns = vec![Column::plain("name", "Figure", "Over the languages that all four models have seen")];
    columns.extend(measured_columns(["ss", "sb", "bs", "bb", "data", "tokenizer", "interaction"], "Figure"));
    Table {
        columns,
        of: "figure",
        keys: known().map(|(key, ..)| key.to_string()).collect(),
        apart: Vec::new(),
        rows: known().map(|(_, name, of)| [Cell::Text(name.into())].into_iter().chain(cells(&of)).collect()).collect(),
    }
}

/// S2.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::table([], report.verdicts.iter().map(|own| Ruled::from(own).with_chance(chance(report))))
}
