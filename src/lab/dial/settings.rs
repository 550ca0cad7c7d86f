//! What the analysis is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Joint, joint};
use crate::{
    lab::{
        AnalysisError, Needs, rounding,
        settings::{
            Around, Declared, Offer, Resampling, Texts, flag, numbers, one_of, permutations, settings, several_of,
            threshold, titled, whole,
        },
        thresholds::OUTLIER,
    },
    math::{
        clipping::Rule,
        correlation::Draws,
        quantizer::{Bits, Granularity},
    },
};

/// The furthest that a dial may be turned: 2^20; weights may allow less.
pub const FURTHEST: usize = 20;
/// The furthest that the page's slider goes: s = 2^10 puts every matrix's threshold where nothing is left to see.
pub const FURTHEST_SHOWN: usize = 10;
/// Few channels make tails; with many, the spread itself grows.
const MOST_CHANNELS: u64 = 64;
/// Layers of the largest model there is, with room.
const MOST_LAYERS: u64 = 1_000;

/// At which powers of two, from 2^0 to the furthest, the model is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DialStops")]
#[serde(rename_all = "snake_case")]
pub enum Stops {
    /// At each.
    Every,
    /// At every second, and at the furthest.
    EverySecond,
    /// At the model as it is and at the furthest.
    Ends,
}

/// Which layers are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DialLayers")]
#[serde(rename_all = "snake_case")]
pub enum Layers {
    /// Each.
    All,
    /// 0, 2, 4, …: the others stay as they are, so that use of the turned ones can be compared.
    EverySecond,
    /// Those that are listed.
    Listed,
}

settings! {
    /// What to measure. By default every second layer is turned, so that all four claims can be decided, and up to s = 32, where both
    /// rules have failed on the models that come with the page.
    #[schemars(rename = "DialConfig")]
    pub struct Config("dial") with texts: Texts, draws: Resampling {
        /// n of the furthest s = 2^n. 0 is the model as it is.
        furthest: usize = 5, whole("Turn the tails up, by powers of two, to 2 to the power of", 0, FURTHEST as u64);
        /// Where it is measured on the way, each a point of the report.
        stops: Stops = Stops::Every, one_of("Measure", vec![
            Offer::of(Stops::Every, "at every power of two", ""),
            Offer::of(Stops::EverySecond, "at every second power of two", ""),
            Offer::of(Stops::Ends, "only at s = 1 and at the furthest", ""),
        ]);
        /// Layers that are turned.
        layers: Layers = Layers::EverySecond, one_of("Layers", titled(Layers::ALL, Layers::title));
        /// Those of [`Layers::Listed`].
        listed: Vec<usize> = vec![0, 1, 2, 3], numbers("Layers, such as 0-3, 7", MOST_LAYERS);
        /// Channels that are turned at each joint.
        channels: usize = 1, whole("Channels turned at each joint", 1, MOST_CHANNELS);
        /// One point more: the furthest of them with its tails flattened again.
        flatten: bool = true, flag("Flatten the tails of the furthest point again");
        /// Joints that are turned in each layer.
        joints: Vec<Joint> = Joint::ALL.into(),
            several_of("Joints: what is divided by s, and what is multiplied", 1, titled(Joint::ALL, joint));
        /// Chooses the channels.
        channel_seed: u64 = 1, whole("Seed that chooses the channels", 0, u64::MAX);
        /// Bit-widths.
        bits: Vec<Bits> = Bits::new(4).into_iter().collect(),
            several_of("Bits per weight, one or more", 1, rounding::widths());
        /// Clipping rules.
        rules: Vec<Rule> = vec![Rule::Absmax, Rule::Optimal],
            several_of("Where the grid ends (clipping rules)", 1, rounding::rules());
        /// How many weights share a threshold.
        granularity: Granularity = Granularity::Tensor, rounding::granularity(), at "quantizer.granularity";
        /// A layer whose κ lies above this is an outlier layer: it gets 8 bits where P2 is tried.
        threshold: f64 = OUTLIER, threshold(), at "threshold";
        /// Shuffles behind each p.
        permutations: usize = 2000, permutations();
    }
}

impl Stops {
    /// The exponents from 0 to the furthest.
    pub fn exponents(self, furthest: usize) -> Vec<usize> {
        let step = match self {
            Stops::Every => 1,
            Stops::EverySecond => 2,
            Stops::Ends => furthest.max(1),
        };
        let mut stops: Vec<usize> = (0..=furthest).step_by(step).collect();
        if stops.last() != Some(&furthest) {
            stops.push(furthest);
        }
        stops
    }
}

impl Layers {
    /// In the order of the page.
    pub const ALL: [Layers; 3] = [Layers::All, Layers::EverySecond, Layers::Listed];

    /// As the page's elements call it.
    pub fn key(self) -> &'static str {
        match self {
            Layers::All => "all",
            Layers::EverySecond => "every_second",
            Layers::Listed => "listed",
        }
    }

    /// As a reader does.
    pub fn title(self) -> &'static str {
        match self {
            Layers::All => "all layers",
            Layers::EverySecond => "every second layer",
            Layers::Listed => "layers that I write down",
        }
    }
}

impl Config {
    /// Texts, each under every set of weights.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Texts(self.texts.sample())
    }

    /// Refuses what no model can be asked, with a sentence.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.texts.sample().check_alone()?;
        self.check_ranges()
    }

    /// Fits it to the site and the model.
    pub fn settle(&mut self, around: &Around) -> Result<(), AnalysisError> {
        self.texts.settle(around)?;
        self.turned(around.layers).map(|_| ())
    }

    /// Where the dial stands: n of s = 2^n.
    pub fn exponents(&self) -> Vec<usize> {
        self.stops.exponents(self.furthest)
    }

    /// The layers that are turned, of so many.
    pub fn turned(&self, layers: usize) -> Result<Vec<usize>, AnalysisError> {
        let last = layers.saturating_sub(1);
        Ok(match self.layers {
            Layers::All => (0..layers).collect(),
            Layers::EverySecond => (0..layers).step_by(2).collect(),
            Layers::Listed => match self.listed.iter().find(|layer| **layer > last) {
                Some(&layer) => return Err(AnalysisError::NoLayer { layer, last }),
                None => self.listed.clone(),
            },
        })
    }

    /// How often is drawn for an interval, and shuffled for a p.
    pub fn draws(&self) -> Draws {
        self.draws.with(self.permutations)
    }
}
