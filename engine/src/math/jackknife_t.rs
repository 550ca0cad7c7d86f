//! Intervals of figures over texts that hold for few texts too: each text is left out once, and Student's t says how far the figure
//! may lie from the truth (Tukey 1958). And how far languages lie apart, beside what texts do by chance.
//!
//! A bootstrap of three texts knows three texts: its 95% interval of D holds 70 times in 100. These hold 95.

use super::{fisher, metrics, statistics::Interval, student};

/// On which scale a figure errs as much to either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Its own.
    Plain,
    /// ln(1 + x), of a relative change such as D.
    Growth,
    /// √x, of what is never below 0 and varies the more the larger it is.
    Root,
    /// ln x, of what is above 0; its own where it is not.
    Ratio,
}

impl Scale {
    fn there(self, x: f64) -> f64 {
        match self {
            Scale::Plain => x,
            Scale::Growth => libm::log1p(x),
            Scale::Root => libm::sqrt(x),
            Scale::Ratio => libm::log(x),
        }
    }

    fn back(self, y: f64) -> f64 {
        match self {
            Scale::Plain => y,
            Scale::Growth => libm::expm1(y),
            // What is never below 0 is not said to be.
            Scale::Root => y.max(0.0) * y.max(0.0),
            Scale::Ratio => libm::exp(y),
        }
    }

    /// The scale on which all of these have a place.
    fn of(self, series: &[f64]) -> Scale {
        if series.iter().all(|&figure| self.there(figure).is_finite()) { self } else { Scale::Plain }
    }
}

/// Intervals over so many texts, at a level.
#[derive(Debug, Clone, Copy)]
pub struct Jackknife {
    units: usize,
    /// Student's t.
    t: f64,
}

impl Jackknife {
    /// Each interval by itself holds at this level.
    pub fn new(units: usize, level: f64) -> Jackknife {
        let t = if units < 2 { f64::NAN } else { student::quantile(0.5 + 0.5 * level, (units - 1) as f64) };
        Jackknife { units, t }
    }

    /// So many intervals hold together at this level (Bonferroni).
    pub fn together(units: usize, level: f64, intervals: usize) -> Jackknife {
        Jackknife::new(units, 1.0 - (1.0 - level) / intervals.max(1) as f64)
    }

    /// Of a figure that comes as its value over all texts, then over all but each. A point for fewer than two texts, and where a
    /// value is not a number.
    pub fn interval(&self, series: &[f64], scale: Scale) -> Interval {
        let value = series.first().copied().unwrap_or(f64::NAN);
        let scale = scale.of(series);
        let half = self.t * libm::sqrt(variance(&series[1..], scale));
        if self.units < 2 || !half.is_finite() {
            return Interval::point(value);
        }
        let centre = scale.there(value);
        let [low, high] = [centre - half, centre + half].map(|end| scale.back(end).clamp(-f64::MAX, f64::MAX));
        Interval { value, low, high }
    }
}

/// (n − 1)/n · Σ (θ₋ᵢ − θ̄)²
fn variance(left_out: &[f64], scale: Scale) -> f64 {
    let n = left_out.len() as f64;
    let moved: Vec<f64> = left_out.iter().map(|&figure| scale.there(figure)).collect();
    let mean = moved.iter().sum::<f64>() / n;
    (n - 1.0) / n * moved.iter().map(|figure| (figure - mean) * (figure - mean)).sum::<f64>()
}

/// Largest less smallest of figures whose intervals hold together: the truth lies between the ends wherever all of them hold.
pub fn range(figures: &[Interval]) -> Option<Interval> {
    let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
    let most = |of: fn(&Interval) -> f64| figures.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let least = |of: fn(&Interval) -> f64| figures.iter().map(of).fold(f64::INFINITY, f64::min);
    let value = metrics::disparity(&values)?;
    let low = (most(|of| of.low) - least(|of| of.high)).clamp(0.0, value);
    Some(Interval { value, low, high: (most(|of| of.high) - least(|of| of.low)).max(value) })
}

/// How far the truths of languages lie apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// Their standard deviation τ: what is left of the spread of the figures without what texts add by chance.
    pub tau: Interval,
    /// That equal languages would lie as far apart: F of languages against what is left beside languages and texts.
    pub p: f64,
}

