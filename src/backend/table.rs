//! The table of kernels: for each its stem, its bindings in order, its parameters, its CPU twin and how its shader is run.
//!
//! To add a kernel: a parameter struct and a row here, `kernels/<stem>.rs`, `shaders/<stem>.wgsl`. Tests walk the table; a
//! row that contradicts its shader does not compile.

use bytemuck::{Pod, Zeroable};

use super::BackendError;
use super::kernels::{self, Slot};
use super::shaders::{SHADERS, Shader};

/// How a kernel uses a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    Write,
}

/// What the words of a buffer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 32-bit floats.
    F32,
    /// 32-bit unsigned integers, or packed smaller ones.
    U32,
}

/// One buffer of a kernel, at the binding number that is its place in the row (the parameters come last, as a uniform).
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Its name in the WGSL file.
    pub name: &'static str,
    /// Read or written.
    pub access: Access,
    /// Type of its words.
    pub element: Element,
}

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

/// An entry point of a shader.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Invocations of one workgroup.
    pub lanes: u32,
}

/// Which entry point runs, and on how many workgroups; none where one of the numbers is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Place in [`Row::entries`].
    pub entry: usize,
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
}

/// Workgroups along one dimension that every device allows.
pub const MOST_GROUPS: u32 = 65_535;

/// `items` over workgroups that take `each`, folded into y where x is full. The shader leaves out what is beyond.
const fn folded(items: u64, each: u32) -> Launch {
    let groups = items.div_ceil(each as u64);
    let x = if groups < MOST_GROUPS as u64 { groups } else { MOST_GROUPS as u64 };
    let y = if x == 0 { 0 } else { groups.div_ceil(x) };
    Launch { entry: 0, groups: [x as u32, y as u32, 1] }
}

/// One workgroup for each place of a grid.
const fn grid(groups: [u32; 3]) -> Launch {
    Launch { entry: 0, groups }
}

/// A product: tiles, or the way for few rows, which tiles would leave mostly empty.
const fn product(m: u32, n: u32) -> Launch {
    if m <= FEW_ROWS {
        return Launch { entry: 1, groups: [n.div_ceil(TILE_COLUMNS), m, 1] };
    }
    Launch { entry: 0, groups: [n.div_ceil(TILE_COLUMNS), m.div_ceil(TILE_ROWS), 1] }
}

const TILE_ROWS: u32 = Shader::of("matmul").constant("TILE_ROWS");
const TILE_COLUMNS: u32 = Shader::of("matmul").constant("TILE_COLUMNS");
/// A quarter of a tile.
const FEW_ROWS: u32 = TILE_ROWS / 4;
/// Invocations of the workgroups that go value by value, and of those that reduce.
const WIDE: u32 = Shader::of("add").constant("WIDE");
const LANES: u32 = Shader::of("attention").constant("LANES");
/// Rows that a workgroup of attention takes: the components of a vector.
const FOUR: u32 = 4;

