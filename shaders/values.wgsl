// Entry points of the kernels that go value by value; each has its own
//   fn each(i: u32)    what is to be done at place i, which may be beyond the last

@compute @workgroup_size(64)
fn narrow(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    each(folded(group, groups) * LANES + lane);
}

@compute @workgroup_size(256)
fn wide(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    each(folded(group, groups) * WIDE + lane);
}
