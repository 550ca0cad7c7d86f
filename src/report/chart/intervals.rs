//! Dot and whisker per row, sorted by the caller.

use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::look::{INK, LETTER, LINE, MUTED, SMALL, SMALL_LETTER, Shape, TEXT, colour};
use super::pen::{Frame, Pen};
use super::{Drawing, Figure, Ground, Mark, axis, legend};
use crate::report::scale::{Scale, Spread};
use crate::report::{Interval, Resource, format};

const ROW: f64 = 24.0;
/// Below this width the figures beside the whiskers are left to the table.
const WIDTH_WITH_FIGURES: f64 = 620.0;
/// Room of a figure without its brackets.
const FIGURE: f64 = 56.0;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Names the point on the page.
    pub key: String,
    /// Left of the axis.
    pub label: String,
    /// All its figures as a line, for the readout.
    pub told: String,
    /// Decides colour and shape; none for what is not a language.
    pub resource: Option<Resource>,
    /// Dot and whisker.
    pub interval: Interval,
}

/// A mean drawn behind the rows: a line and the band of its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Decides the colour.
    pub resource: Resource,
    /// Line and band.
    pub interval: Interval,
}

/// What to draw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalChart {
    /// First line of a file's figure, and its `<title>`.
    pub title: String,
    /// The figure in words, its `<desc>`.
    pub description: String,
    /// Under the axis.
    pub axis: String,
    /// Of the figures beside the whiskers.
    pub decimals: usize,
    /// Rows from the top.
    pub points: Vec<Point>,
    /// Means.
    pub references: Vec<Reference>,
    /// How figures are spread over the axis; by their size where nothing is said.
    pub spread: Option<Spread>,
}

impl Drawing for IntervalChart {
    fn description(&self) -> &str {
        &self.description
    }

    fn draw(&self, width: f64, ground: Ground) -> Figure {
        let longest = self.points.iter().map(|point| point.label.chars().count()).max().unwrap_or(0);
        let left = (longest as f64 * LETTER + 14.0).clamp(60.0, width * 0.4);
        let figures: Vec<(String, String)> =
            self.points.iter().map(|point| format::interval_parts_in_column(&point.interval, self.decimals)).collect();
        let figures = (width >= WIDTH_WITH_FIGURES).then_some(figures);
        let right = width - figures.as_deref().map_or(14.0, room_of);
        let levels: Vec<Resource> = self.points.iter().filter_map(|point| point.resource).collect();
        let legend = legend::placed(&levels, left, width);
        let top = Frame::top(ground) + legend.last().map_or(0.0, |entry| entry.y) + 22.0;
        let bottom = top + self.points.len() as f64 * ROW;
        let scale = self.scale(left, right);

        let size = (width, bottom + axis::BELOW);
        Frame { title: &self.title, description: &self.description, size, ground }.draw(|pen| {
            legend::draw(pen, &legend, Frame::top(ground));
            self.draw_references(pen, &scale, top, bottom);
            axis::below(pen, &scale, &self.axis, (left, right), (top, bottom));
            self.points
                .iter()
                .enumerate()
                .map(|(at, point)| {
                    let y = top + (at as f64 + 0.5) * ROW;
                    if self.begins_unseen(at) {
                        pen.line(&[(0.0, y - ROW / 2.0), (width, y - ROW / 2.0)], &LINE, 1.0);
                    }
                    pen.text(&point.label, (left - 12.0, y), TEXT, &INK, HPos::Right);
                    let [x, low, high] = ends(&scale, &point.interval);
                    pen.line(&[(low, y), (high, y)], &point.resource.map_or(INK, colour), 2.0);
                    match point.resource {
                        Some(level) => pen.shape(level, (x, y)),
                        None => pen.dot(Shape::Disc, &INK, (x, y)),
                    }
                    if let Some((value, bounds)) = figures.as_ref().map(|figures| &figures[at]) {
                        pen.text(value, (right + FIGURE, y), SMALL, &INK, HPos::Right);
                        pen.text(bounds, (right + FIGURE + 6.0, y), SMALL, &MUTED, HPos::Left);
                    }
                    Mark {
                        key: point.key.clone(),
                        told: point.told.clone(),
                        from: (0.0, y - ROW / 2.0),
                        size: (width, ROW),
                        at: (x, y),
                    }
                })
                .collect()
        })
    }
}

