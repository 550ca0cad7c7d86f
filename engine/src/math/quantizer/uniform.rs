//! The theory's grid: Q_α(x) = α·round(clip(x, −α, α)·L/α)/L with L = 2^(B−1) − 1, rounding half to even.
//!
//! All in f32, and in this order of operations wherever weights are quantized, so that every path agrees to the bit:
//! `inv = L/α`, `code = round(clip(x, ±α)·inv)`, `step = α/L`, `value = code·step` with the code as an integer first,
//! which makes a zero positive.

use super::{Bits, Format, Granularity, Grouping, Layout, Packed, Quantizer};
use crate::math::clipping::{Rule, alpha};

/// A grid for each block: its number is its threshold α, found by a rule.
#[derive(Debug, Clone, Copy)]
pub struct Uniform {
    /// Bits of a code.
    pub bits: Bits,
    /// Weights that share a threshold.
    pub granularity: Granularity,
    /// How thresholds are found. What is stored does not tell, so it is no part of the name.
    pub rule: Rule,
}

/// Every grid, with the rule that needs nothing to be known of the weights.
pub(super) fn formats() -> Vec<Format> {
    let of_width = |bits| Granularity::ALL.map(|granularity| Uniform { bits, granularity, rule: Rule::Absmax }.into());
    Bits::ALL.into_iter().flat_map(of_width).collect()
}

impl Uniform {
    /// The packed matrix under these thresholds.
    pub fn packed(&self, values: &[f32], layout: Layout, alphas: &[f32]) -> Packed {
        assert_eq!(values.len(), layout.len(), "a ({}, {}) matrix", layout.k, layout.n);
        let (blocks, grids) = (self.blocks(layout), self.grids(layout, alphas));
        let scales = grids.iter().map(|grid| grid.step).collect();
        let mut packed = Packed::new(self.width(), scales, blocks);
        blocks.walk(|place, index| packed.put(place, grids[index].code(values[place])));
        packed
    }

    fn grids(&self, layout: Layout, alphas: &[f32]) -> Vec<Grid> {
        assert_eq!(alphas.len(), self.blocks(layout).count(), "one threshold per block");
        alphas.iter().map(|&alpha| Grid::new(alpha, self.bits.levels())).collect()
    }

    /// Bits that a code takes in memory: whole nibbles or bytes, which the kernels read without shifts across words.
    fn width(&self) -> u32 {
        if self.bits.get() <= 4 { 4 } else { 8 }
    }
}

impl Quantizer for Uniform {
    fn name(&self) -> String {
        format!("uniform {} {:?}", self.bits.get(), self.granularity).to_lowercase()
    }

    fn blocks(&self, layout: Layout) -> Grouping {
        Grouping::new(layout, self.granularity)
    }

    fn numbers(&self) -> usize {
        1
    }

    fn search(&self, block: &[f32], numbers: &mut [f32]) {
        numbers[0] = alpha(self.rule, block, self.bits);
    }

    fn encode(&self, numbers: &[f32], block: &[f32], codes: &mut [i32]) {
        let grid = Grid::new(numbers[0], self.bits.levels());
        codes.iter_mut().zip(block).for_each(|(code, &x)| *code = grid.code(x));
    }

    fn decode(&self, numbers: &[f32], codes: &[i32], block: &mut [f32]) {
        let grid = Grid::new(numbers[0], self.bits.levels());
        block.iter_mut().zip(codes).for_each(|(value, &code)| *value = code as f32 * grid.step);
    }

    /// Stored as it is packed: codes in whole words, and an f32 for each block.
    fn bytes(&self, layout: Layout) -> u64 {
        Packed::bytes_of(self.width(), &self.blocks(layout))
    }

    fn pack(&self, values: &[f32], layout: Layout, numbers: &[f32]) -> Option<Packed> {
        Some(self.packed(values, layout, numbers))
    }

    fn held(&self, layout: Layout) -> u64 {
        self.bytes(layout)
    }

