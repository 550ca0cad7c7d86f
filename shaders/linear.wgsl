// The two ways of out (m, n) = x (m, k) · w (+ bias) that the three matmuls share; each has its own `w_run`.

fn x_one(i: u32) -> f32 {
    return x[i / 4u][i % 4u];
}

fn x_four(row: u32, k: u32) -> vec4f {
    if row >= p.m || k >= p.k {
        return vec4f();
    }
    let i = row * p.k + k;
    if p.k % 4u == 0u {
        return x[i / 4u];
    }
    let four = vec4f(x_one(i), x_one(i + 1u), x_one(i + 2u), x_one(i + 3u));
    return select(vec4f(), four, k + vec4u(0u, 1u, 2u, 3u) < vec4u(p.k));
}

// Rows of w as it is stored are `width` long; `along` is the place in a row.
fn w_four(k: u32, column: u32) -> vec4f {
    if k >= p.k || column >= p.n {
        return vec4f();
    }
    let width = select(p.n, p.k, p.transposed != 0u);
    let along = select(column, k, p.transposed != 0u);
    let i = select(k, column, p.transposed != 0u) * width + along;
    let four = w_run(i, k, column, width % 4u == 0u);
    return select(vec4f(), four, along + vec4u(0u, 1u, 2u, 3u) < vec4u(width));
}

fn store(row: u32, column: u32, sum: f32) {
    if row < p.m && column < p.n {
        var value = sum;
        if p.biased != 0u {
            value += bias[column];
        }
        out[row * p.n + column] = value;
    }
}

// Many rows: one tile per workgroup.
@compute @workgroup_size(64)
fn tiles(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * TILE_ROWS;
    let column = group.x * TILE_COLUMNS;
    var sums = product(lane, row, column, p.k, p.transposed != 0u);
    for (var r = 0u; r < 8u; r++) {
        for (var c = 0u; c < 4u; c++) {
            store(row + 8u * (lane / 16u) + r, column + 4u * (lane % 16u) + c, sums[r][c]);
        }
    }
}

// Few rows (one token): 64 columns of one row per workgroup, every lane with a slice of k and four columns.
const SLICES = 16u;
var<workgroup> of_slices: array<vec4f, WIDE>;

@compute @workgroup_size(256)
fn few(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    // What lies side by side in memory goes to lanes side by side.
    let four = select(lane % SLICES, lane / SLICES, p.transposed != 0u);
    let slice = select(lane / SLICES, lane % SLICES, p.transposed != 0u);
    let column = group.x * TILE_COLUMNS + 4u * four;
    var sum = vec4f();
    for (var k = 4u * slice; k < p.k; k += 4u * SLICES) {
        let factors = x_four(group.y, k);
        let block = mat4x4f(w_block(k, column, 0u), w_block(k, column, 1u), w_block(k, column, 2u), w_block(k, column, 3u));
        if p.transposed != 0u {
            sum += factors * block;
        } else {
            sum += block * factors;
        }
    }
    of_slices[slice * 16u + four] = sum;
    workgroupBarrier();
    if lane < 16u {
        var whole = vec4f();
        for (var s = 0u; s < SLICES; s++) {
            whole += of_slices[s * 16u + lane];
        }
        for (var c = 0u; c < 4u; c++) {
            store(group.y, group.x * TILE_COLUMNS + 4u * lane + c, whole[c]);
        }
    }
}

// Line `i` of a block of w, 4 × 4, as it is stored.
fn w_block(k: u32, column: u32, i: u32) -> vec4f {
    if p.transposed != 0u {
        return w_four(k, column + i);
    }
    return w_four(k + i, column);
}
