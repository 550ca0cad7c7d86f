// with values
// Mamba's selective scan: for each channel c and state n of a sequence, h_n = exp(−Δ·e^rates[c][n])·h_n + Δ·x·B_n, and
// out = Σ_n h_n·C_n + skip[c]·x. A lane has a channel and goes through the rows.

struct Params { rows: u32, width: u32, state: u32, stride: u32, first: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> steps: array<f32>;
@group(0) @binding(2) var<storage, read> selected: array<f32>;
@group(0) @binding(3) var<storage, read> rates: array<f32>;
@group(0) @binding(4) var<storage, read> skip: array<f32>;
@group(0) @binding(5) var<storage, read> starts: array<u32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;
@group(0) @binding(7) var<uniform> p: Params;

const MOST_STATES = 32u;

fn each(c: u32) {
    if c >= p.width {
        return;
    }
    var held: array<f32, MOST_STATES>;
    var fading: array<f32, MOST_STATES>;
    for (var n = 0u; n < p.state; n++) {
        fading[n] = -exponential(min(rates[c * p.state + n], 80.0));
    }
    for (var row = 0u; row < p.rows; row++) {
        let at = row * p.width + c;
        let fresh = starts[row] >= row;
        let taken = steps[at] * x[at];
        let chosen = row * p.stride + p.first;
        var sum = 0.0;
        for (var n = 0u; n < p.state; n++) {
            let before = select(held[n], 0.0, fresh);
            held[n] = exponential(steps[at] * fading[n]) * before + taken * selected[chosen + n];
            sum += held[n] * selected[chosen + p.state + n];
        }
        out[at] = sum + skip[c] * x[at];
    }
}
