//! Quantized weights as they lie in memory: nibbles or bytes in 32-bit words, and a scale per group.

use super::grouping::Grouping;

/// A packed weight matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Packed {
    /// Signed codes in the row-major order of the stored matrix, lowest bits first.
    pub codes: Vec<u32>,
    /// Step of each group: a weight is its code times its group's scale.
    pub scales: Vec<f32>,
    /// Bits that a code takes in memory: 4 or 8.
    pub width: u32,
    /// Which weights share a scale, and how the matrix lies.
    pub grouping: Grouping,
}

impl Packed {
    /// A matrix whose codes are zeros.
    pub fn new(width: u32, scales: Vec<f32>, grouping: Grouping) -> Packed {
        let words = grouping.layout.len().div_ceil((32 / width) as usize);
        Packed { codes: vec![0; words], scales, width, grouping }
    }

    /// Bytes that the codes and scales take.
    pub fn bytes(&self) -> u64 {
        Packed::bytes_of(self.width, &self.grouping)
    }

    /// Those of a matrix that is not packed yet: codes in whole words and a scale per group.
    pub fn bytes_of(width: u32, grouping: &Grouping) -> u64 {
        4 * (grouping.layout.len().div_ceil((32 / width) as usize) + grouping.count()) as u64
    }

    /// Sets the code at a place that has none yet.
    #[inline]
    pub fn put(&mut self, place: usize, code: i32) {
        let (per_word, mask) = ((32 / self.width) as usize, u32::MAX >> (32 - self.width));
        self.codes[place / per_word] |= (code as u32 & mask) << ((place % per_word) as u32 * self.width);
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

#[cfg(test)]
mod tests {
    use super::super::{
        clipping::Rule,
        quantizer::{Bits, Granularity, Layout, Quantizer, Uniform, value},
    };
    use super::*;
    use proptest::prelude::*;

    fn grid(bits: u8, granularity: Granularity) -> Uniform {
        Uniform { bits: Bits::new(bits).unwrap(), granularity, rule: Rule::Absmax }
    }

    proptest! {
        /// Packing and unpacking gives the bits of the scalar quantizer, in every layout, width and granularity.
        #[test]
        fn unpacking_gives_the_quantizers_bits(
            k in 1usize..70, n in 1usize..6, transposed: bool, b in 2u8..=8,
            granularity in prop::sample::select(&Granularity::ALL[..]), seed: u64,
        ) {
            let (layout, uniform) = (Layout { k, n, transposed }, grid(b, granularity));
            let mut rng = super::super::rng::Rng::new(seed);
            let values: Vec<f32> = (0..k * n).map(|_| rng.normal() as f32).collect();
            let grouping = Grouping::new(layout, granularity);
            let alphas: Vec<f32> = (0..grouping.count()).map(|_| (rng.uniform() * 3.0) as f32).collect();
            let packed = uniform.packed(&values, layout, &alphas);
            prop_assert_eq!(packed.bytes(), 4 * (packed.codes.len() + packed.scales.len()) as u64);
            prop_assert_eq!(packed.bytes(), uniform.bytes(layout));
            let out = packed.dequantize();
            for kk in 0..k {
                for nn in 0..n {
                    let place = layout.place(kk, nn);
                    let expected = value(values[place], alphas[grouping.index(kk, nn)], uniform.bits.levels());
                    prop_assert_eq!(out[place].to_bits(), expected.to_bits());
                }
            }
        }
    }

    #[test]
    fn nibbles_lie_lowest_first() {
        let layout = Layout { k: 3, n: 3, transposed: false };
        let values: Vec<f32> = (-4..5).map(|v| v as f32).collect();
        let packed = grid(4, Granularity::Tensor).packed(&values, layout, &[7.0]);
        assert_eq!(packed.codes, [0x3210_fedc, 0x0000_0004]);
        let bytes = grid(8, Granularity::Tensor).packed(&values, layout, &[127.0]);
        assert_eq!(bytes.codes, [0xfffe_fdfc, 0x0302_0100, 0x0000_0004]);
    }

    #[test]
    fn four_bits_take_an_eighth_of_the_floats() {
        let layout = Layout { k: 128, n: 512, transposed: false };
        let values = vec![0.5; layout.len()];
        let packed = grid(4, Granularity::Tensor).packed(&values, layout, &[1.0]);
        assert_eq!(packed.bytes(), 128 * 512 / 2 + 4);
        let packed = grid(4, Granularity::Group32).packed(&values, layout, &vec![1.0; 4 * 512]);
        assert_eq!(packed.bytes(), 128 * 512 / 2 + 4 * 4 * 512);
    }
}
