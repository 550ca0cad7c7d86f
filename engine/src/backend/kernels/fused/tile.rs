//! A tile of running sums by fused multiply-add, as a wasm module of its own.
//!
//! Fused instructions (relaxed SIMD) are not in every browser, and a module that has one does not load where they are not. So
//! this file is no module of the library: `build.rs` compiles it to a program without memory, which works on the memory of
//! the engine that loads it (`kernels/fused.rs`).
#![no_std]

use core::arch::wasm32::{
    f32x4_add, f32x4_relaxed_madd, f32x4_splat, unreachable, v128, v128_load, v128_load32_splat, v128_store,
};

/// Rows of a tile, and vectors of four columns: 12 sums, two vectors of weights and one value of x fill the 15 registers that
/// a browser gives. Unfused products would need one more for each that is under way.
const ROWS: usize = 6;
/// Rows of a last tile that has no more: 256 rows are 42 tiles and four.
const FEW: usize = 4;
const VECTORS: usize = 2;
const LANES: usize = 4;
const STRIP: usize = VECTORS * LANES;
/// Floats of a line of the cache.
const LINE: usize = 16;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unreachable()
}

/// What a call is given: x (tiles, depth, 6), strip (depth, 8), bias (8) or null; rows of `out` lie `stride` floats apart.
/// `next` is another strip of the same length, or null.
#[derive(Clone, Copy)]
struct Given {
    x: *const f32,
    strip: *const f32,
    depth: usize,
    out: *mut f32,
    stride: usize,
    tiles: usize,
    first: u32,
    bias: *const f32,
    next: *const f32,
}

/// out[tile][r] = (first ? 0 : out[tile][r]) + Σ_k x[tile][k][r]·strip[k] (+ bias) for r < R, in the order of k.
///
/// What is returned means nothing: it depends on lines of `next`, a few for each tile, so that they are fetched from far away
/// while there is other work.
///
/// # Safety
/// All that is given lies in memory, and nothing else has `out`.
#[inline(always)]
unsafe fn add<const R: usize>(Given { mut x, strip, depth, mut out, stride, tiles, first, bias, next }: Given) -> u32 {
    // SAFETY: the caller's promise.
    unsafe {
        let end = strip.add(depth * STRIP);
        let (mut ahead, last) = if next.is_null() { (end, end) } else { (next, next.add(depth * STRIP)) };
        let each = (depth * STRIP).div_ceil(LINE).div_ceil(if tiles == 0 { 1 } else { tiles });
        let mut touched = 0;
        for _ in 0..tiles {
            for _ in 0..each {
                if ahead < last {
                    touched ^= ahead.cast::<u32>().read();
                    ahead = ahead.add(LINE);
                }
            }
            let place = |row: usize, vector: usize| out.add(row * stride + vector * LANES).cast::<v128>();
            let mut sums = [[f32x4_splat(0.0); VECTORS]; R];
            if first == 0 {
                for (row, sums) in sums.iter_mut().enumerate() {
                    *sums = [v128_load(place(row, 0)), v128_load(place(row, 1))];
                }
            }
            let mut weights = strip;
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
        touched
    }
}

/// Whole tiles: see [`add`].
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiles(
    x: *const f32,
    strip: *const f32,
    depth: usize,
    out: *mut f32,
    stride: usize,
    tiles: usize,
    first: u32,
    bias: *const f32,
    next: *const f32,
) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { add::<ROWS>(Given { x, strip, depth, out, stride, tiles, first, bias, next }) }
}

/// Tiles of which only the first four rows are wanted.
///
/// # Safety
/// As for [`tiles`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn few(
    x: *const f32,
    strip: *const f32,
    depth: usize,
    out: *mut f32,
    stride: usize,
    tiles: usize,
    first: u32,
    bias: *const f32,
    next: *const f32,
) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { add::<FEW>(Given { x, strip, depth, out, stride, tiles, first, bias, next }) }
}
