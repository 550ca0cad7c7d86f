//! x += y.

use super::Given;
use crate::backend::declare::*;
use crate::backend::proof::*;

kernel! {
    /// x += y.
    Add = add(f32_out("x"), f32_in("y")) {
        /// Values.
        len: u32,
    } needs |p, room| [area([p.len]), area([p.len])]
      runs [narrow 64; wide 256] vec![by_value(p.len as u64)];
    checked vec![Check::of(Add { len: 300 }, [Values, Values])];
}

/// Runs the kernel.
pub fn run(p: &Add, given: &mut Given<'_>) {
    let [x, y] = given.bound();
    let len = p.len as usize;
    for (x, y) in x.floats_mut()[..len].iter_mut().zip(&y.floats()[..len]) {
        *x += y;
    }
}

/// The bits of a plain sum.
pub(super) const PROOF: Proof = Proof {
    // A sum of two rounds in one way.
    allowed: EXACT,
    breaks: &[(WORKGROUP, "x[i] += y[i]", "x[i] -= y[i]")],
    cases: || {
        Box::new(each([0, 1, 3, 17, 256, 257], KINDS).map(|(_, len, kind)| {
            let mut source = Source::new(len as u64);
            let (x, y) = (source.values(len, kind), source.values(len, Kind::Plain));
            let sum = x.iter().zip(&y).map(|(x, y)| x + y).collect();
            Case::of(format!("{len} {kind:?}"), [len], &[Arg::F(&x), Arg::F(&y)]).bits(sum)
        }))
    },
};
