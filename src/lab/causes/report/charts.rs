//! Paths with their intervals, two figures of each language, and D under do(T).

use super::{Paths, Report, Row, Scm, intervene_sentence, paths, quality, sentence};
use crate::math::scm::Under;
use crate::report::chart::intervals::{IntervalChart, Point};
use crate::report::chart::lines::{Curve, Dot, LineChart, Stop};
use crate::report::chart::look::{Stroke, shape};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::chart::scatter::{Point as Mark, ScatterChart};
use crate::report::{Interval, format};

/// Places of t at which the simulation is drawn, from a third of the mean to three times it.
const PLACES: usize = 25;
const SPAN: f64 = 3.0;
/// Draws at each.
const DRAWS: usize = 2001;

/// Two figures that the chain relates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// T and A.
    TokensAlignment,
    /// A and R.
    AlignmentRedundancy,
    /// R and D.
    RedundancyLoss,
    /// T and D.
    TokensLoss,
    /// A and D.
    AlignmentLoss,
}

impl Pair {
    /// In the order of the chain.
    pub const ALL: [Pair; 5] =
        [Pair::TokensAlignment, Pair::AlignmentRedundancy, Pair::RedundancyLoss, Pair::TokensLoss, Pair::AlignmentLoss];

    /// On the page and in files.
    pub fn key(self) -> &'static str {
        match self {
            Pair::TokensAlignment => "t-a",
            Pair::AlignmentRedundancy => "a-r",
            Pair::RedundancyLoss => "r-d",
            Pair::TokensLoss => "t-d",
            Pair::AlignmentLoss => "a-d",
        }
    }

    /// In a list of choices.
    pub fn title(self) -> &'static str {
        match self {
            Pair::TokensAlignment => "tokenization T and alignment A",
            Pair::AlignmentRedundancy => "alignment A and redundancy R",
            Pair::RedundancyLoss => "redundancy R and loss D",
            Pair::TokensLoss => "tokenization T and loss D",
            Pair::AlignmentLoss => "alignment A and loss D",
        }
    }

    /// Both figures of a language.
    pub fn of(self, row: &Row) -> Option<(Interval, Interval)> {
        let (t, a) = (Interval::point(row.tokenization), row.alignment?);
        Some(match self {
            Pair::TokensAlignment => (t, a),
            Pair::AlignmentRedundancy => (a, row.redundancy),
            Pair::RedundancyLoss => (row.redundancy, row.degradation),
            Pair::TokensLoss => (t, row.degradation),
            Pair::AlignmentLoss => (a, row.degradation),
        })
    }

    fn axes(self, report: &Report) -> (String, String) {
        let (t, a) = (
            format!("T, {}", quality(report.config.quality)),
            format!("A, cosine margin with {}", report.config.reference),
        );
        let (r, d) = ("R̂, share of activation in heavy-tailed layers", "D = (PPL quantized − PPL full) ÷ PPL full");
        match self {
            Pair::TokensAlignment => (t, a),
            Pair::AlignmentRedundancy => (a, r.into()),
            Pair::RedundancyLoss => (r.into(), d.into()),
            Pair::TokensLoss => (t, d.into()),
            Pair::AlignmentLoss => (a, d.into()),
        }
    }
}

/// The nine figures of the path model.
pub fn paths_chart(report: &Report, of: &Paths) -> IntervalChart {
    let point = |(key, name, interval): (&str, &str, Interval)| Point {
        key: key.into(),
        label: name.into(),
        told: format!("{name}: {} standard deviations", format::interval(&interval)),
        resource: None,
        interval,
    };
    let points: Vec<Point> = paths(of).into_iter().map(point).collect();
    let title = format!("{}: paths from tokenization to loss over {} languages", report.origin.model, of.n);
    IntervalChart {
        description: format!("{title}. {}", sentence(report)),
        title,
        axis: "standard deviations of the effect per standard deviation of the cause".into(),
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        points,
        references: Vec::new(),
        spread: None,
    }
}

