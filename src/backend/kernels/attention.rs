//! Causal attention over packed sequences: row i attends to rows starts[i]..=i; a start beyond i gives zeros.
//!
//! Rows with the same start run together. Keys and values of a head are packed once per run, relative to the start, and
//! scores exist for four rows at a time, so a sequence gives the same bits wherever it lies in the batch.

use super::strips::{RowMajor, Rows, STRIP, Transposed, Weights};
use super::sums::{ZERO, accumulate, store};
use super::tile::ROWS;
use super::{Slot, bound};
use crate::backend::lanes::{self, Exp, LANES, Lanes, splat};
use crate::backend::table::Attention;

/// Runs the kernel.
pub fn run(p: &Attention, slots: &mut [Slot<'_>]) {
    let [qkv, starts, out] = bound(slots);
    let rows = p.rows as usize;
    let starts = &starts.words()[..rows];
    let mut first = 0;
    while first < rows {
        let start = starts[first] as usize;
        let same = starts[first..].iter().take_while(|s| **s as usize == start).count();
        // Rows before their own start see nothing.
        let blind = same.min(start.saturating_sub(first));
        let width = p.heads as usize * p.head as usize;
        out.floats_mut()[first * width..][..blind * width].fill(0.0);
        if blind < same {
            let run = Run { p, qkv: qkv.floats(), start, rows: first + blind..first + same };
            run.attend(out.floats_mut());
        }
        first += same;
    }
}

/// Rows that share a start.
struct Run<'a> {
    p: &'a Attention,
    qkv: &'a [f32],
    start: usize,
    rows: std::ops::Range<usize>,
}

/// One head's keys (head, count) and values (count, head) in strips, and room for the scores of a tile.
struct Head {
    number: usize,
    keys: Vec<[f32; STRIP]>,
    values: Vec<[f32; STRIP]>,
    scores: Vec<f32>,
    /// What the tile multiplies: its queries, then its weights.
    x: Vec<f32>,
    exp: Exp,
}

impl Run<'_> {
    fn attend(&self, out: &mut [f32]) {
        let width = self.p.head as usize;
        let count = self.rows.end - self.start;
        let mut head = Head {
            number: 0,
            keys: vec![[0.0; STRIP]; count.div_ceil(STRIP) * width],
            values: vec![[0.0; STRIP]; width.div_ceil(STRIP) * count],
            scores: vec![0.0; ROWS * count.next_multiple_of(STRIP)],
            x: vec![0.0; ROWS * count.max(width)],
            exp: Exp::new(),
        };
        for number in 0..self.p.heads as usize {
            let from = |column: u32| Rows {
                values: &self.qkv[self.start * self.p.stride as usize + column as usize + number * width..],
                stride: self.p.stride as usize,
            };
            head.number = number;
            Transposed { rows: from(self.p.keys), n: count }.pack(0, width, 0, &mut head.keys);
            RowMajor { rows: from(self.p.values), n: width }.pack(0, count, 0, &mut head.values);
            let mut row = self.rows.start;
            while row + ROWS <= self.rows.end {
                self.tile::<ROWS>(row, &mut head, out);
                row += ROWS;
            }
            while row < self.rows.end {
                self.tile::<1>(row, &mut head, out);
                row += 1;
            }
        }
    }

    /// `R` rows of one head.
    fn tile<const R: usize>(&self, row: usize, head: &mut Head, out: &mut [f32]) {
        let Head { number, keys, values, scores, x, exp } = head;
        let width = self.p.head as usize;
        let count = self.rows.end - self.start;
        // Keys that the first of these rows sees; each further row sees one more.
        let seen = row - self.start + 1;
        let padded = (seen + R - 1).next_multiple_of(STRIP);
        let queries = Rows { values: self.qkv, stride: self.p.stride as usize };
        let queries: [&[f32]; R] = std::array::from_fn(|r| queries.part(row + r, *number * width, width));
        side_by_side(queries, x);
        for (s, strip) in keys.chunks_exact(width.max(1)).take(padded / STRIP).enumerate() {
            let mut sums = [ZERO; R];
            accumulate(x.as_chunks().0, strip, &mut sums);
            for (r, sums) in sums.iter().enumerate() {
                store(*sums * splat(self.p.scale), &mut scores[r * padded + s * STRIP..][..STRIP]);
            }
        }
        let totals: [f32; R] = std::array::from_fn(|r| softmax(&mut scores[r * padded..][..padded], seen + r, exp));
        let weights: [&[f32]; R] = std::array::from_fn(|r| &scores[r * padded..][..padded]);
        side_by_side(weights.map(|w| &w[..seen]), x);
        let stride = self.p.heads as usize * width;
        for (s, strip) in values.chunks_exact(count).enumerate() {
            let mut sums = [ZERO; R];
            accumulate(x.as_chunks().0, &strip[..seen], &mut sums);
            for (r, sums) in sums.iter().enumerate() {
                // The keys that only this row sees; never one after it, not even with a weight of 0.
                let mut own = [*sums];
                accumulate::<1>(weights[r][seen..seen + r].as_chunks().0, &strip[seen..seen + r], &mut own);
                let column = *number * width + s * STRIP;
                let mean = own[0] / splat(totals[r]);
                let mean = mean.to_array();
                let out = &mut out[(row + r) * stride + column..][..STRIP.min(width - s * STRIP)];
                out.copy_from_slice(&mean[..out.len()]);
            }
        }
    }
}

/// Rows turned so that their values at one column stand side by side, as a tile reads them.
fn side_by_side<const R: usize>(rows: [&[f32]; R], to: &mut [f32]) {
    for (r, row) in rows.iter().enumerate() {
        for (to, from) in to.as_chunks_mut::<R>().0.iter_mut().zip(*row) {
            to[r] = *from;
        }
    }
}

/// scores[j] becomes exp(scores[j] − greatest) for j < seen and 0 beyond; returns their sum.
fn softmax(scores: &mut [f32], seen: usize, exp: &Exp) -> f32 {
    scores[seen..].fill(f32::NEG_INFINITY);
    let (scores, _) = scores.as_chunks_mut::<LANES>();
    let mut most = splat(f32::NEG_INFINITY);
    for scores in scores.iter() {
        most = lanes::max(most, Lanes::new(*scores));
    }
    let greatest = splat(lanes::greatest(most));
    let mut total = splat(0.0);
    for scores in scores {
        let weights = exp.of(Lanes::new(*scores) - greatest);
        total += weights;
        *scores = weights.to_array();
    }
    lanes::sum(total)
}