impl IntervalChart {
    /// The axis that holds every interval, between two places.
    pub fn scale(&self, left: f64, right: f64) -> Scale {
        let ends = self.points.iter().map(|point| &point.interval);
        let ends = ends.chain(self.references.iter().map(|reference| &reference.interval));
        Scale::fit_as(self.spread, ends.flat_map(|i| [i.value, i.low, i.high]), left, right)
    }

    /// Whether the unseen languages begin with this row: a line sets them apart.
    fn begins_unseen(&self, at: usize) -> bool {
        let unseen = |at: usize| self.points[at].resource == Some(Resource::Unseen);
        at > 0 && unseen(at) && !unseen(at - 1)
    }

    fn draw_references(&self, pen: &Pen, scale: &Scale, top: f64, bottom: f64) {
        for reference in &self.references {
            let colour = colour(reference.resource);
            let [x, low, high] = ends(scale, &reference.interval);
            pen.block((low, top), (high, bottom), &colour.mix(0.10));
            pen.line(&[(x, top), (x, bottom)], &colour.mix(0.55), 1.0);
        }
    }
}

/// Where a figure and the ends of its interval are drawn.
fn ends(scale: &Scale, interval: &Interval) -> [f64; 3] {
    [interval.value, interval.low, interval.high].map(|value| scale.position(value))
}

/// Width of the column of figures.
fn room_of(figures: &[(String, String)]) -> f64 {
    let brackets = figures.iter().map(|(_, bounds)| bounds.chars().count()).max().unwrap_or(0);
    FIGURE + 6.0 + brackets as f64 * SMALL_LETTER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> IntervalChart {
        let point = |key: &str, resource, value: f64| Point {
            key: key.into(),
            label: format!("<{key}>"),
            told: format!("{key}: {value}"),
            resource: Some(resource),
            interval: Interval { value, low: value - 0.02, high: value + 0.03 },
        };
        IntervalChart {
            title: "Loss & <more>".into(),
            description: "In words".into(),
            axis: "D(λ)".into(),
            decimals: 2,
            points: vec![
                point("kor", Resource::Low, 0.18),
                point("jpn", Resource::Middle, 0.12),
                point("eng", Resource::High, 0.06),
                point("tha", Resource::Unseen, 0.02),
            ],
            references: vec![Reference {
                resource: Resource::High,
                interval: Interval { value: 0.06, low: 0.04, high: 0.09 },
            }],
            spread: None,
        }
    }

    #[test]
    fn levels_differ_in_colour_and_in_shape() {
        let svg = chart().draw(700.0, Ground::File).svg;
        // One in the legend, one in the row.
        assert_eq!(svg.matches("<circle").count(), 4, "discs and rings");
        assert_eq!(svg.matches("<polygon").count(), 4, "diamonds and squares");
        for colour in ["#005FA8", "#B84A00", "#6E7681", "#3B1A6B"] {
            assert!(svg.contains(colour), "{colour} is missing");
        }
    }

    #[test]
    fn the_page_names_its_colours_by_variable() {
        let svg = chart().draw(700.0, Ground::Page).svg;
        assert!(!svg.contains("\"#"), "a fixed colour does not follow the dark setting");
        assert!(svg.contains("var(--low)"));
        assert!(!svg.contains("more&gt;</text>"), "the page writes its own title");
    }

    #[test]
    fn strangers_words_are_escaped() {
        let svg = chart().draw(700.0, Ground::File).svg;
        assert!(svg.contains("<title>Loss &amp; &lt;more&gt;</title>"));
        assert!(svg.contains("&lt;kor&gt;") && !svg.contains("<kor>"));
    }

    #[test]
    fn marks_stand_where_the_rows_are() {
        for width in [320.0, 700.0] {
            let figure = chart().draw(width, Ground::Page);
            let keys: Vec<&str> = figure.marks.iter().map(|mark| mark.key.as_str()).collect();
            assert_eq!(keys, ["kor", "jpn", "eng", "tha"]);
            assert!(figure.marks.windows(2).all(|pair| pair[0].at.0 > pair[1].at.0));
            assert!(figure.marks.windows(2).all(|pair| pair[1].from.1 == pair[0].from.1 + pair[0].size.1));
            assert!(figure.marks.iter().all(|mark| mark.at.0 < width && mark.from.1 + mark.size.1 < figure.height));
            assert_eq!(figure.marks[0].told, "kor: 0.18");
        }
    }
}
