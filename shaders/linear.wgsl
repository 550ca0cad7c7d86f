// The four ways of out (m, n) = x (m, k) · w (+ bias) that the matmuls share; each has its own `w_run` and `w_quad`.

override TRANSPOSED = false;

// The k and the columns that the window shows; the other of the two it shows whole.
fn begin_k() -> u32 {
    return select(p.low, 0u, TRANSPOSED);
}

fn end_k() -> u32 {
    return select(min(p.high, p.k), p.k, TRANSPOSED);
}

fn begin_column() -> u32 {
    return select(0u, p.low, TRANSPOSED);
}

fn end_column() -> u32 {
    return select(p.n, min(p.high, p.n), TRANSPOSED);
}

fn x_one(i: u32) -> f32 {
    return x[i / 4u][i % 4u];
}

fn x_four(row: u32, k: u32) -> vec4f {
    let i = min(row, p.m - 1u) * p.k + k;
    if EVEN {
        return select(vec4f(), x[i / 4u], k < end_k());
    }
    let four = vec4f(x_one(i), x_one(i + 1u), x_one(i + 2u), x_one(i + 3u));
    return select(vec4f(), four, k + vec4u(0u, 1u, 2u, 3u) < vec4u(end_k()));
}

// Rows of w as it is stored are `width` long; `along` is the place in a row. Beyond the edges the last row or column stands
// again: its products meet a zero of x, or are not stored.
fn w_four(k: u32, column: u32) -> vec4f {
    let held_k = min(k, end_k() - 1u);
    let held_column = min(column, end_column() - 1u);
    if TRANSPOSED {
        let four = w_run(held_column * p.k + k, k, held_column, p.k);
        return select(four, vec4f(), k + vec4u(0u, 1u, 2u, 3u) >= vec4u(p.k));
    }
    let four = w_run(held_k * p.n + column, held_k, column, p.n);
    return select(four, vec4f(), column + vec4u(0u, 1u, 2u, 3u) >= vec4u(p.n));
}

// Four sums as the windows before have left them.
fn standing(row: u32, column: u32) -> vec4f {
    var four = vec4f();
    if begin_k() > 0u && row < p.m {
        for (var c = 0u; c < min(4u, p.n - min(p.n, column)); c++) {
            four[c] = out[row * p.n + column + c];
        }
    }
    return four;
}

fn all_standing(row: u32, column: u32) -> Sums {
    var sums = Sums();
    if begin_k() > 0u {
        for (var r = 0u; r < 8u; r++) {
            sums[r] = standing(row + r, column);
        }
    }
    return sums;
}

fn store(row: u32, column: u32, four: vec4f) {
    if row >= p.m {
        return;
    }
    let end = end_column();
    for (var c = 0u; c < min(4u, end - min(end, column)); c++) {
        var value = four[c];
        if p.biased != 0u && end_k() == p.k {
            value += bias[column + c];
        }
        out[row * p.n + column + c] = value;
    }
}

fn store_all(sums: ptr<function, Sums>, row: u32, column: u32) {
    for (var r = 0u; r < 8u; r++) {
        store(row + r, column, (*sums)[r]);
    }
}

// Any number of rows on any device: every lane reads for itself.
@compute @workgroup_size(64)
fn blocks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * TILE_ROWS + 8u * (lane / 16u);
    let column = begin_column() + group.x * TILE_COLUMNS + 4u * (lane % 16u);
    if row >= p.m || column >= end_column() {
        return;
    }
    var sums = all_standing(row, column);
    through_cache(&sums, row, column, p.m, p.k, end_column(), begin_k(), end_k());
    store_all(&sums, row, column);
}

// Many rows: one tile per workgroup.
@compute @workgroup_size(64)
fn tiles(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * TILE_ROWS;
    let column = begin_column() + group.x * TILE_COLUMNS;
    let own_row = row + 8u * (lane / 16u);
    let own_column = column + 4u * (lane % 16u);
    var sums = all_standing(own_row, own_column);
    through_memory(&sums, lane, row, column, begin_k(), end_k());
    store_all(&sums, own_row, own_column);
}

