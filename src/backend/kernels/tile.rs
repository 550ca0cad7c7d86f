//! Every product, cut into tiles of 4 rows × 8 columns whose running sums stay in registers.
//!
//! Each output is one sum over k in rising order that starts at 0; a block of k that follows another takes up the sums
//! where they stand in `out`. So neither blocking nor the number of rows ever changes a bit.

use std::ops::Range;

use super::strips::{Rows, STRIP, Strip, Weights};
use super::sums::{ZERO, accumulate, load, padded, store};
use crate::backend::lanes::Lanes;

/// Rows of a tile: 4 × 8 sums fill 8 of the 15 vector registers that a browser gives, which leaves room for the operands
/// (with 5 × 8 the sums spill, at half the speed).
pub const ROWS: usize = 4;
/// Steps of k per block: a strip of 384 × 8 takes 12 KiB and stays in the first cache.
const DEPTH: usize = 384;
/// Rows that go through all of w together: one block of k of them takes 384 KiB and comes from the second cache while the
/// strips of a panel go by.
const ROW_BLOCK: usize = 256;
/// Strips packed at a time, 192 KiB.
const PANEL: usize = 16;

/// out (m, n) = x (m, k) · w (+ bias); rows of `out` lie `n` apart.
pub fn multiply(x: Rows<'_>, w: &impl Weights, [m, k, n]: [usize; 3], bias: Option<&[f32]>, out: &mut [f32]) {
    for top in (0..m).step_by(ROW_BLOCK) {
        let x = Rows { values: &x.values[top * x.stride..], stride: x.stride };
        let tiles = Tiles::new(x, ROW_BLOCK.min(m - top), k);
        tiles.times(w, n, bias, &mut out[top * n..]);
    }
}

/// A block of rows of x in the order the tiles read it: block of k by block of k, tile by tile, the values of a tile's rows
/// at one k side by side. One stream of memory instead of one for each row.
pub struct Tiles {
    values: Vec<[f32; ROWS]>,
    rows: usize,
    k: usize,
}

impl Tiles {
    /// The first `rows` rows, `k` wide; rows that a last tile lacks are zeros.
    pub fn new(x: Rows<'_>, rows: usize, k: usize) -> Tiles {
        let tiles = rows.div_ceil(ROWS);
        let mut values = vec![[0.0; ROWS]; tiles * k];
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            let block = &mut values[first * tiles..][..depth * tiles];
            for row in 0..rows {
                let to = &mut block[row / ROWS * depth..][..depth];
                let from = x.part(row, first, depth);
                for (to, from) in to.iter_mut().zip(from) {
                    to[row % ROWS] = *from;
                }
            }
        }
        Tiles { values, rows, k }
    }

    /// Tile number `tile`, `depth` steps of k from `first`.
    #[inline(always)]
    fn part(&self, tile: usize, first: usize, depth: usize) -> &[[f32; ROWS]] {
        let tiles = self.rows.div_ceil(ROWS);
        &self.values[(first * tiles + tile * depth)..][..depth]
    }

    /// out = these rows · w (+ bias); rows of `out` lie `n` apart.
    pub fn times(&self, w: &impl Weights, n: usize, bias: Option<&[f32]>, out: &mut [f32]) {
        let k = self.k;
        assert!(out.len() >= self.rows * n && bias.is_none_or(|b| b.len() >= n));
        let mut panel = vec![[0.0; STRIP]; PANEL.min(n.div_ceil(STRIP)) * DEPTH.min(k)];
        // A panel of columns from the first block of k to the last, so that its sums stay in the second cache.
        for column in (0..n).step_by(PANEL * STRIP) {
            let strips = PANEL.min((n - column).div_ceil(STRIP));
            let mut first = 0;
            loop {
                let depth = DEPTH.min(k - first);
                let last = first + depth == k;
                let panel = &mut panel[..strips * depth];
                w.pack(first, depth, column, panel);
                for s in 0..strips {
                    let column = column + s * STRIP;
                    let strip = &panel[s * depth..][..depth];
                    let bias = bias.filter(|_| last).map(|bias| padded(&bias[column..n.min(column + STRIP)]));
                    Block { x: self, first, strip, column, n, bias }.tiles(out);
                }
                first += depth;
                if last {
                    break;
                }
            }
        }
    }
}

/// What the tiles of one strip and one block of k share.
struct Block<'a> {
    x: &'a Tiles,
    first: usize,
    strip: &'a Strip,
    column: usize,
    n: usize,
    bias: Option<Lanes>,
}

impl Block<'_> {
    fn tiles(&self, out: &mut [f32]) {
        let width = STRIP.min(self.n - self.column);
        let whole = if width == STRIP { self.x.rows / ROWS } else { 0 };
        for tile in 0..whole {
            self.tile(tile, &mut out[tile * ROWS * self.n + self.column..], self.n);
        }
        // Tiles that stick out are worked on in a place of their own.
        for tile in whole..self.x.rows.div_ceil(ROWS) {
            let mut aside = [[0.0; STRIP]; ROWS];
            let rows = || out_rows(tile * ROWS..self.x.rows.min((tile + 1) * ROWS), self.n, self.column, width);
            for (aside, place) in aside.iter_mut().zip(rows()) {
                aside[..width].copy_from_slice(&out[place]);
            }
            self.tile(tile, aside.as_flattened_mut(), STRIP);
            for (aside, place) in aside.iter().zip(rows()) {
                out[place].copy_from_slice(&aside[..width]);
            }
        }
    }

    /// One tile whose rows lie `stride` apart in `out`.
    #[inline(always)]
    fn tile(&self, tile: usize, out: &mut [f32], stride: usize) {
        let mut sums = [ZERO; ROWS];
        if self.first > 0 {
            sums = std::array::from_fn(|r| load(&out[r * stride..]));
        }
        accumulate(self.x.part(tile, self.first, self.strip.len()), self.strip, &mut sums);
        if let Some(bias) = self.bias {
            sums = sums.map(|sums| sums + bias);
        }
        for (r, sums) in sums.into_iter().enumerate() {
            store(sums, &mut out[r * stride..]);
        }
    }
}

/// Where `width` columns from `column` of some rows lie in a matrix of `n` columns.
fn out_rows(rows: Range<usize>, n: usize, column: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    rows.map(move |row| row * n + column..row * n + column + width)
}
