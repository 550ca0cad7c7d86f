// with lanes
// For each α: Σ(x − clip x)² and Σ(clip x − Q(x))² per block of 4,096 values; out is (blocks, alphas, 2). One workgroup per
// block and α.

struct Params { len: u32, count: u32, levels: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> alphas: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let alpha = alphas[group.y];
    let levels = f32(p.levels);
    let step = alpha / levels;
    let end = min((group.x + 1u) * BLOCK, p.len);
    var sums = vec4f();
    for (var i = group.x * BLOCK + lane; i < end; i += LANES) {
        let clipped = clamp(x[i], -alpha, alpha);
        let excess = x[i] - clipped;
        sums.x += excess * excess;
        // An α of 0 clips everything and rounds nothing.
        if alpha > 0.0 {
            let rest = clipped - step * code(clipped, alpha, levels);
            sums.y += rest * rest;
        }
    }
    let whole = total(lane, sums);
    if lane == 0u {
        let at = 2u * (group.x * p.count + group.y);
        out[at] = whole.x;
        out[at + 1u] = whole.y;
    }
}
