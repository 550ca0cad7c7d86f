//! out (rows, width) = scale·tokens[ids] + places[positions].

use super::Given;
use crate::backend::table::Embed;

/// Runs the kernel.
pub fn run(p: &Embed, given: &mut Given<'_>) {
    let [ids, positions, tokens, places, out] = given.bound();
    let width = p.width as usize;
    if width == 0 {
        return;
    }
    let (tokens, places) = (tokens.floats(), places.floats());
    let rows = out.floats_mut()[..p.rows as usize * width].chunks_exact_mut(width);
    for ((row, &id), &position) in rows.zip(ids.words()).zip(positions.words()) {
        if id >= p.vocab || (position >= p.context && p.context > 0) {
            row.fill(0.0);
            continue;
        }
        let token = &tokens[id as usize * width..][..width];
        if p.context == 0 {
            row.iter_mut().zip(token).for_each(|(out, t)| *out = p.scale * t);
            continue;
        }
        let place = &places[position as usize * width..][..width];
        for ((out, t), place) in row.iter_mut().zip(token).zip(place) {
            *out = p.scale * t + place;
        }
    }
}
