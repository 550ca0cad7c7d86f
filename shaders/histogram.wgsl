// Adds counts of x in equal cells over [low, low + bins/per_unit); what lies outside goes to the end cells. Where the cells
// fit, a workgroup counts 4,096 values in its own memory and adds the result once.

struct Params { len: u32, bins: u32, low: f32, per_unit: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> p: Params;

const NEAR = 1024u;
var<workgroup> near: array<atomic<u32>, NEAR>;

// Bounded as a float: a conversion of what does not fit is left open by some devices. A NaN goes to the first cell.
fn cell(x: f32) -> u32 {
    let place = (x - p.low) * p.per_unit;
    if place >= f32(p.bins - 1u) {
        return p.bins - 1u;
    }
    return select(0u, u32(max(place, 0.0)), place >= 1.0);
}

// What one of `lanes` invocations counts of block number `block`.
fn count(block: u32, lane: u32, lanes: u32) {
    let first = block * BLOCK;
    let end = min(first + BLOCK, p.len);
    if p.bins > NEAR {
        for (var i = first + lane; i < end; i += lanes) {
            atomicAdd(&counts[cell(x[i])], 1u);
        }
        return;
    }
    for (var i = first + lane; i < end; i += lanes) {
        atomicAdd(&near[cell(x[i])], 1u);
    }
    workgroupBarrier();
    for (var bin = lane; bin < p.bins; bin += lanes) {
        let found = atomicLoad(&near[bin]);
        if found > 0u {
            atomicAdd(&counts[bin], found);
        }
    }
}

@compute @workgroup_size(64)
fn narrow(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    count(group.x, lane, LANES);
}

@compute @workgroup_size(256)
fn wide(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    count(group.x, lane, WIDE);
}
