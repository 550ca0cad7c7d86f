// with product, linear
// out (m, n) = x (m, k) · w (+ bias), w = code · scale: signed codes of `bits` bits (4 or 8), lowest first in each word, in
// row-major order. Of 16 bits they are IEEE halves, and there is no scale.

struct Params {
    m: u32, k: u32, n: u32, transposed: u32, biased: u32, group: u32, channels: u32, bits: u32,
    first: u32, low: u32, high: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<uniform> p: Params;

override BITS = 4u;

// Two halves. A device may take subnormal ones for 0, so they are made from their integers: mantissa · 2⁻²⁴, which f32 holds
// as a normal number.
fn halves(word: u32) -> vec2f {
    let pair = vec2u(word & 0xffffu, word >> 16u);
    let small = vec2f(pair & vec2u(0x3ffu)) * 5.9604644775390625e-8;
    let signed = select(small, -small, (pair & vec2u(0x8000u)) != vec2u());
    return select(unpack2x16float(word), signed, (pair & vec2u(0x7c00u)) == vec2u());
}

fn one(i: u32) -> f32 {
    let per_word = 32u / BITS;
    if BITS == 16u {
        return halves(codes[i / per_word - p.first])[i % 2u];
    }
    return f32(extractBits(bitcast<i32>(codes[i / per_word - p.first]), BITS * (i % per_word), BITS));
}

// Scale of a weight that may lie beyond the edge: it must only exist.
fn scale(k: u32, column: u32) -> f32 {
    let group = min(k, p.k - 1u) / p.group;
    return scales[group * p.channels + select(0u, min(column, p.n - 1u), p.channels > 1u)];
}

// Scales of four weights that are stored side by side.
fn scale_four(k: u32, column: u32) -> vec4f {
    if BITS == 16u {
        return vec4f(1.0);
    }
    if TRANSPOSED {
        // Four k from a multiple of four share a group if groups are multiples of four, or if there is only one.
        if p.group % 4u == 0u || p.group >= p.k {
            return vec4f(scale(k, column));
        }
        return vec4f(scale(k, column), scale(k + 1u, column), scale(k + 2u, column), scale(k + 3u, column));
    }
    if p.channels == 1u {
        return vec4f(scale(k, column));
    }
    return vec4f(scale(k, column), scale(k, column + 1u), scale(k, column + 2u), scale(k, column + 3u));
}

fn fours_before() -> u32 {
    return p.first * 8u / BITS;
}

// Four weights that do not cross a word, number 4·`four` and on in the window.
fn w_quad(four: u32, k: u32, column: u32) -> vec4f {
    if BITS == 16u {
        return vec4f(halves(codes[2u * four]), halves(codes[2u * four + 1u]));
    }
    // A word holds two fours or one. Shifted up, what is above a code is gone; then down with its sign.
    let fours = max(8u / BITS, 1u);
    let word = bitcast<i32>(codes[four / fours]);
    let above = 32u - BITS * (vec4u(1u, 2u, 3u, 4u) + 4u * (four % fours));
    return vec4f((vec4i(word) << above) >> vec4u(32u - BITS)) * scale_four(k, column);
}

// Four weights as they are stored, from number `i` in rows of `width`.
fn w_run(i: u32, k: u32, column: u32, width: u32) -> vec4f {
    if EVEN {
        return w_quad(i / 4u - fours_before(), k, column);
    }
    return vec4f(one(i), one(i + 1u), one(i + 2u), one(i + 3u)) * scale_four(k, column);
}
