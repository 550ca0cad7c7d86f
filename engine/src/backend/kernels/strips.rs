//! Matrices of weights laid out in strips, eight neighbouring columns each, as the tiles read them.
//!
//! Strips are packed when a product needs them, or a whole matrix lies in them for good ([`Laid`]): then its products read it
//! as it is.

use wide::f32x4;

use crate::backend::lanes::LANES;

/// Columns of a strip: the lanes of a row's running sums.
pub const STRIP: usize = LANES;
/// Steps of k per block: a strip of 192 × 8 takes 6 KiB and stays in the first cache (with twice as many nothing was gained).
pub const DEPTH: usize = 192;
/// Rows that are copied together: a strip is written some lines at a time, and memory is read at so many places at once that
/// it does not wait for one of them.
const ROWS_TOGETHER: usize = 16;

/// One strip: row k holds the weights of eight neighbouring columns.
pub type Strip = [[f32; STRIP]];

/// A matrix of weights (k, n) in whatever form, of which products read strips.
pub trait Weights {
    /// Strips of `depth` rows from row `k`, as many as `room` has; the first column is `n`. They are put into `room`, or stand
    /// somewhere already.
    fn strips<'a>(&'a self, k: usize, depth: usize, n: usize, room: &'a mut Strip) -> &'a Strip;
}

/// Weights that have to be packed first.
pub trait Pack {
    /// Fills `strips.len() / depth` strips of `depth` rows from row `k`; the first column is `n`. Columns that do not
    /// exist become zeros.
    fn pack(&self, k: usize, depth: usize, n: usize, strips: &mut Strip);
}

impl<P: Pack> Weights for P {
    fn strips<'a>(&'a self, k: usize, depth: usize, n: usize, room: &'a mut Strip) -> &'a Strip {
        self.pack(k, depth, n, room);
        room
    }
}

/// First step and number of steps of each block of k; one block where k is 0, so that sums of nothing are written too.
pub fn blocks(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k.max(1)).step_by(DEPTH).map(move |first| (first, DEPTH.min(k - first)))
}

/// How a matrix of weights is stored row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Input channels.
    pub k: usize,
    /// Output channels.
    pub n: usize,
    /// false: (k, n). true: (n, k).
    pub transposed: bool,
}

impl Stored {
    /// The values in strips as words: block of k by block of k, each strip by strip.
    ///
    /// # Panics
    /// If there are fewer values than the matrix has.
    pub fn lay_out(self, values: &[f32]) -> Vec<u32> {
        let Stored { k, n, transposed } = self;
        let count = n.div_ceil(STRIP);
        let mut words = vec![0; count * STRIP * k];
        let strips: &mut Strip = bytemuck::cast_slice_mut(&mut words);
        let rows = |stride: usize| Rows { values, stride };
        let w: &dyn Pack = if transposed { &Transposed { rows: rows(k), n } } else { &RowMajor { rows: rows(n), n } };
        for (first, depth) in blocks(k) {
            w.pack(first, depth, 0, &mut strips[first * count..][..depth * count]);
        }
        words
    }

    /// The values of a matrix in strips, row by row as words.
    pub fn take_up(self, words: &[u32]) -> Vec<u32> {
        let Stored { k, n, transposed } = self;
        let laid = Laid::new(words, [k, n]);
        let mut values = vec![0; k * n];
        for column in 0..n {
            for (row, value) in laid.column(column).enumerate() {
                values[if transposed { column * k + row } else { row * n + column }] = value.to_bits();
            }
        }
        values
    }
}

/// A matrix (k, n) that lies in strips as [`Stored::lay_out`] leaves them.
#[derive(Clone, Copy)]
pub struct Laid<'a> {
    strips: &'a Strip,
    k: usize,
    n: usize,
}

impl<'a> Laid<'a> {
    /// # Panics
    /// If the words are not so many as such a matrix has.
    pub fn new(words: &'a [u32], [k, n]: [usize; 2]) -> Laid<'a> {
        assert_eq!(words.len(), n.div_ceil(STRIP) * STRIP * k, "a matrix of {k} × {n} in strips");
        Laid { strips: bytemuck::cast_slice(words), k, n }
    }

    /// Column `n`, from its first row to its last.
    pub fn column(self, n: usize) -> impl Iterator<Item = f32> + 'a {
        let (count, strip, lane) = (self.n.div_ceil(STRIP), n / STRIP, n % STRIP);
        blocks(self.k).flat_map(move |(first, depth)| {
            self.strips[first * count + strip * depth..][..depth].iter().map(move |row| row[lane])
        })
    }
}

impl Weights for Laid<'_> {
    fn strips<'a>(&'a self, k: usize, depth: usize, n: usize, room: &'a mut Strip) -> &'a Strip {
        let whole = k.is_multiple_of(DEPTH) && depth == DEPTH.min(self.k - k) && n.is_multiple_of(STRIP);
        assert!(whole, "whole strips of one block of k");
        &self.strips[k * self.n.div_ceil(STRIP) + n / STRIP * depth..][..room.len()]
    }
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

impl Pack for RowMajor<'_> {
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

impl Pack for Transposed<'_> {
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
