// with lanes
// out (rows, width) = (x − mean)/√(var + eps)·(gain + offset) + bias, in two passes; without the mean, one. Eight rows per
// workgroup, ACROSS lanes per row.

struct Params { rows: u32, width: u32, eps: f32, offset: f32, centred: u32, biased: u32 }

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
        var mean = 0.0;
        if p.centred != 0u {
            var sum = 0.0;
            for (var c = own; c < p.width; c += ACROSS) {
                sum += x[base + c];
            }
            mean = total_of_row(lane, sum) / f32(p.width);
        }
        var squares = 0.0;
        for (var c = own; c < p.width; c += ACROSS) {
            let d = x[base + c] - mean;
            squares += d * d;
        }
        let rate = 1.0 / sqrt(total_of_row(lane, squares) / f32(p.width) + p.eps);
        if row < p.rows {
            for (var c = own; c < p.width; c += ACROSS) {
                let scaled = ((x[base + c] - mean) * rate) * (gain[c] + p.offset);
                // Not read where there is none.
                var added = 0.0;
                if p.biased != 0u {
                    added = bias[c];
                }
                out[base + c] = scaled + added;
            }
        }
    }
}
