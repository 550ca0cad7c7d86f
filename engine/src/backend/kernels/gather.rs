//! out (rows, width) = columns first.. of the rows of x that are named; zeros for one that does not exist.

use super::Given;
use crate::backend::declare::*;
use crate::backend::proof::*;

kernel! {
    /// out (rows, width) = columns first.. of the rows of x that are named; zeros for one that does not exist.
    Gather = gather(f32_in("x"), u32_in("rows"), f32_out("out")) {
        /// Rows of `out`.
        rows: u32,
        /// Columns of `out`.
        width: u32,
        /// Rows of `x`.
        count: u32,
        /// Columns of `x`.
        stride: u32,
        /// First column that is taken.
        first: u32,
    } needs |p, room| [area([p.count, p.stride]), area([p.rows]), area([p.rows, p.width])]
      where p.first as u64 + p.width as u64 <= p.stride as u64, "what is taken must lie within `stride` columns"
      runs [narrow 64; wide 256] vec![by_value(p.rows as u64 * p.width as u64)];
    checked vec![Check::of(
        Gather { rows: 9, width: 5, count: 12, stride: 9, first: 3 },
        [Values, Below(14), Zeros],
    )];
}

/// Runs the kernel.
pub fn run(p: &Gather, given: &mut Given<'_>) {
    let [x, rows, out] = given.bound();
    let [width, stride, first] = [p.width, p.stride, p.first].map(|d| d as usize);
    if width == 0 {
        return;
    }
    let x = x.floats();
    let out = out.floats_mut()[..p.rows as usize * width].chunks_exact_mut(width);
    for (out, &row) in out.zip(rows.words()) {
        match row < p.count {
            true => out.copy_from_slice(&x[row as usize * stride + first..][..width]),
            false => out.fill(0.0),
        }
    }
}

/// Values picked one by one.
pub(super) const PROOF: Proof = Proof {
    // Copies.
    allowed: EXACT,
    breaks: &[(WORKGROUP, "row < p.count", "row <= p.count"), (WORKGROUP, " + p.first", "")],
    cases: || {
        Box::new(each(GATHERED, [Kind::Plain, Kind::Outliers]).map(|(i, [rows, width, count], kind)| {
            let (first, stride) = (i % 3, width + i % 3 + i % 2);
            let mut source = Source::new(i as u64);
            let x = source.values(count * stride, kind);
            // Now and then a row that does not exist.
            let named: Vec<u32> = (0..rows).map(|_| source.word() % (count as u32 + 1)).collect();
            let args = [Arg::F(&x), Arg::W(&named), Arg::Out(rows * width)];
            let case = Case::of(format!("{rows} of {count}, {kind:?}"), [rows, width, count, stride, first], &args);
            let value = |row: u32, c: usize| x.get(row as usize * stride + first + c).copied().unwrap_or(0.0);
            let truth = named.iter().flat_map(|&row| (0..width).map(move |c| value(row, c))).collect();
            case.bits(truth)
        }))
    },
};

/// Rows taken, values of each, rows there are.
const GATHERED: [[usize; 3]; 12] = [
    [1, 1, 1],
    [3, 2, 5],
    [7, 8, 3],
    [9, 17, 4],
    [64, 3, 70],
    [257, 5, 9],
    [0, 3, 4],
    [5, 64, 64],
    [1, 257, 2],
    [3, 1, 17],
    [17, 33, 1],
    [2, 129, 300],
];
