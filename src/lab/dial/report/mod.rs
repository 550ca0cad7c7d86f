//! The Dial report: what heavier tails do to D(λ) and to disparity, the proof that nothing else changed, and the verdicts.

use crate::lab::degradation::Language;
use crate::lab::dial::{Claim, Outcome, Point, Verdict};
use crate::report::{Bits, Interval, Resource, Rule, chance::Chance, format, labels};

mod charts;
mod tables;

use super::{Joint, Report};
pub use charts::{degradation_chart, disparity_chart};
pub use tables::{degradation_table, disparity_table, points_table, verdict_table};

/// One way of rounding: what the chart of D(λ) is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// Bit-width.
    pub bits: Bits,
    /// Clipping rule.
    pub rule: Rule,
}

impl Pick {
    /// Every one of a report, in its order.
    pub fn all(report: &Report) -> Vec<Pick> {
        let rules = |&bits: &Bits| report.config.rules.iter().map(move |&rule| Pick { bits, rule });
        report.config.bits.iter().flat_map(rules).collect()
    }

    /// As files and options are named: `4bit-absmax`.
    pub fn key(self) -> String {
        format!("{}bit-{}", self.bits.get(), labels::rule_key(self.rule))
    }

    /// As a person calls it.
    pub fn title(self) -> String {
        format!("{} bits, {}", self.bits.get(), labels::rule(self.rule))
    }

    fn holds(self, outcome: &Outcome) -> bool {
        (outcome.bits, outcome.rule) == (self.bits, self.rule)
    }
}

/// p of r of usage and loss where κ is largest, which the verdict on K1 names.
pub(crate) fn chance(report: &Report, own: &Verdict) -> Option<Chance> {
    let largest = report.points.iter().map(|point| point.max_kurtosis).fold(f64::NEG_INFINITY, f64::max);
    let mut at = outcomes(report, Pick { bits: own.bits, rule: own.rule });
    let (_, outcome) = at.find(|(point, _)| point.max_kurtosis == largest)?;
    outcome.usage.map(|usage| Chance::new(usage.pearson_p, report.config.permutations))
}

/// Outcomes of one rounding, in the order of the points.
fn outcomes(report: &Report, pick: Pick) -> impl Iterator<Item = (&Point, &Outcome)> {
    let of = report.outcomes.iter().filter(move |outcome| pick.holds(outcome));
    of.map(|outcome| (&report.points[outcome.point], outcome))
}

/// Those of largest and of least κ.
fn ends(report: &Report, pick: Pick) -> Option<[(&Point, &Outcome); 2]> {
    let by_kurtosis = |a: &(&Point, &Outcome), b: &(&Point, &Outcome)| a.0.max_kurtosis.total_cmp(&b.0.max_kurtosis);
    Some([outcomes(report, pick).min_by(by_kurtosis)?, outcomes(report, pick).max_by(by_kurtosis)?])
}

/// Where the dial stood: `s = 8`, `s = 8, flattened again`.
fn stand(point: &Point) -> String {
    let s = format::count(1u64 << point.exponent);
    let as_it_is = if point.exponent == 0 && !point.flattened { " (the model as it is)" } else { "" };
    format!("s = {s}{as_it_is}{}", if point.flattened { ", flattened again" } else { "" })
}

fn kurtosis(point: &Point) -> String {
    format::figure(point.max_kurtosis)
}

/// Where channels are scaled, as a person calls it.
pub fn joint(joint: Joint) -> &'static str {
    match joint {
        Joint::AttentionNorm => "norm and q, k, v",
        Joint::Values => "values and attention out",
        Joint::MlpNorm => "norm and MLP up",
    }
}

/// A claim in a few words.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::C1 => "C1: disparity needs outlier layers",
        Claim::K1 => "K1: languages that use outlier layers less lose more",
        Claim::P2 => "P2: 8 bits for outlier layers about halve disparity",
        Claim::P4 => "P4: max κ decides how use and loss go together",
    }
}

/// Whether full precision kept its bits at every point, and the line that says so.
pub fn proof(report: &Report) -> (bool, String) {
    let proofs: Vec<_> = report.points.iter().filter_map(|point| point.proof).collect();
    if proofs.is_empty() {
        return (true, "Full-precision losses: nothing was turned, so there is nothing to compare.".into());
    }
    let (equal, of) = proofs.iter().fold((0, 0), |(equal, of), proof| (equal + proof.equal, of + proof.of));
    let (bits, models) = (
        format!("{} of {} bits equal", format::count(equal), format::count(of)),
        format::counted(proofs.len() as u64, "turned model"),
    );
    match proofs.iter().all(|proof| proof.holds()) {
        true => (true, format!("Full-precision losses: identical, {bits} ({models} against the model as it is).")),
        false => (
            false,
            format!(
                "Full-precision losses: not identical, {bits} ({models} against the model as it is). The turned models do \
                 not compute the same function here, so what follows is not due to the tails alone."
            ),
        ),
    }
}

