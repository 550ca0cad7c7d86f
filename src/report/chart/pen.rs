//! Lines, blocks, words and shapes in pixels, as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::look::{INK, MARK, MUTED, SMALL, SMALL_LETTER, Shape, TEXT, VARIABLES, colour, shape};
use super::{Figure, Ground, Mark};
use crate::report::Resource;

/// Plotters' coordinates are whole numbers; four of them to a pixel keep dots where they belong.
const FINE: f64 = 4.0;
/// Plotters writes a font size of its figure / 1.24.
const FONT_FACTOR: f64 = 1.24;

/// Draws in pixels on a fine grid.
pub struct Pen<'a>(DrawingArea<SVGBackend<'a>, plotters::coord::Shift>);

/// What stands around a figure.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// First line of a file's figure, and its `<title>`.
    pub title: &'a str,
    /// The figure in words, its `<desc>`.
    pub description: &'a str,
    /// Width and height in pixels.
    pub size: (f64, f64),
    /// Whose colours.
    pub ground: Ground,
}

impl Frame<'_> {
    /// Where the drawing may begin, under a file's title line.
    pub fn top(ground: Ground) -> f64 {
        if ground == Ground::File { 42.0 } else { 12.0 }
    }

    /// Has a figure drawn and dresses it: ground and title line, size, words for screen readers, the page's colours.
    pub fn draw(&self, draw: impl FnOnce(&Pen) -> Vec<Mark>) -> Figure {
        let (width, height) = self.size;
        let mut svg = String::new();
        let pen = Pen(SVGBackend::with_string(&mut svg, (fine(width) as u32, fine(height) as u32)).into_drawing_area());
        if self.ground == Ground::File {
            pen.block((0.0, 0.0), (width, height), &WHITE);
            pen.bold(self.title, (10.0, 18.0), TEXT + 1.0);
        }
        let marks = draw(&pen);
        pen.0.present().expect("writing SVG to a string cannot fail");
        drop(pen);
        Figure { svg: self.dressed(&svg), width, height, marks, stride: 1 }
    }

    fn dressed(&self, svg: &str) -> String {
        let (width, height) = self.size;
        let body = svg.find('>').map_or("", |end| &svg[end + 1..]);
        let mut body = body.replace("font-family=\"sans-serif\"", "font-family=\"system-ui, sans-serif\"");
        if self.ground == Ground::Page {
            for (RGBColor(r, g, b), variable) in VARIABLES {
                body = body.replace(&format!("\"#{r:02X}{g:02X}{b:02X}\""), &format!("\"var({variable})\""));
            }
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
             role=\"img\">\n<title>{}</title>\n<desc>{}</desc>{body}",
            fine(width),
            fine(height),
            escaped(self.title),
            escaped(self.description),
        )
    }
}

impl<'a> Pen<'a> {
    fn draw<E>(&self, element: &E)
    where
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
        E: plotters::element::Drawable<SVGBackend<'a>>,
    {
        self.0.draw(element).expect("writing SVG to a string cannot fail");
    }

    /// A line through points.
    pub fn line(&self, points: &[(f64, f64)], colour: &impl Color, width: f64) {
        let style = colour.stroke_width(fine(width) as u32);
        self.draw(&PathElement::new(points.iter().map(place).collect::<Vec<_>>(), style));
    }

    /// A filled rectangle between two corners.
    pub fn block(&self, from: (f64, f64), to: (f64, f64), colour: &impl Color) {
        self.draw(&Rectangle::new([place(&from), place(&to)], colour.filled()));
    }

    /// A line of text; `side` says which end of it is at `at`.
    pub fn text(&self, text: &str, at: (f64, f64), size: f64, colour: &RGBColor, side: HPos) {
        let style = TextStyle::from(("sans-serif", size * FONT_FACTOR * FINE).into_font())
            .color(colour)
            .pos(Pos::new(side, VPos::Center));
        self.draw(&Text::new(text.to_string(), place(&at), style));
    }

    /// The title of a horizontal axis from `left` to `right` that lies at `bottom`: in its middle, moved as far as the figure's
    /// edges want it, and in two lines where one is longer than the figure.
    pub fn axis_title(&self, title: &str, (left, right): (f64, f64), bottom: f64) {
        let width = f64::from(self.0.dim_in_pixel().0) / FINE;
        let lines = lines(title, width);
        let first = bottom + if lines.len() == 1 { 36.0 } else { 30.0 };
        for (at, line) in lines.into_iter().enumerate() {
            let half = width_of(line) / 2.0;
            let x = ((left + right) / 2.0).min(width - half).max(half);
            self.text(line, (x, first + 13.0 * at as f64), SMALL, &MUTED, HPos::Center);
        }
    }

