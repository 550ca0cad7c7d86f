//! Every product, cut into tiles of 2 rows × 16 columns whose running sums stay in registers.
//!
//! Each output is one sum over k in rising order that starts at 0; a block of k that follows another takes up the sums
//! where they stand in `out`. So neither blocking nor the number of rows ever changes a bit.

use std::ops::Range;

use super::strips::{Rows, STRIP, Strip, Weights};
use super::sums::{ZERO, accumulate, load, store};

/// Rows of a tile: 2 × 16 sums fill 8 of the 16 vector registers, which leaves room for the operands, and three pointers
/// run along (4 × 8 sums need five, at a tenth of the speed).
pub const ROWS: usize = 2;
/// Steps of k per block: a strip of 256 × 16 takes 16 KiB and stays in the first cache.
const DEPTH: usize = 256;
/// Rows that go through all of w together: one block of k of them, 256 KiB, stays in the second cache while the strips of a
/// panel go by.
const ROW_BLOCK: usize = 256;
/// Strips packed at a time, 128 KiB.
const PANEL: usize = 8;

/// out (m, n) = x (m, k) · w (+ bias); rows of `out` lie `n` apart.
pub fn multiply(x: Rows<'_>, w: &impl Weights, [m, k, n]: [usize; 3], bias: Option<&[f32]>, out: &mut [f32]) {
    assert!(out.len() >= m * n && bias.is_none_or(|b| b.len() >= n));
    let mut panel = vec![[0.0; STRIP]; PANEL.min(n.div_ceil(STRIP)) * DEPTH.min(k)];
    for top in (0..m).step_by(ROW_BLOCK) {
        let rows = top..m.min(top + ROW_BLOCK);
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
                    let bias = bias.filter(|_| last).map(|bias| &bias[column..n.min(column + STRIP)]);
                    Block { x, first, strip, column, n, bias }.rows(rows.clone(), out);
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
    x: Rows<'a>,
    first: usize,
    strip: &'a Strip,
    column: usize,
    n: usize,
    bias: Option<&'a [f32]>,
}

impl Block<'_> {
    fn rows(&self, rows: Range<usize>, out: &mut [f32]) {
        let mut row = rows.start;
        while row + ROWS <= rows.end {
            self.tile::<ROWS>(row, out);
            row += ROWS;
        }
        while row < rows.end {
            self.tile::<1>(row, out);
            row += 1;
        }
    }

    #[inline(always)]
    fn tile<const R: usize>(&self, row: usize, out: &mut [f32]) {
        let width = STRIP.min(self.n - self.column);
        let place = |r: usize| (row + r) * self.n + self.column;
        let x = std::array::from_fn(|r| self.x.part(row + r, self.first, self.strip.len()));
        let mut sums = [ZERO; R];
        if self.first > 0 {
            for (r, sums) in sums.iter_mut().enumerate() {
                *sums = load(&out[place(r)..][..width]);
            }
        }
        accumulate::<R>(x, self.strip, &mut sums);
        for (r, sums) in sums.iter().enumerate() {
            let mut sums = *sums;
            if let Some(bias) = self.bias {
                sums.iter_mut().zip(load(bias)).for_each(|(sums, bias)| *sums += bias);
            }
            store(sums, &mut out[place(r)..][..width]);
        }
    }
}
