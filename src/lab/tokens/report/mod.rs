//! The report on one text, token by token: the sentence, the text with its colours, tables.

mod markup;

pub use markup::{Group, groups, html, stripes};

use crate::lab::rounding::Rounding;
use crate::report::chart::diverging::Diverging;
use crate::report::table::{Cell, Column, Head, Table};
use crate::report::{format, words};

use super::{Config, Report, Row, Token};

/// Bits of a loss in nats.
fn bits(nats: f64) -> f64 {
    nats / std::f64::consts::LN_2
}

/// Bits per byte that the text lost in a language.
pub fn lost(row: &Row) -> f64 {
    bits(row.quantized - row.full) / row.bytes.max(1) as f64
}

/// Bits that a token lost; none where the model was not asked for it.
pub fn token_lost(token: &Token) -> Option<f64> {
    token.nats.map(|(full, quantized)| bits(quantized - full))
}

/// The scale that all languages share: the token that changed most has the full colour.
pub fn scale(report: &Report) -> Diverging {
    Diverging::over(report.rows.iter().flat_map(|row| &row.tokens).filter_map(token_lost))
}

/// Which text.
pub fn title(report: &Report) -> String {
    let unit = words::as_sentence(&report.unit);
    let Config { unit: number, quantizer: Rounding { bits, .. }, .. } = report.config;
    format!("{} {number}, token by token, before and after rounding to {} bits", unit.trim_end_matches('.'), bits.get())
}

/// The result in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let mut rows: Vec<&Row> = report.rows.iter().collect();
    rows.sort_by(|a, b| lost(b).total_cmp(&lost(a)));
    let told = |row: &Row| format!("{} ({} bits per byte)", row.language.name, signed(lost(row), 3));
    let (Some(most), Some(least)) = (rows.first(), rows.last()) else { return "No language was chosen.".into() };
    let of_languages = match rows.len() {
        1 => format!("This text costs {} more than before.", told(most)),
        _ => format!("This text loses most in {}, least in {}.", told(most), told(least)),
    };
    let tokens = report.rows.iter().flat_map(|row| row.tokens.iter().map(move |token| (row, token)));
    let changed = tokens.filter_map(|(row, token)| Some((row, token, token_lost(token)?)));
    let hardest = changed.max_by(|(.., a), (.., b)| a.total_cmp(b)).filter(|(.., lost)| *lost > 0.0);
    let hardest = hardest.map(|(row, token, lost)| {
        format!(" The token that loses most is {} in {}: {} bits.", named(token), row.language.name, signed(lost, 2))
    });
    format!("{of_languages}{}", hardest.unwrap_or_default())
}

/// With its sign, so that a gain is not taken for a loss.
fn signed(value: f64, decimals: usize) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::fixed(value, decimals))
}

/// A token in quotes, or as bytes where it is a part of a character.
fn named(token: &Token) -> String {
    match (&token.text, &token.bytes) {
        (Some(text), _) => format!("“{}”", text.replace('\n', "⏎")),
        (None, Some(bytes)) => {
            let pairs: Vec<&str> = (0..bytes.len()).step_by(2).filter_map(|at| bytes.get(at..at + 2)).collect();
            let noun = if pairs.len() == 1 { "byte" } else { "bytes" };
            format!("the {noun} {}", pairs.join(" ").to_uppercase())
        }
        (None, None) => "an empty token".into(),
    }
}

/// What the tokens of a group lost, as a line.
pub fn told(row: &Row, group: &Group) -> String {
    let (name, tokens) = (&row.language.name, row.tokens.get(group.tokens.clone()).unwrap_or_default());
    match tokens {
        [token] => format!("{name}: {}: {}", named(token), losses(token)),
        several => {
            let each: Vec<String> =
                several.iter().map(|token| format!("{}: {}", named(token), losses(token))).collect();
            format!(
                "{name}: “{}” is cut into {} tokens. {}",
                group.text,
                several.len(),
                words::as_sentence(&each.join("; "))
            )
        }
    }
}

/// The figures of a token.
fn losses(token: &Token) -> String {
    let Some((full, quantized)) = token.nats else {
        return "the model is given this token, and not asked for it".into();
    };
    let chance = |nats: f64| format::percent(libm::exp(-nats));
    format!(
        "{} bits before, {} after, {} bits (its probability went from {} to {})",
        format::fixed(bits(full), 2),
        format::fixed(bits(quantized), 2),
        signed(bits(quantized - full), 2),
        chance(full),
        chance(quantized)
    )
}

