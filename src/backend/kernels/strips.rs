//! Matrices of weights laid out in strips, eight neighbouring columns each, as the tiles read them.

use wide::f32x4;

use crate::backend::lanes::LANES;

/// Columns of a strip: the lanes of a row's running sums.
pub const STRIP: usize = LANES;
/// Rows that are copied together: a strip is written some lines at a time, and rows whose distance is a power of two still
/// find room in the first cache.
const ROWS_TOGETHER: usize = 8;

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
        for first in (0..depth).step_by(ROWS_TOGETHER) {
            let rows = first..depth.min(first + ROWS_TOGETHER);
            for column in (0..width).step_by(STRIP) {
                let strip = &mut strips[column / STRIP * depth..][rows.clone()];
                for (i, to) in rows.clone().zip(strip) {
                    to.copy_from_slice(self.rows.part(k + i, n + column, STRIP));
                }
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
            for lane in (0..STRIP).step_by(4) {
                let row = first + lane;
                if row + 4 <= self.n {
                    let rows: [&[f32]; 4] = std::array::from_fn(|r| self.rows.part(row + r, k, depth));
                    four_columns(rows, lane, strip);
                } else {
                    for lane in lane..lane + 4 {
                        one_column(
                            (first + lane < self.n).then(|| self.rows.part(first + lane, k, depth)),
                            lane,
                            strip,
                        );
                    }
                }
            }
        }
    }
}

/// Columns `lane..lane + 4` of a strip from four rows, 4 × 4 values at a time.
#[inline(always)]
fn four_columns(rows: [&[f32]; 4], lane: usize, strip: &mut Strip) {
    let rest = strip.len() / 4 * 4;
    let blocks = rows.map(|row| row.as_chunks::<4>().0);
    for (i, to) in strip.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let columns = f32x4::transpose(blocks.map(|block| f32x4::new(block[i])));
        for (to, column) in to.iter_mut().zip(columns) {
            to[lane..lane + 4].copy_from_slice(&column.to_array());
        }
    }
    for (r, row) in rows.iter().enumerate() {
        one_column(Some(&row[rest..]), lane + r, &mut strip[rest..]);
    }
}

/// One column of a strip: a row, or zeros.
fn one_column(row: Option<&[f32]>, lane: usize, strip: &mut Strip) {
    match row {
        Some(row) => strip.iter_mut().zip(row).for_each(|(to, from)| to[lane] = *from),
        None => strip.iter_mut().for_each(|to| to[lane] = 0.0),
    }
}
