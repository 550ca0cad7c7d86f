//! The table of kernels, and their CPU twins, one file per kernel, same stem and bindings as `shaders/<stem>.wgsl`.
//!
//! To add a kernel: its shader, its file with its parameters, its row, its twin and its proof, and here two lines. Tests walk the
//! table; a row that contradicts its shader does not compile.
//!
//! Laws of exact mode: a fixed order of reduction, no fused multiply-add, IEEE operations only, so that wasm and native
//! give the same bits. A row of a result never depends on which other rows are in the batch; that also holds where products
//! are [`Products::Fused`].

pub use super::row::{Access, Binding, Element, Entry, Launch, MOST_GROUPS, Params, Row, Way, Window};
use super::{proof::Proof, shaders::SHADERS};

pub mod activate;
pub mod add;
pub mod attention;
pub mod convolve;
pub mod divergence;
pub mod embed;
pub mod gather;
pub mod histogram;
pub mod layer_norm;
pub mod loss;
pub mod matmul;
pub mod matmul_packed;
pub mod moments;
pub mod mse_grid;
pub mod multiply;
pub mod norms;
pub mod quantize;
pub mod rotary;
pub mod scan;

pub mod fused;
mod given;
pub(crate) mod packed;
pub(crate) mod strips;
pub(crate) mod sums;
pub(crate) mod tile;

pub use given::{Given, Products, Slot};

/// Lists the kernels by their parameters.
macro_rules! table {
    ($($stem:ident::$name:ident,)*) => {
        $(pub use $stem::$name;)*

        /// Every kernel.
        pub const TABLE: &[&Row] = &[$($name::ROW),*];

        /// How each is shown to be right. No program has these, only tests.
        pub const PROOFS: &[(&Row, Proof)] = &[$(($name::ROW, $stem::PROOF)),*];
    };
}

table! {
    moments::Moments,
    histogram::Histogram,
    quantize::Quantize,
    mse_grid::MseGrid,
    matmul::Matmul,
    matmul_packed::MatmulPacked,
    layer_norm::LayerNorm,
    activate::Activate,
    add::Add,
    multiply::Multiply,
    embed::Embed,
    rotary::Rotary,
    attention::Attention,
    gather::Gather,
    convolve::Convolve,
    scan::Scan,
    loss::Loss,
    divergence::Divergence,
    norms::Norms,
}

const _: () = assert!(SHADERS.len() == TABLE.len(), "a shader has no row in the table");
