// with values
// Causal depthwise convolution: out[i][c] = bias[c] + Σ_t w[c][t]·x[i − size + 1 + t][c], over rows of i's own sequence.

struct Params { rows: u32, width: u32, stride: u32, size: u32, biased: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<uniform> p: Params;

fn each(i: u32) {
    if i >= p.rows * p.width {
        return;
    }
    let row = i / p.width;
    let c = i % p.width;
    var sum = 0.0;
    if p.biased != 0u {
        sum = bias[c];
    }
    for (var t = 0u; t < p.size; t++) {
        let back = p.size - 1u - t;
        if row >= back && row - back >= starts[row] {
            sum += w[c * p.size + t] * x[(row - back) * p.stride + c];
        }
    }
    out[i] = sum;
}
