// with lanes
// Euclidean norm of each row of x (rows, width); eight rows per workgroup, ACROSS lanes per row.

struct Params { rows: u32, width: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;

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
        var squares = 0.0;
        for (var c = lane % ACROSS; c < p.width; c += ACROSS) {
            squares += x[base + c] * x[base + c];
        }
        let sum = total_of_row(lane, squares);
        if lane % ACROSS == 0u && row < p.rows {
            out[row] = sqrt(sum);
        }
    }
}
