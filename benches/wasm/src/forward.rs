//! The dispatches of a GPT-2 forward pass with losses, on random weights of any shape.

use std::cell::RefCell;

use crate::backend::Backend;
use crate::backend::cpu::{Cpu, CpuBuffer};
use crate::backend::kernels::activate::GELU_TANH;
use crate::backend::kernels::{Activate, Add, Attention, Embed, LayerNorm, Loss, Matmul, Params};
use crate::product::values;

struct Layer {
    /// Weights (k, n) and bias of: q, k and v; attention output; up; down.
    matrices: [(CpuBuffer, CpuBuffer); 4],
}

struct Model {
    tokens: u32,
    width: u32,
    heads: u32,
    vocab: u32,
    layers: Vec<Layer>,
    embedding: CpuBuffer,
    places: CpuBuffer,
    gain: CpuBuffer,
    bias: CpuBuffer,
    ids: CpuBuffer,
    positions: CpuBuffer,
    starts: CpuBuffer,
    ends: CpuBuffer,
}

thread_local! {
    static MODEL: RefCell<Option<Model>> = const { RefCell::new(None) };
}

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// Milliseconds since any fixed moment.
    safe fn now() -> f64;
    /// Adds a time to the part with this number: 0 matmul, 1 attention, 2 layer norm, 3 GELU, 4 loss, 5 the rest.
    safe fn spent(part: u32, milliseconds: f64);
}

fn small(len: u32, seed: u32) -> CpuBuffer {
    let values: Vec<f32> = values(len as usize, seed).iter().map(|v| v * 0.05).collect();
    Cpu::new().upload_f32(&values).expect("memory")
}

/// Makes a model.
#[unsafe(no_mangle)]
pub extern "C" fn prepare_forward(tokens: u32, width: u32, layers: u32, heads: u32, vocab: u32) {
    let matrix = |k: u32, n: u32| (small(k * n, k + n), small(n, n));
    let words = |f: &dyn Fn(u32) -> u32| Cpu::new().upload(&(0..tokens).map(f).collect::<Vec<_>>()).expect("memory");
    MODEL.set(Some(Model {
        tokens,
        width,
        heads,
        vocab,
        layers: (0..layers)
            .map(|_| Layer {
                matrices: [
                    matrix(width, 3 * width),
                    matrix(width, width),
                    matrix(width, 4 * width),
                    matrix(4 * width, width),
                ],
            })
            .collect(),
        embedding: small(vocab * width, 3),
        places: small(tokens * width, 4),
        gain: small(width, 5),
        bias: small(width, 6),
        ids: words(&|i| i * 7 % vocab),
        positions: words(&|i| i),
        starts: words(&|_| 0),
        ends: words(&|i| i + 1),
    }));
}

fn timed<P: Params>(part: u32, params: &P, buffers: &[&CpuBuffer]) {
    let start = now();
    Cpu::new().dispatch(params, buffers).expect("a valid dispatch");
    spent(part, now() - start);
}

/// Runs it once; returns the mean loss.
#[unsafe(no_mangle)]
pub extern "C" fn forward() -> f32 {
    MODEL.with_borrow(|model| run(model.as_ref().expect("prepare_forward comes first")))
}

fn run(m: &Model) -> f32 {
    let (rows, width, cpu) = (m.tokens, m.width, Cpu::new());
    let alloc = |columns: u32| cpu.alloc((rows * columns) as usize).expect("memory");
    let (h, normed, qkv, mixed, up, down) =
        (alloc(width), alloc(width), alloc(3 * width), alloc(width), alloc(4 * width), alloc(width));
    let embed = Embed { rows, width, vocab: m.vocab, context: rows, scale: 1.0 };
    timed(5, &embed, &[&m.ids, &m.positions, &m.embedding, &m.places, &h]);
    let norm = |x: &CpuBuffer, out: &CpuBuffer| {
        let params = LayerNorm { rows, width, eps: 1e-5, offset: 0.0, centred: 1, biased: 1 };
        timed(2, &params, &[x, &m.gain, &m.bias, out]);
    };
    let product = |x: &CpuBuffer, (w, bias): &(CpuBuffer, CpuBuffer), k: u32, n: u32, out: &CpuBuffer| {
        timed(0, &Matmul { m: rows, k, n, transposed: 0, biased: 1 }, &[x, w, bias, out]);
    };
    let head = width / m.heads;
    let attention = Attention {
        rows,
        key_rows: rows,
        heads: m.heads,
        head,
        group: 1,
        stride: 3 * width,
        step: head,
        key_stride: 3 * width,
        key_step: head,
        key_at: width,
        value_at: 2 * width,
        span: 0,
        scale: 0.125,
    };
    for layer in &m.layers {
        norm(&h, &normed);
        product(&normed, &layer.matrices[0], width, 3 * width, &qkv);
        timed(1, &attention, &[&qkv, &qkv, &qkv, &m.starts, &m.ends, &qkv, &mixed]);
        product(&mixed, &layer.matrices[1], width, width, &down);
        timed(5, &Add { len: rows * width }, &[&h, &down]);
        norm(&h, &normed);
        product(&normed, &layer.matrices[2], width, 4 * width, &up);
        timed(3, &Activate { len: rows * 4 * width, kind: GELU_TANH }, &[&up]);
        product(&up, &layer.matrices[3], 4 * width, width, &down);
        timed(5, &Add { len: rows * width }, &[&h, &down]);
    }
    norm(&h, &normed);
    let losses = alloc(1);
    timed(4, &Loss { rows, width, vocab: m.vocab, biased: 0 }, &[&normed, &m.embedding, &m.bias, &m.ids, &losses]);
    losses.to_f32().iter().sum::<f32>() / rows as f32
}
