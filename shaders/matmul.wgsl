// with product, linear
// out (m, n) = x (m, k) · w (+ bias); w is (k, n), or (n, k) if transposed.

struct Params { m: u32, k: u32, n: u32, transposed: u32, biased: u32, first: u32, low: u32, high: u32 }

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> w: array<vec4f>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;

fn one(i: u32) -> f32 {
    return w[(i - p.first) / 4u][i % 4u];
}

fn fours_before() -> u32 {
    return p.first / 4u;
}

fn w_quad(four: u32, k: u32, column: u32) -> vec4f {
    return w[four];
}

// Four weights as they are stored, from number `i` in rows of `width`.
fn w_run(i: u32, k: u32, column: u32, width: u32) -> vec4f {
    if EVEN {
        return w_quad(i / 4u - fours_before(), k, column);
    }
    return vec4f(one(i), one(i + 1u), one(i + 2u), one(i + 3u));
}