    /// In the order of memory, without a copy of each block.
    fn rounded(&self, values: &[f32], layout: Layout, numbers: &[f32]) -> Vec<f32> {
        assert_eq!(values.len(), layout.len(), "a ({}, {}) matrix", layout.k, layout.n);
        let grids = self.grids(layout, numbers);
        let mut rounded = Vec::with_capacity(values.len());
        self.blocks(layout).walk(|place, index| rounded.push(grids[index].value(values[place])));
        rounded
    }
}

/// 1.5·2^23: adding it to a float below 2^22 in magnitude and taking it off again rounds to the nearest integer, half to
/// even, in two additions that every target vectorises.
const ROUNDER: f32 = 12_582_912.0;

/// The grid of one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// α.
    pub alpha: f32,
    /// L/α.
    pub inv: f32,
    /// α/L: a value is its code times this.
    pub step: f32,
}

impl Grid {
    /// Where α is zero, negative, not finite, or so small that L/α is not finite, the grid has the one value 0.
    pub fn new(alpha: f32, levels: u32) -> Grid {
        let levels = levels as f32;
        let inv = levels / alpha;
        if alpha > 0.0 && alpha.is_finite() && inv.is_finite() {
            Grid { alpha, inv, step: alpha / levels }
        } else {
            Grid { alpha: 0.0, inv: 0.0, step: 0.0 }
        }
    }

    /// The code of x, from −L to L; a NaN gets 0.
    #[inline]
    pub fn code(&self, x: f32) -> i32 {
        let clipped = if x < -self.alpha {
            -self.alpha
        } else if x > self.alpha {
            self.alpha
        } else {
            x
        };
        ((clipped * self.inv + ROUNDER) - ROUNDER) as i32
    }

    /// The value that stands for x.
    #[inline]
    pub fn value(&self, x: f32) -> f32 {
        self.code(x) as f32 * self.step
    }
}

/// Code of x under threshold α.
pub fn code(x: f32, alpha: f32, levels: u32) -> i32 {
    Grid::new(alpha, levels).code(x)
}

/// Q_α(x).
pub fn value(x: f32, alpha: f32, levels: u32) -> f32 {
    Grid::new(alpha, levels).value(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_to_the_even_code() {
        // α = L makes the step 1.
        let codes: Vec<i32> = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 6.5, 9.0, -9.0].map(|x| code(x, 7.0, 7)).to_vec();
        assert_eq!(codes, [0, 2, 2, 0, -2, -2, 6, 7, -7]);
    }

    #[test]
    fn degenerate_thresholds_give_positive_zero() {
        for alpha in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-45, f32::MIN_POSITIVE / 4.0] {
            for x in [0.0, -0.0, 1.0, -3.0, f32::MAX, f32::NAN] {
                assert_eq!(value(x, alpha, 127).to_bits(), 0, "α = {alpha}, x = {x}");
            }
        }
        assert_eq!(value(-0.01, 1.0, 7).to_bits(), 0);
        assert_eq!(code(f32::NAN, 1.0, 7), 0);
    }

    proptest! {
        /// The code is the nearest one on the exact grid, but for the last bits near a boundary between two codes.
        #[test]
        fn the_code_is_the_nearest(x in -4f32..4.0, alpha in 0.01f32..3.0, b in 2u8..=8) {
            let levels = Bits::new(b).unwrap().levels();
            let c = code(x, alpha, levels);
            prop_assert!(c.unsigned_abs() <= levels);
            let place = (x.clamp(-alpha, alpha) as f64) * levels as f64 / alpha as f64;
            prop_assert!((c as f64 - place).abs() <= 0.5 + 1e-6 * levels as f64);
        }

        /// Quantizing what has been quantized changes nothing.
        #[test]
        fn values_of_the_grid_stay(x in -4f32..4.0, alpha in 1e-20f32..1e20, b in 2u8..=8) {
            let levels = Bits::new(b).unwrap().levels();
            let once = value(x, alpha, levels);
            prop_assert_eq!(once.to_bits(), value(once, alpha, levels).to_bits());
        }
    }
}
