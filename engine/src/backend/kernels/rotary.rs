//! Rotary positions, in place: (a, b) of channels c and c + half becomes (a·cos − b·sin, b·cos + a·sin).

use super::Given;
use crate::backend::declare::*;
use crate::backend::proof::*;

kernel! {
    /// Rotary positions, in place: channels c and c + half of each head of x are turned by the angle of their row's position.
    /// `turns` (context, 2·half) has the cosines of a position, then the sines. Channels from 2·half on stay as they are.
    Rotary = rotary(f32_out("x"), u32_in("positions"), f32_in("turns")) {
        /// Rows.
        rows: u32,
        /// Heads.
        heads: u32,
        /// Columns of `x`.
        stride: u32,
        /// Columns from one head to the next.
        step: u32,
        /// First column of the first head.
        first: u32,
        /// Pairs of channels that are turned in each head.
        half: u32,
        /// Rows of `turns`; a row of a larger position stays as it is.
        context: u32,
    } needs |p, room| [area([p.rows, p.stride]), area([p.rows]), area([p.context, 2, p.half])]
      where 2 * p.half as u64 <= p.step as u64, "what is turned must lie within one head"
      where reach(p.first, p.heads, p.step, p.half, 2) <= p.stride as u64, "all heads must lie within `stride` columns"
      runs [narrow 64; wide 256] vec![by_value(p.rows as u64 * p.heads as u64 * p.half as u64)];
    checked vec![Check::of(
        Rotary { rows: 9, heads: 2, stride: 20, step: 10, first: 0, half: 4, context: 10 },
        [Values, Below(10), Values],
    )];
}

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

/// Each pair turned in f64.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "a * cosine - b * sine", "a * cosine + b * sine"),
        (WORKGROUP, "head * p.step", "head * 2u * p.half"),
        (WORKGROUP, "position >= p.context", "position > p.context"),
    ],
    cases: || {
        Box::new(each(TURNED, KINDS).map(|(i, [rows, heads, half, other, first], kind)| {
            let (step, context) = (2 * half + other, 11);
            let stride = first + heads * step + i % 3;
            let mut source = Source::new(i as u64 * 8 + kind as u64);
            let (x, turns) = (source.values(rows * stride, kind), source.values(context * 2 * half, Kind::Plain));
            let positions: Vec<u32> = (0..rows).map(|_| source.word() % (context as u32 + 1)).collect();
            let params = [rows, heads, stride, step, first, half, context];
            let name = format!("{rows} rows, {heads}×{half} {kind:?}");
            let case = Case::of(name, params, &[Arg::F(&x), Arg::W(&positions), Arg::F(&turns)]);
            let mut truth: Vec<f64> = x.iter().map(|x| wide(*x)).collect();
            let mut tolerance = vec![0.0; x.len()];
            for (row, &position) in positions.iter().enumerate().filter(|(_, position)| (**position as usize) < context)
            {
                for (head, c) in (0..heads).flat_map(|head| (0..half).map(move |c| (head, c))) {
                    let at = row * stride + first + head * step + c;
                    let (a, b) = (wide(x[at]), wide(x[at + half]));
                    let line = position as usize * 2 * half;
                    let (cos, sin) = (wide(turns[line + c]), wide(turns[line + half + c]));
                    (truth[at], truth[at + half]) = (a * cos - b * sin, b * cos + a * sin);
                    let size = (a * cos).abs() + (b * sin).abs();
                    let other = (b * cos).abs() + (a * sin).abs();
                    (tolerance[at], tolerance[at + half]) = (2.0 * U * size + 1e-40, 2.0 * U * other + 1e-40);
                }
            }
            case.near((truth, tolerance))
        }))
    },
};

/// Rows, heads, pairs that are turned, other channels of a head, first column.
const TURNED: [[usize; 5]; 12] = [
    [1, 1, 1, 0, 0],
    [3, 1, 2, 0, 0],
    [5, 2, 4, 0, 0],
    [7, 3, 3, 2, 1],
    [2, 4, 8, 16, 0],
    [9, 1, 5, 1, 4],
    [33, 2, 16, 0, 64],
    [4, 12, 32, 0, 0],
    [257, 1, 3, 3, 3],
    [6, 2, 1, 7, 0],
    [0, 2, 4, 0, 0],
    [17, 5, 7, 0, 2],
];
