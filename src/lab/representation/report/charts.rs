//! The map of languages and layers, lines over layers, probes and the spectrum.

use super::{LayerCell, Probed, Report, Row, Shade, claimed_layer, question, sentence};
use crate::report::chart::{
    heat::{HeatCell, HeatMap, HeatRow},
    lines::{Curve, Dot, LineChart, Stop},
    look::{Shape, Stroke},
    plane::{Axis, Growth},
};
use crate::report::{Interval, format, labels};

fn layers(report: &Report) -> usize {
    report.rows.first().map_or(0, |row| row.layers.len())
}

fn shown(of: Option<Interval>) -> String {
    of.map_or_else(|| "not known".into(), |of| format::interval(&of))
}

/// Language × layer.
pub fn heat(report: &Report, shade: Shade) -> HeatMap {
    let cell = |row: &Row, (layer, cell): (usize, &LayerCell)| HeatCell {
        value: shade.of(cell).map(|of| of.value),
        shown: shade.of(cell).map_or_else(String::new, |of| format::figure(of.value)),
        told: format!(
            "{}, layer {}: {} {}",
            row.language.name,
            report.origin.layer(layer),
            shade.unit(),
            shown(shade.of(cell))
        ),
        flagged: false,
    };
    let title = format!("Inside {}: {}", report.origin.model, shade.title());
    HeatMap {
        description: format!("{title}. {}", sentence(report)),
        title,
        unit: shade.unit().into(),
        across: "layer".into(),
        columns: (0..layers(report)).map(|layer| report.origin.layer(layer)).collect(),
        rows: report
            .rows
            .iter()
            .map(|row| HeatRow {
                key: row.language.code.clone(),
                label: row.language.name.clone(),
                cells: row.layers.iter().enumerate().map(|of| cell(row, of)).collect(),
            })
            .collect(),
        flag: None,
    }
}

fn across(report: &Report) -> Axis {
    Axis::fit("layer", Growth::Linear, (0..layers(report)).map(|layer| layer as f64))
}

/// A line per language over the layers.
pub fn lines(report: &Report, shade: Shade) -> LineChart {
    let value = |cell: &LayerCell| shade.of(cell).map_or(f64::NAN, |of| of.value);
    let curve = |row: &Row| Curve {
        label: labels::resource_long(row.language.resource).into(),
        stroke: Stroke::Level(row.language.resource),
        dashed: false,
        points: row.layers.iter().enumerate().map(|(layer, cell)| (layer as f64, value(cell))).collect(),
    };
    let stop = |layer: usize| {
        let each: Vec<String> = report
            .rows
            .iter()
            .map(|row| format!("{} {}", row.language.name, shown(shade.of(&row.layers[layer]))))
            .collect();
        Stop {
            key: format!("layer-{layer}"),
            told: format!("Layer {}: {}", report.origin.layer(layer), each.join(", ")),
            x: layer as f64,
        }
    };
    let title = format!("Over the layers of {}: {}", report.origin.model, shade.title());
    let figures = report.rows.iter().flat_map(|row| row.layers.iter().map(value));
    LineChart {
        description: format!("{title}. {}", sentence(report)),
        title,
        x: across(report),
        y: Axis::fit(shade.unit(), Growth::Linear, figures),
        cloud: Vec::new(),
        curves: report.rows.iter().map(curve).collect(),
        dots: Vec::new(),
        stops: (0..layers(report)).map(stop).collect(),
    }
}

/// Accuracy of a question's probes over the layers.
pub fn probes_chart(report: &Report, probe: &Probed) -> LineChart {
    type Of = fn(&crate::lab::representation::Accuracy) -> Interval;
    let ways: [(&str, Stroke, Shape, Of); 3] = [
        ("full precision", Stroke::Ink, Shape::Disc, |of| of.full),
        ("quantized, trained anew", Stroke::Second, Shape::Diamond, |of| of.anew),
        ("quantized, carried over", Stroke::First, Shape::Ring, |of| of.carried),
    ];
    // Side by side, so that whiskers do not cover each other.
    let apart = 0.12;
    let place = |layer: usize, way: usize| layer as f64 + apart * (way as f64 - 1.0);
    let points = |way: usize| probe.layers.iter().enumerate().map(move |(layer, of)| (layer, ways[way].3(of)));
    let curves = (0..ways.len()).map(|way| Curve {
        label: ways[way].0.into(),
        stroke: ways[way].1,
        dashed: way == 2,
        points: points(way).map(|(layer, of)| (place(layer, way), of.value)).collect(),
    });
    let dot = |way: usize, (layer, of): (usize, Interval)| Dot {
        key: format!("layer-{layer}-{way}"),
        label: ways[way].0.into(),
        told: format!("Layer {}, {}: {}", report.origin.layer(layer), ways[way].0, format::interval(&of)),
        look: (ways[way].2, ways[way].1),
        at: (place(layer, way), of.value),
        whisker: Some((of.low, of.high)),
        dropped: false,
    };
    let chance = 1.0 / probe.classes.max(1) as f64;
    let title = format!("What a probe reads off {}: {}", report.origin.model, question(probe.question));
    let chance_line = Curve {
        label: format!("chance, 1 of {}", probe.classes),
        stroke: Stroke::Muted,
        dashed: true,
        points: (0..layers(report)).map(|layer| (layer as f64, chance)).collect(),
    };
    LineChart {
        description: format!("{title}: share of right answers on texts it was not trained on."),
        title,
        x: across(report),
        y: Axis::new("share of right answers", Growth::Linear, -0.02, 1.02),
        cloud: Vec::new(),
        curves: [chance_line].into_iter().chain(curves).collect(),
        dots: (0..ways.len()).flat_map(|way| points(way).map(move |of| dot(way, of))).collect(),
        stops: Vec::new(),
    }
}

/// Entropy of the spectrum over the layers, mean over seen languages; none without one.
pub fn entropy_chart(report: &Report) -> Option<LineChart> {
    let entropy = &report.spread.entropy;
    let last = entropy.len().checked_sub(1)?;
    let claimed = claimed_layer(entropy.len());
    let dot = |(layer, of): (usize, &Interval)| Dot {
        key: format!("layer-{layer}"),
        label: if layer == claimed { "layer 3L/4".into() } else { "mean over seen languages".into() },
        told: format!(
            "Layer {}: {} bits, effective rank {}",
            report.origin.layer(layer),
            format::interval(of),
            format::figure(libm::pow(2.0, of.value))
        ),
        look: if layer == claimed { (Shape::Diamond, Stroke::Second) } else { (Shape::Disc, Stroke::Ink) },
        at: (layer as f64, of.value),
        whisker: Some((of.low, of.high)),
        dropped: layer == claimed,
    };
    let title = format!("Do middle layers of {} compress? Entropy of the spectrum", report.origin.model);
    Some(LineChart {
        description: format!(
            "{title}, mean over seen languages: {} bits after layer {} and {} after the last.",
            format::interval(&entropy[claimed]),
            report.origin.layer(claimed),
            format::interval(&entropy[last])
        ),
        title,
        x: across(report),
        y: Axis::fit("entropy H in bits", Growth::Linear, entropy.iter().flat_map(|of| [of.low, of.high])),
        cloud: Vec::new(),
        curves: vec![Curve {
            label: "mean over seen languages".into(),
            stroke: Stroke::Ink,
            dashed: false,
            points: entropy.iter().enumerate().map(|(layer, of)| (layer as f64, of.value)).collect(),
        }],
        dots: entropy.iter().enumerate().map(dot).collect(),
        stops: Vec::new(),
    })
}
