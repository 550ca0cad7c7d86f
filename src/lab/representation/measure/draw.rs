//! Figures over texts as often as they are drawn, and their intervals.

use super::{
    alignment::{Alignments, Finds},
    probes::Answers,
};
use crate::lab::{
    degradation::{Language, degradation, known},
    draws::LEVEL,
    groups::Groups,
    representation::{Accuracy, Aligned, Cell, Config, Probed, Row, Spread, verdicts},
    sample::Reading,
    state_similarity::{self, CHANNELS, COSINES, HSIC_BOTH, HSIC_FIRST, HSIC_SECOND, ROWS, SLICED, VARIANCE},
};
use crate::math::{
    cka::{self, Hsic},
    jackknife,
    statistics::{Interval, bca},
};

/// What the passes showed, ready to be resampled.
pub struct Measured<'a> {
    pub reading: &'a Reading,
    /// How like the states are, by text and layer (texts, layers).
    pub likeness: Vec<[f64; state_similarity::FIGURES]>,
    pub nats: &'a [Vec<f64>; 2],
    pub layers: usize,
    pub alignments: Alignments,
    pub probes: &'a [Answers],
    pub groups: Groups,
    pub config: &'a Config,
}

/// Figures of a cell that come from its likeness: cosine, CKA, sliced, channels.
const LIKE: usize = 4;
/// Figures of an [`Aligned`], for both sets of weights.
const ALIGNED: usize = 6;

