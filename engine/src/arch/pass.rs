//! The interpreter: runs a spec's parts on a batch, step by step, each under weights of its own.

use std::cell::RefCell;

use super::{
    ArchError,
    batch::{Batch, Sequences},
    forward::{Observer, Tap},
    position_tables::{self, PositionTables},
    spec::{Block, Embedding, Linear, Mixer, Mlp, Norm, Positions, Projections, Side, Spec, Sublayer, Transform},
    weights::{Weight, Weights},
};
use crate::backend::{
    Backend,
    kernels::{
        Activate, Add, Divergence, Embed, Gather, LayerNorm, Loss, Matmul, MatmulPacked, Multiply,
        divergence::DIVERGENCE_WORDS,
    },
};

/// Logits that are there at a time, as long as a few rows have no more: 8 MB, twice.
const LOGITS: usize = 1 << 21;
/// A product of fewer rows reads the table too often.
const FEWEST_ROWS: usize = 8;

/// Buffers of one pass; every block uses the same.
pub(super) struct Pass<'a, B: Backend> {
    pub(super) backend: &'a B,
    pub(super) spec: &'a Spec,
    pub(super) batch: &'a Batch,
    main: Rows<B>,
    source: Rows<B>,
    /// The encoder's rows that each row of the decoder sees, from … to.
    pub(super) across: [B::Buffer; 2],
    /// Output of the last norm (rows, width).
    normed: B::Buffer,
    /// The encoder's last hidden states (source rows, width).
    pub(super) memory: B::Buffer,
    /// Queries, or queries, keys and values side by side; keys; values.
    pub(super) projected: [B::Buffer; 3],
    /// Queries and keys whose heads are normed.
    pub(super) leveled: [B::Buffer; 2],
    /// What attention makes of values (rows, heads·head).
    pub(super) mixed: B::Buffer,
    /// Hidden layer of the MLP, and its gate (rows, inner).
    inner: [B::Buffer; 2],
    /// What each of a block's sublayers adds to the stream (rows, width); one after another they share the first.
    updates: Vec<B::Buffer>,
    /// What belongs to places and distances, made when it is first met.
    pub(super) tables: RefCell<PositionTables<B>>,
}

/// Rows of one side.
pub(super) struct Rows<B: Backend> {
    pub count: usize,
    ids: B::Buffer,
    pub positions: B::Buffer,
    pub starts: B::Buffer,
    pub ends: B::Buffer,
    /// Residual stream (rows, width).
    pub stream: B::Buffer,
}

impl<B: Backend> Rows<B> {
    fn new(backend: &B, of: &Sequences, width: usize) -> Result<Rows<B>, ArchError> {
        Ok(Rows {
            count: of.rows(),
            ids: backend.upload(&of.ids)?,
            positions: backend.upload(&of.positions)?,
            starts: backend.upload(&of.starts)?,
            ends: backend.upload(&of.ends)?,
            stream: backend.alloc(of.rows() * width)?,
        })
    }
}

