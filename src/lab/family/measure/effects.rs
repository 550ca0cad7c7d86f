//! Two factors at two levels each: main effects and their interaction, paired over texts.

use super::{CELLS, Cell, Config};
use crate::lab::{
    degradation::known,
    draws::LEVEL,
    family::{Effects, Measured},
};
use crate::math::{
    metrics,
    statistics::{Interval, Resampled, bootstrap},
};

/// Figures of a [`Measured`]: one per model, then the three effects.
const FIGURES: usize = CELLS + 3;

/// The four figures with their effects.
fn with_effects([a, b, c, d]: [f64; CELLS]) -> [f64; FIGURES] {
    let (data, tokenizer, interaction) = (0.5 * (c - a + d - b), 0.5 * (b - a + d - c), d - c - (b - a));
    [a, b, c, d, data, tokenizer, interaction]
}

/// All of a report's.
pub struct All {
    pub degradation: Vec<Measured>,
    pub bits_per_byte: Vec<Measured>,
    pub mean: Option<Measured>,
    pub mean_bits_per_byte: Option<Measured>,
    pub disparity: Option<Measured>,
}

/// Bytes per token of a language's texts under a model's tokenizer.
pub fn bytes_per_token(cell: &Cell, language: usize) -> f64 {
    let texts = &cell.reading.texts[cell.reading.of_language(language)];
    let (bytes, tokens) =
        texts.iter().fold((0, 0), |(bytes, tokens), of| (bytes + of.bytes, tokens + of.scored as u64));
    bytes as f64 / tokens as f64
}

/// D and Δ bits per byte of a language under a model, its texts counted as drawn.
fn losses(cell: &Cell, language: usize, drawn: &[u32]) -> (f64, f64) {
    let (mut full, mut quantized, mut tokens, mut bytes) = (0.0, 0.0, 0, 0);
    for (text, &times) in cell.reading.of_language(language).zip(drawn).filter(|(_, times)| **times > 0) {
        full += f64::from(times) * cell.nats[0][text];
        quantized += f64::from(times) * cell.nats[1][text];
        tokens += u64::from(times) * cell.reading.texts[text].scored as u64;
        bytes += u64::from(times) * cell.reading.texts[text].bytes;
    }
    (metrics::degradation(full, quantized, tokens), metrics::delta_bits_per_byte(full, quantized, bytes))
}

/// Every figure, from the same resamples of texts, so that languages, models and effects are paired.
pub fn measure(config: &Config, cells: &[Cell]) -> All {
    let languages = config.texts.languages.len();
    let counted: Vec<usize> =
        (0..languages).filter(|&at| cells.iter().all(|cell| cell.languages[at].counts())).collect();
    // Per language D and Δ bits per byte; then mean D, mean Δ, disparity.
    let groups = 2 * languages + 3;
    let figures =
        bootstrap(config.texts.units, groups * FIGURES, config.draws.resamples, config.draws.seed, |drawn, out| {
            let mut of = vec![[f64::NAN; CELLS]; groups];
            for (number, cell) in cells.iter().enumerate() {
                for language in 0..languages {
                    let (degradation, delta) = losses(cell, language, drawn);
                    of[2 * language][number] = degradation;
                    of[2 * language + 1][number] = delta;
                }
                let over = |figure: usize| counted.iter().map(|&at| of[2 * at + figure][number]).collect::<Vec<f64>>();
                let (degradations, deltas) = (over(0), over(1));
                let all = [metrics::mean(&degradations), metrics::mean(&deltas), metrics::disparity(&degradations)];
                for (place, figure) in all.into_iter().enumerate() {
                    of[2 * languages + place][number] = figure.unwrap_or(f64::NAN);
                }
            }
            for (out, of) in out.chunks_exact_mut(FIGURES).zip(of) {
                out.copy_from_slice(&with_effects(of));
            }
        });
    let measured = |group: usize| {
        let own: Vec<Interval> =
            figures[group * FIGURES..][..FIGURES].iter().map(|figure: &Resampled| figure.bca(LEVEL)).collect();
        Measured {
            of: std::array::from_fn(|cell| own[cell]),
            effects: Effects { data: own[CELLS], tokenizer: own[CELLS + 1], interaction: own[CELLS + 2] },
        }
    };
    let over_all = |place: usize| Some(measured(2 * languages + place)).filter(|of| known(of.of[0]).is_some());
    All {
        degradation: (0..languages).map(|at| measured(2 * at)).collect(),
        bits_per_byte: (0..languages).map(|at| measured(2 * at + 1)).collect(),
        mean: over_all(0),
        mean_bits_per_byte: over_all(1),
        disparity: over_all(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A model of two effects and their interaction gives them back.
        #[test]
        fn effects_are_those_put_in(base in -1f64..1.0, data in -1f64..1.0, tokenizer in -1f64..1.0, both in -1f64..1.0) {
            let cells = [base, base + tokenizer, base + data, base + data + tokenizer + both];
            let [.., d, t, i] = with_effects(cells);
            prop_assert!((d - data - 0.5 * both).abs() < 1e-12);
            prop_assert!((t - tokenizer - 0.5 * both).abs() < 1e-12);
            prop_assert!((i - both).abs() < 1e-12);
        }
    }
}
