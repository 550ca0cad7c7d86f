//! A matrix, or a window of it, as a picture of few cells: one figure for each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grouping::Layout;

/// A part of a matrix: input and output channels, from … to one past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Input channels.
    pub inputs: (usize, usize),
    /// Output channels.
    pub outputs: (usize, usize),
}

/// Which figure a cell of several weights shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// The one that is furthest from zero, with its sign; of equals the first.
    #[default]
    Furthest,
    /// Their mean.
    Mean,
}

impl Shown {
    /// Both.
    pub const ALL: [Shown; 2] = [Shown::Furthest, Shown::Mean];

    fn of(self, values: impl Iterator<Item = f32>) -> f32 {
        match self {
            Shown::Furthest => values.fold(0.0, |far: f32, value| if value.abs() > far.abs() { value } else { far }),
            Shown::Mean => {
                let (sum, count) = values.fold((0.0, 0u32), |(sum, n), value| (sum + f64::from(value), n + 1));
                (sum / f64::from(count.max(1))) as f32
            }
        }
    }
}

impl Window {
    /// A whole matrix.
    pub fn whole(layout: Layout) -> Window {
        Window { inputs: (0, layout.k), outputs: (0, layout.n) }
    }

    /// Whether it holds something, and nothing beyond the matrix.
    pub fn is_of(&self, layout: Layout) -> bool {
        let within = |(from, to): (usize, usize), all: usize| from < to && to <= all;
        within(self.inputs, layout.k) && within(self.outputs, layout.n)
    }
}

/// How a window is cut into cells: rows of input channels, columns of output channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mosaic {
    /// What is seen.
    pub window: Window,
    /// Input and output channels of a cell; the last of a row or column may have fewer.
    pub cell: (usize, usize),
    /// Cells from top to bottom and from left to right.
    pub size: (usize, usize),
}

impl Mosaic {
    /// At most so many cells to a side, as small as that allows.
    pub fn new(window: Window, most: usize) -> Mosaic {
        let side = |(from, to): (usize, usize)| {
            let (all, most) = (to - from, most.max(1));
            let cell = all.div_ceil(most).max(1);
            (cell, all.div_ceil(cell))
        };
        let ((down, rows), (across, columns)) = (side(window.inputs), side(window.outputs));
        Mosaic { window, cell: (down, across), size: (rows, columns) }
    }

    /// The channels of a cell.
    pub fn at(&self, row: usize, column: usize) -> Window {
        let side = |(from, to): (usize, usize), cell: usize, at: usize| {
            let first = from + at * cell;
            (first, (first + cell).min(to))
        };
        Window {
            inputs: side(self.window.inputs, self.cell.0, row),
            outputs: side(self.window.outputs, self.cell.1, column),
        }
    }

    /// The figure of each cell, row after row.
    pub fn see(&self, layout: Layout, values: &[f32], shown: Shown) -> Vec<f32> {
        let (rows, columns) = self.size;
        let cell = |at: usize| {
            let Window { inputs, outputs } = self.at(at / columns, at % columns);
            let all =
                (inputs.0..inputs.1).flat_map(|k| (outputs.0..outputs.1).map(move |n| values[layout.place(k, n)]));
            shown.of(all)
        };
        (0..rows * columns).map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Cells cover the window once, none beyond it, and there are no more than allowed; the furthest of all cells is the
        /// furthest of the window, and the mean of cells, each counted by its weights, is that of the window.
        #[test]
        fn cells_cover_the_window_once(
            k in 1usize..40, n in 1usize..40, transposed: bool, most in 1usize..20, cut in any::<[prop::sample::Index; 4]>(),
        ) {
            let layout = Layout { k, n, transposed };
            let side = |a: usize, b: usize| (a.min(b), a.max(b) + 1);
            let window = Window {
                inputs: side(cut[0].index(k), cut[1].index(k)),
                outputs: side(cut[2].index(n), cut[3].index(n)),
            };
            prop_assert!(window.is_of(layout));
            let mut rng = super::super::rng::Rng::new((k * n) as u64);
            let values: Vec<f32> = (0..k * n).map(|_| rng.normal() as f32).collect();
            let mosaic = Mosaic::new(window, most);
            let (rows, columns) = mosaic.size;
            prop_assert!(rows <= most && columns <= most);
            let (mut seen, mut sum) = (vec![0; k * n], 0.0);
            let means = mosaic.see(layout, &values, Shown::Mean);
            prop_assert_eq!(means.len(), rows * columns);
            for (at, mean) in means.into_iter().enumerate() {
                let own = mosaic.at(at / columns, at % columns);
                prop_assert!(own.is_of(layout));
                let mut count = 0;
                for kk in own.inputs.0..own.inputs.1 {
                    for nn in own.outputs.0..own.outputs.1 {
                        seen[layout.place(kk, nn)] += 1;
                        count += 1;
                    }
                }
                sum += f64::from(mean) * f64::from(count);
            }
            let inside: Vec<f32> = (window.inputs.0..window.inputs.1)
                .flat_map(|kk| (window.outputs.0..window.outputs.1).map(move |nn| layout.place(kk, nn)))
                .map(|place| { assert_eq!(seen[place], 1); values[place] })
                .collect();
            prop_assert_eq!(seen.iter().sum::<i32>() as usize, inside.len());
            let furthest = |of: &[f32]| of.iter().fold(0.0, |far: f32, value| far.max(value.abs()));
            prop_assert_eq!(furthest(&mosaic.see(layout, &values, Shown::Furthest)), furthest(&inside));
            let all: f64 = inside.iter().map(|value| f64::from(*value)).sum();
            prop_assert!((sum - all).abs() < 1e-4 * (1.0 + inside.len() as f64));
        }
    }

    #[test]
    fn cells_of_one_weight_are_the_weights() {
        let layout = Layout { k: 2, n: 3, transposed: true };
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, -6.0];
        let mosaic = Mosaic::new(Window::whole(layout), 3);
        assert_eq!((mosaic.cell, mosaic.size), ((1, 1), (2, 3)));
        for shown in Shown::ALL {
            assert_eq!(mosaic.see(layout, &values, shown), [1.0, 3.0, 5.0, 2.0, 4.0, -6.0]);
        }
        assert_eq!(Mosaic::new(Window::whole(layout), 1).see(layout, &values, Shown::Furthest), [-6.0]);
        assert!(!Window { inputs: (1, 1), outputs: (0, 3) }.is_of(layout));
        assert!(!Window { inputs: (0, 3), outputs: (0, 3) }.is_of(layout));
    }
}
