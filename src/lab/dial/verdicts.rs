//! What the dial says of document 004's claims C1, P2 and P4 and of K1 (documents 002 and 004), each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lab::thresholds::{HEAVY, LIGHT, NEAR_ZERO};
use crate::lab::{
    dial::{Config, Outcome, Point, extreme},
    verdict::{Ruling, told},
};
use crate::math::{clipping::Rule, quantizer::Bits};

/// Half of P2's promised 50%: a cut that is surely smaller is not "about half".
const QUARTER: f64 = 0.25;
/// P4's bounds of r.
const HEAVY_R: f64 = -0.5;
const LIGHT_R: f64 = 0.3;

/// A claim that the dial can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DialClaim")]
pub enum Claim {
    /// Disparity needs outlier layers.
    C1,
    /// Languages that use outlier layers less degrade more.
    K1,
    /// 8 bits for outlier layers about halve disparity.
    P2,
    /// max κ decides how strongly usage and degradation go together.
    P4,
}

impl Claim {
    /// Every claim of the dial.
    pub const ALL: [Claim; 4] = [Claim::C1, Claim::K1, Claim::P2, Claim::P4];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::C1 => {
                "Supported if, where every κ is below 5, disparity is surely below 0.020, and where some κ is above 50 it is \
                 surely higher than there (paired over texts). Not supported if either is surely not so. Noise can only \
                 widen a largest − smallest, so both figures are corrected for that by the bootstrap (2·θ̂ − mean θ*). That \
                 takes out less than half of pure noise: with few texts, distrust a verdict near the bound."
            }
            Claim::K1 => {
                "At the largest κ: supported if the interval of r(R̂, D) lies below 0, not supported if it lies above. R̂ is \
                 the share of activation in the turned layers, so some layers must stay as they are."
            }
            Claim::P2 => {
                "At the largest κ, with 8 bits for layers above the threshold: supported if disparity surely falls by more \
                 than a quarter, not supported if it surely falls by less."
            }
            Claim::P4 => {
                "Supported if the interval of r(R̂, D) lies below −0.5 where some κ is above 50, and within ±0.3 where every \
                 κ is below 5. Not supported if either lies wholly outside."
            }
        }
    }
}

/// A claim under one way of rounding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DialVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// Bit-width.
    pub bits: Bits,
    /// Clipping rule.
    pub rule: Rule,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// The outcomes of one way of rounding where κ is least and where it is largest; none where it is not small or large
/// enough for the claim.
struct Ends<'a> {
    light: Option<&'a Outcome>,
    heaviest: &'a Outcome,
    heavy: Option<&'a Outcome>,
    span: (f64, f64),
}

/// Every claim for every width and rule.
pub fn all(config: &Config, points: &[Point], outcomes: &[Outcome]) -> Vec<Verdict> {
    let (least, most) = (extreme(points, |a, b| a < b), extreme(points, |a, b| a > b));
    let mut verdicts = Vec::new();
    for (bits, rule) in config.bits.iter().flat_map(|&bits| config.rules.iter().map(move |&rule| (bits, rule))) {
        let at = |point: usize| {
            let of = |outcome: &&Outcome| (outcome.point, outcome.bits, outcome.rule) == (point, bits, rule);
            outcomes.iter().find(of).expect("every point has every rounding")
        };
        let span = (points[least].max_kurtosis, points[most].max_kurtosis);
        let ends = Ends {
            light: (span.0 < LIGHT).then(|| at(least)),
            heaviest: at(most),
            heavy: (span.1 > HEAVY).then(|| at(most)),
            span,
        };
        for claim in Claim::ALL {
            let judged = match claim {
                Claim::C1 => ends.needs_outliers(),
                Claim::K1 => ends.usage_protects(),
                Claim::P2 => ends.eight_bits_halve(),
                Claim::P4 => ends.kurtosis_decides(),
            };
            let (ruling, because) = judged.unwrap_or_else(|why| (Ruling::Undecided, why));
            verdicts.push(Verdict { claim, bits, rule, ruling, because });
        }
    }
    verdicts
}

/// A ruling and its figures, or why there is none.
type Judged = Result<(Ruling, String), String>;

impl Ends<'_> {
    fn too_narrow(&self) -> String {
        format!(
            "max κ goes from {:.1} to {:.1}; the claim speaks of less than {LIGHT} and more than {HEAVY}",
            self.span.0, self.span.1
        )
    }

    fn needs_outliers(&self) -> Judged {
        let (light, heavy) = (self.light.ok_or(self.too_narrow())?, self.heavy.ok_or(self.too_narrow())?);
        let none = "disparity needs at least two languages that the model has seen";
        let (before, risen) = (light.cost.disparity_corrected.ok_or(none)?, heavy.risen.ok_or(none)?);
        let ruling = Ruling::below(&before, NEAR_ZERO).and(Ruling::above(&risen.difference_corrected, 0.0));
        let because = format!(
            "disparity, corrected for noise, {} at max κ = {:.1}; at max κ = {:.1} higher by {}",
            told(&before),
            self.span.0,
            self.span.1,
            told(&risen.difference_corrected)
        );
        Ok((ruling, because))
    }

    fn usage_protects(&self) -> Judged {
        let usage = self.heaviest.usage.ok_or(NO_USAGE)?;
        let because = format!(
            "r(R̂, D) = {} over {} languages at max κ = {:.1}, permutation p {}; ρ = {}",
            told(&usage.pearson),
            usage.n,
            self.span.1,
            told_p(usage.pearson_p),
            told(&usage.spearman)
        );
        Ok((Ruling::below(&usage.pearson, 0.0), because))
    }

    fn eight_bits_halve(&self) -> Judged {
        let protected = self.heaviest.protected.as_ref();
        let protected = protected
            .ok_or("at the largest κ, some layers must lie above the threshold and some below, at fewer than 8 bits")?;
        let change = protected.change.ok_or("there is no disparity to cut")?;
        let because = format!(
            "{} outlier layers at 8 bits cut disparity by the share {}",
            protected.layers.len(),
            told(&change.reduction)
        );
        Ok((Ruling::above(&change.reduction, QUARTER), because))
    }

    fn kurtosis_decides(&self) -> Judged {
        let (light, heavy) = (self.light.ok_or(self.too_narrow())?, self.heavy.ok_or(self.too_narrow())?);
        let (light, heavy) = (light.usage.ok_or(NO_USAGE)?.pearson, heavy.usage.ok_or(NO_USAGE)?.pearson);
        let within = Ruling::below(&light, LIGHT_R).and(Ruling::above(&light, -LIGHT_R));
        let because = format!(
            "r(R̂, D) = {} at max κ = {:.1} and {} at {:.1}",
            told(&light),
            self.span.0,
            told(&heavy),
            self.span.1
        );
        Ok((Ruling::below(&heavy, HEAVY_R).and(within), because))
    }
}

/// `= 0.012`, or `< 0.001`: shuffles never give 0.
fn told_p(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("= {p:.3}") }
}

const NO_USAGE: &str = "R̂ needs some layers turned and some not, and at least three languages that differ";
