//! Counts in cells as bars, with curves over them.

use plotters::style::Color;

use super::key::Key;
use super::lines::Curve;
use super::look::MUTED;
use super::pen::Frame;
use super::plane::{ABOVE, Axis, BELOW, Plane};
use super::{Drawing, Figure, Ground, Mark};

/// Height of the plane.
const HEIGHT: f64 = 280.0;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Names it on the page.
    pub key: String,
    /// Left and right edge.
    pub edges: (f64, f64),
    /// How high.
    pub count: f64,
    /// Its figures as a line.
    pub told: String,
}

/// What to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramChart {
    /// First line of a file's figure, and its `<title>`.
    pub title: String,
    /// The figure in words, its `<desc>`.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis; a bar stands on its low end.
    pub y: Axis,
    /// From left to right.
    pub bars: Vec<Bar>,
    /// Over the bars.
    pub curves: Vec<Curve>,
}

impl Drawing for HistogramChart {
    fn description(&self) -> &str {
        &self.description
    }

    fn draw(&self, width: f64, ground: Ground) -> Figure {
        let key = Key::new(self.curves.iter().map(|curve| (curve.sample(), curve.label.as_str())), width);
        let top = Frame::top(ground) + key.height() + ABOVE;
        let plane = Plane::new(&self.x, &self.y, width, (top, top + HEIGHT));
        let size = (width, plane.down.1 + BELOW);
        Frame { title: &self.title, description: &self.description, size, ground }.draw(|pen| {
            key.draw(pen, Frame::top(ground));
            plane.draw(pen);
            let bottom = plane.down.1;
            let bar = |bar: &Bar| {
                let (left, right) = (plane.across(bar.edges.0), plane.across(bar.edges.1));
                let high = if bar.count > 0.0 { plane.down(bar.count) } else { bottom };
                if high < bottom {
                    pen.block((left + 0.25, high), (right - 0.25, bottom), &MUTED.mix(0.45));
                }
                Mark {
                    key: bar.key.clone(),
                    told: bar.told.clone(),
                    from: (left, top),
                    size: (right - left, bottom - top),
                    at: ((left + right) / 2.0, high),
                }
            };
            let marks = self.bars.iter().map(bar).collect();
            self.curves.iter().for_each(|curve| curve.draw(pen, &plane));
            marks
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::Stroke;
    use super::super::plane::Growth;
    use super::*;

    #[test]
    fn bars_stand_side_by_side_and_the_empty_have_none() {
        let bar = |at: usize, count: f64| Bar {
            key: format!("cell-{at}"),
            edges: (at as f64, at as f64 + 1.0),
            count,
            told: format!("{count}"),
        };
        let points = vec![(0.5, 3.0), (1.5, 80.0), (2.5, 1e-9)];
        let chart = HistogramChart {
            title: "Weights".into(),
            description: "In words".into(),
            x: Axis::new("distance, σ", Growth::Linear, 0.0, 3.0),
            y: Axis::new("weights", Growth::Logarithmic, 0.5, 200.0),
            bars: vec![bar(0, 1.0), bar(1, 100.0), bar(2, 0.0)],
            curves: vec![Curve { label: "Gaussian".into(), stroke: Stroke::First, dashed: false, points }],
        };
        let figure = chart.draw(500.0, Ground::Page);
        assert_eq!(figure.svg.matches("<rect").count(), 2, "an empty cell has no bar");
        let marks = &figure.marks;
        assert!(marks.windows(2).all(|pair| (pair[0].from.0 + pair[0].size.0 - pair[1].from.0).abs() < 1e-9));
        assert!(marks[1].at.1 < marks[0].at.1 && marks[0].at.1 < marks[2].at.1);
        assert!(!figure.svg.contains("\"#"));
    }
}
