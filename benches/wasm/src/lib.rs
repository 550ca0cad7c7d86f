//! Exports for `run.mjs`: our matmul, `gemm` and `matrixmultiply` on the same operands, and the kernels of a whole
//! forward pass in the order in which GPT-2 needs them.

// The backend's own sources, so that the bench does not build the page's dependencies.
#[path = "../../../engine/src/backend/mod.rs"]
pub mod backend;

/// What the kernels' proofs use of mathematics.
pub mod math {
    #[path = "../../../../engine/src/math/quantizer/grid.rs"]
    pub mod quantizer;
}

mod forward;
mod product;
