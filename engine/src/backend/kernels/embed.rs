//! out (rows, width) = `scale·tokens[ids] + places[positions]`.

use super::Given;
use crate::backend::table::Embed;

/// Runs the kernel.
pub fn run(p: &Embed, given: &mut Given<'_>) {
    let [ids, positions, tokens, places, out] = given.bound();
    let width = p.width as usize;
    if width == 0 {
        return;
    }
    let laid = tokens.laid([width, p.vocab as usize]);
    let places = places.floats();
    let mut gathered = vec![0.0; width];
    let rows = out.floats_mut()[..p.rows as usize * width].chunks_exact_mut(width);
    for ((row, &id), &position) in rows.zip(ids.words()).zip(positions.words()) {
        if id >= p.vocab || (position >= p.context && p.context > 0) {
            row.fill(0.0);
            continue;
        }
        let token = match laid {
            Some(laid) => {
                gathered.iter_mut().zip(laid.column(id as usize)).for_each(|(to, from)| *to = from);
                &gathered[..]
            }
            None => &tokens.floats()[id as usize * width..][..width],
        };
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
