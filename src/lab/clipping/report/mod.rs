//! The Clipping report: MSE(α) with every rule, the fit of f(κ, B), and Theorem 2 per language.

use crate::lab::clipping::Tensor;
use crate::lab::error_parts::Error;
use crate::report::chart::lines::{Curve, Dot, LineChart, Stop};
use crate::report::chart::look::{Shape, Stroke, rule_look};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::scope::Scope;
use crate::report::{Rule, format, labels, rows::Rows, table::Table};

mod fit;
mod languages;

use super::Report;
pub use fit::{fit_chart, fit_sentence, fit_table, seed_line};
pub use languages::{effective, effective_table, heat, languages_sentence, languages_table, wrong_threshold_sentence};

/// A rule over several tensors: means by number of weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The rule.
    pub rule: Rule,
    /// α/σ.
    pub alpha_over_sigma: f64,
    /// MSE/σ² in its parts.
    pub error: Error,
}

fn mean<'a>(tensors: impl Iterator<Item = &'a Tensor> + Clone, of: impl Fn(&Tensor) -> f64) -> f64 {
    let weights: f64 = tensors.clone().map(|tensor| tensor.n as f64).sum();
    tensors.map(|tensor| tensor.n as f64 * of(tensor)).sum::<f64>() / weights.max(1.0)
}

fn inside(report: &Report, scope: Scope) -> impl Iterator<Item = &Tensor> + Clone {
    report.tensors.iter().filter(move |tensor| scope.holds(tensor.layer, tensor.part))
}

/// MSE/σ² at each of the report's places, over the matrices of a scope.
pub fn curve(report: &Report, scope: Scope) -> Vec<Error> {
    let part = |at: usize, of: fn(&Error) -> f64| mean(inside(report, scope), |tensor| of(&tensor.curve[at]));
    (0..report.places.len())
        .map(|at| Error { clipping: part(at, |error| error.clipping), rounding: part(at, |error| error.rounding) })
        .collect()
}

/// The rules of a report, in the order of all: one from before a rule was added has fewer.
fn rules(report: &Report) -> impl Iterator<Item = Rule> {
    let has = |rule: &Rule| report.tensors.first().is_some_and(|tensor| tensor.has(*rule));
    Rule::ALL.into_iter().filter(has)
}

/// What each rule of a report chooses and costs over the matrices of a scope, each matrix with its own α.
pub fn costs(report: &Report, scope: Scope) -> Vec<Cost> {
    let cost = |rule: Rule| {
        let of = |figure: fn(&crate::lab::clipping::Choice) -> f64| {
            mean(inside(report, scope), |tensor| figure(tensor.choice(rule)))
        };
        Cost {
            rule,
            alpha_over_sigma: of(|choice| choice.alpha_over_sigma),
            error: Error { clipping: of(|c| c.error.clipping), rounding: of(|c| c.error.rounding) },
        }
    };
    rules(report).map(cost).collect()
}

/// Beside the curves, whose colours are [`Stroke::First`] and [`Stroke::Second`].
fn look(rule: Rule) -> (Shape, Stroke) {
    match rule_look(rule) {
        (shape, Stroke::First | Stroke::Second, _) => (shape, Stroke::Ink),
        (shape, stroke, _) => (shape, stroke),
    }
}

/// Figures below the least total error by more than this factor are not drawn: they add nothing to it.
const DEPTH: f64 = 300.0;

/// MSE(α) of a scope, split into its parts, with every rule marked.
pub fn chart(report: &Report, scope: Scope) -> LineChart {
    let (errors, costs) = (curve(report, scope), costs(report, scope));
    let totals = || errors.iter().map(Error::total).chain(costs.iter().map(|cost| cost.error.total()));
    let (least, most) = totals().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), total| (a.min(total), b.max(total)));
    let line = |label: &str, stroke, dashed, of: fn(&Error) -> f64| Curve {
        label: label.into(),
        stroke,
        dashed,
        points: report.places.iter().zip(&errors).map(|(place, error)| (*place, of(error))).collect(),
    };
    let parts = |error: &Error| {
        format!(
            "{} in all, of it {} clipping and {} rounding",
            format::small(error.total()),
            format::small(error.clipping),
            format::small(error.rounding)
        )
    };
    let stop = |(at, (place, error)): (usize, (&f64, &Error))| Stop {
        key: format!("place-{at}"),
        told: format!("α = {}σ: error over σ² {}", format::figure(*place), parts(error)),
        x: *place,
    };
    let dot = |cost: &Cost| Dot {
        key: labels::rule_key(cost.rule).into(),
        label: labels::rule(cost.rule).into(),
        told: format!(
            "{}: α = {}σ, error over σ² {}",
            labels::rule(cost.rule),
            format::figure(cost.alpha_over_sigma),
            parts(&cost.error)
        ),
        look: look(cost.rule),
        at: (cost.alpha_over_sigma, cost.error.total()),
        whisker: None,
        dropped: true,
    };
    let places = (report.places[0], report.places[report.places.len() - 1]);
    let bits = report.config.bits.get();
    let title = format!("Error of {} at {bits} bits by clipping threshold, {}", report.origin.model, scope.title());
    LineChart {
        cloud: Vec::new(),
        description: format!("{title}. {}", sentence(report, scope)),
        title,
        x: Axis::new("clipping threshold α, in σ (logarithmic)", Growth::Logarithmic, places.0, places.1),
        y: Axis::fit("mean squared error ÷ σ² (logarithmic)", Growth::Logarithmic, [least / DEPTH, least, most]),
        curves: vec![
            line("both", Stroke::Ink, false, Error::total),
            line("clipping", Stroke::Second, true, |error| error.clipping),
            line("rounding", Stroke::First, true, |error| error.rounding),
        ],
        dots: costs.iter().map(dot).collect(),
        stops: report.places.iter().zip(&errors).enumerate().map(stop).collect(),
    }
}

