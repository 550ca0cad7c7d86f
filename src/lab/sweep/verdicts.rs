//! What the sweep says of document 004's P1 and C3 and of document 003's I1, each by a rule stated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Critical, LAW, Measure, Outcome, Slope};
use crate::{
    lab::{
        thresholds::{HEAVY, LIGHT, NEAR_ZERO},
        verdict::{Ruling, told},
    },
    math::{clipping::Rule, quantizer::Bits, statistics::Interval},
};

/// A slope within so much of −2 is the law's: a bit then cuts distortion by between 3.4 and 4.8 times, where the law says 4.
pub const ABOUT: f64 = 0.25;
/// Widths that P1 names for a largest κ above 50 (BLOOM) and below 5 (XGLM).
const HEAVY_WIDTHS: (u8, u8) = (5, 6);
const LIGHT_WIDTHS: (u8, u8) = (2, 3);

/// A claim about widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepClaim")]
pub enum Claim {
    /// There is a critical width, and max κ decides it.
    P1,
    /// Each bit cuts distortion to a quarter.
    I1,
    /// With enough bits there is no disparity.
    C3,
}

impl Claim {
    /// Every claim.
    pub const ALL: [Claim; 3] = [Claim::P1, Claim::I1, Claim::C3];

    /// The rule by which it is decided.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::P1 => {
                "B* is the widest width at which disparity is above 0.020. Supported if the widths where it surely and where it \
                 may be (disparity corrected for noise by the bootstrap, 2·θ̂ − mean θ*) both lie where the seed says: 5 or 6 \
                 bits for a largest κ above 50, 2 or 3 for one below 5. Not supported if both lie on one side of that. Of other \
                 κ the seed says nothing. The widths it names and the next wider must be measured."
            }
            Claim::I1 => {
                "Supported if the slopes of log₂ of the weights' squared error and of log₂ of the mean D against the width both \
                 surely lie within 0.25 of −2. Not supported if one surely lies outside."
            }
            Claim::C3 => {
                "Supported if disparity at the widest width is surely below 0.020 and at the narrowest surely higher than at the \
                 widest (paired over texts, both corrected for noise by the bootstrap). Not supported if one is surely not so."
            }
        }
    }
}

/// A claim under one rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepVerdict")]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// Clipping rule.
    pub rule: Rule,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// A ruling and its figures, or why there is none.
type Judged = Result<(Ruling, String), String>;

/// Every claim under every rule; outcomes come rule by rule, each from the narrowest width.
pub fn all<'a>(
    kurtosis: &[f64],
    rules: impl Iterator<Item = &'a [Outcome]>,
    slopes: &[Slope],
    critical: &[Critical],
) -> Vec<Verdict> {
    let largest = kurtosis.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut verdicts = Vec::new();
    for outcomes in rules {
        let rule = outcomes[0].rule;
        for claim in Claim::ALL {
            let judged = match claim {
                Claim::P1 => critical_width(largest, outcomes, critical.iter().find(|of| of.rule == rule)),
                Claim::I1 => falls_by_the_law(slopes, rule),
                Claim::C3 => enough_bits(outcomes),
            };
            let (ruling, because) = judged.unwrap_or_else(|why| (Ruling::Undecided, why));
            verdicts.push(Verdict { claim, rule, ruling, because });
        }
    }
    verdicts
}

const NO_DISPARITY: &str = "disparity needs at least two languages that the model has seen";

/// `up to 4 bits`, or that it is nowhere.
fn reach(bits: Option<Bits>) -> String {
    bits.map_or("at no width measured".into(), |bits| format!("up to {} bits", bits.get()))
}