impl<'a, B: Backend> Pass<'a, B> {
    /// Over the rows of a batch; the streams are zeros.
    pub fn new(backend: &'a B, spec: &'a Spec, batch: &'a Batch) -> Result<Pass<'a, B>, ArchError> {
        let rows = batch.main.rows().max(batch.source.rows());
        let sublayers = || spec.blocks.iter().flat_map(|block| &block.sublayers);
        let widest = |of: &dyn Fn(&Mixer) -> usize| sublayers().map(|sublayer| of(&sublayer.mixer)).max().unwrap_or(0);
        let alloc = |of: &dyn Fn(&Mixer) -> usize| backend.alloc(rows * widest(of));
        let projected = |which: usize| {
            alloc(&|mixer| match mixer {
                Mixer::Attention(attention) => match &attention.projections {
                    Projections::Fused { qkv, .. } => [qkv.layout.n, 0, 0][which],
                    Projections::Separate { query, key, value } => [query, key, value][which].layout.n,
                },
                Mixer::Mlp(_) | Mixer::Scan(_) => 0,
            })
        };
        let leveled = |keys: bool| {
            alloc(&|mixer| match mixer {
                Mixer::Attention(attention) if attention.head_norms.is_some() => {
                    attention.head * if keys { attention.key_heads } else { attention.heads }
                }
                _ => 0,
            })
        };
        let gated = |mlp: &Mlp| if mlp.gate.is_some() { mlp.up.layout.n } else { 0 };
        let of_mlp = |of: &dyn Fn(&Mlp) -> usize| {
            alloc(&|mixer| match mixer {
                Mixer::Mlp(mlp) => of(mlp),
                Mixer::Attention(_) | Mixer::Scan(_) => 0,
            })
        };
        let together = spec.blocks.iter().map(|block| if block.parallel { block.sublayers.len() } else { 1 });
        Ok(Pass {
            backend,
            spec,
            batch,
            main: Rows::new(backend, &batch.main, spec.width)?,
            source: Rows::new(backend, &batch.source, spec.width)?,
            across: [backend.upload(&batch.across[0])?, backend.upload(&batch.across[1])?],
            normed: backend.alloc(rows * spec.width)?,
            memory: backend.alloc(batch.source.rows() * spec.width)?,
            projected: [projected(0)?, projected(1)?, projected(2)?],
            leveled: [leveled(false)?, leveled(true)?],
            mixed: alloc(&|mixer| match mixer {
                Mixer::Attention(attention) => attention.heads * attention.head,
                Mixer::Mlp(_) | Mixer::Scan(_) => 0,
            })?,
            inner: [of_mlp(&|mlp| mlp.up.layout.n)?, of_mlp(&gated)?],
            updates: (0..together.max().unwrap_or(0))
                .map(|_| backend.alloc(rows * spec.width))
                .collect::<Result<_, _>>()?,
            tables: RefCell::default(),
        })
    }

    pub(super) fn rows(&self, side: Side) -> &Rows<B> {
        match side {
            Side::Main => &self.main,
            Side::Source => &self.source,
        }
    }

    /// The residual stream of a side, and its rows.
    pub fn stream(&self, side: Side) -> (&B::Buffer, usize) {
        (&self.rows(side).stream, self.rows(side).count)
    }

    /// Both streams = embeddings of the batch's tokens.
    pub fn embed(&self, weights: &Weights<B>, observer: &mut impl Observer<B>) -> Result<(), ArchError> {
        for (side, of) in [(Side::Source, &self.batch.source), (Side::Main, &self.batch.main)] {
            let rows = self.rows(side);
            if rows.count > 0 {
                self.embed_side(weights, rows, of)?;
                observer.see(self.backend, Tap::Embedding(side), &rows.stream, rows.count, self.spec.width)?;
            }
        }
        Ok(())
    }

    fn embed_side(&self, weights: &Weights<B>, rows: &Rows<B>, of: &Sequences) -> Result<(), ArchError> {
        let (spec, backend) = (self.spec, self.backend);
        let Embedding { scale, positions, project, segments, norm } = &spec.embedding;
        let tokens = weights.full(&spec.tokens)?;
        let lookup = |vocab: usize, width: usize, context: usize, scale: f32| {
            let [rows, width, vocab, context] = [rows.count, width, vocab, context].map(|figure| figure as u32);
            Embed { rows, width, vocab, context, scale }
        };
        let width = spec.table_width();
        let (places, lines) = match positions {
            Positions::None => (rows.positions.clone(), 0),
            Positions::Learned { table, rows: lines, .. } => (weights.full(table)?.clone(), *lines),
            Positions::Sinusoidal { offset } => {
                let lines = of.longest() + offset;
                (backend.upload_f32(&position_tables::sines(lines, spec.width))?, lines)
            }
        };
        let shifted = match positions {
            Positions::Learned { offset, .. } | Positions::Sinusoidal { offset } if *offset > 0 => {
                let place = |place: &u32| place + *offset as u32;
                backend.upload(&of.positions.iter().map(place).collect::<Vec<u32>>())?
            }
            _ => rows.positions.clone(),
        };
        if project.is_none() && segments.is_none() {
            let params = lookup(spec.vocabulary, width, lines, *scale);
            backend.dispatch(&params, &[&rows.ids, &shifted, tokens, &places, &rows.stream])?;
        } else {
            // Tokens to the stream first, then segments and places.
            let narrow = backend.alloc(rows.count * width)?;
            let params = lookup(spec.vocabulary, width, 0, *scale);
            backend.dispatch(&params, &[&rows.ids, &shifted, tokens, &places, &narrow])?;
            match project {
                Some(project) => self.linear(weights, project, &narrow, &rows.stream, rows.count)?,
                None => backend.copy(&narrow, 0, &rows.stream, 0, rows.count * width),
            }
            let (first, added) = (backend.alloc(rows.count)?, backend.alloc(rows.count * spec.width)?);
            // Without segments, a table of one line of zeros.
            let (table, count) = match segments {
                Some((table, count)) => (weights.full(table)?.clone(), *count),
                None => (backend.alloc(spec.width)?, 1),
            };
            let params = lookup(count, spec.width, lines, 1.0);
            backend.dispatch(&params, &[&first, &shifted, &table, &places, &added])?;
            self.add(&rows.stream, &added, rows.count * spec.width)?;
        }
        match norm {
            Some(norm) => self.norm_in_place(weights, norm, &rows.stream, rows.count),
            None => Ok(()),
        }
    }

    /// One layer of its side's stream. `weights` says under which weights a sublayer runs.
    pub async fn block<'w>(
        &self,
        block: &Block,
        weights: &impl Fn(&Mixer) -> &'w Weights<B>,
        observer: &mut impl Observer<B>,
    ) -> Result<(), ArchError>
    where
        B: 'w,
    {
        let rows = self.rows(block.side);
        for (place, sublayer) in block.sublayers.iter().enumerate() {
            let weights = weights(&sublayer.mixer);
            let update = &self.updates[if block.parallel { place } else { 0 }];
            self.sublayer(weights, sublayer, block.side, update, observer).await?;
            if block.parallel {
                continue;
            }
            self.add(&rows.stream, update, rows.count * self.spec.width)?;
            if let Some(norm) = &sublayer.after {
                self.norm_in_place(weights, norm, &rows.stream, rows.count)?;
            }
        }
        if block.parallel {
            for update in &self.updates[..block.sublayers.len()] {
                self.add(&rows.stream, update, rows.count * self.spec.width)?;
            }
        }
        Ok(())
    }

