//! The interpreter: runs a spec's blocks on a batch and gives the loss of every row. Named taps show what passes by.

use super::{
    ArchError,
    batch::Batch,
    spec::{Block, Linear, Norm, Spec},
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
    let pass = Pass::new(backend, spec, &batch.starts)?;
    pass.embed(weights, batch)?;
    observer.see(backend, Tap::Embedding, &pass.stream, pass.rows, spec.width)?;
    for (layer, block) in spec.blocks.iter().enumerate() {
        pass.attention(weights, block, observer).await?;
        pass.mlp(weights, block, observer).await?;
        observer.see(backend, Tap::Hidden(layer), &pass.stream, pass.rows, spec.width)?;
        pause().await;
    }
    pass.norm(weights, &spec.last_norm)?;
    observer.see(backend, Tap::Last, &pass.normed, pass.rows, spec.width)?;
    let losses = pass.losses(weights, &batch.targets)?;
    Ok(backend.read_f32(&losses).await?)
}

/// A pass step by step, each under weights of its own; every block uses the same buffers.
pub(super) struct Pass<'a, B: Backend> {
    backend: &'a B,
    spec: &'a Spec,
    rows: usize,
    starts: B::Buffer,
    /// Residual stream (rows, width).
    pub stream: B::Buffer,
    /// Output of the last norm (rows, width).
    normed: B::Buffer,
    /// Queries, keys and values side by side (rows, 3·width).
    qkv: B::Buffer,
    /// Hidden layer of the MLP (rows, inner).
    inner: B::Buffer,
    /// What a block's half adds to the stream (rows, width).
    update: B::Buffer,
}

impl<'a, B: Backend> Pass<'a, B> {
    /// Over rows whose sequences begin at `starts`; the stream is zeros.
    pub fn new(backend: &'a B, spec: &'a Spec, starts: &[u32]) -> Result<Pass<'a, B>, ArchError> {
        let rows = starts.len();
        let widest = |of: fn(&Block) -> usize| spec.blocks.iter().map(of).max().unwrap_or(0);
        Ok(Pass {
            backend,
            spec,
            rows,
            starts: backend.upload(starts)?,
            stream: backend.alloc(rows * spec.width)?,
            normed: backend.alloc(rows * spec.width)?,
            qkv: backend.alloc(rows * widest(|block| block.attention.qkv.layout.n))?,
            inner: backend.alloc(rows * widest(|block| block.mlp.up.layout.n))?,
            update: backend.alloc(rows * spec.width)?,
        })
    }

    /// stream = embeddings of the batch's tokens
    pub fn embed(&self, weights: &Weights<B>, batch: &Batch) -> Result<(), ArchError> {
        let params = Embed {
            rows: self.rows as u32,
            width: self.spec.width as u32,
            vocab: self.spec.vocabulary as u32,
            context: self.spec.context as u32,
        };
        let (ids, positions) = (self.backend.upload(&batch.ids)?, self.backend.upload(&batch.positions)?);
        let tables = (weights.full(&self.spec.tokens)?, weights.full(&self.spec.positions)?);
        Ok(self.backend.dispatch(&params, &[&ids, &positions, tables.0, tables.1, &self.stream])?)
    }

    /// normed = norm(stream)
    pub fn norm(&self, weights: &Weights<B>, norm: &Norm) -> Result<(), ArchError> {
        let params = LayerNorm { rows: self.rows as u32, width: self.spec.width as u32, eps: norm.eps };
        let (gain, bias) = (weights.full(&norm.gain)?, weights.full(&norm.bias)?);
        Ok(self.backend.dispatch(&params, &[&self.stream, gain, bias, &self.normed])?)
    }

    /// stream += attention(norm(stream))
    pub async fn attention(
        &self,
        weights: &Weights<B>,
        block: &Block,
        observer: &mut impl Observer<B>,
    ) -> Result<(), ArchError> {
        let attention = &block.attention;
        self.norm(weights, &block.attention_norm)?;
        observer.see_input(self.backend, &attention.qkv, &self.normed, self.rows).await?;
        self.linear(weights, &attention.qkv, &self.normed, &self.qkv)?;
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
        self.linear(weights, &attention.out, &self.normed, &self.update)?;
        self.add_update()
    }

    /// stream += mlp(norm(stream))
    pub async fn mlp(
        &self,
        weights: &Weights<B>,
        block: &Block,
        observer: &mut impl Observer<B>,
    ) -> Result<(), ArchError> {
        let mlp = &block.mlp;
        self.norm(weights, &block.mlp_norm)?;
        observer.see_input(self.backend, &mlp.up, &self.normed, self.rows).await?;
        self.linear(weights, &mlp.up, &self.normed, &self.inner)?;
        self.backend.dispatch(&Gelu { len: (self.rows * mlp.up.layout.n) as u32 }, &[&self.inner])?;
        observer.see_input(self.backend, &mlp.down, &self.inner, self.rows).await?;
        self.linear(weights, &mlp.down, &self.inner, &self.update)?;
        self.add_update()
    }

    fn add_update(&self) -> Result<(), ArchError> {
        let len = (self.rows * self.spec.width) as u32;
        Ok(self.backend.dispatch(&Add { len }, &[&self.stream, &self.update])?)
    }

    /// out (rows, n) = x (rows, k) · w + bias
    fn linear(&self, weights: &Weights<B>, linear: &Linear, x: &B::Buffer, out: &B::Buffer) -> Result<(), ArchError> {
        let (m, k, n) = (self.rows as u32, linear.layout.k as u32, linear.layout.n as u32);
        let (transposed, biased) = (linear.layout.transposed as u32, 1);
        let bias = weights.full(&linear.bias)?;
        match weights.get(&linear.weight)? {
            Weight::Full(w) => {
                self.backend.dispatch(&Matmul { m, k, n, transposed, biased }, &[x, w, bias, out])?;
            }
            Weight::Halves(w) => {
                let (group, channels, bits) = (k.max(1), 1, 16);
                let params = MatmulPacked { m, k, n, transposed, biased, group, channels, bits };
                self.backend.dispatch(&params, &[x, w, w, bias, out])?;
            }
            Weight::Packed { width, codes, scales, grouping } => {
                let (group, channels) = (grouping.group as u32, grouping.channels as u32);
                let params = MatmulPacked { m, k, n, transposed, biased, group, channels, bits: *width };
                self.backend.dispatch(&params, &[x, codes, scales, bias, out])?;
            }
        }
        Ok(())
    }

    /// Loss of each row from what the last norm gave.
    pub fn losses(&self, weights: &Weights<B>, targets: &[u32]) -> Result<B::Buffer, ArchError> {
        let (rows, width, vocab) = (self.rows as u32, self.spec.width as u32, self.spec.vocabulary as u32);
        let (targets, out) = (self.backend.upload(targets)?, self.backend.alloc(self.rows)?);
        let head = weights.full(&self.spec.tokens)?;
        self.backend.dispatch(&Loss { rows, width, vocab }, &[&self.normed, head, &targets, &out])?;
        Ok(out)
    }
}