/// What the dial did under one rounding.
pub fn sentence(report: &Report, pick: Pick) -> String {
    let Some([light, heavy]) = ends(report, pick) else { return "Nothing was measured.".into() };
    let of = format!("At {} bits under the rule “{}”", pick.bits.get(), labels::rule(pick.rule));
    let mut said = match (&light.1.cost.disparity, &heavy.1.cost.disparity) {
        (Some(before), Some(after)) => {
            let risen = heavy.1.risen.map(|change| change.difference);
            let verb = match risen {
                Some(risen) if risen.low > 0.0 => "heavier tails widen the disparity between languages",
                Some(risen) if risen.high < 0.0 => "heavier tails narrow the disparity between languages",
                _ => "heavier tails do not surely change the disparity between languages",
            };
            let from_to = format!(
                "{} at max κ = {}{} and {} at max κ = {}",
                format::interval(before),
                kurtosis(light.0),
                if light.0.flattened { ", with the tails flattened again," } else { "" },
                format::interval(after),
                kurtosis(heavy.0)
            );
            let by = risen.map_or(String::new(), |risen| format!(", a difference of {}", format::interval(&risen)));
            format!("{of}, {verb}: {from_to}{by}.")
        }
        _ => format!("{of}: fewer than two trained languages were chosen, so there is no disparity."),
    };
    said.extend(outermost(report, heavy));
    // Where the flattened point has the least κ, it has been told.
    said.extend(way_back(report, pick).filter(|_| !light.0.flattened));
    said
}

/// Who loses most and least where κ is largest.
fn outermost(report: &Report, (_, outcome): (&Point, &Outcome)) -> Option<String> {
    let trained = || report.languages.iter().zip(&outcome.cost.degradation).filter(|(language, _)| language.counts());
    let by_loss = |a: &(&Language, &Interval), b: &(&Language, &Interval)| a.1.value.total_cmp(&b.1.value);
    let (most, least) = (trained().max_by(by_loss)?, trained().min_by(by_loss)?);
    let (a, b) = (format::interval(most.1), format::interval(least.1));
    Some(match most.1.low > least.1.high {
        _ if most.0.code == least.0.code => format!(" There {} loses {a}.", most.0.name),
        true => format!(" There {} loses most, D = {a}, and {} least, {b}.", most.0.name, least.0.name),
        false => format!(
            " There D is highest for {}, {a}, and lowest for {}, {b}, but the two intervals overlap.",
            most.0.name, least.0.name
        ),
    })
}

/// What flattening gives back.
fn way_back(report: &Report, pick: Pick) -> Option<String> {
    let (point, outcome) = outcomes(report, pick).find(|(point, _)| point.flattened)?;
    let disparity = outcome.cost.disparity.as_ref()?;
    Some(format!(
        " With the tails flattened again, max κ is {} and disparity {}.",
        kurtosis(point),
        format::interval(disparity)
    ))
}

/// How the figures came about.
pub fn footnotes(report: &Report, unit: &str) -> Vec<String> {
    let config = &report.config;
    let joints: Vec<&str> = config.joints.iter().map(|own| joint(*own)).collect();
    let all = report.points.first().map_or(0, |point| point.kurtosis.len());
    let layers = match config.turned(all).unwrap_or_default() {
        turned if turned.len() == all => "every layer".into(),
        turned => format!("layers {}", turned.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut notes = vec![
        format!(
            "Turned: {} of each joint ({}) in {layers}, chosen by seed {}. The rows that read a channel are multiplied by s \
             and what makes it is divided by s. With s a power of two both are exact: the model computes the same bits, and \
             only the weights' tails change.",
            format::counted(config.channels as u64, "channel"),
            joints.join("; "),
            config.channel_seed
        ),
        "max κ is the largest excess kurtosis of a layer, its four weight matrices taken together. It is a figure of the \
         weights, without sampling error."
            .into(),
        format!(
            "Brackets are 95% intervals: paired BCa bootstrap over {unit}s, {}, seed {}, n = {} per language. p over languages: \
             {}.",
            format::counted(config.draws.resamples as u64, "resample"),
            config.draws.seed,
            format::counted(config.texts.units as u64, unit),
            format::counted(config.permutations as u64, "shuffle")
        ),
        "Disparity is the largest D less the smallest. Noise can only widen that, so with few texts it is never quite 0, \
         however alike the languages are. C1 is decided on figures corrected for it."
            .into(),
        format!(
            "Quantized: the weight matrices of the blocks, one grid per {}; a layer whose κ lies above {} is an outlier layer \
             for P2.",
            labels::granularity(config.granularity),
            format::figure(config.threshold)
        ),
        "In the charts languages and rules are set a little side by side, so that their intervals can be told apart; the \
         readout and the table have the exact κ."
            .into(),
    ];
    if report.languages.iter().any(|language| language.resource == Resource::Unseen) {
        notes.push("Unseen languages were not in the training text; they stay out of the disparity figures.".into());
    }
    notes.push(crate::lab::provenance(&report.origin));
    notes
}

/// `fairbits-m12-dial`.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-dial", report.origin.model))
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
