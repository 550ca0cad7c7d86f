//! A tile of running sums by fused multiply-add, as a wasm module of its own.
//!
//! Fused instructions (relaxed SIMD) are not in every browser, and a module that has one does not load where they are not. So
//! this file is no module of the library: `build.rs` compiles it to a program of one function and no memory, which works on
//! the memory of the engine that loads it (`kernels/fused.rs`).
#![no_std]

use core::arch::wasm32::{
    f32x4_add, f32x4_relaxed_madd, f32x4_splat, unreachable, v128, v128_load, v128_load32_splat, v128_store,
};

/// Rows of a tile, and vectors of four columns: 12 sums, two vectors of weights and one value of x fill the 15 registers that
/// a browser gives. Unfused products would need one more for each that is under way.
const ROWS: usize = 6;
const VECTORS: usize = 2;
const LANES: usize = 4;
const STRIP: usize = VECTORS * LANES;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unreachable()
}

/// out[tile][r] = (first ? 0 : out[tile][r]) + Σ_k x[tile][k][r]·strip[k] (+ bias), in the order of k.
///
/// x is (tiles, depth, 6), strip (depth, 8), bias (8) or null; rows of `out` lie `stride` floats apart.
///
/// # Safety
/// All of that lies in memory, and nothing else has `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiles(
    mut x: *const f32,
    strip: *const f32,
    depth: usize,
    mut out: *mut f32,
    stride: usize,
    tiles: usize,
    first: u32,
    bias: *const f32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        for _ in 0..tiles {
            let place = |row: usize, vector: usize| out.add(row * stride + vector * LANES).cast::<v128>();
            let mut sums = [[f32x4_splat(0.0); VECTORS]; ROWS];
            if first == 0 {
                for (row, sums) in sums.iter_mut().enumerate() {
                    *sums = [v128_load(place(row, 0)), v128_load(place(row, 1))];
                }
            }
            let mut weights = strip;
            let end = strip.add(depth * STRIP);
            while weights != end {
                let low = v128_load(weights.cast());
                let high = v128_load(weights.add(LANES).cast());
                for (row, sums) in sums.iter_mut().enumerate() {
                    let x = v128_load32_splat(x.add(row).cast());
                    *sums = [f32x4_relaxed_madd(x, low, sums[0]), f32x4_relaxed_madd(x, high, sums[1])];
                }
                x = x.add(ROWS);
                weights = weights.add(STRIP);
            }
            if !bias.is_null() {
                let bias = [v128_load(bias.cast()), v128_load(bias.add(LANES).cast())];
                for sums in &mut sums {
                    *sums = [f32x4_add(sums[0], bias[0]), f32x4_add(sums[1], bias[1])];
                }
            }
            for (row, sums) in sums.into_iter().enumerate() {
                v128_store(place(row, 0), sums[0]);
                v128_store(place(row, 1), sums[1]);
            }
            out = out.add(ROWS * stride);
        }
    }
}
