//! All figures of one draw of texts, in a fixed order, and the reading of their intervals in the same.

use std::f64::consts::LN_2;

use super::{FULL, QUANTIZED, WITHOUT};
use crate::lab::{
    degradation::{Language, degradation, known},
    groups::Groups,
    layer_activation::{outlier_share, shares},
    redundancy::{Delta, Error, Measure, Ratio, Row, bound},
    sample::Reading,
};
use crate::math::{metrics, quantizer::Bits, statistics::Interval};

/// What the passes showed, ready to be resampled.
pub struct Measured<'a> {
    pub reading: &'a Reading,
    /// Σ ‖h_l‖ of each text, in full precision.
    pub norms: Vec<Vec<f64>>,
    /// Of each text, under each recipe.
    pub nats: [Vec<f64>; 3],
    /// Of each text, without any state.
    pub baseline: Vec<f64>,
    /// Of each layer.
    pub relative: &'a [f64],
    pub left_out: &'a [usize],
    /// R of [`Measure::Spectrum`], which is not resampled: it has an interval of its own.
    pub spectrum: Vec<f64>,
    pub groups: Groups,
    pub bits: Bits,
}

/// Figures of a language in one draw.
struct Figures {
    loss: f64,
    loss_without: f64,
    loss_baseline: f64,
    redundancy: [f64; Measure::ALL.len()],
    /// In the order of [`Error::ALL`].
    errors: [f64; Error::ALL.len()],
}

impl Measured<'_> {
    fn language(&self, language: usize, drawn: &[u32]) -> Figures {
        let texts = || self.reading.of_language(language).zip(drawn).filter(|(_, times)| **times > 0);
        let sum = |of: &dyn Fn(usize) -> f64| texts().map(|(text, &times)| f64::from(times) * of(text)).sum::<f64>();
        let tokens = sum(&|text| self.reading.texts[text].scored as f64);
        let per_token = |nats: &[f64]| sum(&|text| nats[text]) / tokens / LN_2;
        let [loss, loss_without] = [FULL, WITHOUT].map(|recipe| per_token(&self.nats[recipe]));
        let loss_baseline = per_token(&self.baseline);
        let norms: Vec<f64> = (0..self.relative.len()).map(|layer| sum(&|text| self.norms[text][layer])).collect();
        let shares = shares(&norms);
        // I(h_all; y) = H(y) − H(y | h_all), each loss being a cross-entropy that bounds its entropy from above.
        let information = loss_baseline - loss;
        Figures {
            loss,
            loss_without,
            loss_baseline,
            redundancy: [
                information - loss,
                self.spectrum[language],
                (loss_without - loss) / information,
                outlier_share(&shares, self.left_out),
            ],
            errors: [
                degradation(self.reading, language, [&self.nats[FULL], &self.nats[QUANTIZED]], drawn),
                shares.iter().zip(self.relative).map(|(share, error)| share * error).sum(),
            ],
        }
    }

    /// In the order in which [`Reader`] reads.
    pub fn all(&self, drawn: &[u32]) -> Vec<f64> {
        let languages: Vec<Figures> = (0..self.spectrum.len()).map(|language| self.language(language, drawn)).collect();
        let mut all = Vec::new();
        for of in &languages {
            all.extend([of.loss, of.loss_without, of.loss_baseline]);
            all.extend(of.redundancy);
            all.extend(of.errors);
        }
        for of in &languages {
            for redundancy in of.redundancy {
                for error in of.errors {
                    all.extend(Delta::ALL.map(|delta| {
                        bound(self.bits, redundancy, delta.of(self.bits)).map_or(f64::NAN, |bound| error - bound)
                    }));
                }
            }
        }
        let mean = |which: &[usize], of: &dyn Fn(&Figures) -> f64| {
            metrics::mean(&which.iter().map(|&at| of(&languages[at])).collect::<Vec<f64>>()).unwrap_or(f64::NAN)
        };
        for measure in 0..Measure::ALL.len() {
            let [high, low] = [&self.groups.high, &self.groups.low].map(|of| mean(of, &|of| of.redundancy[measure]));
            for error in 0..Error::ALL.len() {
                let [of_high, of_low] =
                    [&self.groups.high, &self.groups.low].map(|of| mean(of, &|of| of.errors[error]));
                for delta in Delta::ALL.map(|delta| delta.of(self.bits)) {
                    let (observed, predicted) = (of_low / of_high, (high + delta) / (low + delta));
                    all.extend([observed, predicted, observed - predicted, high - low]);
                }
            }
        }
        all
    }
}

/// Reads the intervals of [`Measured::all`].
pub struct Reader(std::vec::IntoIter<Interval>);

impl Reader {
    pub fn new(intervals: Vec<Interval>) -> Reader {
        Reader(intervals.into_iter())
    }

    pub fn next(&mut self) -> Interval {
        self.0.next().expect("as many figures are read as were written")
    }

    /// A language; `whole` is its R of [`Measure::Spectrum`].
    pub fn row(&mut self, language: Language, whole: Interval, spectrum: Vec<Interval>) -> Row {
        let [loss, loss_without, loss_baseline] = [(); 3].map(|()| self.next());
        let redundancy = Measure::ALL.map(|measure| {
            let drawn = self.next();
            known(if measure == Measure::Spectrum { whole } else { drawn })
        });
        let [degradation, weight_error] = Error::ALL.map(|_| self.next());
        let redundancy = redundancy.to_vec();
        Row { language, loss, loss_without, loss_baseline, redundancy, spectrum, degradation, weight_error }
    }

    /// The corollary; a ratio whose figures are not numbers is left out. `of_spectrum` is the gap of [`Measure::Spectrum`].
    pub fn ratios(&mut self, bits: Bits, of_spectrum: Interval) -> Vec<Ratio> {
        let mut ratios = Vec::new();
        for measure in Measure::ALL {
            for error in Error::ALL {
                for delta in Delta::ALL {
                    let [observed, predicted, difference, gap] = [(); 4].map(|()| known(self.next()));
                    let gap = if measure == Measure::Spectrum { known(of_spectrum) } else { gap };
                    let all = observed.zip(predicted).zip(difference).zip(gap);
                    ratios.extend(all.map(|(((observed, predicted), difference), gap)| {
                        let (value, reading) = (delta.of(bits), delta);
                        Ratio { measure, error, reading, delta: value, observed, predicted, difference, gap }
                    }));
                }
            }
        }
        ratios
    }
}
