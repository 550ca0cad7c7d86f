// with values
// out (rows, width) = scale·tokens[ids] + places[positions]; zeros where the id or the position does not exist.

struct Params { rows: u32, width: u32, vocab: u32, context: u32, scale: f32, first: u32, low: u32, high: u32 }

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> positions: array<u32>;
@group(0) @binding(2) var<storage, read> tokens: array<f32>;
@group(0) @binding(3) var<storage, read> places: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<uniform> p: Params;

fn each(i: u32) {
    if i >= p.rows * p.width {
        return;
    }
    let id = ids[i / p.width];
    let position = positions[i / p.width];
    let column = i % p.width;
    if id < p.vocab && (position < p.context || p.context == 0u) {
        if id >= p.low && id < p.high {
            let token = p.scale * tokens[id * p.width + column - p.first];
            if p.context == 0u {
                out[i] = token;
            } else {
                out[i] = token + places[position * p.width + column];
            }
        }
    } else if p.low == 0u {
        out[i] = 0.0;
    }
}
