//! Softmax attention over packed sequences: row i of the queries sees the keys `starts[i]..ends[i]`; a range of none gives zeros.
//!
//! Rows with the same start run together. Keys and values of a head are packed once per run, relative to the start, and
//! scores exist for a tile of rows at a time, so a sequence gives the same bits wherever it lies in the batch.

use std::ops::Range;

use super::strips::{Pack, RowMajor, Rows, STRIP, Strip, Transposed};
use super::sums::{accumulate, load};
use super::tile::{Exact, Part, ROWS, Tiling, side_by_side};
use super::{Given, Products};
use crate::backend::declare::*;
use crate::backend::lanes::{self, Exp, LANES, Lanes, splat};
use crate::backend::row::Launch;
use crate::backend::shaders::Shader;

pub mod oracle;

pub(super) use oracle::PROOF;

const ATTENTION_ROWS: u32 = Shader::of("attention").constant("ATTENTION_ROWS");
const ATTENTION_CHANNELS: u32 = Shader::of("attention").constant("ATTENTION_CHANNELS");

kernel! {
    /// Softmax attention over packed sequences: row i of the queries sees the keys `starts[i]..ends[i]` (none: zeros). Head h of
    /// the queries lies at h·step of their row and reads head h/group of keys and values, at key_at and value_at + h/group·
    /// key_step of theirs. `bias` (span, heads) is added to the scores by distance: key j and query i meet in line
    /// j − i + span/2, or in the nearest there is. out is (rows, heads·head).
    Attention = attention(
        f32_in("queries"), f32_in("keys"), f32_in("values"), u32_in("starts"), u32_in("ends"), f32_in("bias"), f32_out("out")
    ) {
        /// Rows of queries.
        rows: u32,
        /// Rows of keys and of values; what `ends` names beyond them is not there.
        key_rows: u32,
        /// Heads of the queries.
        heads: u32,
        /// Channels of one head.
        head: u32,
        /// Heads of the queries that share a head of keys and values.
        group: u32,
        /// Columns of `queries`.
        stride: u32,
        /// Columns from one head of the queries to the next.
        step: u32,
        /// Columns of `keys` and of `values`.
        key_stride: u32,
        /// Columns from one of their heads to the next.
        key_step: u32,
        /// First column of the keys.
        key_at: u32,
        /// First column of the values.
        value_at: u32,
        /// Rows of `bias`; 0: there is none, and `bias` may be any buffer.
        span: u32,
        /// Multiplies q·k, before the bias is added.
        scale: f32,
    } needs |p, room| [
        area([p.rows, p.stride]), area([p.key_rows, p.key_stride]), area([p.key_rows, p.key_stride]), area([p.rows]),
        area([p.rows]), area([p.span, p.heads]), area([p.rows, p.heads, p.head])
    ]
      where p.group > 0 && p.heads.is_multiple_of(p.group), "`heads` must be a multiple of `group`"
      where reach(0, p.heads, p.step, p.head, 1) <= p.stride as u64, "all heads must lie within `stride` columns"
      where reach(p.key_at.max(p.value_at), p.heads / p.group, p.key_step, p.head, 1) <= p.key_stride as u64,
      "keys and values of all heads must lie within `key_stride` columns"
      runs [main 64] vec![Launch {
          constants: vec![("EVEN", u32::from(
              (p.stride | p.step | p.key_stride | p.key_step | p.key_at | p.value_at | p.head).is_multiple_of(4)
          ))],
          ..grid([p.rows.div_ceil(ATTENTION_ROWS), p.heads, p.head.div_ceil(ATTENTION_CHANNELS)]).remove(0)
      }];
    checked [(1, 0), (2, 9)]
        .map(|(group, span)| {
            let p = Attention {
                rows: 70,
                key_rows: 80,
                heads: 2,
                head: 8,
                group,
                stride: 16,
                step: 8,
                key_stride: 32,
                key_step: 8,
                key_at: 0,
                value_at: 16,
                span,
                scale: 0.35,
            };
            let seen = [Below(20), Below(80)];
            Check::of(p, [Values, Values, Values, seen[0], seen[1], Values, Zeros])
        })
        .into();
}

