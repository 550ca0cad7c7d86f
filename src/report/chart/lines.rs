//! Lines over a plane, dots that stand out, and places across at which all lines are read.

use std::collections::BTreeSet;

use plotters::style::Color;

use super::key::{Key, Sample};
use super::look::{MARK, MUTED, Shape, Stroke};
use super::pen::{Frame, Pen};
use super::plane::{ABOVE, Axis, BELOW, Plane};
use super::{Drawing, Figure, Ground, Mark};

/// Height of the plane.
const HEIGHT: f64 = 300.0;

/// Width of an interval's line.
const WHISKER: f64 = 1.5;
/// Half the width of a point of the cloud.
const CLOUD: f64 = 1.5;
/// How much of it covers what is behind.
const FAINT: f64 = 0.45;

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// In the key; lines of one label share an entry.
    pub label: String,
    /// Colour.
    pub stroke: Stroke,
    /// Broken.
    pub dashed: bool,
    /// From left to right; what has no place on the axes breaks the line.
    pub points: Vec<(f64, f64)>,
}

/// A point that stands out.
#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    /// Names it on the page.
    pub key: String,
    /// In the key; dots of one label share an entry.
    pub label: String,
    /// Its figures as a line.
    pub told: String,
    /// Shape and colour.
    pub look: (Shape, Stroke),
    /// Its figures.
    pub at: (f64, f64),
    /// Ends of its interval up and down; none for a figure without one.
    pub whisker: Option<(f64, f64)>,
    /// Whether a thin line runs from it down to the horizontal axis.
    pub dropped: bool,
}

/// A place across at which the lines are read.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// Names it on the page.
    pub key: String,
    /// What the lines say there.
    pub told: String,
    /// Where.
    pub x: f64,
}

/// What to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// First line of a file's figure, and its `<title>`.
    pub title: String,
    /// The figure in words, its `<desc>`.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Points behind everything else, too many to be pointed at one by one.
    pub cloud: Vec<(f64, f64)>,
    /// Lines.
    pub curves: Vec<Curve>,
    /// Dots, over the lines.
    pub dots: Vec<Dot>,
    /// From left to right.
    pub stops: Vec<Stop>,
}

impl Curve {
    /// As the key shows it.
    pub fn sample(&self) -> Sample {
        if self.dashed { Sample::Dashes(self.stroke) } else { Sample::Line(self.stroke) }
    }

    /// Draws it over a plane.
    pub fn draw(&self, pen: &Pen, plane: &Plane<'_>) {
        for run in plane.runs(&self.points) {
            match self.dashed {
                true => pen.dashes(&run, &self.stroke.colour(), 2.0),
                false => pen.line(&run, &self.stroke.colour(), 2.0),
            }
        }
    }
}

impl Drawing for LineChart {
    fn description(&self) -> &str {
        &self.description
    }

    fn draw(&self, width: f64, ground: Ground) -> Figure {
        let lines = self.curves.iter().map(|curve| (curve.sample(), curve.label.as_str()));
        let dots = self.dots.iter().map(|dot| (Sample::Dot(dot.look.0, dot.look.1), dot.label.as_str()));
        let mut entries: Vec<(Sample, &str)> = Vec::new();
        for (sample, label) in lines.chain(dots) {
            if !entries.iter().any(|(_, other)| *other == label) {
                entries.push((sample, label));
            }
        }
        let key = Key::new(entries, width);
        let top = Frame::top(ground) + key.height() + ABOVE;
        let plane = Plane::new(&self.x, &self.y, width, (top, top + HEIGHT));
        let size = (width, plane.down.1 + BELOW);
        Frame { title: &self.title, description: &self.description, size, ground }.draw(|pen| {
            key.draw(pen, Frame::top(ground));
            plane.draw(pen);
            draw_cloud(pen, &plane, &self.cloud);
            self.curves.iter().for_each(|curve| curve.draw(pen, &plane));
            let mut marks = strips(&plane, &self.stops);
            for dot in &self.dots {
                let at = plane.place(dot.at);
                if dot.dropped {
                    pen.line(&[at, (at.0, plane.down.1)], &MUTED, 1.0);
                }
                if let Some((low, high)) = dot.whisker {
                    pen.line(&[(at.0, plane.down(low)), (at.0, plane.down(high))], &dot.look.1.colour(), WHISKER);
                }
                pen.dot(dot.look.0, &dot.look.1.colour(), at);
                let reach = 2.0 * MARK;
                marks.push(Mark {
                    key: dot.key.clone(),
                    told: dot.told.clone(),
                    from: (at.0 - reach, at.1 - reach),
                    size: (2.0 * reach, 2.0 * reach),
                    at,
                });
            }
            marks
        })
    }
}

