//! x *= y.

use super::{Slot, bound};
use crate::backend::table::Multiply;

/// Runs the kernel.
pub fn run(p: &Multiply, slots: &mut [Slot<'_>]) {
    let [x, y] = bound(slots);
    let len = p.len as usize;
    for (x, y) in x.floats_mut()[..len].iter_mut().zip(&y.floats()[..len]) {
        *x *= y;
    }
}
