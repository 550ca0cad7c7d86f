// with values
// x *= y.

struct Params { len: u32 }

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;

fn each(i: u32) {
    if i < p.len {
        x[i] *= y[i];
    }
}
