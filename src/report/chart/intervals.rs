//! Dot and whisker per row, sorted by the caller, as SVG.
//!
//! The figure is drawn once; only the names of its colours differ between the page, which follows the person's light or
//! dark setting through CSS variables, and a file, which carries the light colours and a white ground.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::scale::{Scale, Spread};
use super::{Interval, Resource, format, words};

/// Plotters' coordinates are whole numbers; four of them to a pixel keep dots where they belong.
const FINE: f64 = 4.0;
/// Plotters writes a font size of its figure / 1.24.
const FONT_FACTOR: f64 = 1.24;
const TEXT: f64 = 13.0;
const SMALL: f64 = 12.0;
const ROW: f64 = 24.0;
const MARK: f64 = 5.0;
const TICKS_APART: f64 = 64.0;
/// Below this width the figures beside the whiskers are left to the table.
const WIDTH_WITH_FIGURES: f64 = 620.0;
/// Room of a figure without its brackets.
const FIGURE: f64 = 56.0;
/// Mean width of a Latin letter of [`TEXT`] size, on the safe side.
const LETTER: f64 = 7.2;
/// The same of [`SMALL`] size.
const SMALL_LETTER: f64 = 6.6;
/// From a legend entry's left edge to its words.
const LEGEND_TEXT: f64 = 2.0 * MARK + 6.0;
const LEGEND_LINE: f64 = 20.0;

const INK: RGBColor = RGBColor(0x1B, 0x1F, 0x24);
const MUTED: RGBColor = RGBColor(0x57, 0x60, 0x6A);
const LINE: RGBColor = RGBColor(0xDF, 0xE3, 0xE8);
const HIGH: RGBColor = RGBColor(0x00, 0x5F, 0xA8);
const MIDDLE: RGBColor = RGBColor(0x6E, 0x76, 0x81);
const LOW: RGBColor = RGBColor(0xB8, 0x4A, 0x00);
const UNSEEN: RGBColor = RGBColor(0x7A, 0x4F, 0xA3);

/// The CSS variable of each colour on the page.
const VARIABLES: [(RGBColor, &str); 7] = [
    (INK, "--ink"),
    (MUTED, "--muted"),
    (LINE, "--line"),
    (HIGH, "--high"),
    (MIDDLE, "--middle"),
    (LOW, "--low"),
    (UNSEEN, "--unseen"),
];

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Names the point on the page.
    pub key: String,
    /// Left of the axis.
    pub label: String,
    /// Decides colour and shape.
    pub resource: Resource,
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
pub struct Chart {
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
}

/// Whose colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// CSS variables of the page; no title line, the page has its own.
    Page,
    /// Light colours, white ground, title line.
    File,
}

/// Where a row is, for the page's hover and focus, in pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The point's key.
    pub key: String,
    /// Centre of the dot.
    pub x: f64,
    /// Centre of the row.
    pub y: f64,
}

/// A drawn figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The SVG element.
    pub svg: String,
    /// Pixels.
    pub width: f64,
    /// Pixels.
    pub height: f64,
    /// Height of a row.
    pub row: f64,
    /// Linear or logarithmic, for the words beside it.
    pub spread: Spread,
    /// One per row.
    pub marks: Vec<Mark>,
}

impl Chart {
    /// Draws the figure `width` pixels wide; its height follows from the rows.
    pub fn draw(&self, width: f64, ground: Ground) -> Figure {
        let with_figures = width >= WIDTH_WITH_FIGURES;
        let longest = self.points.iter().map(|point| point.label.chars().count()).max().unwrap_or(0);
        let left = (longest as f64 * LETTER + 14.0).clamp(60.0, width * 0.4);
        let figures: Vec<(String, String)> =
            self.points.iter().map(|point| format::interval_parts_in_column(&point.interval, self.decimals)).collect();
        let brackets =
            figures.iter().map(|(_, bounds)| bounds.chars().count()).max().unwrap_or(0) as f64 * SMALL_LETTER;
        let right = width - if with_figures { FIGURE + 6.0 + brackets } else { 14.0 };
        let legend_y = if ground == Ground::File { 42.0 } else { 12.0 };
        let legend = self.legend(left, width);
        let top = legend_y + legend.last().map_or(0.0, |(_, _, y)| *y) + 22.0;
        let bottom = top + self.points.len() as f64 * ROW;
        let height = bottom + 48.0;

        let ends = self.points.iter().map(|point| &point.interval);
        let ends = ends.chain(self.references.iter().map(|reference| &reference.interval));
        let scale = Scale::fit(ends.flat_map(|i| [i.value, i.low, i.high]), left, right);

        let mut svg = String::new();
        let pen = Pen::new(&mut svg, width, height);
        if ground == Ground::File {
            pen.block((0.0, 0.0), (width, height), &WHITE);
            pen.bold(&self.title, (10.0, 18.0), TEXT + 1.0);
        }
        for (level, x, y) in legend {
            pen.shape(level, (x + MARK, legend_y + y));
            pen.text(words::resource_long(level), (x + LEGEND_TEXT, legend_y + y), SMALL, &MUTED, HPos::Left);
        }
        self.draw_references(&pen, &scale, top, bottom);
        self.draw_axis(&pen, &scale, (left, right), top, bottom);
        let mut marks = Vec::with_capacity(self.points.len());
        for (at, point) in self.points.iter().enumerate() {
            let y = top + (at as f64 + 0.5) * ROW;
            let colour = colour(point.resource);
            if point.resource == Resource::Unseen && at > 0 && self.points[at - 1].resource != Resource::Unseen {
                pen.line(&[(0.0, y - ROW / 2.0), (width, y - ROW / 2.0)], &LINE, 1.0);
            }
            pen.text(&point.label, (left - 12.0, y), TEXT, &INK, HPos::Right);
            let [x, low, high] =
                [point.interval.value, point.interval.low, point.interval.high].map(|value| scale.position(value));
            pen.line(&[(low, y), (high, y)], &colour, 2.0);
            pen.shape(point.resource, (x, y));
            if with_figures {
                let (value, bounds) = &figures[at];
                pen.text(value, (right + FIGURE, y), SMALL, &INK, HPos::Right);
                pen.text(bounds, (right + FIGURE + 6.0, y), SMALL, &MUTED, HPos::Left);
            }
            marks.push(Mark { key: point.key.clone(), x, y });
        }
        pen.finish();
        let svg = dressed(&svg, self, width, height, ground);
        Figure { svg, width, height, row: ROW, spread: scale.spread, marks }
    }

