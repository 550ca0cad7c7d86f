//! A permutation p as it is shown. The data itself is counted as one of the shuffles, so no p is below 1/(shuffles + 1). Where it
//! is that, no shuffle came as far: how small p is was not measured, and what is shown is a bound.

use super::format;

/// How a report's own sentences begin what they say of a p.
const IN_WORDS: &str = "permutation p ";
/// They have three decimals: what is smaller they write as 0.
const LEAST_WRITTEN: f64 = 0.0005;

/// A p and how many shuffles it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// (1 + shuffles at least as far) ÷ (1 + shuffles).
    pub p: f64,
    /// Shuffles.
    pub shuffles: usize,
}

impl Chance {
    /// Of a test.
    pub fn new(p: f64, shuffles: usize) -> Chance {
        Chance { p, shuffles }
    }

    /// Whether no shuffle came as far as the data.
    pub fn is_bound(self) -> bool {
        self.p <= 1.0 / (self.shuffles + 1) as f64
    }

    /// As a cell shows it: `0.012`, or `< 1/10,000`.
    pub fn figure(self) -> String {
        match self.is_bound() {
            true => format!("< 1/{}", format::count(self.shuffles as u64)),
            false => format::small(self.p),
        }
    }

    /// After the letter p: `= 0.012`, or `< 1/10,000`.
    pub fn told(self) -> String {
        if self.is_bound() { self.figure() } else { format!("= {}", self.figure()) }
    }

    /// A sentence of the report with this p as it is shown, where its own words do not say it. They stay: digests cover them.
    pub fn restated(self, because: &str) -> String {
        let Some((before, rest)) = because.split_once(IN_WORDS) else { return because.into() };
        if !self.is_bound() && self.p >= LEAST_WRITTEN {
            return because.into();
        }
        let figure = rest.split(|c: char| !(c.is_ascii_digit() || "=<. ".contains(c))).next().unwrap_or_default();
        let after = &rest[figure.trim_end_matches(['.', ' ']).len()..];
        format!("{before}{IN_WORDS}{}{after}", self.told())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::correlation::{Draws, correlate};

    /// Law: what no shuffle reached is told as a bound, and what any did is told as it was measured.
    #[test]
    fn the_least_p_of_so_many_shuffles_is_a_bound() {
        let least = Chance::new(1.0 / 10_001.0, 10_000);
        assert_eq!((least.told().as_str(), least.figure().as_str()), ("< 1/10,000", "< 1/10,000"));
        let next = Chance::new(2.0 / 10_001.0, 10_000);
        assert_eq!(next.told(), format!("= {}", format::small(next.p)));
        assert_eq!(Chance::new(0.0123, 10_000).told(), "= 0.0123");
        // As the program works it out: twenty rows in one order are not shuffled into it.
        let rows: Vec<f64> = (0..20).map(f64::from).collect();
        let draws = Draws { resamples: 100, permutations: 300, level: 0.95, seed: 1 };
        let found = correlate(&rows, &rows, &draws).expect("both vary");
        assert_eq!(Chance::new(found.pearson_p, draws.permutations).told(), "< 1/300");
    }

    #[test]
    fn a_reports_own_sentence_is_shown_with_the_bound() {
        let least = Chance::new(1.0 / 301.0, 300);
        for (own, shown) in [
            ("r is −0.5 over 9 languages, permutation p = 0.003", "r is −0.5 over 9 languages, permutation p < 1/300"),
            ("permutation p = 0.003; ρ = 0.2", "permutation p < 1/300; ρ = 0.2"),
            ("A permutation p < 0.001.", "A permutation p < 1/300."),
            ("disparity 0.1", "disparity 0.1"),
        ] {
            assert_eq!(least.restated(own), shown);
        }
        assert_eq!(Chance::new(0.01, 300).restated("permutation p = 0.010; x"), "permutation p = 0.010; x");
        let small = Chance::new(2.0 / 10_001.0, 10_000);
        assert_eq!(small.restated("permutation p = 0.000; x"), format!("permutation p {}; x", small.told()));
    }
}
