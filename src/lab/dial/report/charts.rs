//! D(λ) and disparity against the largest κ.

use super::{Pick, Point, Report, kurtosis, outcomes, sentence, stand};
use crate::lab::degradation::Language;
use crate::lab::thresholds::{HEAVY, LIGHT, NEAR_ZERO};
use crate::report::chart::lines::{Curve, Dot, LineChart, Stop};
use crate::report::chart::look::{DEPTH, rule_look};
use crate::report::chart::look::{Shape, Stroke, shape};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::scale::LOGARITHMIC_FROM;
use crate::report::{Bits, Interval, Rule, format, labels};

/// Room that the lines of one point take side by side, as a share of the axis.
const ASIDE: f64 = 0.035;
/// Places across: κ of each point, with room for several lines side by side.
struct Across {
    growth: Growth,
    least: f64,
    most: f64,
    lines: usize,
}

impl Across {
    fn new(report: &Report, lines: usize) -> Across {
        let all = || report.points.iter().map(|point| point.max_kurtosis);
        let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        // A model whose weights are flatter than a Gaussian has no logarithm of κ.
        Across { growth: if least > 0.0 { Growth::Logarithmic } else { Growth::Linear }, least, most, lines }
    }

    /// Where a line's figure at a point is drawn.
    fn place(&self, point: &Point, line: usize) -> f64 {
        let aside = ASIDE * ((line as f64 + 0.5) / self.lines as f64 - 0.5);
        match self.growth {
            Growth::Linear => point.max_kurtosis + aside * (self.most - self.least),
            _ => point.max_kurtosis * libm::pow(self.most / self.least, aside),
        }
    }

    fn axis(&self) -> Axis {
        let title = match self.growth {
            Growth::Linear => "max κ over layers",
            _ => "max κ over layers (logarithmic)",
        };
        let reach = libm::pow(self.most / self.least, ASIDE / 2.0);
        let ends = match self.growth {
            Growth::Linear => {
                let aside = ASIDE / 2.0 * (self.most - self.least);
                [self.least - aside, self.most + aside]
            }
            _ => [self.least / reach, self.most * reach],
        };
        Axis::fit(title, self.growth, ends)
    }
}

/// The κ below which the theory expects no disparity and the one above which they do, as far as they are on the axis.
fn bounds(x: &Axis, y: &Axis) -> Option<Curve> {
    let (low, high) = y.ends();
    let there = [LIGHT, HEAVY].into_iter().filter(|bound| x.holds(*bound));
    // What has no place breaks the line between the two.
    let points: Vec<(f64, f64)> = there.flat_map(|at| [(at, low), (at, high), (f64::NAN, f64::NAN)]).collect();
    let label = format!("κ = {LIGHT} and {HEAVY}, the theory's bounds");
    (!points.is_empty()).then_some(Curve { label, stroke: Stroke::Muted, dashed: true, points })
}

/// Points in the order of the dial, without the flattened one: what a line runs through.
fn turned(report: &Report) -> Vec<usize> {
    let mut at: Vec<usize> = (0..report.points.len()).filter(|&at| !report.points[at].flattened).collect();
    at.sort_by_key(|&at| report.points[at].exponent);
    at
}

/// Points from the least κ to the largest, for reading across.
fn by_kurtosis(report: &Report) -> Vec<usize> {
    let mut at: Vec<usize> = (0..report.points.len()).collect();
    at.sort_by(|&a, &b| report.points[a].max_kurtosis.total_cmp(&report.points[b].max_kurtosis));
    at
}

/// Point and line of every dot: those of the flattened point last, where no other dot can cover them.
fn drawn(report: &Report, lines: usize) -> impl Iterator<Item = (usize, usize)> {
    let (flat, turned): (Vec<usize>, Vec<usize>) =
        (0..report.points.len()).partition(|&at| report.points[at].flattened);
    let each =
        move |points: Vec<usize>| (0..lines).flat_map(move |line| points.clone().into_iter().map(move |at| (at, line)));
    each(turned).chain(each(flat))
}

/// Shape of a figure and what the key calls it; a flattened point is crossed.
fn marked(point: &Point, shape: Shape, label: &str) -> (Shape, String) {
    if point.flattened { (Shape::Cross, "tails flattened again".into()) } else { (shape, label.into()) }
}

