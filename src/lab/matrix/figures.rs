//! What it found: the report and its figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{error_parts::Error, origin::Origin};
use crate::math::{moments::Summary, mosaic::Mosaic};

pub use crate::arch::tensors::Part;
pub use crate::math::mosaic::{Shown, Window};

/// Cells to a side at most: as many as can be told apart on a screen, three pictures side by side.
pub const MOST_CELLS: usize = 128;

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MatrixReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Name in the checkpoint.
    pub name: String,
    /// Input and output channels of the matrix.
    pub channels: (usize, usize),
    /// What is seen of it.
    pub window: Window,
    /// Input and output channels of a cell.
    pub cell: (usize, usize),
    /// Cells from top to bottom (input channels) and from left to right (output channels).
    pub size: (usize, usize),
    /// Cells of the matrix before rounding, row after row. An f32 is written with the fewest digits that give it back.
    pub full: Vec<f64>,
    /// The same after it.
    pub quantized: Vec<f64>,
    /// The same of after − before, taken weight by weight.
    pub difference: Vec<f64>,
    /// The whole matrix before rounding.
    pub summary: Summary,
    /// Smallest and largest clipping threshold over the groups of the matrix.
    pub alpha: (f64, f64),
    /// Mean squared error of the whole matrix over its variance, in its two parts.
    pub error: Error,
    /// Weights of the matrix beyond their threshold.
    pub clipped: u64,
    /// Weights of the matrix on each code of the grid, from −L to L.
    pub codes: Vec<u64>,
}

impl Report {
    /// How what is seen is cut into cells.
    pub fn mosaic(&self) -> Mosaic {
        Mosaic { window: self.window, cell: self.cell, size: self.size }
    }
}
