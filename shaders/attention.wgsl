// Causal attention: row i attends to rows starts[i]..=i. One workgroup per four rows, head and 64 channels of the values; it
// walks over the keys in tiles of 64 with a running maximum and sum (online softmax), so no row of scores is ever whole.
// The four rows are the four components of every vector.

struct Params { rows: u32, heads: u32, head: u32, stride: u32, keys: u32, values: u32, scale: f32 }

@group(0) @binding(0) var<storage, read> qkv: array<f32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;

var<workgroup> queries: array<vec4f, LANES>;
var<workgroup> scores: array<vec4f, LANES>;
var<workgroup> weights: array<vec4f, LANES>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let rows = 4u * group.x + vec4u(0u, 1u, 2u, 3u);
    // Rows beyond the last are seen as the last and not stored.
    let held = min(rows, vec4u(p.rows - 1u));
    let begin = vec4u(starts[held.x], starts[held.y], starts[held.z], starts[held.w]);
    let first = min(min(begin.x, begin.y), min(begin.z, begin.w));
    let end = held.w + 1u;
    let base = group.y * p.head;
    let channel = group.z * LANES + lane;
    var most = vec4f(LOWEST);
    var sum = vec4f();
    var mixed = vec4f();
    for (var tile = first; tile < end; tile += LANES) {
        // The lane's key against all four queries, 64 channels at a time.
        let key = tile + lane;
        let key_at = min(key, p.rows - 1u) * p.stride + p.keys + base;
        var score = vec4f();
        for (var c = 0u; c < p.head; c += LANES) {
            workgroupBarrier();
            if c + lane < p.head {
                let at = held * p.stride + base + c + lane;
                queries[lane] = vec4f(qkv[at.x], qkv[at.y], qkv[at.z], qkv[at.w]);
            }
            workgroupBarrier();
            for (var i = 0u; i < min(LANES, p.head - c); i++) {
                score += queries[i] * qkv[key_at + c + i];
            }
        }
        score *= p.scale;
        let visible = (vec4u(key) >= begin) & (vec4u(key) <= held);
        score = select(vec4f(LOWEST), score, visible);
        scores[lane] = score;
        workgroupBarrier();
        var most_now = most;
        for (var j = 0u; j < LANES; j++) {
            most_now = max(most_now, scores[j]);
        }
        let fade = exponential4(most - most_now);
        most = most_now;
        weights[lane] = select(vec4f(), exponential4(score - most), visible);
        workgroupBarrier();
        sum *= fade;
        mixed *= fade;
        let value_at = p.values + base + min(channel, p.head - 1u);
        for (var j = 0u; j < min(LANES, end - tile); j++) {
            sum += weights[j];
            mixed += weights[j] * qkv[(tile + j) * p.stride + value_at];
        }
    }
    if channel < p.head {
        for (var r = 0u; r < 4u; r++) {
            if rows[r] < p.rows {
                // A row that sees nothing has no sum.
                let value = select(0.0, mixed[r] / max(sum[r], 1e-37), sum[r] > 0.0);
                out[rows[r] * p.heads * p.head + base + channel] = value;
            }
        }
    }
}
