// with values
// Activation functions in place; each arm is the twin of one in `kernels/activate.rs`.

struct Params { len: u32, kind: u32 }

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<uniform> p: Params;

// x·σ(2u) = x / (1 + e^(−2u)), u = √(2/π)(x + 0.044715x³). Beyond ±20 the result is x or 0; bounded, nothing overflows.
fn gelu_tanh(x: f32) -> f32 {
    let b = clamp(x, -20.0, 20.0);
    let t = (b + (0.044715 * b) * (b * b)) * -1.595769;
    return select(x / (1.0 + exponential(min(t, 87.0))), 0.0, t > 87.0);
}

// x·Φ(x); beyond 13 the tail is 0.
fn gelu(x: f32) -> f32 {
    let z = min(abs(x), 20.0) * 0.70710678;
    let t = 1.0 / (1.0 + 0.5 * z);
    var poly = 0.17087277;
    poly = poly * t - 0.82215223;
    poly = poly * t + 1.4885159;
    poly = poly * t - 1.135204;
    poly = poly * t + 0.27886807;
    poly = poly * t - 0.18628806;
    poly = poly * t + 0.09678418;
    poly = poly * t + 0.37409196;
    poly = poly * t + 1.0000237;
    poly = poly * t - 1.2655122;
    let tail = (0.5 * t) * exponential(poly - z * z);
    return x * select(1.0 - tail, tail, x < 0.0);
}

fn silu(x: f32) -> f32 {
    return select(x / (1.0 + exponential(min(-x, 87.0))), 0.0, x < -87.0);
}

// ln(1 + e^x); ln(1 + e) = 2·atanh(e/(2 + e)).
fn softplus(x: f32) -> f32 {
    let e = exponential(-abs(x));
    let s = e / (2.0 + e);
    let t = s * s;
    var poly = t * 0.06666667 + 0.07692308;
    poly = poly * t + 0.09090909;
    poly = poly * t + 0.11111111;
    poly = poly * t + 0.14285714;
    poly = poly * t + 0.2;
    poly = poly * t + 0.33333333;
    poly = poly * t + 1.0;
    return max(x, 0.0) + 2.0 * s * poly;
}

fn each(i: u32) {
    if i >= p.len {
        return;
    }
    let value = x[i];
    switch p.kind {
        case 0u: { x[i] = gelu_tanh(value); }
        case 1u: { x[i] = gelu(value); }
        case 2u: { x[i] = max(value, 0.0); }
        case 3u: { x[i] = silu(value); }
        default: { x[i] = softplus(value); }
    }
}
