//! A table of cells whose shade is their figure: rows by name, columns by number.

use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::look::{HEAT, INK, LETTER, MUTED, SMALL, SMALL_LETTER, TEXT};
use super::pen::{Frame, Pen};
use super::plane::{Axis, Growth};
use super::{Drawing, Figure, Ground, Mark};

const ROW: f64 = 28.0;
/// The largest figure's shade: text in ink stays legible on it, in the light and in the dark.
const DARKEST: f64 = 0.85;
/// Steps of the sample above the map.
const STEPS: usize = 20;
/// Width of the sample.
const SAMPLE: f64 = 120.0;
/// Height that column names and title take below the map.
const BELOW: f64 = 46.0;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatCell {
    /// Decides the shade; none leaves it empty.
    pub value: Option<f64>,
    /// Written into it where there is room.
    pub shown: String,
    /// Its figures as a line.
    pub told: String,
    /// Framed.
    pub flagged: bool,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatRow {
    /// Names the row on the page; a cell is `<row>-<column>`.
    pub key: String,
    /// Left of the map.
    pub label: String,
    /// From the left.
    pub cells: Vec<HeatCell>,
}

/// What to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// First line of a file's figure, and its `<title>`.
    pub title: String,
    /// The figure in words, its `<desc>`.
    pub description: String,
    /// What a shade is, with its unit.
    pub unit: String,
    /// What the columns are.
    pub across: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// From the top.
    pub rows: Vec<HeatRow>,
    /// What a frame means, where some cell may have one.
    pub flag: Option<String>,
}

impl HeatMap {
    /// From the least figure to the largest.
    fn range(&self) -> (f64, f64) {
        let values = self.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.value);
        let values = values.filter(|value| value.is_finite());
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    }

    fn draw_sample(&self, pen: &Pen, top: f64, (low, high): (f64, f64), width: f64) {
        use crate::report::format::small;
        let words = format!("{}: {}", self.unit, small(low));
        let left = words.chars().count() as f64 * SMALL_LETTER + 10.0;
        pen.text(&words, (2.0, top), SMALL, &MUTED, HPos::Left);
        let sample = SAMPLE.min((width - left - 60.0).max(20.0));
        for step in 0..STEPS {
            let (from, to) = (step as f64 / STEPS as f64, (step + 1) as f64 / STEPS as f64);
            let corners = ((left + from * sample, top - 7.0), (left + to * sample, top + 7.0));
            pen.block(corners.0, corners.1, &HEAT.mix(shade((from + to) / 2.0)));
        }
        pen.text(&small(high), (left + sample + 6.0, top), SMALL, &MUTED, HPos::Left);
        if let Some(flag) = &self.flag {
            frame(pen, (3.0, top + 14.0), (15.0, top + 26.0));
            pen.text(flag, (22.0, top + 20.0), SMALL, &MUTED, HPos::Left);
        }
    }
}

impl Drawing for HeatMap {
    fn description(&self) -> &str {
        &self.description
    }

    fn draw(&self, width: f64, ground: Ground) -> Figure {
        let longest = self.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        let left = (longest as f64 * LETTER + 10.0).clamp(40.0, width * 0.38);
        let top = Frame::top(ground) + 20.0 + if self.flag.is_some() { 20.0 } else { 0.0 };
        let cell = (width - left - 2.0) / self.columns.len().max(1) as f64;
        let bottom = top + self.rows.len() as f64 * ROW;
        let (low, high) = self.range();
        let axis = Axis::fit("", Growth::Linear, [low, high]);
        let share = |value: f64| if low < high { (value - low) / (high - low) } else { axis.share(value) };
        let size = (width, bottom + BELOW);
        let mut figure = Frame { title: &self.title, description: &self.description, size, ground }.draw(|pen| {
            if low <= high {
                self.draw_sample(pen, Frame::top(ground), (low, high), width);
            }
            let mut marks = Vec::new();
            for (at, row) in self.rows.iter().enumerate() {
                let y = top + at as f64 * ROW;
                pen.text(&row.label, (left - 8.0, y + ROW / 2.0), TEXT, &INK, HPos::Right);
                for (column, of) in row.cells.iter().enumerate() {
                    let (from, to) = (left + column as f64 * cell, left + (column + 1) as f64 * cell);
                    let (a, b) = ((from + 0.75, y + 0.75), (to - 0.75, y + ROW - 0.75));
                    if let Some(value) = of.value {
                        pen.block(a, b, &HEAT.mix(shade(share(value))));
                    }
                    if of.flagged {
                        frame(pen, a, b);
                    }
                    let centre = ((from + to) / 2.0, y + ROW / 2.0);
                    if of.shown.chars().count() as f64 * SMALL_LETTER + 2.0 <= cell {
                        pen.text(&of.shown, centre, SMALL, &INK, HPos::Center);
                    }
                    let key = format!("{}-{}", row.key, self.columns[column]);
                    marks.push(Mark { key, told: of.told.clone(), from: (from, y), size: (cell, ROW), at: centre });
                }
            }
            for (column, name) in self.columns.iter().enumerate() {
                let x = left + (column as f64 + 0.5) * cell;
                pen.text(name, (x, bottom + 13.0), SMALL, &MUTED, HPos::Center);
            }
            pen.text(&self.across, ((left + width) / 2.0, bottom + 34.0), SMALL, &MUTED, HPos::Center);
            marks
        });
        figure.stride = self.columns.len().max(1);
        figure
    }
}

fn shade(share: f64) -> f64 {
    DARKEST * (0.06 + 0.94 * share.clamp(0.0, 1.0))
}

fn frame(pen: &Pen, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
    let inset = 0.75;
    let (left, top, right, bottom) = (left + inset, top + inset, right - inset, bottom - inset);
    pen.line(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], &INK, 2.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> HeatMap {
        let cell = |value: f64| HeatCell {
            value: Some(value),
            shown: format!("{value:.1}"),
            told: format!("κ {value}"),
            flagged: value > 4.0,
        };
        let row = |key: &str, values: [f64; 3]| HeatRow {
            key: key.into(),
            label: format!("<{key}>"),
            cells: values.map(cell).to_vec(),
        };
        HeatMap {
            title: "κ".into(),
            description: "In words".into(),
            unit: "excess kurtosis κ".into(),
            across: "layer".into(),
            columns: ["0", "1", "2"].map(String::from).to_vec(),
            rows: vec![row("qkv", [0.0, 1.0, 5.0]), row("out", [2.0, 2.5, 3.0])],
            flag: Some("κ above 4".into()),
        }
    }

    #[test]
    fn cells_are_marks_row_after_row() {
        for width in [280.0, 900.0] {
            let figure = map().draw(width, Ground::Page);
            assert_eq!((figure.marks.len(), figure.stride), (6, 3));
            assert_eq!((figure.marks[2].key.as_str(), figure.marks[3].key.as_str()), ("qkv-2", "out-0"));
            assert!(figure.marks.iter().all(|mark| mark.from.0 + mark.size.0 <= width));
        }
    }

    #[test]
    fn larger_figures_are_darker_and_follow_the_page() {
        let svg = map().draw(900.0, Ground::Page).svg;
        assert!(svg.contains("var(--heat)") && !svg.contains("\"#"));
        assert!(shade(1.0) > shade(0.5) && shade(0.5) > shade(0.0) && shade(0.0) > 0.0);
        assert!(map().draw(900.0, Ground::File).svg.contains("&lt;qkv&gt;"));
    }
}
