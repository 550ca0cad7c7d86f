//! Texts run on a device under one set of weights: the work that every analysis shares.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{
    ArchError,
    batch::{Batch, Share, text_sums},
    forward::{FullPrecision, Observer, Scored, Tap, forward, forward_beside},
    spec::{Linear, Side, Spec},
    weights::{Device, Weights},
};
use crate::backend::{Backend, BackendError, kernels::Norms};

/// What is to be seen of a text besides its loss. Norms and inputs are sums over its rows, so that texts add up to a
/// language's mean; means are the text's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Taps {
    /// Σ ‖h_l‖ after each block l.
    pub norms: bool,
    /// Σ |x_c| of each input channel c of each linear layer, in the order of [`Spec::linears`].
    pub inputs: bool,
    /// The mean of h_l over the text's rows after each block l: the text as one point of each layer.
    #[serde(default)]
    pub means: bool,
    /// The loss of each scored token, in the order of [`Scoring::order`](crate::arch::scoring::Scoring::order).
    #[serde(default)]
    pub tokens: bool,
    /// The divergence of full precision from this prediction, in nats, and how often the most likely token is another: sums over
    /// the scored tokens, and with `tokens` for each of them.
    #[serde(default)]
    pub divergence: bool,
}

impl Taps {
    /// The loss alone.
    pub const LOSSES: Taps = Taps { norms: false, inputs: false, means: false, tokens: false, divergence: false };

    /// What either asks for.
    pub fn and(self, other: Taps) -> Taps {
        Taps {
            norms: self.norms || other.norms,
            inputs: self.inputs || other.inputs,
            means: self.means || other.means,
            tokens: self.tokens || other.tokens,
            divergence: self.divergence || other.divergence,
        }
    }

    /// Figures of one text: nats, then norms, then inputs, then means, then divergence and flips; and after these its tokens,
    /// which no two texts need to have as many of: losses, then divergences, then flips.
    pub fn figures(self, spec: &Spec) -> usize {
        let norms = if self.norms { spec.blocks.len() } else { 0 };
        let inputs = if self.inputs { inputs(spec) } else { 0 };
        1 + norms + inputs + self.of_means(spec) + if self.divergence { 2 } else { 0 }
    }

    /// The same of a text with so many scored tokens, these included.
    pub fn figures_of(self, spec: &Spec, scored: usize) -> usize {
        let each = if self.divergence { 3 } else { 1 };
        self.figures(spec) + if self.tokens { each * scored } else { 0 }
    }

    /// Figures of the means: a layer's channels, layer after layer.
    fn of_means(self, spec: &Spec) -> usize {
        if self.means { spec.blocks.len() * spec.width } else { 0 }
    }
}

/// Input channels of all linear layers.
pub fn inputs(spec: &Spec) -> usize {
    spec.linears().map(|linear| linear.layout.k).sum()
}

/// Nats of each text: the sum of its rows' losses, in order, in f64.
pub async fn run_texts<B: Backend>(
    device: &Device<B>,
    weights: &Weights<B>,
    texts: &[impl AsRef<[u32]>],
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    see_texts(device, weights, texts, Taps::LOSSES, pause).await
}

/// What a pass has shown.
pub struct Watched<B: Backend> {
    /// [`Taps::figures`] of each text.
    pub figures: Vec<Vec<f64>>,
    /// Rows of each text.
    pub shares: Vec<Share>,
    /// Hidden states of all rows after each block (rows of its side, width); none where they were not to be kept.
    pub hidden: Vec<(Side, B::Buffer)>,
}

/// Figures of each text, one text after another: [`Taps::figures`] of them for each, and its tokens' where they are asked for;
/// every sum in the order of rows.
pub async fn see_texts<B: Backend>(
    device: &Device<B>,
    weights: &Weights<B>,
    texts: &[impl AsRef<[u32]>],
    taps: Taps,
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    Ok(watch_texts(device, weights, texts, taps, false, pause).await?.figures.concat())
}

/// The same, and the hidden states themselves where they are to be kept.
pub async fn watch_texts<B: Backend>(
    device: &Device<B>,
    weights: &Weights<B>,
    texts: &[impl AsRef<[u32]>],
    taps: Taps,
    keep: bool,
    pause: &impl AsyncFn(),
) -> Result<Watched<B>, ArchError> {
    let mut batch = Batch::default();
    let spec = &device.spec;
    let push = |tokens: &[u32]| batch.push_text(tokens, &spec.scoring, spec.context);
    let shares: Vec<Share> = texts.iter().map(AsRef::as_ref).map(push).collect();
    let inputs = vec![Vec::new(); shares.len()];
    let keep = keep || taps.means;
    let full = if taps.divergence { Some(full_precision(device, texts, &shares, pause).await?) } else { None };
    let mut watch =
        Watch { taps, keep, spec, shares: &shares, norms: Vec::new(), inputs, hidden: Vec::new(), last: None };
    let Scored { losses, divergences, flips } =
        forward_beside(&device.backend, spec, weights, full, &batch, &mut watch, pause).await?;
    if weights.unchanged
        && let Some(last) = &watch.last
    {
        keep_last(device, texts, &shares, &device.backend.read_f32(last).await?);
    }
    let sums = |values: &[f32]| text_sums(values, shares.iter().map(|share| share.scored)).collect::<Vec<f64>>();
    let mut figures: Vec<Vec<f64>> = sums(&losses).into_iter().map(|nats| vec![nats]).collect();
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
    for (side, hidden) in watch.hidden.iter().filter(|_| taps.means) {
        let hidden = device.backend.read_f32(hidden).await?;
        let mut all = hidden.chunks_exact(spec.width);
        for (figures, share) in figures.iter_mut().zip(&shares) {
            figures.extend(mean_row(all.by_ref().take(rows(share, *side)), spec.width));
        }
    }
    if taps.divergence {
        for ((figures, nats), flips) in figures.iter_mut().zip(sums(&divergences)).zip(sums(&flips)) {
            figures.extend([nats, flips]);
        }
    }
    for values in [&losses, &divergences, &flips].into_iter().filter(|values| taps.tokens && !values.is_empty()) {
        let mut rest = values.iter().map(|&value| f64::from(value));
        for (figures, share) in figures.iter_mut().zip(&shares) {
            figures.extend(rest.by_ref().take(share.scored));
        }
    }
    Ok(Watched { figures, hidden: watch.hidden, shares })
}

