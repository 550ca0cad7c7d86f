// with lanes
// What a change of the weights does to a prediction. Of each row of logits x beside those of full precision (rows, vocab): its
// loss, log Σ exp(x) − x[target]; the divergence Σ p·log(p/q) of p = softmax(full) from q = softmax(x); and 1 where another
// token has the greatest logit. One workgroup per row, in two passes.

struct Params { rows: u32, vocab: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> full: array<f32>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    // Rows beyond the last are seen as the last and not stored.
    let row = folded(group, groups);
    let base = min(row, p.rows - 1u) * p.vocab;
    // (greatest of x, greatest of full), and where each is met first.
    var peak = vec2f(LOWEST);
    var place = vec2u(p.vocab);
    for (var j = lane; j < p.vocab; j += LANES) {
        let both = vec2f(x[base + j], full[base + j]);
        place = select(place, vec2u(j), both > peak);
        peak = max(peak, both);
    }
    let most = vec2f(greatest(lane, peak.x), greatest(lane, peak.y));
    // A place is a whole number below 2²⁴, and the first is the least.
    let met = select(vec2f(LOWEST), -vec2f(place), peak == most);
    let first = vec2f(greatest(lane, met.x), greatest(lane, met.y));
    // Σ exp x, Σ exp full, Σ exp full · (full − x), each less its greatest.
    var sums = vec4f();
    for (var j = lane; j < p.vocab; j += LANES) {
        let below = vec2f(x[base + j], full[base + j]) - most;
        let weight = exponential(below.y);
        sums += vec4f(exponential(below.x), weight, weight * (below.y - below.x), 0.0);
    }
    let sum = total(lane, sums);
    if lane == 0u && row < p.rows {
        let wanted = targets[row];
        // Not a number where the target does not exist; WGSL has no constant for it.
        let nan = bitcast<f32>(0x7fc00000u | p.vocab);
        let log_sum = logarithm(sum.x);
        let loss = (most.x - x[base + min(wanted, p.vocab - 1u)]) + log_sum;
        out[3u * row] = select(nan, loss, wanted < p.vocab);
        out[3u * row + 1u] = max(sum.z / sum.y + (log_sum - logarithm(sum.y)), 0.0);
        out[3u * row + 2u] = select(0.0, 1.0, first.x != first.y);
    }
}
