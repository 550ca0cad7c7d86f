//! κ layer by layer against the theory's bounds, and use against loss.

use super::{Layer, Report, Row, correlation, format, sentence};
use crate::report::chart::lines::{Curve, Dot, LineChart};
use crate::report::chart::look::{Shape, Stroke};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::chart::scatter::{Point, ScatterChart};

/// κ of each layer, with the bounds of light and heavy tails.
pub fn kurtosis_chart(report: &Report) -> LineChart {
    let last = report.layers.len().saturating_sub(1) as f64;
    let (light, heavy) = (report.config.light, report.config.heavy);
    let all = || report.layers.iter().map(|layer| layer.kurtosis);
    // A bound that lies far above every κ would press them all to the ground; it is told in words.
    let most = all().fold(f64::NEG_INFINITY, f64::max);
    let shown: Vec<f64> = [light, heavy].into_iter().filter(|bound| *bound < 4.0 * most.max(light)).collect();
    let logarithmic = all().chain(shown.iter().copied()).all(|kappa| kappa > 0.0);
    let (growth, title) = match logarithmic {
        true => (Growth::Logarithmic, "κ of each layer (logarithmic)"),
        false => (Growth::Linear, "κ of each layer"),
    };
    let bound = |&bound: &f64| Curve {
        label: match bound == light {
            true => format!("{}: below it, light tails", format::figure(bound)),
            false => format!("{}: above it, heavy tails", format::figure(bound)),
        },
        stroke: Stroke::Muted,
        dashed: bound == light,
        points: vec![(-0.5, bound), (last + 0.5, bound)],
    };
    let dot = |(number, layer): (usize, &Layer)| {
        let (label, shape) = match layer.outlier {
            true if report.stand_in => ("heaviest layer, standing in for an outlier", Shape::Ring),
            true => ("outlier layer", Shape::Diamond),
            false => ("other layer", Shape::Disc),
        };
        Dot {
            key: format!("layer-{number}"),
            label: label.into(),
            told: format!("Layer {}: κ {}, {label}", report.origin.layer(number), format::figure(layer.kurtosis)),
            look: (shape, if layer.outlier { Stroke::Second } else { Stroke::Ink }),
            at: (number as f64, layer.kurtosis),
            whisker: None,
            dropped: true,
        }
    };
    let title_of_chart = format!("κ of every layer of {}", report.origin.model);
    LineChart {
        description: format!("{title_of_chart}. {}", sentence(report)),
        title: title_of_chart,
        x: Axis::new("layer", Growth::Linear, -0.5, last + 0.5),
        y: Axis::fit(title, growth, all().chain(shown.iter().copied())),
        cloud: Vec::new(),
        curves: shown.iter().map(bound).collect(),
        dots: report.layers.iter().enumerate().map(dot).collect(),
        stops: Vec::new(),
    }
}

/// ā_outlier against D; none for fewer than two seen languages.
pub fn scatter(report: &Report) -> Option<ScatterChart> {
    let counted: Vec<&Row> = report.rows.iter().filter(|row| row.language.counts()).collect();
    let point = |row: &&Row| Point {
        key: row.language.code.clone(),
        told: format!(
            "{}: ā_outlier {}, D {}",
            row.language.name,
            format::interval(&row.usage),
            format::interval(&row.degradation)
        ),
        resource: row.language.resource,
        x: row.usage,
        y: row.degradation,
    };
    let title = format!("Use of the outlier layers of {} and loss", report.origin.model);
    (counted.len() > 1).then(|| ScatterChart {
        description: format!("{title}. {}", correlation(report)),
        title,
        across: match report.stand_in {
            true => "share of activation in the heaviest layers".into(),
            false => "share of activation in outlier layers, ā_outlier".into(),
        },
        upwards: "D = (PPL after − PPL before) ÷ PPL before".into(),
        points: counted.iter().map(point).collect(),
    })
}
