//! D(λ), the weights' error and disparity against the width.

use super::{Interval, Language, NEAR_ZERO, Outcome, Report, Rule, format, labels, sentence};
use crate::report::chart::lines::{Curve, Dot, LineChart, Stop};
use crate::report::chart::look::{DEPTH, rule_look};
use crate::report::chart::look::{Stroke, shape};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::scale::LOGARITHMIC_FROM;

/// Room that the lines of one width take side by side, in bits.
const ASIDE: f64 = 0.4;
/// Figures below this are told as powers of ten.
const DECIMAL_FROM: f64 = 0.01;

/// All widths there are, so that every chart of every run has the same places.
fn across() -> Axis {
    Axis::new("bits per weight", Growth::Linear, 1.6, 8.4)
}

/// Where one of several lines has its figure of a width.
fn place(outcome: &Outcome, line: usize, lines: usize) -> f64 {
    f64::from(outcome.bits.get()) + ASIDE * ((line as f64 + 0.5) / lines as f64 - 0.5)
}

fn stop(outcome: &Outcome, told: &str) -> Stop {
    let bits = outcome.bits.get();
    Stop { key: format!("bits-{bits}"), told: format!("{bits} bits: {told}"), x: f64::from(bits) }
}

/// A line across the plane.
fn level(label: String, y: f64) -> Curve {
    let (from, to) = across().ends();
    Curve { label, stroke: Stroke::Muted, dashed: false, points: vec![(from, y), (to, y)] }
}

/// D(λ) of each language against the width, under one rule.
pub fn degradation_chart(report: &Report, rule: Rule) -> LineChart {
    let outcomes: Vec<&Outcome> = report.of_rule(rule).collect();
    let lines = report.languages.len();
    let figures = || outcomes.iter().flat_map(|outcome| &outcome.cost.degradation);
    let (growth, title) = match figures().any(|d| d.high > LOGARITHMIC_FROM) {
        true => (Growth::OnePlus, "D (logarithmic in 1 + D = PPL after ÷ PPL before)"),
        false => (Growth::Linear, "D = (PPL after − PPL before) ÷ PPL before"),
    };
    let curve = |(line, language): (usize, &Language)| Curve {
        label: labels::resource_long(language.resource).into(),
        stroke: Stroke::Level(language.resource),
        dashed: false,
        points: outcomes.iter().map(|of| (place(of, line, lines), of.cost.degradation[line].value)).collect(),
    };
    let dot = |(line, language): (usize, &Language), outcome: &Outcome| {
        let (figure, level) = (outcome.cost.degradation[line], language.resource);
        Dot {
            key: format!("{}-{}", language.code, outcome.bits.get()),
            label: labels::resource_long(level).into(),
            told: format!(
                "{} ({}), {} bits: D {}",
                language.name,
                labels::resource_long(level),
                outcome.bits.get(),
                format::interval(&figure)
            ),
            look: (shape(level), Stroke::Level(level)),
            at: (place(outcome, line, lines), figure.value),
            whisker: Some((figure.low, figure.high)),
            dropped: false,
        }
    };
    let read = |outcome: &&Outcome| {
        let mut languages: Vec<(&Language, &Interval)> =
            report.languages.iter().zip(&outcome.cost.degradation).collect();
        languages.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let told = |(language, d): &(&Language, &Interval)| format!("{} {}", language.name, format::figure(d.value));
        let each: Vec<String> = languages.iter().map(told).collect();
        stop(outcome, &format!("D of {}", each.join(", ")))
    };
    let title_of_chart = format!("Loss D(λ) of {} by width, {}", report.origin.model, labels::rule(rule));
    LineChart {
        cloud: Vec::new(),
        description: format!("{title_of_chart}. {}", sentence(report, rule)),
        title: title_of_chart,
        x: across(),
        y: Axis::fit(title, growth, figures().flat_map(|d| [d.low, d.high]).chain([0.0])),
        curves: [level("unquantized, D = 0".into(), 0.0)]
            .into_iter()
            .chain(report.languages.iter().enumerate().map(curve))
            .collect(),
        dots: report
            .languages
            .iter()
            .enumerate()
            .flat_map(|language| outcomes.iter().map(move |outcome| dot(language, outcome)))
            .collect(),
        stops: outcomes.iter().map(read).collect(),
    }
}