impl Measured<'_> {
    fn bca(&self, statistics: usize, f: impl FnMut(&[u32], &mut [f64])) -> Vec<Interval> {
        bca(self.config.texts.units, statistics, self.config.draws.resamples, LEVEL, self.config.draws.seed, f)
    }

    /// Cosine, CKA, sliced and channels of a language and layer.
    fn like(&self, language: usize, layer: usize, drawn: &[u32]) -> [f64; LIKE] {
        let mut sums = [0.0; state_similarity::FIGURES];
        for (text, &times) in self.reading.of_language(language).zip(drawn).filter(|(_, times)| **times > 0) {
            let figures = &self.likeness[text * self.layers + layer];
            sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += f64::from(times) * figure);
        }
        let hsic = Hsic { both: sums[HSIC_BOTH], of_x: sums[HSIC_FIRST], of_y: sums[HSIC_SECOND] };
        // Both distances in units of the spread of the full-precision states, so that layers can be compared.
        let spread = libm::sqrt(sums[VARIANCE] / sums[ROWS]);
        [
            sums[COSINES] / sums[ROWS],
            cka::cka(hsic),
            libm::sqrt(sums[SLICED] / sums[ROWS]) / spread,
            sums[CHANNELS] / sums[ROWS] / spread,
        ]
    }

    /// How far states move: the sliced distance, mean over layers.
    fn moved(&self, language: usize, drawn: &[u32]) -> f64 {
        (0..self.layers).map(|layer| self.like(language, layer, drawn)[2]).sum::<f64>() / self.layers as f64
    }

    /// Share of right answers on a language's texts, under one way of asking.
    fn right(&self, probe: &Answers, layer: usize, way: usize, language: usize, drawn: &[u32]) -> f64 {
        mean(self.reading.of_language(language).map(|text| probe.layers[layer][way][text]), drawn)
    }

    /// Accuracy that a probe trained anew has lost on a language, mean over layers.
    fn lost(&self, probe: &Answers, language: usize, drawn: &[u32]) -> f64 {
        mean(self.reading.of_language(language).map(|text| probe.lost[text]), drawn)
    }

    /// A language with all its layers.
    pub fn row(
        &self,
        number: usize,
        language: Language,
        script: String,
        entropies: impl Fn(usize) -> [Interval; 2],
    ) -> Row {
        let finds = self.alignments[number].as_ref();
        let each = LIKE + if finds.is_some() { ALIGNED } else { 0 };
        let own = 2 + self.probes.len();
        let intervals = self.bca(own + self.layers * each, |drawn, out| {
            out[0] = degradation(self.reading, number, [&self.nats[0], &self.nats[1]], drawn);
            out[1] = self.moved(number, drawn);
            for (out, probe) in out[2..].iter_mut().zip(self.probes) {
                *out = self.lost(probe, number, drawn);
            }
            for (layer, out) in out[own..].chunks_exact_mut(each).enumerate() {
                out[..LIKE].copy_from_slice(&self.like(number, layer, drawn));
                if let Some(finds) = finds {
                    for (out, finds) in out[LIKE..].chunks_exact_mut(3).zip(&finds[layer]) {
                        let of = |of: fn(&Finds) -> f64| mean(finds.iter().map(of), drawn);
                        out.copy_from_slice(&[of(|of| of.found), of(|of| of.found_back), of(|of| of.margin)]);
                    }
                }
            }
        });
        let aligned = |of: &[Interval]| Aligned { found: of[0], found_back: of[1], margin: of[2] };
        let cell = |(layer, of): (usize, &[Interval])| Cell {
            cosine: known(of[0]),
            cka: known(of[1]),
            sliced: known(of[2]),
            channels: known(of[3]),
            entropy: entropies(layer),
            aligned: finds.map(|_| [aligned(&of[LIKE..]), aligned(&of[LIKE + 3..])]),
        };
        Row {
            language,
            script,
            degradation: intervals[0],
            moved: known(intervals[1]),
            lost: intervals[2..own].to_vec(),
            layers: intervals[own..].chunks_exact(each).enumerate().map(cell).collect(),
        }
    }

    /// What probes read off each layer, over all seen languages.
    pub fn probed(&self) -> Vec<Probed> {
        let of = |probe: &Answers| {
            let over = |layer: usize, way: usize, drawn: &[u32]| {
                let languages = &self.groups.counted;
                let sum: f64 = languages.iter().map(|&of| self.right(probe, layer, way, of, drawn)).sum();
                sum / languages.len() as f64
            };
            let intervals = self.bca(4 * self.layers, |drawn, out| {
                for (layer, out) in out.chunks_exact_mut(4).enumerate() {
                    let [full, anew, carried] = [0, 1, 2].map(|way| over(layer, way, drawn));
                    out.copy_from_slice(&[full, anew, carried, full - anew]);
                }
            });
            let accuracy = |of: &[Interval]| Accuracy { full: of[0], anew: of[1], carried: of[2], lost: of[3] };
            Probed {
                question: probe.question,
                classes: probe.classes,
                trained_on: probe.trained_on,
                layers: intervals.chunks_exact(4).map(accuracy).collect(),
            }
        };
        // Without a seen language there is nothing to tell.
        if self.groups.counted.is_empty() { Vec::new() } else { self.probes.iter().map(of).collect() }
    }

    /// Over languages; `spectra` is the entropy after each layer, mean over seen languages, whole and with parts left out.
    pub fn spread(&self, spectra: &[Vec<f64>]) -> Spread {
        let apart = |of: &dyn Fn(usize) -> f64| {
            let mean = |which: &[usize]| which.iter().map(|&at| of(at)).sum::<f64>() / which.len() as f64;
            mean(&self.groups.low) - mean(&self.groups.high)
        };
        let both = self.bca(2, |drawn, out| {
            out[0] = apart(&|language| self.moved(language, drawn));
            let asked = self.probes.len() as f64;
            out[1] = apart(&|language| {
                self.probes.iter().map(|probe| self.lost(probe, language, drawn)).sum::<f64>() / asked
            });
        });
        let claimed = verdicts::claimed_layer(self.layers);
        let less = |of: &Vec<f64>| jackknife::of(&jackknife::less(&spectra[claimed], of));
        let none = self.groups.counted.is_empty();
        Spread {
            moved: known(both[0]),
            lost: known(both[1]),
            entropy: if none { Vec::new() } else { spectra.iter().map(|of| jackknife::of(of)).collect() },
            claimed: if none { Vec::new() } else { spectra.iter().map(less).collect() },
        }
    }
}

/// The mean of figures of units, each as often as drawn.
fn mean(figures: impl Iterator<Item = f64>, drawn: &[u32]) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for (figure, &times) in figures.zip(drawn) {
        sum += f64::from(times) * figure;
        count += times;
    }
    sum / f64::from(count)
}
