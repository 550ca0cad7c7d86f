//! out (rows, width) = `scale·tokens[ids] + places[positions]`.

use super::Given;
use crate::backend::declare::*;
use crate::backend::proof::*;
use crate::backend::row::Launch;
use crate::backend::windows::Lines;

kernel! {
    /// out (rows, width) = `scale·tokens[ids] + places[positions]`.
    Embed = embed(u32_in("ids"), u32_in("positions"), f32_in("tokens"), f32_in("places"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Rows of `tokens`; a larger id gives zeros.
        vocab: u32,
        /// Rows of `places`; a larger position gives zeros. 0: nothing is added, and `places` may be any buffer.
        context: u32,
        /// Multiplies tokens.
        scale: f32,
    } needs |p, room| [
        area([p.rows]), area([p.rows]), area([p.vocab, p.width]), area([p.context, p.width]), area([p.rows, p.width])
    ]
      runs [narrow 64; wide 256] embedding(p.rows, p.width, p.vocab, room);
    checked vec![Check::of(
        Embed { rows: 9, width: 12, vocab: 20, context: 10, scale: 2.0 },
        [Below(20), Below(10), Values, Values, Zeros],
    )];
}

/// Every row of the result for each window of the table of tokens; a window fills the rows whose tokens it has.
fn embedding(rows: u32, width: u32, vocab: u32, room: usize) -> Vec<Launch> {
    let launch = by_value(u64::from(rows) * u64::from(width));
    let windows = Lines { count: vocab, width, bits: 32, step: 1 }.windows(2, room);
    windows.into_iter().map(|window| Launch { window: Some(window), ..launch.clone() }).collect()
}

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

/// Rows looked up one by one.
pub(super) const PROOF: Proof = Proof {
    // Copies, and one sum.
    allowed: EXACT,
    breaks: &[(WORKGROUP, "position < p.context", "position <= p.context"), (WORKGROUP, "p.scale * tokens", "tokens")],
    cases: || {
        Box::new(SHAPES.into_iter().enumerate().map(|(i, [rows, width])| {
            // Without places every third time; powers of two, so that nothing is rounded but the sum.
            let (vocab, context, scale) = (19, if i % 3 == 2 { 0 } else { 11 }, [1.0, 4.0][i % 2]);
            let mut source = Source::new(rows as u64);
            let (tokens, places) =
                (source.values(vocab * width, Kind::Plain), source.values(context * width, Kind::Plain));
            let ids: Vec<u32> = (0..rows).map(|_| source.word() % (vocab as u32 + 2)).collect();
            let positions: Vec<u32> = (0..rows).map(|_| source.word() % (context as u32 + 1)).collect();
            let p =
                Embed { rows: rows as u32, width: width as u32, vocab: vocab as u32, context: context as u32, scale };
            let args = [Arg::W(&ids), Arg::W(&positions), Arg::F(&tokens), Arg::F(&places), Arg::Out(rows * width)];
            let case = Case::new(format!("{rows}×{width}"), p, &args);
            let mut truth = Vec::new();
            for (id, position) in ids.iter().zip(&positions) {
                for c in 0..width {
                    let known = (*id as usize) < vocab && ((*position as usize) < context || context == 0);
                    let place = places.get(*position as usize * width + c).copied();
                    truth.push(match known {
                        true if context == 0 => scale * tokens[*id as usize * width + c],
                        true => scale * tokens[*id as usize * width + c] + place.unwrap(),
                        false => 0.0,
                    });
                }
            }
            case.bits(truth)
        }))
    },
};
