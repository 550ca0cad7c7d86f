//! out (m, n) = x (m, k) · w (+ bias).

use super::Given;
use super::strips::{RowMajor, Rows, Transposed, Weights};
use super::tile::multiply;
use crate::backend::declare::*;
use crate::backend::proof::*;
use crate::backend::row::{Launch, Way, Window};
use crate::backend::shaders::Shader;
use crate::backend::windows::Lines;

kernel! {
    /// out (m, n) = x (m, k) · w (+ bias). Each output is one sum over k in order, so blocking never changes a bit.
    Matmul = matmul(f32_in("x"), f32_in("w"), f32_in("bias"), f32_out("out")) {
        /// Rows of x.
        m: u32,
        /// Input channels.
        k: u32,
        /// Output channels.
        n: u32,
        /// 0: w is (k, n). 1: w is (n, k).
        transposed: u32,
        /// 1: add `bias` (n). 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [area([p.m, p.k]), area([p.k, p.n]), area([p.biased, p.n]), area([p.m, p.n])]
      runs [blocks 64; tiles 64, few 256, large 64] product([p.m, p.k, p.n], p.transposed, 32, room);
    checked [(40, 0), (2, 0), (40, 1)]
        .map(|(m, transposed)| {
            let p = Matmul { m, k: 36, n: 68, transposed, biased: 1 };
            Check::of(p, [Values, Values, Values, Zeros])
        })
        .into();
}

/// Entry points of a product.
const BLOCKS: usize = 0;
const TILES: usize = 1;
const FEW: usize = 2;
const LARGE_TILES: usize = 3;

/// A product, by its shape: tiles; large ones where there are enough of them; or the way for few rows (one token), which tiles
/// would leave mostly empty. The way without workgroup memory is for devices in software, and for those that allow too little of
/// it, or too few lanes. The weights are binding 1, `bits` each, and taken window by window: windows of (n, k) give columns of
/// their own, those of (k, n) go on with the sums of those before.
pub(super) fn product([m, k, n]: [u32; 3], transposed: u32, bits: u32, room: usize) -> Vec<Launch> {
    let even = k.is_multiple_of(4) && (transposed != 0 || n.is_multiple_of(4));
    let lines = match transposed {
        0 => Lines { count: k, width: n, bits, step: 4 },
        _ => Lines { count: n, width: k, bits, step: 1 },
    };
    let mut constants = vec![("EVEN", u32::from(even)), ("TRANSPOSED", transposed)];
    constants.extend((bits < 32).then_some(("BITS", bits)));
    let launch = |window: Window| {
        let columns = if transposed == 0 { n } else { window.to.min(n) - window.from };
        let tiles = [columns.div_ceil(TILE_COLUMNS), m.div_ceil(TILE_ROWS), 1];
        let large = [columns.div_ceil(LARGE), m.div_ceil(LARGE), 1];
        let best = match large[0].saturating_mul(large[1]) {
            _ if m <= FEW_ROWS => Way::of(FEW, [tiles[0], m, 1]),
            ENOUGH.. if m >= LARGE => Way { entry: LARGE_TILES, groups: large, waits: true },
            _ => Way { entry: TILES, groups: tiles, waits: true },
        };
        let launch = Launch::of(vec![best, Way::of(BLOCKS, tiles)]);
        Launch { constants: constants.clone(), window: Some(window), ..launch }
    };
    lines.windows(1, room).into_iter().map(launch).collect()
}

pub(super) const TILE_ROWS: u32 = Shader::of("matmul").constant("TILE_ROWS");
pub(super) const TILE_COLUMNS: u32 = Shader::of("matmul").constant("TILE_COLUMNS");
/// A quarter of a tile.
const FEW_ROWS: u32 = TILE_ROWS / 4;
/// Rows and columns of a large tile.
const LARGE: u32 = Shader::of("matmul").constant("LARGE");
/// Large tiles that keep the cores of a GPU busy, some tens of them; with fewer, smaller tiles reach more cores.
const ENOUGH: u32 = 64;

/// Runs the kernel.
pub fn run(p: &Matmul, given: &mut Given<'_>) {
    let products = given.products;
    let [x, w, bias, out] = given.bound();
    let [m, k, n] = [p.m, p.k, p.n].map(|d| d as usize);
    let x = Rows { values: x.floats(), stride: k };
    let bias = (p.biased != 0).then(|| bias.floats());
    let rows = |stride: usize| Rows { values: w.floats(), stride };
    let laid = w.laid([k, n]);
    let w: &dyn Weights = match &laid {
        Some(laid) => laid,
        None if p.transposed == 0 => &RowMajor { rows: rows(n), n },
        None => &Transposed { rows: rows(k), n },
    };
    multiply(products, x, w, [m, k, n], bias, out.floats_mut());
}

/// Sums in f64; and the law of the twin, taken at its word.
pub(super) const PROOF: Proof = Proof {
    allowed: allow(1.0),
    breaks: &[
        (WORKGROUP, "b.w * w", "b.z * w"),
        (WORKGROUP, "x_large[x_at + 1u]", "x_large[x_at]"),
        (WORKGROUP, "add_products(&right, a, b, w_large[w_at + 1u])", "add_products(&right, a, b, w_large[w_at])"),
        (WORKGROUP, "w_turned[i]", "w_turned[0]"),
        (WORKGROUP, "whole += of_slices", "whole = of_slices"),
        (WORKGROUP, "value += bias", "value -= bias"),
        (CACHE, "w * x[b.z + k]", "w * x[b.y + k]"),
        (CACHE, "x[a.w + k] * w", "x[a.z + k] * w"),
        (CACHE, "select(w * four, four * w, TRANSPOSED)", "select(w * four, w * four, TRANSPOSED)"),
    ],
    cases: || {
        let large = LARGE_SHAPES.map(|shape| (shape, &KINDS[..1]));
        let shapes = SHAPES.map(|shape| (shape, &KINDS[..])).into_iter().chain(large);
        let kinds = |(i, (s, kinds), transposed): (usize, ([usize; 3], &'static [Kind]), u32)| {
            kinds.iter().map(move |kind| case(i, s, transposed, *kind))
        };
        Box::new(each(shapes, [0, 1]).flat_map(kinds))
    },
};

fn case(i: usize, s: [usize; 3], transposed: u32, kind: Kind) -> Case {
    let mut source = Source::new(i as u64 * 16 + u64::from(transposed) * 8 + kind as u64);
    let [m, k, n] = s;
    let (x, w) = (source.values(m * k, kind), source.values(k * n, Kind::Plain));
    let bias = source.values(n, Kind::Plain);
    let bias = i.is_multiple_of(2).then_some(&bias[..]);
    let params = [m, k, n, transposed as usize, usize::from(bias.is_some())];
    let args = [Arg::F(&x), Arg::F(&w), Arg::F(bias.unwrap_or(&[])), Arg::Out(m * n)];
    let case = Case::of(format!("{s:?} {transposed} {kind:?}"), params, &args);
    let truth = oracle(&x, |l, j| wide(w[at(transposed, s, l, j)]), bias, s);
    case.near(truth).bits(in_order(&x, &w, bias, transposed, s))
}

/// (m, k, n): single, odd, one past a tile, one past a strip, across blocks of k and panels of n.
pub(super) const SHAPES: [[usize; 3]; 14] = [
    [1, 1, 1],
    [1, 17, 8],
    [3, 1, 5],
    [4, 8, 8],
    [5, 9, 9],
    [17, 3, 257],
    [2, 257, 3],
    [7, 256, 16],
    [6, 513, 17],
    [33, 64, 129],
    [1, 768, 130],
    [9, 300, 7],
    [3, 0, 4],
    [64, 128, 96],
];

/// So large that large tiles are taken; all sums of one fit into tens of milliseconds.
pub(super) const LARGE_SHAPES: [[usize; 3]; 3] = [[513, 17, 520], [512, 20, 515], [577, 36, 516]];

/// w[k][n] whichever way it is stored.
pub(super) fn at(transposed: u32, [_, k, n]: [usize; 3], row: usize, column: usize) -> usize {
    if transposed == 0 { row * n + column } else { column * k + row }
}

/// Σ_k x·w + bias in f64, and the bound (k + 2)·u·(Σ|x·w| + |bias|) that every order of summing keeps, with room for
/// products that are subnormal.
pub(super) fn oracle(
    x: &[f32],
    w: impl Fn(usize, usize) -> f64,
    bias: Option<&[f32]>,
    s: [usize; 3],
) -> (Vec<f64>, Vec<f64>) {
    let [m, k, n] = s;
    let mut truth = Vec::new();
    let mut tolerance = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let bias = bias.map_or(0.0, |b| f64::from(b[j]));
            let terms = (0..k).map(|l| f64::from(x[i * k + l]) * w(l, j));
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
            truth.push(sum + bias);
            tolerance.push((k + 2) as f64 * (U * (size + bias.abs()) + wide(f32::from_bits(1))));
        }
    }
    (truth, tolerance)
}

/// The law of the table, taken at its word: one f32 sum over k in order.
pub(super) fn in_order(x: &[f32], w: &[f32], bias: Option<&[f32]>, transposed: u32, s: [usize; 3]) -> Vec<f32> {
    let [m, k, n] = s;
    let mut out = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let mut sum = 0.0f32;
            for l in 0..k {
                let product = x[i * k + l] * w[at(transposed, s, l, j)];
                sum += product;
            }
            out.push(bias.map_or(sum, |b| sum + b[j]));
        }
    }
    out
}
