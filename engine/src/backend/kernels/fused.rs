//! Products by fused multiply-add: faster by a third in a browser whose processor has it, and rounded a little differently.
//!
//! Not exact mode: whether a browser fuses is its own choice, so a report that was made this way says so and is compared
//! within a tolerance, like one of WebGPU. The tile itself is a wasm module of its own (`fused/tile.rs`) that is loaded where
//! the browser takes it. Natively the same sums are made one by one; that is for tests, and slow.

use super::tile::{Part, Tiling};

/// Rows of a tile (`fused/tile.rs`).
const ROWS: usize = 6;

/// That it can be done here.
#[derive(Debug, Clone, Copy)]
pub struct Fused(imp::Tile);

impl Fused {
    /// None where the browser lacks relaxed SIMD.
    pub fn here() -> Option<Fused> {
        imp::load().map(Fused)
    }
}

impl Tiling<ROWS> for Fused {
    #[inline(always)]
    fn add(self, part: &Part<'_, ROWS>, out: &mut [f32], stride: usize) {
        let width = super::strips::STRIP;
        assert!(stride >= width && part.x.len() >= part.tiles * part.strip.len());
        assert!(part.tiles == 0 || out.len() >= (part.tiles * ROWS - 1) * stride + width);
        imp::add(self.0, part, out, stride);
    }
}

#[cfg(all(target_arch = "wasm32", not(kernels_only)))]
mod imp {
    #![allow(unsafe_code)]

    use std::cell::OnceCell;

    use js_sys::{Function, Object, Reflect, WebAssembly};
    use wasm_bindgen::{JsCast, JsValue};

    use super::{Part, ROWS};
    use crate::backend::lanes::LANES;

    /// Rows of a tile that has few (`fused/tile.rs`).
    const FEW: usize = 4;

    /// x, strip, depth, out, stride, tiles, first, bias, next: see `fused/tile.rs`.
    type Add =
        unsafe extern "C" fn(*const f32, *const f32, usize, *mut f32, usize, usize, u32, *const f32, *const f32) -> u32;

    #[derive(Debug, Clone, Copy)]
    pub struct Tile {
        tiles: Add,
        few: Add,
    }

    const MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tile.wasm"));

    thread_local! {
        static LOADED: OnceCell<Option<Tile>> = const { OnceCell::new() };
    }

    pub fn load() -> Option<Tile> {
        LOADED.with(|loaded| *loaded.get_or_init(|| instantiate().ok()))
    }

    /// The module on this program's memory, its functions at new places of this program's table of functions.
    fn instantiate() -> Result<Tile, JsValue> {
        let bytes = js_sys::Uint8Array::from(MODULE);
        let module = WebAssembly::Module::new(&bytes)?;
        let (imports, env) = (Object::new(), Object::new());
        Reflect::set(&env, &"memory".into(), &wasm_bindgen::memory())?;
        Reflect::set(&imports, &"env".into(), &env)?;
        let instance = WebAssembly::Instance::new(&module, &imports)?;
        let table: WebAssembly::Table = wasm_bindgen::function_table().dyn_into()?;
        let add = |name: &str| -> Result<Add, JsValue> {
            let function: Function = Reflect::get(&instance.exports(), &name.into())?.dyn_into()?;
            let place = table.grow(1)?;
            table.set(place, &function)?;
            // SAFETY: in wasm a function pointer is a place in this table, and the function there has this type; a call of
            // another type would trap.
            Ok(unsafe { std::mem::transmute::<usize, Add>(place as usize) })
        };
        Ok(Tile { tiles: add("tiles")?, few: add("few")? })
    }

    #[inline(always)]
    pub fn add(tile: Tile, part: &Part<'_, ROWS>, out: &mut [f32], stride: usize) {
        let bias: Option<[f32; LANES]> = part.bias.map(|bias| bias.to_array());
        let bias = bias.as_ref().map_or(std::ptr::null(), |bias| bias.as_ptr());
        let (x, strip, depth) = (part.x.as_ptr().cast(), part.strip.as_ptr().cast(), part.strip.len());
        let next = part.next.filter(|next| next.len() >= depth).map_or(std::ptr::null(), |next| next.as_ptr().cast());
        let add = if part.rows <= FEW { tile.few } else { tile.tiles };
        // SAFETY: the caller has checked that x, the strip and the rows of `out` are as long as these numbers say; `out` is
        // borrowed for writing.
        unsafe { add(x, strip, depth, out.as_mut_ptr(), stride, part.tiles, part.first.into(), bias, next) };
    }
}

#[cfg(any(not(target_arch = "wasm32"), kernels_only))]
mod imp {
    use super::{Part, ROWS};
    use crate::backend::kernels::strips::STRIP;
    use crate::backend::kernels::sums::{ZERO, load as sums_in, store};
    use crate::backend::lanes::Lanes;

    #[derive(Debug, Clone, Copy)]
    pub struct Tile;

    pub fn load() -> Option<Tile> {
        Some(Tile)
    }

    pub fn add(_: Tile, part: &Part<'_, ROWS>, out: &mut [f32], stride: usize) {
        let depth = part.strip.len();
        for tile in 0..part.tiles {
            for r in 0..part.rows {
                let out = &mut out[(tile * ROWS + r) * stride..];
                let mut sums: [f32; STRIP] = if part.first { ZERO } else { sums_in(out) }.to_array();
                for (x, weights) in part.x[tile * depth..][..depth].iter().zip(part.strip) {
                    for (sum, weight) in sums.iter_mut().zip(weights) {
                        *sum = libm::fmaf(x[r], *weight, *sum);
                    }
                }
                let sums = Lanes::new(sums);
                store(part.bias.map_or(sums, |bias| sums + bias), out);
            }
        }
    }
}
