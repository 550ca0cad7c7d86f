// with values
// out = step·round_half_even(clip(x, ±α)·levels/α), step = α/levels; an α of 0 gives zeros.

struct Params { k: u32, n: u32, transposed: u32, group: u32, channels: u32, levels: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> alphas: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;

fn each(i: u32) {
    if i >= p.k * p.n {
        return;
    }
    // x is (k, n), or (n, k) if transposed.
    let k = select(i / p.n, i % p.k, p.transposed != 0u);
    let n = select(i % p.n, i / p.k, p.transposed != 0u);
    let alpha = alphas[k / p.group * p.channels + select(0u, n, p.channels > 1u)];
    var value = 0.0;
    if alpha > 0.0 {
        let levels = f32(p.levels);
        value = (alpha / levels) * code(clamp(x[i], -alpha, alpha), alpha, levels);
    }
    out[i] = value;
}
