// with lanes
// out (rows, width) = (x − mean)/√(var + eps)·gain + bias, in two passes. Eight rows per workgroup, ACROSS lanes per row.

struct Params { rows: u32, width: u32, eps: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gain: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;

// Rows of a workgroup.
const ROWS = 8u;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var turn = 0u; turn < ROWS * ACROSS / LANES; turn++) {
        let row = ROWS * folded(group, groups) + turn * (LANES / ACROSS) + lane / ACROSS;
        // Rows beyond the last are seen as the last and not stored.
        let base = min(row, p.rows - 1u) * p.width;
        let own = lane % ACROSS;
        var sum = 0.0;
        for (var c = own; c < p.width; c += ACROSS) {
            sum += x[base + c];
        }
        let mean = total_of_row(lane, sum) / f32(p.width);
        var squares = 0.0;
        for (var c = own; c < p.width; c += ACROSS) {
            let d = x[base + c] - mean;
            squares += d * d;
        }
        let rate = 1.0 / sqrt(total_of_row(lane, squares) / f32(p.width) + p.eps);
        if row < p.rows {
            for (var c = own; c < p.width; c += ACROSS) {
                out[base + c] = ((x[base + c] - mean) * rate) * gain[c] + bias[c];
            }
        }
    }
}
