// with values
// out (rows, width) = columns first.. of the rows of x that are named; zeros for one that does not exist.

struct Params { rows: u32, width: u32, count: u32, stride: u32, first: u32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;

fn each(i: u32) {
    if i >= p.rows * p.width {
        return;
    }
    let row = rows[i / p.width];
    var value = 0.0;
    if row < p.count {
        value = x[row * p.stride + p.first + i % p.width];
    }
    out[i] = value;
}
