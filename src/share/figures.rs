//! The figures by which a person knows a report again: a dozen, each with a name.

use serde::Serialize;

use crate::{
    analysis::{
        Report, activation, causes, clipping, dial, family, gateway, languages, matrix, mitigation, redundancy,
        representation, screening, statistics, sweep, tokens, weights,
    },
    math::statistics::Interval,
};

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
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
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
pub(super) fn all(report: &Report) -> Vec<Figure> {
    let mut found = Found::default();
    match report {
        Report::Languages(report) => found.languages(report),
        Report::Weights(report) => found.weights(report),
        Report::Clipping(report) => found.clipping(report),
        Report::Activation(report) => found.activation(report),
        Report::Mitigation(report) => found.mitigation(report),
        Report::Dial(report) => found.dial(report),
        Report::Gateway(report) => found.gateway(report),
        Report::Redundancy(report) => found.redundancy(report),
        Report::Representation(report) => found.representation(report),
        Report::Statistics(report) => found.statistics(report),
        Report::Causes(report) => found.causes(report),
        Report::Family(report) => found.family(report),
        Report::Sweep(report) => found.sweep(report),
        Report::Screening(report) => found.screening(report),
        Report::Matrix(report) => found.matrix(report),
        Report::Tokens(report) => found.tokens(report),
    }
    found.0
}

#[derive(Default)]
struct Found(Vec<Figure>);

impl Found {
    fn add(&mut self, name: impl Into<String>, value: f64, bounds: Option<(f64, f64)>) {
        let figure = Figure { name: name.into(), value, bounds };
        if figure.numbers().all(f64::is_finite) {
            self.0.push(figure);
        }
    }

    fn number(&mut self, name: impl Into<String>, value: f64) {
        self.add(name, value, None);
    }

    fn interval(&mut self, name: impl Into<String>, of: impl Into<Option<Interval>>) {
        if let Some(Interval { value, low, high }) = of.into() {
            self.add(name, value, Some((low, high)));
        }
    }

