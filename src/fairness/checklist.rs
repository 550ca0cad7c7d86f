//! The checklist of document 004, section 7, worked out.

use crate::lab::thresholds::{HEAVY, LIGHT};
use crate::{lab::facts::Facts, report::format};

/// Document 004, section 7.1: from this variance of ā over languages on, disparity is expected.
const VARIANCE: f64 = 0.001;

/// One line for each item, in the order of the seed: 7.1, 7.2, 7.3. A tick stands for what was done.
pub fn items(facts: &Facts) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = |done: bool, text: String| items.push(format!("[{}] {text}", if done { "x" } else { " " }));
    let heaviest = facts.heaviest();
    match heaviest {
        Some((layer, kurtosis)) => {
            item(true, "Per-layer kurtosis was extracted.".into());
            let judged = if kurtosis > HEAVY { "above 50: proceed with caution" } else { "not above 50" };
            item(true, format!("Largest κ is {}, in layer {layer}: {judged}.", format::figure(kurtosis)));
        }
        None => {
            item(false, "Per-layer kurtosis is not in this report; the Weights analysis extracts it.".into());
            item(false, "Whether the largest κ is above 50 cannot be said from this report.".into());
        }
    }
    match facts.variance {
        Some(variance) => {
            item(true, "Activation patterns of the languages were computed.".into());
            let judged = if variance > VARIANCE { "above 0.001: expect disparity" } else { "not above 0.001" };
            item(true, format!("Var[ā] over outlier layers is {}: {judged}.", format::small(variance)));
        }
        None => {
            item(
                false,
                "Activation patterns of the languages are not in this report; the Activation analysis has them.".into(),
            );
            item(false, "Whether Var[ā] over outlier layers is above 0.001 cannot be said from this report.".into());
        }
    }
    item(facts.tried.is_some(), match &facts.tried {
        Some(tried) => format!("Per-language calibration or mixed precision was considered: {tried}."),
        None => "Per-language calibration or mixed precision was not tried in this run; the Mitigation and Gateway analyses \
                 try them."
            .into(),
    });
    item(
        heaviest.is_some(),
        match heaviest.map(|(_, kurtosis)| kurtosis) {
            Some(kurtosis) if kurtosis < LIGHT => "By κ below 5 the theory asks for no special handling.".into(),
            Some(kurtosis) if kurtosis < HEAVY => "By κ below 50 the theory asks for evaluation per language.".into(),
            Some(_) => {
                "By κ above 50 the theory asks for 8 bits in outlier layers, calibration per language, or more bits."
                    .into()
            }
            None => "The theory's choice of a strategy needs the largest κ, which is not in this report.".into(),
        },
    );
    let reported = |what: &str, there: bool| format!("{what} {} reported.", if there { "is" } else { "is not" });
    item(!facts.losses.is_empty(), reported("Per-language degradation D(λ)", !facts.losses.is_empty()));
    item(facts.disparity.is_some(), reported("Disparity, max D − min D,", facts.disparity.is_some()));
    item(heaviest.is_some(), reported("Which layers are outliers", heaviest.is_some()));
    let quantized = facts.bits.starts_with("at ");
    item(quantized, reported("The bit-width", quantized));
    items
}
