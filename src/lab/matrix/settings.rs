//! What the analysis is asked.

use super::{Part, Shown, Window, shown};
use crate::{
    lab::{
        AnalysisError, Needs,
        rounding::Rounding,
        sample::within,
        settings::{Around, Declared, one_of, own, settings, titled, whole},
    },
    math::sets::MOST_LAYERS,
};

/// Channels of a window at most: beyond any matrix that a browser can hold.
const MOST_CHANNELS: usize = 1 << 24;

settings! {
    /// What to look at.
    #[schemars(rename = "MatrixConfig")]
    pub struct Config("matrix") with quantizer: Rounding {
        /// Number of the block.
        layer: usize = 0, whole("Layer", 0, MOST_LAYERS as u64 - 1);
        /// Which of its matrices.
        part: Part = Part::Up, own("Matrix");
        /// What a cell of several weights shows.
        shown: Shown = Shown::Furthest, one_of("A cell of several weights shows", titled(Shown::ALL, shown));
        /// The part of the matrix that is seen; none is the whole.
        window: Option<Window> = None, own("Part that is seen");
    }
}

impl Config {
    /// No text is read.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Weights
    }

    /// Refuses what no matrix has, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.check_ranges()?;
        for (from, to) in self.window.iter().flat_map(|window| [window.inputs, window.outputs]) {
            within("the end of the window", to, 1..=MOST_CHANNELS)?;
            within("the beginning of the window", from, 0..=to - 1)?;
        }
        Ok(())
    }

    /// Nothing of it depends on the site.
    pub fn settle(&mut self, _: &Around) -> Result<(), AnalysisError> {
        Ok(())
    }
}