    /// The largest first; of equals the first.
    fn largest<'a>(&mut self, name: &str, of: impl Iterator<Item = (&'a str, Interval)>) {
        let mut all: Vec<_> = of.collect();
        all.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
        all.into_iter().for_each(|(code, of)| self.interval(format!("{name} {code}"), of));
    }

    fn languages(&mut self, report: &languages::Report) {
        self.interval("disparity", report.disparity);
        self.interval("low ÷ high", report.ratio);
        self.interval("mean D high", report.mean_high);
        self.interval("mean D low", report.mean_low);
        self.largest("D", report.rows.iter().map(|row| (&row.code[..], row.degradation)));
    }

    fn kurtosis(&mut self, layers: impl Iterator<Item = f64>) {
        let mut layers: Vec<(usize, f64)> = layers.enumerate().collect();
        layers.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        layers.into_iter().for_each(|(layer, kurtosis)| self.number(format!("κ layer {layer}"), kurtosis));
    }

    fn weights(&mut self, report: &weights::Report) {
        self.number("outlier layers", report.layers.iter().filter(|layer| layer.outlier).count() as f64);
        self.kurtosis(report.layers.iter().map(|layer| layer.spread.summary.kurtosis));
    }

    fn clipping(&mut self, report: &clipping::Report) {
        if let Some(fit) = &report.fit {
            self.interval("c", fit.c);
            self.interval("d", fit.d);
            self.number("rms", fit.rms);
            self.number("rms of the seed", fit.seed_rms);
        }
        self.interval("r wrong threshold", report.wrong_threshold.as_ref().map(|of| of.pearson));
        for loss in &report.losses {
            self.interval(format!("disparity {}", key(&loss.rule)), loss.disparity);
        }
        self.largest("κ", report.languages.iter().map(|of| (&of.code[..], of.kurtosis)));
    }

    fn activation(&mut self, report: &activation::Report) {
        if let Some(spread) = &report.spread {
            self.interval("disparity", spread.disparity);
            self.interval("√Var κ", spread.deviation);
            self.interval("range R", spread.range);
        }
        for (pair, correlation) in activation::Pair::ALL.iter().zip(&report.correlations) {
            self.interval(format!("r {}", key(pair)), correlation.as_ref().map(|of| of.pearson));
        }
        self.largest("D", report.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
    }

    fn mitigation(&mut self, report: &mitigation::Report) {
        for row in &report.rows {
            self.interval(format!("disparity {}", key(&row.method)), row.cost.disparity);
        }
        for row in &report.rows {
            self.interval(format!("low ÷ high {}", key(&row.method)), row.cost.ratio);
        }
    }

    /// From the furthest point back.
    fn dial(&mut self, report: &dial::Report) {
        for outcome in report.outcomes.iter().rev() {
            let (point, bits, rule) = (outcome.point, outcome.bits.get(), key(&outcome.rule));
            self.interval(format!("disparity {point} {bits} {rule}"), outcome.cost.disparity);
        }
        for (number, point) in report.points.iter().enumerate() {
            self.number(format!("max κ {number}"), point.max_kurtosis);
        }
    }

    fn gateway(&mut self, report: &gateway::Report) {
        for budget in &report.config.budgets {
            let best = report.of_size(*budget).next();
            self.interval(format!("disparity best {budget}"), best.and_then(|row| row.cost.disparity));
        }
        let (none, layers) = (report.of_size(0).next(), report.layers.len());
        self.interval("disparity none", none.and_then(|row| row.cost.disparity));
        self.interval("disparity all", report.of_size(layers).next().and_then(|row| row.cost.disparity));
        for pick in &report.picks {
            self.interval(format!("regret {} {}", key(&pick.picker), pick.set.len()), pick.regret);
        }
        self.kurtosis(report.layers.iter().map(|layer| layer.kurtosis));
    }

    fn redundancy(&mut self, report: &redundancy::Report) {
        for of in &report.relations {
            self.interval(format!("slope {} {}", key(&of.measure), key(&of.error)), of.slope);
        }
        for of in report.ratios.iter().filter(|of| of.error == redundancy::Error::Loss) {
            self.interval(format!("difference {} {}", key(&of.measure), key(&of.reading)), of.difference);
        }
        self.largest("D", report.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
    }

    fn representation(&mut self, report: &representation::Report) {
        self.interval("moved low − high", report.spread.moved);
        self.interval("lost low − high", report.spread.lost);
        let lowest =
            report.spread.entropy.iter().map(|of| of.value).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        if let Some((layer, _)) = lowest {
            self.number("layer of least entropy", layer as f64);
        }
        self.interval("3L/4 less first", report.spread.claimed.first().copied());
        self.interval("3L/4 less last", report.spread.claimed.last().copied());
        let moved = report.rows.iter().filter_map(|row| Some((&row.language.code[..], row.moved?)));
        self.largest("moved", moved);
    }

    fn causes(&mut self, report: &causes::Report) {
        if let Some(paths) = &report.paths {
            let all =
                [("direct", paths.direct), ("indirect", paths.indirect), ("T → A", paths.t_a), ("A → R", paths.a_r)];
            all.into_iter().for_each(|(name, of)| self.interval(name, of));
        }
        self.interval("ρ A D", report.alignment.map(|of| of.spearman));
        self.interval("r T D", report.tokenization.map(|of| of.pearson));
        self.largest("D", report.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
        for row in &report.rows {
            self.interval(format!("A {}", row.language.code), row.alignment);
        }
    }

    fn family(&mut self, report: &family::Report) {
        for (name, of) in [("mean D", report.mean), ("disparity", report.disparity)] {
            if let Some(of) = of {
                self.interval(format!("{name} by data"), of.effects.data);
                self.interval(format!("{name} by tokenizer"), of.effects.tokenizer);
                self.interval(format!("{name} by both"), of.effects.interaction);
            }
        }
        self.interval("r of tokens and D", report.fit.map(|fit| fit.pearson));
        self.largest(
            "tokenizer",
            report.rows.iter().map(|row| (&row.language.code[..], row.degradation.effects.tokenizer)),
        );
    }

    fn statistics(&mut self, report: &statistics::Report) {
        self.number("power", report.power.exact);
        self.number("critical r", report.power.critical);
        self.number("power by Fisher's z", report.power.fisher);
        self.number("tests", report.tests.len() as f64);
        for pair in &report.pairs {
            let (x, y) = pair.columns;
            self.interval(format!("r {x} {y}"), pair.found.map(|found| found.pearson));
            self.interval(format!("ρ {x} {y}"), pair.found.map(|found| found.spearman));
            self.interval(format!("partial r {x} {y}"), pair.partial.map(|partial| partial.r));
        }
        for contrast in &report.contrasts {
            self.interval(format!("d {}", contrast.column), contrast.effect.map(|effect| effect.d));
        }
    }

    /// Slopes first, then disparity and error from the narrowest width.
    fn sweep(&mut self, report: &sweep::Report) {
        for slope in report.slopes.iter().filter(|slope| slope.measure != sweep::Measure::Nats) {
            self.interval(format!("slope {} {}", key(&slope.measure), key(&slope.rule)), slope.slope);
        }
        for outcome in &report.outcomes {
            let (bits, rule) = (outcome.bits.get(), key(&outcome.rule));
            self.interval(format!("disparity {bits} {rule}"), outcome.cost.disparity);
        }
        for outcome in &report.outcomes {
            self.interval(format!("error {} {}", outcome.bits.get(), key(&outcome.rule)), outcome.error);
        }
    }

    fn matrix(&mut self, report: &matrix::Report) {
        self.number("α", report.alpha.1);
        self.number("error by clipping", report.error.clipping);
        self.number("error by rounding", report.error.rounding);
        self.number("clipped", report.clipped as f64);
        self.number("κ", report.summary.kurtosis);
    }

    /// Nats of the text in each language before rounding, and those that it lost, in the order of the report.
    fn tokens(&mut self, report: &tokens::Report) {
        for row in &report.rows {
            self.number(format!("nats before {}", row.language.code), row.full);
            self.number(format!("nats {}", row.language.code), row.quantized - row.full);
        }
    }

    fn screening(&mut self, report: &screening::Report) {
        self.number("max κ", report.max_kurtosis);
        self.interval("disparity", report.disparity);
        self.interval("Var ā", report.variance);
        self.interval("r", report.correlation.as_ref().map(|of| of.pearson));
        self.largest("D", report.rows.iter().map(|row| (&row.language.code[..], row.degradation)));
    }
}

/// A choice as JSON names it.
fn key(of: &impl Serialize) -> String {
    serde_json::to_value(of).ok().and_then(|value| value.as_str().map(String::from)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::languages::sample;

    #[test]
    fn the_largest_losses_come_first_and_what_is_no_number_is_left_out() {
        let mut report = sample::report();
        report.ratio = Some(Interval { value: f64::NAN, low: 0.0, high: 1.0 });
        let names: Vec<String> = headline(&report.into()).into_iter().map(|figure| figure.name).collect();
        assert_eq!(names, ["disparity", "mean D high", "mean D low", "D tha", "D kor", "D eng"]);
    }
}