/// D(λ) of each language against max κ, under one rounding.
pub fn degradation_chart(report: &Report, pick: Pick) -> LineChart {
    let across = Across::new(report, report.languages.len());
    let costs: Vec<&[Interval]> = outcomes(report, pick).map(|(_, outcome)| &outcome.cost.degradation[..]).collect();
    let figures = || costs.iter().flat_map(|all| all.iter());
    let logarithmic = figures().any(|d| d.high > LOGARITHMIC_FROM);
    let (growth, title) = match logarithmic {
        true => (Growth::OnePlus, "D (logarithmic in 1 + D = PPL after ÷ PPL before)"),
        false => (Growth::Linear, "D = (PPL after − PPL before) ÷ PPL before"),
    };
    let x = across.axis();
    let y = Axis::fit(title, growth, figures().flat_map(|d| [d.low, d.high]).chain([0.0]));
    let curve = |(line, language): (usize, &Language)| Curve {
        label: labels::resource_long(language.resource).into(),
        stroke: Stroke::Level(language.resource),
        dashed: false,
        points: turned(report)
            .into_iter()
            .map(|at| (across.place(&report.points[at], line), costs[at][line].value))
            .collect(),
    };
    let dot = |at: usize, line: usize| {
        let (point, language, figure) = (&report.points[at], &report.languages[line], costs[at][line]);
        let level = language.resource;
        let (shape, label) = marked(point, shape(level), labels::resource_long(level));
        Dot {
            key: format!("{}-point-{at}", language.code),
            label,
            told: format!(
                "{} ({}), {}, max κ {}: D {}",
                language.name,
                labels::resource_long(level),
                stand(point),
                kurtosis(point),
                format::interval(&figure)
            ),
            look: (shape, Stroke::Level(level)),
            at: (across.place(point, line), figure.value),
            whisker: Some((figure.low, figure.high)),
            dropped: false,
        }
    };
    let stop = |at: usize| {
        let mut languages: Vec<(&Language, &Interval)> = report.languages.iter().zip(costs[at]).collect();
        languages.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let told = |(language, d): &(&Language, &Interval)| format!("{} {}", language.name, format::figure(d.value));
        let each: Vec<String> = languages.iter().map(told).collect();
        stop(&report.points[at], at, &format!("D of {}", each.join(", ")))
    };
    let title = format!("Loss D(λ) of {} by largest κ, {}", report.origin.model, pick.title());
    LineChart {
        cloud: Vec::new(),
        description: format!("{title}. {}", sentence(report, pick)),
        title,
        curves: bounds(&x, &y).into_iter().chain(report.languages.iter().enumerate().map(curve)).collect(),
        dots: drawn(report, report.languages.len()).map(|(at, line)| dot(at, line)).collect(),
        stops: by_kurtosis(report).into_iter().map(stop).collect(),
        x,
        y,
    }
}

fn stop(point: &Point, at: usize, told: &str) -> Stop {
    let told = format!("{}, max κ {}: {told}", stand(point), kurtosis(point));
    Stop { key: format!("point-{at}"), told, x: point.max_kurtosis }
}

/// Disparity against max κ under each rule at one width; none where there is no disparity.
pub fn disparity_chart(report: &Report, bits: Bits) -> Option<LineChart> {
    let rules = &report.config.rules;
    let across = Across::new(report, rules.len());
    // (rules, points)
    let of = |&rule: &Rule| -> Option<Vec<Interval>> {
        outcomes(report, Pick { bits, rule }).map(|(_, outcome)| outcome.cost.disparity).collect()
    };
    let costs: Vec<Vec<Interval>> = rules.iter().map(of).collect::<Option<_>>()?;
    let figures = || costs.iter().flatten();
    let least = figures().map(|of| of.value).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    let ends = figures().flat_map(|of| [of.low.max(least / DEPTH), of.high]);
    let x = across.axis();
    let y = Axis::fit("disparity: largest D − smallest D (logarithmic)", Growth::Logarithmic, ends.chain([NEAR_ZERO]));
    let curve = |(line, &rule): (usize, &Rule)| Curve {
        label: labels::rule(rule).into(),
        stroke: rule_look(rule).1,
        dashed: rule_look(rule).2,
        points: turned(report)
            .into_iter()
            .map(|at| (across.place(&report.points[at], line), costs[line][at].value))
            .collect(),
    };
    let near_zero = Curve {
        label: format!("{NEAR_ZERO:.3}, the theory's “≈ 0”"),
        stroke: Stroke::Muted,
        dashed: false,
        points: vec![(x.ends().0, NEAR_ZERO), (x.ends().1, NEAR_ZERO)],
    };
    let dot = |at: usize, line: usize| {
        let (point, rule, figure) = (&report.points[at], rules[line], costs[line][at]);
        let (shape, label) = marked(point, rule_look(rule).0, labels::rule(rule));
        Dot {
            key: format!("{}-point-{at}", labels::rule_key(rule)),
            label,
            told: format!(
                "{}, {}, max κ {}: disparity {}",
                labels::rule(rule),
                stand(point),
                kurtosis(point),
                format::interval(&figure)
            ),
            look: (shape, rule_look(rule).1),
            at: (across.place(point, line), figure.value),
            whisker: Some((figure.low, figure.high)),
            dropped: false,
        }
    };
    let stop = |at: usize| {
        let told =
            |(line, &rule): (usize, &Rule)| format!("{} {}", labels::rule(rule), format::interval(&costs[line][at]));
        let each: Vec<String> = rules.iter().enumerate().map(told).collect();
        stop(&report.points[at], at, &format!("disparity under {}", each.join("; ")))
    };
    let title = format!("Disparity of {} by largest κ, {} bits", report.origin.model, bits.get());
    let said: Vec<String> = rules.iter().map(|&rule| sentence(report, Pick { bits, rule })).collect();
    Some(LineChart {
        cloud: Vec::new(),
        description: format!("{title}. {}", said.join(" ")),
        title,
        curves: bounds(&x, &y).into_iter().chain([near_zero]).chain(rules.iter().enumerate().map(curve)).collect(),
        dots: drawn(report, rules.len()).map(|(at, line)| dot(at, line)).collect(),
        stops: by_kurtosis(report).into_iter().map(stop).collect(),
        x,
        y,
    })
}