    /// update = of_update(mixer(before(stream)))
    async fn sublayer(
        &self,
        weights: &Weights<B>,
        sublayer: &Sublayer,
        side: Side,
        update: &B::Buffer,
        observer: &mut impl Observer<B>,
    ) -> Result<(), ArchError> {
        let rows = self.rows(side);
        let x = match &sublayer.before {
            Some(norm) => {
                self.norm(weights, norm, &rows.stream, &self.normed, [rows.count, self.spec.width])?;
                &self.normed
            }
            None => &rows.stream,
        };
        match &sublayer.mixer {
            Mixer::Attention(attention) => {
                self.attention(weights, attention, side, x, observer).await?;
                observer.see_input(self.backend, &attention.out, &self.mixed, side).await?;
                self.linear(weights, &attention.out, &self.mixed, update, rows.count)?;
            }
            Mixer::Mlp(mlp) => {
                self.mlp(weights, mlp, side, x, observer).await?;
                observer.see_input(self.backend, &mlp.down, &self.inner[0], side).await?;
                self.linear(weights, &mlp.down, &self.inner[0], update, rows.count)?;
            }
            Mixer::Scan(scan) => {
                let scanned = self.scan(weights, scan, side, x, observer).await?;
                observer.see_input(self.backend, &scan.out, &scanned, side).await?;
                self.linear(weights, &scan.out, &scanned, update, rows.count)?;
            }
        }
        match &sublayer.of_update {
            Some(norm) => self.norm_in_place(weights, norm, update, rows.count),
            None => Ok(()),
        }
    }

