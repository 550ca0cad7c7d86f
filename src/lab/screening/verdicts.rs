//! What one model says of document 004's claims C1 to C3, P4 and M1, each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Needed, Report,
    conditions::told_or_none,
    models::{Tails, usage_as_claimed},
};
use crate::lab::{
    thresholds::NEAR_ZERO,
    verdict::{Ruling, told},
};

/// A claim that a screening can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningClaim")]
pub enum Claim {
    /// Disparity needs outlier layers.
    C1,
    /// It needs activation that varies.
    C2,
    /// It needs few bits.
    C3,
    /// max κ decides how strongly usage and loss go together.
    P4,
    /// The larger max κ, the larger the disparity.
    M1,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 5] = [Claim::C1, Claim::C2, Claim::C3, Claim::P4, Claim::M1];

    /// The rule by which one model decides it.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::C1 | Claim::C2 | Claim::C3 => {
                "Where the model surely does not meet the condition: supported if disparity, corrected for noise by the \
                 bootstrap (2·θ̂ − mean θ*), is surely below 0.020, not supported if it surely is not. A model that meets it says \
                 nothing of models that do not."
            }
            Claim::P4 => {
                "Supported if the interval of r(ā_outlier, D) over languages lies below −0.5 for a model of heavy tails, or within \
                 ±0.3 for one of light tails; not supported if it lies wholly outside. Of tails between the bounds the claim says \
                 nothing."
            }
            Claim::M1 => {
                "Supported if disparity, corrected for noise, is surely below 0.020 for a model of light tails, or surely above it for \
                 one of heavy tails; not supported if it surely is not. The order of models needs several: see the table of models."
            }
        }
    }
}

/// A claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScreeningVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// A ruling and its figures, or why there is none.
type Judged = Result<(Ruling, String), String>;

/// Every claim.
pub fn all(report: &Report) -> Vec<Verdict> {
    let verdict = |claim: Claim| {
        let judged = match claim {
            Claim::C1 => necessary(report, Needed::C1),
            Claim::C2 => necessary(report, Needed::C2),
            Claim::C3 => necessary(report, Needed::C3),
            Claim::P4 => usage_goes_with_loss(report),
            Claim::M1 => disparity_follows_tails(report),
        };
        let (ruling, because) = judged.unwrap_or_else(|why| (Ruling::Undecided, why));
        Verdict { claim, ruling, because }
    };
    Claim::ALL.map(verdict).to_vec()
}

const NO_DISPARITY: &str = "disparity needs at least two languages that the model has seen";

fn necessary(report: &Report, which: Needed) -> Judged {
    let condition =
        report.conditions.iter().find(|condition| condition.which == which).ok_or("it was not looked at")?;
    let disparity = || told_or_none(report.disparity_corrected.as_ref());
    match condition.met {
        Some(false) => {
            let corrected = report.disparity_corrected.ok_or(NO_DISPARITY)?;
            let others = report.conditions.iter().filter(|other| other.which != which && other.met == Some(false));
            let others: Vec<String> = others.map(|other| format!("{:?}", other.which)).collect();
            let also = match others.is_empty() {
                true => String::new(),
                false => format!(" ({} fails too, so which of them matters is open)", others.join(" and ")),
            };
            let because = format!("{}; disparity, corrected for noise, {}{also}", condition.because, told(&corrected));
            Ok((Ruling::below(&corrected, NEAR_ZERO), because))
        }
        Some(true) => {
            Err(format!("{}: it is met, and disparity, corrected for noise, is {}", condition.because, disparity()))
        }
        None => Err(format!("{}: whether it is met is open", condition.because)),
    }
}

fn usage_goes_with_loss(report: &Report) -> Judged {
    let r = report.correlation.ok_or("r needs at least three languages that differ in ā_outlier and in D")?;
    let tails = Tails::of(report.max_kurtosis, report.config.light, report.config.heavy);
    let stand_in = if report.stand_in { " (of the heaviest layers, none being an outlier)" } else { "" };
    let because = format!(
        "r(ā_outlier, D) = {}{stand_in} over {} languages, max κ = {:.1}",
        told(&r.pearson),
        r.n,
        report.max_kurtosis
    );
    match usage_as_claimed(tails, &r.pearson) {
        Some(ruling) => Ok((ruling, because)),
        None => Err(format!("{because}, of which the claim says nothing")),
    }
}

fn disparity_follows_tails(report: &Report) -> Judged {
    let corrected = report.disparity_corrected.ok_or(NO_DISPARITY)?;
    let because = format!("disparity, corrected for noise, {} at max κ = {:.1}", told(&corrected), report.max_kurtosis);
    match Tails::of(report.max_kurtosis, report.config.light, report.config.heavy) {
        Tails::Light => Ok((Ruling::below(&corrected, NEAR_ZERO), because)),
        Tails::Heavy => Ok((Ruling::above(&corrected, NEAR_ZERO), because)),
        Tails::Between => Err(format!("{because}; between the bounds the seed says “moderate”, which is no figure")),
    }
}