fn critical_width(largest: f64, outcomes: &[Outcome], critical: Option<&Critical>) -> Judged {
    let critical = critical.ok_or(NO_DISPARITY)?;
    let found = format!(
        "disparity is above {NEAR_ZERO:.3} {}; corrected for noise, surely {} and perhaps {}",
        reach(critical.emerges),
        reach(critical.surely),
        reach(critical.maybe)
    );
    let (from, to) = match largest {
        kappa if kappa > HEAVY => HEAVY_WIDTHS,
        kappa if kappa < LIGHT => LIGHT_WIDTHS,
        kappa => {
            return Err(format!(
                "max κ is {kappa:.1}, and the claim names widths for less than {LIGHT} and more than {HEAVY}; {found}"
            ));
        }
    };
    let missing: Vec<String> = (from..=to + 1)
        .filter(|width| !outcomes.iter().any(|of| of.bits.get() == *width))
        .map(|width| width.to_string())
        .collect();
    if !missing.is_empty() {
        return Err(format!(
            "for max κ = {largest:.1} widths that were not measured decide: {}; {found}",
            missing.join(", ")
        ));
    }
    // Below every width counts as 0 bits.
    let [surely, maybe] = [critical.surely, critical.maybe].map(|bits| bits.map_or(0, Bits::get));
    let ruling = match () {
        () if surely >= from && maybe <= to => Ruling::Supported,
        () if surely > to || maybe < from => Ruling::NotSupported,
        () => Ruling::Undecided,
    };
    Ok((ruling, format!("max κ is {largest:.1}, for which the seed expects B* at {from} or {to} bits; {found}")))
}

fn falls_by_the_law(slopes: &[Slope], rule: Rule) -> Judged {
    let of = |measure: Measure| slopes.iter().find(|slope| (slope.rule, slope.measure) == (rule, measure));
    let known = |measure: Measure| of(measure).and_then(|slope| slope.slope);
    let error = known(Measure::Error).ok_or("a slope needs at least two widths")?;
    let near = |of: &Interval| Ruling::above(of, LAW - ABOUT).and(Ruling::below(of, LAW + ABOUT));
    let grid = of(Measure::Error).and_then(|slope| slope.grid).unwrap_or(f64::NAN);
    let weights = format!(
        "log₂ of the weights' squared error changes by {} per bit (this grid's step alone: {grid:.2})",
        told(&error)
    )
    .replace('-', "−");
    match known(Measure::Degradation) {
        Some(loss) => {
            let nats = known(Measure::Nats).map_or(String::new(), |of| format!(", that of ln(1 + D) by {}", told(&of)));
            Ok((near(&error).and(near(&loss)), format!("{weights}, that of the mean D by {}{nats}", told(&loss))))
        }
        // One that fails is enough.
        None if near(&error) == Ruling::NotSupported => Ok((Ruling::NotSupported, weights)),
        None => Err(format!("{weights}; the mean D lies surely above 0 at fewer than two widths, so it has no slope")),
    }
}

fn enough_bits(outcomes: &[Outcome]) -> Judged {
    let (narrow, wide) = (&outcomes[0], &outcomes[outcomes.len() - 1]);
    let at_widest = wide.cost.disparity_corrected.ok_or(NO_DISPARITY)?;
    let risen = narrow.against_widest.ok_or("a widest and a narrower width are needed")?.difference_corrected;
    let because = format!(
        "disparity, corrected for noise, {} at {} bits; at {} bits higher by {}",
        told(&at_widest),
        wide.bits.get(),
        narrow.bits.get(),
        told(&risen)
    );
    Ok((Ruling::below(&at_widest, NEAR_ZERO).and(Ruling::above(&risen, 0.0)), because))
}

#[cfg(test)]
mod tests {
    use super::super::critical::tests::outcome;
    use super::*;
    use crate::lab::degradation::Change;

    fn sweep(figures: &[(u8, f64, (f64, f64))]) -> Vec<Outcome> {
        figures.iter().map(|&(bits, plain, corrected)| outcome(bits, plain, corrected, 0.01)).collect()
    }

    fn p1(largest: f64, outcomes: &[Outcome]) -> (Ruling, String) {
        let judged = critical_width(largest, outcomes, Critical::of(outcomes).as_ref());
        judged.unwrap_or_else(|why| (Ruling::Undecided, why))
    }

