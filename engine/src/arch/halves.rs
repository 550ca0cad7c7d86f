//! Matrices whose values are all halves, as those of an f16 checkpoint are: two to a word, nothing lost.

use half::f16;

/// The values as IEEE halves, two to a word, lower half first; none where one of them is not exactly a half.
pub fn pack(values: &[f32]) -> Option<Vec<u32>> {
    let half = |value: f32| {
        let half = f16::from_f32(value);
        (half.to_f32().to_bits() == value.to_bits()).then(|| u32::from(half.to_bits()))
    };
    let word = |pair: &[f32]| Some(half(pair[0])? | half(pair.get(1).copied().unwrap_or(0.0))? << 16);
    values.chunks(2).map(word).collect()
}

/// The first `len` values of packed halves.
pub fn unpack(words: &[u32], len: usize) -> Vec<f32> {
    let pair = |word: &u32| [*word as u16, (*word >> 16) as u16].map(|half| f16::from_bits(half).to_f32());
    words.iter().flat_map(pair).take(len).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_and_nothing_else_is_taken() {
        let all: Vec<f32> = (0..=u16::MAX).map(|bits| f16::from_bits(bits).to_f32()).filter(|x| !x.is_nan()).collect();
        for len in [all.len(), all.len() - 1, 1, 0] {
            let words = pack(&all[..len]).unwrap();
            assert_eq!(words.len(), len.div_ceil(2));
            let back = unpack(&words, len);
            assert!(back.iter().zip(&all).all(|(a, b)| a.to_bits() == b.to_bits()) && back.len() == len);
        }
        for other in [0.1_f32, 1.0_f32.next_up(), 65_536.0, 1.0 / 33_554_432.0, f32::from_bits(1)] {
            assert_eq!(pack(&[1.0, 2.0, other]), None, "{other:e}");
        }
    }
}
