//! The outlier dial, do(κ): the weights' tails are changed and the function is not.
//!
//! Where a linear layer reads channel c of something linear before it, W[c, :] may be multiplied by s and whatever makes
//! channel c divided by s. With s = 2^n both are exact, and so is every product and sum between them: in full precision the
//! model computes the same bits. Quantized, it does not: one threshold for the matrix has to span the new tail.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ArchError, equalization_sites::sides, spec::Spec};
use crate::math::{grouping::Layout, rng::Rng};

/// What a turn makes larger stays below 2^40 and what it makes smaller above 2^−40. Activations that meet them lie between
/// 2^−60 and 2^60 (a normed one is at most √width, and the least difference of two floats is 2^−24 of them), so no product
/// leaves the 2^±126 in which scaling by a power of two is exact.
const ROOM: i32 = 40;
/// Largest turn, either way.
pub const MOST_TURN: i32 = ROOM;

pub use super::equalization_sites::Joint;

/// One channel's change of scale: the reading side times 2^exponent, the making side divided by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Turn {
    /// Block.
    pub layer: usize,
    /// Where in it.
    pub joint: Joint,
    /// Input channel of the reading layer.
    pub channel: usize,
    /// n of s = 2^n.
    pub exponent: i32,
}

/// Turns in order, one per channel, none of exponent 0: equal transforms are equal values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Dial(Vec<Turn>);

/// Where outliers are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned<'a> {
    /// Blocks.
    pub layers: &'a [usize],
    /// Where in each.
    pub joints: &'a [Joint],
    /// Channels at each joint.
    pub channels: usize,
    /// Chooses them; the same channels whatever the exponent.
    pub seed: u64,
}

/// Exponents by channel, on both sides of one tensor. A vector has outputs only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scaling {
    inputs: Vec<(usize, i32)>,
    outputs: Vec<(usize, i32)>,
}

/// What a dial does to each tensor that it touches, by name.
pub type Scalings = BTreeMap<String, Scaling>;

impl Dial {
    /// Turns of the same channel add up.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Dial {
        let mut sums = BTreeMap::new();
        for Turn { layer, joint, channel, exponent } in turns {
            *sums.entry((layer, joint, channel)).or_insert(0) += exponent;
        }
        let turns = sums.into_iter().filter(|(_, exponent)| *exponent != 0);
        Dial(turns.map(|((layer, joint, channel), exponent)| Turn { layer, joint, channel, exponent }).collect())
    }

    /// s = 2^exponent on a few channels, chosen by seed; an error for a joint that a layer does not have.
    pub fn outliers(spec: &Spec, places: &Turned<'_>, exponent: i32) -> Result<Dial, ArchError> {
        let mut turns = Vec::new();
        for &layer in places.layers {
            for &joint in places.joints {
                let stream = (layer * Joint::ALL.len() + joint as usize) as u64;
                let mut channels: Vec<usize> = (0..sides(spec, layer, joint)?.channels).collect();
                Rng::stream(places.seed, stream).shuffle(&mut channels);
                let chosen = channels.into_iter().take(places.channels);
                turns.extend(chosen.map(|channel| Turn { layer, joint, channel, exponent }));
            }
        }
        Ok(Dial::new(turns))
    }

    /// In order.
    pub fn turns(&self) -> &[Turn] {
        &self.0
    }

    /// Both, one after the other.
    pub fn then(&self, other: &Dial) -> Dial {
        Dial::new(self.0.iter().chain(&other.0).copied())
    }

    /// What is to be done to each tensor; an error for a place that the model does not have.
    pub fn scalings(&self, spec: &Spec) -> Result<Scalings, ArchError> {
        let mut scalings = Scalings::new();
        for &turn in &self.0 {
            let Turn { layer, joint, channel, exponent } = turn;
            let no_such = |channels| ArchError::NoSuchTurn { turn, layers: spec.blocks.len(), channels };
            if layer >= spec.blocks.len() {
                return Err(no_such(spec.width));
            }
            let sides = sides(spec, layer, joint)?;
            if channel >= sides.channels || exponent.abs() > MOST_TURN {
                return Err(no_such(sides.channels));
            }
            for name in sides.maker.iter().map(|maker| &maker.weight).chain(sides.vectors.iter().copied()) {
                scalings.entry(name.clone()).or_default().outputs.push((sides.output(channel), -exponent));
            }
            for reader in &sides.readers {
                let scaling = scalings.entry(reader.weight.clone()).or_default();
                scaling.inputs.extend(sides.inputs(channel).map(|input| (input, exponent)));
            }
        }
        Ok(scalings)
    }
}

/// Whether a value can be scaled by 2^exponent with room to spare; see [`ROOM`].
pub(super) fn fits(value: f32, exponent: i32) -> bool {
    let scaled = f64::from(value).abs() * power(exponent);
    scaled == 0.0 || if exponent > 0 { scaled <= power(ROOM) } else { scaled >= power(-ROOM) }
}

/// 2^exponent.
fn power(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

impl Scaling {
    /// Scales a tensor's values in place; refuses where a value would leave the range in which that is exact.
    pub fn apply(&self, name: &str, layout: Layout, values: &mut [f32]) -> Result<(), ArchError> {
        let mut scale = |place: usize, exponent: i32| {
            let value = values[place];
            if !fits(value, exponent) {
                return Err(ArchError::Turned { name: name.to_string(), value, exponent });
            }
            values[place] = (f64::from(value) * power(exponent)) as f32;
            Ok(())
        };
        for &(k, exponent) in &self.inputs {
            (0..layout.n).try_for_each(|n| scale(layout.place(k, n), exponent))?;
        }
        for &(n, exponent) in &self.outputs {
            (0..layout.k).try_for_each(|k| scale(layout.place(k, n), exponent))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(channel: usize, exponent: i32) -> Turn {
        Turn { layer: 0, joint: Joint::MlpNorm, channel, exponent }
    }

    #[test]
    fn equal_transforms_are_equal_values() {
        assert_eq!(Dial::new([turn(3, 2), turn(1, 4), turn(3, 1)]), Dial::new([turn(1, 4), turn(3, 3)]));
        assert_eq!(Dial::new([turn(3, 2)]).then(&Dial::new([turn(3, -2)])), Dial::default());
    }

    #[test]
    fn a_value_that_would_leave_the_exact_range_is_refused() {
        let layout = Layout { k: 1, n: 3, transposed: false };
        let scaling = |exponent| Scaling { inputs: vec![(0, exponent)], outputs: Vec::new() };
        let mut values = [0.0, 1.0, -f32::MIN_POSITIVE];
        scaling(40).apply("w", layout, &mut values).unwrap();
        assert_eq!(values, [0.0, (1u64 << 40) as f32, -f32::MIN_POSITIVE * (1u64 << 40) as f32]);
        let refusal = scaling(1).apply("w", layout, &mut values).unwrap_err().to_string();
        assert!(refusal.contains('w') && refusal.contains("2^1"), "{refusal}");
        assert!(scaling(-20).apply("w", layout, &mut [1e-10, 0.0, 0.0]).is_err());
    }
}
