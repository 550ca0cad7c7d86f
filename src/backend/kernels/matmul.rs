//! out (m, n) = x (m, k) · w (+ bias).

use super::strips::{RowMajor, Rows, Transposed};
use super::tile::multiply;
use super::{Slot, bound};
use crate::backend::table::Matmul;

/// Runs the kernel.
pub fn run(p: &Matmul, slots: &mut [Slot<'_>]) {
    let [x, w, bias, out] = bound(slots);
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let x = Rows { values: x.floats(), stride: k };
    let bias = (p.biased != 0).then(|| bias.floats());
    if p.transposed == 0 {
        multiply(x, &RowMajor { rows: Rows { values: w.floats(), stride: n }, n }, [m, k, n], bias, out.floats_mut());
    } else {
        multiply(x, &Transposed { rows: Rows { values: w.floats(), stride: k }, n }, [m, k, n], bias, out.floats_mut());
    }
}