/// Runs the kernel.
pub fn run(p: &Attention, given: &mut Given<'_>) {
    match given.products {
        Products::Exact => run_by::<ROWS>(Exact, p, given),
        Products::Fused(fused) => run_by(fused, p, given),
    }
}

fn run_by<const R: usize>(tiling: impl Tiling<R>, p: &Attention, given: &mut Given<'_>) {
    let [queries, keys, values, starts, ends, bias, out] = given.bound();
    let (rows, width) = (p.rows as usize, p.heads as usize * p.head as usize);
    let (starts, ends) = (&starts.words()[..rows], &ends.words()[..rows]);
    let sees = |row: usize| starts[row] < ends[row].min(p.key_rows);
    let mut first = 0;
    while first < rows {
        let same = |row: &usize| sees(*row) == sees(first) && (starts[*row] == starts[first] || !sees(first));
        let end = first + (first..rows).take_while(same).count();
        if sees(first) {
            let run = Run {
                p,
                queries: queries.floats(),
                keys: keys.floats(),
                values: values.floats(),
                bias: bias.floats(),
                start: starts[first] as usize,
                ends,
                rows: first..end,
            };
            run.attend(tiling, out.floats_mut());
        } else {
            out.floats_mut()[first * width..end * width].fill(0.0);
        }
        first = end;
    }
}

/// Rows that share a start, and see something.
struct Run<'a> {
    p: &'a Attention,
    queries: &'a [f32],
    keys: &'a [f32],
    values: &'a [f32],
    bias: &'a [f32],
    start: usize,
    ends: &'a [u32],
    rows: Range<usize>,
}

/// One head's keys (head, count) and values (count, head) in strips, and room for the scores of a tile.
struct Head {
    number: usize,
    /// Keys that any row of the run sees.
    count: usize,
    keys: Vec<[f32; STRIP]>,
    values: Vec<[f32; STRIP]>,
    /// By distance.
    bias: Vec<f32>,
    scores: Vec<f32>,
    /// What the tile multiplies: its queries, then its weights.
    x: Vec<f32>,
    exp: Exp,
}

