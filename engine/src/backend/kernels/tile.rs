//! Every product, cut into tiles of a few rows × 8 columns whose running sums stay in registers.
//!
//! Each output is one sum over k in rising order that starts at 0; a block of k that follows another takes up the sums
//! where they stand in `out`. So neither blocking nor the number of rows ever changes a bit.

use std::ops::Range;

use super::Products;
use super::strips::{DEPTH, Rows, STRIP, Strip, Weights, blocks};
use super::sums::{ZERO, accumulate, load, padded, store};
use crate::backend::lanes::Lanes;

/// Rows of an exact tile: 4 × 8 sums fill 8 of the 15 vector registers that a browser gives, which leaves room for the
/// operands (with 5 × 8 the sums spill, at half the speed).
pub const ROWS: usize = 4;
/// Rows that go through all of w together: one block of k of them takes 192 KiB and comes from the second cache while the
/// strips of a panel go by.
const ROW_BLOCK: usize = 256;
/// Strips read at a time, 192 KiB of a block of k. Of a row of w that is packed they are 1 KiB side by side: less would be read
/// slowly.
const PANEL: usize = 32;
/// So much of x stays in the second cache (1 to 2 MiB) beside a panel and its sums.
const CACHED: usize = 1 << 20;

/// How the sums of whole tiles of `R` rows are made.
pub trait Tiling<const R: usize>: Copy {
    /// Adds to tiles that lie below each other in `out`, whose rows are `stride` apart.
    fn add(self, part: &Part<'_, R>, out: &mut [f32], stride: usize);
}

/// A block of k of some tiles and one strip.
pub struct Part<'a, const R: usize> {
    /// x, tile after tile, each as long as the strip.
    pub x: &'a [[f32; R]],
    /// The weights.
    pub strip: &'a Strip,
    /// How many tiles.
    pub tiles: usize,
    /// Rows of a tile that are wanted; those beyond may hold anything.
    pub rows: usize,
    /// The strip that comes after this one: a good time to fetch it from memory.
    #[cfg_attr(any(not(target_arch = "wasm32"), kernels_only), expect(dead_code, reason = "only the fused tile does"))]
    pub next: Option<&'a Strip>,
    /// The sums start here; else they go on from what is in the result.
    pub first: bool,
    /// Added at the end, where this is the end.
    pub bias: Option<Lanes>,
}

/// Exact mode.
#[derive(Clone, Copy)]
pub struct Exact;

impl<const R: usize> Tiling<R> for Exact {
    #[inline(always)]
    fn add(self, part: &Part<'_, R>, out: &mut [f32], stride: usize) {
        let depth = part.strip.len();
        for tile in 0..part.tiles {
            let out = &mut out[tile * R * stride..];
            let mut sums = [ZERO; R];
            if !part.first {
                sums = std::array::from_fn(|r| load(&out[r * stride..]));
            }
            accumulate(&part.x[tile * depth..][..depth], part.strip, &mut sums);
            if let Some(bias) = part.bias {
                sums = sums.map(|sums| sums + bias);
            }
            for (r, sums) in sums.into_iter().enumerate() {
                store(sums, &mut out[r * stride..]);
            }
        }
    }
}

/// out (m, n) = x (m, k) · w (+ bias); rows of `out` lie `n` apart.
pub fn multiply(
    products: Products,
    x: Rows<'_>,
    w: &dyn Weights,
    shape: [usize; 3],
    bias: Option<&[f32]>,
    out: &mut [f32],
) {
    match products {
        Products::Exact => multiply_by::<ROWS>(Exact, x, w, shape, bias, out),
        Products::Fused(fused) => multiply_by(fused, x, w, shape, bias, out),
    }
}

fn multiply_by<const R: usize>(
    tiling: impl Tiling<R>,
    x: Rows<'_>,
    w: &dyn Weights,
    [m, k, n]: [usize; 3],
    bias: Option<&[f32]>,
    out: &mut [f32],
) {
    for top in (0..m).step_by(ROW_BLOCK) {
        let x = Rows { values: &x.values[top * x.stride..], stride: x.stride };
        let tiles = Tiles::new(x, ROW_BLOCK.min(m - top), k);
        tiles.times(tiling, w, n, bias, &mut out[top * n..]);
    }
}

/// A block of rows of x in the order the tiles read it: block of k by block of k, tile by tile, the values of a tile's rows
/// at one k side by side. One stream of memory instead of one for each row.
pub struct Tiles<const R: usize> {
    values: Vec<[f32; R]>,
    rows: usize,
    k: usize,
}

