//! Euclidean norm of each row.

use super::Given;
use crate::backend::declare::*;
use crate::backend::lanes::{self, splat};
use crate::backend::proof::*;

kernel! {
    /// Euclidean norm of each row.
    Norms = norms(f32_in("x"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
    } needs |p, room| [area([p.rows, p.width]), area([p.rows])]
      runs [main 64] grid(folded(p.rows as u64, BY_ROWS));
    checked vec![Check::of(Norms { rows: 9, width: 40 }, [Values, Zeros])];
}

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

/// Squares summed in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[(WORKGROUP, "sqrt(sum)", "sum")],
    cases: || {
        Box::new(each(SHAPES, KINDS).map(|(i, [rows, width], kind)| {
            let x = Source::new(i as u64 * 8 + kind as u64).values(rows * width, kind);
            let case = Case::of(format!("{rows}×{width} {kind:?}"), [rows, width], &[Arg::F(&x), Arg::Out(rows)]);
            let truth: Vec<f64> =
                x.chunks(width).map(|row| row.iter().map(|x| wide(*x) * wide(*x)).sum::<f64>().sqrt()).collect();
            // A square below the smallest f32 is lost: up to √(width·2⁻¹⁴⁹).
            let lost = (width as f64 * wide(f32::from_bits(1))).sqrt();
            let tolerance = truth.iter().map(|t| U * (width.div_ceil(8) + 6) as f64 * t + lost).collect();
            case.near((truth, tolerance))
        }))
    },
};
