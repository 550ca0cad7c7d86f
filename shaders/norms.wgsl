// Euclidean norm of each row of x (rows, width); one workgroup per row.

struct Params { rows: u32, width: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;

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
    var squares = 0.0;
    for (var c = lane; c < p.width; c += LANES) {
        let value = x[row * p.width + c];
        squares += value * value;
    }
    let sum = total(lane, vec4f(squares)).x;
    if lane == 0u {
        out[row] = sqrt(sum);
    }
}