    /// Entries of the levels there are, as (level, x, y): from the axis where they fit on one line, else from the left
    /// edge on as many lines as they need.
    fn legend(&self, left: f64, width: f64) -> Vec<(Resource, f64, f64)> {
        let levels = [Resource::High, Resource::Middle, Resource::Low, Resource::Unseen, Resource::Unknown];
        let there = |level: &Resource| self.points.iter().any(|point| point.resource == *level);
        let entries: Vec<(Resource, f64)> = levels
            .into_iter()
            .filter(there)
            .map(|level| {
                (level, LEGEND_TEXT + words::resource_long(level).chars().count() as f64 * SMALL_LETTER + 14.0)
            })
            .collect();
        let whole: f64 = entries.iter().map(|(_, own)| own).sum();
        let start = if left + whole <= width { left } else { 2.0 };
        let (mut x, mut y) = (start, 0.0);
        let mut placed = Vec::with_capacity(entries.len());
        for (level, own) in entries {
            if x > start && x + own > width {
                (x, y) = (start, y + LEGEND_LINE);
            }
            placed.push((level, x, y));
            x += own;
        }
        placed
    }

    fn draw_references(&self, pen: &Pen, scale: &Scale, top: f64, bottom: f64) {
        for reference in &self.references {
            let colour = colour(reference.resource);
            let [x, low, high] = [reference.interval.value, reference.interval.low, reference.interval.high]
                .map(|value| scale.position(value));
            pen.block((low, top), (high, bottom), &colour.mix(0.10));
            pen.line(&[(x, top), (x, bottom)], &colour.mix(0.55), 1.0);
        }
    }

    fn draw_axis(&self, pen: &Pen, scale: &Scale, (left, right): (f64, f64), top: f64, bottom: f64) {
        let ticks = scale.ticks(TICKS_APART);
        let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let decimals = if step.is_finite() { libm::ceil(-libm::log10(step) - 1e-9).max(0.0) as usize } else { 0 };
        for tick in ticks {
            let x = scale.position(tick);
            pen.line(&[(x, top), (x, bottom)], &LINE, 1.0);
            pen.text(&format::fixed(tick, decimals), (x, bottom + 14.0), SMALL, &MUTED, HPos::Center);
        }
        let zero = scale.position(0.0);
        pen.line(&[(zero, top), (zero, bottom)], &MUTED, 1.0);
        pen.text(&self.axis, ((left + right) / 2.0, bottom + 36.0), SMALL, &MUTED, HPos::Center);
    }
}

fn colour(level: Resource) -> RGBColor {
    match level {
        Resource::High => HIGH,
        Resource::Low => LOW,
        Resource::Unseen => UNSEEN,
        Resource::Middle | Resource::Unknown => MIDDLE,
    }
}

/// Draws in pixels on a fine grid.
struct Pen<'a>(DrawingArea<SVGBackend<'a>, plotters::coord::Shift>);

