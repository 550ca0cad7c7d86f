//! What a measurement says of a claim, worked out by a rule that is stated beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::statistics::Interval;

/// How a claim fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ruling {
    /// The interval lies where the claim says.
    Supported,
    /// It lies elsewhere.
    NotSupported,
    /// It lies on both sides, or what the claim speaks of is not there.
    Undecided,
}

impl Ruling {
    /// The figure is claimed to be below a bound.
    pub fn below(interval: &Interval, bound: f64) -> Ruling {
        if interval.high < bound {
            Ruling::Supported
        } else if interval.low >= bound {
            Ruling::NotSupported
        } else {
            Ruling::Undecided
        }
    }

    /// The figure is claimed to be above a bound.
    pub fn above(interval: &Interval, bound: f64) -> Ruling {
        let mirrored = Interval { value: -interval.value, low: -interval.high, high: -interval.low };
        Ruling::below(&mirrored, -bound)
    }

    /// Both are claimed: one that fails is enough to fail, and both must hold to hold.
    pub fn and(self, other: Ruling) -> Ruling {
        match (self, other) {
            (Ruling::NotSupported, _) | (_, Ruling::NotSupported) => Ruling::NotSupported,
            (Ruling::Supported, Ruling::Supported) => Ruling::Supported,
            _ => Ruling::Undecided,
        }
    }
}

/// From here on a figure has no decimals, and from the other one.
const WHOLE_FROM: f64 = 100.0;
const TENTHS_FROM: f64 = 10.0;

/// `0.123 [−0.100, 0.150]`, for the reason beside a ruling.
pub fn told(interval: &Interval) -> String {
    let decimals = match interval.value.abs() {
        size if size >= WHOLE_FROM => 0,
        size if size >= TENTHS_FROM => 1,
        _ => 3,
    };
    let Interval { value, low, high } = interval;
    format!("{value:.decimals$} [{low:.decimals$}, {high:.decimals$}]").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_decides_only_where_it_lies_on_one_side() {
        use Ruling::*;
        let interval = Interval { value: 0.5, low: 0.2, high: 0.8 };
        assert_eq!(
            [0.1, 0.2, 0.5, 0.8, 0.9].map(|bound| Ruling::below(&interval, bound)),
            [NotSupported, NotSupported, Undecided, Undecided, Supported]
        );
        assert_eq!(
            [0.1, 0.5, 0.8, 0.9].map(|bound| Ruling::above(&interval, bound)),
            [Supported, Undecided, NotSupported, NotSupported]
        );
        assert_eq!(told(&Interval { value: -0.5, low: -1.0, high: 0.25 }), "−0.500 [−1.000, 0.250]");
        assert_eq!(told(&Interval { value: 1234.5, low: 99.0, high: 2000.0 }), "1234 [99, 2000]");
        assert_eq!(Supported.and(Undecided), Undecided);
        assert_eq!(Undecided.and(NotSupported), NotSupported);
    }
}