/// Each pixel once, however many points lie on it.
fn draw_cloud(pen: &Pen, plane: &Plane<'_>, cloud: &[(f64, f64)]) {
    let pixel = |point: &(f64, f64)| {
        let (x, y) = plane.place(*point);
        (libm::round(x) as i64, libm::round(y) as i64)
    };
    let pixels: BTreeSet<(i64, i64)> = cloud.iter().map(pixel).collect();
    for (x, y) in pixels {
        let (x, y) = (x as f64, y as f64);
        pen.block((x - CLOUD, y - CLOUD), (x + CLOUD, y + CLOUD), &MUTED.mix(FAINT));
    }
}

/// Each stop answers from halfway to the stop before it to halfway to the next.
fn strips(plane: &Plane<'_>, stops: &[Stop]) -> Vec<Mark> {
    let (top, bottom) = plane.down;
    let places: Vec<f64> = stops.iter().map(|stop| plane.across(stop.x)).collect();
    let halfway = |a: usize, b: usize| (places[a] + places[b]) / 2.0;
    let strip = |(at, stop): (usize, &Stop)| {
        let left = if at > 0 { halfway(at - 1, at) } else { plane.across.0 };
        let right = if at + 1 < places.len() { halfway(at, at + 1) } else { plane.across.1 };
        Mark {
            key: stop.key.clone(),
            told: stop.told.clone(),
            from: (left, top),
            size: (right - left, bottom - top),
            at: (places[at], (top + bottom) / 2.0),
        }
    };
    stops.iter().enumerate().map(strip).collect()
}

#[cfg(test)]
mod tests {
    use super::super::plane::Growth;
    use super::*;

    fn chart() -> LineChart {
        let curve = |label: &str, dashed| Curve {
            label: label.into(),
            stroke: Stroke::First,
            dashed,
            points: vec![(1.0, 0.1), (2.0, 0.01), (3.0, 0.0), (4.0, 1.0)],
        };
        let dot = |key: &str, x| Dot {
            key: key.into(),
            label: "rule".into(),
            told: format!("{key} at {x}"),
            look: (Shape::Diamond, Stroke::Second),
            at: (x, 0.05),
            whisker: None,
            dropped: true,
        };
        LineChart {
            cloud: vec![(1.5, 0.5), (1.5, 0.5), (2.5, 0.2)],
            title: "Error & <more>".into(),
            description: "In words".into(),
            x: Axis::fit("α/σ", Growth::Linear, [1.0, 4.0]),
            y: Axis::fit("MSE", Growth::Logarithmic, [0.1, 0.01, 1.0]),
            curves: vec![curve("total", false), curve("clipping", true)],
            dots: vec![dot("absmax", 3.5), dot("best", 2.0)],
            stops: [1.0, 2.0, 3.0, 4.0].map(|x| Stop { key: format!("at-{x}"), told: format!("at {x}"), x }).to_vec(),
        }
    }

    #[test]
    fn stops_tile_the_plane_and_dots_come_after_them() {
        for width in [280.0, 700.0] {
            let figure = chart().draw(width, Ground::Page);
            let (strips, dots) = figure.marks.split_at(4);
            for pair in strips.windows(2) {
                assert!((pair[0].from.0 + pair[0].size.0 - pair[1].from.0).abs() < 1e-9);
            }
            assert_eq!(dots.iter().map(|dot| dot.key.as_str()).collect::<Vec<_>>(), ["absmax", "best"]);
            assert!(dots[0].at.0 > dots[1].at.0 && figure.marks.iter().all(|mark| mark.at.0 < width));
        }
    }

    #[test]
    fn an_interval_is_a_line_through_its_dot() {
        let plain = chart();
        let mut whiskered = chart();
        whiskered.dots[0].whisker = Some((0.02, 0.2));
        let lines = |chart: &LineChart| chart.draw(700.0, Ground::Page).svg.matches("<polyline").count();
        assert_eq!(lines(&whiskered), lines(&plain) + 1);
        // Its ends are those of the axis: a higher one is drawn higher.
        let plane = Plane::new(&whiskered.x, &whiskered.y, 700.0, (0.0, HEIGHT));
        assert!(plane.down(0.2) < plane.down(0.05) && plane.down(0.05) < plane.down(0.02));
    }

    #[test]
    fn what_has_one_name_has_one_entry_in_the_key() {
        let mut same = chart();
        same.curves[1].label = "total".into();
        let named = |chart: &LineChart, name: &str| chart.draw(700.0, Ground::Page).svg.matches(name).count();
        assert_eq!((named(&chart(), "clipping"), named(&same, "clipping")), (1, 0));
        assert_eq!((named(&same, "\ntotal"), named(&same, "\nrule")), (1, 1), "{}", same.draw(700.0, Ground::Page).svg);
    }

    #[test]
    fn titles_are_there_and_strangers_words_escaped() {
        let svg = chart().draw(700.0, Ground::File).svg;
        assert!(svg.contains("<title>Error &amp; &lt;more&gt;</title>") && svg.contains("α/σ") && svg.contains("MSE"));
        assert_eq!(svg.matches("<polygon").count(), 3, "two dots and one in the key");
        let page = chart().draw(700.0, Ground::Page).svg;
        assert!(!page.contains("\"#") && page.contains("var(--first)") && page.contains("var(--second)"));
    }
}
