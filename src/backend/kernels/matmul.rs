//! out (m, n) = x (m, k) · w (+ bias).

use super::Given;
use super::strips::{RowMajor, Rows, Transposed};
use super::tile::multiply;
use crate::backend::table::Matmul;

/// Runs the kernel.
pub fn run(p: &Matmul, given: &mut Given<'_>) {
    let products = given.products;
    let [x, w, bias, out] = given.bound();
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let x = Rows { values: x.floats(), stride: k };
    let bias = (p.biased != 0).then(|| bias.floats());
    if p.transposed == 0 {
        let w = RowMajor { rows: Rows { values: w.floats(), stride: n }, n };
        multiply(products, x, &w, [m, k, n], bias, out.floats_mut());
    } else {
        let w = Transposed { rows: Rows { values: w.floats(), stride: k }, n };
        multiply(products, x, &w, [m, k, n], bias, out.floats_mut());
    }
}