/// Errors at many bits are too small for decimals.
fn shown(of: &Interval) -> String {
    match of.value.abs() < DECIMAL_FROM {
        true => format!("{} [{}, {}]", format::small(of.value), format::small(of.low), format::small(of.high)),
        false => format::interval(of),
    }
}

/// A figure of every width under every rule, on a logarithmic axis.
fn by_rule(report: &Report, what: &str, title: String, y: Axis, figure: impl Fn(&Outcome) -> Interval) -> LineChart {
    let rules = &report.config.rules;
    let at = |outcome: &Outcome, line: usize| (place(outcome, line, rules.len()), figure(outcome).value);
    let curve = |(line, &rule): (usize, &Rule)| Curve {
        label: labels::rule(rule).into(),
        stroke: rule_look(rule).1,
        dashed: rule_look(rule).2,
        points: report.of_rule(rule).map(|outcome| at(outcome, line)).collect(),
    };
    let dot = |line: usize, outcome: &Outcome| {
        let (rule, of) = (outcome.rule, figure(outcome));
        Dot {
            key: format!("{}-{}", labels::rule_key(rule), outcome.bits.get()),
            label: labels::rule(rule).into(),
            told: format!("{}, {} bits: {what} {}", labels::rule(rule), outcome.bits.get(), shown(&of)),
            look: (rule_look(rule).0, rule_look(rule).1),
            at: at(outcome, line),
            whisker: Some((of.low, of.high)),
            dropped: false,
        }
    };
    let read = |first: &Outcome| {
        let own = report.outcomes.iter().filter(|other| other.bits == first.bits);
        let each: Vec<String> = own.map(|own| format!("{} {}", labels::rule(own.rule), shown(&figure(own)))).collect();
        stop(first, &format!("{what} under {}", each.join("; ")))
    };
    let said: Vec<String> = rules.iter().map(|&rule| sentence(report, rule)).collect();
    LineChart {
        cloud: Vec::new(),
        description: format!("{title}. {}", said.join(" ")),
        title,
        x: across(),
        y,
        curves: rules.iter().enumerate().map(curve).collect(),
        dots: rules
            .iter()
            .enumerate()
            .flat_map(|(line, &rule)| report.of_rule(rule).map(move |outcome| (line, outcome)))
            .map(|(line, outcome)| dot(line, outcome))
            .collect(),
        stops: rules.first().into_iter().flat_map(|&rule| report.of_rule(rule)).map(read).collect(),
    }
}

/// Squared error of the weights against the width, beside rate–distortion's 2^(−2B).
pub fn error_chart(report: &Report) -> LineChart {
    let law = |bits: f64| libm::exp2(-2.0 * bits);
    let (from, to) = across().ends();
    let ends = report.outcomes.iter().flat_map(|outcome| [outcome.error.low, outcome.error.high]);
    // The whole line has its place: one with an end outside of the axes is not drawn.
    let y = Axis::fit("squared error ÷ variance (logarithmic)", Growth::Logarithmic, ends.chain([from, to].map(law)));
    let title = format!("Squared error of the weights of {} by width", report.origin.model);
    let mut chart = by_rule(report, "relative squared error", title, y, |outcome| outcome.error);
    let points = [from, to].map(|bits| (bits, law(bits))).to_vec();
    chart.curves.insert(
        0,
        Curve {
            label: "2^(−2B): rate–distortion, for a Gaussian".into(), stroke: Stroke::Muted, dashed: true, points
        },
    );
    chart
}

/// Disparity against the width under each rule; none where there is no disparity.
pub fn disparity_chart(report: &Report) -> Option<LineChart> {
    let all: Vec<Interval> = report.outcomes.iter().map(|outcome| outcome.cost.disparity).collect::<Option<_>>()?;
    let least = all.iter().map(|of| of.value).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let ends = all.iter().flat_map(|of| [of.low.max(least / DEPTH), of.high]);
    let y = Axis::fit("disparity: largest D − smallest D (logarithmic)", Growth::Logarithmic, ends.chain([NEAR_ZERO]));
    let title = format!("Disparity of {} by width", report.origin.model);
    let figure = |outcome: &Outcome| outcome.cost.disparity.unwrap_or(Interval::point(f64::NAN));
    let mut chart = by_rule(report, "disparity", title, y, figure);
    chart.curves.insert(0, level(format!("{NEAR_ZERO:.3}, the theory's “≈ 0”"), NEAR_ZERO));
    Some(chart)
}
