//! One dot per language over a plane, with whiskers both ways.

use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::legend;
use super::look::{MARK, MUTED, SMALL, SMALL_LETTER, colour};
use super::pen::{Frame, Pen};
use super::plane::{ABOVE, Axis, BELOW, Growth, Plane};
use super::{Drawing, Figure, Ground, Mark};
use crate::report::{Interval, Resource};

/// Height of the plane.
const HEIGHT: f64 = 340.0;
/// Ground of the legend's lines.
const LEGEND_LINE: f64 = 20.0;

/// A language.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Names it on the page, and stands beside its dot.
    pub key: String,
    /// Its figures as a line.
    pub told: String,
    /// Colour and shape.
    pub resource: Resource,
    /// Across.
    pub x: Interval,
    /// Upwards.
    pub y: Interval,
}

/// What to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterChart {
    /// First line of a file's figure, and its `<title>`.
    pub title: String,
    /// The figure in words, its `<desc>`.
    pub description: String,
    /// What goes across, with its unit.
    pub across: String,
    /// What goes up, with its unit.
    pub upwards: String,
    /// In reading order.
    pub points: Vec<Point>,
}

impl ScatterChart {
    fn axis(&self, title: &str, of: fn(&Point) -> &Interval) -> Axis {
        let ends = self.points.iter().flat_map(|point| [of(point).low, of(point).value, of(point).high]);
        Axis::fit(title, Growth::Linear, ends)
    }
}

impl Drawing for ScatterChart {
    fn description(&self) -> &str {
        &self.description
    }

    fn draw(&self, width: f64, ground: Ground) -> Figure {
        let (x, y) = (self.axis(&self.across, |point| &point.x), self.axis(&self.upwards, |point| &point.y));
        let levels: Vec<Resource> = self.points.iter().map(|point| point.resource).collect();
        let entries = legend::placed(&levels, 2.0, width);
        let top = Frame::top(ground) + entries.last().map_or(0.0, |entry| entry.y + LEGEND_LINE) + ABOVE;
        let plane = Plane::new(&x, &y, width, (top, top + HEIGHT));
        let size = (width, plane.down.1 + BELOW);
        Frame { title: &self.title, description: &self.description, size, ground }.draw(|pen| {
            legend::draw(pen, &entries, Frame::top(ground));
            plane.draw(pen);
            self.points.iter().for_each(|point| whiskers(pen, &plane, point));
            self.points.iter().map(|point| dot(pen, &plane, point)).collect()
        })
    }
}

fn whiskers(pen: &Pen, plane: &Plane<'_>, point: &Point) {
    let (faint, at) = (colour(point.resource).mix(0.45), plane.place((point.x.value, point.y.value)));
    pen.line(&[(plane.across(point.x.low), at.1), (plane.across(point.x.high), at.1)], &faint, 1.5);
    pen.line(&[(at.0, plane.down(point.y.low)), (at.0, plane.down(point.y.high))], &faint, 1.5);
}

fn dot(pen: &Pen, plane: &Plane<'_>, point: &Point) -> Mark {
    let at = plane.place((point.x.value, point.y.value));
    pen.shape(point.resource, at);
    // Beside the dot, on the side that has room.
    let room = point.key.chars().count() as f64 * SMALL_LETTER + 2.0 * MARK;
    let (beside, side) =
        if at.0 + room < plane.across.1 { (at.0 + MARK + 4.0, HPos::Left) } else { (at.0 - MARK - 4.0, HPos::Right) };
    pen.text(&point.key, (beside, at.1 - MARK - 4.0), SMALL, &MUTED, side);
    let reach = 2.0 * MARK;
    Mark {
        key: point.key.clone(),
        told: point.told.clone(),
        from: (at.0 - reach, at.1 - reach),
        size: (2.0 * reach, 2.0 * reach),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> ScatterChart {
        let interval = |value: f64| Interval { value, low: value - 0.1, high: value + 0.2 };
        let point = |key: &str, resource, x, y| Point {
            key: key.into(),
            told: format!("{key}: {x}, {y}"),
            resource,
            x: interval(x),
            y: interval(y),
        };
        ScatterChart {
            title: "A & B".into(),
            description: "In words".into(),
            across: "κ_eff".into(),
            upwards: "D".into(),
            points: vec![point("eng", Resource::High, 1.0, 0.1), point("yor", Resource::Low, 2.0, 0.4)],
        }
    }

    #[test]
    fn dots_lie_as_their_figures_do_and_inside() {
        for width in [280.0, 700.0] {
            let figure = chart().draw(width, Ground::Page);
            let [a, b] = &figure.marks[..] else { panic!("two dots") };
            assert!(a.at.0 < b.at.0 && a.at.1 > b.at.1, "further across and further up");
            assert!(b.at.0 < width && b.at.1 > 0.0 && a.at.1 < figure.height);
            assert_eq!((a.key.as_str(), a.told.as_str()), ("eng", "eng: 1, 0.1"));
        }
    }

    #[test]
    fn names_and_titles_are_there() {
        let svg = chart().draw(700.0, Ground::File).svg;
        for words in ["A &amp; B", "κ_eff", "eng", "yor", "high-resource", "low-resource"] {
            assert!(svg.contains(words), "{words}");
        }
    }
}
