//! Sizes and colours that all charts share. Colours keep apart for colour-blind eyes, and shapes tell the same again.

use plotters::style::RGBColor;

use super::super::{Resource, Rule};

/// Size of text.
pub const TEXT: f64 = 13.0;
/// Size of text on axes and in legends.
pub const SMALL: f64 = 12.0;
/// Mean width of a Latin letter of [`TEXT`] size, on the safe side.
pub const LETTER: f64 = 7.2;
/// The same of [`SMALL`] size.
pub const SMALL_LETTER: f64 = 6.6;
/// Radius of a dot.
pub const MARK: f64 = 5.0;

/// Text and what carries figures.
pub const INK: RGBColor = RGBColor(0x1B, 0x1F, 0x24);
/// Axes, legends.
pub const MUTED: RGBColor = RGBColor(0x57, 0x60, 0x6A);
/// Grid lines.
pub const LINE: RGBColor = RGBColor(0xDF, 0xE3, 0xE8);
const HIGH: RGBColor = RGBColor(0x00, 0x5F, 0xA8);
const MIDDLE: RGBColor = RGBColor(0x6E, 0x76, 0x81);
const LOW: RGBColor = RGBColor(0xB8, 0x4A, 0x00);
const UNSEEN: RGBColor = RGBColor(0x3B, 0x1A, 0x6B);
/// Lines and dots that are no resource level: three that keep apart, also from the levels' blue and orange.
const FIRST: RGBColor = RGBColor(0x0A, 0x4A, 0x40);
const SECOND: RGBColor = RGBColor(0xC9, 0x33, 0x9A);
const THIRD: RGBColor = RGBColor(0x86, 0x6A, 0x00);
/// A heat map's largest figure; smaller ones let the ground through.
pub const HEAT: RGBColor = RGBColor(0x4C, 0x9B, 0xD6);

/// The CSS variable of each colour on the page.
pub const VARIABLES: [(RGBColor, &str); 11] = [
    (INK, "--ink"),
    (MUTED, "--muted"),
    (LINE, "--line"),
    (HIGH, "--high"),
    (MIDDLE, "--middle"),
    (LOW, "--low"),
    (UNSEEN, "--unseen"),
    (FIRST, "--first"),
    (SECOND, "--second"),
    (THIRD, "--third"),
    (HEAT, "--heat"),
];

/// The colour of a line or a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// As text.
    Ink,
    /// As axes.
    Muted,
    /// Teal.
    First,
    /// Magenta.
    Second,
    /// Olive.
    Third,
    /// Of a resource level.
    Level(Resource),
}

impl Stroke {
    /// As a colour.
    pub fn colour(self) -> RGBColor {
        match self {
            Stroke::Ink => INK,
            Stroke::Muted => MUTED,
            Stroke::First => FIRST,
            Stroke::Second => SECOND,
            Stroke::Third => THIRD,
            Stroke::Level(level) => colour(level),
        }
    }
}

/// The shape of a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A filled circle.
    Disc,
    /// A square on its corner.
    Diamond,
    /// A square.
    Square,
    /// An open circle.
    Ring,
    /// An upright triangle.
    Triangle,
    /// Two crossed strokes.
    Cross,
}

/// The shape of a resource level. High: disc. Low: diamond. Middle: square. Unseen: ring. Not stated: triangle.
pub fn shape(level: Resource) -> Shape {
    match level {
        Resource::High => Shape::Disc,
        Resource::Low => Shape::Diamond,
        Resource::Middle => Shape::Square,
        Resource::Unseen => Shape::Ring,
        Resource::Unknown => Shape::Triangle,
    }
}

/// The colour of a resource level.
pub fn colour(level: Resource) -> RGBColor {
    match level {
        Resource::High => HIGH,
        Resource::Low => LOW,
        Resource::Unseen => UNSEEN,
        Resource::Middle | Resource::Unknown => MIDDLE,
    }
}

/// An interval that reaches further below the least figure than by this factor is cut off there: on a logarithmic axis it
/// would take all the room and say no more than "about zero".
pub(crate) const DEPTH: f64 = 20.0;

/// Shape, colour and whether broken of each rule in the order of [`Rule::ALL`], any two apart by at least two of them; more
/// rules than looks begin anew.
const RULE_LOOKS: [(Shape, Stroke, bool); 6] = [
    (Shape::Square, Stroke::Ink, false),
    (Shape::Disc, Stroke::Third, false),
    (Shape::Triangle, Stroke::Third, true),
    (Shape::Ring, Stroke::First, false),
    (Shape::Diamond, Stroke::Second, false),
    (Shape::Cross, Stroke::Muted, true),
];

/// How a rule is drawn.
pub(crate) fn rule_look(rule: Rule) -> (Shape, Stroke, bool) {
    RULE_LOOKS[rule as usize % RULE_LOOKS.len()]
}
