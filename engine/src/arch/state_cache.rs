//! What the head's table read of texts in full precision, kept for the passes that are compared with it: without it, each of them
//! would run full precision once more.

use std::{
    collections::{HashMap, VecDeque},
    rc::Rc,
};

/// Bytes that are kept; the oldest texts go first. All texts of the default model's largest run take half of it.
const MOST_BYTES: usize = 64 << 20;

/// Rows of texts, by their tokens.
#[derive(Default)]
pub struct StateCache {
    rows: HashMap<Rc<[u32]>, Rc<[f32]>>,
    order: VecDeque<Rc<[u32]>>,
    bytes: usize,
}

impl StateCache {
    /// Rows of a text (scored rows, channels of the head's table), where they are kept.
    pub fn find(&self, tokens: &[u32]) -> Option<Rc<[f32]>> {
        self.rows.get(tokens).cloned()
    }

    /// Keeps them.
    pub fn keep(&mut self, tokens: &[u32], rows: &[f32]) {
        if self.rows.contains_key(tokens) || size_of_val(rows) > MOST_BYTES {
            return;
        }
        self.bytes += size_of_val(rows);
        while self.bytes > MOST_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.rows.remove(&oldest).map_or(0, |rows| size_of_val(&rows[..]));
        }
        let tokens: Rc<[u32]> = tokens.into();
        self.order.push_back(tokens.clone());
        self.rows.insert(tokens, rows.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_text_leaves_first_and_none_is_held_twice() {
        let mut cache = StateCache::default();
        let third = vec![1.0; MOST_BYTES / 12];
        for text in [[1, 2], [1, 3], [1, 2], [2, 1], [3, 3]] {
            cache.keep(&text, &third);
        }
        let there = [[1, 2], [1, 3], [2, 1], [3, 3]].map(|text| cache.find(&text).is_some());
        assert_eq!((there, cache.bytes), ([false, true, true, true], 3 * size_of_val(&third[..])));
        cache.keep(&[4], &vec![0.0; MOST_BYTES]);
        assert!(cache.find(&[4]).is_none(), "a text that takes all of it is not kept");
    }
}
