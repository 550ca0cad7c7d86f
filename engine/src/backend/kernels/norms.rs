//! Euclidean norm of each row.

use super::Given;
use crate::backend::lanes::{self, splat};
use crate::backend::table::Norms;

/// Runs the kernel.
pub fn run(p: &Norms, given: &mut Given<'_>) {
    let [x, out] = given.bound();
    let width = p.width as usize;
    let x = x.floats();
    for (row, out) in out.floats_mut()[..p.rows as usize].iter_mut().enumerate() {
        let mut squares = splat(0.0);
        lanes::each(&x[row * width..][..width], 0.0, |x| squares += x * x);
        *out = lanes::sum(squares).sqrt();
    }
}
