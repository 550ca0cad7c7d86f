//! Bytes that were good, changed as if at random.

use fairbits::math::rng::Rng;

/// Pieces that matter to parsers.
const PIECES: [&[u8]; 12] = [
    b"{",
    b"[[[[[[[[",
    b"\"",
    b"1e308",
    b"-1e-400",
    b"null",
    b"18446744073709551616",
    b"\\ud800",
    b"\xff",
    b"\0",
    b"../",
    b"<b>",
];

/// A number below a bound, as if at random.
pub fn below(rng: &mut Rng, bound: usize) -> usize {
    (rng.bits64() % bound.max(1) as u64) as usize
}

/// Changes some bytes: flips, cuts, doubles, and pieces that matter to parsers.
pub fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + below(rng, 4) {
        let at = below(rng, bytes.len() + 1);
        match below(rng, 5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(rng, 8),
            1 => bytes.truncate(at),
            2 => {
                let piece = bytes[at..(at + below(rng, 200)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            3 if at < bytes.len() => drop(bytes.drain(at..(at + 1 + below(rng, 20)).min(bytes.len()))),
            _ => drop(bytes.splice(at..at, PIECES[below(rng, PIECES.len())].iter().copied())),
        }
    }
}
