// with values
// GELU in its tanh form, in place: x·σ(2u) = x / (1 + e^(−2u)), u = √(2/π)(x + 0.044715x³).

struct Params { len: u32 }

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<uniform> p: Params;

fn each(i: u32) {
    if i >= p.len {
        return;
    }
    let value = x[i];
    // Beyond ±20 the result is x or 0; bounded, nothing overflows.
    let b = clamp(value, -20.0, 20.0);
    let t = (b + (0.044715 * b) * (b * b)) * -1.595769;
    x[i] = select(value / (1.0 + exponential(min(t, 87.0))), 0.0, t > 87.0);
}
