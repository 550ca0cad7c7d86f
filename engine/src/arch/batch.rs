//! Texts as rows: sequences of different lengths packed one after another, without padding.

use super::scoring::Scoring;

/// Rows of sequences. Row i belongs to a sequence, and sees the rows `starts[i]..ends[i]` of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequences {
    /// Input tokens.
    pub ids: Vec<u32>,
    /// Place of each token in its sequence.
    pub positions: Vec<u32>,
    /// First row that each row sees: that of its sequence.
    pub starts: Vec<u32>,
    /// One past the last row that each row sees: itself, or the last of its sequence.
    pub ends: Vec<u32>,
}

impl Sequences {
    /// Rows in all.
    pub fn rows(&self) -> usize {
        self.ids.len()
    }

    /// Appends a sequence whose rows see themselves and those before, or all.
    pub fn push(&mut self, ids: &[u32], causal: bool) {
        let start = self.rows() as u32;
        let end = start + ids.len() as u32;
        self.ids.extend(ids);
        self.positions.extend(0..ids.len() as u32);
        self.starts.extend(std::iter::repeat_n(start, ids.len()));
        self.ends.extend((start..end).map(|row| if causal { row + 1 } else { end }));
    }

    /// Rows of the longest sequence.
    pub fn longest(&self) -> usize {
        self.positions.iter().max().map_or(0, |place| *place as usize + 1)
    }

    fn repeated(&self, times: usize) -> Sequences {
        let rows = self.rows();
        Sequences {
            ids: repeated(&self.ids, times, 0),
            positions: repeated(&self.positions, times, 0),
            starts: repeated(&self.starts, times, rows),
            ends: repeated(&self.ends, times, rows),
        }
    }
}

/// Values as often as said; `shift` is added once more each time.
fn repeated(of: &[u32], times: usize, shift: usize) -> Vec<u32> {
    (0..times).flat_map(|time| of.iter().map(move |value| value + (time * shift) as u32)).collect()
}

/// Rows of one forward pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// What the model reads, or its decoder.
    pub main: Sequences,
    /// What its encoder reads, where it has one.
    pub source: Sequences,
    /// The encoder's rows that each row of `main` sees, from … to one past; empty without an encoder.
    pub across: [Vec<u32>; 2],
    /// Rows of `main` at which a token is predicted, in order.
    pub scored: Vec<u32>,
    /// The token at each of them.
    pub targets: Vec<u32>,
}

/// Rows that a text has in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Of [`Batch::main`].
    pub main: usize,
    /// Of [`Batch::source`].
    pub source: usize,
    /// Of [`Batch::scored`].
    pub scored: usize,
}

impl Batch {
    /// Appends a text, cut as its scoring says. Returns what was added.
    pub fn push_text(&mut self, tokens: &[u32], scoring: &Scoring, context: usize) -> Share {
        let before = self.rows();
        scoring.push(self, tokens, context);
        let after = self.rows();
        let added = |of: fn(&Share) -> usize| of(&after) - of(&before);
        Share { main: added(|of| of.main), source: added(|of| of.source), scored: added(|of| of.scored) }
    }

    /// Appends one sequence that is read from left to right, with the token to predict at each of its rows.
    pub fn push_window(&mut self, inputs: &[u32], targets: &[u32]) {
        debug_assert_eq!(inputs.len(), targets.len());
        let first = self.main.rows() as u32;
        self.main.push(inputs, true);
        self.scored.extend(first..self.main.rows() as u32);
        self.targets.extend(targets);
    }

    /// Rows in all.
    pub fn rows(&self) -> Share {
        Share { main: self.main.rows(), source: self.source.rows(), scored: self.scored.len() }
    }

    /// Itself several times over, one after another.
    pub fn repeated(&self, times: usize) -> Batch {
        let rows = self.rows();
        Batch {
            main: self.main.repeated(times),
            source: self.source.repeated(times),
            across: self.across.each_ref().map(|of| repeated(of, times, rows.source)),
            scored: repeated(&self.scored, times, rows.main),
            targets: repeated(&self.targets, times, 0),
        }
    }
}

/// Sum over the rows of each text, in order, in f64; `rows` of each.
pub fn text_sums(values: &[f32], rows: impl Iterator<Item = usize>) -> impl Iterator<Item = f64> {
    let mut rest = values;
    rows.map(move |rows| {
        let (text, after) = rest.split_at(rows);
        rest = after;
        text.iter().map(|&value| f64::from(value)).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_text_is_one_window() {
        let mut batch = Batch::default();
        assert_eq!(batch.push_text(&[9, 1, 2], &Scoring::Causal, 256), Share { main: 2, source: 0, scored: 2 });
        assert_eq!(batch.push_text(&[9, 3], &Scoring::Causal, 256).scored, 1);
        let Sequences { ids, positions, starts, ends } = &batch.main;
        assert_eq!((&ids[..], &batch.targets[..]), (&[9, 1, 9][..], &[1, 2, 3][..]));
        assert_eq!((&positions[..], &starts[..], &ends[..]), (&[0, 1, 0][..], &[0, 0, 2][..], &[1, 2, 3][..]));
    }

    #[test]
    fn a_repeated_batch_is_the_same_texts_again() {
        let scoring = Scoring::Continuation { start: 0, end: 1 };
        let (mut once, mut twice) = (Batch::default(), Batch::default());
        once.push_text(&[5, 6, 7, 8, 9], &scoring, 256);
        for _ in 0..2 {
            twice.push_text(&[5, 6, 7, 8, 9], &scoring, 256);
        }
        assert_eq!(once.repeated(2), twice);
    }

    proptest! {
        #[test]
        fn every_token_but_the_first_is_predicted_once_in_order(length in 0usize..600, context in 2usize..70) {
            let tokens: Vec<u32> = (0..length as u32).collect();
            let mut batch = Batch::default();
            let share = batch.push_text(&tokens, &Scoring::Causal, context);
            prop_assert_eq!(share.main, length.saturating_sub(1));
            prop_assert_eq!(share.scored, Scoring::Causal.scored(length, context));
            prop_assert_eq!(&batch.targets[..], &tokens[1.min(length)..]);
            prop_assert_eq!(&batch.main.ids[..], &tokens[..length.saturating_sub(1)]);
            prop_assert!(batch.main.positions.iter().all(|&place| (place as usize) < context - 1));
        }
    }
}
