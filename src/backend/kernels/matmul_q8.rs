//! out (m, n) = x (m, k) · w (+ bias), the weights packed in 8 bits. Bit for bit the product with the unpacked matrix.

use super::packed::Packed;
use super::strips::Rows;
use super::tile::multiply;
use super::{Slot, bound};
use crate::backend::table::MatmulQ8;

/// Runs the kernel.
pub fn run(p: &MatmulQ8, slots: &mut [Slot<'_>]) {
    let [x, codes, scales, bias, out] = bound(slots);
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let w = Packed::<8> {
        codes: codes.words(),
        scales: scales.floats(),
        k,
        n,
        transposed: p.transposed != 0,
        group: p.group as usize,
        channels: p.channels as usize,
    };
    let bias = (p.biased != 0).then(|| bias.floats());
    multiply(Rows { values: x.floats(), stride: k }, &w, [m, k, n], bias, out.floats_mut());
}
