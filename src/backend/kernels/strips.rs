//! Matrices of weights laid out in strips, eight neighbouring columns each, as the tiles read them.

use wide::f32x4;

use crate::backend::lanes::LANES;

/// Columns of a strip: the lanes of a row's running sums.
pub const STRIP: usize = LANES;
/// Rows that are copied together: a strip is written some lines at a time, and memory is read at so many places at once that
/// it does not wait for one of them.
const ROWS_TOGETHER: usize = 16;

/// One strip: row k holds the weights of eight neighbouring columns.
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

/// f32 weights stored (k, n).
pub struct RowMajor<'a> {
    /// Rows k, n wide at least.
    pub rows: Rows<'a>,
    /// Columns that exist.
    pub n: usize,
}

impl Weights for RowMajor<'_> {
    /// A few rows at a time across all strips: neighbouring lines of memory are read together, and written together too.
    fn pack(&self, k: usize, depth: usize, n: usize, strips: &mut Strip) {
        if depth == 0 {
            return;
        }
        let width = STRIP * (strips.len() / depth).min((self.n - n) / STRIP);
        let row = |i: usize| self.rows.part(k + i, n, width).as_chunks::<STRIP>().0;
        let together = depth / ROWS_TOGETHER * ROWS_TOGETHER;
        for first in (0..together).step_by(ROWS_TOGETHER) {
            let rows: [&Strip; ROWS_TOGETHER] = std::array::from_fn(|i| row(first + i));
            for (s, strip) in strips.chunks_exact_mut(depth).take(width / STRIP).enumerate() {
                for (to, from) in strip[first..first + ROWS_TOGETHER].iter_mut().zip(rows) {
                    *to = from[s];
                }
            }
        }
        for i in together..depth {
            for (strip, from) in strips.chunks_exact_mut(depth).zip(row(i)) {
                strip[i] = *from;
            }
        }
        // Of a last strip some columns may not exist.
        if width < strips.len() / depth * STRIP {
            for (i, to) in strips[width / STRIP * depth..][..depth].iter_mut().enumerate() {
                let known = self.n - n - width;
                to[..known].copy_from_slice(self.rows.part(k + i, n + width, known));
                to[known..].fill(0.0);
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
            if first + STRIP <= self.n {
                all_columns(std::array::from_fn(|lane| self.rows.part(first + lane, k, depth)), strip);
            } else {
                for lane in 0..STRIP {
                    let row = (first + lane < self.n).then(|| self.rows.part(first + lane, k, depth));
                    one_column(row, lane, strip);
                }
            }
        }
    }
}

/// A strip from its eight rows, 4 × 4 values at a time, so that each of its lines is written once.
#[inline(always)]
fn all_columns(rows: [&[f32]; STRIP], strip: &mut Strip) {
    let rest = strip.len() / 4 * 4;
    let blocks = rows.map(|row| row.as_chunks::<4>().0);
    for (i, to) in strip.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let turned = |lane: usize| f32x4::transpose(std::array::from_fn(|r| f32x4::new(blocks[lane + r][i])));
        let (low, high) = (turned(0), turned(4));
        for (to, (low, high)) in to.iter_mut().zip(low.into_iter().zip(high)) {
            to[..4].copy_from_slice(&low.to_array());
            to[4..].copy_from_slice(&high.to_array());
        }
    }
    for (lane, row) in rows.iter().enumerate() {
        one_column(Some(&row[rest..]), lane, &mut strip[rest..]);
    }
}

/// One column of a strip: a row, or zeros.
fn one_column(row: Option<&[f32]>, lane: usize, strip: &mut Strip) {
    match row {
        Some(row) => strip.iter_mut().zip(row).for_each(|(to, from)| to[lane] = *from),
        None => strip.iter_mut().for_each(|to| to[lane] = 0.0),
    }
}
