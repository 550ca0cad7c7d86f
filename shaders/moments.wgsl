// with lanes
// Per block of 4,096 values: n, mean, Σd², Σd³, Σd⁴ of d = x − mean, max |x|, and how many lie farther from the centre than
// each limit. One workgroup per block, in two passes.

struct Params { len: u32, limit_1: f32, limit_2: f32, centre: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * BLOCK;
    let end = min(first + BLOCK, p.len);
    let n = f32(end - first);
    // Σx and the two counts, which an f32 holds exactly.
    var sums = vec4f();
    var most = 0.0;
    for (var i = first + lane; i < end; i += LANES) {
        let distance = abs(x[i] - p.centre);
        sums += vec4f(x[i], select(0.0, 1.0, distance > p.limit_1), select(0.0, 1.0, distance > p.limit_2), 0.0);
        most = max(most, abs(x[i]));
    }
    let counted = total(lane, sums);
    let mean = counted.x / n;
    var powers = vec4f();
    for (var i = first + lane; i < end; i += LANES) {
        let d = x[i] - mean;
        let square = d * d;
        powers += vec4f(square, square * d, square * square, 0.0);
    }
    let about = total(lane, powers);
    let largest = greatest(lane, most);
    if lane == 0u {
        let at = 8u * group.x;
        out[at] = n;
        out[at + 1u] = mean;
        out[at + 2u] = about.x;
        out[at + 3u] = about.y;
        out[at + 4u] = about.z;
        out[at + 5u] = largest;
        out[at + 6u] = counted.y;
        out[at + 7u] = counted.z;
    }
}
