// Causal attention: row i attends to rows starts[i]..=i. One workgroup per 32 rows, head and 64 channels of the values; it walks
// over the keys in tiles of 32 with a running maximum and sum (online softmax), so no row of scores is ever whole.
// Lanes stand 8 × 8: lane (i, j) has the scores of rows 4i.. and keys 4j.. of a tile, and of the result rows 4i.. and the
// channels 4j.. and 32 + 4j... The four rows are the four components of a vector.

struct Params { rows: u32, heads: u32, head: u32, stride: u32, keys: u32, values: u32, scale: f32 }

@group(0) @binding(0) var<storage, read> qkv: array<vec4f>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;

// Stride, parts and heads are multiples of four.
override EVEN = true;

const ATTENTION_ROWS = 32u;
const ATTENTION_CHANNELS = 64u;

// Greatest score of each lane's keys; weights by key and four rows.
var<workgroup> peaks: array<vec4f, LANES>;
var<workgroup> weights: array<vec4f, 256>;

fn one(i: u32) -> f32 {
    return qkv[i / 4u][i % 4u];
}

// Four values from place `at`, which is `channel` of a head; zeros beyond the head, or anything finite where all is even.
fn four(at: u32, channel: u32) -> vec4f {
    if EVEN {
        return qkv[at / 4u];
    }
    let values = vec4f(one(at), one(at + 1u), one(at + 2u), one(at + 3u));
    return select(vec4f(), values, channel + vec4u(0u, 1u, 2u, 3u) < vec4u(p.head));
}

fn store(row: u32, base: u32, channel: u32, values: vec4f) {
    if row < p.rows {
        for (var c = 0u; c < min(4u, p.head - min(p.head, channel)); c++) {
            out[row * p.heads * p.head + base + channel + c] = values[c];
        }
    }
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = lane / 8u;
    let j = lane % 8u;
    let next = vec4u(0u, 1u, 2u, 3u);
    let row = group.x * ATTENTION_ROWS + 4u * i;
    // Rows beyond the last are seen as the last and not stored.
    let held = min(row + next, vec4u(p.rows - 1u));
    let begin = vec4u(starts[held.x], starts[held.y], starts[held.z], starts[held.w]);
    let end = min((group.x + 1u) * ATTENTION_ROWS, p.rows);
    var first = end;
    for (var r = group.x * ATTENTION_ROWS; r < end; r++) {
        first = min(first, starts[r]);
    }
    let base = group.y * p.head;
    let low = group.z * ATTENTION_CHANNELS + 4u * j;
    let high = low + 32u;
    let has_high = group.z * ATTENTION_CHANNELS + 32u < p.head;
    let queries_at = held * p.stride + base;
    let values_at = p.values + base;
    var most = vec4f(LOWEST);
    var sum = vec4f();
    var mixed: array<vec4f, 8>;
    for (var tile = first; tile < end; tile += 32u) {
        let key = tile + 4u * j;
        let keys_at = min(key + next, vec4u(p.rows - 1u)) * p.stride + p.keys + base;
        // scores[k] is key k against the four rows. Cleared in words: in a loop, Chromium does not clear a variable that is
        // declared without a value.
        var scores = mat4x4f();
        for (var c = 0u; c < p.head; c += 4u) {
            let queries = mat4x4f(
                four(queries_at.x + c, c),
                four(queries_at.y + c, c),
                four(queries_at.z + c, c),
                four(queries_at.w + c, c),
            );
            scores[0] += four(keys_at.x + c, c) * queries;
            scores[1] += four(keys_at.y + c, c) * queries;
            scores[2] += four(keys_at.z + c, c) * queries;
            scores[3] += four(keys_at.w + c, c) * queries;
        }
        scores = scores * p.scale;
        let visible_0 = (vec4u(key) >= begin) & (vec4u(key) <= held);
        let visible_1 = (vec4u(key + 1u) >= begin) & (vec4u(key + 1u) <= held);
        let visible_2 = (vec4u(key + 2u) >= begin) & (vec4u(key + 2u) <= held);
        let visible_3 = (vec4u(key + 3u) >= begin) & (vec4u(key + 3u) <= held);
        let score_0 = select(vec4f(LOWEST), scores[0], visible_0);
        let score_1 = select(vec4f(LOWEST), scores[1], visible_1);
        let score_2 = select(vec4f(LOWEST), scores[2], visible_2);
        let score_3 = select(vec4f(LOWEST), scores[3], visible_3);
        let peak = max(max(score_0, score_1), max(score_2, score_3));
        peaks[lane] = peak;
        workgroupBarrier();
        var most_now = most;
        for (var other = 0u; other < 8u; other++) {
            most_now = max(most_now, peaks[8u * i + other]);
        }
        let fade = exponential4(most - most_now);
        most = most_now;
        sum *= fade;
        let weight_0 = select(vec4f(), exponential4(score_0 - most), visible_0);
        let weight_1 = select(vec4f(), exponential4(score_1 - most), visible_1);
        let weight_2 = select(vec4f(), exponential4(score_2 - most), visible_2);
        let weight_3 = select(vec4f(), exponential4(score_3 - most), visible_3);
        sum += (weight_0 + weight_1) + (weight_2 + weight_3);
        weights[32u * j + i] = weight_0;
        weights[32u * j + 8u + i] = weight_1;
        weights[32u * j + 16u + i] = weight_2;
        weights[32u * j + 24u + i] = weight_3;
        workgroupBarrier();
        mixed[0] *= fade.x;
        mixed[1] *= fade.y;
        mixed[2] *= fade.z;
        mixed[3] *= fade.w;
        mixed[4] *= fade.x;
        mixed[5] *= fade.y;
        mixed[6] *= fade.z;
        mixed[7] *= fade.w;
        let keys = min(32u, end - tile);
        for (var k = 0u; k < keys; k++) {
            let weight = weights[8u * k + i];
            let value = four((tile + k) * p.stride + values_at + low, low);
            mixed[0] += weight.x * value;
            mixed[1] += weight.y * value;
            mixed[2] += weight.z * value;
            mixed[3] += weight.w * value;
        }
        if has_high {
            for (var k = 0u; k < keys; k++) {
                let weight = weights[8u * k + i];
                let value = four((tile + k) * p.stride + values_at + high, high);
                mixed[4] += weight.x * value;
                mixed[5] += weight.y * value;
                mixed[6] += weight.z * value;
                mixed[7] += weight.w * value;
            }
        }
    }
    // The lanes of a row have summed its weights key by key, each its own.
    workgroupBarrier();
    peaks[lane] = sum;
    workgroupBarrier();
    var whole = vec4f();
    for (var other = 0u; other < 8u; other++) {
        whole += peaks[8u * i + other];
    }
    // A row that sees nothing has no sum.
    let share = select(vec4f(), 1.0 / max(whole, vec4f(1e-37)), whole > vec4f());
    for (var r = 0u; r < 4u; r++) {
        store(row + r, base, low, mixed[r] * share[r]);
        store(row + r, base, high, mixed[4u + r] * share[r]);
    }
}
