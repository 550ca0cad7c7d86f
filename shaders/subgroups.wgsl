// The functions of `lanes.wgsl` for devices with subgroups: each subgroup sums its own lanes at once, one exchange shows the
// sums of all of them to each. It holds for subgroups of any size, and whichever lanes they have: how many lanes a subgroup has,
// and which of them a lane is, are sums of ones.

// Lanes that share a row in the kernels that go row by row: all, one row after another.
const ACROSS = LANES;

var<workgroup> of_lanes: array<vec4f, LANES>;

// Sum over all lanes, in every lane. All lanes must call it.
fn total(lane: u32, x: vec4f) -> vec4f {
    let of_subgroup = subgroupAdd(x);
    let size = subgroupAdd(1u);
    let place = subgroupExclusiveAdd(1u);
    workgroupBarrier();
    // One lane of each subgroup leaves its sum.
    of_lanes[lane] = select(vec4f(), of_subgroup, place == 0u);
    workgroupBarrier();
    var sum = vec4f();
    for (var i = place; i < LANES; i += size) {
        sum += of_lanes[i];
    }
    return subgroupAdd(sum);
}

// Sum over the lanes that share lane / ACROSS, in each of them. All lanes must call it.
fn total_of_row(lane: u32, x: f32) -> f32 {
    return total(lane, vec4f(x)).x;
}

// Largest over all lanes, in every lane. All lanes must call it.
fn greatest(lane: u32, x: f32) -> f32 {
    let of_subgroup = subgroupMax(x);
    let size = subgroupAdd(1u);
    let place = subgroupExclusiveAdd(1u);
    workgroupBarrier();
    of_lanes[lane] = vec4f(of_subgroup);
    workgroupBarrier();
    var most = of_subgroup;
    for (var i = place; i < LANES; i += size) {
        most = max(most, of_lanes[i].x);
    }
    return subgroupMax(most);
}
