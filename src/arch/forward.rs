//! The interpreter: runs a spec's blocks on a batch and gives the loss of every row. Named taps show what passes by.

use super::{
    ArchError,
    batch::Batch,
    spec::{Attention, Linear, Mlp, Norm, Spec},
    weights::{Weight, Weights},
};
use crate::backend::{
    Backend, BackendError,
    table::{Add, Attention as AttentionKernel, Embed, Gelu, LayerNorm, Loss, Matmul, MatmulPacked},
};

/// A point of the forward pass where the residual stream (rows, width) can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tap {
    /// After the embeddings.
    Embedding,
    /// After block i: the h_i of the seeds.
    Hidden(usize),
    /// After the last norm: what the head reads.
    Last,
}

/// Looks on. It may dispatch kernels on what it sees or read it; the buffer is overwritten afterwards.
#[allow(async_fn_in_trait)] // used through generics in one thread; no `Send` bound is wanted
pub trait Observer<B: Backend> {
    /// The stream at a tap.
    fn see(&mut self, backend: &B, tap: Tap, stream: &B::Buffer, rows: usize, width: usize)
    -> Result<(), BackendError>;

    /// What a linear layer is about to read: x (rows, k).
    async fn see_input(&mut self, _: &B, _: &Linear, _: &B::Buffer, _rows: usize) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Looks at nothing.
impl<B: Backend> Observer<B> for () {
    fn see(&mut self, _: &B, _: Tap, _: &B::Buffer, _: usize, _: usize) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Loss of every row in nats. `pause` is awaited between blocks, so that a worker can hear a Cancel.
pub async fn forward<B: Backend>(
    backend: &B,
    spec: &Spec,
    weights: &Weights<B>,
    batch: &Batch,
    observer: &mut impl Observer<B>,
    pause: &impl AsyncFn(),
) -> Result<Vec<f32>, ArchError> {
    if batch.rows() == 0 {
        return Ok(Vec::new());
    }
    let run = Run::new(backend, spec, weights, batch)?;
    run.embed(batch)?;
    observer.see(backend, Tap::Embedding, &run.stream, run.rows, spec.width)?;
    for (layer, block) in spec.blocks.iter().enumerate() {
        run.norm(&block.attention_norm)?;
        run.attention(&block.attention, observer).await?;
        run.norm(&block.mlp_norm)?;
        run.mlp(&block.mlp, observer).await?;
        observer.see(backend, Tap::Hidden(layer), &run.stream, run.rows, spec.width)?;
        pause().await;
    }
    run.norm(&spec.last_norm)?;
    observer.see(backend, Tap::Last, &run.normed, run.rows, spec.width)?;
    let losses = run.losses(batch)?;
    Ok(backend.read_f32(&losses).await?)
}

/// Buffers of one pass; every block uses the same ones.
struct Run<'a, B: Backend> {
    backend: &'a B,
    spec: &'a Spec,
    weights: &'a Weights<B>,
    rows: usize,
    starts: B::Buffer,
    /// Residual stream (rows, width).
    stream: B::Buffer,
    /// Output of the last norm (rows, width).
    normed: B::Buffer,
    /// Queries, keys and values side by side (rows, 3·width).
    qkv: B::Buffer,
    /// Hidden layer of the MLP (rows, inner).
    inner: B::Buffer,
    /// What a block's half adds to the stream (rows, width).
    update: B::Buffer,
}

impl<'a, B: Backend> Run<'a, B> {
    fn new(backend: &'a B, spec: &'a Spec, weights: &'a Weights<B>, batch: &Batch) -> Result<Run<'a, B>, ArchError> {
        let rows = batch.rows();
        let widest = |of: fn(&super::spec::Block) -> usize| spec.blocks.iter().map(of).max().unwrap_or(0);
        Ok(Run {
            backend,
            spec,
            weights,
            rows,
            starts: backend.upload(&batch.starts)?,
            stream: backend.alloc(rows * spec.width)?,
            normed: backend.alloc(rows * spec.width)?,
            qkv: backend.alloc(rows * widest(|block| block.attention.qkv.layout.n))?,
            inner: backend.alloc(rows * widest(|block| block.mlp.up.layout.n))?,
            update: backend.alloc(rows * spec.width)?,
        })
    }

    fn embed(&self, batch: &Batch) -> Result<(), ArchError> {
        let params = Embed {
            rows: self.rows as u32,
            width: self.spec.width as u32,
            vocab: self.spec.vocabulary as u32,
            context: self.spec.context as u32,
        };
        let (ids, positions) = (self.backend.upload(&batch.ids)?, self.backend.upload(&batch.positions)?);
        let tables = (self.weights.full(&self.spec.tokens)?, self.weights.full(&self.spec.positions)?);
        Ok(self.backend.dispatch(&params, &[&ids, &positions, tables.0, tables.1, &self.stream])?)
    }

    /// normed = norm(stream)
    fn norm(&self, norm: &Norm) -> Result<(), ArchError> {
        let params = LayerNorm { rows: self.rows as u32, width: self.spec.width as u32, eps: norm.eps };
        let (gain, bias) = (self.weights.full(&norm.gain)?, self.weights.full(&norm.bias)?);
        Ok(self.backend.dispatch(&params, &[&self.stream, gain, bias, &self.normed])?)
    }

    /// stream += attention(normed)
    async fn attention(&self, attention: &Attention, observer: &mut impl Observer<B>) -> Result<(), ArchError> {
        observer.see_input(self.backend, &attention.qkv, &self.normed, self.rows).await?;
        self.linear(&attention.qkv, &self.normed, &self.qkv)?;
        let width = self.spec.width as u32;
        let params = AttentionKernel {
            rows: self.rows as u32,
            heads: attention.heads as u32,
            head: width / attention.heads as u32,
            stride: 3 * width,
            keys: width,
            values: 2 * width,
            scale: attention.scale,
        };
        self.backend.dispatch(&params, &[&self.qkv, &self.starts, &self.normed])?;
        observer.see_input(self.backend, &attention.out, &self.normed, self.rows).await?;
        self.linear(&attention.out, &self.normed, &self.update)?;
        self.add_update()
    }

    /// stream += mlp(normed)
    async fn mlp(&self, mlp: &Mlp, observer: &mut impl Observer<B>) -> Result<(), ArchError> {
        observer.see_input(self.backend, &mlp.up, &self.normed, self.rows).await?;
        self.linear(&mlp.up, &self.normed, &self.inner)?;
        self.backend.dispatch(&Gelu { len: (self.rows * mlp.up.layout.n) as u32 }, &[&self.inner])?;
        observer.see_input(self.backend, &mlp.down, &self.inner, self.rows).await?;
        self.linear(&mlp.down, &self.inner, &self.update)?;
        self.add_update()
    }

    fn add_update(&self) -> Result<(), ArchError> {
        let len = (self.rows * self.spec.width) as u32;
        Ok(self.backend.dispatch(&Add { len }, &[&self.stream, &self.update])?)
    }

    /// out (rows, n) = x (rows, k) · w + bias
    fn linear(&self, linear: &Linear, x: &B::Buffer, out: &B::Buffer) -> Result<(), ArchError> {
        let (m, k, n) = (self.rows as u32, linear.layout.k as u32, linear.layout.n as u32);
        let (transposed, biased) = (linear.layout.transposed as u32, 1);
        let bias = self.weights.full(&linear.bias)?;
        match self.weights.get(&linear.weight)? {
            Weight::Full(w) => {
                self.backend.dispatch(&Matmul { m, k, n, transposed, biased }, &[x, w, bias, out])?;
            }
            Weight::Packed { width, codes, scales, grouping } => {
                let (group, channels) = (grouping.group as u32, grouping.channels as u32);
                let params = MatmulPacked { m, k, n, transposed, biased, group, channels, bits: *width };
                self.backend.dispatch(&params, &[x, codes, scales, bias, out])?;
            }
        }
        Ok(())
    }

    fn losses(&self, batch: &Batch) -> Result<B::Buffer, ArchError> {
        let (rows, width, vocab) = (self.rows as u32, self.spec.width as u32, self.spec.vocabulary as u32);
        let (targets, out) = (self.backend.upload(&batch.targets)?, self.backend.alloc(self.rows)?);
        let head = self.weights.full(&self.spec.tokens)?;
        self.backend.dispatch(&Loss { rows, width, vocab }, &[&self.normed, head, &targets, &out])?;
        Ok(out)
    }
}
