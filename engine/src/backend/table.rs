//! The table of kernels: for each its stem, its bindings in order, its parameters, its CPU twin and how its shader is run.
//!
//! To add a kernel: a parameter struct and a row here, `kernels/<stem>.rs`, `shaders/<stem>.wgsl`. Tests walk the table; a
//! row that contradicts its shader does not compile.

use bytemuck::{Pod, Zeroable};

use super::kernels;
pub use super::row::{Access, Binding, Element, Entry, Launch, MOST_GROUPS, Params, Row, Way, Window};
use super::shaders::{SHADERS, Shader};
use super::windows::Lines;

const fn f32_in(name: &'static str) -> Binding {
    Binding { name, access: Access::Read, element: Element::F32 }
}
const fn f32_out(name: &'static str) -> Binding {
    Binding { name, access: Access::Write, element: Element::F32 }
}
const fn u32_in(name: &'static str) -> Binding {
    Binding { name, access: Access::Read, element: Element::U32 }
}
const fn u32_out(name: &'static str) -> Binding {
    Binding { name, access: Access::Write, element: Element::U32 }
}

/// `items` over workgroups that take `each`, folded into y where x is full. The shader leaves out what is beyond.
fn folded(items: u64, each: u32) -> [u32; 3] {
    let groups = items.div_ceil(u64::from(each));
    let x = groups.min(u64::from(MOST_GROUPS));
    let y = if x == 0 { 0 } else { groups.div_ceil(x) };
    [x as u32, y as u32, 1]
}

/// The one entry point, over a grid of workgroups.
fn grid(groups: [u32; 3]) -> Vec<Launch> {
    vec![Launch::of(vec![Way::of(0, groups)])]
}

/// Value by value, in wide workgroups or in narrow ones.
fn by_value(values: u64) -> Launch {
    Launch::of(vec![Way::of(1, folded(values, WIDE)), Way::of(0, folded(values, LANES))])
}

