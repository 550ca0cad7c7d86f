//! Texts run on a device under one set of weights: the work that every analysis shares.

use super::plan::Taps;
use crate::{
    arch::{
        ArchError,
        batch::{Batch, text_sums},
        forward::{Observer, Tap, forward},
        spec::Linear,
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
    let rows: Vec<usize> = texts.iter().map(|tokens| batch.push_text(tokens.as_ref(), device.spec.context)).collect();
    let mut watch = Watch { taps, rows: &rows, norms: Vec::new(), inputs: vec![Vec::new(); rows.len()] };
    let losses = forward(&device.backend, &device.spec, weights, &batch, &mut watch, pause).await?;
    let mut figures: Vec<Vec<f64>> = text_sums(&losses, &rows).map(|nats| vec![nats]).collect();
    for norms in watch.norms {
        let norms = device.backend.read_f32(&norms).await?;
        figures.iter_mut().zip(text_sums(&norms, &rows)).for_each(|(figures, sum)| figures.push(sum));
    }
    for (figures, inputs) in figures.iter_mut().zip(watch.inputs) {
        figures.extend(inputs);
    }
    Ok(figures.concat())
}

/// Keeps what the taps ask for.
struct Watch<'a, B: Backend> {
    taps: Taps,
    /// Rows of each text.
    rows: &'a [usize],
    /// Norms of all rows, for each block.
    norms: Vec<B::Buffer>,
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
        if self.taps.norms && matches!(tap, Tap::Hidden(_)) {
            let out = backend.alloc(rows)?;
            backend.dispatch(&Norms { rows: rows as u32, width: width as u32 }, &[stream, &out])?;
            self.norms.push(out);
        }
        Ok(())
    }

    async fn see_input(&mut self, backend: &B, linear: &Linear, x: &B::Buffer, _: usize) -> Result<(), BackendError> {
        if !self.taps.inputs {
            return Ok(());
        }
        let (x, width) = (backend.read_f32(x).await?, linear.layout.k);
        let mut rows = x.chunks_exact(width);
        for (count, sums) in self.rows.iter().zip(&mut self.inputs) {
            let before = sums.len();
            sums.resize(before + width, 0.0);
            for row in rows.by_ref().take(*count) {
                for (sum, &value) in sums[before..].iter_mut().zip(row) {
                    *sum += f64::from(value).abs();
                }
            }
        }
        Ok(())
    }
}