    #[test]
    fn b_star_is_judged_where_the_seed_says_something() {
        let light = sweep(&[
            (2, 3.0, (2.0, 4.0)),
            (3, 0.2, (0.1, 0.3)),
            (4, 0.015, (0.0, 0.018)),
            (5, 0.01, (0.0, 0.01)),
            (6, 0.01, (0.0, 0.01)),
            (7, 0.01, (0.0, 0.01)),
        ]);
        assert_eq!(p1(2.0, &light).0, Ruling::Supported);
        assert_eq!(p1(164.0, &light).0, Ruling::NotSupported, "too narrow for heavy tails");
        assert!(p1(20.0, &light).1.starts_with("max κ is 20.0, and the claim names widths"), "{}", p1(20.0, &light).1);
        let mut unsure = light.clone();
        unsure[2] = outcome(4, 0.05, (0.01, 0.08), 0.01);
        assert_eq!(p1(2.0, &unsure).0, Ruling::Undecided, "3 surely, 4 perhaps");
        unsure[2] = outcome(4, 0.05, (0.03, 0.08), 0.01);
        assert_eq!(p1(2.0, &unsure).0, Ruling::NotSupported, "4 surely");
        assert!(p1(2.0, &light[..2]).1.contains("not measured decide: 4"), "{}", p1(2.0, &light[..2]).1);
        assert_eq!(critical_width(2.0, &light, None), Err(NO_DISPARITY.into()));
        let none = sweep(&[(2, 0.01, (0.0, 0.01)), (3, 0.01, (0.0, 0.01)), (4, 0.01, (0.0, 0.01))]);
        let (ruling, because) = p1(2.0, &none);
        assert!(ruling == Ruling::NotSupported && because.contains("perhaps at no width measured"), "{because}");
    }

    fn slope(measure: Measure, value: f64, half: f64) -> Slope {
        let slope = Some(Interval { value, low: value - half, high: value + half });
        Slope { rule: Rule::Absmax, measure, bits: Bits::ALL.to_vec(), slope, grid: Some(-2.28) }
    }

    #[test]
    fn the_law_asks_for_both_slopes() {
        let judge = |slopes: &[Slope]| falls_by_the_law(slopes, Rule::Absmax);
        let error = slope(Measure::Error, -2.05, 0.05);
        let ruling = |loss: Slope| judge(&[error.clone(), loss]).unwrap().0;
        assert_eq!(ruling(slope(Measure::Degradation, -1.9, 0.1)), Ruling::Supported);
        assert_eq!(ruling(slope(Measure::Degradation, -1.9, 0.3)), Ruling::Undecided);
        assert_eq!(ruling(slope(Measure::Degradation, -3.0, 0.3)), Ruling::NotSupported);
        let alone = judge(std::slice::from_ref(&error)).unwrap_err();
        assert!(alone.contains("−2.050 [−2.100, −2.000]") && alone.contains("fewer than two widths"), "{alone}");
        assert_eq!(judge(&[slope(Measure::Error, -2.5, 0.1)]).unwrap().0, Ruling::NotSupported);
        assert!(falls_by_the_law(&[error], Rule::Optimal).is_err());
    }

    #[test]
    fn enough_bits_end_disparity_only_if_fewer_had_it() {
        let change = |low: f64, high: f64| {
            let interval = Interval { value: 0.5 * (low + high), low, high };
            Some(Change { difference: interval, difference_corrected: interval, reduction: interval })
        };
        let mut outcomes = sweep(&[(2, 3.0, (2.0, 4.0)), (8, 0.01, (-0.01, 0.01))]);
        assert!(enough_bits(&outcomes).unwrap_err().contains("narrower width"));
        outcomes[0].against_widest = change(1.9, 4.0);
        assert_eq!(enough_bits(&outcomes).unwrap().0, Ruling::Supported);
        outcomes[0].against_widest = change(-0.1, 0.1);
        assert_eq!(enough_bits(&outcomes).unwrap().0, Ruling::Undecided);
        outcomes[1] = outcome(8, 0.1, (0.05, 0.2), 0.01);
        let (ruling, because) = enough_bits(&outcomes).unwrap();
        assert_eq!(ruling, Ruling::NotSupported);
        assert_eq!(
            because,
            "disparity, corrected for noise, 0.125 [0.050, 0.200] at 8 bits; at 2 bits higher by 0.000 [−0.100, 0.100]"
        );
    }
}
