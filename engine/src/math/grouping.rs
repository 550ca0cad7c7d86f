//! Which weights of a matrix share a clipping threshold.

use super::quantizer::Granularity;

/// How a weight matrix lies in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Input channels.
    pub k: usize,
    /// Output channels.
    pub n: usize,
    /// false: stored (k, n) row-major, as GPT-2's Conv1D. true: stored (n, k).
    pub transposed: bool,
}

impl Layout {
    /// Values in the matrix.
    pub fn len(&self) -> usize {
        self.k * self.n
    }

    /// True where a side is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Place of (input channel, output channel) in memory.
    pub fn place(&self, k: usize, n: usize) -> usize {
        if self.transposed { n * self.k + k } else { k * self.n + n }
    }
}

/// The thresholds of a matrix: the α of (k, n) is number `k/group·channels + (n if channels > 1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping {
    /// The matrix.
    pub layout: Layout,
    /// Consecutive input channels that share a threshold; the last group may be shorter.
    pub group: usize,
    /// Output channels with thresholds of their own: 1 or n.
    pub channels: usize,
}

impl Grouping {
    /// Of a matrix at a granularity.
    pub fn new(layout: Layout, granularity: Granularity) -> Grouping {
        let (group, channels) = match granularity {
            Granularity::Tensor => (layout.k, 1),
            Granularity::Channel => (layout.k, layout.n),
            Granularity::Group32 => (32, layout.n),
            Granularity::Group64 => (64, layout.n),
            Granularity::Group128 => (128, layout.n),
        };
        // A group longer than the matrix is the whole of k; an empty matrix still divides by something.
        Grouping { layout, group: group.min(layout.k).max(1), channels }
    }

    /// How many thresholds there are.
    pub fn count(&self) -> usize {
        self.layout.k.div_ceil(self.group) * self.channels
    }

    /// Which threshold (k, n) has.
    pub fn index(&self, k: usize, n: usize) -> usize {
        k / self.group * self.channels + if self.channels > 1 { n } else { 0 }
    }

    /// Hands the values of each group to `visit`, in the order of the thresholds.
    pub fn each(&self, values: &[f32], mut visit: impl FnMut(usize, &[f32])) {
        let Layout { k, n, transposed } = self.layout;
        assert_eq!(values.len(), k * n, "a ({k}, {n}) matrix has {} values", k * n);
        // One channel with thresholds of its own is the whole width when n is 1, and then both readings agree.
        let width = if self.channels > 1 { 1 } else { n };
        if self.group >= k && width == n {
            if !values.is_empty() {
                visit(0, values);
            }
            return;
        }
        let mut scratch = Vec::with_capacity(self.group);
        for first in (0..k).step_by(self.group) {
            let last = (first + self.group).min(k);
            for channel in 0..self.channels {
                let index = self.index(first, channel);
                if transposed {
                    visit(index, &values[channel * k + first..channel * k + last]);
                } else {
                    scratch.clear();
                    scratch.extend((first..last).map(|k| values[k * n + channel]));
                    visit(index, &scratch);
                }
            }
        }
    }

    /// Writes the values of a group, in the order in which [`Grouping::each`] hands them out.
    pub fn put(&self, index: usize, group: &[f32], values: &mut [f32]) {
        let Layout { k, n, transposed } = self.layout;
        let (first, channel) = (index / self.channels * self.group, index % self.channels);
        if self.channels < n {
            values.copy_from_slice(group);
        } else if transposed {
            values[channel * k + first..][..group.len()].copy_from_slice(group);
        } else {
            group.iter().zip(first..).for_each(|(x, k)| values[k * n + channel] = *x);
        }
    }

    /// Calls `visit` with the place in memory and the threshold's number of every value, in the order of memory.
    pub(super) fn walk(&self, mut visit: impl FnMut(usize, usize)) {
        let Layout { k, n, transposed } = self.layout;
        let own = usize::from(self.channels > 1);
        let (rows, columns) = if transposed { (n, k) } else { (k, n) };
        for row in 0..rows {
            for column in 0..columns {
                let (k, n) = if transposed { (column, row) } else { (row, column) };
                visit(row * columns + column, k / self.group * self.channels + n * own);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// `each` visits every value once, under the number that `index` gives its place; `put` goes back, `walk` agrees.
        #[test]
        fn every_value_is_in_the_group_that_its_index_names(
            k in 0usize..150, n in 0usize..5, transposed: bool, granularity in prop::sample::select(&Granularity::ALL[..]),
        ) {
            let layout = Layout { k, n, transposed };
            let grouping = Grouping::new(layout, granularity);
            let places: Vec<f32> = (0..layout.len()).map(|place| place as f32).collect();
            let (mut owner, mut again) = (vec![usize::MAX; layout.len()], vec![f32::NAN; layout.len()]);
            grouping.each(&places, |index, group| {
                for &place in group {
                    assert_eq!(owner[place as usize], usize::MAX);
                    owner[place as usize] = index;
                }
                grouping.put(index, group, &mut again);
            });
            prop_assert_eq!(again, places);
            let mut walked = Vec::new();
            grouping.walk(|place, index| { assert_eq!(place, walked.len()); walked.push(index) });
            for kk in 0..k {
                for nn in 0..n {
                    prop_assert_eq!(owner[layout.place(kk, nn)], grouping.index(kk, nn));
                    prop_assert!(grouping.index(kk, nn) < grouping.count());
                }
            }
            prop_assert_eq!(walked, owner);
        }
    }

    #[test]
    fn a_ragged_last_group_has_a_threshold_of_its_own() {
        let layout = Layout { k: 70, n: 3, transposed: false };
        assert_eq!(Grouping::new(layout, Granularity::Group32).count(), 9);
        assert_eq!(Grouping::new(layout, Granularity::Group128).count(), 3);
        assert_eq!(Grouping::new(layout, Granularity::Channel).count(), 3);
        assert_eq!(Grouping::new(layout, Granularity::Tensor).count(), 1);
    }
}