    fn bold(&self, text: &str, at: (f64, f64), size: f64) {
        let font = ("sans-serif", size * FONT_FACTOR * FINE).into_font().style(FontStyle::Bold);
        let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        self.draw(&Text::new(text.to_string(), place(&at), style));
    }

    /// A resource level, in its colour and shape.
    pub fn shape(&self, level: Resource, at: (f64, f64)) {
        self.dot(shape(level), &colour(level), at);
    }

    /// A dot of any shape.
    pub fn dot(&self, shape: Shape, colour: &RGBColor, (x, y): (f64, f64)) {
        let polygon = |corners: &[(f64, f64)]| {
            let corners: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| place(&(x + dx, y + dy))).collect();
            self.draw(&Polygon::new(corners, colour.filled()));
        };
        match shape {
            Shape::Disc => self.draw(&Circle::new(place(&(x, y)), fine(MARK), colour.filled())),
            Shape::Ring => {
                self.draw(&Circle::new(place(&(x, y)), fine(MARK - 0.5), colour.stroke_width(fine(2.0) as u32)));
            }
            Shape::Diamond => {
                let r = MARK * 1.3;
                polygon(&[(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)]);
            }
            Shape::Square => {
                let r = MARK * 0.85;
                polygon(&[(-r, -r), (r, -r), (r, r), (-r, r)]);
            }
            Shape::Triangle => {
                let r = MARK * 1.1;
                polygon(&[(0.0, -r), (r, r * 0.8), (-r, r * 0.8)]);
            }
            Shape::Cross => {
                let r = MARK * 0.85;
                self.line(&[(x - r, y - r), (x + r, y + r)], colour, 2.0);
                self.line(&[(x - r, y + r), (x + r, y - r)], colour, 2.0);
            }
        }
    }

    /// A broken line through points: `ON` pixels of line, `OFF` of ground, all along the way.
    pub fn dashes(&self, points: &[(f64, f64)], colour: &impl Color, width: f64) {
        const ON: f64 = 6.0;
        const OFF: f64 = 4.0;
        let mut walked = 0.0;
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let length = libm::hypot(x1 - x0, y1 - y0);
            let along = |far: f64| (x0 + (x1 - x0) * far / length, y0 + (y1 - y0) * far / length);
            let mut from = 0.0;
            while from < length {
                let phase = libm::fmod(walked + from, ON + OFF);
                let to = (from + if phase < ON { ON - phase } else { ON + OFF - phase }).min(length);
                if phase < ON {
                    self.line(&[along(from), along(to)], colour, width);
                }
                // A step too small to be seen would never end.
                from = to.max(from + 1e-6);
            }
            walked += length;
        }
    }
}

/// About how wide small text is.
fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * SMALL_LETTER
}

/// One line, or two of about the same length where one is wider than `width`.
fn lines(text: &str, width: f64) -> Vec<&str> {
    let uneven = |(at, _): &(usize, &str)| at.abs_diff(text.len() - at);
    match text.match_indices(' ').min_by_key(uneven) {
        Some((at, _)) if width_of(text) > width => vec![&text[..at], &text[at + 1..]],
        _ => vec![text],
    }
}

fn fine(pixels: f64) -> i32 {
    libm::round(pixels * FINE) as i32
}

fn place((x, y): &(f64, f64)) -> (i32, i32) {
    (fine(*x), fine(*y))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of a figure of this width, with the middle of each, in pixels.
    fn titled(width: f64) -> Vec<(String, f64)> {
        let frame = Frame { title: "", description: "", size: (width, 60.0), ground: Ground::Page };
        let title = "D, logarithmic in 1 + D = PPL quantized ÷ PPL full";
        let figure = frame.draw(|pen| {
            pen.axis_title(title, (130.0, width - 14.0), 10.0);
            Vec::new()
        });
        let texts = figure.svg.split("<text ").skip(1).map(|text| {
            let x = text.split_once(" x=\"").or(text.split_once("x=\"")).expect("a place").1;
            let x: f64 = x.split_once('"').expect("a place").0.parse().expect("a number");
            (text.lines().nth(1).expect("words").to_string(), x / FINE)
        });
        texts.collect()
    }

    #[test]
    fn the_title_of_an_axis_stays_in_its_figure() {
        for width in [280.0, 320.0, 400.0, 700.0] {
            let lines = titled(width);
            assert_eq!(lines.len(), if width < 330.0 { 2 } else { 1 }, "{width}");
            for (line, x) in lines {
                let half = width_of(&line) / 2.0;
                assert!(x - half >= -0.5 && x + half <= width + 0.5, "{line:?} about {x} of {width}");
            }
        }
        assert_eq!(titled(700.0)[0].1, (130.0 + 686.0) / 2.0, "in the middle where there is room");
    }
}
