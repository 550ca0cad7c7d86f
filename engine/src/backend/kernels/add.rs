//! x += y.

use super::Given;
use crate::backend::table::Add;

/// Runs the kernel.
pub fn run(p: &Add, given: &mut Given<'_>) {
    let [x, y] = given.bound();
    let len = p.len as usize;
    for (x, y) in x.floats_mut()[..len].iter_mut().zip(&y.floats()[..len]) {
        *x += y;
    }
}
