// Sums and maxima over the 64 lanes of a workgroup, through workgroup memory: what every device can do. `subgroups.wgsl` has the
// same functions for those that can do more.

// Lanes that share a row in the kernels that go row by row: eight rows at once, so that a sum takes one exchange.
const ACROSS = 8u;

var<workgroup> of_lanes: array<vec4f, LANES>;

// Puts x where the other lanes see it. All lanes must call it.
fn show(lane: u32, x: vec4f) {
    workgroupBarrier();
    of_lanes[lane] = x;
    workgroupBarrier();
}

fn total_of_eight(lane: u32, x: vec4f) -> vec4f {
    show(lane, x);
    var sum = vec4f();
    for (var i = 0u; i < 8u; i++) {
        sum += of_lanes[8u * (lane / 8u) + i];
    }
    return sum;
}

// Sum over the lanes that share lane / ACROSS, in each of them. All lanes must call it.
fn total_of_row(lane: u32, x: f32) -> f32 {
    return total_of_eight(lane, vec4f(x)).x;
}

// Sum over all lanes, in every lane. All lanes must call it. Two exchanges, because barriers cost more than sums.
fn total(lane: u32, x: vec4f) -> vec4f {
    show(lane, total_of_eight(lane, x));
    var sum = vec4f();
    for (var i = 0u; i < LANES; i += 8u) {
        sum += of_lanes[i];
    }
    return sum;
}

// Largest over all lanes, in every lane. All lanes must call it.
fn greatest(lane: u32, x: f32) -> f32 {
    show(lane, vec4f(x));
    var most = of_lanes[0].x;
    for (var i = 1u; i < LANES; i++) {
        most = max(most, of_lanes[i].x);
    }
    return most;
}
