//! The horizontal axis of D: grid lines, figures, title.

use plotters::style::text_anchor::HPos;

use super::look::{LINE, MUTED, SMALL};
use super::pen::Pen;
use crate::report::format;
use crate::report::scale::Scale;

/// Room between two figures.
const TICKS_APART: f64 = 64.0;
/// Height that the figures and the title take below the plot.
pub const BELOW: f64 = 48.0;

/// Draws the axis for a plot from `left` to `right` and from `top` to `bottom`.
pub fn below(pen: &Pen, scale: &Scale, title: &str, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
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
    pen.axis_title(title, (left, right), bottom);
}
