//! The figures by which a person knows a report again: a dozen, each with a name.

use serde::Serialize;

use super::Report;
use crate::math::statistics::Interval;

/// Figures in a link.
pub const MOST_FIGURES: usize = 12;

/// A figure with its name, and its interval where it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `disparity`, `D eng`, …
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Lower and upper end.
    pub bounds: Option<(f64, f64)>,
}

impl Figure {
    /// All that is known of it.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        let ends = self.bounds.into_iter().flat_map(|(low, high)| [low, high]);
        [self.value].into_iter().chain(ends)
    }
}

/// The figures that say most, at most [`MOST_FIGURES`]; those that are no finite number are left out.
pub fn headline(report: &Report) -> Vec<Figure> {
    let mut figures = all(report);
    figures.truncate(MOST_FIGURES);
    figures
}

/// Every figure that a headline of the same settings could hold, the first of them first.
pub(crate) fn all(report: &Report) -> Vec<Figure> {
    let mut found = Headline::default();
    report.headline(&mut found);
    found.0
}

/// Figures as an analysis names them, the first the most telling.
#[derive(Debug, Default)]
pub struct Headline(Vec<Figure>);

impl Headline {
    fn add(&mut self, name: impl Into<String>, value: f64, bounds: Option<(f64, f64)>) {
        let figure = Figure { name: name.into(), value, bounds };
        if figure.numbers().all(f64::is_finite) {
            self.0.push(figure);
        }
    }

    /// A figure without an interval.
    pub fn number(&mut self, name: impl Into<String>, value: f64) {
        self.add(name, value, None);
    }

    /// A figure with its interval, where it has a value.
    pub fn interval(&mut self, name: impl Into<String>, of: impl Into<Option<Interval>>) {
        if let Some(Interval { value, low, high }) = of.into() {
            self.add(name, value, Some((low, high)));
        }
    }

    /// The largest first; of equals the first.
    pub fn largest<'a>(&mut self, name: &str, of: impl Iterator<Item = (&'a str, Interval)>) {
        let mut all: Vec<_> = of.collect();
        all.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
        all.into_iter().for_each(|(code, of)| self.interval(format!("{name} {code}"), of));
    }

    /// κ of each layer, the largest first.
    pub fn kurtosis(&mut self, layers: impl Iterator<Item = f64>) {
        let mut layers: Vec<(usize, f64)> = layers.enumerate().collect();
        layers.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        layers.into_iter().for_each(|(layer, kurtosis)| self.number(format!("κ layer {layer}"), kurtosis));
    }
}

/// A choice as JSON names it.
pub(crate) fn key(of: &impl Serialize) -> String {
    serde_json::to_value(of).ok().and_then(|value| value.as_str().map(String::from)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::languages::sample;

    #[test]
    fn the_largest_losses_come_first_and_what_is_no_number_is_left_out() {
        let mut report = sample::report();
        report.over_all[0].ratio = Some(Interval { value: f64::NAN, low: 0.0, high: 1.0 });
        let names: Vec<String> = headline(&report.into()).into_iter().map(|figure| figure.name).collect();
        assert_eq!(
            names,
            [
                "disparity",
                "low ÷ high",
                "KL per text tha",
                "KL per text kor",
                "KL per text eng",
                "D tha",
                "D kor",
                "D eng"
            ]
        );
    }
}
