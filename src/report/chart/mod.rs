//! Figures as SVG, one file per kind of chart, one look for all.
//!
//! A figure is drawn once; only the names of its colours differ between the page, which follows the person's light or
//! dark setting through CSS variables, and a file, which carries the light colours and a white ground.
//!
//! To add a kind: a file that implements [`Drawing`] with the [`pen`], the colours and sizes of [`look`], and a [`Mark`]
//! for everything that can be pointed at. Hover, arrow keys, words for screen readers and export come with it.

pub mod axis;
pub mod diverging;
pub mod heat;
pub mod histogram;
pub mod intervals;
pub mod key;
pub mod legend;
pub mod lines;
pub mod look;
pub mod pen;
pub mod plane;
pub mod scatter;

/// Whose colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// CSS variables of the page; no title line, the page has its own.
    Page,
    /// Light colours, white ground, title line.
    File,
}

/// What can be pointed at: where it is, in pixels, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Names it on the page.
    pub key: String,
    /// Its figures as a line.
    pub told: String,
    /// Left and top of the area that answers.
    pub from: (f64, f64),
    /// Width and height of the area.
    pub size: (f64, f64),
    /// Centre of what is drawn.
    pub at: (f64, f64),
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
    /// In reading order.
    pub marks: Vec<Mark>,
    /// Marks to a row: the arrow keys up and down go so many on.
    pub stride: usize,
}

/// A chart of any kind.
pub trait Drawing {
    /// The figure in words, for those who do not see it.
    fn description(&self) -> &str;

    /// Draws it `width` pixels wide; the height follows from what there is.
    fn draw(&self, width: f64, ground: Ground) -> Figure;
}
