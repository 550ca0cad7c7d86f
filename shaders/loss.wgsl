// with product
// out[r] = log Σ_j exp(logit j) − logit target[r], logit j = x[r]·w[j] (+ bias[j]), in two steps: each workgroup takes 32 rows and a slice of the vocabulary,
// and each of its lanes leaves the greatest logit, Σ exp(logit − greatest) and the target's logit of its own columns in
// `scratch`; then `join` puts those of a row together.

struct Params { rows: u32, width: u32, vocab: u32, biased: u32, first: u32, low: u32, high: u32 }

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> w: array<vec4f>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read> targets: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
// (parts, rows) of (greatest, sum, target's logit, nothing)
@group(0) @binding(5) var<storage, read_write> scratch: array<vec4f>;
@group(0) @binding(6) var<uniform> p: Params;

const TRANSPOSED = true;
// Columns of a slice.
const SLICE = 2048u;
// Lanes of a workgroup that share a row: each leaves a part.
const PARTS = 16u;

fn x_one(i: u32) -> f32 {
    return x[i / 4u][i % 4u];
}

fn x_four(row: u32, k: u32) -> vec4f {
    let i = min(row, p.rows - 1u) * p.width + k;
    if EVEN {
        return select(vec4f(), x[i / 4u], k < p.width);
    }
    let four = vec4f(x_one(i), x_one(i + 1u), x_one(i + 2u), x_one(i + 3u));
    return select(vec4f(), four, k + vec4u(0u, 1u, 2u, 3u) < vec4u(p.width));
}

fn w_one(i: u32) -> f32 {
    return w[(i - p.first) / 4u][i % 4u];
}

fn fours_before() -> u32 {
    return p.first / 4u;
}

fn w_quad(four: u32, k: u32, j: u32) -> vec4f {
    return w[four];
}

fn w_four(k: u32, j: u32) -> vec4f {
    let i = min(j, p.vocab - 1u) * p.width + k;
    if EVEN {
        return select(vec4f(), w[i / 4u - fours_before()], k < p.width);
    }
    let four = vec4f(w_one(i), w_one(i + 1u), w_one(i + 2u), w_one(i + 3u));
    return select(vec4f(), four, k + vec4u(0u, 1u, 2u, 3u) < vec4u(p.width));
}

// What a lane knows of its eight rows: (greatest, sum, target's logit, nothing) each.
alias Running = array<vec4f, 8>;

// Nothing yet at the beginning of a slice; a window that begins within one goes on where that before has ended.
fn known_so_far(running: ptr<function, Running>, row: u32, slice: u32, part: u32) {
    for (var r = 0u; r < 8u; r++) {
        (*running)[r] = vec4f(LOWEST, 0.0, LOWEST, 0.0);
        if p.low > slice * SLICE {
            (*running)[r] = scratch[part * p.rows + min(row + r, p.rows - 1u)];
        }
    }
}

// The slice of a workgroup, and its columns as far as the window shows them.
fn slice_of(group: vec3u) -> u32 {
    return p.low / SLICE + group.y;
}

fn begin(slice: u32) -> u32 {
    return max(slice * SLICE, p.low);
}

fn end(slice: u32) -> u32 {
    return min(min((slice + 1u) * SLICE, p.high), p.vocab);
}

// What is added to the logits of four columns; not read where there is none.
fn bias_of(column: u32) -> vec4f {
    if p.biased == 0u {
        return vec4f();
    }
    let at = min(column + vec4u(0u, 1u, 2u, 3u), vec4u(p.vocab - 1u));
    return vec4f(bias[at.x], bias[at.y], bias[at.z], bias[at.w]);
}

// Takes in the logits of four columns.
fn take(running: ptr<function, Running>, logits: ptr<function, Sums>, row: u32, column: u32) {
    let known = column + vec4u(0u, 1u, 2u, 3u) < vec4u(p.vocab);
    let added = bias_of(column);
    for (var r = 0u; r < 8u; r++) {
        let whole = (*logits)[r] + added;
        let seen = select(vec4f(LOWEST), whole, known);
        let before = (*running)[r];
        let most = max(max(max(seen.x, seen.y), max(seen.z, seen.w)), before.x);
        let exps = select(vec4f(), exponential4(seen - most), known);
        let sum = before.y * exponential(before.x - most) + ((exps.x + exps.y) + (exps.z + exps.w));
        let wanted = targets[min(row + r, p.rows - 1u)];
        var aim = before.z;
        if wanted >= column && wanted < column + 4u {
            aim = whole[wanted - column];
        }
        (*running)[r] = vec4f(most, sum, aim, 0.0);
    }
}

fn leave(running: ptr<function, Running>, row: u32, part: u32) {
    for (var r = 0u; r < 8u; r++) {
        if row + r < p.rows {
            scratch[part * p.rows + row + r] = (*running)[r];
        }
    }
}

@compute @workgroup_size(64)
fn blocks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * TILE_ROWS + 8u * (lane / PARTS);
    let slice = slice_of(group);
    let part = slice * PARTS + lane % PARTS;
    var running: Running;
    known_so_far(&running, row, slice, part);
    for (var first = begin(slice) + 4u * (lane % PARTS); first < end(slice); first += TILE_COLUMNS) {
        var logits = Sums();
        through_cache(&logits, row, first, p.rows, p.width, p.vocab, 0u, p.width);
        take(&running, &logits, row, first);
    }
    leave(&running, row, part);
}

@compute @workgroup_size(64)
fn join(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * LANES + lane;
    if row >= p.rows {
        return;
    }
    let parts = (p.vocab + SLICE - 1u) / SLICE * PARTS;
    var whole = scratch[row];
    for (var part = 1u; part < parts; part++) {
        let other = scratch[part * p.rows + row];
        let most = max(whole.x, other.x);
        let sum = whole.y * exponential(whole.x - most) + other.y * exponential(other.x - most);
        whole = vec4f(most, sum, max(whole.z, other.z), 0.0);
    }
    // Not a number where the target does not exist; WGSL has no constant for it.
    let nan = bitcast<f32>(0x7fc00000u | p.vocab);
    out[row] = select(nan, (whole.x - whole.z) + logarithm(whole.y), targets[row] < p.vocab);
}

@compute @workgroup_size(64)
fn tiles(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * TILE_ROWS;
    let own_row = row + 8u * (lane / PARTS);
    let slice = slice_of(group);
    let part = slice * PARTS + lane % PARTS;
    var running: Running;
    known_so_far(&running, own_row, slice, part);
    for (var first = begin(slice); first < end(slice); first += TILE_COLUMNS) {
        var logits = Sums();
        through_memory(&logits, lane, row, first, 0u, p.width);
        take(&running, &logits, own_row, first + 4u * (lane % PARTS));
    }
    leave(&running, own_row, part);
}
