//! Weights as small signed integers in words: w = code · scale, unpacked strip by strip just before use. Of 16 bits they are
//! IEEE halves, and there is no scale.

use half::f16;

use super::strips::{Pack, STRIP, Strip};

/// Codes of `BITS` bits (4, 8 or 16), `32 / BITS` to a word, lowest first, in row-major order.
pub struct Packed<'a, const BITS: u32> {
    /// The words.
    pub codes: &'a [u32],
    /// One scale per group of input channels and output channel (or per group alone).
    pub scales: &'a [f32],
    /// Input channels.
    pub k: usize,
    /// Output channels.
    pub n: usize,
    /// True: the codes are (n, k).
    pub transposed: bool,
    /// Consecutive input channels that share a scale.
    pub group: usize,
    /// Output channels with a scale of their own: 1 or n.
    pub channels: usize,
}

/// Bits of an IEEE half.
const HALF: u32 = 16;

impl<const BITS: u32> Packed<'_, BITS> {
    const PER_WORD: usize = (32 / BITS) as usize;

    /// Code number `i` as a float.
    #[inline(always)]
    fn code(&self, i: usize) -> f32 {
        Self::extract(self.codes[i / Self::PER_WORD], i % Self::PER_WORD)
    }

    /// Code number `i` of a word: shifted up to drop what is above it, then down with its sign.
    #[inline(always)]
    fn extract(word: u32, i: usize) -> f32 {
        if BITS == HALF {
            return f16::from_bits((word >> (i as u32 * BITS)) as u16).to_f32();
        }
        let above = 32 - BITS - i as u32 * BITS;
        (((word << above) as i32) >> (32 - BITS)) as f32
    }

    /// The scales of eight columns from `n` at input channel `k`; zeros for columns that do not exist.
    fn scales(&self, k: usize, n: usize) -> [f32; STRIP] {
        let row = k / self.group * self.channels;
        std::array::from_fn(|lane| match self.channels {
            _ if n + lane >= self.n => 0.0,
            1 => self.scales[row],
            _ => self.scales[row + n + lane],
        })
    }

    /// Codes of eight columns from `n` at input channel `k`, stored side by side.
    #[inline(always)]
    fn side_by_side(&self, k: usize, n: usize) -> [f32; STRIP] {
        let first = k * self.n + n;
        let words = STRIP / Self::PER_WORD;
        if first.is_multiple_of(Self::PER_WORD) && n + STRIP <= self.n {
            let words = &self.codes[first / Self::PER_WORD..][..words];
            return std::array::from_fn(|lane| Self::extract(words[lane / Self::PER_WORD], lane % Self::PER_WORD));
        }
        std::array::from_fn(|lane| if n + lane < self.n { self.code(first + lane) } else { 0.0 })
    }
}

impl<const BITS: u32> Pack for Packed<'_, BITS> {
    fn pack(&self, k: usize, depth: usize, n: usize, strips: &mut Strip) {
        for (s, strip) in strips.chunks_exact_mut(depth.max(1)).enumerate() {
            let n = n + s * STRIP;
            if self.transposed {
                for lane in 0..STRIP.min(self.n - n) {
                    let first = (n + lane) * self.k + k;
                    for (i, to) in strip.iter_mut().enumerate() {
                        to[lane] = self.code(first + i);
                    }
                }
            } else {
                for (i, to) in strip.iter_mut().enumerate() {
                    *to = self.side_by_side(k + i, n);
                }
            }
            let mut i = if BITS == HALF { depth } else { 0 };
            while i < depth {
                let scales = self.scales(k + i, n);
                let end = depth.min((k + i) / self.group * self.group + self.group - k);
                for to in &mut strip[i..end] {
                    for (value, scale) in to.iter_mut().zip(&scales) {
                        *value *= scale;
                    }
                }
                i = end;
            }
        }
    }
}
