// Softmax attention: row i sees the keys starts[i]..ends[i]. One workgroup per 32 rows, head and 64 channels of the values; it
// walks over the keys in tiles of 32 with a running maximum and sum (online softmax), so no row of scores is ever whole.
// Lanes stand 8 × 8: lane (i, j) has the scores of rows 4i.. and keys 4j.. of a tile, and of the result rows 4i.. and the
// channels 4j.. and 32 + 4j... The four rows are the four components of a vector.

struct Params {
    rows: u32, key_rows: u32, heads: u32, head: u32, group: u32, stride: u32, step: u32, key_stride: u32, key_step: u32,
    key_at: u32, value_at: u32, span: u32, scale: f32,
}

@group(0) @binding(0) var<storage, read> queries: array<vec4f>;
@group(0) @binding(1) var<storage, read> keys: array<vec4f>;
@group(0) @binding(2) var<storage, read> values: array<vec4f>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read> ends: array<u32>;
@group(0) @binding(5) var<storage, read> bias: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;
@group(0) @binding(7) var<uniform> p: Params;

// Strides, steps, places and heads are multiples of four.
override EVEN = true;

const ATTENTION_ROWS = 32u;
const ATTENTION_CHANNELS = 64u;

// Greatest score of each lane's keys; weights by key and four rows.
var<workgroup> peaks: array<vec4f, LANES>;
var<workgroup> weights: array<vec4f, 256>;

// Zeros beyond the head.
fn within(four: vec4f, channel: u32) -> vec4f {
    return select(vec4f(), four, channel + vec4u(0u, 1u, 2u, 3u) < vec4u(p.head));
}

// Each four values from place `at`, which is `channel` of a head; zeros beyond the head, or anything finite where all is even.
fn query(at: u32, channel: u32) -> vec4f {
    if EVEN {
        return queries[at / 4u];
    }
    let i = at + vec4u(0u, 1u, 2u, 3u);
    let four = vec4f(
        queries[i.x / 4u][i.x % 4u], queries[i.y / 4u][i.y % 4u], queries[i.z / 4u][i.z % 4u], queries[i.w / 4u][i.w % 4u],
    );
    return within(four, channel);
}

fn key_of(at: u32, channel: u32) -> vec4f {
    if EVEN {
        return keys[at / 4u];
    }
    let i = at + vec4u(0u, 1u, 2u, 3u);
    let four = vec4f(
        keys[i.x / 4u][i.x % 4u], keys[i.y / 4u][i.y % 4u], keys[i.z / 4u][i.z % 4u], keys[i.w / 4u][i.w % 4u],
    );
    return within(four, channel);
}

fn value_of(at: u32, channel: u32) -> vec4f {
    if EVEN {
        return values[at / 4u];
    }
    let i = at + vec4u(0u, 1u, 2u, 3u);
    let four = vec4f(
        values[i.x / 4u][i.x % 4u], values[i.y / 4u][i.y % 4u], values[i.z / 4u][i.z % 4u], values[i.w / 4u][i.w % 4u],
    );
    return within(four, channel);
}

// What the distance of a key adds to the scores of four rows.
fn bias_of(key: u32, rows: vec4u, head: u32) -> vec4f {
    if p.span == 0u {
        return vec4f();
    }
    let line = vec4i(i32(key + p.span / 2u)) - vec4i(rows);
    let at = vec4u(clamp(line, vec4i(0), vec4i(i32(p.span) - 1))) * p.heads + head;
    return vec4f(bias[at.x], bias[at.y], bias[at.z], bias[at.w]);
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
    let finish = min(vec4u(ends[held.x], ends[held.y], ends[held.z], ends[held.w]), vec4u(p.key_rows));
    var first = p.key_rows;
    var end = 0u;
    for (var r = group.x * ATTENTION_ROWS; r < min((group.x + 1u) * ATTENTION_ROWS, p.rows); r++) {
        first = min(first, starts[r]);
        end = max(end, min(ends[r], p.key_rows));
    }
    let base = group.y * p.head;
    let low = group.z * ATTENTION_CHANNELS + 4u * j;
    let high = low + 32u;
    let has_high = group.z * ATTENTION_CHANNELS + 32u < p.head;
    let queries_at = held * p.stride + group.y * p.step;
    let shared_head = group.y / p.group * p.key_step;
    let values_at = p.value_at + shared_head;
    var most = vec4f(LOWEST);
    var sum = vec4f();
    var mixed: array<vec4f, 8>;
    for (var tile = first; tile < end; tile += 32u) {
        let key = tile + 4u * j;
        let keys_at = min(key + next, vec4u(p.key_rows - 1u)) * p.key_stride + p.key_at + shared_head;
        // scores[k] is key k against the four rows. Cleared in words: in a loop, Chromium does not clear a variable that is
        // declared without a value.
        var scores = mat4x4f();
        for (var c = 0u; c < p.head; c += 4u) {
            let asked = mat4x4f(
                query(queries_at.x + c, c),
                query(queries_at.y + c, c),
                query(queries_at.z + c, c),
                query(queries_at.w + c, c),
            );
            scores[0] += key_of(keys_at.x + c, c) * asked;
            scores[1] += key_of(keys_at.y + c, c) * asked;
            scores[2] += key_of(keys_at.z + c, c) * asked;
            scores[3] += key_of(keys_at.w + c, c) * asked;
        }
        scores = scores * p.scale;
        let visible_0 = (vec4u(key) >= begin) & (vec4u(key) < finish);
        let visible_1 = (vec4u(key + 1u) >= begin) & (vec4u(key + 1u) < finish);
        let visible_2 = (vec4u(key + 2u) >= begin) & (vec4u(key + 2u) < finish);
        let visible_3 = (vec4u(key + 3u) >= begin) & (vec4u(key + 3u) < finish);
        let score_0 = select(vec4f(LOWEST), scores[0] + bias_of(key, held, group.y), visible_0);
        let score_1 = select(vec4f(LOWEST), scores[1] + bias_of(key + 1u, held, group.y), visible_1);
        let score_2 = select(vec4f(LOWEST), scores[2] + bias_of(key + 2u, held, group.y), visible_2);
        let score_3 = select(vec4f(LOWEST), scores[3] + bias_of(key + 3u, held, group.y), visible_3);
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
        let count = min(32u, end - tile);
        for (var k = 0u; k < count; k++) {
            let weight = weights[8u * k + i];
            let value = value_of((tile + k) * p.key_stride + values_at + low, low);
            mixed[0] += weight.x * value;
            mixed[1] += weight.y * value;
            mixed[2] += weight.z * value;
            mixed[3] += weight.w * value;
        }
        if has_high {
            for (var k = 0u; k < count; k++) {
                let weight = weights[8u * k + i];
                let value = value_of((tile + k) * p.key_stride + values_at + high, high);
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
