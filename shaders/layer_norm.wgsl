// out (rows, width) = (x − mean)/√(var + eps)·gain + bias; one workgroup per row, in two passes.

struct Params { rows: u32, width: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gain: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = folded(group, groups);
    if row >= p.rows {
        return;
    }
    let base = row * p.width;
    var sum = 0.0;
    for (var c = lane; c < p.width; c += LANES) {
        sum += x[base + c];
    }
    let mean = total(lane, vec4f(sum)).x / f32(p.width);
    var squares = 0.0;
    for (var c = lane; c < p.width; c += LANES) {
        let d = x[base + c] - mean;
        squares += d * d;
    }
    let rate = 1.0 / sqrt(total(lane, vec4f(squares)).x / f32(p.width) + p.eps);
    for (var c = lane; c < p.width; c += LANES) {
        out[base + c] = ((x[base + c] - mean) * rate) * gain[c] + bias[c];
    }
}
