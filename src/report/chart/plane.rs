//! Two axes and the plane between them, for any figures: linear or logarithmic, with grid, ticks and titles.

use plotters::style::text_anchor::HPos;

use super::look::{LINE, MUTED, SMALL, SMALL_LETTER};
use super::pen::Pen;
use crate::report::format;
use crate::report::scale::nice_step;

/// Room between two figures on the horizontal and on the vertical axis.
const TICKS_APART: (f64, f64) = (62.0, 34.0);
/// Height that the figures and the title take below the plane.
pub const BELOW: f64 = 48.0;
/// Height that the vertical axis's title takes above the plane.
pub const ABOVE: f64 = 24.0;
/// Room beyond the outermost figure, as a share of the axis.
const MARGIN: f64 = 0.04;

/// How figures are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Equal differences take equal room.
    Linear,
    /// Equal ratios take equal room; only figures above zero have a place.
    Logarithmic,
    /// Equal ratios of 1 + x take equal room, near zero the same as linear: for D, where 1 + D = PPL_q/PPL_fp. Figures above
    /// −1 have a place.
    OnePlus,
}

/// An axis: what it is called, from where to where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// With its unit.
    pub title: String,
    /// Linear or logarithmic.
    pub growth: Growth,
    low: f64,
    high: f64,
}

impl Axis {
    /// From `low` to `high`, which must be in order and, for a logarithmic axis, above zero.
    pub fn new(title: impl Into<String>, growth: Growth, low: f64, high: f64) -> Axis {
        assert!(low < high && growth.holds(low), "an axis from {low} to {high}");
        Axis { title: title.into(), growth, low, high }
    }

    /// An axis that holds all figures that can have a place on it.
    pub fn fit(title: impl Into<String>, growth: Growth, values: impl IntoIterator<Item = f64>) -> Axis {
        let fits = |value: &f64| value.is_finite() && growth.holds(*value);
        let (low, high) = values
            .into_iter()
            .filter(fits)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low > high { (1.0, 2.0) } else { (low, high) };
        let (from, to) = (growth.stretch(low), growth.stretch(high));
        // One figure alone stands in the middle.
        let margin = if from < to { (to - from) * MARGIN } else { 0.5 * from.abs().max(1.0) };
        Axis { title: title.into(), growth, low: growth.unstretch(from - margin), high: growth.unstretch(to + margin) }
    }

    /// From where to where.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether a figure has a place between the ends.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Place of a figure: 0 at the low end, 1 at the high end, where it is beyond them too.
    pub fn share(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.low } else { value.clamp(self.low, self.high) };
        let (from, to) = (self.growth.stretch(self.low), self.growth.stretch(self.high));
        (self.growth.stretch(value) - from) / (to - from)
    }

    /// Figures to mark with what they are called, ascending, at least `apart` of `length` pixels from each other.
    pub fn ticks(&self, length: f64, apart: f64) -> Vec<(f64, String)> {
        let mut ticks = match self.growth {
            Growth::Linear => self.linear_ticks(length, apart),
            Growth::Logarithmic => self.logarithmic_ticks(length, apart),
            Growth::OnePlus => self.one_plus_ticks(length, apart),
        };
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        ticks
    }

    fn linear_ticks(&self, length: f64, apart: f64) -> Vec<(f64, String)> {
        let step = nice_step(apart / length.max(1.0) * (self.high - self.low));
        let decimals = libm::ceil(-libm::log10(step) - 1e-9).max(0.0) as usize;
        let (first, last) = (libm::ceil(self.low / step) as i64, libm::floor(self.high / step) as i64);
        (first..=last).map(|k| k as f64 * step).map(|tick| (tick, format::fixed(tick, decimals))).collect()
    }

    /// Zero first, then powers of ten, then 3 times them, and a half less: whatever finds room in that order.
    fn one_plus_ticks(&self, length: f64, apart: f64) -> Vec<(f64, String)> {
        let decades = 0..=libm::floor(libm::log10(self.high.max(1.0))) as i32;
        let tens = decades.clone().map(|exponent| libm::pow(10.0, f64::from(exponent)));
        let threes = decades.map(|exponent| 3.0 * libm::pow(10.0, f64::from(exponent)));
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for tick in [0.0].into_iter().chain(tens).chain(threes).chain([-0.5]) {
            let far = |other: &(f64, String)| (self.share(other.0) - self.share(tick)).abs() * length >= apart;
            if self.holds(tick) && ticks.iter().all(far) {
                ticks.push((tick, trimmed(&format::figure(tick))));
            }
        }
        ticks
    }

    /// Powers of ten first, then 3, 2 and 5 times them: whatever finds room in that order.
    fn logarithmic_ticks(&self, length: f64, apart: f64) -> Vec<(f64, String)> {
        let decades = libm::floor(libm::log10(self.low)) as i32..=libm::floor(libm::log10(self.high)) as i32;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for times in [1.0, 3.0, 2.0, 5.0] {
            for exponent in decades.clone() {
                let tick = times * libm::pow(10.0, f64::from(exponent));
                let far = |other: &(f64, String)| (self.share(other.0) - self.share(tick)).abs() * length >= apart;
                if self.holds(tick) && ticks.iter().all(far) {
                    let called = if times == 1.0 { format::power_of_ten(exponent) } else { format::small(tick) };
                    ticks.push((tick, trimmed(&called)));
                }
            }
        }
        ticks
    }
}

