//! What the lines and dots of a chart are called, in as many lines as they need.

use plotters::style::text_anchor::HPos;

use super::look::{MARK, MUTED, SMALL, SMALL_LETTER, Shape, Stroke};
use super::pen::Pen;

/// Length of a line's sample.
const SAMPLE: f64 = 22.0;
/// From a sample to its words.
const GAP: f64 = 6.0;
/// From an entry's words to the next entry.
const BETWEEN: f64 = 14.0;
/// Height of a line of entries.
const LINE_HEIGHT: f64 = 20.0;

/// How something is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// A line.
    Line(Stroke),
    /// A broken line.
    Dashes(Stroke),
    /// A dot.
    Dot(Shape, Stroke),
}

/// Entries with their places, relative to the first line.
#[derive(Debug, Clone, PartialEq)]
pub struct Key<'a>(Vec<(Sample, &'a str, (f64, f64))>);

impl<'a> Key<'a> {
    /// Lays entries out from the left edge over lines of `width`.
    pub fn new(entries: impl IntoIterator<Item = (Sample, &'a str)>, width: f64) -> Key<'a> {
        let (mut x, mut y, mut placed) = (2.0, 0.0, Vec::new());
        for (sample, label) in entries {
            let own = length(sample) + GAP + label.chars().count() as f64 * SMALL_LETTER;
            if x > 2.0 && x + own > width {
                (x, y) = (2.0, y + LINE_HEIGHT);
            }
            placed.push((sample, label, (x, y)));
            x += own + BETWEEN;
        }
        Key(placed)
    }

    /// Height of all its lines.
    pub fn height(&self) -> f64 {
        self.0.last().map_or(0.0, |(.., (_, y))| y + LINE_HEIGHT)
    }

    /// Draws the entries, the middle of the first line at `top`.
    pub fn draw(&self, pen: &Pen, top: f64) {
        for (sample, label, (x, y)) in &self.0 {
            let middle = top + y;
            let ends = [(*x, middle), (x + SAMPLE, middle)];
            match sample {
                Sample::Line(stroke) => pen.line(&ends, &stroke.colour(), 2.0),
                Sample::Dashes(stroke) => pen.dashes(&ends, &stroke.colour(), 2.0),
                Sample::Dot(shape, stroke) => pen.dot(*shape, &stroke.colour(), (x + MARK, middle)),
            }
            pen.text(label, (x + length(*sample) + GAP, middle), SMALL, &MUTED, HPos::Left);
        }
    }
}

fn length(sample: Sample) -> f64 {
    match sample {
        Sample::Line(_) | Sample::Dashes(_) => SAMPLE,
        Sample::Dot(..) => 2.0 * MARK,
    }
}
