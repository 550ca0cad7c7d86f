//! The theory's grid with a threshold for each block, as it is packed for the kernels.

use super::{Bits, Format, Granularity, Grid, Grouping, Layout, Packed, Quantizer};
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
