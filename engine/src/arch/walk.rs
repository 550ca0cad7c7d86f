//! Every protection set of a family in one walk: sets that begin alike share their first layers, and states that meet the
//! same layer under the same weights go through it together. A row's result does not depend on its batch, so each set gets
//! the bits that a pass of its own would give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ArchError,
    batch::{Batch, Share, text_sums},
    pass::Pass,
    spec::{Mixer, Side},
    tensors::Part,
    weights::{Device, Present, Weights},
};
use crate::{
    backend::Backend,
    math::sets::{Branch, Family, LayerSet},
};

/// What of a protected layer stays in full precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// What the schema has called it since it was first written.
#[schemars(rename = "Kept")]
pub enum ProtectedPart {
    /// All of it.
    Block,
    /// Its attention; the MLP is quantized.
    Attention,
    /// Its MLP; attention is quantized.
    Mlp,
}

impl ProtectedPart {
    /// Whether a matrix of a protected layer stays in full precision.
    pub fn keeps(self, part: Part) -> bool {
        match self {
            ProtectedPart::Block => true,
            ProtectedPart::Attention => part.is_attention(),
            ProtectedPart::Mlp => !part.is_attention(),
        }
    }
}

/// Rows whose losses are computed together at most: the token table is packed once for all of them.
const ROWS_OF_LOSSES: usize = 4096;

/// Bytes that the states of a walk may take, apart from the buffers of one pass.
pub const BUDGET: usize = 128 << 20;

/// A model, its quantized weights, and what is to be walked.
pub struct Walk<'a, B: Backend> {
    /// The model.
    pub device: &'a Device<B>,
    /// All blocks quantized; the token table too, where it is.
    pub quantized: &'a Weights<B>,
    /// What protection keeps.
    pub kept: ProtectedPart,
    /// The sets.
    pub family: &'a Family,
    /// Bytes for states; [`BUDGET`] unless there is less.
    pub budget: usize,
}

/// The streams of the texts after the layers that a branch has decided.
struct State<B: Backend> {
    branch: Branch,
    /// Streams of several states, of each side.
    streams: [B::Buffer; 2],
    /// Which of them.
    place: usize,
}

/// In the order of [`State::streams`].
const SIDES: [Side; 2] = [Side::Main, Side::Source];

/// Rows that all states have in common.
struct Texts {
    batch: Batch,
    /// Rows of each text.
    shares: Vec<Share>,
}

impl Texts {
    /// Rows of both sides together.
    fn rows(&self) -> usize {
        let rows = self.batch.rows();
        rows.main + rows.source
    }
}

