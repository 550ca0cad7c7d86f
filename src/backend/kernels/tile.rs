//! The heart of every product: 4 rows × 8 columns of running sums, kept in registers.
//!
//! Each output is one sum over k in rising order that starts at 0; a block of k that follows another takes up the sums
//! where they stand in `out`. So neither blocking nor the number of rows ever changes a bit.

use super::sums::accumulate;
use crate::backend::lanes::{LANES, Lanes, splat};

/// Columns of a strip.
pub const STRIP: usize = LANES;
/// Rows of a tile: 4 × 8 sums fill 8 of the 16 vector registers, which leaves room for the operands.
pub const ROWS: usize = 4;
/// Steps of k per block: a strip of 256 × 8 takes 8 KiB and stays in the first cache; the rows of x that meet it stay in
/// the second.
const DEPTH: usize = 256;
/// Strips packed at a time: 16 × 32 B of a row of w are read in one go, whole cache lines.
const PANEL: usize = 16;

/// One strip: k × 8 values, row k holds the weights of 8 neighbouring columns.
pub type Strip = [[f32; STRIP]];

/// A matrix of weights (k, n) in whatever form, that can be laid out in strips.
pub trait Weights {
    /// Fills `strips.len() / depth` strips of `depth` rows from row `k`; the first column is `n`. Columns that do not
    /// exist become zeros.
    fn pack(&self, k: usize, depth: usize, n: usize, strips: &mut Strip);
}

/// A row-major matrix to read, `stride` values from row to row.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Its values.
    pub values: &'a [f32],
    /// From one row to the next.
    pub stride: usize,
}

impl<'a> Rows<'a> {
    /// `len` values of row `i` from column `first`.
    #[inline(always)]
    pub fn part(&self, i: usize, first: usize, len: usize) -> &'a [f32] {
        &self.values[i * self.stride + first..][..len]
    }
}

/// out (m, n) = x (m, k) · w (+ bias); rows of `out` lie `n` apart.
pub fn multiply(x: Rows<'_>, w: &impl Weights, [m, k, n]: [usize; 3], bias: Option<&[f32]>, out: &mut [f32]) {
    assert!(out.len() >= m * n && bias.is_none_or(|b| b.len() >= n));
    let mut panel = vec![[0.0; STRIP]; PANEL.min(n.div_ceil(STRIP)) * DEPTH.min(k)];
    let mut first = 0;
    loop {
        let depth = DEPTH.min(k - first);
        let last = first + depth == k;
        for column in (0..n).step_by(PANEL * STRIP) {
            let strips = PANEL.min((n - column).div_ceil(STRIP));
            let panel = &mut panel[..strips * depth];
            w.pack(first, depth, column, panel);
            for s in 0..strips {
                let column = column + s * STRIP;
                let strip = &panel[s * depth..][..depth];
                let bias = bias.filter(|_| last).map(|bias| &bias[column..n.min(column + STRIP)]);
                let block = Block { x, first, strip, column, n, bias };
                let mut row = 0;
                while row + ROWS <= m {
                    block.tile::<ROWS>(row, out);
                    row += ROWS;
                }
                while row < m {
                    block.tile::<1>(row, out);
                    row += 1;
                }
            }
        }
        first += depth;
        if last {
            return;
        }
    }
}

/// What the tiles of one strip and one block of k share.
struct Block<'a> {
    x: Rows<'a>,
    first: usize,
    strip: &'a Strip,
    column: usize,
    n: usize,
    bias: Option<&'a [f32]>,
}

impl Block<'_> {
    #[inline(always)]
    fn tile<const R: usize>(&self, row: usize, out: &mut [f32]) {
        let width = STRIP.min(self.n - self.column);
        let place = |r: usize| (row + r) * self.n + self.column;
        let x = std::array::from_fn(|r| self.x.part(row + r, self.first, self.strip.len()));
        let mut sums = [splat(0.0); R];
        if self.first > 0 {
            for (r, sums) in sums.iter_mut().enumerate() {
                *sums = load(&out[place(r)..][..width]);
            }
        }
        accumulate::<R>(x, self.strip, &mut sums);
        for (r, sums) in sums.iter().enumerate() {
            let sums = self.bias.map_or(*sums, |bias| *sums + load(bias));
            store(sums, &mut out[place(r)..][..width]);
        }
    }
}

/// Up to eight values; zeros beyond.
#[inline(always)]
pub fn load(x: &[f32]) -> Lanes {
    match x.first_chunk::<STRIP>() {
        Some(whole) => Lanes::new(*whole),
        None => crate::backend::lanes::partial(x, 0.0),
    }
}

/// As many lanes as `out` is long.
#[inline(always)]
pub fn store(lanes: Lanes, out: &mut [f32]) {
    match out.first_chunk_mut::<STRIP>() {
        Some(whole) => *whole = lanes.to_array(),
        None => out.copy_from_slice(&lanes.to_array()[..out.len()]),
    }
}

/// f32 weights stored (k, n).
pub struct RowMajor<'a> {
    /// Rows k, n wide at least.
    pub rows: Rows<'a>,
    /// Columns that exist.
    pub n: usize,
}

impl Weights for RowMajor<'_> {
    fn pack(&self, k: usize, depth: usize, n: usize, strips: &mut Strip) {
        let width = (strips.len() / depth.max(1) * STRIP).min(self.n - n);
        for i in 0..depth {
            let row = self.rows.part(k + i, n, width);
            for (s, values) in row.chunks(STRIP).enumerate() {
                strips[s * depth + i] = load(values).to_array();
            }
        }
    }
}

/// f32 weights stored (n, k).
pub struct Transposed<'a> {
    /// Rows n, k wide at least.
    pub rows: Rows<'a>,
    /// Rows that exist.
    pub n: usize,
}

impl Weights for Transposed<'_> {
    fn pack(&self, k: usize, depth: usize, n: usize, strips: &mut Strip) {
        for (s, strip) in strips.chunks_exact_mut(depth.max(1)).enumerate() {
            let first = n + s * STRIP;
            for lane in 0..STRIP {
                if first + lane < self.n {
                    for (to, from) in strip.iter_mut().zip(self.rows.part(first + lane, k, depth)) {
                        to[lane] = *from;
                    }
                } else {
                    strip.iter_mut().for_each(|to| to[lane] = 0.0);
                }
            }
        }
    }
}
