// with product
// out[r] = log Σ_j exp(x[r]·w[j]) − x[r]·w[target[r]]; one workgroup per 32 rows, which walks over the vocabulary.
// Each lane keeps the greatest logit and Σ exp(logit − greatest) of its own columns; the lanes are joined at the end.

struct Params { rows: u32, width: u32, vocab: u32 }

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> w: array<vec4f>;
@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;

fn x_one(i: u32) -> f32 {
    return x[i / 4u][i % 4u];
}

fn x_four(row: u32, k: u32) -> vec4f {
    if row >= p.rows || k >= p.width {
        return vec4f();
    }
    let i = row * p.width + k;
    if p.width % 4u == 0u {
        return x[i / 4u];
    }
    let four = vec4f(x_one(i), x_one(i + 1u), x_one(i + 2u), x_one(i + 3u));
    return select(vec4f(), four, k + vec4u(0u, 1u, 2u, 3u) < vec4u(p.width));
}

fn w_one(i: u32) -> f32 {
    return w[i / 4u][i % 4u];
}

fn w_four(k: u32, j: u32) -> vec4f {
    if j >= p.vocab || k >= p.width {
        return vec4f();
    }
    let i = j * p.width + k;
    if p.width % 4u == 0u {
        return w[i / 4u];
    }
    let four = vec4f(w_one(i), w_one(i + 1u), w_one(i + 2u), w_one(i + 3u));
    return select(vec4f(), four, k + vec4u(0u, 1u, 2u, 3u) < vec4u(p.width));
}

// Logits of the rows' targets, and (greatest, sum) of each lane for one row of its eight.
var<workgroup> aims: array<f32, TILE_ROWS>;
var<workgroup> running: array<vec2f, LANES>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * TILE_ROWS;
    let own_row = 8u * (lane / 16u);
    let own_column = 4u * (lane % 16u);
    var most: array<f32, 8>;
    var sums: array<f32, 8>;
    var wanted: array<u32, 8>;
    for (var r = 0u; r < 8u; r++) {
        most[r] = LOWEST;
        wanted[r] = targets[min(row + own_row + r, p.rows - 1u)];
    }
    for (var first = 0u; first < p.vocab; first += TILE_COLUMNS) {
        var logits = product(lane, row, first, p.width, true);
        let column = first + own_column;
        let known = column + vec4u(0u, 1u, 2u, 3u) < vec4u(p.vocab);
        for (var r = 0u; r < 8u; r++) {
            let seen = select(vec4f(LOWEST), logits[r], known);
            let most_now = max(max(max(seen.x, seen.y), max(seen.z, seen.w)), most[r]);
            let exps = select(vec4f(), exponential4(seen - most_now), known);
            sums[r] = sums[r] * exponential(most[r] - most_now) + ((exps.x + exps.y) + (exps.z + exps.w));
            most[r] = most_now;
            if wanted[r] >= column && wanted[r] < column + 4u {
                aims[own_row + r] = logits[r][wanted[r] - column];
            }
        }
    }
    for (var r = 0u; r < 8u; r++) {
        workgroupBarrier();
        running[lane] = vec2f(most[r], sums[r]);
        workgroupBarrier();
        let i = row + own_row + r;
        if lane % 16u == 0u && i < p.rows {
            var whole = running[lane];
            for (var other = lane + 1u; other < lane + 16u; other++) {
                let most_now = max(whole.x, running[other].x);
                whole.y = whole.y * exponential(whole.x - most_now) + running[other].y * exponential(running[other].x - most_now);
                whole.x = most_now;
            }
            // Not a number where the target does not exist; WGSL has no constant for it.
            let nan = bitcast<f32>(0x7fc00000u | p.vocab);
            out[i] = select(nan, (whole.x - aims[own_row + r]) + logarithm(whole.y), wanted[r] < p.vocab);
        }
    }
}
