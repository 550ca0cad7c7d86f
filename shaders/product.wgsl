// Tiles of x (rows, depth) · w (depth, columns): TILE_ROWS × TILE_COLUMNS sums by 64 lanes, 8 × 4 each in registers. The lane's
// rows start at 8·(lane / 16), its columns at 4·(lane % 16).
// There are two ways to the factors that several lanes need: `through_memory` puts them into workgroup memory first, which
// hardware reads fastest; `through_cache` has every lane read them for itself, which is faster where barriers are dear.
// A shader that uses it says so in its first line and has
//   fn x_four(row: u32, k: u32) -> vec4f       four k of a row
//   fn w_four(k: u32, column: u32) -> vec4f    what lies side by side in memory: four columns at k, or four k of a column
//   fn w_quad(four: u32, k: u32, column: u32) -> vec4f    the same by the number of the four in the window of w, where
//                                                         lines begin at fours
//   fn fours_before() -> u32                   how many fours there are before the window
// each with any finite value for a row or column that does not exist, and zeros in x_four for a k that does not; and says
//   TRANSPOSED     whether w is stored (columns, depth)
// A product runs over the depth that the window shows: from `begin`, a multiple of four, to `end`.

// Every line of x and w begins at a multiple of four: nothing but loads and products is in the innermost loop.
override EVEN = true;

const TILE_ROWS = 32u;
const TILE_COLUMNS = 64u;
const DEPTH = 32u;
// One vec4 more than needed, so that lanes that write at different k meet different banks.
const X_STRIDE = 9u;
const W_STRIDE = 17u;

// Always made with `Sums()`: in a loop, Chromium does not clear a variable that is declared without a value.
alias Sums = array<vec4f, 8>;

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

// Eight rows of four columns, at one k.
fn add_products(sums: ptr<function, Sums>, a: vec4f, b: vec4f, w: vec4f) {
    (*sums)[0] += a.x * w;
    (*sums)[1] += a.y * w;
    (*sums)[2] += a.z * w;
    (*sums)[3] += a.w * w;
    (*sums)[4] += b.x * w;
    (*sums)[5] += b.y * w;
    (*sums)[6] += b.z * w;
    (*sums)[7] += b.w * w;
}

// All lanes of the workgroup must come here with the same row and column: those of the tile.
fn through_memory(sums: ptr<function, Sums>, lane: u32, row: u32, column: u32, begin: u32, end: u32) {
    for (var first = begin; first < end; first += DEPTH) {
        workgroupBarrier();
        fill_x(lane, row, first);
        if TRANSPOSED {
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
            add_products(sums, a, b, w_tile[w_at]);
            x_at += X_STRIDE;
            w_at += W_STRIDE;
        }
    }
}

// Row and column are the lane's own; x is (rows, depth).
fn through_cache(
    sums: ptr<function, Sums>, row: u32, column: u32, rows: u32, depth: u32, columns: u32, begin: u32, end: u32,
) {
    let next = vec4u(0u, 1u, 2u, 3u);
    let fours = depth / 4u;
    let a = min(row + next, vec4u(rows - 1u)) * fours;
    let b = min(row + 4u + next, vec4u(rows - 1u)) * fours;
    if EVEN && TRANSPOSED {
        let c = min(column + next, vec4u(columns - 1u)) * fours - fours_before();
        for (var k = begin / 4u; k < end / 4u; k++) {
            let at = 4u * k;
            let w = mat4x4f(
                w_quad(c.x + k, at, column),
                w_quad(c.y + k, at, column + 1u),
                w_quad(c.z + k, at, column + 2u),
                w_quad(c.w + k, at, column + 3u),
            );
            (*sums)[0] += x[a.x + k] * w;
            (*sums)[1] += x[a.y + k] * w;
            (*sums)[2] += x[a.z + k] * w;
            (*sums)[3] += x[a.w + k] * w;
            (*sums)[4] += x[b.x + k] * w;
            (*sums)[5] += x[b.y + k] * w;
            (*sums)[6] += x[b.z + k] * w;
            (*sums)[7] += x[b.w + k] * w;
        }
    } else if EVEN {
        let line = columns / 4u;
        var at = column / 4u + begin * line - fours_before();
        for (var k = begin / 4u; k < end / 4u; k++) {
            let w = mat4x4f(
                w_quad(at, 4u * k, column),
                w_quad(at + line, 4u * k + 1u, column),
                w_quad(at + 2u * line, 4u * k + 2u, column),
                w_quad(at + 3u * line, 4u * k + 3u, column),
            );
            at += 4u * line;
            (*sums)[0] += w * x[a.x + k];
            (*sums)[1] += w * x[a.y + k];
            (*sums)[2] += w * x[a.z + k];
            (*sums)[3] += w * x[a.w + k];
            (*sums)[4] += w * x[b.x + k];
            (*sums)[5] += w * x[b.y + k];
            (*sums)[6] += w * x[b.z + k];
            (*sums)[7] += w * x[b.w + k];
        }
    } else {
        for (var k = begin; k < end; k += 4u) {
            let w = w_block(k, column);
            for (var r = 0u; r < 8u; r++) {
                let four = x_four(row + r, k);
                (*sums)[r] += select(w * four, four * w, TRANSPOSED);
            }
        }
    }
}

// Four lines of w, 4 × 4, as they are stored.
fn w_block(k: u32, column: u32) -> mat4x4f {
    if TRANSPOSED {
        return mat4x4f(w_four(k, column), w_four(k, column + 1u), w_four(k, column + 2u), w_four(k, column + 3u));
    }
    return mat4x4f(w_four(k, column), w_four(k + 1u, column), w_four(k + 2u, column), w_four(k + 3u, column));
}