/// The curve's figures.
pub fn curve_table(report: &Report, scope: Scope) -> Table {
    let places = report.places.iter().zip(curve(report, scope)).enumerate();
    Rows::of("place", places, |(at, _)| *at)
        .column("alpha_over_sigma", "α/σ", "Clipping threshold in σ", |(_, (place, _))| **place)
        .column("clipping", "Clipping", "Squared error of weights beyond α, over σ²", |(_, (_, error))| {
            error.clipping
        })
        .column("rounding", "Rounding", "Squared error of the others, over σ²", |(_, (_, error))| error.rounding)
        .column("total", "Both", "Sum of the two", |(_, (_, error))| error.total())
        .table()
}

/// What every rule costs in a scope; with D(λ)'s disparity where it was measured.
pub fn rules_table(report: &Report, scope: Scope) -> Table {
    let costs = costs(report, scope);
    let best = costs.iter().find(|cost| cost.rule == Rule::Optimal).map_or(0.0, |cost| cost.error.total());
    let table = Rows::of("rule", costs, |cost| labels::rule_key(cost.rule))
        .column("name", "Rule", "How the threshold is chosen", |cost| labels::rule(cost.rule))
        .column("alpha_over_sigma", "α/σ", "Clipping threshold in σ; a mean over matrices", |cost| {
            cost.alpha_over_sigma
        })
        .column("clipping", "Clipping", "Squared error of weights beyond α, over σ²", |cost| cost.error.clipping)
        .column("rounding", "Rounding", "Squared error of the others, over σ²", |cost| cost.error.rounding)
        .column("total", "Both", "Sum of the two", |cost| cost.error.total())
        .column("excess", "÷ least", "Error over that of the exact optimum", |cost| match best > 0.0 {
            true => cost.error.total() / best,
            false => 1.0,
        });
    if report.losses.is_empty() {
        return table.table();
    }
    let disparity = |cost: &Cost| report.losses.iter().find(|loss| loss.rule == cost.rule)?.disparity;
    table.column("disparity", "Disparity", "Largest D − smallest D over trained languages", disparity).table()
}

/// D(λ) of every language under every rule; none where it was not asked for.
pub fn losses_table(report: &Report) -> Option<Table> {
    let languages = Rows::named(report.languages.iter().enumerate(), |(_, language)| *language);
    let table = report.losses.iter().fold(languages, |table, loss| {
        let explained = "D = (PPL after − PPL before) ÷ PPL before";
        table.column(labels::rule_key(loss.rule), labels::rule(loss.rule), explained, |(at, _)| loss.degradation[*at])
    });
    (!report.losses.is_empty()).then(|| table.table())
}

/// What the rules cost, in a sentence.
pub fn sentence(report: &Report, scope: Scope) -> String {
    let costs = costs(report, scope);
    let (bits, least) = (report.config.bits.get(), costs.iter().find(|cost| cost.rule == Rule::Optimal));
    let Some(least) = least.filter(|least| least.error.total() > 0.0) else {
        return format!("At {bits} bits nothing is lost in {}.", scope.title());
    };
    let times = |cost: &Cost| format::figure(cost.error.total() / least.error.total());
    let others: Vec<String> = costs
        .iter()
        .filter(|cost| cost.rule != Rule::Optimal)
        .map(|cost| {
            format!("{} {} times at {}σ", labels::rule(cost.rule), times(cost), format::figure(cost.alpha_over_sigma))
        })
        .collect();
    format!(
        "At {bits} bits the least error in {} is at α = {}σ. Each rule's error against it: {}.",
        scope.title(),
        format::figure(least.alpha_over_sigma),
        others.join("; ")
    )
}

