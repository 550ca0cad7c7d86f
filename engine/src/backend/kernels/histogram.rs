//! Adds counts of x in equal cells; what lies outside goes to the end cells.

use super::Given;
use crate::backend::declare::*;
use crate::backend::kernels::moments::BLOCK;
use crate::backend::proof::*;
use crate::backend::row::{Launch, Way};

kernel! {
    /// Adds counts of `x` in `bins` equal cells over [low, low + bins/per_unit); what lies outside goes to the end cells.
    Histogram = histogram(f32_in("x"), u32_out("counts")) {
        /// Values in `x`.
        len: u32,
        /// Cells.
        bins: u32,
        /// Lower edge of the first cell.
        low: f32,
        /// Cells per unit of x.
        per_unit: f32,
    } needs |p, room| [area([p.len]), area([p.bins])]
      where p.bins > 0, "`bins` must be at least 1"
      runs [narrow 64; wide 256] by_block(p.len);
    checked vec![Check::of(
        Histogram { len: 500, bins: 16, low: -1.0, per_unit: 8.0 },
        [Values, Zeros],
    )];
}

/// Blocks of values, one to a workgroup, wide or narrow.
fn by_block(values: u32) -> Vec<Launch> {
    let groups = [values.div_ceil(BLOCK), 1, 1];
    vec![Launch::of(vec![Way::of(1, groups), Way::of(0, groups)])]
}

/// Runs the kernel. A NaN counts in the first cell.
pub fn run(p: &Histogram, given: &mut Given<'_>) {
    let [x, counts] = given.bound();
    let counts = &mut counts.words_mut()[..p.bins as usize];
    let last = p.bins - 1;
    for x in &x.floats()[..p.len as usize] {
        // The conversion saturates: below the first cell it is 0.
        let cell = ((x - p.low) * p.per_unit) as u32;
        counts[cell.min(last) as usize] += 1;
    }
}

/// Counted value by value.
pub(super) const PROOF: Proof = Proof {
    // Counts.
    allowed: EXACT,
    breaks: &[(WORKGROUP, "place >= 1.0", "place >= 2.0")],
    cases: || {
        let cells = [(1, -1.0, 1.0), (7, -0.9, 4.0), (256, -1.0, 128.0)];
        Box::new(each(LENGTHS, cells).map(|(_, len, (bins, low, per_unit))| {
            let mut x = Source::new(len as u64).values(len, Kind::Plain);
            x[0] = f32::INFINITY;
            x[len / 2] = f32::NEG_INFINITY;
            x[len - 1] = low + 1.0 / per_unit;
            let mut counts = vec![3; bins];
            let p = Histogram { len: len as u32, bins: bins as u32, low, per_unit };
            let case = Case::new(format!("{len} values in {bins} cells"), p, &[Arg::F(&x), Arg::W(&counts)]);
            for x in &x {
                let cell = ((x - low) * per_unit).floor().clamp(0.0, (bins - 1) as f32);
                counts[cell as usize] += 1;
            }
            case.words(counts)
        }))
    },
};
