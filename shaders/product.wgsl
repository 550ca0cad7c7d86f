// One tile of x (rows, depth) · w (depth, columns): TILE_ROWS × TILE_COLUMNS sums by 64 lanes, 8 × 4 each in registers.
// A shader that uses it says so in its first line and has
//   fn x_four(row: u32, k: u32) -> vec4f       four k of a row
//   fn w_four(k: u32, column: u32) -> vec4f    what lies side by side in memory: four columns at k, or four k of a column
// each with zeros for what does not exist.

const TILE_ROWS = 32u;
const TILE_COLUMNS = 64u;
const DEPTH = 32u;
// One vec4 more than needed, so that lanes that write at different k meet different banks.
const X_STRIDE = 9u;
const W_STRIDE = 17u;

// (k, four rows) and (k, four columns): 13 KiB together.
var<workgroup> x_tile: array<vec4f, 288>;
var<workgroup> w_tile: array<vec4f, 544>;

fn fill_x(lane: u32, row: u32, first: u32) {
    // Lanes side by side take k side by side; each turns a block of 4 × 4.
    let k = 4u * (lane % 8u);
    let four = lane / 8u;
    let r = row + 4u * four;
    let at = first + k;
    let turned = transpose(mat4x4f(x_four(r, at), x_four(r + 1u, at), x_four(r + 2u, at), x_four(r + 3u, at)));
    x_tile[k * X_STRIDE + four] = turned[0];
    x_tile[(k + 1u) * X_STRIDE + four] = turned[1];
    x_tile[(k + 2u) * X_STRIDE + four] = turned[2];
    x_tile[(k + 3u) * X_STRIDE + four] = turned[3];
}

// w as it is stored if not transposed: lanes side by side take columns side by side.
fn fill_w(lane: u32, column: u32, first: u32) {
    let four = lane % 16u;
    for (var k = lane / 16u; k < DEPTH; k += 4u) {
        w_tile[k * W_STRIDE + four] = w_four(first + k, column + 4u * four);
    }
}

fn fill_w_transposed(lane: u32, column: u32, first: u32) {
    let k = 4u * (lane % 8u);
    let at = first + k;
    for (var four = lane / 8u; four < TILE_COLUMNS / 4u; four += 8u) {
        let c = column + 4u * four;
        let turned = transpose(mat4x4f(w_four(at, c), w_four(at, c + 1u), w_four(at, c + 2u), w_four(at, c + 3u)));
        w_tile[k * W_STRIDE + four] = turned[0];
        w_tile[(k + 1u) * W_STRIDE + four] = turned[1];
        w_tile[(k + 2u) * W_STRIDE + four] = turned[2];
        w_tile[(k + 3u) * W_STRIDE + four] = turned[3];
    }
}

// The lane's rows start at 8·(lane / 16), its columns at 4·(lane % 16).
fn product(lane: u32, row: u32, column: u32, depth: u32, transposed: bool) -> array<vec4f, 8> {
    var sums: array<vec4f, 8>;
    for (var first = 0u; first < depth; first += DEPTH) {
        workgroupBarrier();
        fill_x(lane, row, first);
        if transposed {
            fill_w_transposed(lane, column, first);
        } else {
            fill_w(lane, column, first);
        }
        workgroupBarrier();
        var x_at = 2u * (lane / 16u);
        var w_at = lane % 16u;
        for (var k = 0u; k < DEPTH; k++) {
            let a = x_tile[x_at];
            let b = x_tile[x_at + 1u];
            let w = w_tile[w_at];
            sums[0] += a.x * w;
            sums[1] += a.y * w;
            sums[2] += a.z * w;
            sums[3] += a.w * w;
            sums[4] += b.x * w;
            sums[5] += b.y * w;
            sums[6] += b.z * w;
            sums[7] += b.w * w;
            x_at += X_STRIDE;
            w_at += W_STRIDE;
        }
    }
    return sums;
}