/// Of figures by language, each over all texts, then over all but each of the same texts. Texts are aligned, so what makes one
/// hard in every language is taken off (two-way analysis of variance over the jackknife's pseudo-values). None for fewer than
/// two languages or texts, or where a value is not a number.
pub fn between(series: &[Vec<f64>], scale: Scale, level: f64) -> Option<Between> {
    let units = series.first()?.len().checked_sub(1)?;
    let scale = series.iter().fold(scale, |scale, of| scale.of(of));
    if series.len() < 2 || units < 2 {
        return None;
    }
    let (m, n) = (series.len() as f64, units as f64);
    let pseudo: Vec<Vec<f64>> = series
        .iter()
        .map(|of| of[1..].iter().map(|&out| n * scale.there(of[0]) - (n - 1.0) * scale.there(out)).collect())
        .collect();
    let of_language: Vec<f64> = pseudo.iter().map(|of| of.iter().sum::<f64>() / n).collect();
    let of_text: Vec<f64> = (0..units).map(|text| pseudo.iter().map(|of| of[text]).sum::<f64>() / m).collect();
    let mean = of_language.iter().sum::<f64>() / m;
    let spread = of_language.iter().map(|own| (own - mean) * (own - mean)).sum::<f64>() / (m - 1.0);
    let left = pseudo.iter().zip(&of_language).flat_map(|(of, own)| {
        of.iter().zip(&of_text).map(move |(value, text)| (value - own - text + mean) * (value - own - text + mean))
    });
    let (df_between, df_within) = (m - 1.0, (m - 1.0) * (n - 1.0));
    let noise = left.sum::<f64>() / df_within / n;
    if !spread.is_finite() || noise.is_nan() || noise <= 0.0 {
        return None;
    }
    let f = spread / noise;
    let tail = 0.5 * (1.0 - level);
    let tau = |lambda: f64| libm::sqrt(lambda * noise / df_between);
    let end = |p: f64| tau(fisher::noncentrality(f, df_between, df_within, p));
    let value = libm::sqrt((spread - noise).max(0.0));
    let (low, high) = (end(1.0 - tail), end(tail));
    let tau = Interval { value, low: low.min(value), high: high.max(value) };
    Some(Between { tau, p: fisher::above(f, df_between, df_within) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rng::Rng;

    /// A mean over all values, then over all but each.
    fn means(values: &[f64]) -> Vec<f64> {
        let (sum, n) = (values.iter().sum::<f64>(), values.len() as f64);
        std::iter::once(sum / n).chain(values.iter().map(|own| (sum - own) / (n - 1.0))).collect()
    }

    #[test]
    fn a_mean_is_held_as_often_as_it_says_from_two_texts_on() {
        let mut rng = Rng::new(5);
        for units in [2usize, 3, 8] {
            let jackknife = Jackknife::new(units, 0.95);
            let held = (0..1000).filter(|_| {
                let values: Vec<f64> = (0..units).map(|_| rng.normal()).collect();
                let Interval { low, high, .. } = jackknife.interval(&means(&values), Scale::Plain);
                low <= 0.0 && 0.0 <= high
            });
            let held = held.count();
            assert!((925..=975).contains(&held), "{held} of 1000 with {units} texts");
        }
    }

    #[test]
    fn what_has_no_spread_or_no_place_on_a_scale() {
        let jackknife = Jackknife::new(3, 0.95);
        assert_eq!(jackknife.interval(&[2.0; 4], Scale::Ratio), Interval::point(2.0));
        assert_eq!(Jackknife::new(1, 0.95).interval(&[2.0, 1.0], Scale::Plain), Interval::point(2.0));
        let plain = jackknife.interval(&[1.0, -0.5, 1.0, 2.0], Scale::Plain);
        assert_eq!(jackknife.interval(&[1.0, -0.5, 1.0, 2.0], Scale::Ratio), plain);
        let growth = jackknife.interval(&[0.1, 0.08, 0.1, 0.13], Scale::Growth);
        assert!(growth.low < 0.1 && 0.1 < growth.high && growth.low > -1.0);
        assert!(jackknife.interval(&[f64::NAN, 1.0, 1.0, 1.0], Scale::Plain).value.is_nan());
    }

    #[test]
    fn a_range_holds_what_its_figures_hold() {
        let of = |low: f64, value: f64, high: f64| Interval { value, low, high };
        let found = range(&[of(0.0, 1.0, 2.0), of(4.0, 5.0, 6.0), of(2.0, 3.0, 4.0)]).unwrap();
        assert_eq!(found, of(2.0, 4.0, 6.0));
        assert_eq!(range(&[of(0.0, 1.0, 2.0), of(0.5, 1.5, 2.5)]).unwrap().low, 0.0);
        assert_eq!(range(&[of(0.0, 1.0, 2.0)]), None);
    }

    /// Of languages that are equal, p is a share; τ and the range hold their truth, whatever the spread.
    #[test]
    fn the_spread_between_languages_is_held() {
        let (mut rng, languages) = (Rng::new(8), 6);
        for (units, truth) in [(2usize, 0.0), (3, 0.5), (8, 0.0), (8, 2.0)] {
            let (mut held, mut unlike) = (0, 0);
            for _ in 0..400 {
                let truths: Vec<f64> = (0..languages).map(|_| truth * rng.normal()).collect();
                let hard: Vec<f64> = (0..units).map(|_| rng.normal()).collect();
                let series: Vec<Vec<f64>> = truths
                    .iter()
                    .map(|own| means(&hard.iter().map(|text| own + text + 0.7 * rng.normal()).collect::<Vec<f64>>()))
                    .collect();
                let found = between(&series, Scale::Plain, 0.95).unwrap();
                let mean = truths.iter().sum::<f64>() / languages as f64;
                let squares: f64 = truths.iter().map(|own| (own - mean) * (own - mean)).sum();
                let tau = (squares / (languages - 1) as f64).sqrt();
                held += u32::from(found.tau.low <= tau && tau <= found.tau.high);
                unlike += u32::from(found.p < 0.05);
            }
            assert!(held >= 370, "τ = {truth} was held {held} times in 400 from {units} texts");
            assert!(truth > 0.0 || (5..=35).contains(&unlike), "{unlike} of 400 equal sets were told apart");
        }
    }
}
