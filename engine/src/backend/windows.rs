//! Tensors that are larger than a binding may be: a kernel sees them line by line through windows, one launch each. A tensor
//! that fits is one window.

use super::row::{WINDOW_STEP, Window};

/// A tensor as a kernel reads it.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    /// How many lines it has.
    pub count: u32,
    /// Values of a line.
    pub width: u32,
    /// Bits of a value.
    pub bits: u32,
    /// Windows begin at multiples of so many lines.
    pub step: u32,
}

impl Lines {
    /// Windows of at most `room` words that together show every line once. Where not even `step` lines fit, they are longer:
    /// the device will refuse them. There is always one, also on nothing.
    pub fn windows(&self, binding: usize, room: usize) -> Vec<Window> {
        let bits = u64::from(self.width) * u64::from(self.bits);
        let ends = |line: u32| (u64::from(line) * bits).div_ceil(32) as usize;
        if ends(self.count) <= room {
            return vec![Window { binding, first: 0, words: ends(self.count), from: 0, to: u32::MAX }];
        }
        // A window begins up to a step and a word before its first line.
        let lines = 32 * room.saturating_sub(WINDOW_STEP) as u64 / bits.max(1);
        let lines = (lines as u32 / self.step * self.step).max(self.step);
        let window = |from: u32| {
            let end = self.count.min(from.saturating_add(lines));
            let first = (u64::from(from) * bits / 32) as usize / WINDOW_STEP * WINDOW_STEP;
            let to = if end == self.count { u32::MAX } else { end };
            Window { binding, first, words: ends(end) - first, from, to }
        };
        (0..self.count).step_by(lines as usize).map(window).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn windows_show_every_line_once_and_keep_to_the_room(
            count in 0u32..5000, width in 0u32..300, bits in prop::sample::select(vec![4u32, 8, 16, 32]),
            step in prop::sample::select(vec![1u32, 4, 64]), room in 100usize..50_000,
        ) {
            let lines = Lines { count, width, bits, step };
            let windows = lines.windows(1, room);
            let line_bits = u64::from(width * bits);
            let mut next = 0;
            for window in &windows {
                prop_assert!(window.from == next && window.from % step == 0 && window.first % WINDOW_STEP == 0);
                next = window.to.min(count);
                prop_assert!(32 * window.first as u64 <= u64::from(window.from) * line_bits);
                prop_assert!(32 * (window.first + window.words) as u64 >= u64::from(next) * line_bits);
                let no_more = next - window.from <= step;
                prop_assert!(window.words <= room || no_more, "{window:?} in {room}");
            }
            prop_assert!(next == count && windows.last().is_some_and(|window| window.to == u32::MAX));
            let whole = (u64::from(count) * line_bits).div_ceil(32);
            prop_assert_eq!(windows.len() == 1, whole <= room as u64 || count <= windows[0].to.min(count));
        }
    }
}
