//! T2, T2b and T2c: from the Clipping report.

use super::{Report, per_language};
use crate::lab::{
    judged::{Found, correlation, one, shares, undecided},
    verdict::Ruling,
};
use crate::math::{metrics, statistics::bca};
use crate::report::{Interval, format, labels, progress::Step};

/// T2: below this a language's own threshold changes the error of its weights too little to matter.
const MATERIAL: f64 = 0.01;
/// T2b: proportional figures have r = 1; half of the variance explained is the least that deserves the word.
const PROPORTIONAL: f64 = 0.7;
/// T2c: document 002's constants, for 4 bits.
const SEED_FIT: (u8, f64, f64) = (4, 2.5, 0.3);
/// Level of intervals that are made here, over weight matrices.
const LEVEL: f64 = 0.95;

pub(super) fn of(id: &str, report: &Report) -> Vec<(String, Found)> {
    match id {
        "T2" => one(depends_on_language(report)),
        "T2b" => one(wrong_threshold(report)),
        "T2c" => one(fit(report)),
        _ => Vec::new(),
    }
}

/// Over matrices: by how much the error at the reference's threshold exceeds that at the language's own.
fn depends_on_language(report: &Report) -> Found {
    let rule = "The excess of the squared error at the reference language's α*/σ over that at the language's own, as a share, \
                mean over languages; interval over matrices. Supported if it is surely above 1%, not supported if it is \
                surely below.";
    let others: Vec<_> = report.languages.iter().filter(|of| of.code != report.config.reference).collect();
    if others.is_empty() || report.tensors.len() < 2 {
        return undecided("The run looked at fewer than two languages.", rule);
    }
    let excess: Vec<f64> = (0..report.tensors.len())
        .map(|tensor| {
            let share = |of: &&per_language::Language| {
                let of = &of.tensors[tensor];
                if of.error > 0.0 { of.error_at_reference_shape / of.error - 1.0 } else { 0.0 }
            };
            metrics::mean(&others.iter().map(share).collect::<Vec<f64>>()).unwrap_or(0.0)
        })
        .collect();
    let mean = bca(excess.len(), 1, report.config.draws.resamples, LEVEL, report.config.draws.seed, |drawn, out| {
        let total: f64 = drawn.iter().zip(&excess).map(|(&times, excess)| f64::from(times) * excess).sum();
        out[0] = total / drawn.iter().sum::<u32>().max(1) as f64;
    })[0];
    let measured = format!(
        "Clipped where it is best for {}, a language's weights have {} more squared error than at their own best, mean over {} and {}.",
        report.config.reference,
        shares(&mean),
        format::counted(others.len() as u64, "language"),
        labels::counted_step(Step::Tensors, excess.len())
    );
    (Ruling::above(&mean, MATERIAL), measured, rule.into())
}

fn wrong_threshold(report: &Report) -> Found {
    let rule = "Supported if the interval of r between (α_ref − α*)² and the excess error lies above 0.7, not supported if it \
                lies below.";
    match &report.wrong_threshold {
        Some(of) => (
            Ruling::above(&of.pearson, PROPORTIONAL),
            correlation("r", of, "pairs of matrix and language"),
            rule.into(),
        ),
        None => undecided("The run looked at fewer than two languages.", rule),
    }
}

fn fit(report: &Report) -> Found {
    let (bits, c, d) = SEED_FIT;
    let rule = "At 4 bits: supported if the intervals of c and d hold the theory's 2.5 and 0.3, not supported if one of them does \
                not. At other widths the theory gives no figures: supported if d is surely above 0, not supported if it is surely not.";
    let Some(of) = &report.fit else { return undecided("All matrices have the same κ.", rule) };
    let measured = format!(
        "c = {}, d = {} at {} bits; residuals of {} (the theory's constants: {}) in units of σ.",
        format::interval(&of.c),
        format::interval(&of.d),
        report.config.bits.get(),
        format::small(of.rms),
        format::small(of.seed_rms)
    );
    let holds = |of: &Interval, figure: f64| of.low <= figure && figure <= of.high;
    let ruling = if report.config.bits.get() != bits {
        Ruling::above(&of.d, 0.0)
    } else if holds(&of.c, c) && holds(&of.d, d) {
        Ruling::Supported
    } else {
        Ruling::NotSupported
    };
    (ruling, measured, rule.into())
}
