//! Quantized weights as they lie in memory: nibbles or bytes in 32-bit words, and a scale per group.

use super::grouping::{Grouping, Layout};
use super::quantizer::{Bits, Granularity, Grid};

/// A packed weight matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Packed {
    /// Signed codes in the row-major order of the stored matrix, lowest bits first.
    pub codes: Vec<u32>,
    /// Step of each group: a weight is its code times its group's scale.
    pub scales: Vec<f32>,
    /// Bits that a code takes in memory: 4 for widths up to 4, else 8.
    pub width: u32,
    /// Which weights share a scale, and how the matrix lies.
    pub grouping: Grouping,
}

impl Packed {
    /// Bytes that the codes and scales take: [`packed_bytes`].
    pub fn bytes(&self) -> usize {
        4 * (self.codes.len() + self.scales.len())
    }

    /// The signed code at a place of the stored matrix.
    pub fn code(&self, place: usize) -> i32 {
        let per_word = (32 / self.width) as usize;
        let word = self.codes[place / per_word];
        let shift = (place % per_word) as u32 * self.width;
        // Left to the top, then back down with the sign.
        ((word << (32 - self.width - shift)) as i32) >> (32 - self.width)
    }

    /// The weights as floats, in the order of the stored matrix.
    pub fn dequantize(&self) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.grouping.layout.len());
        self.grouping.walk(|place, index| out.push(self.code(place) as f32 * self.scales[index]));
        out
    }
}

fn grids(grouping: &Grouping, bits: Bits, alphas: &[f32]) -> Vec<Grid> {
    assert_eq!(alphas.len(), grouping.count(), "one threshold per group");
    alphas.iter().map(|&alpha| Grid::new(alpha, bits.levels())).collect()
}

/// Bits that a code takes in memory: whole nibbles or bytes, which the kernels read without shifts across words.
fn code_width(bits: Bits) -> u32 {
    if bits.get() <= 4 { 4 } else { 8 }
}

/// Bytes that a packed matrix takes, codes in whole words and a scale per group; nothing is packed to know them.
pub fn packed_bytes(layout: Layout, granularity: Granularity, bits: Bits) -> usize {
    let per_word = (32 / code_width(bits)) as usize;
    4 * (layout.len().div_ceil(per_word) + Grouping::new(layout, granularity).count())
}

/// Packs a matrix under one threshold per group, as [`super::grouping::thresholds`] orders them.
pub fn pack(values: &[f32], layout: Layout, granularity: Granularity, bits: Bits, alphas: &[f32]) -> Packed {
    assert_eq!(values.len(), layout.len(), "a ({}, {}) matrix", layout.k, layout.n);
    let grouping = Grouping::new(layout, granularity);
    let grids = grids(&grouping, bits, alphas);
    let width = code_width(bits);
    let per_word = (32 / width) as usize;
    let mask = (1u32 << width) - 1;
    let mut codes = vec![0u32; values.len().div_ceil(per_word)];
    grouping.walk(|place, index| {
        let code = grids[index].code(values[place]) as u32 & mask;
        codes[place / per_word] |= code << (place % per_word * width as usize);
    });
    Packed { codes, scales: grids.iter().map(|grid| grid.step).collect(), width, grouping }
}

/// Mean squared error of the quantized weights, as the f32 grid really gives them, over the variance of the weights. Where
/// all weights are equal their mean square stands in for the variance; 0 where they are all zero.
pub fn relative_mse(values: &[f32], layout: Layout, granularity: Granularity, bits: Bits, alphas: &[f32]) -> f64 {
    assert_eq!(values.len(), layout.len(), "a ({}, {}) matrix", layout.k, layout.n);
    let grouping = Grouping::new(layout, granularity);
    let grids = grids(&grouping, bits, alphas);
    let mut error = 0.0;
    grouping.walk(|place, index| {
        let x = values[place];
        let miss = x as f64 - grids[index].value(x) as f64;
        error += miss * miss;
    });
    let moments = super::moments::Moments::of(values);
    let variance = moments.variance();
    let spread = if variance > 0.0 { variance } else { moments.mean * moments.mean };
    if spread > 0.0 { error / values.len() as f64 / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::quantizer::value;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Packing and unpacking gives the bits of the scalar quantizer, in every layout, width and granularity.
        #[test]
        fn unpacking_gives_the_quantizers_bits(
            k in 1usize..70, n in 1usize..6, transposed: bool, b in 2u8..=8,
            granularity in prop::sample::select(&Granularity::ALL[..]), seed: u64,
        ) {
            let layout = Layout { k, n, transposed };
            let bits = Bits::new(b).unwrap();
            let mut rng = super::super::rng::Rng::new(seed);
            let values: Vec<f32> = (0..k * n).map(|_| rng.normal() as f32).collect();
            let grouping = Grouping::new(layout, granularity);
            let alphas: Vec<f32> = (0..grouping.count()).map(|_| (rng.uniform() * 3.0) as f32).collect();
            let packed = pack(&values, layout, granularity, bits, &alphas);
            prop_assert_eq!(packed.bytes(), packed_bytes(layout, granularity, bits));
            let out = packed.dequantize();
            for kk in 0..k {
                for nn in 0..n {
                    let place = layout.place(kk, nn);
                    let expected = value(values[place], alphas[grouping.index(kk, nn)], bits.levels());
                    prop_assert_eq!(out[place].to_bits(), expected.to_bits());
                }
            }
        }
    }

    #[test]
    fn nibbles_lie_lowest_first() {
        let layout = Layout { k: 3, n: 3, transposed: false };
        let values: Vec<f32> = (-4..5).map(|v| v as f32).collect();
        let packed = pack(&values, layout, Granularity::Tensor, Bits::new(4).unwrap(), &[7.0]);
        assert_eq!(packed.codes, [0x3210_fedc, 0x0000_0004]);
        let bytes = pack(&values, layout, Granularity::Tensor, Bits::new(8).unwrap(), &[127.0]);
        assert_eq!(bytes.codes, [0xfffe_fdfc, 0x0302_0100, 0x0000_0004]);
    }

    #[test]
    fn four_bits_take_an_eighth_of_the_floats() {
        let layout = Layout { k: 128, n: 512, transposed: false };
        let values = vec![0.5; layout.len()];
        let bits = Bits::new(4).unwrap();
        let packed = pack(&values, layout, Granularity::Tensor, bits, &[1.0]);
        assert_eq!(packed.bytes(), 128 * 512 / 2 + 4);
        let packed = pack(&values, layout, Granularity::Group32, bits, &vec![1.0; 4 * 512]);
        assert_eq!(packed.bytes(), 128 * 512 / 2 + 4 * 4 * 512);
    }

    #[test]
    fn error_of_equal_weights_is_relative_to_their_square() {
        let layout = Layout { k: 2, n: 2, transposed: true };
        let bits = Bits::new(4).unwrap();
        assert_eq!(relative_mse(&[2.0; 4], layout, Granularity::Tensor, bits, &[0.0]), 1.0);
        assert_eq!(relative_mse(&[0.0; 4], layout, Granularity::Tensor, bits, &[0.0]), 0.0);
    }
}
