//! Texts run on a device under one set of weights: the work that every analysis shares.

use super::plan::Taps;
use crate::{
    arch::{
        ArchError,
        batch::{Batch, Share, text_sums},
        forward::{Observer, Tap, forward},
        spec::{Linear, Side, Spec},
        weights::{Device, Weights},
    },
    backend::{Backend, BackendError, table::Norms},
};

/// Nats of each text: the sum of its rows' losses, in order, in f64.
pub async fn run_texts<B: Backend>(
    device: &Device<B>,
    weights: &Weights<B>,
    texts: &[impl AsRef<[u32]>],
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    see_texts(device, weights, texts, Taps::LOSSES, pause).await
}

/// Figures of each text, one text after another: [`Taps::figures`] of them for each, every sum in the order of rows.
pub async fn see_texts<B: Backend>(
    device: &Device<B>,
    weights: &Weights<B>,
    texts: &[impl AsRef<[u32]>],
    taps: Taps,
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    let mut batch = Batch::default();
    let spec = &device.spec;
    let push = |tokens: &[u32]| batch.push_text(tokens, &spec.scoring, spec.context);
    let shares: Vec<Share> = texts.iter().map(AsRef::as_ref).map(push).collect();
    let mut watch = Watch { taps, spec, shares: &shares, norms: Vec::new(), inputs: vec![Vec::new(); shares.len()] };
    let losses = forward(&device.backend, &device.spec, weights, &batch, &mut watch, pause).await?;
    let scored = shares.iter().map(|share| share.scored);
    let mut figures: Vec<Vec<f64>> = text_sums(&losses, scored).map(|nats| vec![nats]).collect();
    for (side, norms) in watch.norms {
        let norms = device.backend.read_f32(&norms).await?;
        let sums = text_sums(&norms, shares.iter().map(|share| rows(share, side)));
        for ((figures, sum), share) in figures.iter_mut().zip(sums).zip(&shares) {
            figures.push(sum * per_scored(share, side));
        }
    }
    for (figures, inputs) in figures.iter_mut().zip(watch.inputs) {
        figures.extend(inputs);
    }
    Ok(figures.concat())
}

/// Rows of a text on a side.
fn rows(share: &Share, side: Side) -> usize {
    if side == Side::Main { share.main } else { share.source }
}

/// Sums are told as if a text had as many rows as tokens that are scored, so that one count divides them all. 1 where it has.
fn per_scored(share: &Share, side: Side) -> f64 {
    share.scored as f64 / rows(share, side).max(1) as f64
}

/// Keeps what the taps ask for.
struct Watch<'a, B: Backend> {
    taps: Taps,
    spec: &'a Spec,
    /// Rows of each text.
    shares: &'a [Share],
    /// Norms of all rows, for each block.
    norms: Vec<(Side, B::Buffer)>,
    /// Sums of each text over its rows, linear after linear.
    inputs: Vec<Vec<f64>>,
}

impl<B: Backend> Observer<B> for Watch<'_, B> {
    fn see(
        &mut self,
        backend: &B,
        tap: Tap,
        stream: &B::Buffer,
        rows: usize,
        width: usize,
    ) -> Result<(), BackendError> {
        if let Tap::Hidden(layer) = tap
            && self.taps.norms
        {
            let out = backend.alloc(rows)?;
            backend.dispatch(&Norms { rows: rows as u32, width: width as u32 }, &[stream, &out])?;
            self.norms.push((self.spec.blocks[layer].side, out));
        }
        Ok(())
    }

    async fn see_input(&mut self, backend: &B, linear: &Linear, x: &B::Buffer, side: Side) -> Result<(), BackendError> {
        if !self.taps.inputs {
            return Ok(());
        }
        let (x, width) = (backend.read_f32(x).await?, linear.layout.k);
        let mut all = x.chunks_exact(width);
        for (share, sums) in self.shares.iter().zip(&mut self.inputs) {
            let before = sums.len();
            sums.resize(before + width, 0.0);
            for row in all.by_ref().take(rows(share, side)) {
                for (sum, &value) in sums[before..].iter_mut().zip(row) {
                    *sum += f64::from(value).abs();
                }
            }
            sums[before..].iter_mut().for_each(|sum| *sum *= per_scored(share, side));
        }
        Ok(())
    }
}
