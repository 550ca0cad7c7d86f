//! out (m, n) = x (m, k) · w (+ bias), the weights packed in 4 or 8 bits, or as halves. Bit for bit the product with the unpacked matrix.

use super::Given;
use super::packed::Packed;
use super::strips::Rows;
use super::tile::multiply;
use crate::backend::table::MatmulPacked;

/// Runs the kernel.
pub fn run(p: &MatmulPacked, given: &mut Given<'_>) {
    match p.bits {
        4 => of_width::<4>(p, given),
        16 => of_width::<16>(p, given),
        _ => of_width::<8>(p, given),
    }
}

fn of_width<const BITS: u32>(p: &MatmulPacked, given: &mut Given<'_>) {
    let products = given.products;
    let [x, codes, scales, bias, out] = given.bound();
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let w = Packed::<BITS> {
        codes: codes.words(),
        scales: scales.floats(),
        k,
        n,
        transposed: p.transposed != 0,
        group: p.group as usize,
        channels: p.channels as usize,
    };
    let bias = (p.biased != 0).then(|| bias.floats());
    multiply(products, Rows { values: x.floats(), stride: k }, &w, [m, k, n], bias, out.floats_mut());
}
