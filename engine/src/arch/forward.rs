//! A forward pass from a batch to the loss of every scored row. Named taps show what passes by.

use super::{
    ArchError,
    batch::Batch,
    pass::Pass,
    spec::{Linear, Side, Spec},
    weights::Weights,
};
use crate::backend::{Backend, BackendError};

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

/// Loss of every scored row in nats. `pause` is awaited between blocks, so that a worker can hear a Cancel.
pub async fn forward<B: Backend>(
    backend: &B,
    spec: &Spec,
    weights: &Weights<B>,
    batch: &Batch,
    observer: &mut impl Observer<B>,
    pause: &impl AsyncFn(),
) -> Result<Vec<f32>, ArchError> {
    if batch.scored.is_empty() {
        return Ok(Vec::new());
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
    let losses = pass.losses(&*weights.with_table(backend, &spec.head.table).await?, observer)?;
    Ok(backend.read_f32(&losses).await?)
}
