//! The result in plain words, worked out from the figures: a difference is stated only where its interval supports it.

use super::{Report, Row};
use crate::report::{Interval, Resource, coverage, format};

/// From this loss on, a perplexity is told as a multiple of what it was.
const TIMES_FROM: f64 = 10.0;

/// What was found, and how far to trust it where few texts were read.
pub fn of(report: &Report) -> String {
    [Some(finding(report)), coverage::caution(report.config.texts.units)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// One or two sentences: first the two groups, then the two outermost languages.
pub fn finding(report: &Report) -> String {
    let mut sentences = vec![groups(report)];
    sentences.extend(outermost(report));
    sentences.join(" ")
}

/// What low-resource languages lose against high-resource ones.
fn groups(report: &Report) -> String {
    let bits = report.config.quantizer.bits.get();
    let (Some(high), Some(low)) = (&report.mean_high, &report.mean_low) else {
        return format!(
            "At {bits} bits: no high- and low-resource languages to compare, because this run does not hold both."
        );
    };
    let losses = format!("on average perplexity {} against {}", risen(low), risen(high));
    if contains(low, 0.0) && contains(high, 0.0) {
        return format!(
            "At {bits} bits, neither the low-resource nor the high-resource languages lose anything that can be told \
             from zero: {losses}."
        );
    }
    // A ratio to something that may be zero says nothing; the two means are compared instead.
    let ratio = report.ratio.as_ref().filter(|ratio| high.low > 0.0 && ratio.low.is_finite() && ratio.high.is_finite());
    let Some(ratio) = ratio else {
        return match apart(low, high) {
            Some(true) => {
                format!("At {bits} bits, low-resource languages lose more than high-resource ones: {losses}.")
            }
            Some(false) => {
                format!("At {bits} bits, low-resource languages lose less than high-resource ones: {losses}.")
            }
            None => format!(
                "At {bits} bits, the difference between low- and high-resource languages is lost in the intervals: \
                 {losses}."
            ),
        };
    };
    let (times, bounds) = format::interval_parts(ratio);
    if ratio.low > 1.0 {
        format!(
            "At {bits} bits, low-resource languages lose {times} times as much as high-resource ones (95% interval {bounds})."
        )
    } else if ratio.high < 1.0 {
        format!(
            "At {bits} bits, low-resource languages lose less than high-resource ones: {times} times as much (95% interval {bounds})."
        )
    } else {
        format!(
            "At {bits} bits, the difference between low- and high-resource languages is lost in the interval: the \
             ratio of their losses is {times} (95% interval {bounds}), and 1 lies inside."
        )
    }
}

/// The trained languages that lose most and least.
fn outermost(report: &Report) -> Option<String> {
    let trained = || report.rows.iter().filter(|row| row.resource != Resource::Unseen);
    let by_loss = |a: &&Row, b: &&Row| a.degradation.value.total_cmp(&b.degradation.value);
    let (most, least) = (trained().max_by(by_loss)?, trained().min_by(by_loss)?);
    if most.code == least.code {
        return None;
    }
    let (a, b) = (risen(&most.degradation), risen(&least.degradation));
    Some(if least.degradation.high < 0.0 && most.degradation.low > 0.0 {
        format!("{} loses most (perplexity {a}), {} gains ({b}).", most.name, least.name)
    } else if most.degradation.low > least.degradation.high {
        format!(
            "{} loses most (perplexity {a}), {} least ({b}); the two intervals do not touch.",
            most.name, least.name
        )
    } else {
        format!(
            "{} has the highest figure (perplexity {a}) and {} the lowest ({b}), but the two intervals overlap: this run \
             does not tell them apart.",
            most.name, least.name
        )
    })
}

/// A loss as the change of the perplexity: `+18% [12, 25]`, and where it is not a matter of per cents `×41 [30, 55]`.
fn risen(of: &Interval) -> String {
    let scaled = |by: f64, more: f64| Interval {
        value: of.value * by + more,
        low: of.low * by + more,
        high: of.high * by + more,
    };
    if of.value >= TIMES_FROM {
        return format!("×{}", format::interval(&scaled(1.0, 1.0)));
    }
    let (value, bounds) = format::interval_parts(&scaled(100.0, 0.0));
    let plus = if of.value > 0.0 { "+" } else { "" };
    format!("{plus}{value}% {bounds}")
}

fn contains(interval: &Interval, value: f64) -> bool {
    interval.low <= value && value <= interval.high
}

/// Whether `a` is above `b` beyond both intervals; none where they overlap.
fn apart(a: &Interval, b: &Interval) -> Option<bool> {
    if a.low > b.high {
        Some(true)
    } else if a.high < b.low {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{interval, report};
    use super::*;

    #[test]
    fn a_ratio_is_stated_where_one_lies_outside_its_interval() {
        let mut report = report();
        report.ratio = Some(interval(4.1, 2.2, 7.0));
        assert!(of(&report).starts_with(
            "At 3 bits, low-resource languages lose 4.1 times as much as high-resource ones (95% interval [2.2, 7.0])."
        ));
        report.ratio = Some(interval(0.5, 0.3, 0.8));
        assert!(
            of(&report).contains("lose less than high-resource ones: 0.50 times as much (95% interval [0.30, 0.80])")
        );
        report.ratio = Some(interval(1.3, 0.7, 2.2));
        assert!(
            of(&report).contains("lost in the interval: the ratio of their losses is 1.3 (95% interval [0.7, 2.2])")
        );
    }

    #[test]
    fn no_ratio_to_what_may_be_zero() {
        let mut report = report();
        report.ratio = Some(interval(40.0, 2.0, 900.0));
        report.mean_high = Some(interval(0.01, -0.01, 0.03));
        report.mean_low = Some(interval(0.2, 0.1, 0.3));
        assert!(of(&report).contains(
            "lose more than high-resource ones: on average perplexity +20% [10, 30] against +1.0% [−1.0, 3.0]"
        ));
        report.mean_low = Some(interval(0.02, 0.005, 0.04));
        assert!(of(&report).contains("lost in the intervals"));
        report.mean_low = Some(interval(0.0, -0.01, 0.02));
        assert!(of(&report).contains("can be told from zero"));
        report.mean_high = None;
        assert!(of(&report).contains("no high- and low-resource languages to compare"));
    }

    #[test]
    fn the_outermost_trained_languages() {
        let mut report = report();
        assert!(of(&report).contains("Korean loses most (perplexity +18% [12, 25]), English least (+6.0% [4.0, 8.0])"));
        assert!(of(&report).ends_with("From 8 texts of each language, intervals hold about 87 times in 100, not 95."));
        report.config.texts.units = 30;
        assert!(of(&report).ends_with("the two intervals do not touch."));
        assert!(!of(&report).contains("Thai"), "an unseen language stays out, however large its figure");
        report.rows[0].degradation = interval(-0.04, -0.06, -0.02);
        assert!(
            of(&report).ends_with("Korean loses most (perplexity +18% [12, 25]), English gains (−4.0% [−6.0, −2.0]).")
        );
        report.rows[0].degradation = interval(0.06, 0.04, 0.13);
        assert!(of(&report).contains("the two intervals overlap"));
        report.rows[1].degradation = interval(40.0, 29.0, 54.0);
        assert!(of(&report).contains("(perplexity ×41 [30, 55])"), "{}", of(&report));
    }
}
