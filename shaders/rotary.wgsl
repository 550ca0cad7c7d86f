// with values
// Rotary positions, in place: (a, b) of channels c and c + half becomes (a·cos − b·sin, b·cos + a·sin).

struct Params { rows: u32, heads: u32, stride: u32, step: u32, first: u32, half: u32, context: u32 }

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> turns: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;

fn each(i: u32) {
    if i >= p.rows * p.heads * p.half {
        return;
    }
    let c = i % p.half;
    let head = i / p.half % p.heads;
    let row = i / p.half / p.heads;
    let position = positions[row];
    if position >= p.context {
        return;
    }
    let at = row * p.stride + p.first + head * p.step + c;
    let a = x[at];
    let b = x[at + p.half];
    let cosine = turns[2u * position * p.half + c];
    let sine = turns[(2u * position + 1u) * p.half + c];
    x[at] = a * cosine - b * sine;
    x[at + p.half] = b * cosine + a * sine;
}