// Few rows (one token): 64 columns of one row per workgroup, every lane with a slice of k and four columns.
const SLICES = 16u;
var<workgroup> of_slices: array<vec4f, WIDE>;

@compute @workgroup_size(256)
fn few(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    // What lies side by side in memory goes to lanes side by side.
    let four = select(lane % SLICES, lane / SLICES, TRANSPOSED);
    let slice = select(lane / SLICES, lane % SLICES, TRANSPOSED);
    let first = begin_column() + group.x * TILE_COLUMNS;
    let column = first + 4u * four;
    var sum = vec4f();
    for (var k = begin_k() + 4u * slice; k < end_k(); k += 4u * SLICES) {
        let factors = x_four(group.y, k);
        let block = w_block(k, column);
        sum += select(block * factors, factors * block, TRANSPOSED);
    }
    of_slices[slice * 16u + four] = sum;
    workgroupBarrier();
    if lane < 16u {
        var whole = standing(group.y, first + 4u * lane);
        for (var s = 0u; s < SLICES; s++) {
            whole += of_slices[s * 16u + lane];
        }
        store(group.y, first + 4u * lane, whole);
    }
}

// Many rows and many columns: tiles of 64 × 64, 8 × 8 sums to a lane. Of what is read from workgroup memory each value serves
// twice as many products as in the smaller tiles.
const LARGE = 64u;
const LARGE_DEPTH = 16u;
// (k, four rows) and (k, four columns), one vec4 more than needed as in the smaller tiles: 9 KiB together.
const LARGE_STRIDE = 17u;
var<workgroup> x_large: array<vec4f, 272>;
var<workgroup> w_large: array<vec4f, 272>;

fn fill_large(lane: u32, row: u32, column: u32, first: u32) {
    // Blocks of 4 × 4 are turned, one to a lane: four k, and four rows of x or columns of w.
    let k = 4u * (lane % 4u);
    let four = lane / 4u;
    let r = row + 4u * four;
    let at = first + k;
    let x_turned = transpose(mat4x4f(x_four(r, at), x_four(r + 1u, at), x_four(r + 2u, at), x_four(r + 3u, at)));
    for (var i = 0u; i < 4u; i++) {
        x_large[(k + i) * LARGE_STRIDE + four] = x_turned[i];
    }
    if TRANSPOSED {
        let w_turned = transpose(w_block(at, column + 4u * four));
        for (var i = 0u; i < 4u; i++) {
            w_large[(k + i) * LARGE_STRIDE + four] = w_turned[i];
        }
    } else {
        for (var k = lane / 16u; k < LARGE_DEPTH; k += 4u) {
            w_large[k * LARGE_STRIDE + lane % 16u] = w_four(first + k, column + 4u * (lane % 16u));
        }
    }
}

@compute @workgroup_size(64)
fn large(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * LARGE;
    let column = begin_column() + group.x * LARGE;
    let own_row = row + 8u * (lane / 8u);
    let own_column = column + 8u * (lane % 8u);
    var left = all_standing(own_row, own_column);
    var right = all_standing(own_row, own_column + 4u);
    for (var first = begin_k(); first < end_k(); first += LARGE_DEPTH) {
        workgroupBarrier();
        fill_large(lane, row, column, first);
        workgroupBarrier();
        var x_at = 2u * (lane / 8u);
        var w_at = 2u * (lane % 8u);
        for (var k = 0u; k < LARGE_DEPTH; k++) {
            let a = x_large[x_at];
            let b = x_large[x_at + 1u];
            add_products(&left, a, b, w_large[w_at]);
            add_products(&right, a, b, w_large[w_at + 1u]);
            x_at += LARGE_STRIDE;
            w_at += LARGE_STRIDE;
        }
    }
    store_all(&left, own_row, own_column);
    store_all(&right, own_row, own_column + 4u);
}
