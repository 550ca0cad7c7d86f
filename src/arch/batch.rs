//! Texts as rows: sequences of different lengths packed one after another, without padding.

/// Rows of one forward pass. Row i belongs to the sequence that begins at row `starts[i]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// Input tokens.
    pub ids: Vec<u32>,
    /// Place of each token in its sequence.
    pub positions: Vec<u32>,
    /// First row of each row's sequence.
    pub starts: Vec<u32>,
    /// The token to predict at each row.
    pub targets: Vec<u32>,
}

impl Batch {
    /// Appends the windows of a text: inputs are all tokens but the last, targets all but the first.
    ///
    /// A text longer than `context` is cut into windows that overlap by one token, so that every token but the first
    /// is predicted exactly once and none sees more than its window. Returns the rows added.
    pub fn push_text(&mut self, tokens: &[u32], context: usize) -> usize {
        let before = self.rows();
        let step = context.max(2) - 1;
        let mut first = 0;
        while first + 1 < tokens.len() {
            let end = (first + step + 1).min(tokens.len());
            self.push_window(&tokens[first..end - 1], &tokens[first + 1..end]);
            first += step;
        }
        self.rows() - before
    }

    /// Appends one sequence with its targets.
    pub fn push_window(&mut self, inputs: &[u32], targets: &[u32]) {
        debug_assert_eq!(inputs.len(), targets.len());
        let start = self.rows() as u32;
        self.ids.extend(inputs);
        self.targets.extend(targets);
        self.positions.extend(0..inputs.len() as u32);
        self.starts.extend(std::iter::repeat_n(start, inputs.len()));
    }

    /// Rows in all.
    pub fn rows(&self) -> usize {
        self.ids.len()
    }
}

/// Sum over the rows of each text, in order, in f64; `rows` of each.
pub fn text_sums(values: &[f32], rows: &[usize]) -> impl Iterator<Item = f64> {
    let mut rest = values;
    rows.iter().map(move |&rows| {
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
        assert_eq!(batch.push_text(&[9, 1, 2], 256), 2);
        assert_eq!(batch.push_text(&[9, 3], 256), 1);
        assert_eq!((&batch.ids[..], &batch.targets[..]), (&[9, 1, 9][..], &[1, 2, 3][..]));
        assert_eq!((&batch.positions[..], &batch.starts[..]), (&[0, 1, 0][..], &[0, 0, 2][..]));
    }

    proptest! {
        #[test]
        fn every_token_but_the_first_is_predicted_once_in_order(length in 0usize..600, context in 2usize..70) {
            let tokens: Vec<u32> = (0..length as u32).collect();
            let mut batch = Batch::default();
            let rows = batch.push_text(&tokens, context);
            prop_assert_eq!(rows, length.saturating_sub(1));
            prop_assert_eq!(&batch.targets[..], &tokens[1.min(length)..]);
            prop_assert_eq!(&batch.ids[..], &tokens[..length.saturating_sub(1)]);
            prop_assert!(batch.positions.iter().all(|&place| (place as usize) < context - 1));
        }
    }
}
