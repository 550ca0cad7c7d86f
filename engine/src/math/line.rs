//! A straight line through points, by least squares.

use serde::{Deserialize, Serialize};

/// y = intercept + slope·x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// Rise per unit of x.
    pub slope: f64,
}

impl Line {
    /// The line of least squared vertical distance; point i counts `times[i]`. None where fewer than two places of x are
    /// there: any slope would do.
    pub fn fit(points: &[(f64, f64)], times: &[u32]) -> Option<Line> {
        let weighted =
            || points.iter().zip(times).filter(|(_, times)| **times > 0).map(|(p, t)| (p.0, p.1, f64::from(*t)));
        let (least, most) = weighted().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (x, ..)| (a.min(x), b.max(x)));
        if least >= most {
            return None;
        }
        let n: f64 = weighted().map(|(.., t)| t).sum();
        let mean_x = weighted().map(|(x, _, t)| t * x).sum::<f64>() / n;
        let mean_y = weighted().map(|(_, y, t)| t * y).sum::<f64>() / n;
        let (mut xx, mut xy) = (0.0, 0.0);
        for (x, y, t) in weighted() {
            xx += t * (x - mean_x) * (x - mean_x);
            xy += t * (x - mean_x) * (y - mean_y);
        }
        let slope = xy / xx;
        (xx > 0.0).then_some(Line { intercept: mean_y - slope * mean_x, slope })
    }

    /// y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }

    /// Root of the mean squared vertical distance.
    pub fn rms(&self, points: &[(f64, f64)]) -> f64 {
        let squares = points.iter().map(|(x, y)| (y - self.at(*x)) * (y - self.at(*x)));
        libm::sqrt(squares.sum::<f64>() / points.len().max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No other line is nearer, and points on a line give it back.
        #[test]
        fn the_fit_is_the_nearest_line(
            points in prop::collection::vec((-5f64..5.0, -5f64..5.0), 3..20), tilt in -0.1f64..0.1, lift in -0.1f64..0.1,
        ) {
            let times = vec![1; points.len()];
            if let Some(line) = Line::fit(&points, &times) {
                let other = Line { intercept: line.intercept + lift, slope: line.slope + tilt };
                prop_assert!(line.rms(&points) <= other.rms(&points) * (1.0 + 1e-9));
                let exact: Vec<_> = points.iter().map(|(x, _)| (*x, other.at(*x))).collect();
                let back = Line::fit(&exact, &times).unwrap();
                prop_assert!(back.rms(&exact) < 1e-9);
            }
        }

        /// Counting a point twice is having it twice.
        #[test]
        fn times_are_copies(points in prop::collection::vec((-5f64..5.0, -5f64..5.0), 4)) {
            let copied = [&points[..], &points[1..2]].concat();
            let (a, b) = (Line::fit(&points, &[1, 2, 1, 1]), Line::fit(&copied, &[1; 5]));
            if let (Some(a), Some(b)) = (a, b) {
                prop_assert!((a.at(0.5) - b.at(0.5)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn one_place_has_no_slope() {
        assert_eq!(Line::fit(&[(1.0, 2.0), (1.0, 3.0)], &[1, 1]), None);
        assert_eq!(Line::fit(&[(1.0, 2.0), (2.0, 3.0)], &[3, 0]), None);
    }
}
