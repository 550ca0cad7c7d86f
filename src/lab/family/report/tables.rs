//! The family's figures, row by row.

use super::{CELLS, Factor, Measured, NAMES, Report, chance};
use crate::lab::verdicts::{self, Ruled};
use crate::report::{rows::Rows, table::Table};

/// A figure under each model, and each effect on it.
fn measured<R>(rows: Rows<R>, keys: [&'static str; CELLS + 3], name: &str, of: impl Fn(&R) -> &Measured) -> Rows<R> {
    let (models, effects) = keys.split_at(CELLS);
    let rows = models.iter().zip(NAMES).enumerate().fold(rows, |rows, (at, (key, model))| {
        rows.column(key, format!("{name}, {model}"), "Under this model", |row| of(row).of[at])
    });
    effects.iter().zip(Factor::ALL).fold(rows, |rows, (key, factor)| {
        let title = format!("{name}: {}", factor.key());
        rows.column(key, title, "Balanced − skewed, paired over texts", |row| factor.of(&of(row).effects))
    })
}

/// One row per language.
pub fn table(report: &Report) -> Table {
    let first = "Third of the trained languages by bytes seen, of the first model";
    let rows = Rows::named(&report.rows, |row| &row.language)
        .apart(|row| !row.counts)
        .column("resource", "Resource", first, |row| row.language.resource)
        .column("skewed_tokens", "Bytes per token, skewed", "Of the skewed tokenizer", |row| row.bytes_per_token[0])
        .column("balanced_tokens", "Bytes per token, balanced", "Of the balanced tokenizer", |row| {
            row.bytes_per_token[1]
        });
    let keys = ["d_ss", "d_sb", "d_bs", "d_bb", "d_data", "d_tokenizer", "d_interaction"];
    let rows = measured(rows, keys, "D", |row| &row.degradation);
    let keys = ["bits_ss", "bits_sb", "bits_bs", "bits_bb", "bits_data", "bits_tokenizer", "bits_interaction"];
    measured(rows, keys, "Δ bits per byte", |row| &row.bits_per_byte).table()
}

/// Over all languages that count: mean D, mean Δ bits per byte, disparity.
pub fn over_all_table(report: &Report) -> Table {
    let all = [
        ("mean", "mean D", report.mean),
        ("mean_bits", "mean Δ bits per byte", report.mean_bits_per_byte),
        ("disparity", "disparity, largest − smallest D", report.disparity),
    ];
    let known = all.into_iter().filter_map(|(key, name, of)| Some((key, name, of?)));
    let rows = Rows::of("figure", known, |(key, ..)| *key).column(
        "name",
        "Figure",
        "Over the languages that all four models have seen",
        |(_, name, _)| *name,
    );
    let keys = ["ss", "sb", "bs", "bb", "data", "tokenizer", "interaction"];
    measured(rows, keys, "Figure", |(.., of)| of).table()
}

/// S2.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::plain(report.verdicts.iter().map(|own| Ruled::from(own).with_chance(chance(report))))
}