/// Without zeros at the end of a fraction: `0.300` is called 0.3.
fn trimmed(figure: &str) -> String {
    if figure.contains('.') && !figure.contains('×') {
        figure.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        figure.to_string()
    }
}

impl Growth {
    /// Whether a figure has a place on some axis of this kind.
    fn holds(self, value: f64) -> bool {
        match self {
            Growth::Linear => true,
            Growth::Logarithmic => value > 0.0,
            Growth::OnePlus => value > -1.0,
        }
    }

    fn stretch(self, value: f64) -> f64 {
        match self {
            Growth::Linear => value,
            Growth::Logarithmic => libm::log10(value),
            Growth::OnePlus => libm::log1p(value),
        }
    }

    fn unstretch(self, stretched: f64) -> f64 {
        match self {
            Growth::Linear => stretched,
            Growth::Logarithmic => libm::pow(10.0, stretched),
            Growth::OnePlus => libm::expm1(stretched),
        }
    }
}

/// The plane between two axes, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane<'a> {
    /// Horizontal axis.
    pub x: &'a Axis,
    /// Vertical axis, upwards.
    pub y: &'a Axis,
    /// Left and right edge.
    pub across: (f64, f64),
    /// Top and bottom edge.
    pub down: (f64, f64),
}

impl<'a> Plane<'a> {
    /// Between `top` and `bottom`, as wide as `width` lets it be beside the vertical axis's figures.
    pub fn new(x: &'a Axis, y: &'a Axis, width: f64, (top, bottom): (f64, f64)) -> Plane<'a> {
        let longest = y.ticks(bottom - top, TICKS_APART.1).iter().map(|(_, called)| called.chars().count()).max();
        let left = longest.unwrap_or(0) as f64 * SMALL_LETTER + 16.0;
        Plane { x, y, across: (left, width - 16.0), down: (top, bottom) }
    }

    /// Where a figure is drawn across.
    pub fn across(&self, x: f64) -> f64 {
        self.across.0 + self.x.share(x) * (self.across.1 - self.across.0)
    }

    /// Where a figure is drawn from the top.
    pub fn down(&self, y: f64) -> f64 {
        self.down.1 - self.y.share(y) * (self.down.1 - self.down.0)
    }

    /// Where a point is drawn.
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.across(x), self.down(y))
    }

    /// Consecutive points that have a place, as runs: a line is broken where it leaves the plane.
    pub fn runs(&self, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let inside = |(x, y): &(f64, f64)| self.x.holds(*x) && self.y.holds(*y);
        let runs = points.split(|point| !inside(point)).filter(|run| !run.is_empty());
        runs.map(|run| run.iter().map(|point| self.place(*point)).collect()).collect()
    }

    /// Grid lines, figures and titles.
    pub fn draw(&self, pen: &Pen) {
        let ((left, right), (top, bottom)) = (self.across, self.down);
        for (tick, called) in self.x.ticks(right - left, TICKS_APART.0) {
            let x = self.across(tick);
            pen.line(&[(x, top), (x, bottom)], &LINE, 1.0);
            pen.text(&called, (x, bottom + 14.0), SMALL, &MUTED, HPos::Center);
        }
        for (tick, called) in self.y.ticks(bottom - top, TICKS_APART.1) {
            let y = self.down(tick);
            pen.line(&[(left, y), (right, y)], &LINE, 1.0);
            pen.text(&called, (left - 8.0, y), SMALL, &MUTED, HPos::Right);
        }
        pen.line(&[(left, top), (left, bottom), (right, bottom)], &MUTED, 1.0);
        pen.axis_title(&self.x.title, (left, right), bottom);
        pen.text(&self.y.title, (2.0, top - 14.0), SMALL, &MUTED, HPos::Left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round_and_called_by_their_figure() {
        let called = |axis: Axis, length| axis.ticks(length, 60.0).into_iter().map(|(_, c)| c).collect::<Vec<_>>();
        assert_eq!(called(Axis::new("", Growth::Linear, -6.5, 6.5), 400.0), ["−6", "−4", "−2", "0", "2", "4", "6"]);
        assert_eq!(called(Axis::new("", Growth::Logarithmic, 1e-6, 2.0), 400.0).len(), 7, "10⁻⁶ to 1");
        assert_eq!(called(Axis::new("", Growth::Logarithmic, 0.25, 6.0), 500.0), ["0.3", "0.5", "1", "2", "3", "5"]);
        assert_eq!(called(Axis::new("", Growth::Logarithmic, 1e-6, 2.0), 200.0), ["10⁻⁶", "10⁻⁴", "0.01", "1"]);
        assert_eq!(called(Axis::new("", Growth::OnePlus, -0.6, 45.0), 500.0), ["−0.5", "0", "1", "3", "10", "30"]);
    }

    #[test]
    fn a_line_is_broken_where_it_has_no_place() {
        let (x, y) = (Axis::new("", Growth::Linear, 0.0, 4.0), Axis::new("", Growth::Logarithmic, 0.1, 10.0));
        let plane = Plane { x: &x, y: &y, across: (0.0, 40.0), down: (0.0, 20.0) };
        let runs = plane.runs(&[(0.0, 1.0), (1.0, 10.0), (2.0, 0.0), (3.0, 0.1), (4.0, 0.01)]);
        assert_eq!(runs, [vec![(0.0, 10.0), (10.0, 0.0)], vec![(30.0, 20.0)]]);
    }

    proptest! {
        /// Larger figures lie further on, all figures inside, and ticks keep their distance.
        #[test]
        fn order_is_kept(values in prop::collection::vec(1e-7f64..1e5, 1..20), kind in 0usize..3, apart in 20f64..90.0) {
            let growth = [Growth::Linear, Growth::Logarithmic, Growth::OnePlus][kind];
            let axis = Axis::fit("", growth, values.iter().copied());
            for pair in values.windows(2) {
                let (a, b) = (axis.share(pair[0]), axis.share(pair[1]));
                prop_assert!((0.0..=1.0).contains(&a) && axis.holds(pair[0]));
                let in_order = if pair[0] < pair[1] { a <= b } else { a >= b };
                prop_assert!(in_order, "{} against {}", pair[0], pair[1]);
            }
            let ticks = axis.ticks(500.0, apart);
            for pair in ticks.windows(2) {
                prop_assert!((axis.share(pair[1].0) - axis.share(pair[0].0)) * 500.0 >= apart * 0.999);
            }
        }
    }

    #[test]
    fn nothing_or_one_figure_still_makes_an_axis() {
        let one = Axis::fit("", Growth::Logarithmic, [3.0, 0.0, f64::NAN]);
        assert!((one.share(3.0) - 0.5).abs() < 1e-12);
        assert!(Axis::fit("", Growth::Linear, []).share(f64::NAN) == 0.0);
    }
}
