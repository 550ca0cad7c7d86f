//! The result in plain words, worked out from the figures: a difference is stated only where its interval supports it, and where
//! measures disagree, that is said too.

use super::{Report, Row};
use crate::report::{Interval, Measure, Resource, format};

/// From this loss on, a perplexity is told as a multiple of what it was.
const TIMES_FROM: f64 = 10.0;

/// What was found by a measure, and where others say otherwise.
pub fn of(report: &Report, by: Measure) -> String {
    [Some(finding(report, by)), disagreement(report)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// One or two sentences: first the two groups, then the two outermost languages.
pub fn finding(report: &Report, by: Measure) -> String {
    let mut sentences = vec![groups(report, by)];
    sentences.extend(outermost(report, by));
    sentences.join(" ")
}

/// What low-resource languages lose against high-resource ones.
fn groups(report: &Report, by: Measure) -> String {
    let (bits, over) = (report.config.quantizer.bits.get(), report.over(by));
    let (Some(high), Some(low)) = (&over.mean_high, &over.mean_low) else {
        return format!(
            "At {bits} bits: no high- and low-resource languages to compare, because this run does not hold both."
        );
    };
    let losses = format!("on average {} against {}", lost(by, low), lost(by, high));
    if !by.counts_every_change() && contains(low, 0.0) && contains(high, 0.0) {
        return format!(
            "At {bits} bits, neither the low-resource nor the high-resource languages lose anything that can be told \
             from zero: {losses}."
        );
    }
    // A ratio to something that may be zero says nothing; the two means are compared instead.
    let has_ratio = by.counts_every_change() || high.low > 0.0;
    let ratio = over.ratio.as_ref().filter(|ratio| has_ratio && ratio.low.is_finite() && ratio.high.is_finite());
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
            "At {bits} bits, low-resource languages lose {times} times as much as high-resource ones (95% interval \
             {bounds}): {losses}."
        )
    } else if ratio.high < 1.0 {
        format!(
            "At {bits} bits, low-resource languages lose less than high-resource ones: {times} times as much (95% interval \
             {bounds}), {losses}."
        )
    } else {
        format!(
            "At {bits} bits, the difference between low- and high-resource languages is lost in the interval: the \
             ratio of their losses is {times} (95% interval {bounds}), and 1 lies inside; {losses}."
        )
    }
}

/// The languages that the model has seen.
fn trained(report: &Report) -> impl Iterator<Item = &Row> {
    report.rows.iter().filter(|row| row.resource != Resource::Unseen)
}

/// The trained languages that lose most and least.
fn outermost(report: &Report, by: Measure) -> Option<String> {
    let by_loss = |a: &&Row, b: &&Row| a.lost(by).value.total_cmp(&b.lost(by).value);
    let (most, least) = (trained(report).max_by(by_loss)?, trained(report).min_by(by_loss)?);
    if most.code == least.code {
        return None;
    }
    let (a, b) = (most.lost(by), least.lost(by));
    let told = (lost(by, &a), lost(by, &b));
    Some(if b.high < 0.0 && a.low > 0.0 {
        format!("{} loses most ({}), {} gains ({}).", most.name, told.0, least.name, told.1)
    } else if a.low > b.high {
        format!(
            "{} loses most ({}), {} least ({}); the two intervals do not touch.",
            most.name, told.0, least.name, told.1
        )
    } else {
        format!(
            "{} has the highest figure ({}) and {} the lowest ({}), but the two intervals overlap: this run does not tell \
             them apart.",
            most.name, told.0, least.name, told.1
        )
    })
}

/// Where measures say otherwise than each other about which group pays more, or where a language stands.
pub fn disagreement(report: &Report) -> Option<String> {
    let sentences: Vec<String> = [groups_disagree(report), places_disagree(report)].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| format!("The measures disagree: {}.", sentences.join("; ")))
}

/// By which measures low-resource languages lose more, and by which less.
fn groups_disagree(report: &Report) -> Option<String> {
    let low_loses_more = |over: &&super::OverAll| match (over.mean_low, over.mean_high) {
        (Some(low), Some(high)) => Some(low.value > high.value),
        _ => None,
    };
    let by = |more: bool| {
        let names = report.over_all.iter().filter(|over| low_loses_more(over) == Some(more));
        names.map(|over| over.measure.title()).collect::<Vec<_>>()
    };
    let (more, less) = (by(true), by(false));
    let told =
        || format!("by {} low-resource languages lose more on average, by {} less", listed(&more), listed(&less));
    (!more.is_empty() && !less.is_empty()).then(told)
}

/// The language whose place by KL per token and by D are furthest apart, where that is half of all places or more. The two count
/// the same tokens: what differs is whether a change that happens to help counts as a gain.
fn places_disagree(report: &Report) -> Option<String> {
    let rows: Vec<&Row> = trained(report).collect();
    let place = |row: &Row, by: Measure| 1 + rows.iter().filter(|of| of.lost(by).value > row.lost(by).value).count();
    let places = |row: &Row| [Measure::Token, Measure::Degradation].map(|by| place(row, by));
    let distance = |row: &Row| {
        let [kl, d] = places(row);
        kl.abs_diff(d)
    };
    let furthest = rows.iter().max_by_key(|row| distance(row))?;
    let [kl, d] = places(furthest);
    let told = || {
        format!(
            "{} stands in place {kl} of {} by {}, from the largest loss, and in place {d} by D",
            furthest.name,
            rows.len(),
            Measure::Token.title()
        )
    };
    (rows.len() > 2 && 2 * distance(furthest) >= rows.len()).then(told)
}

