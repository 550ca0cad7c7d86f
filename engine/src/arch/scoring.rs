//! What is asked of a model about a text. Whatever it is, every weight of the answer is a token's loss in nats.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use crate::math::rng::Rng;

/// How a text becomes rows, and which of them are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// Each token but the first, given those before it. A text longer than the context is cut into windows that overlap by one
    /// token, so that each is predicted exactly once and none sees more than its window.
    Causal,
    /// Pseudo-perplexity: each token but the first, given all others but those that are masked with it. The tokens of a window
    /// are dealt at random, by a seed, into [`HANDS`] hands; each hand is masked once, in a copy of the window.
    Masked {
        /// Stands before a window.
        begin: u32,
        /// Stands after it.
        end: u32,
        /// Stands for a masked token.
        mask: u32,
    },
    /// An encoder reads the first half of a window, and a decoder is asked for the second.
    Continuation {
        /// What the decoder reads first.
        start: u32,
        /// Stands after what the encoder reads.
        end: u32,
    },
}

/// The same without a model's tokens, as a report says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// [`Scoring::Causal`].
    #[default]
    Next,
    /// [`Scoring::Masked`].
    Masked,
    /// [`Scoring::Continuation`].
    Continuation,
}

/// One token in seven is masked at a time, which is nearest to the 15% of training.
pub const HANDS: usize = 7;
/// Deals the hands; a window of the same length is always dealt in the same way.
pub const DEAL: u64 = 15;
/// Tokens around a masked window.
const AROUND: usize = 2;

impl Scoring {
    /// Without its tokens.
    pub fn asked(self) -> Asked {
        match self {
            Scoring::Causal => Asked::Next,
            Scoring::Masked { .. } => Asked::Masked,
            Scoring::Continuation { .. } => Asked::Continuation,
        }
    }

    /// Whether the tokens of a text begin with the token that stands before texts, which is not scored.
    pub fn begins_with_start(self) -> bool {
        !matches!(self, Scoring::Continuation { .. })
    }

    /// Tokens of a text of `length` that are scored.
    pub fn places(self, length: usize, context: usize) -> Vec<Range<usize>> {
        match self {
            Scoring::Causal | Scoring::Masked { .. } => std::iter::once(1.min(length)..length).collect(),
            Scoring::Continuation { .. } => {
                let window = 2 * context.max(1);
                let asked = |first: usize| {
                    let end = length.min(first + window);
                    first + (end - first) / 2..end
                };
                (0..length).step_by(window).map(asked).collect()
            }
        }
    }

    /// How many these are.
    pub fn scored(self, length: usize, context: usize) -> usize {
        self.places(length, context).iter().map(ExactSizeIterator::len).sum()
    }

    /// The token of a text of `length` that each scored row predicts, in the order in which losses come.
    pub fn order(self, length: usize, context: usize) -> Vec<usize> {
        let (mut batch, numbers) = (Batch::default(), (0..length as u32).collect::<Vec<u32>>());
        self.push(&mut batch, &numbers, context);
        batch.targets.into_iter().map(|target| target as usize).collect()
    }

    /// How often a text is read.
    pub fn passes(self) -> usize {
        if let Scoring::Masked { .. } = self { HANDS } else { 1 }
    }

    /// Appends a text's rows.
    pub(super) fn push(self, batch: &mut Batch, tokens: &[u32], context: usize) {
        match self {
            Scoring::Causal => {
                let step = context.max(2) - 1;
                let mut first = 0;
                while first + 1 < tokens.len() {
                    let end = (first + step + 1).min(tokens.len());
                    batch.push_window(&tokens[first..end - 1], &tokens[first + 1..end]);
                    first += step;
                }
            }
            Scoring::Masked { begin, end, mask } => {
                for window in tokens.get(1..).unwrap_or_default().chunks(context.max(AROUND + 1) - AROUND) {
                    push_masked(batch, window, [begin, end, mask]);
                }
            }
            Scoring::Continuation { start, end } => {
                for window in tokens.chunks(2 * context.max(1)) {
                    let (given, asked) = window.split_at(window.len() / 2);
                    push_continuation(batch, given, asked, [start, end]);
                }
            }
        }
    }
}

