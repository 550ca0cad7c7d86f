//! Adds counts of x in equal cells; what lies outside goes to the end cells.

use super::Given;
use crate::backend::table::Histogram;

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