/// A dot per language that counts.
pub fn scatter(report: &Report, pair: Pair) -> Option<ScatterChart> {
    let point = |row: &Row| {
        let (x, y) = pair.of(row)?;
        Some(Mark {
            key: row.language.code.clone(),
            told: format!(
                "{}: T {}, A {}, R̂ {}, D {}",
                row.language.name,
                format::figure(row.tokenization),
                row.alignment.map_or_else(|| "none".into(), |a| format::interval(&a)),
                format::interval(&row.redundancy),
                format::interval(&row.degradation)
            ),
            resource: row.language.resource,
            x,
            y,
        })
    };
    let points: Vec<Mark> = report.rows.iter().filter(|row| row.counts()).filter_map(point).collect();
    let title = format!("{} over languages: {}", report.origin.model, pair.title());
    let (across, upwards) = pair.axes(report);
    (!points.is_empty()).then(|| ScatterChart { description: title.clone(), title, across, upwards, points })
}

/// D under do(T = t), t around 1.
pub(super) fn curve(report: &Report, scm: &Scm) -> Vec<Under> {
    let place = |at: usize| libm::pow(SPAN, 2.0 * at as f64 / (PLACES - 1) as f64 - 1.0);
    let places: Vec<f64> = (0..PLACES).map(place).collect();
    scm.intervene(&places, DRAWS, report.config.draws.seed)
}

/// T of the languages that count over their mean, with D: they and the simulation share an axis, not a unit.
pub(super) fn measured(report: &Report) -> Vec<(&Row, f64)> {
    let counted: Vec<&Row> = report.rows.iter().filter(|row| row.counts()).collect();
    let mean = counted.iter().map(|row| row.tokenization).sum::<f64>() / counted.len().max(1) as f64;
    counted.into_iter().map(|row| (row, row.tokenization / mean)).collect()
}

/// The simulated medians and quartiles, the closed form, and the languages as they were measured.
pub fn intervene_chart(report: &Report, scm: &Scm) -> LineChart {
    let under = curve(report, scm);
    let line = |label: &str, stroke, dashed, of: &dyn Fn(&Under) -> f64| Curve {
        label: label.into(),
        stroke,
        dashed,
        points: under.iter().map(|under| (under.t, of(under))).collect(),
    };
    let curves = vec![
        line("median of D, simulated", Stroke::First, false, &|under| under.median),
        line("quartiles", Stroke::Muted, true, &|under| under.quartiles.0),
        line("quartiles", Stroke::Muted, true, &|under| under.quartiles.1),
        line("γ/(β₁β₂t)", Stroke::Second, true, &|under| scm.closed(under.t)),
    ];
    let stop = |under: &Under| Stop {
        key: format!("t-{:.3}", under.t),
        told: format!(
            "t = {}: median D {}, quartiles {} to {}; closed form {}, slope {}",
            format::figure(under.t),
            format::figure(under.median),
            format::figure(under.quartiles.0),
            format::figure(under.quartiles.1),
            format::figure(scm.closed(under.t)),
            format::figure(scm.slope(under.t))
        ),
        x: under.t,
    };
    let points = measured(report);
    let dot = |(row, t): &(&Row, f64)| Dot {
        key: row.language.code.clone(),
        label: "languages, measured".into(),
        told: format!(
            "{}: T ÷ mean T = {}, D = {}",
            row.language.name,
            format::figure(*t),
            format::interval(&row.degradation)
        ),
        look: (shape(row.language.resource), Stroke::Level(row.language.resource)),
        at: (*t, row.degradation.value),
        whisker: Some((row.degradation.low, row.degradation.high)),
        dropped: false,
    };
    let shown = under.iter().flat_map(|of| [of.median, of.quartiles.0, of.quartiles.1, scm.closed(of.t)]);
    // A few wild quartiles do not decide the axis.
    let most = 3.0 * under.iter().map(|of| scm.closed(of.t)).fold(0.0, f64::max);
    let y: Vec<f64> = shown
        .filter(|value| (0.0..=most).contains(value))
        .chain(points.iter().map(|(row, _)| row.degradation.value))
        .collect();
    let x: Vec<f64> = under.iter().map(|of| of.t).chain(points.iter().map(|(_, t)| *t)).collect();
    let title = "D under do(T = t): the theory's model, simulated".to_string();
    LineChart {
        description: format!("{title}. {}", intervene_sentence(report, scm)),
        title,
        x: Axis::fit("t, in means of T over languages", Growth::Logarithmic, x),
        y: Axis::fit("D", Growth::OnePlus, y),
        cloud: Vec::new(),
        curves,
        dots: points.iter().map(dot).collect(),
        stops: under.iter().map(stop).collect(),
    }
}
