//! Random numbers that stay the same for ever: ChaCha with 8 rounds, seeded by a number and a stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

use super::normal;

/// A seeded source. The key is the theory's eight bytes, little-endian, then zeros: no crate's idea of seeding is asked.
#[derive(Debug, Clone)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Stream 0 of a seed.
    pub fn new(seed: u64) -> Rng {
        Rng::stream(seed, 0)
    }

    /// One of the theory's 2^64 independent streams.
    pub fn stream(seed: u64, stream: u64) -> Rng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut source = ChaCha8Rng::from_seed(key);
        source.set_stream(stream);
        Rng(source)
    }

    /// 32 random bits.
    #[inline]
    pub fn bits32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// 64 random bits.
    #[inline]
    pub fn bits64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below n, each equally likely (Lemire 2019: multiply, and draw again in the biased remainder).
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "there is no number below 0");
        let mut product = u64::from(self.bits32()) * u64::from(n);
        if (product as u32) < n {
            let remainder = n.wrapping_neg() % n;
            while (product as u32) < remainder {
                product = u64::from(self.bits32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// Uniform in [0, 1), a multiple of 2^−53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 * UNIT
    }

    /// Standard normal, by the quantile function: one draw for one number.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        // Half a unit up, so that neither 0 nor 1 can come.
        normal::quantile(((self.bits64() >> 11) as f64 + 0.5) * UNIT)
    }

    /// Puts a slice in random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

/// 2^−53.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_never_change() {
        let mut rng = Rng::new(0);
        // First words of the ChaCha8 keystream for a key of zeros (the published test vector 3e00ef2f 895f40d6 …).
        assert_eq!(rng.bits32(), 0x2fef_003e);
        assert_eq!(rng.bits32(), 0xd640_5f89);
        let mut rng = Rng::stream(20_261_116, 3);
        assert_eq!(rng.bits64(), 8_127_698_932_546_233_838);
        assert_eq!(rng.below(1000), 825);
        assert_eq!(rng.uniform(), 0.168_450_113_661_226_64);
        assert_eq!(rng.normal(), -1.153_116_043_369_132_8);
    }

    #[test]
    fn below_is_even_and_in_range() {
        let mut rng = Rng::new(5);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        // χ² of 6 degrees exceeds 22.5 once in a thousand; the seed is fixed.
        let chi: f64 = counts.iter().map(|&c| (c as f64 - 10_000.0) * (c as f64 - 10_000.0) / 10_000.0).sum();
        assert!(chi < 22.5, "{counts:?}");
        assert_eq!(rng.below(1), 0);
        // 3·2^30 leaves a remainder of a quarter: without the second draw, multiples of 3 would come twice as often.
        let n = 3 << 30;
        let thirds = (0..30_000).filter(|_| rng.below(n).is_multiple_of(3)).count();
        assert!((9_700..10_300).contains(&thirds), "{thirds}");
    }

    #[test]
    fn normals_have_the_moments_of_a_normal() {
        let mut rng = Rng::new(7);
        let values: Vec<f32> = (0..200_000).map(|_| rng.normal() as f32).collect();
        let summary = super::super::moments::Summary::of(&values);
        assert!(summary.mean.abs() < 0.01 && (summary.sigma - 1.0).abs() < 0.01 && summary.kurtosis.abs() < 0.05);
        assert!((summary.beyond_3 - 0.0027).abs() < 0.0005);
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Rng::new(1).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
