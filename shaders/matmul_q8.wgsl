// with product, linear
// out (m, n) = x (m, k) · w (+ bias), w = code · scale: signed bytes, four to a word, lowest first, in row-major order.

struct Params { m: u32, k: u32, n: u32, transposed: u32, biased: u32, group: u32, channels: u32 }

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<uniform> p: Params;

const BITS = 8u;
const PER_WORD = 4u;

fn extract(word: u32, i: u32) -> f32 {
    return f32(extractBits(bitcast<i32>(word), BITS * (i % PER_WORD), BITS));
}

fn one(i: u32) -> f32 {
    return extract(codes[i / PER_WORD], i);
}

fn scale(k: u32, column: u32) -> f32 {
    // Beyond the edge the weight is left out; its scale must only exist.
    let group = min(k, p.k - 1u) / p.group;
    return scales[group * p.channels + select(0u, min(column, p.n - 1u), p.channels > 1u)];
}

// Four weights as they are stored, from number `i`; `aligned` if every row starts at a multiple of four.
fn w_run(i: u32, k: u32, column: u32, aligned: bool) -> vec4f {
    var four: vec4f;
    if aligned {
        let word = codes[i / PER_WORD];
        four = vec4f(extract(word, i), extract(word, i + 1u), extract(word, i + 2u), extract(word, i + 3u));
    } else {
        four = vec4f(one(i), one(i + 1u), one(i + 2u), one(i + 3u));
    }
    if p.transposed != 0u {
        return four * vec4f(scale(k, column), scale(k + 1u, column), scale(k + 2u, column), scale(k + 3u, column));
    }
    return four * vec4f(scale(k, column), scale(k, column + 1u), scale(k, column + 2u), scale(k, column + 3u));
}