impl<B: Backend> Walk<'_, B> {
    /// Walks the sets beyond a branch. `found` hears each set once, with the nats of every text, in no certain order.
    /// Returns how many times a layer was computed for a state.
    pub async fn run(
        &self,
        branch: Branch,
        texts: &[impl AsRef<[u32]>],
        found: &mut impl FnMut(LayerSet, Vec<f64>),
        pause: &impl AsyncFn(),
    ) -> Result<usize, ArchError> {
        let (mut batch, spec) = (Batch::default(), &self.device.spec);
        let push = |tokens: &[u32]| batch.push_text(tokens, &spec.scoring, spec.context);
        let shares: Vec<Share> = texts.iter().map(AsRef::as_ref).map(push).collect();
        let texts = Texts { batch, shares };
        if !self.family.reaches(branch) {
            return Ok(0);
        }
        if texts.batch.scored.is_empty() {
            self.family.sets(branch).into_iter().for_each(|set| found(set, vec![0.0; texts.shares.len()]));
            return Ok(0);
        }
        let most = self.most_states(texts.rows());
        let (root, mut steps) = self.root(branch, &texts, pause).await?;
        // Depth first: of what does not fit, the part pushed last is walked to its end before the rest is touched.
        let mut waiting = vec![vec![root]];
        while let Some(mut states) = waiting.pop() {
            if states[0].branch.decided == spec.blocks.len() {
                self.losses(&texts, &states, found).await?;
                continue;
            }
            let next: Vec<(usize, bool, Branch)> = states
                .iter()
                .enumerate()
                .flat_map(|(i, state)| {
                    self.family.next(state.branch).map(move |(protect, branch)| (i, protect, branch))
                })
                .collect();
            if next.len() > most && states.len() > 1 {
                let later = states.split_off(states.len() / 2);
                waiting.extend([later, states]);
                continue;
            }
            steps += next.len();
            waiting.push(self.layer(&texts, &states, next, pause).await?);
        }
        Ok(steps)
    }

    /// How many states may stand at one layer. Half of those at each layer may wait while the other half goes on.
    fn most_states(&self, rows: usize) -> usize {
        let state = 4 * rows * self.device.spec.width;
        self.budget / state / (self.device.spec.blocks.len() / 2 + 1)
    }

    /// The state at a branch, and how many layers it took.
    async fn root(
        &self,
        branch: Branch,
        texts: &Texts,
        pause: &impl AsyncFn(),
    ) -> Result<(State<B>, usize), ArchError> {
        let pass = Pass::new(&self.device.backend, &self.device.spec, &texts.batch)?;
        let backend = &self.device.backend;
        pass.embed(&*self.quantized.with_table(backend, &self.device.spec.tokens).await?, &mut ())?;
        for layer in 0..branch.decided {
            let present = self.present(layer, branch.protected.contains(layer)).await?;
            self.block(&pass, layer, &present).await?;
            pause().await;
        }
        let streams = SIDES.map(|side| pass.stream(side).0.clone());
        Ok((State { branch, streams, place: 0 }, branch.decided))
    }

    /// The weights of a layer that a choice means: those of what is quantized, and those of what is protected.
    async fn present(&self, layer: usize, protect: bool) -> Result<[Option<Present<'_, B>>; 2], ArchError> {
        let mut present = [None, None];
        if self.quantized.skips(layer) {
            return Ok(present);
        }
        let block = &self.device.spec.blocks[layer];
        for (protected, weights) in [self.quantized, self.device.full()].into_iter().enumerate() {
            let of_these = |part: Part| (protect && self.kept.keeps(part)) == (protected == 1);
            let mut own =
                block.parts().filter(|(part, _)| of_these(*part)).map(|(_, linear)| &linear.weight).peekable();
            if own.peek().is_some() {
                present[protected] = Some(weights.with_matrices(&self.device.backend, own).await?);
            }
        }
        Ok(present)
    }

    /// One layer of a pass.
    async fn block(
        &self,
        pass: &Pass<'_, B>,
        layer: usize,
        [quantized, protected]: &[Option<Present<'_, B>>; 2],
    ) -> Result<(), ArchError> {
        let keeps = |mixer: &Mixer| match self.kept {
            ProtectedPart::Block => true,
            ProtectedPart::Attention => mixer.is_attention(),
            ProtectedPart::Mlp => !mixer.is_attention(),
        };
        let of = |mixer: &Mixer| protected.as_ref().filter(|_| keeps(mixer)).or(quantized.as_ref());
        if self.quantized.skips(layer) {
            return Ok(());
        }
        let weights = |mixer: &Mixer| of(mixer).map_or(self.quantized, |present| &**present);
        pass.block(&self.device.spec.blocks[layer], &weights, &mut ()).await
    }

    /// Copies the streams of states side by side into those of a pass.
    fn take_up(&self, pass: &Pass<'_, B>, states: &[&State<B>]) {
        for (side, number) in SIDES.into_iter().zip(0..) {
            let (stream, rows) = pass.stream(side);
            let each = rows / states.len() * self.device.spec.width;
            for (place, state) in states.iter().enumerate().filter(|_| each > 0) {
                self.device.backend.copy(&state.streams[number], state.place * each, stream, place * each, each);
            }
        }
    }

    /// All states through the next layer: first those that leave it quantized, then those that protect it.
    async fn layer(
        &self,
        texts: &Texts,
        states: &[State<B>],
        next: Vec<(usize, bool, Branch)>,
        pause: &impl AsyncFn(),
    ) -> Result<Vec<State<B>>, ArchError> {
        let (backend, spec, rows) = (&self.device.backend, &self.device.spec, texts.rows());
        let layer = states[0].branch.decided;
        let mut after = Vec::with_capacity(next.len());
        for protect in [false, true] {
            let next: Vec<_> = next.iter().filter(|(_, choice, _)| *choice == protect).collect();
            if next.is_empty() {
                continue;
            }
            let present = self.present(layer, protect).await?;
            for next in next.chunks((backend.rows_together() / rows).max(1)) {
                let batch = texts.batch.repeated(next.len());
                let pass = Pass::new(backend, spec, &batch)?;
                self.take_up(&pass, &next.iter().map(|(state, ..)| &states[*state]).collect::<Vec<_>>());
                self.block(&pass, layer, &present).await?;
                let state = |(place, (_, _, branch)): (usize, &&(usize, bool, Branch))| State {
                    branch: *branch,
                    streams: SIDES.map(|side| pass.stream(side).0.clone()),
                    place,
                };
                after.extend(next.iter().enumerate().map(state));
                pause().await;
            }
        }
        Ok(after)
    }

    /// Tells of states whose layers are all decided.
    async fn losses(
        &self,
        texts: &Texts,
        states: &[State<B>],
        found: &mut impl FnMut(LayerSet, Vec<f64>),
    ) -> Result<(), ArchError> {
        let (backend, spec, scored) = (&self.device.backend, &self.device.spec, texts.batch.scored.len());
        let present = self.quantized.with_table(backend, &spec.head.table).await?;
        for states in states.chunks((ROWS_OF_LOSSES / texts.rows()).max(1)) {
            let batch = texts.batch.repeated(states.len());
            let pass = Pass::new(backend, spec, &batch)?;
            self.take_up(&pass, &states.iter().collect::<Vec<_>>());
            let losses = backend.read_f32(&pass.losses(&present, &mut ())?).await?;
            for (state, losses) in states.iter().zip(losses.chunks_exact(scored)) {
                let each = texts.shares.iter().map(|share| share.scored);
                found(state.branch.protected, text_sums(losses, each).collect());
            }
        }
        Ok(())
    }
}
