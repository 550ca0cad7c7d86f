//! A model's card as rows: what it saw of each language and how well it predicts it; and the layers as they came in.

use super::{Card, CorpusCard, Resource, Summary, rows::Rows, table::Table};

/// One trained language of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct CardRow {
    /// ISO 639-3.
    pub code: String,
    /// English name where a corpus knows it, the code where not.
    pub name: String,
    /// By thirds of bytes seen.
    pub resource: Resource,
    /// Training bytes.
    pub bytes_seen: u64,
    /// `bytes_seen` ÷ the largest of the card.
    pub share_of_largest: f64,
    /// Bits per byte on held-out text: of the training kind, and the Declaration.
    pub bits_per_byte: (Option<f64>, Option<f64>),
}

/// Trained languages, most bytes first.
pub fn rows(card: &Card, corpora: &[CorpusCard]) -> Vec<CardRow> {
    let largest = card.languages.values().map(|language| language.bytes_seen).max().unwrap_or(0).max(1);
    let mut rows: Vec<CardRow> = card
        .languages
        .iter()
        .filter(|(_, language)| language.bytes_seen > 0)
        .map(|(code, language)| CardRow {
            code: code.clone(),
            name: english_name(corpora, code).unwrap_or(code).to_string(),
            resource: card.resource(code),
            bytes_seen: language.bytes_seen,
            share_of_largest: language.bytes_seen as f64 / largest as f64,
            bits_per_byte: (language.help_bpb, language.udhr_bpb),
        })
        .collect();
    rows.sort_by(|a, b| b.bytes_seen.cmp(&a.bytes_seen).then(a.code.cmp(&b.code)));
    rows
}

/// The rows as a table.
pub fn table(rows: &[CardRow]) -> Table {
    Rows::of("language", rows, |row| row.code.clone())
        .column("name", "Language", "English name", |row| row.name.clone())
        .column("resource", "Resource", "By thirds of bytes seen", |row| row.resource)
        .column("bytes_seen", "Bytes seen", "In training", |row| row.bytes_seen)
        .column("help_bpb", "Bits per byte, help", "On held-out text of the training kind", |row| row.bits_per_byte.0)
        .column("udhr_bpb", "Bits per byte, Declaration", "On the Declaration of Human Rights", |row| {
            row.bits_per_byte.1
        })
        .table()
}

/// Each layer's weights in figures, those that are in.
pub fn layers_table(layers: &[Option<Summary>]) -> Table {
    let there = layers.iter().enumerate().filter_map(|(at, layer)| Some((at, layer.as_ref()?)));
    Rows::of("layer", there, |(at, _)| *at)
        .column("kurtosis", "κ", "Excess kurtosis", |(_, of)| of.kurtosis)
        .column("sigma", "σ", "Standard deviation", |(_, of)| of.sigma)
        .column("beyond_3", "beyond 3σ", "Share further than 3σ from the mean", |(_, of)| of.beyond_3)
        .column("beyond_6", "beyond 6σ", "Share further than 6σ from the mean", |(_, of)| of.beyond_6)
        .column("absmax", "largest", "Largest magnitude", |(_, of)| of.absmax)
        .table()
}

/// The English name of a language that some corpus holds.
pub fn english_name<'a>(corpora: &'a [CorpusCard], code: &str) -> Option<&'a str> {
    corpora.iter().flat_map(|corpus| &corpus.languages).find(|language| language.code == code).map(|l| l.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trained_languages_by_bytes() {
        let card: Card = serde_json::from_str(
            r#"{"name":"m","title":"M","description":"","parameters":1,"languages":{
                "kor":{"bytes_seen":25,"udhr_bpb":3.0},"eng":{"bytes_seen":100,"help_bpb":1.5},"tha":{"bytes_seen":0}}}"#,
        )
        .unwrap();
        let rows = rows(&card, &[]);
        let seen: Vec<(&str, f64, Resource)> =
            rows.iter().map(|row| (row.name.as_str(), row.share_of_largest, row.resource)).collect();
        assert_eq!(seen, [("eng", 1.0, Resource::High), ("kor", 0.25, Resource::Low)]);
        assert_eq!((rows[0].bits_per_byte, rows[1].bits_per_byte), ((Some(1.5), None), (None, Some(3.0))));
        let csv = table(&rows).csv();
        assert_eq!(csv.lines().nth(2), Some("kor,kor,low,25,,3"), "{csv}");
    }
}
