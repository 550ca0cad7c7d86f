//! GELU in its tanh form, in place: x·σ(2u) = x / (1 + e^(−2u)), u = √(2/π)(x + 0.044715x³).

use super::{Slot, bound};
use crate::backend::lanes::{self, Exp, splat};
use crate::backend::table::Gelu;

/// −2√(2/π)
const MINUS_TWO_ROOT: f32 = -1.595_769;
const CUBIC: f32 = 0.044_715;

/// Runs the kernel.
pub fn run(p: &Gelu, slots: &mut [Slot<'_>]) {
    let [x] = bound(slots);
    let exp = Exp::new();
    let [cubic, minus_two_root, one] = std::hint::black_box([CUBIC, MINUS_TWO_ROOT, 1.0]).map(splat);
    lanes::map(&mut x.floats_mut()[..p.len as usize], |x| {
        let inner = x + (cubic * x) * (x * x);
        x / (one + exp.of(inner * minus_two_root))
    });
}
