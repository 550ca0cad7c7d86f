//! The report on one text, token by token: the sentence, the text with its colours, tables.

mod markup;

pub use markup::{Group, groups, html, stripes};

use crate::lab::rounding::Rounding;
use crate::report::chart::diverging::Diverging;
use crate::report::{format, labels, rows::Rows, table::Table};

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
    let unit = labels::as_sentence(&report.unit);
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
                labels::as_sentence(&each.join("; "))
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
    Rows::named(&report.rows, |row| &row.language)
        .column("resource", "Resource", "How much of it the model saw", |row| row.language.resource)
        .column("tokens", "Tokens", "Tokens that are scored", |row| row.scored)
        .column("bytes", "Bytes", "UTF-8 bytes of these", |row| row.bytes)
        .column("bits_full", "Bits before", "Loss of the text in full precision", |row| bits(row.full))
        .column("bits_quantized", "Bits after", "The same, quantized", |row| bits(row.quantized))
        .column("delta_bits_per_byte", "Δ bits per byte", "What it lost, over its bytes", |row| lost(row))
        .table()
}

/// Every token of every language.
pub fn tokens_table(report: &Report) -> Table {
    let all = report
        .rows
        .iter()
        .flat_map(|row| row.tokens.iter().enumerate().map(move |(at, token)| (&row.language.code, at + 1, token)));
    Rows::of("key", all, |(code, place, _)| format!("{code}-{place}"))
        .column("language", "Language", "ISO 639-3", |(code, ..)| code.to_string())
        .column("place", "Place", "Of the token in its text, from 1", |(_, place, _)| *place)
        .column("token", "Token", "What it stands for; empty where that is a part of a character", |(.., token)| {
            token.text.clone().unwrap_or_default()
        })
        .column("bytes", "Bytes", "Its bytes in hexadecimal, where they are no text by themselves", |(.., token)| {
            token.bytes.clone().unwrap_or_default()
        })
        .column("bits_full", "Before", "Its loss in full precision, in bits", |(.., token)| {
            token.nats.map(|(full, _)| bits(full))
        })
        .column("bits_quantized", "After", "The same, quantized", |(.., token)| {
            token.nats.map(|(_, quantized)| bits(quantized))
        })
        .column("bits_lost", "Difference", "After − before", |(.., token)| token_lost(token))
        .table()
}

/// How the figures came about.
pub fn footnotes(report: &Report) -> Vec<String> {
    let Rounding { rule, granularity, .. } = report.config.quantizer;
    vec![
        format!(
            "Every weight matrix is rounded: threshold by {}, one grid per {}.",
            labels::rule(rule),
            labels::granularity(granularity)
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