impl<const R: usize> Tiles<R> {
    /// The first `rows` rows, `k` wide; rows that a last tile lacks are zeros.
    pub fn new(x: Rows<'_>, rows: usize, k: usize) -> Tiles<R> {
        let tiles = rows.div_ceil(R);
        let mut values = vec![[0.0; R]; tiles * k];
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            let block = &mut values[first * tiles..][..depth * tiles];
            for (tile, to) in block.chunks_exact_mut(depth.max(1)).enumerate() {
                let own = tile * R..rows.min((tile + 1) * R);
                if own.len() == R {
                    side_by_side(std::array::from_fn(|r| x.part(own.start + r, first, depth)), to);
                } else {
                    for (r, row) in own.enumerate() {
                        to.iter_mut().zip(x.part(row, first, depth)).for_each(|(to, from)| to[r] = *from);
                    }
                }
            }
        }
        Tiles { values, rows, k }
    }

    /// out = these rows · w (+ bias); rows of `out` lie `n` apart.
    fn times(&self, tiling: impl Tiling<R>, w: &dyn Weights, n: usize, bias: Option<&[f32]>, out: &mut [f32]) {
        let mut room = vec![[0.0; STRIP]; PANEL.min(n.div_ceil(STRIP)) * DEPTH.min(self.k)];
        let mut add = |(first, depth): (usize, usize), column: usize| {
            let room = &mut room[..PANEL.min((n - column).div_ceil(STRIP)) * depth];
            let panel = w.strips(first, depth, column, room);
            self.block(tiling, (first, depth), panel, [column, n], bias, out);
        };
        let columns = || (0..n).step_by(Panel::COLUMNS);
        if size_of_val(&self.values[..]) <= CACHED {
            // A panel of columns from the first block of k to the last: x comes from the second cache for each, and so do the sums.
            columns().for_each(|column| blocks(self.k).for_each(|block| add(block, column)));
        } else {
            // A block of k for all columns: the sums, fewer than x, come from further away.
            blocks(self.k).for_each(|block| columns().for_each(|column| add(block, column)));
        }
    }

    /// out = these rows · the panel; rows of `out` lie as far apart as the panel is wide.
    pub fn times_panel(&self, tiling: impl Tiling<R>, panel: &Panel<'_>, out: &mut [f32]) {
        for (block, strips) in blocks(self.k).zip(&panel.blocks) {
            self.block(tiling, block, strips, [0, panel.columns], None, out);
        }
    }

    /// A block of k of some strips, the first of which is at `column` of `n`.
    fn block(
        &self,
        tiling: impl Tiling<R>,
        (first, depth): (usize, usize),
        strips: &Strip,
        [column, n]: [usize; 2],
        bias: Option<&[f32]>,
        out: &mut [f32],
    ) {
        assert!(out.len() >= self.rows * n && bias.is_none_or(|b| b.len() >= n));
        let last = first + depth == self.k;
        let tiles = self.rows.div_ceil(R);
        let x = &self.values[first * tiles..][..depth * tiles];
        for (s, column) in (column..n.min(column + Panel::COLUMNS)).step_by(STRIP).enumerate() {
            let strip = &strips[s * depth..][..depth];
            let width = STRIP.min(n - column);
            let bias = bias.filter(|_| last).map(|bias| padded(&bias[column..column + width]));
            let next = strips[(s + 1) * depth..].get(..depth);
            let part = |tiles: Range<usize>| Part {
                x: &x[tiles.start * depth..tiles.end * depth],
                strip,
                tiles: tiles.len(),
                rows: R.min(self.rows - tiles.start * R),
                next: next.filter(|_| tiles.start == 0),
                first: first == 0,
                bias,
            };
            let whole = if width == STRIP { self.rows / R } else { 0 };
            if whole > 0 {
                tiling.add(&part(0..whole), &mut out[column..], n);
            }
            // Tiles that stick out are worked on in a place of their own.
            for tile in whole..tiles {
                let mut aside = [[0.0; STRIP]; R];
                let rows = || out_rows(tile * R..self.rows.min((tile + 1) * R), n, column, width);
                for (aside, place) in aside.iter_mut().zip(rows()) {
                    aside[..width].copy_from_slice(&out[place]);
                }
                tiling.add(&part(tile..tile + 1), aside.as_flattened_mut(), STRIP);
                for (aside, place) in aside.iter().zip(rows()) {
                    out[place].copy_from_slice(&aside[..width]);
                }
            }
        }
    }
}

/// Rows, as long as `to` at least, turned so that their values at one column stand side by side, as a tile reads them.
#[inline(always)]
pub fn side_by_side<const R: usize>(rows: [&[f32]; R], to: &mut [[f32; R]]) {
    let rows = rows.map(|row| &row[..to.len()]);
    to.iter_mut().enumerate().for_each(|(i, to)| *to = rows.map(|row| row[i]));
}

/// A few columns of a matrix, packed at most once for any number of rows.
pub struct Panel<'a> {
    /// Strips of each block of k.
    blocks: Vec<&'a Strip>,
    columns: usize,
}

impl<'a> Panel<'a> {
    /// Columns that it has at most.
    pub const COLUMNS: usize = PANEL * STRIP;

    /// `columns` columns of w from `column` on, with `k` rows; `room` is for as many strips.
    ///
    /// # Panics
    /// If it cannot have so many.
    pub fn new(w: &'a dyn Weights, column: usize, columns: usize, k: usize, mut room: &'a mut Strip) -> Panel<'a> {
        assert!(columns <= Panel::COLUMNS);
        let strips = blocks(k).map(|(first, depth)| {
            let own = room.split_off_mut(..depth * columns.div_ceil(STRIP)).expect("room for all strips");
            w.strips(first, depth, column, own)
        });
        Panel { blocks: strips.collect(), columns }
    }
}

/// Where `width` columns from `column` of some rows lie in a matrix of `n` columns.
fn out_rows(rows: Range<usize>, n: usize, column: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    rows.map(move |row| row * n + column..row * n + column + width)
}
