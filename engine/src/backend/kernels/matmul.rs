//! out (m, n) = x (m, k) · w (+ bias).

use super::Given;
use super::strips::{RowMajor, Rows, Transposed, Weights};
use super::tile::multiply;
use crate::backend::table::Matmul;

/// Runs the kernel.
pub fn run(p: &Matmul, given: &mut Given<'_>) {
    let products = given.products;
    let [x, w, bias, out] = given.bound();
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let x = Rows { values: x.floats(), stride: k };
    let bias = (p.biased != 0).then(|| bias.floats());
    let rows = |stride: usize| Rows { values: w.floats(), stride };
    let laid = w.laid([k, n]);
    let w: &dyn Weights = match &laid {
        Some(laid) => laid,
        None if p.transposed == 0 => &RowMajor { rows: rows(n), n },
        None => &Transposed { rows: rows(k), n },
    };
    multiply(products, x, w, [m, k, n], bias, out.floats_mut());
}