/// What full precision makes of these texts: as it is kept, or by a pass over those that are not.
async fn full_precision<'a, B: Backend>(
    device: &'a Device<B>,
    texts: &[impl AsRef<[u32]>],
    shares: &[Share],
    pause: &impl AsyncFn(),
) -> Result<FullPrecision<'a, B>, ArchError> {
    let spec = &device.spec;
    let find = |text: &[u32]| device.last_states.borrow().find(text);
    let (mut batch, mut missing, mut of_missing) = (Batch::default(), Vec::new(), Vec::new());
    let mut found: Vec<Option<Rc<[f32]>>> = texts.iter().map(|text| find(text.as_ref())).collect();
    for (at, text) in texts.iter().enumerate().filter(|(at, _)| found[*at].is_none()) {
        of_missing.push(batch.push_text(text.as_ref(), &spec.scoring, spec.context));
        missing.push(at);
    }
    if !missing.is_empty() {
        let mut last = LastSeen(None);
        forward(&device.backend, spec, device.full(), &batch, &mut last, pause).await?;
        let rows = match &last.0 {
            Some(last) => device.backend.read_f32(last).await?,
            None => Vec::new(),
        };
        let of: Vec<&[u32]> = missing.iter().map(|&at| texts[at].as_ref()).collect();
        keep_last(device, &of, &of_missing, &rows);
        let mut rest = &rows[..];
        for (&at, share) in missing.iter().zip(&of_missing) {
            let (own, after) = rest.split_at(share.scored * spec.table_width());
            found[at] = Some(own.into());
            rest = after;
        }
    }
    let rows: usize = shares.iter().map(|share| share.scored).sum();
    let mut last = Vec::with_capacity(rows * spec.table_width());
    found.iter().flatten().for_each(|rows| last.extend_from_slice(rows));
    Ok(FullPrecision { weights: device.full(), last })
}

/// Keeps what the head's table has read of each text.
fn keep_last<B: Backend>(device: &Device<B>, texts: &[impl AsRef<[u32]>], shares: &[Share], mut rows: &[f32]) {
    let mut kept = device.last_states.borrow_mut();
    for (text, share) in texts.iter().zip(shares) {
        let (own, after) = rows.split_at(share.scored * device.spec.table_width());
        kept.keep(text.as_ref(), own);
        rows = after;
    }
}

/// Keeps what the head's table reads.
struct LastSeen<T>(Option<T>);

impl<B: Backend> Observer<B> for LastSeen<B::Buffer> {
    fn see(&mut self, backend: &B, tap: Tap, rows: &B::Buffer, count: usize, width: usize) -> Result<(), BackendError> {
        if tap == Tap::Last {
            self.0 = Some(kept(backend, rows, count * width)?);
        }
        Ok(())
    }
}

/// The mean of rows, summed in their order in f64; zeros for none.
pub fn mean_row<'a>(rows: impl Iterator<Item = &'a [f32]>, width: usize) -> Vec<f64> {
    let (mut sums, mut count) = (vec![0.0; width], 0u32);
    for row in rows {
        count += 1;
        sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    sums.iter_mut().for_each(|sum| *sum /= f64::from(count.max(1)));
    sums
}

/// Rows of a text on a side.
pub fn rows(share: &Share, side: Side) -> usize {
    if side == Side::Main { share.main } else { share.source }
}

/// Sums are told as if a text had as many rows as tokens that are scored, so that one count divides them all. 1 where it has.
fn per_scored(share: &Share, side: Side) -> f64 {
    share.scored as f64 / rows(share, side).max(1) as f64
}

/// A copy of a stream, which the next block overwrites.
pub fn kept<B: Backend>(backend: &B, stream: &B::Buffer, len: usize) -> Result<B::Buffer, BackendError> {
    let out = backend.alloc(len)?;
    backend.copy(stream, 0, &out, 0, len);
    Ok(out)
}

/// Keeps what the taps ask for.
struct Watch<'a, B: Backend> {
    taps: Taps,
    /// Whether hidden states are kept.
    keep: bool,
    spec: &'a Spec,
    /// Rows of each text.
    shares: &'a [Share],
    /// Norms of all rows, for each block.
    norms: Vec<(Side, B::Buffer)>,
    /// Sums of each text over its rows, linear after linear.
    inputs: Vec<Vec<f64>>,
    /// Hidden states of all rows, for each block (rows, width).
    hidden: Vec<(Side, B::Buffer)>,
    /// What the head's table has read.
    last: Option<B::Buffer>,
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
        if tap == Tap::Last {
            self.last = Some(stream.clone());
        }
        let Tap::Hidden(layer) = tap else { return Ok(()) };
        if self.keep {
            self.hidden.push((self.spec.blocks[layer].side, kept(backend, stream, rows * width)?));
        }
        if self.taps.norms {
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
