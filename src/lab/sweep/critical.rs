//! B*, the critical width: where disparity appears (document 004, section 5.1), read in two ways.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::{
    lab::{draws::LEVEL, thresholds::NEAR_ZERO},
    math::{clipping::Rule, quantizer::Bits},
};

/// B* under one rule.
///
/// A disparity is a largest less a smallest: it is never below 0, and noise can only raise it, so that its interval holds 0 at no
/// width. Whether it can be told from 0 is therefore decided by [`Outcome::chance`], and what it is without the noise by the
/// bootstrap's correction, [`crate::math::statistics::Resampled::corrected`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SweepCritical")]
pub struct Critical {
    /// Clipping rule.
    pub rule: Rule,
    /// The narrowest width from which on, at it and at every wider one, languages that lose the same would lie as far apart in
    /// more than 5% of resamples; none where they would not at the widest.
    pub equal: Option<Bits>,
    /// The theory's reading: the widest width at which disparity is above 0.020; none where it is nowhere.
    pub emerges: Option<Bits>,
    /// The widest at which disparity, corrected for noise, is surely above 0.020.
    pub surely: Option<Bits>,
    /// The widest at which it may be.
    pub maybe: Option<Bits>,
}

impl Critical {
    /// From the outcomes of one rule, from the narrowest width; none where there is no disparity.
    pub fn of(outcomes: &[Outcome]) -> Option<Critical> {
        let figures: Vec<_> = outcomes
            .iter()
            .map(|of| Some((of.bits, of.chance, of.cost.disparity?, of.cost.disparity_corrected?)))
            .collect::<Option<_>>()?;
        let equal = figures.iter().rev().take_while(|(_, chance, ..)| chance.is_some_and(|p| p > 1.0 - LEVEL)).last();
        let (mut emerges, mut surely, mut maybe) = (None, None, None);
        for (bits, _, plain, corrected) in &figures {
            let widest = |of: Option<Bits>, figure: f64| of.max((figure > NEAR_ZERO).then_some(*bits));
            emerges = widest(emerges, plain.value);
            surely = widest(surely, corrected.low);
            maybe = widest(maybe, corrected.high);
        }
        Some(Critical { rule: outcomes.first()?.rule, equal: equal.map(|(bits, ..)| *bits), emerges, surely, maybe })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{lab::degradation::Cost, math::statistics::Interval};

    /// A width with a disparity, its corrected interval and a p.
    pub fn outcome(bits: u8, disparity: f64, (low, high): (f64, f64), chance: f64) -> Outcome {
        let interval = |low, high| Interval { value: 0.5 * (low + high), low, high };
        Outcome {
            rule: Rule::Absmax,
            bits: Bits::new(bits).unwrap(),
            cost: Cost {
                degradation: vec![Interval::point(0.0), Interval::point(disparity)],
                disparity: Some(Interval { value: disparity, low: 0.9 * disparity, high: 1.2 * disparity }),
                disparity_corrected: Some(interval(low, high)),
                mean_high: None,
                mean_low: None,
                ratio: None,
            },
            against_widest: None,
            chance: Some(chance),
            mean: None,
            nats: None,
            error: Interval::point(0.1),
            bytes: 1,
        }
    }

    #[test]
    fn widths_are_read_from_their_figures() {
        let bits = |bits: u8| Bits::new(bits);
        let mut outcomes = vec![
            outcome(2, 3.0, (2.0, 4.0), 0.001),
            // Equal by chance, but a wider one is not: B* lies beyond both.
            outcome(3, 0.5, (0.3, 0.6), 0.4),
            outcome(4, 0.1, (0.01, 0.15), 0.01),
            outcome(5, 0.03, (-0.01, 0.019), 0.2),
            outcome(8, 0.01, (-0.01, 0.01), 0.6),
        ];
        let critical = Critical::of(&outcomes).unwrap();
        assert_eq!(critical.equal, bits(5));
        assert_eq!((critical.emerges, critical.surely, critical.maybe), (bits(5), bits(3), bits(4)));
        outcomes[4].chance = Some(0.05);
        assert_eq!(Critical::of(&outcomes).unwrap().equal, None);
        outcomes[0].cost.disparity_corrected = None;
        assert_eq!(Critical::of(&outcomes), None);
    }

    #[test]
    fn no_disparity_anywhere_has_no_width() {
        let flat: Vec<Outcome> = [2, 4].map(|bits| outcome(bits, 0.01, (-0.01, 0.01), 0.5)).to_vec();
        let critical = Critical::of(&flat).unwrap();
        assert_eq!((critical.equal, critical.emerges, critical.maybe), (Bits::new(2), None, None));
    }
}