/// One row of the table.
pub struct Row {
    /// `kernels/<stem>.rs` and `shaders/<stem>.wgsl`.
    pub stem: &'static str,
    /// Buffers in order.
    pub bindings: &'static [Binding],
    /// How many 32-bit words the parameters take.
    pub params: usize,
    /// Their names and types, in order.
    pub fields: &'static [(&'static str, Element)],
    /// Entry points of the shader, in order.
    pub entries: &'static [Entry],
    /// How the shader is run for these parameters.
    pub launch: fn(params: &[u32]) -> Launch,
    /// Words that binding number `i` must hold at least for these parameters; `usize::MAX` if they cannot be counted.
    pub needed: fn(params: &[u32], i: usize) -> usize,
    /// What the parameters break, if anything: the sentence says what they must be.
    pub fault: fn(params: &[u32]) -> Option<&'static str>,
    /// The CPU twin.
    pub cpu: fn(params: &[u32], slots: &mut [Slot<'_>]),
}

impl Row {
    /// Checks a dispatch before it touches memory: the number of buffers, the parameters, and the length of each buffer.
    pub fn check(&self, params: &[u32], given: usize, words: impl Fn(usize) -> usize) -> Result<(), BackendError> {
        let kernel = self.stem;
        if given != self.bindings.len() {
            return Err(BackendError::Bindings { kernel, expected: self.bindings.len(), given });
        }
        if let Some(rule) = (self.fault)(params) {
            return Err(BackendError::Parameters { kernel, rule });
        }
        for (i, binding) in self.bindings.iter().enumerate() {
            let (given, needed) = (words(i), (self.needed)(params, i));
            if given < needed {
                return Err(BackendError::Short { kernel, binding: binding.name, given, needed });
            }
        }
        Ok(())
    }
}

/// Product of dimensions as a number of words; `usize::MAX` where it does not fit (a wasm address has 32 bits).
fn area<const N: usize>(dimensions: [u32; N]) -> usize {
    dimensions.iter().try_fold(1usize, |area, &d| area.checked_mul(d as usize)).unwrap_or(usize::MAX)
}

/// Parameters of one kernel: plain words, laid out as the WGSL uniform.
pub trait Params: Pod {
    /// The kernel's row.
    const ROW: &'static Row;
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

/// Declares parameter structs with their rows.
macro_rules! kernels {
    ($( $(#[$doc:meta])* $name:ident = $stem:ident ( $($binding:expr),* ) {
            $( $(#[$field_doc:meta])* $field:ident : $type:ident ),* $(,)?
        } needs |$p:ident| [ $($needed:expr),* ] $(where $holds:expr, $rule:literal)*
          runs [ $($entry:ident $lanes:literal),* ] $launch:expr; )*) => {
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
                    entries: &[$(Entry { name: stringify!($entry), lanes: $lanes }),*],
                    launch: |words| {
                        let $p: &$name = bytemuck::from_bytes(bytemuck::cast_slice(words));
                        $launch
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
                    cpu: |words, slots| kernels::$stem::run(bytemuck::from_bytes(bytemuck::cast_slice(words)), slots),
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
    } needs |p| [area([p.len]), area([p.len.div_ceil(BLOCK), MOMENT_WORDS])]
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
    } needs |p| [area([p.len]), area([p.bins])]
      where p.bins > 0, "`bins` must be at least 1"
      runs [main 256] grid([p.len.div_ceil(BLOCK), 1, 1]);

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
    } needs |p| [area([p.k, p.n]), area([p.k.div_ceil(p.group), p.channels]), area([p.k, p.n])]
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      where p.levels > 0, "`levels` must be at least 1"
      runs [main 256] folded(p.k as u64 * p.n as u64, WIDE);

    /// For each α: Σ of squared clipping error and Σ of squared rounding error, per block of [`BLOCK`] values; out is
    /// (blocks, alphas, 2).
    MseGrid = mse_grid(f32_in("x"), f32_in("alphas"), f32_out("out")) {
        /// Values in `x`.
        len: u32,
        /// How many α.
        count: u32,
        /// 2^(B−1) − 1.
        levels: u32,
    } needs |p| [area([p.len]), area([p.count]), area([p.len.div_ceil(BLOCK), p.count, 2])]
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
    } needs |p| [area([p.m, p.k]), area([p.k, p.n]), area([p.biased, p.n]), area([p.m, p.n])]
      runs [tiles 64, few 256] product(p.m, p.n);

    /// [`Matmul`] with weights packed as signed bytes, four to a word in row-major order; w = code · scale.
    MatmulQ8 = matmul_q8(f32_in("x"), u32_in("codes"), f32_in("scales"), f32_in("bias"), f32_out("out")) {
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
    } needs |p| [
        area([p.m, p.k]), area([p.k, p.n]).div_ceil(4), area([p.k.div_ceil(p.group), p.channels]), area([p.biased, p.n]),
        area([p.m, p.n])
    ]
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      runs [tiles 64, few 256] product(p.m, p.n);

    /// [`Matmul`] with weights packed as signed nibbles, eight to a word, lowest first, in row-major order.
    MatmulQ4 = matmul_q4(f32_in("x"), u32_in("codes"), f32_in("scales"), f32_in("bias"), f32_out("out")) {
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
    } needs |p| [
        area([p.m, p.k]), area([p.k, p.n]).div_ceil(8), area([p.k.div_ceil(p.group), p.channels]), area([p.biased, p.n]),
        area([p.m, p.n])
    ]
      where p.group > 0, "`group` must be at least 1"
      where p.channels == 1 || p.channels == p.n, "`channels` must be 1 or n"
      runs [tiles 64, few 256] product(p.m, p.n);

    /// out (rows, width) = (x − mean)/√(var + eps)·gain + bias, per row.
    LayerNorm = layer_norm(f32_in("x"), f32_in("gain"), f32_in("bias"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Added to the variance.
        eps: f32,
    } needs |p| [area([p.rows, p.width]), area([p.width]), area([p.width]), area([p.rows, p.width])]
      runs [main 64] folded(p.rows as u64, 1);

    /// GELU in its tanh form, in place: x·σ(2u), u = √(2/π)(x + 0.044715x³).
    Gelu = gelu(f32_out("x")) {
        /// Values.
        len: u32,
    } needs |p| [area([p.len])]
      runs [main 256] folded(p.len as u64, WIDE);

    /// x += y.
    Add = add(f32_out("x"), f32_in("y")) {
        /// Values.
        len: u32,
    } needs |p| [area([p.len]), area([p.len])]
      runs [main 256] folded(p.len as u64, WIDE);

    /// out (rows, width) = tokens[ids] + positions_table[positions].
    Embed = embed(u32_in("ids"), u32_in("positions"), f32_in("tokens"), f32_in("places"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Rows of `tokens`; a larger id gives zeros.
        vocab: u32,
        /// Rows of `places`; a larger position gives zeros.
        context: u32,
    } needs |p| [
        area([p.rows]), area([p.rows]), area([p.vocab, p.width]), area([p.context, p.width]), area([p.rows, p.width])
    ]
      runs [main 256] folded(p.rows as u64 * p.width as u64, WIDE);

    /// Causal attention over packed sequences: row i attends to rows starts[i]..=i (none if starts[i] > i: zeros). q, k
    /// and v are slices of one buffer of `stride` columns; head h of each lies at offset + h·head. out is (rows, heads·head).
    Attention = attention(f32_in("qkv"), u32_in("starts"), f32_out("out")) {
        /// Rows of all sequences together.
        rows: u32,
        /// Heads.
        heads: u32,
        /// Channels of one head.
        head: u32,
        /// Columns of `qkv`.
        stride: u32,
        /// First column of the keys (queries start at 0).
        keys: u32,
        /// First column of the values.
        values: u32,
        /// Multiplies q·k.
        scale: f32,
    } needs |p| [area([p.rows, p.stride]), area([p.rows]), area([p.rows, p.heads, p.head])]
      where p.keys.max(p.values) as usize <= (p.stride as usize).saturating_sub(area([p.heads, p.head])),
      "queries, keys and values of all heads must lie within `stride` columns"
      where area([p.heads, p.head]) <= p.stride as usize, "all heads must fit in `stride` columns"
      runs [main 64] grid([p.rows.div_ceil(FOUR), p.heads, p.head.div_ceil(LANES)]);

    /// Cross-entropy of each row in nats: out[r] = log Σ_j exp(x[r]·w[j]) − x[r]·w[target[r]]. Logits exist only for a
    /// block of rows at a time.
    Loss = loss(f32_in("x"), f32_in("w"), u32_in("targets"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
        /// Rows of `w` (vocab, width). A target outside it gives NaN.
        vocab: u32,
    } needs |p| [area([p.rows, p.width]), area([p.vocab, p.width]), area([p.rows]), area([p.rows])]
      runs [main 64] grid([p.rows.div_ceil(TILE_ROWS), 1, 1]);

    /// Euclidean norm of each row.
    Norms = norms(f32_in("x"), f32_out("out")) {
        /// Rows.
        rows: u32,
        /// Channels.
        width: u32,
    } needs |p| [area([p.rows, p.width]), area([p.rows])]
      runs [main 64] folded(p.rows as u64, 1);
}

const _: () = assert!(SHADERS.len() == TABLE.len(), "a shader has no row in the table");
