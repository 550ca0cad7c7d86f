//! A forward pass from a batch to the loss of every scored row. Named taps show what passes by.

use super::{
    ArchError,
    batch::Batch,
    pass::Pass,
    spec::{Linear, Side, Spec},
    weights::Weights,
};
use crate::backend::{Backend, BackendError, kernels::divergence::DIVERGENCE_WORDS};

/// A point of the forward pass where hidden states can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tap {
    /// After the embeddings of one side: (rows, width).
    Embedding(Side),
    /// After block i: the h_i of the theory (rows of its side, width).
    Hidden(usize),
    /// What the head's table reads (scored rows, channels of the table).
    Last,
}

/// Looks on. It may dispatch kernels on what it sees or read it; the buffer is overwritten afterwards.
#[allow(async_fn_in_trait)] // used through generics in one thread; no `Send` bound is wanted
pub trait Observer<B: Backend> {
    /// The stream at a tap.
    fn see(&mut self, backend: &B, tap: Tap, stream: &B::Buffer, rows: usize, width: usize)
    -> Result<(), BackendError>;

    /// What a linear layer of a block is about to read: x (rows of that side, k).
    async fn see_input(&mut self, _: &B, _: &Linear, _: &B::Buffer, _: Side) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Looks at nothing.
impl<B: Backend> Observer<B> for () {
    fn see(&mut self, _: &B, _: Tap, _: &B::Buffer, _: usize, _: usize) -> Result<(), BackendError> {
        Ok(())
    }
}

/// What full precision made of the same batch.
pub struct FullPrecision<'a, B: Backend> {
    /// Its weights.
    pub weights: &'a Weights<B>,
    /// What the head's table read of each scored row (rows, channels of the table): what [`Tap::Last`] has seen.
    pub last: Vec<f32>,
}

/// Of every scored row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scored {
    /// Loss in nats.
    pub losses: Vec<f32>,
    /// Divergence of full precision from this prediction in nats; none where it was not compared.
    pub divergences: Vec<f32>,
    /// 1 where the most likely token is another than in full precision, else 0.
    pub flips: Vec<f32>,
}

/// Loss of every scored row in nats. `pause` is awaited between blocks, so that a worker can hear a Cancel.
pub async fn forward<B: Backend>(
    backend: &B,
    spec: &Spec,
    weights: &Weights<B>,
    batch: &Batch,
    observer: &mut impl Observer<B>,
    pause: &impl AsyncFn(),
) -> Result<Vec<f32>, ArchError> {
    Ok(forward_beside(backend, spec, weights, None, batch, observer, pause).await?.losses)
}

/// The same, beside what full precision made of it. The losses have the same bits with and without it on the CPU.
pub async fn forward_beside<B: Backend>(
    backend: &B,
    spec: &Spec,
    weights: &Weights<B>,
    full: Option<FullPrecision<'_, B>>,
    batch: &Batch,
    observer: &mut impl Observer<B>,
    pause: &impl AsyncFn(),
) -> Result<Scored, ArchError> {
    if batch.scored.is_empty() {
        return Ok(Scored::default());
    }
    let pass = Pass::new(backend, spec, batch)?;
    pass.embed(&*weights.with_table(backend, &spec.tokens).await?, observer)?;
    for (layer, block) in spec.blocks.iter().enumerate() {
        if !weights.skips(layer) {
            let present = weights.with_matrices(backend, block.weights()).await?;
            pass.block(block, &|_| &present, observer).await?;
        }
        let (stream, rows) = pass.stream(block.side);
        observer.see(backend, Tap::Hidden(layer), stream, rows, spec.width)?;
        pause().await;
    }
    let table = weights.with_table(backend, &spec.head.table).await?;
    let Some(full) = full else {
        let losses = pass.losses(&table, observer)?;
        return Ok(Scored { losses: backend.read_f32(&losses).await?, ..Scored::default() });
    };
    let full_table = full.weights.with_table(backend, &spec.head.table).await?;
    let rows = pass.divergences(&table, &full_table, &full.last, observer)?;
    let mut scored = Scored::default();
    for row in backend.read_f32(&rows).await?.chunks_exact(DIVERGENCE_WORDS as usize) {
        scored.losses.push(row[0]);
        scored.divergences.push(row[1]);
        scored.flips.push(row[2]);
    }
    Ok(scored)
}
