//! The Bits report: what every width costs whom, how fast that falls from bit to bit, and the verdicts.

use crate::lab::degradation::Language;
use crate::lab::sweep::{Claim, Critical, LAW, Measure, Outcome};
use crate::lab::thresholds::NEAR_ZERO;
use crate::report::progress::Step;
use crate::report::{Bits, Interval, Resource, Rule, format, labels};

mod charts;
mod tables;

use super::Report;
pub use charts::{degradation_chart, disparity_chart, error_chart};
pub use tables::{critical_table, degradation_table, slopes_table, verdict_table, widths_table};

/// A claim in a few words.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::P1 => "P1: disparity appears at a width that max κ decides",
        Claim::I1 => "I1: each bit cuts distortion to a quarter",
        Claim::C3 => "C3: with enough bits there is no disparity",
    }
}

/// What falls, in words.
pub fn measure(measure: Measure) -> &'static str {
    match measure {
        Measure::Error => "squared error of the weights",
        Measure::Degradation => "mean D",
        Measure::Nats => "mean ln(1 + D)",
    }
}

fn measure_key(measure: Measure) -> &'static str {
    match measure {
        Measure::Error => "error",
        Measure::Degradation => "degradation",
        Measure::Nats => "nats",
    }
}

/// `up to 4 bits`, or that it is nowhere.
fn reach(bits: Option<Bits>) -> String {
    bits.map_or("at no width".into(), |bits| format!("up to {} bits", bits.get()))
}

/// What the sweep showed under one rule.
pub fn sentence(report: &Report, rule: Rule) -> String {
    let of = format!("Under the rule “{}”", labels::rule(rule));
    let (Some(narrow), Some(wide)) = (report.of_rule(rule).next(), report.of_rule(rule).next_back()) else {
        return format!("{of} nothing was measured.");
    };
    let disparity = match (&narrow.cost.disparity, &wide.cost.disparity) {
        (Some(first), Some(last)) if narrow.bits != wide.bits => format!(
            "{of}, disparity goes from {} at {} bits to {} at {}.",
            format::interval(first),
            narrow.bits.get(),
            format::interval(last),
            wide.bits.get()
        ),
        (Some(only), _) => format!("{of}, disparity is {} at {} bits.", format::interval(only), narrow.bits.get()),
        _ => format!("{of} there is no disparity: fewer than two trained languages were chosen."),
    };
    let critical = report.critical.iter().find(|critical| critical.rule == rule);
    let critical = critical.map_or(String::new(), |critical| format!(" {}", critical_sentence(critical)));
    let error = report.slopes.iter().find(|slope| (slope.rule, slope.measure) == (rule, Measure::Error));
    let error = error.and_then(|slope| slope.slope).map_or(String::new(), |slope| {
        let times = libm::exp2(-slope.value);
        format!(
            " Each bit divides the squared error of the weights by {} on average, where rate–distortion says 4.",
            format::figure(times)
        )
    });
    format!("{disparity}{critical}{error}")
}

fn critical_sentence(critical: &Critical) -> String {
    let equal = match critical.equal {
        Some(bits) => {
            format!("From {} bits on it cannot be told from what equal languages would show by chance", bits.get())
        }
        None => "At no width up to the widest can it be put down to chance".into(),
    };
    let emerges = match critical.emerges {
        Some(_) => format!(
            "it is above {NEAR_ZERO:.3}, the theory's bound of “≈ 0”, {} (corrected for noise, surely {}, perhaps {})",
            reach(critical.emerges),
            reach(critical.surely),
            reach(critical.maybe)
        ),
        None => format!("it is nowhere above {NEAR_ZERO:.3}, the theory's bound of “≈ 0”"),
    };
    format!("{equal}; {emerges}.")
}

/// How the figures came about.
pub fn footnotes(report: &Report, unit: &str) -> Vec<String> {
    let config = &report.config;
    let mut notes = vec![
        format!(
            "D, disparity and means: 95% intervals, paired BCa bootstrap over {unit}s, {}, seed {}, n = {} per language; every width \
             has the same resamples.",
            format::counted(config.draws.resamples as u64, "resample"),
            config.draws.seed,
            format::counted(config.texts.units as u64, unit)
        ),
        format!(
            "Squared error: of all weights of the blocks over the square of their deviation from their matrix's mean, as the f32 grid \
             gives them; one grid per {}. It is a figure of the weights; its intervals are a BCa bootstrap over its {}.",
            labels::granularity(config.granularity),
            labels::counted_step(Step::Tensors, report.matrices)
        ),
        "Disparity is the largest D less the smallest. It is never below 0, so its interval holds 0 at no width. “Chance” is the share of \
         resamples in which languages that all lose the same would lie as far apart: each resample is moved so that only its noise is \
         left. “Corrected” is 2·θ̂ − mean θ* of the bootstrap, which takes out less than half of pure noise."
            .into(),
        "B* is given twice: the narrowest width from which on chance is above 5%, and the theory's reading, the widest width at which \
         disparity is above 0.020."
            .into(),
        format!(
            "Slopes are of log₂ against the width, by least squares, over those widths at which the figure's interval lies above 0; \
             rate–distortion's σ²·2^(−2B) has {}. The theory's grid has 2^(B−1) − 1 steps on either side, not 2^(B−1), so its own slope is \
             steeper where few bits are among the widths.",
            format::fixed(LAW, 0)
        ),
        "The unquantized model has D = 0 and no error by definition. In the charts languages and rules are set a little side by side."
            .into(),
    ];
    if report.languages.iter().any(|language| language.resource == Resource::Unseen) {
        notes.push("Unseen languages were not in the training text; they stay out of disparity and means.".into());
    }
    notes.push(crate::lab::provenance(&report.origin));
    notes
}

/// `fairbits-m12-bits`.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-bits", report.origin.model))
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
