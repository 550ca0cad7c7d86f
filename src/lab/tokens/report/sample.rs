//! A report that no lab made.

use super::*;
use crate::lab::degradation::Language;
use crate::lab::rounding::Rounding;
use crate::report::{Bits, Granularity, Resource, Rule};

/// A token with a loss of so many bits before and after.
pub fn token(bytes: &[u8], of: Option<(f64, f64)>) -> Token {
    let nats = of.map(|(full, quantized)| (full * std::f64::consts::LN_2, quantized * std::f64::consts::LN_2));
    match str::from_utf8(bytes) {
        Ok(text) => Token { text: Some(text.into()), bytes: None, nats },
        Err(_) => {
            let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Token { text: None, bytes: Some(hex), nats }
        }
    }
}

fn row(code: &str, name: &str, direction: &str, tokens: Vec<Token>) -> Row {
    let sum = |take: fn(&(f64, f64)) -> f64| tokens.iter().filter_map(|token| token.nats.as_ref()).map(take).sum();
    Row {
        language: Language {
            code: code.into(),
            name: name.into(),
            endonym: name.into(),
            direction: direction.into(),
            resource: Resource::Middle,
            tokens_seen: None,
        },
        bytes: 8,
        scored: tokens.iter().filter(|token| token.nats.is_some()).count() as u64,
        full: sum(|of| of.0),
        quantized: sum(|of| of.1),
        tokens,
    }
}

/// Two languages; in the second a character is cut into two tokens.
pub fn report() -> Report {
    let english = vec![token(b"All ", None), token(b"<b>&", Some((2.0, 3.0)))];
    let amharic = vec![
        token("ሰ".as_bytes(), Some((4.0, 3.5))),
        token(&"ላ".as_bytes()[..2], Some((6.0, 10.25))),
        token(&"ላ".as_bytes()[2..], Some((1.0, 1.0))),
    ];
    Report {
        config: Config {
            quantizer: Rounding { bits: Bits::ALL[1], rule: Rule::Absmax, granularity: Granularity::Tensor },
            corpus: "udhr".into(),
            languages: vec!["eng".into(), "amh".into()],
            unit: 1,
        },
        origin: crate::lab::provenance::tests::origin("m"),
        unit: "article".into(),
        rows: vec![row("eng", "English", "ltr", english), row("amh", "Amharic", "ltr", amharic)],
    }
}
