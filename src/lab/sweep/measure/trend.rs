//! How figures fall from bit to bit: every draw of the bootstrap at every width, and least-squares slopes of their logarithms.

use super::Outcome;
use crate::lab::{
    degradation::{Losses, degradation, known},
    draws::LEVEL,
    sweep::{Measure, Slope},
};
use crate::math::{
    line::Line,
    metrics,
    quantizer::Bits,
    range_test::Equality,
    statistics::{Interval, Resampled, each_draw},
};

/// Figures of one set of weights in every draw of the bootstrap, in order; NaN where no language was seen.
pub(super) struct Series {
    pub mean: Vec<f64>,
    pub nats: Vec<f64>,
    /// p of languages that lose the same.
    pub chance: Option<f64>,
}

/// Of the nats of all texts under one set of weights.
pub(super) fn series(losses: &Losses<'_>, changed: &[f64], resamples: usize, seed: u64) -> Series {
    let (reading, units) = (losses.reading, losses.reading.units);
    let counted: Vec<usize> = (0..losses.languages.len()).filter(|&at| losses.languages[at].counts()).collect();
    let (mut mean, mut nats, mut equality) = (Vec::new(), Vec::new(), None);
    each_draw(units, resamples, seed, |drawn| {
        let of = |&language: &usize| degradation(reading, language, [losses.full, changed], drawn);
        let each: Vec<f64> = counted.iter().map(of).collect();
        let draw = mean.len();
        match &mut equality {
            _ if draw == 0 => equality = Equality::new(&each),
            // After the figures themselves and the jackknife.
            Some(equality) if draw > units => equality.see(&each),
            _ => {}
        }
        mean.push(metrics::mean(&each).unwrap_or(f64::NAN));
        let logarithms: Vec<f64> = each.iter().map(|&d| libm::log1p(d)).collect();
        nats.push(metrics::mean(&logarithms).unwrap_or(f64::NAN));
    });
    Series { mean, nats, chance: equality.and_then(|equality| equality.p()) }
}

/// Relative squared error of each set of weights in every draw over matrices, from their squared errors and powers.
pub(super) fn error_series(errors: &[&[f64]], powers: &[f64], resamples: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut series = vec![Vec::new(); errors.len()];
    each_draw(powers.len(), resamples, seed, |drawn| {
        let sum = |of: &[f64]| of.iter().zip(drawn).map(|(of, &times)| f64::from(times) * of).sum::<f64>();
        let power = sum(powers);
        series.iter_mut().zip(errors).for_each(|(series, errors)| series.push(sum(errors) / power));
    });
    series
}

/// Of every rule, each of so many widths: every measure. Series stand beside their units.
pub(super) fn slopes(
    outcomes: &[Outcome],
    widths: usize,
    (losses, units): (&[Series], usize),
    (errors, matrices): (&[Vec<f64>], usize),
) -> Vec<Slope> {
    let mut slopes = Vec::new();
    for first in (0..outcomes.len()).step_by(widths) {
        for measure in Measure::ALL {
            let figure = |at: usize| match measure {
                Measure::Error => (Some(outcomes[at].error), &errors[at], matrices),
                Measure::Degradation => (outcomes[at].mean, &losses[at].mean, units),
                Measure::Nats => (outcomes[at].nats, &losses[at].nats, units),
            };
            let above = |&at: &usize| figure(at).0.is_some_and(|of| of.low > 0.0);
            let kept: Vec<usize> = (first..first + widths).filter(above).collect();
            let bits: Vec<Bits> = kept.iter().map(|&at| outcomes[at].bits).collect();
            let series: Vec<&[f64]> = kept.iter().map(|&at| &figure(at).1[..]).collect();
            slopes.push(Slope {
                rule: outcomes[first].rule,
                measure,
                slope: slope(&bits, &series, figure(first).2),
                grid: grid(&bits),
                bits,
            });
        }
    }
    slopes
}

/// log₂ per bit of figures that are known in every draw over so many units.
fn slope(bits: &[Bits], series: &[&[f64]], units: usize) -> Option<Interval> {
    let draws = series.first()?.len();
    let in_draw = |draw: usize| {
        let figures: Vec<f64> = series.iter().map(|of| of[draw]).collect();
        per_bit(bits, &figures).unwrap_or(f64::NAN)
    };
    known(Resampled::of(&(0..draws).map(in_draw).collect::<Vec<_>>(), units).bca(LEVEL))
}

/// log₂ per bit, by least squares; none for fewer than two widths and where a figure has no logarithm.
pub fn per_bit(bits: &[Bits], figures: &[f64]) -> Option<f64> {
    let point = |(bits, figure): (&Bits, &f64)| (f64::from(bits.get()), libm::log2(*figure));
    let points: Vec<(f64, f64)> = bits.iter().zip(figures).map(point).collect();
    let line = Line::fit(&points, &vec![1; points.len()])?;
    Some(line.slope).filter(|slope| slope.is_finite())
}

/// That of a squared step.
fn grid(bits: &[Bits]) -> Option<f64> {
    let squares: Vec<f64> = bits.iter().map(|bits| f64::from(bits.levels())).map(|l| 1.0 / (l * l)).collect();
    per_bit(bits, &squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::sweep::LAW;
    use proptest::prelude::*;

    #[test]
    fn the_law_has_its_slope_and_the_grid_a_steeper_one() {
        let law: Vec<f64> = Bits::ALL.iter().map(|bits| 0.3 / (1u64 << (2 * bits.get())) as f64).collect();
        assert!((per_bit(&Bits::ALL, &law).unwrap() - LAW).abs() < 1e-12);
        // numpy.polyfit(range(2, 9), -2*numpy.log2(2.0**(numpy.arange(2, 9) - 1) - 1), 1)[0]
        assert!((grid(&Bits::ALL).unwrap() - -2.278_395_021_014_521).abs() < 1e-12, "{:?}", grid(&Bits::ALL));
        assert_eq!(per_bit(&Bits::ALL[..1], &[0.5]), None);
        assert_eq!(per_bit(&Bits::ALL[..2], &[0.5, 0.0]), None);
        assert_eq!(per_bit(&Bits::ALL[..2], &[0.5, -0.1]), None);
    }

    #[test]
    fn the_whole_error_is_that_of_its_matrices_by_their_power() {
        let series = error_series(&[&[1.0, 3.0], &[0.5, 0.5]], &[10.0, 30.0], 100, 1);
        assert_eq!((series[0][0], series[1][0]), (0.1, 0.025));
        // The jackknife: without the first, without the second.
        assert_eq!((series[0][1], series[0][2]), (0.1, 0.1));
        assert_eq!((series[1][1], series[1][2]), (0.5 / 30.0, 0.05));
    }

    proptest! {
        /// A factor on all figures moves no slope, and a constant fall per bit is found.
        #[test]
        fn slopes_are_of_ratios(noise in prop::collection::vec(0.5f64..2.0, 7), factor in 0.01f64..100.0, fall in -4f64..1.0) {
            let figures: Vec<f64> =
                Bits::ALL.iter().zip(&noise).map(|(bits, noise)| noise * libm::exp2(fall * f64::from(bits.get()))).collect();
            let scaled: Vec<f64> = figures.iter().map(|figure| factor * figure).collect();
            let (a, b) = (per_bit(&Bits::ALL, &figures).unwrap(), per_bit(&Bits::ALL, &scaled).unwrap());
            prop_assert!((a - b).abs() < 1e-9);
            let noise_alone = per_bit(&Bits::ALL, &noise).unwrap();
            prop_assert!((a - fall - noise_alone).abs() < 1e-9);
        }
    }
}