/// `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A loss with its unit; a D as the change of the perplexity: `+18% [12, 25]`, and where it is not a matter of per cents
/// `×41 [30, 55]`.
fn lost(by: Measure, of: &Interval) -> String {
    let scaled = |by: f64, more: f64| Interval {
        value: of.value * by + more,
        low: of.low * by + more,
        high: of.high * by + more,
    };
    match by {
        Measure::Degradation if of.value >= TIMES_FROM => {
            format!("perplexity ×{}", format::interval(&scaled(1.0, 1.0)))
        }
        Measure::Degradation => {
            let (value, bounds) = format::interval_parts(&scaled(100.0, 0.0));
            let plus = if of.value > 0.0 { "+" } else { "" };
            format!("perplexity {plus}{value}% {bounds}")
        }
        Measure::Flips => {
            let (value, bounds) = format::interval_parts(&scaled(100.0, 0.0));
            format!("{value}%{} {bounds}", by.unit())
        }
        _ => {
            let (value, bounds) = format::interval_parts(of);
            format!("{value}{} {bounds}", by.unit())
        }
    }
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

    const D: Measure = Measure::Degradation;

    fn over(report: &mut Report) -> &mut super::super::OverAll {
        report.over_all.iter_mut().find(|over| over.measure == D).unwrap()
    }

    #[test]
    fn a_ratio_is_stated_where_one_lies_outside_its_interval() {
        let mut report = report();
        over(&mut report).ratio = Some(interval(4.1, 2.2, 7.0));
        assert!(finding(&report, D).starts_with(
            "At 3 bits, low-resource languages lose 4.1 times as much as high-resource ones (95% interval [2.2, 7.0]): on \
             average perplexity +18% [12, 25] against perplexity +6.0% [4.0, 8.0]."
        ));
        over(&mut report).ratio = Some(interval(0.5, 0.3, 0.8));
        assert!(
            finding(&report, D)
                .contains("lose less than high-resource ones: 0.50 times as much (95% interval [0.30, 0.80])")
        );
        over(&mut report).ratio = Some(interval(1.3, 0.7, 2.2));
        assert!(
            finding(&report, D)
                .contains("lost in the interval: the ratio of their losses is 1.3 (95% interval [0.7, 2.2])")
        );
    }

    #[test]
    fn no_ratio_to_what_may_be_zero() {
        let mut report = report();
        report.over_all[0].ratio = Some(interval(40.0, 2.0, 900.0));
        over(&mut report).ratio = Some(interval(40.0, 2.0, 900.0));
        over(&mut report).mean_high = Some(interval(0.01, -0.01, 0.03));
        over(&mut report).mean_low = Some(interval(0.2, 0.1, 0.3));
        assert!(finding(&report, D).contains(
            "lose more than high-resource ones: on average perplexity +20% [10, 30] against perplexity +1.0% [−1.0, 3.0]"
        ));
        over(&mut report).mean_low = Some(interval(0.02, 0.005, 0.04));
        assert!(finding(&report, D).contains("lost in the intervals"));
        over(&mut report).mean_low = Some(interval(0.0, -0.01, 0.02));
        assert!(finding(&report, D).contains("can be told from zero"));
        // KL is above 0 wherever anything was changed, however wide its interval.
        for over in &mut report.over_all {
            (over.mean_high, over.mean_low) = (Some(interval(0.1, 0.0, 3.0)), Some(interval(0.2, 0.0, 4.0)));
        }
        assert!(finding(&report, Measure::Text).contains("lose 40 times as much"));
        over(&mut report).mean_high = None;
        assert!(finding(&report, D).contains("no high- and low-resource languages to compare"));
    }

    #[test]
    fn the_outermost_trained_languages() {
        let mut report = report();
        let told = finding(&report, D);
        assert!(
            told.contains("Korean loses most (perplexity +18% [12, 25]), English least (perplexity +6.0% [4.0, 8.0])")
        );
        assert!(told.ends_with("the two intervals do not touch.") && !told.contains("Thai"), "{told}");
        let told = finding(&report, Measure::Text);
        assert!(told.contains("Korean loses most (36 bits per text ["), "{told}");
        report.rows[0].degradation = interval(-0.04, -0.06, -0.02);
        assert!(
            finding(&report, D).ends_with(
                "Korean loses most (perplexity +18% [12, 25]), English gains (perplexity −4.0% [−6.0, −2.0])."
            )
        );
        report.rows[0].degradation = interval(0.06, 0.04, 0.13);
        assert!(finding(&report, D).contains("the two intervals overlap"));
        report.rows[1].degradation = interval(40.0, 29.0, 54.0);
        assert!(finding(&report, D).contains("(perplexity ×41 [30, 55])"));
    }

    /// It is said where measures disagree, and nothing where they do not.
    #[test]
    fn disagreement_is_told() {
        let mut report = report();
        assert_eq!(disagreement(&report), None);
        over(&mut report).mean_low = Some(interval(0.05, 0.03, 0.07));
        assert_eq!(
            disagreement(&report).unwrap(),
            "The measures disagree: by KL per text, KL per token, KL per byte, flips and Δ bits/byte low-resource languages \
             lose more on average, by D less."
        );
        let mut japanese = report.rows[0].clone();
        (japanese.code, japanese.name) = ("jpn".into(), "Japanese".into());
        (japanese.kl_per_token, japanese.degradation) = (interval(9.0, 8.0, 10.0), interval(-0.05, -0.06, -0.04));
        report.rows.push(japanese);
        assert!(disagreement(&report).unwrap().ends_with(
            "; Japanese stands in place 1 of 3 by KL per token, from the largest loss, and in place 3 by D."
        ));
    }
}
