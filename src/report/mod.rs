//! A report as people and files take it: words, figures with their intervals, tables, charts, CSV and JSON.
//!
//! Pure: text in, text out. The page and the command line draw the same figure from the same report.
//!
//! Invariant: no DOM, no I/O, no clock.

pub mod activation;
pub mod card;
pub mod causes;
pub mod chance;
pub mod chart;
pub mod claims;
pub mod clipping;
pub mod coverage;
pub mod csv;
pub mod dial;
pub mod fairness;
pub mod family;
pub mod format;
pub mod gateway;
pub mod glossary;
pub mod import;
pub mod languages;
pub mod ledger;
pub mod matrix;
pub mod mitigation;
pub mod preview;
pub mod redundancy;
pub mod representation;
pub mod scale;
pub mod scope;
pub mod screening;
pub mod sentence;
pub mod statistics;
pub mod sweep;
pub mod table;
pub mod tables;
pub mod tokens;
pub mod verdicts;
pub mod weights;
pub mod words;
pub mod workshop;

use crate::analysis::{
    self,
    origin::{Asked, InFront, Made, Origin},
};
use import::Document;

pub use crate::arch::tensors::Part;
pub use crate::math::clipping::Rule;
pub use crate::math::moments::Summary;
pub use crate::math::quantizer::{Bits, Granularity};
pub use crate::math::statistics::Interval;
pub use crate::model::card::{Card, Resource};
pub use crate::model::catalog::Catalog;
pub use crate::model::corpus::{CorpusCard, CorpusLanguage};
pub use import::{ImportError, import, schema};

/// Any report as JSON, indented, with the version of its form; see [`import()`].
pub fn json(report: &analysis::Report) -> String {
    serde_json::to_string_pretty(&Document::of(report)).expect("a report holds numbers, strings and lists only")
}

/// `fairbits-` and what the file is of, with nothing in it that a file system minds.
pub fn file_stem(of: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("fairbits-{of}").chars().map(kept).collect()
}

/// How the names of a report's files begin.
pub fn stem(report: &analysis::Report) -> String {
    match report {
        analysis::Report::Languages(report) => languages::file_stem(report),
        analysis::Report::Weights(report) => weights::file_stem(report),
        analysis::Report::Clipping(report) => clipping::file_stem(report),
        analysis::Report::Activation(report) => activation::file_stem(report),
        analysis::Report::Mitigation(report) => mitigation::file_stem(report),
        analysis::Report::Dial(report) => dial::file_stem(report),
        analysis::Report::Gateway(report) => gateway::file_stem(report),
        analysis::Report::Redundancy(report) => redundancy::file_stem(report),
        analysis::Report::Representation(report) => representation::file_stem(report),
        analysis::Report::Statistics(report) => statistics::file_stem(report),
        analysis::Report::Causes(report) => causes::file_stem(report),
        analysis::Report::Family(report) => family::file_stem(report),
        analysis::Report::Sweep(report) => sweep::file_stem(report),
        analysis::Report::Screening(report) => screening::file_stem(report),
        analysis::Report::Matrix(report) => matrix::file_stem(report),
        analysis::Report::Tokens(report) => tokens::file_stem(report),
    }
}

/// Where the figures are from, as a footnote; and what the model was asked, where that is not the next token.
fn provenance(origin: &Origin) -> String {
    let Origin { model, files, in_front, backend, version, asked, encoder_layers, .. } = origin;
    let digest = files.short();
    let asked = match asked {
        Asked::Next => "",
        Asked::Masked => {
            " Losses are pseudo-losses: every token is masked once, one in seven of a text at a time as a fixed seed deals \
             them, and predicted from all others."
        }
        Asked::Continuation => {
            " Losses are those of the second half of a text, given the first; tokens and bytes are counted of that half."
        }
    };
    let in_front = match in_front {
        None => String::new(),
        Some(InFront::Nothing) => " Nothing stands before a text, so that its first token is not scored.".into(),
        Some(InFront::Token(token)) => format!(" Before each text stands {token}."),
    };
    let stacks = match encoder_layers {
        0 => String::new(),
        count => format!(" Layers e0 to e{} are the encoder's, d0 and on the decoder's.", count - 1),
    };
    format!(
        "Computed by the {backend} backend; model {model}, SHA-256 {digest}…; program version {version}.{in_front}{asked}{stacks}"
    )
}

/// The same where the report is not about one model.
fn made(Made { backend, version, .. }: &Made) -> String {
    format!("Computed by the {backend} backend; program version {version}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::origin::Files;

    /// The matrices of a GPT-2 block.
    pub(super) const PARTS: [Part; 4] = [Part::Qkv, Part::Out, Part::Up, Part::Down];

    /// Of a report that no lab made.
    pub(super) fn origin(model: &str) -> Origin {
        Origin {
            model: model.into(),
            files: Files {
                model_sha256: "0123456789abcdef".into(),
                config_sha256: None,
                tokenizer_sha256: None,
                tokenizer_config_sha256: None,
            },
            corpus_sha256: None,
            in_front: None,
            backend: "cpu".into(),
            version: "0.1.0".into(),
            asked: Asked::Next,
            encoder_layers: 0,
        }
    }

    #[test]
    fn a_footnote_says_where_figures_are_from() {
        let told = "Computed by the cpu backend; model m, SHA-256 0123456789ab…; program version 0.1.0.";
        assert_eq!(provenance(&origin("m")), told);
        let mixed = provenance(&Origin { asked: Asked::Continuation, encoder_layers: 8, ..origin("m") });
        assert!(
            mixed.starts_with(told) && mixed.contains("second half of a text") && mixed.contains("e0 to e7"),
            "{mixed}"
        );
        let masked = provenance(&Origin { asked: Asked::Masked, ..origin("m") });
        assert!(masked.contains("masked once, one in seven") && !masked.contains("encoder"), "{masked}");
    }
}