/// How the figures came about.
pub fn footnotes(report: &Report) -> Vec<String> {
    let levels = report.config.bits.levels();
    let mut notes = vec![
        format!(
            "Measured on the weights themselves on the grid that is used: {} values from −α to α. Published ACIQ thresholds \
             assume {} cells, so they lie above the optimum of this grid.",
            2 * levels + 1,
            1u32 << report.config.bits.get()
        ),
        "For a layer or the model every matrix has its own σ and α: lines and dots are means by number of weights. The \
         exact optimum's dot can lie below the line, because each matrix chooses for itself."
            .into(),
    ];
    if !report.languages.is_empty() {
        notes.push(
            "a of a weight is the mean absolute input of the weight's input channel over the language's text, divided by \
             that of the matrix's busiest channel, so that it lies in [0, 1]. The theory leaves a open; this is our reading. \
             Because each language is scaled by its own busiest channel, α itself carries that scale: “excess at α/σ” does not."
                .into(),
        );
        notes.push(
            "Document 000 looks at each matrix's weights as a language uses them; document 002 averages the layers' κ by how \
             strongly a language activates each layer. They need not agree, and both are shown."
                .into(),
        );
    }
    notes.push(crate::lab::provenance(&report.origin));
    notes
}

/// `fairbits-m12-clipping-4bit`.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-clipping-{}bit", report.origin.model, report.config.bits.get()))
}

#[cfg(test)]
pub(crate) mod sample;

#[cfg(test)]
mod tests {
    use super::sample::report;
    use super::*;
    use crate::report::Part;
    use crate::report::chart::{Drawing, Ground};
    use crate::report::table::Cell;

    #[test]
    fn a_scope_is_the_mean_by_number_of_weights() {
        let report = report();
        // Layer 0: four matrices of 100 weights at scale 1; layer 1: of 200 at scale 2.
        let model = curve(&report, Scope::Model);
        assert!((model[0].clipping - 0.5 * (400.0 + 2.0 * 800.0) / 1200.0).abs() < 1e-12);
        assert_eq!(curve(&report, Scope::Tensor(1, Part::Up)), report.tensors[6].curve);
        let costs = costs(&report, Scope::Layer(0));
        let best = costs.iter().find(|cost| cost.rule == Rule::Optimal).unwrap();
        assert!((best.error.total() - 0.01).abs() < 1e-12);
        assert!((best.alpha_over_sigma - 2.4).abs() < 1e-12);
    }

    #[test]
    fn every_rule_is_a_dot_and_a_row() {
        let report = report();
        let (figure, table) =
            (chart(&report, Scope::Model).draw(700.0, Ground::Page), rules_table(&report, Scope::Model));
        for key in Rule::ALL.map(Rule::key) {
            assert!(
                figure.marks.iter().any(|mark| mark.key == key) && table.keys.iter().any(|own| own == key),
                "{key}"
            );
        }
        assert_eq!(figure.marks.len(), 3 + Rule::ALL.len());
        assert!(table.csv().starts_with("rule,name,alpha_over_sigma,clipping,rounding,total,excess,disparity,"));
        assert!(sentence(&report, Scope::Model).contains("absmax) 5.00 times at 4.00σ"));
        assert_eq!(losses_table(&report).unwrap().keys.len(), 2);
    }

    /// Law: a report from before a rule was added shows the rules that it has, each with what was measured of it.
    #[test]
    fn a_report_with_fewer_rules_shows_those() {
        let mut report = report();
        report.tensors.iter_mut().for_each(|tensor| tensor.choices.retain(|choice| choice.rule != Rule::Kurtosis));
        report.losses.retain(|loss| loss.rule != Rule::Absmax);
        let table = rules_table(&report, Scope::Model);
        let others: Vec<&str> = Rule::ALL.into_iter().filter(|rule| *rule != Rule::Kurtosis).map(Rule::key).collect();
        assert_eq!(table.keys, others);
        assert_eq!(table.cell(0, "disparity"), &Cell::Missing, "D was not measured under this rule");
        assert_eq!(chart(&report, Scope::Model).dots.len(), others.len());
        assert!(!sentence(&report, Scope::Model).contains("f(κ"));
        assert_eq!(losses_table(&report).unwrap().columns.len(), 1 + others.len());
    }

    #[test]
    fn languages_against_the_reference() {
        let report = report();
        let said = languages_sentence(&report);
        assert!(said.contains("widest for Korean (3.00σ) and narrowest for English (2.50σ)"), "{said}");
        assert!(said.contains("Taking English's α/σ for every language costs at most 5.00% more error"), "{said}");
        let map = heat(&report, None);
        assert_eq!((map.rows.len(), map.columns.len()), (2, 2));
        assert!((map.rows[1].cells[0].value.unwrap() - 3.0).abs() < 1e-12);
        assert_eq!(effective_table(&report).keys.len(), 16);
    }

    #[test]
    fn the_fit_stands_beside_the_seed() {
        let report = report();
        let (c, d) = seed_line(report.config.bits);
        assert!((c - 2.5).abs() < 1e-12 && (d - 0.3).abs() < 1e-12);
        let said = fit_sentence(&report);
        assert!(
            said.contains("Over 8 matrices") && said.contains("the theory's 2.50 and 0.300 leave 0.300σ"),
            "{said}"
        );
        assert_eq!(fit_chart(&report).unwrap().dots.len(), 8);
        assert!(fit_table(&report).csv().lines().count() == 9);
    }
}
