//! One description of a quantizer: what it stores per block, how values come from codes, its bytes, its search.
//!
//! A format is a file here and a line in `FORMATS`. The packed kernels take the matrices of those whose values they compute;
//! any other's go to the device in full precision. The bytes that count are those that the format stores, either way.

use std::{fmt, ops::Deref, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub use super::grouping::{Grouping, Layout};
use super::moments::Moments;
pub use super::packing::Packed;

mod grid;
mod uniform;

pub use grid::{Grid, code, value};
pub use uniform::Uniform;

/// A bit-width from 2 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
pub struct Bits(u8);

impl Bits {
    /// Every width there is.
    pub const ALL: [Bits; 7] = [Bits(2), Bits(3), Bits(4), Bits(5), Bits(6), Bits(7), Bits(8)];

    /// None outside 2…8.
    pub fn new(bits: u8) -> Option<Bits> {
        (2..=8).contains(&bits).then_some(Bits(bits))
    }

    /// The width.
    pub fn get(self) -> u8 {
        self.0
    }

    /// L = 2^(B−1) − 1: codes run from −L to L.
    pub fn levels(self) -> u32 {
        (1 << (self.0 - 1)) - 1
    }
}

impl TryFrom<u8> for Bits {
    type Error = String;
    fn try_from(bits: u8) -> Result<Bits, String> {
        Bits::new(bits).ok_or_else(|| format!("bit-width {bits} is not between 2 and 8"))
    }
}

impl From<Bits> for u8 {
    fn from(bits: Bits) -> u8 {
        bits.0
    }
}

/// How many weights share a clipping threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// The whole matrix.
    Tensor,
    /// One output channel.
    Channel,
    /// 32 consecutive input channels of one output channel.
    Group32,
    /// 64.
    Group64,
    /// 128.
    Group128,
}

impl Granularity {
    /// Every granularity, coarse to fine.
    pub const ALL: [Granularity; 5] =
        [Granularity::Tensor, Granularity::Channel, Granularity::Group128, Granularity::Group64, Granularity::Group32];
}

/// A way of storing a weight matrix in few bits. Blocks stand in the order of [`Grouping`], as do the numbers that each has.
pub trait Quantizer: fmt::Debug + Send + Sync {
    /// Its name in recipes, with its settings: two of one name store the same.
    fn name(&self) -> String;

    /// Which weights share a block.
    fn blocks(&self, layout: Layout) -> Grouping;

    /// How many numbers a block has beside its codes: scales, a threshold, a zero point.
    fn numbers(&self) -> usize;

    /// Its search: the numbers with which it stores a block.
    fn search(&self, block: &[f32], numbers: &mut [f32]);

    /// The code of each value of a block.
    fn encode(&self, numbers: &[f32], block: &[f32], codes: &mut [i32]);

    /// The value that each code of a block stands for.
    fn decode(&self, numbers: &[f32], codes: &[i32], block: &mut [f32]);

    /// Bytes of a matrix as it is stored: codes, numbers and whatever else there is.
    fn bytes(&self, layout: Layout) -> u64;

    /// The matrix as the packed kernels read it; none where they do not compute its values.
    fn pack(&self, _values: &[f32], _layout: Layout, _numbers: &[f32]) -> Option<Packed> {
        None
    }

    /// Bytes of a matrix on a device: those of [`Quantizer::pack`], else of full precision.
    fn held(&self, layout: Layout) -> u64 {
        4 * layout.len() as u64
    }

    /// The numbers of every block.
    fn find(&self, values: &[f32], layout: Layout) -> Vec<f32> {
        let (blocks, each) = (self.blocks(layout), self.numbers());
        let mut numbers = vec![0.0; blocks.count() * each];
        blocks.each(values, |index, block| self.search(block, &mut numbers[index * each..][..each]));
        numbers
    }

    /// What the weights become.
    fn rounded(&self, values: &[f32], layout: Layout, numbers: &[f32]) -> Vec<f32> {
        let (blocks, each) = (self.blocks(layout), self.numbers());
        assert_eq!(numbers.len(), blocks.count() * each, "{} numbers per block", each);
        let (mut rounded, mut codes, mut of_block) = (vec![0.0; values.len()], Vec::new(), Vec::new());
        blocks.each(values, |index, block| {
            let numbers = &numbers[index * each..][..each];
            codes.resize(block.len(), 0);
            of_block.resize(block.len(), 0.0);
            self.encode(numbers, block, &mut codes);
            self.decode(numbers, &codes, &mut of_block);
            blocks.put(index, &of_block, &mut rounded);
        });
        rounded
    }
}