impl<'a> Pen<'a> {
    fn new(svg: &'a mut String, width: f64, height: f64) -> Pen<'a> {
        let size = (fine(width) as u32, fine(height) as u32);
        Pen(SVGBackend::with_string(svg, size).into_drawing_area())
    }

    fn draw<E>(&self, element: &E)
    where
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
        E: plotters::element::Drawable<SVGBackend<'a>>,
    {
        self.0.draw(element).expect("writing SVG to a string cannot fail");
    }

    fn line(&self, points: &[(f64, f64)], colour: &impl Color, width: f64) {
        let style = colour.stroke_width(fine(width) as u32);
        self.draw(&PathElement::new(points.iter().map(place).collect::<Vec<_>>(), style));
    }

    fn block(&self, from: (f64, f64), to: (f64, f64), colour: &impl Color) {
        self.draw(&Rectangle::new([place(&from), place(&to)], colour.filled()));
    }

    fn text(&self, text: &str, at: (f64, f64), size: f64, colour: &RGBColor, side: HPos) {
        let style = TextStyle::from(("sans-serif", size * FONT_FACTOR * FINE).into_font())
            .color(colour)
            .pos(Pos::new(side, VPos::Center));
        self.draw(&Text::new(text.to_string(), place(&at), style));
    }

    fn bold(&self, text: &str, at: (f64, f64), size: f64) {
        let font = ("sans-serif", size * FONT_FACTOR * FINE).into_font().style(FontStyle::Bold);
        let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        self.draw(&Text::new(text.to_string(), place(&at), style));
    }

    /// High: disc. Low: diamond. Middle: square. Unseen: ring. Not stated: upright triangle.
    fn shape(&self, level: Resource, (x, y): (f64, f64)) {
        let colour = colour(level);
        let polygon = |corners: &[(f64, f64)]| {
            let corners: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| place(&(x + dx, y + dy))).collect();
            self.draw(&Polygon::new(corners, colour.filled()));
        };
        match level {
            Resource::High => self.draw(&Circle::new(place(&(x, y)), fine(MARK), colour.filled())),
            Resource::Unseen => {
                self.draw(&Circle::new(place(&(x, y)), fine(MARK - 0.5), colour.stroke_width(fine(2.0) as u32)));
            }
            Resource::Low => {
                let r = MARK * 1.3;
                polygon(&[(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)]);
            }
            Resource::Middle => {
                let r = MARK * 0.85;
                polygon(&[(-r, -r), (r, -r), (r, r), (-r, r)]);
            }
            Resource::Unknown => {
                let r = MARK * 1.1;
                polygon(&[(0.0, -r), (r, r * 0.8), (-r, r * 0.8)]);
            }
        }
    }

    fn finish(self) {
        self.0.present().expect("writing SVG to a string cannot fail");
    }
}

fn fine(pixels: f64) -> i32 {
    libm::round(pixels * FINE) as i32
}

fn place((x, y): &(f64, f64)) -> (i32, i32) {
    (fine(*x), fine(*y))
}

/// Gives plotters' SVG its size in pixels, its words for screen readers, and the page's colours.
fn dressed(svg: &str, chart: &Chart, width: f64, height: f64, ground: Ground) -> String {
    let body = svg.find('>').map_or("", |end| &svg[end + 1..]);
    let mut body = body.replace("font-family=\"sans-serif\"", "font-family=\"system-ui, sans-serif\"");
    if ground == Ground::Page {
        for (RGBColor(r, g, b), variable) in VARIABLES {
            body = body.replace(&format!("\"#{r:02X}{g:02X}{b:02X}\""), &format!("\"var({variable})\""));
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         role=\"img\">\n<title>{}</title>\n<desc>{}</desc>{body}",
        fine(width),
        fine(height),
        escaped(&chart.title),
        escaped(&chart.description),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let point = |key: &str, resource, value: f64| Point {
            key: key.into(),
            label: format!("<{key}>"),
            resource,
            interval: Interval { value, low: value - 0.02, high: value + 0.03 },
        };
        Chart {
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
        }
    }

    #[test]
    fn levels_differ_in_colour_and_in_shape() {
        let svg = chart().draw(700.0, Ground::File).svg;
        // One in the legend, one in the row.
        assert_eq!(svg.matches("<circle").count(), 4, "discs and rings");
        assert_eq!(svg.matches("<polygon").count(), 4, "diamonds and squares");
        for colour in ["#005FA8", "#B84A00", "#6E7681", "#7A4FA3"] {
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
    fn the_legend_stays_inside() {
        let end = |(level, x, _): &(Resource, f64, f64)| {
            x + LEGEND_TEXT + words::resource_long(*level).chars().count() as f64 * SMALL_LETTER
        };
        for width in [280.0, 340.0, 700.0] {
            let legend = chart().legend(120.0, width);
            assert_eq!(legend.len(), 4);
            assert!(legend.iter().all(|entry| end(entry) <= width), "{width}: {legend:?}");
        }
        assert_eq!(chart().legend(120.0, 340.0)[0].1, 2.0, "from the left edge where it does not fit beside the axis");
        assert!(chart().legend(120.0, 700.0).iter().all(|(_, _, y)| *y == 0.0), "one line where there is room");
    }

    #[test]
    fn marks_stand_where_the_rows_are() {
        for width in [320.0, 700.0] {
            let figure = chart().draw(width, Ground::Page);
            let keys: Vec<&str> = figure.marks.iter().map(|mark| mark.key.as_str()).collect();
            assert_eq!(keys, ["kor", "jpn", "eng", "tha"]);
            assert!(figure.marks.windows(2).all(|pair| pair[0].x > pair[1].x && pair[1].y - pair[0].y == figure.row));
            assert!(figure.marks.iter().all(|mark| mark.x < width && mark.y < figure.height));
        }
    }
}
