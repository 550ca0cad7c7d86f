//! Roughly how long a run takes, before anything of it has been measured: so that whoever opens a link knows whether to wait.

use crate::protocol::{Config, Needs};
use crate::report::CorpusCard;

/// Tokens per byte of text, between English (0.3) and scripts that a tokenizer hardly knows.
const TOKENS_PER_BYTE: f64 = 0.4;
/// Multiply-adds a second of one worker: a laptop's core in a browser, with all that is not arithmetic.
const RATE: f64 = 8e9;

/// Bytes of the texts that a config reads.
fn bytes(config: &Config, corpora: &[CorpusCard]) -> f64 {
    let Needs::Texts(sample) = config.needs() else { return 0.0 };
    let Some(corpus) = corpora.iter().find(|card| card.name == sample.corpus) else { return 0.0 };
    let of = |code: &String| corpus.languages.iter().find(|language| language.code == *code).map_or(0, |of| of.bytes);
    sample.languages.iter().map(of).sum::<u64>() as f64 * sample.units as f64 / corpus.units.max(1) as f64
}

/// Seconds of a run on a model of so many parameters and layers, with so many workers.
pub fn seconds(config: &Config, corpora: &[CorpusCard], (parameters, layers): (u64, usize), workers: usize) -> f64 {
    let tokens = bytes(config, corpora) * TOKENS_PER_BYTE;
    config.passes(layers) * tokens * parameters as f64 / (RATE * workers.max(1) as f64)
}

/// A guess, told as one.
pub fn told(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 10.0 => "a few seconds".into(),
        seconds if seconds < 50.0 => "less than a minute".into(),
        seconds if seconds < 90.0 => "about a minute".into(),
        seconds if seconds < 5400.0 => format!("about {:.0} minutes", seconds / 60.0),
        seconds => format!("about {:.0} hours", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chosen::tests::{around, corpora, of_languages};
    use crate::lab::settings::Texts;
    use crate::protocol::Kind;

    #[test]
    fn twice_the_texts_take_twice_the_time_and_weights_alone_none() {
        let of = |kind: Kind, units: usize| {
            let chosen = of_languages(&["eng", "kor"]).with(Texts::KEYS.units, units);
            let config = chosen.config(kind, &around(&corpora())).unwrap();
            seconds(&config, &corpora(), (1 << 30, 12), 2)
        };
        assert!(of(Kind::Languages, 4) > 0.0);
        assert!((of(Kind::Languages, 8) / of(Kind::Languages, 4) - 2.0).abs() < 1e-9);
        assert_eq!(of(Kind::Weights, 4), 0.0);
    }

    #[test]
    fn a_guess_is_told_as_one() {
        let said = [1.0, 30.0, 60.0, 600.0, 7300.0].map(told);
        assert_eq!(
            said,
            ["a few seconds", "less than a minute", "about a minute", "about 10 minutes", "about 2 hours"]
        );
    }
}