/// Mean squared error of rounded weights over the variance of the weights. Where all weights are equal their mean square stands
/// in for the variance; 0 where they are all zero.
pub fn relative_mse(values: &[f32], rounded: &[f32]) -> f64 {
    let miss = |(x, rounded): (&f32, &f32)| f64::from(*x) - f64::from(*rounded);
    let error = values.iter().zip(rounded).map(miss).fold(0.0, |error, miss| error + miss * miss);
    let moments = Moments::of(values);
    let variance = moments.variance();
    let spread = if variance > 0.0 { variance } else { moments.mean * moments.mean };
    if spread > 0.0 { error / values.len() as f64 / spread } else { 0.0 }
}

/// A quantizer as a recipe holds it, and writes it: by its name.
#[derive(Clone)]
pub struct Format(Arc<dyn Quantizer>);

/// The formats of each file, in every setting that a recipe may name.
const FORMATS: &[fn() -> Vec<Format>] = &[uniform::formats];

impl Format {
    /// Every format that a recipe may name.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.iter().flat_map(|of_file| of_file())
    }
}

impl<Q: Quantizer + 'static> From<Q> for Format {
    fn from(quantizer: Q) -> Format {
        Format(Arc::new(quantizer))
    }
}

impl Deref for Format {
    type Target = dyn Quantizer;

    fn deref(&self) -> &(dyn Quantizer + 'static) {
        &*self.0
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.name())
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.name() == other.name()
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = Format::all().find(|format| format.name() == name);
        known.ok_or_else(|| D::Error::custom(format!("there is no quantizer of the name `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_width_outside_two_to_eight_is_refused() {
        assert_eq!(Bits::new(1), None);
        assert_eq!(Bits::new(9), None);
        assert!(serde_json::from_str::<Bits>("9").is_err());
        assert_eq!(Bits::ALL.map(Bits::levels), [1, 3, 7, 15, 31, 63, 127]);
    }

    #[test]
    fn a_recipe_finds_every_format_by_its_name() {
        let names: std::collections::BTreeSet<String> = Format::all().map(|format| format.name()).collect();
        assert_eq!(names.len(), Format::all().count(), "two formats of one name");
        for format in Format::all() {
            let text = serde_json::to_string(&format).unwrap();
            assert_eq!(serde_json::from_str::<Format>(&text).unwrap(), format);
        }
        let fault = serde_json::from_str::<Format>("\"q9_9\"").unwrap_err().to_string();
        assert!(fault.contains("no quantizer of the name `q9_9`"), "{fault}");
    }

    #[test]
    fn error_of_equal_weights_is_relative_to_their_square() {
        assert_eq!(relative_mse(&[2.0; 4], &[0.0; 4]), 1.0);
        assert_eq!(relative_mse(&[0.0; 4], &[0.0; 4]), 0.0);
    }

    proptest! {
        /// Of every format: in whatever way a matrix is rounded, packed, as a whole or block by block, it has the same bits, and
        /// takes the bytes that were counted.
        #[test]
        fn every_way_gives_the_same_bits(
            format in prop::sample::select(Format::all().collect::<Vec<_>>()),
            k in 1usize..150, n in 1usize..6, transposed: bool, seed: u64,
        ) {
            let layout = Layout { k, n, transposed };
            let mut rng = super::super::rng::Rng::new(seed);
            let values: Vec<f32> = (0..k * n).map(|_| rng.normal() as f32).collect();
            let numbers = format.find(&values, layout);
            let rounded = format.rounded(&values, layout, &numbers);
            let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            match format.pack(&values, layout, &numbers) {
                Some(packed) => {
                    prop_assert_eq!(bits(&packed.dequantize()), bits(&rounded));
                    prop_assert_eq!(packed.bytes(), format.held(layout));
                }
                None => prop_assert_eq!(format.held(layout), 4 * layout.len() as u64),
            }
            let (blocks, each, mut by_block) = (format.blocks(layout), format.numbers(), vec![0.0; values.len()]);
            blocks.each(&values, |index, block| {
                let (mut codes, mut decoded) = (vec![0; block.len()], vec![0.0; block.len()]);
                format.encode(&numbers[index * each..][..each], block, &mut codes);
                format.decode(&numbers[index * each..][..each], &codes, &mut decoded);
                blocks.put(index, &decoded, &mut by_block);
            });
            prop_assert_eq!(bits(&by_block), bits(&rounded));
            prop_assert!(format.bytes(layout) < 8 + 4 * (layout.len() + numbers.len()) as u64);
        }
    }
}
