//! Attention of the interpreter: projections, positions, and who sees whom.

use super::{
    ArchError,
    forward::Observer,
    pass::Pass,
    position_tables::{self, kept},
    spec::{Attention, Bias, Linear, Projections, Rotary, Side, Sight},
    weights::Weights,
};
use crate::backend::{
    Backend,
    kernels::{Attention as AttentionKernel, Embed, Rotary as RotaryKernel},
};

/// Where a head of queries, keys or values lies: columns of a row, from head to head, and of the first.
#[derive(Clone, Copy)]
struct Lie {
    stride: usize,
    step: usize,
    first: usize,
}

impl<B: Backend> Pass<'_, B> {
    /// mixed (rows, heads·head) = attention(x), before the output projection.
    pub(super) async fn attention(
        &self,
        weights: &Weights<B>,
        attention: &Attention,
        side: Side,
        x: &B::Buffer,
        observer: &mut impl Observer<B>,
    ) -> Result<(), ArchError> {
        let rows = self.rows(side);
        let key_side = if attention.sight == Sight::Source { Side::Source } else { side };
        let key_rows = self.rows(key_side);
        let head = attention.head;
        let [queries, keys, values] = &self.projected;
        if attention.sight == Sight::Source {
            let count = key_rows.count;
            match &self.spec.source_norm {
                Some(norm) => self.norm(weights, norm, &key_rows.stream, &self.memory, [count, self.spec.width])?,
                None => self.backend.copy(&key_rows.stream, 0, &self.memory, 0, count * self.spec.width),
            }
        }
        let (mut lies, mut buffers) = match &attention.projections {
            Projections::Fused { qkv, by_head } => {
                observer.see_input(self.backend, qkv, x, side).await?;
                self.linear(weights, qkv, x, queries, rows.count)?;
                let (step, apart) = if *by_head { (3 * head, head) } else { (head, attention.heads * head) };
                ([0, 1, 2].map(|which| Lie { stride: qkv.layout.n, step, first: which * apart }), [queries; 3])
            }
            Projections::Separate { query, key, value } => {
                let of_keys = if attention.sight == Sight::Source { &self.memory } else { x };
                let each: [(&Linear, &B::Buffer, Side, &B::Buffer); 3] =
                    [(query, x, side, queries), (key, of_keys, key_side, keys), (value, of_keys, key_side, values)];
                for (linear, x, side, out) in each {
                    observer.see_input(self.backend, linear, x, side).await?;
                    self.linear(weights, linear, x, out, self.rows(side).count)?;
                }
                let lies = each.map(|(linear, ..)| Lie { stride: linear.layout.n, step: head, first: 0 });
                (lies, [queries, keys, values])
            }
        };
        if let Some(norms) = &attention.head_norms {
            let heads = [attention.heads, attention.key_heads];
            for (which, count) in [rows.count, key_rows.count].into_iter().enumerate() {
                let out = &self.leveled[which];
                self.norm(weights, &norms[which], buffers[which], out, [count * heads[which], head])?;
                buffers[which] = out;
                lies[which] = Lie { stride: heads[which] * head, step: head, first: 0 };
            }
        }
        if let Some(rotary) = &attention.rotary {
            self.turn(rotary, side, attention.heads, buffers[0], lies[0])?;
            self.turn(rotary, key_side, attention.key_heads, buffers[1], lies[1])?;
        }
        let (bias, span) = match &attention.bias {
            Some(bias) => (self.bias(weights, bias, attention.heads)?, 2 * self.longest() - 1),
            None => (rows.starts.clone(), 0),
        };
        let (starts, ends) = match attention.sight {
            Sight::Sequence => (rows.starts.clone(), &rows.ends),
            Sight::Window(size) => (self.window(size, side)?, &rows.ends),
            Sight::Source => (self.across[0].clone(), &self.across[1]),
        };
        let whole = |figure: usize| figure as u32;
        let params = AttentionKernel {
            rows: whole(rows.count),
            key_rows: whole(key_rows.count),
            heads: whole(attention.heads),
            head: whole(head),
            group: whole(attention.heads / attention.key_heads),
            stride: whole(lies[0].stride),
            step: whole(lies[0].step),
            key_stride: whole(lies[1].stride),
            key_step: whole(lies[1].step),
            key_at: whole(lies[1].first),
            value_at: whole(lies[2].first),
            span: whole(span),
            scale: attention.scale,
        };
        let [queries, keys, values] = buffers;
        self.backend.dispatch(&params, &[queries, keys, values, &starts, ends, &bias, &self.mixed])?;
        Ok(())
    }

    /// Rows of the longest sequence of either side.
    fn longest(&self) -> usize {
        self.batch.main.longest().max(self.batch.source.longest())
    }

    /// Turns some heads of x by the places of a side's rows, in place.
    fn turn(&self, rotary: &Rotary, side: Side, heads: usize, x: &B::Buffer, lie: Lie) -> Result<(), ArchError> {
        let (rows, places) = (self.rows(side), self.longest());
        let turns = kept(&mut self.tables.borrow_mut().turns, rotary, || {
            self.backend.upload_f32(&position_tables::turns(rotary, places))
        })?;
        let [rows_count, heads, stride, step, first, half, context] =
            [rows.count, heads, lie.stride, lie.step, lie.first, rotary.frequencies.len(), places]
                .map(|figure| figure as u32);
        let params = RotaryKernel { rows: rows_count, heads, stride, step, first, half, context };
        Ok(self.backend.dispatch(&params, &[x, &rows.positions, &turns])?)
    }

    /// What is added to scores by distance: (2·longest − 1, heads).
    fn bias(&self, weights: &Weights<B>, bias: &Bias, heads: usize) -> Result<B::Buffer, ArchError> {
        let longest = self.longest();
        kept(&mut self.tables.borrow_mut().biases, bias, || match bias {
            Bias::Slopes(slopes) => Ok(self.backend.upload_f32(&position_tables::slope_lines(slopes, longest))?),
            Bias::Buckets { table, buckets, farthest, both_ways } => {
                let bucket = |distance| position_tables::bucket(distance, *buckets, *farthest, *both_ways) as u32;
                let ids: Vec<u32> = position_tables::distances(longest).map(bucket).collect();
                let (rows, ids) = (ids.len(), self.backend.upload(&ids)?);
                let lines = self.backend.alloc(rows * heads)?;
                let [rows, width, vocab] = [rows, heads, *buckets].map(|figure| figure as u32);
                let params = Embed { rows, width, vocab, context: 0, scale: 1.0 };
                self.backend.dispatch(&params, &[&ids, &ids, weights.full(table)?, &ids, &lines])?;
                Ok(lines)
            }
        })
    }

    /// First rows that a window of so many keys lets each row see.
    fn window(&self, size: usize, side: Side) -> Result<B::Buffer, ArchError> {
        let of = if side == Side::Main { &self.batch.main } else { &self.batch.source };
        kept(&mut self.tables.borrow_mut().windows, &size, || {
            let first = |(row, start): (usize, &u32)| (*start).max((row + 1).saturating_sub(size) as u32);
            Ok(self.backend.upload(&of.starts.iter().enumerate().map(first).collect::<Vec<u32>>())?)
        })
    }
}