    /// inner = activation(up(x)), or activation(gate(x))·up(x)
    async fn mlp(
        &self,
        weights: &Weights<B>,
        mlp: &Mlp,
        side: Side,
        x: &B::Buffer,
        observer: &mut impl Observer<B>,
    ) -> Result<(), ArchError> {
        let rows = self.rows(side).count;
        let ([inner, gated], len) = (&self.inner, (rows * mlp.up.layout.n) as u32);
        if let Some(gate) = &mlp.gate {
            observer.see_input(self.backend, gate, x, side).await?;
            self.linear(weights, gate, x, gated, rows)?;
        }
        observer.see_input(self.backend, &mlp.up, x, side).await?;
        self.linear(weights, &mlp.up, x, inner, rows)?;
        let activated = if mlp.gate.is_some() { gated } else { inner };
        self.backend.dispatch(&Activate { len, kind: mlp.activation.kind() }, &[activated])?;
        if mlp.gate.is_some() {
            self.backend.dispatch(&Multiply { len }, &[inner, gated])?;
        }
        Ok(())
    }

    /// x += y
    fn add(&self, x: &B::Buffer, y: &B::Buffer, len: usize) -> Result<(), ArchError> {
        Ok(self.backend.dispatch(&Add { len: len as u32 }, &[x, y])?)
    }

    /// out = norm(x), both (rows, width)
    pub(super) fn norm(
        &self,
        weights: &Weights<B>,
        norm: &Norm,
        x: &B::Buffer,
        out: &B::Buffer,
        [rows, width]: [usize; 2],
    ) -> Result<(), ArchError> {
        let params = LayerNorm {
            rows: rows as u32,
            width: width as u32,
            eps: norm.eps,
            offset: norm.gain_offset,
            centred: u32::from(norm.measure == super::spec::Measure::Centred),
            biased: u32::from(norm.bias.is_some()),
        };
        let gain = weights.full(&norm.gain)?;
        let bias = norm.bias.as_ref().map_or(Ok(gain), |bias| weights.full(bias))?;
        Ok(self.backend.dispatch(&params, &[x, gain, bias, out])?)
    }

    /// x = norm(x)
    fn norm_in_place(&self, weights: &Weights<B>, norm: &Norm, x: &B::Buffer, rows: usize) -> Result<(), ArchError> {
        self.norm(weights, norm, x, &self.normed, [rows, self.spec.width])?;
        self.backend.copy(&self.normed, 0, x, 0, rows * self.spec.width);
        Ok(())
    }