/// A language's heading: what it lost in this text.
pub fn heading(row: &Row) -> String {
    format!(
        "{} bits per byte · {} · {} bytes",
        signed(lost(row), 3),
        format::counted(row.scored, "token"),
        format::count(row.bytes)
    )
}

/// The text in each language.
pub fn table(report: &Report) -> Table {
    Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("resource", "Resource", "How much of it the model saw"),
            Column::plain("tokens", "Tokens", "Tokens that are scored"),
            Column::plain("bytes", "Bytes", "UTF-8 bytes of these"),
            Column::plain("bits_full", "Bits before", "Loss of the text in full precision"),
            Column::plain("bits_quantized", "Bits after", "The same, quantized"),
            Column::plain("delta_bits_per_byte", "Δ bits per byte", "What it lost, over its bytes"),
        ],
        of: "language",
        keys: report.rows.iter().map(|row| row.language.code.clone()).collect(),
        apart: report.rows.iter().map(|row| !row.language.counts()).collect(),
        rows: report
            .rows
            .iter()
            .map(|row| {
                vec![
                    Cell::Text(row.language.name.clone()),
                    Cell::Ranked(row.language.resource as u8, words::resource(row.language.resource).into()),
                    Cell::Count(row.scored),
                    Cell::Count(row.bytes),
                    Cell::Number(bits(row.full)),
                    Cell::Number(bits(row.quantized)),
                    Cell::Number(lost(row)),
                ]
            })
            .collect(),
    }
}

/// Own names and levels of the table's rows.
pub fn heads(report: &Report) -> Vec<Head> {
    report.rows.iter().map(|row| Head::of(&row.language)).collect()
}

/// Every token of every language.
pub fn tokens_table(report: &Report) -> Table {
    let all =
        || report.rows.iter().flat_map(|row| row.tokens.iter().enumerate().map(move |(at, token)| (row, at, token)));
    let of = |nats: Option<(f64, f64)>, take: fn((f64, f64)) -> f64| {
        nats.map_or(Cell::Missing, |nats| Cell::Number(bits(take(nats))))
    };
    Table {
        columns: vec![
            Column::plain("language", "Language", "ISO 639-3"),
            Column::plain("place", "Place", "Of the token in its text, from 1"),
            Column::plain("token", "Token", "What it stands for; empty where that is a part of a character"),
            Column::plain("bytes", "Bytes", "Its bytes in hexadecimal, where they are no text by themselves"),
            Column::plain("bits_full", "Before", "Its loss in full precision, in bits"),
            Column::plain("bits_quantized", "After", "The same, quantized"),
            Column::plain("bits_lost", "Difference", "After − before"),
        ],
        of: "key",
        keys: all().map(|(row, at, _)| format!("{}-{}", row.language.code, at + 1)).collect(),
        apart: Vec::new(),
        rows: all()
            .map(|(row, at, token)| {
                vec![
                    Cell::Text(row.language.code.clone()),
                    Cell::Count(at as u64 + 1),
                    Cell::Text(token.text.clone().unwrap_or_default()),
                    Cell::Text(token.bytes.clone().unwrap_or_default()),
                    of(token.nats, |(full, _)| full),
                    of(token.nats, |(_, quantized)| quantized),
                    of(token.nats, |(full, quantized)| quantized - full),
                ]
            })
            .collect(),
    }
}

/// How the figures came about.
pub fn footnotes(report: &Report) -> Vec<String> {
    let Rounding { rule, granularity, .. } = report.config.quantizer;
    vec![
        format!(
            "Every weight matrix is rounded: threshold by {}, one grid per {}.",
            words::rule(rule),
            words::granularity(granularity)
        ),
        "A token’s loss is −log₂ of the probability that the model gave it; a loss of 1 bit more halves that probability.".into(),
        "These are the figures of one text: exact for it, and no estimate for a language, so they have no intervals. The \
         Languages page measures many texts."
            .into(),
        "Tokens are cut as the model’s tokenizer cuts them. A character that is cut into several tokens has a stripe for each."
            .into(),
        crate::lab::provenance(&report.origin),
    ]
}

/// `fairbits-m12-udhr-1-3bit-tokens`.
pub fn file_stem(report: &Report) -> String {
    let Config { corpus, unit, quantizer: Rounding { bits, .. }, .. } = &report.config;
    crate::report::file_stem(&format!("{}-{corpus}-{unit}-{}bit-tokens", report.origin.model, bits.get()))
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