/// A copy of the window for each hand that is not empty.
fn push_masked(batch: &mut Batch, window: &[u32], [begin, end, mask]: [u32; 3]) {
    let mut order: Vec<usize> = (0..window.len()).collect();
    Rng::stream(DEAL, window.len() as u64).shuffle(&mut order);
    for hand in 0..HANDS.min(window.len()) {
        let first = batch.main.rows() as u32 + 1;
        let mut copy: Vec<u32> = [&[begin], window, &[end]].concat();
        let mut places: Vec<usize> = order.iter().copied().skip(hand).step_by(HANDS).collect();
        places.sort_unstable();
        for place in places {
            copy[1 + place] = mask;
            batch.scored.push(first + place as u32);
            batch.targets.push(window[place]);
        }
        batch.main.push(&copy, false);
    }
}

fn push_continuation(batch: &mut Batch, given: &[u32], asked: &[u32], [start, end]: [u32; 2]) {
    let from = batch.source.rows() as u32;
    batch.source.push(&[given, &[end]].concat(), false);
    let inputs: Vec<u32> = [start].into_iter().chain(asked.iter().copied()).take(asked.len()).collect();
    batch.push_window(&inputs, asked);
    batch.across[0].extend(std::iter::repeat_n(from, asked.len()));
    batch.across[1].extend(std::iter::repeat_n(batch.source.rows() as u32, asked.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MASKED: Scoring = Scoring::Masked { begin: 1000, end: 1001, mask: 1002 };
    const CONTINUATION: Scoring = Scoring::Continuation { start: 1000, end: 1001 };

    proptest! {
        /// Every token that is scored has one row, and only those.
        #[test]
        fn the_order_names_every_scored_token_once(length in 0usize..200, context in 3usize..50) {
            for scoring in [Scoring::Causal, MASKED, CONTINUATION] {
                let mut order = scoring.order(length, context);
                order.sort_unstable();
                prop_assert_eq!(order, scoring.places(length, context).into_iter().flatten().collect::<Vec<_>>());
            }
            prop_assert!(Scoring::Causal.order(length, context).is_sorted());
        }

        /// Each token but the first is masked exactly once, is the target there, and no other token is changed.
        #[test]
        fn every_token_is_masked_once(length in 0usize..200, context in 3usize..50) {
            let tokens: Vec<u32> = (0..length as u32).collect();
            let mut batch = Batch::default();
            let share = batch.push_text(&tokens, &MASKED, context);
            prop_assert_eq!(share.scored, MASKED.scored(length, context));
            let mut targets = batch.targets.clone();
            targets.sort_unstable();
            prop_assert_eq!(&targets[..], &tokens[1.min(length)..]);
            let masked = batch.main.ids.iter().filter(|id| **id == 1002).count();
            prop_assert_eq!(masked, targets.len());
            for (row, target) in batch.scored.iter().zip(&batch.targets) {
                prop_assert_eq!(batch.main.ids[*row as usize], 1002);
                let (start, end) = (batch.main.starts[*row as usize], batch.main.ends[*row as usize]);
                prop_assert!(end - start <= context as u32);
                let others = &batch.main.ids[start as usize..end as usize];
                prop_assert!(!others.contains(target) && others[0] == 1000 && others.last() == Some(&1001));
            }
        }

        /// The encoder reads the first half of each window and the decoder is asked for every token of the second.
        #[test]
        fn what_follows_is_asked_for_once(length in 1usize..200, context in 1usize..50) {
            let tokens: Vec<u32> = (0..length as u32).collect();
            let mut batch = Batch::default();
            let share = batch.push_text(&tokens, &CONTINUATION, context);
            prop_assert_eq!((share.scored, share.main), (CONTINUATION.scored(length, context), batch.targets.len()));
            let mut all: Vec<u32> = batch.source.ids.iter().chain(&batch.targets).copied().filter(|id| *id < 1000).collect();
            all.sort_unstable();
            prop_assert_eq!(all, tokens);
            for (row, target) in batch.targets.iter().enumerate() {
                let seen = batch.across[0][row] as usize..batch.across[1][row] as usize;
                prop_assert!(batch.source.ids[seen].iter().all(|id| id < target || *id == 1001));
                prop_assert!(batch.main.ids[row] == 1000 || batch.main.ids[row] + 1 == *target);
            }
        }
    }
}
