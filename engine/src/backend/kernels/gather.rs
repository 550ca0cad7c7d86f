//! out (rows, width) = columns first.. of the rows of x that are named; zeros for one that does not exist.

use super::Given;
use crate::backend::table::Gather;

/// Runs the kernel.
pub fn run(p: &Gather, given: &mut Given<'_>) {
    let [x, rows, out] = given.bound();
    let [width, stride, first] = [p.width, p.stride, p.first].map(|d| d as usize);
    if width == 0 {
        return;
    }
    let x = x.floats();
    let out = out.floats_mut()[..p.rows as usize * width].chunks_exact_mut(width);
    for (out, &row) in out.zip(rows.words()) {
        match row < p.count {
            true => out.copy_from_slice(&x[row as usize * stride + first..][..width]),
            false => out.fill(0.0),
        }
    }
}