    /// out (rows, n) = x (rows, k) · w + bias
    pub(super) fn linear(
        &self,
        weights: &Weights<B>,
        linear: &Linear,
        x: &B::Buffer,
        out: &B::Buffer,
        rows: usize,
    ) -> Result<(), ArchError> {
        let (m, k, n) = (rows as u32, linear.layout.k as u32, linear.layout.n as u32);
        let (transposed, biased) = (linear.layout.transposed as u32, u32::from(linear.bias.is_some()));
        let bias = linear.bias.as_ref().map_or(Ok(x), |bias| weights.full(bias))?;
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

    /// What the head's table reads (scored rows, channels of the table), from the stream after the last block.
    fn last(&self, weights: &Weights<B>, observer: &mut impl Observer<B>) -> Result<B::Buffer, ArchError> {
        let (backend, spec) = (self.backend, self.spec);
        let (count, width) = (self.batch.scored.len(), spec.width);
        let mut last = self.main.stream.clone();
        if count < self.main.count {
            let (scored, out) = (backend.upload(&self.batch.scored)?, backend.alloc(count * width)?);
            let [rows, columns, all] = [count, width, self.main.count].map(|figure| figure as u32);
            let params = Gather { rows, width: columns, count: all, stride: columns, first: 0 };
            backend.dispatch(&params, &[&last, &scored, &out])?;
            last = out;
        }
        if let Some(norm) = &spec.last_norm {
            self.norm(weights, norm, &last, &self.normed, [count, width])?;
            last = self.normed.clone();
        }
        if let Some(project) = &spec.head.project {
            let narrow = backend.alloc(count * project.layout.n)?;
            self.linear(weights, project, &last, &narrow, count)?;
            last = narrow;
        }
        if let Some(Transform { dense, activation, norm }) = &spec.head.transform {
            let turned = backend.alloc(count * width)?;
            self.linear(weights, dense, &last, &turned, count)?;
            backend.dispatch(&Activate { len: (count * width) as u32, kind: activation.kind() }, &[&turned])?;
            self.norm(weights, norm, &turned, &self.normed, [count, width])?;
            last = self.normed.clone();
        }
        observer.see(backend, Tap::Last, &last, count, spec.table_width())?;
        Ok(last)
    }

    /// Loss of each scored row.
    pub fn losses(&self, weights: &Weights<B>, observer: &mut impl Observer<B>) -> Result<B::Buffer, ArchError> {
        let (backend, spec) = (self.backend, self.spec);
        let (count, last) = (self.batch.scored.len(), self.last(weights, observer)?);
        let (rows, width, vocab) = (count as u32, spec.table_width() as u32, spec.vocabulary as u32);
        let (targets, out) = (backend.upload(&self.batch.targets)?, backend.alloc(count)?);
        let head = weights.full(&spec.head.table)?;
        let bias = spec.head.bias.as_ref().map_or(Ok(head), |bias| weights.full(bias))?;
        let params = Loss { rows, width, vocab, biased: u32::from(spec.head.bias.is_some()) };
        backend.dispatch(&params, &[&last, head, bias, &targets, &out])?;
        Ok(out)
    }

    /// What [`Divergence`] says of each scored row (rows, 3), beside the rows that the head's table reads in full precision.
    /// Logits of both are there for a few rows at a time, whatever the vocabulary.
    pub fn divergences(
        &self,
        weights: &Weights<B>,
        full: &Weights<B>,
        full_last: &[f32],
        observer: &mut impl Observer<B>,
    ) -> Result<B::Buffer, ArchError> {
        let (backend, spec) = (self.backend, self.spec);
        let last = self.last(weights, observer)?;
        let (count, width, vocab) = (self.batch.scored.len(), spec.table_width(), spec.vocabulary);
        let block = (LOGITS / vocab.max(1)).clamp(FEWEST_ROWS, count.max(FEWEST_ROWS));
        let words = DIVERGENCE_WORDS as usize;
        let (x, out) = (backend.alloc(block * width)?, backend.alloc(count * words)?);
        let (logits, beside) = (backend.alloc(block * vocab)?, backend.alloc(block * vocab)?);
        let written = backend.alloc(block * words)?;
        for first in (0..count).step_by(block) {
            let rows = block.min(count - first);
            backend.copy(&last, first * width, &x, 0, rows * width);
            self.logits(weights, &x, &logits, rows)?;
            let full_x = backend.upload_f32(&full_last[first * width..][..rows * width])?;
            self.logits(full, &full_x, &beside, rows)?;
            let targets = backend.upload(&self.batch.targets[first..][..rows])?;
            let params = Divergence { rows: rows as u32, vocab: vocab as u32 };
            backend.dispatch(&params, &[&logits, &beside, &targets, &written])?;
            backend.copy(&written, 0, &out, first * words, rows * words);
        }
        Ok(out)
    }

    /// out (rows, vocabulary) = what the head makes of x (rows, channels of its table)
    fn logits(&self, weights: &Weights<B>, x: &B::Buffer, out: &B::Buffer, rows: usize) -> Result<(), ArchError> {
        let spec = self.spec;
        let [m, k, n] = [rows, spec.table_width(), spec.vocabulary].map(|figure| figure as u32);
        let head = weights.full(&spec.head.table)?;
        let bias = spec.head.bias.as_ref().map_or(Ok(x), |bias| weights.full(bias))?;
        let params = Matmul { m, k, n, transposed: 1, biased: u32::from(spec.head.bias.is_some()) };
        Ok(self.backend.dispatch(&params, &[x, head, bias, out])?)
    }
}