/// Blocks of values, one to a workgroup, wide or narrow.
fn by_block(values: u32) -> Vec<Launch> {
    let groups = [values.div_ceil(BLOCK), 1, 1];
    vec![Launch::of(vec![Way::of(1, groups), Way::of(0, groups)])]
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
fn product([m, k, n]: [u32; 3], transposed: u32, bits: u32, room: usize) -> Vec<Launch> {
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

/// Slices of the vocabulary, those of one window after another; then what they left is joined, without a look at `w`.
fn losses(rows: u32, width: u32, vocab: u32, room: usize) -> Vec<Launch> {
    let slices = |window: Window| {
        let slices = window.to.min(vocab).div_ceil(SLICE) - window.from / SLICE;
        let groups = [rows.div_ceil(TILE_ROWS), slices, 1];
        let tiles = Way { entry: 2, groups, waits: true };
        Launch {
            ways: vec![tiles, Way::of(0, groups)],
            constants: vec![("EVEN", u32::from(width.is_multiple_of(4)))],
            window: Some(window),
        }
    };
    let windows = Lines { count: vocab, width, bits: 32, step: TILE_COLUMNS }.windows(1, room);
    let nothing = Some(Window { binding: 1, first: 0, words: 0, from: 0, to: 0 });
    let join = Launch { window: nothing, ..Launch::of(vec![Way::of(1, [rows.div_ceil(LANES), 1, 1])]) };
    windows.into_iter().map(slices).chain([join]).collect()
}

/// Every row of the result for each window of the table of tokens; a window fills the rows whose tokens it has.
fn embedding(rows: u32, width: u32, vocab: u32, room: usize) -> Vec<Launch> {
    let launch = by_value(u64::from(rows) * u64::from(width));
    let windows = Lines { count: vocab, width, bits: 32, step: 1 }.windows(2, room);
    windows.into_iter().map(|window| Launch { window: Some(window), ..launch.clone() }).collect()
}

const TILE_ROWS: u32 = Shader::of("matmul").constant("TILE_ROWS");
const TILE_COLUMNS: u32 = Shader::of("matmul").constant("TILE_COLUMNS");
/// A quarter of a tile.
const FEW_ROWS: u32 = TILE_ROWS / 4;
/// Rows and columns of a large tile.
const LARGE: u32 = Shader::of("matmul").constant("LARGE");
/// Large tiles that keep the cores of a GPU busy, some tens of them; with fewer, smaller tiles reach more cores.
const ENOUGH: u32 = 64;
/// Invocations of a wide workgroup, and of a narrow one or one that reduces.
const WIDE: u32 = Shader::of("add").constant("WIDE");
const LANES: u32 = Shader::of("attention").constant("LANES");
/// Rows that a workgroup takes which goes row by row.
const ROWS: u32 = Shader::of("layer_norm").constant("ROWS");
const ATTENTION_ROWS: u32 = Shader::of("attention").constant("ATTENTION_ROWS");
const ATTENTION_CHANNELS: u32 = Shader::of("attention").constant("ATTENTION_CHANNELS");
/// Columns of the vocabulary that a workgroup of `loss` takes, and parts that it leaves of each row.
const SLICE: u32 = Shader::of("loss").constant("SLICE");
const PARTS: u32 = Shader::of("loss").constant("PARTS");

/// States of a channel that `scan` can hold; Mamba has 16.
pub const MOST_STATES: u32 = Shader::of("scan").constant("MOST_STATES");

/// Product of dimensions as a number of words; `usize::MAX` where it does not fit (a wasm address has 32 bits).
fn area<const N: usize>(dimensions: [u32; N]) -> usize {
    dimensions.iter().try_fold(1usize, |area, &d| area.checked_mul(d as usize)).unwrap_or(usize::MAX)
}

/// Where the last of some heads ends: so many, `step` apart from `first` on, each `times`·`channels` wide.
fn reach(first: u32, heads: u32, step: u32, channels: u32, times: u64) -> u64 {
    match heads {
        0 => 0,
        _ => u64::from(first) + u64::from(heads - 1) * u64::from(step) + times * u64::from(channels),
    }
}

/// The element that a Rust type is.
macro_rules! element {
    (f32) => {
        Element::F32
    };
    (u32) => {
        Element::U32
    };
}

/// Declares parameter structs with their rows. `runs` has the entry points that a device must be able to run, then, after a
/// semicolon, those that are better where they fit.
macro_rules! kernels {
    ($( $(#[$doc:meta])* $name:ident = $stem:ident ( $($binding:expr),* ) {
            $( $(#[$field_doc:meta])* $field:ident : $type:ident ),* $(,)?
        } needs |$p:ident, $room:ident| [ $($needed:expr),* ] $(where $holds:expr, $rule:literal)*
          runs [ $($entry:ident $lanes:literal),* $(; $($better:ident $more:literal),*)? ] $launches:expr $(, scratch $scratch:expr)?; )*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
            pub struct $name { $( $(#[$field_doc])* pub $field: $type ),* }

            impl Params for $name {
                const ROW: &'static Row = &Row {
                    stem: stringify!($stem),
                    bindings: &[$($binding),*],
                    params: size_of::<$name>() / 4,
                    fields: &[$((stringify!($field), element!($type))),*],
                    entries: &[
                        $(Entry { name: stringify!($entry), lanes: $lanes },)*
                        $($(Entry { name: stringify!($better), lanes: $more },)*)?
                    ],
                    least: [$($lanes),*].len(),
                    launches: |words, $room| {
                        let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                        let _ = $room;
                        $launches
                    },
                    scratch: |words| {
                        let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                        let _ = $p;
                        0 $( + $scratch )?
                    },
                    needed: |words, i| {
                        let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                        [$($needed),*][i]
                    },
                    fault: |words| {
                        let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                        let _ = $p;
                        $( if !$holds { return Some($rule); } )*
                        None
                    },
                    cpu: |words, given| kernels::$stem::run(bytemuck::from_bytes(bytemuck::cast_slice(words)), given),
                };
            }

            const _: () = assert!(
                Shader::of(stringify!($stem)).agrees(<$name as Params>::ROW),
                concat!("the row of `", stringify!($stem), "` and its shader name other buffers, parameters or entry points")
            );
        )*
        /// Every kernel.
        pub const TABLE: &[&Row] = &[$(<$name as Params>::ROW),*];
    };
}

/// Values that share one block of [`Moments`] and of [`MseGrid`].
pub const BLOCK: u32 = Shader::of("moments").constant("BLOCK");
/// Words that [`Moments`] writes per block: n, mean, Σ(x−mean)², ³, ⁴, max |x|, count beyond limit 1, count beyond limit 2.
pub const MOMENT_WORDS: u32 = 8;

kernels! {
    /// Central moments per block of [`BLOCK`] values, merged on the host in f64.
    Moments = moments(f32_in("x"), f32_out("out")) {
        /// Values in `x`.
        len: u32,
        /// First limit on |x − centre| that is counted.
        limit_1: f32,
        /// Second limit.
        limit_2: f32,
        /// Centre of the two limits.
        centre: f32,
    } needs |p, room| [area([p.len]), area([p.len.div_ceil(BLOCK), MOMENT_WORDS])]
      runs [main 64] grid([p.len.div_ceil(BLOCK), 1, 1]);

    /// Adds counts of `x` in `bins` equal cells over [low, low + bins/per_unit); what lies outside goes to the end cells.
    Histogram = histogram(f32_in("x"), u32_out("counts")) {
        /// Values in `x`.
        len: u32,
        /// Cells.
        bins: u32,
        /// Lower edge of the first cell.
        low: f32,
        /// Cells per unit of x.
        per_unit: f32,
    } needs |p, room| [area([p.len]), area([p.bins])]
      where p.bins > 0, "`bins` must be at least 1"
      runs [narrow 64; wide 256] by_block(p.len);

    /// Quantize and dequantize: out = step·round_half_even(clip(x, ±α)·inv), inv = levels/α, step = α/levels.
    Quantize = quantize(f32_in("x"), f32_in("alphas"), f32_out("out")) {
        /// Input channels of the matrix.
        k: u32,
        /// Output channels.
        n: u32,
        /// 0: x is (k, n). 1: x is (n, k).
        transposed: u32,
        /// Consecutive input channels that share an α.
        group: u32,
        /// Output channels with an α of their own: 1 or n. The α of (k, n) is `alphas[k/group·channels + (n if channels > 1)]`.
        channels: u32,
        /// 2^(B−1) − 1.
        levels: u32,
    } needs |p, room| [area([p.k, p.n]), area([p.k.div_ceil(p.group), p.channels]), area([p.k, p.n])]
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      where p.levels > 0, "`levels` must be at least 1"
      runs [narrow 64; wide 256] vec![by_value(p.k as u64 * p.n as u64)];

    /// For each α: Σ of squared clipping error and Σ of squared rounding error, per block of [`BLOCK`] values; out is
    /// (blocks, alphas, 2).
    MseGrid = mse_grid(f32_in("x"), f32_in("alphas"), f32_out("out")) {
        /// Values in `x`.
        len: u32,
        /// How many α.
        count: u32,
        /// 2^(B−1) − 1.
        levels: u32,
    } needs |p, room| [area([p.len]), area([p.count]), area([p.len.div_ceil(BLOCK), p.count, 2])]
      where p.levels > 0, "`levels` must be at least 1"
      runs [main 64] grid([p.len.div_ceil(BLOCK), p.count, 1]);

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

    /// [`Matmul`] with weights packed as signed integers, lowest first in each word, in row-major order; w = code · scale.
    /// Or as IEEE halves, which are the weights themselves: then `scales` is not read and may be any buffer.
    MatmulPacked = matmul_packed(f32_in("x"), u32_in("codes"), f32_in("scales"), f32_in("bias"), f32_out("out")) {
        /// Rows of x.
        m: u32,
        /// Input channels.
        k: u32,
        /// Output channels.
        n: u32,
        /// 0: the codes are (k, n). 1: (n, k).
        transposed: u32,
        /// 1: add `bias`.
        biased: u32,
        /// Consecutive input channels that share a scale.
        group: u32,
        /// Output channels with a scale of their own: 1 or n.
        channels: u32,
        /// Bits of a code: 4 or 8; 16 for halves.
        bits: u32,
    } needs |p, room| [
        area([p.m, p.k]), area([p.k, p.n]).div_ceil(32 / p.bits as usize),
        area([u32::from(p.bits < 16), p.k.div_ceil(p.group), p.channels]), area([p.biased, p.n]), area([p.m, p.n])
    ]
      where matches!(p.bits, 4 | 8 | 16), "`bits` must be 4, 8 or 16"
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      runs [blocks 64; tiles 64, few 256, large 64] product([p.m, p.k, p.n], p.transposed, p.bits, room);

    /// out (rows, width) = (x − mean)/√(var + eps)·(gain + offset) + bias, per row; without the mean, x/√(mean of x² + eps).
    LayerNorm = layer_norm(f32_in("x"), f32_in("gain"), f32_in("bias"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Added to the variance.
        eps: f32,
        /// Added to every gain: 1 where a checkpoint stores gains about 0.
        offset: f32,
        /// 1: layer norm. 0: RMS norm, which takes no mean off.
        centred: u32,
        /// 1: add `bias`. 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [
        area([p.rows, p.width]), area([p.width]), area([p.biased, p.width]), area([p.rows, p.width])
    ]
      runs [main 64] grid(folded(p.rows as u64, ROWS));

    /// An activation function in place; see [`kernels::activate`] for what each is.
    Activate = activate(f32_out("x")) {
        /// Values.
        len: u32,
        /// One of [`kernels::activate::KINDS`].
        kind: u32,
    } needs |p, room| [area([p.len])]
      where p.kind < kernels::activate::KINDS, "`kind` must be an activation that there is"
      runs [narrow 64; wide 256] vec![by_value(p.len as u64)];

    /// x += y.
    Add = add(f32_out("x"), f32_in("y")) {
        /// Values.
        len: u32,
    } needs |p, room| [area([p.len]), area([p.len])]
      runs [narrow 64; wide 256] vec![by_value(p.len as u64)];

    /// x *= y: what a gate lets through.
    Multiply = multiply(f32_out("x"), f32_in("y")) {
        /// Values.
        len: u32,
    } needs |p, room| [area([p.len]), area([p.len])]
      runs [narrow 64; wide 256] vec![by_value(p.len as u64)];

    /// out (rows, width) = `scale·tokens[ids] + places[positions]`.
    Embed = embed(u32_in("ids"), u32_in("positions"), f32_in("tokens"), f32_in("places"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Rows of `tokens`; a larger id gives zeros.
        vocab: u32,
        /// Rows of `places`; a larger position gives zeros. 0: nothing is added, and `places` may be any buffer.
        context: u32,
        /// Multiplies tokens.
        scale: f32,
    } needs |p, room| [
        area([p.rows]), area([p.rows]), area([p.vocab, p.width]), area([p.context, p.width]), area([p.rows, p.width])
    ]
      runs [narrow 64; wide 256] embedding(p.rows, p.width, p.vocab, room);

    /// Rotary positions, in place: channels c and c + half of each head of x are turned by the angle of their row's position.
    /// `turns` (context, 2·half) has the cosines of a position, then the sines. Channels from 2·half on stay as they are.
    Rotary = rotary(f32_out("x"), u32_in("positions"), f32_in("turns")) {
        /// Rows.
        rows: u32,
        /// Heads.
        heads: u32,
        /// Columns of `x`.
        stride: u32,
        /// Columns from one head to the next.
        step: u32,
        /// First column of the first head.
        first: u32,
        /// Pairs of channels that are turned in each head.
        half: u32,
        /// Rows of `turns`; a row of a larger position stays as it is.
        context: u32,
    } needs |p, room| [area([p.rows, p.stride]), area([p.rows]), area([p.context, 2, p.half])]
      where 2 * p.half as u64 <= p.step as u64, "what is turned must lie within one head"
      where reach(p.first, p.heads, p.step, p.half, 2) <= p.stride as u64, "all heads must lie within `stride` columns"
      runs [narrow 64; wide 256] vec![by_value(p.rows as u64 * p.heads as u64 * p.half as u64)];

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

    /// Causal depthwise convolution over packed sequences: `out[i][c] = bias[c] + Σ_t w[c][t]·x[i − size + 1 + t][c]`, where only
    /// rows from `starts[i]` on count.
    Convolve = convolve(f32_in("x"), f32_in("w"), f32_in("bias"), u32_in("starts"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Columns of `x`, of which the first `width` are read.
        stride: u32,
        /// Rows that a result sees.
        size: u32,
        /// 1: add `bias`. 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [
        area([p.rows, p.stride]), area([p.width, p.size]), area([p.biased, p.width]), area([p.rows]),
        area([p.rows, p.width])
    ]
      where p.width <= p.stride, "`width` must be at most `stride`"
      runs [narrow 64; wide 256] vec![by_value(p.rows as u64 * p.width as u64)];

    /// Mamba's selective scan over packed sequences, which begin where `starts[i] = i`: h = exp(−Δ·e^rates)·h + Δ·x·B, out =
    /// Σ h·C + skip·x, with B at `first` and C at `first` + state of a row of `selected`.
    Scan = scan(
        f32_in("x"), f32_in("steps"), f32_in("selected"), f32_in("rates"), f32_in("skip"), u32_in("starts"), f32_out("out")
    ) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// States of a channel.
        state: u32,
        /// Columns of `selected`.
        stride: u32,
        /// First column of B.
        first: u32,
    } needs |p, room| [
        area([p.rows, p.width]), area([p.rows, p.width]), area([p.rows, p.stride]), area([p.width, p.state]),
        area([p.width]), area([p.rows]), area([p.rows, p.width])
    ]
      where p.state <= MOST_STATES, "`state` must be at most MOST_STATES"
      where p.first as u64 + 2 * p.state as u64 <= p.stride as u64, "B and C must lie within `stride` columns"
      runs [narrow 64; wide 256] vec![by_value(p.width as u64)];

    /// Cross-entropy of each row in nats: `out[r] = log Σ_j exp(logit j) − logit target[r]`, logit j = `x[r]·w[j] (+ bias[j])`.
    /// Logits exist only for a block of rows at a time.
    Loss = loss(f32_in("x"), f32_in("w"), f32_in("bias"), u32_in("targets"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Rows of `w` (vocab, width). A target outside it gives NaN.
        vocab: u32,
        /// 1: add `bias` (vocab). 0: `bias` is not read and may be any buffer.
        biased: u32,
    } needs |p, room| [
        area([p.rows, p.width]), area([p.vocab, p.width]), area([p.biased, p.vocab]), area([p.rows]), area([p.rows])
    ]
      runs [blocks 64, join 64; tiles 64] losses(p.rows, p.width, p.vocab, room), scratch area([p.vocab.div_ceil(SLICE), PARTS, p.rows, 4]);

    /// Euclidean norm of each row.
    Norms = norms(f32_in("x"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
    } needs |p, room| [area([p.rows, p.width]), area([p.rows])]
      runs [main 64] grid(folded(p.rows as u64, ROWS));
}

const _: () = assert!(SHADERS.len() == TABLE.len(), "a shader has no row in the table");
