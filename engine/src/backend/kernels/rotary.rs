//! Rotary positions, in place: (a, b) of channels c and c + half becomes (a·cos − b·sin, b·cos + a·sin).

use super::Given;
use crate::backend::table::Rotary;

/// Runs the kernel.
pub fn run(p: &Rotary, given: &mut Given<'_>) {
    let [x, positions, turns] = given.bound();
    let [stride, step, first, half] = [p.stride, p.step, p.first, p.half].map(|d| d as usize);
    if stride == 0 {
        return;
    }
    let turns = turns.floats();
    let rows = x.floats_mut()[..p.rows as usize * stride].chunks_exact_mut(stride);
    for (row, &position) in rows.zip(positions.words()).filter(|(_, position)| **position < p.context) {
        let (cosines, sines) = turns[position as usize * 2 * half..][..2 * half].split_at(half);
        for head in 0..p.heads as usize {
            let (low, high) = row[first + head * step..][..2 * half].split_at_mut(half);
            for (((a, b), cos), sin) in low.iter_mut().zip(high).zip(cosines).zip(sines) {
                (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
            }
        }
    }
}
