//! What a run says of each question, worked out from its figures.

use super::Exercise;
use crate::{
    lab::languages::sentence,
    lab::{
        Report,
        activation::{self, Pair},
        clipping,
        clipping::rule_losses::RuleLoss,
        dial, gateway, languages,
        mitigation::{self, Method},
    },
    math::{clipping::Rule, metrics, statistics::Interval},
    report::{Measure, format, labels},
};

/// The answer's number and the figures.
type Answer = Option<(usize, String)>;

pub(super) fn of(exercise: &Exercise, report: &Report) -> Answer {
    match (exercise.name, report) {
        ("who-pays", Report::Languages(report)) => who_pays(report),
        ("where-to-clip", Report::Clipping(report)) => where_to_clip(report),
        ("heavy-tails", Report::Dial(report)) => heavy_tails(report),
        ("who-uses-which-layers", Report::Activation(report)) => who_uses(report),
        ("what-helps", Report::Mitigation(report)) => what_helps(report),
        ("which-layer-to-protect", Report::Gateway(report)) => which_layer(report),
        _ => None,
    }
}

/// 0 where the interval lies above zero, 1 below, 2 on both sides.
fn side(interval: &Interval, zero: f64) -> usize {
    match interval {
        of if of.low > zero => 0,
        of if of.high < zero => 1,
        _ => 2,
    }
}

fn who_pays(report: &languages::Report) -> Answer {
    let over = report.over(Measure::Text);
    let answer = match (over.ratio, over.mean_low, over.mean_high) {
        (Some(ratio), ..) => side(&ratio, 1.0),
        (None, Some(low), Some(high)) if low.low > high.high => 0,
        (None, Some(low), Some(high)) if low.high < high.low => 1,
        _ => 2,
    };
    Some((answer, sentence::of(report, Measure::Text)))
}

/// Mean over languages, and the mean of the intervals' ends: wider than the interval of the mean, so that two rules are told
/// apart only where they surely are.
fn mean_loss(loss: &RuleLoss) -> Interval {
    let of = |end: fn(&Interval) -> f64| {
        metrics::mean(&loss.degradation.iter().map(end).collect::<Vec<f64>>()).unwrap_or(f64::NAN)
    };
    Interval { value: of(|own| own.value), low: of(|own| own.low), high: of(|own| own.high) }
}

fn where_to_clip(report: &clipping::Report) -> Answer {
    let mut losses: Vec<(Rule, Interval)> = report.losses.iter().map(|loss| (loss.rule, mean_loss(loss))).collect();
    losses.sort_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
    let [(best, least), (second, next), ..] = losses[..] else { return None };
    let offered: [&[Rule]; 4] =
        [&[Rule::Absmax], &[Rule::AciqGaussian, Rule::AciqLaplace], &[Rule::Kurtosis], &[Rule::Optimal]];
    let answer = match offered.iter().position(|rules| rules.contains(&best)) {
        _ if least.high >= next.low => offered.len(),
        own => own?,
    };
    let sentence = format!(
        "The least mean loss is {} ({}), the next {} ({}).",
        format::interval(&least),
        labels::rule(best),
        format::interval(&next),
        labels::rule(second)
    );
    Some((answer, sentence))
}

fn heavy_tails(report: &dial::Report) -> Answer {
    let outcome = report.outcomes.iter().rev().find(|outcome| outcome.risen.is_some())?;
    let (risen, point) = (outcome.risen?, &report.points[outcome.point]);
    let sentence = format!(
        "With max κ at {}, disparity at {} bits is {} instead of what it was: a change of {}.",
        format::figure(point.max_kurtosis),
        outcome.bits.get(),
        outcome.cost.disparity.map_or_else(|| "unknown".into(), |of| format::interval(&of)),
        format::interval(&risen.difference)
    );
    Some((side(&risen.difference, 0.0), sentence))
}

fn who_uses(report: &activation::Report) -> Answer {
    let at = Pair::ALL.iter().position(|pair| *pair == Pair::KurtosisLoss)?;
    let found = report.correlations.get(at)?.as_ref()?;
    Some((side(&found.pearson, 0.0), crate::lab::activation::correlation_sentence(report, Pair::KurtosisLoss)))
}

fn what_helps(report: &mitigation::Report) -> Answer {
    let surely = report.rows.iter().filter_map(|row| row.change.map(|change| (row.method, change.difference)));
    let best = surely.filter(|(_, change)| change.high < 0.0).min_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
    let Some((method, change)) = best else {
        return Some((3, "No method's change of disparity lies surely below 0.".into()));
    };
    let answer = match method {
        Method::Channel | Method::Group => 0,
        Method::Aciq | Method::Optimal => 1,
        Method::Language | Method::Detected => 2,
        _ => return None,
    };
    let sentence = format!(
        "The largest sure fall of disparity is {}, by {}.",
        format::interval(&change),
        crate::lab::mitigation::method(method)
    );
    Some((answer, sentence))
}

fn which_layer(report: &gateway::Report) -> Answer {
    let layers = report.layers.len();
    // By disparity, the least first.
    let mut alone = report.of_size(1).filter_map(|row| Some((row.set.layers().next()?, row.cost.disparity?)));
    let ((best, least), (second, next)) = (alone.next()?, alone.next()?);
    let answer = match best {
        _ if least.high >= next.low => 4,
        0 => 0,
        best if best + 1 == layers => 1,
        best if best == 3 * layers / 4 => 2,
        _ => 3,
    };
    let sentence = format!(
        "Layer {} alone leaves disparity {}; next comes layer {}, {}.",
        report.origin.layer(best),
        format::interval(&least),
        report.origin.layer(second),
        format::interval(&next)
    );
    Some((answer, sentence))
}
