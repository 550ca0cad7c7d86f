//! CPU twins, one file per kernel, same stem and bindings as `shaders/<stem>.wgsl`.
//!
//! Laws of exact mode: a fixed order of reduction, no fused multiply-add, IEEE operations only, so that wasm and native
//! give the same bits.

pub mod add;
pub mod attention;
pub mod embed;
pub mod gelu;
pub mod histogram;
pub mod layer_norm;
pub mod loss;
pub mod matmul;
pub mod matmul_q4;
pub mod matmul_q8;
pub mod moments;
pub mod mse_grid;
pub mod norms;
pub mod quantize;

/// A buffer as a kernel sees it.
pub enum Slot<'a> {
    /// Bound to read.
    Read(&'a [u32]),
    /// Bound to write.
    Write(&'a mut [u32]),
}