impl Run<'_> {
    /// Keys that a row sees.
    fn seen(&self, row: usize) -> usize {
        self.ends[row].min(self.p.key_rows) as usize - self.start
    }

    /// Keys or values from the first that is seen, from a column on.
    fn from<'a>(&self, values: &'a [f32], column: usize) -> Rows<'a> {
        let stride = self.p.key_stride as usize;
        Rows { values: &values[self.start * stride + column..], stride }
    }

    fn attend<const R: usize>(&self, tiling: impl Tiling<R>, out: &mut [f32]) {
        let (p, width) = (self.p, self.p.head as usize);
        let count = self.rows.clone().map(|row| self.seen(row)).max().unwrap_or(0);
        let mut head = Head {
            number: 0,
            count,
            keys: vec![[0.0; STRIP]; count.div_ceil(STRIP) * width],
            values: vec![[0.0; STRIP]; width.div_ceil(STRIP) * count],
            bias: Vec::new(),
            scores: vec![0.0; R * count.next_multiple_of(STRIP)],
            x: vec![0.0; R * count.max(width)],
            exp: Exp::new(),
        };
        for number in 0..p.heads as usize {
            head.number = number;
            if number.is_multiple_of(p.group as usize) {
                let column = number / p.group as usize * p.key_step as usize;
                let keys = self.from(self.keys, p.key_at as usize + column);
                let values = self.from(self.values, p.value_at as usize + column);
                Transposed { rows: keys, n: count }.pack(0, width, 0, &mut head.keys);
                RowMajor { rows: values, n: width }.pack(0, count, 0, &mut head.values);
            }
            let lines = self.bias.iter().skip(number).step_by(p.heads as usize);
            head.bias = lines.take(p.span as usize).copied().collect();
            for row in self.rows.clone().step_by(R) {
                self.tile(tiling, row, &mut head, out);
            }
        }
    }

    /// `R` rows of one head from `first` on; where there are fewer, the last stands for those that are missing.
    fn tile<const R: usize>(&self, tiling: impl Tiling<R>, first: usize, head: &mut Head, out: &mut [f32]) {
        let Head { number, count, keys, values, bias, scores, x, exp } = head;
        let width = self.p.head as usize;
        let rows: [usize; R] = std::array::from_fn(|r| (first + r).min(self.rows.end - 1));
        // Keys that all of these rows see come first; then those that each has beyond them.
        let seen = rows.map(|row| self.seen(row));
        let common = seen.into_iter().fold(usize::MAX, usize::min);
        let padded = seen.into_iter().fold(0, usize::max).next_multiple_of(STRIP);
        let queries = Rows { values: self.queries, stride: self.p.stride as usize };
        let column = *number * self.p.step as usize;
        let turned = x.as_chunks_mut::<R>().0;
        side_by_side(rows.map(|row| queries.part(row, column, width)), &mut turned[..width]);
        for (s, strip) in keys.chunks_exact(width.max(1)).take(padded / STRIP).enumerate() {
            tiling.add(&alone(x, strip), &mut scores[s * STRIP..], padded);
        }
        for scores in scores[..R * padded].as_chunks_mut::<LANES>().0 {
            *scores = (Lanes::new(*scores) * splat(self.p.scale)).to_array();
        }
        if !bias.is_empty() {
            for ((row, seen), scores) in rows.into_iter().zip(seen).zip(scores.chunks_exact_mut(padded)) {
                self.add_bias(row, bias, &mut scores[..seen]);
            }
        }
        let totals: [f32; R] = std::array::from_fn(|r| softmax(&mut scores[r * padded..][..padded], seen[r], exp));
        let weights: [&[f32]; R] = std::array::from_fn(|r| &scores[r * padded..][..padded]);
        side_by_side(weights, &mut x.as_chunks_mut::<R>().0[..common]);
        let stride = self.p.heads as usize * width;
        let rows = R.min(self.rows.end - first);
        for (s, strip) in values.chunks_exact(*count).enumerate() {
            let mut sums = [[0.0; STRIP]; R];
            tiling.add(&alone(x, &strip[..common]), sums.as_flattened_mut(), STRIP);
            for (r, sums) in sums[..rows].iter().enumerate() {
                // Never a key that this row does not see, not even with a weight of 0.
                let (mut own, beyond) = ([load(sums)], common..seen[r]);
                accumulate::<1>(weights[r][beyond.clone()].as_chunks().0, &strip[beyond], &mut own);
                let column = *number * width + s * STRIP;
                let mean = own[0] / splat(totals[r]);
                let mean = mean.to_array();
                let out = &mut out[(first + r) * stride + column..][..STRIP.min(width - s * STRIP)];
                out.copy_from_slice(&mean[..out.len()]);
            }
        }
    }

    /// Adds to each score what belongs to the distance of its key from the row.
    fn add_bias(&self, row: usize, bias: &[f32], scores: &mut [f32]) {
        let (first, last) = ((self.start + bias.len() / 2) as i64 - row as i64, bias.len() as i64 - 1);
        for (line, score) in (first..).zip(scores) {
            *score += bias[line.clamp(0, last) as usize];
        }
    }
}

/// One tile and one strip, all of its k.
fn alone<'a, const R: usize>(x: &'a [f32], strip: &'a Strip) -> Part<'a, R> {
    Part { x: &x.as_chunks().0[..strip.len()], strip, tiles: 1, rows: R, next: None, first: true, bias: None }
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
