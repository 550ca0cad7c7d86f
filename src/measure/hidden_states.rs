//! What is inside the model while a language is read: its hidden states under one recipe, against those under another, and
//! their spectrum. States are too large to hand on, so whoever runs a language's texts works its figures out on the spot.
//!
//! A language is never cut, and its texts are taken in order: the figures do not depend on who computes them, to the bit.

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use super::draws::parts;

use super::{
    AnalysisError,
    plan::{Taps, Text},
    runner::{Lab, Progress, Step},
    state_similarity::{self, States},
};
use crate::{
    arch::{
        ArchError,
        passes::{rows, watch_texts},
        recipe::Recipe,
        spec::Spec,
        weights::Device,
    },
    backend::Backend,
    math::{spectrum::Scatter, transport},
};

/// What is to be seen of the texts under one recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Look {
    /// Of each text.
    pub taps: Taps,
    /// Of each text: its states against those under the first recipe; [`state_similarity::FIGURES`] for each layer.
    pub against: bool,
    /// Of the language: entropy of the spectrum of its states after each layer.
    pub spectrum: bool,
}

/// How states are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    /// One for each recipe.
    pub of: Vec<Look>,
    /// Directions along which clouds of states are compared.
    pub directions: usize,
    /// Seed of these, and of the subspace of [`spectrum_width`].
    pub seed: u64,
}

/// Languages to be run under recipes.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Texts, language after language, each with all its units.
    pub texts: Vec<Text>,
    /// Of each language.
    pub units: usize,
    /// What is done to the weights; the first is what others are held against.
    pub recipes: Vec<Recipe>,
    /// What is to be seen.
    pub looks: Looks,
}

/// Wider states are seen in a subspace of so many dimensions: a spectrum costs the cube of its width.
const MOST_WIDTH: usize = 256;

/// Dimensions in which spectra are taken.
pub fn spectrum_width(spec: &Spec) -> usize {
    spec.width.min(MOST_WIDTH)
}

impl Looks {
    /// Figures of one text under one recipe.
    fn of_text(&self, recipe: usize, spec: &Spec) -> usize {
        let Look { taps, against, .. } = self.of[recipe];
        taps.figures(spec) + if against { spec.blocks.len() * state_similarity::FIGURES } else { 0 }
    }

    /// Of one text under the recipes before one.
    fn before(&self, recipe: usize, spec: &Spec) -> usize {
        (0..recipe).map(|recipe| self.of_text(recipe, spec)).sum()
    }
}

impl Study {
    /// The jobs: languages.
    pub fn languages(&self) -> Vec<usize> {
        (0..self.texts.len() / self.units.max(1)).collect()
    }

    /// Numbers of a language's texts.
    pub fn of_language(&self, language: usize) -> Range<usize> {
        language * self.units..(language + 1) * self.units
    }

    /// Tokens of a language's texts.
    pub fn tokens(&self, language: usize) -> Vec<&[u32]> {
        self.texts[self.of_language(language)].iter().map(|text| &text.tokens[..]).collect()
    }

    /// How many times a text is run, over all recipes.
    pub fn passes(&self) -> usize {
        self.texts.len() * self.recipes.len()
    }
}

/// Runs the texts of one language under all recipes. For each text and recipe its figures; then, for each recipe whose
/// spectrum is asked for and each layer, the entropy over all texts and with each part left out.
pub async fn study_language<B: Backend>(
    device: &Device<B>,
    recipes: &[Recipe],
    looks: &Looks,
    texts: &[impl AsRef<[u32]>],
    pause: &impl AsyncFn(),
) -> Result<Vec<f64>, ArchError> {
    let spec = &device.spec;
    let (layers, narrow) = (spec.blocks.len(), spectrum_width(spec));
    let directions = transport::directions(looks.directions, spec.width, looks.seed);
    let subspace = (narrow < spec.width).then(|| state_similarity::subspace(spec.width, narrow, looks.seed));
    let mut scatters = vec![vec![vec![Scatter::none(narrow); parts(texts.len()).max(1)]; layers]; recipes.len()];
    let mut figures = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let mut first: Vec<States> = Vec::new();
        for (recipe, look) in looks.of.iter().enumerate() {
            let wanted = look.against || look.spectrum || (recipe == 0 && looks.of.iter().any(|look| look.against));
            // What was packed for the text before is still there.
            let weights = device.apply(&recipes[recipe]).await?;
            let watched = watch_texts(device, &weights, std::slice::from_ref(text), look.taps, wanted, pause).await?;
            figures.extend_from_slice(&watched.figures[0]);
            for (layer, (side, hidden)) in watched.hidden.iter().enumerate().filter(|_| wanted) {
                let mut hidden = device.backend.read_f32(hidden).await?;
                hidden.truncate(rows(&watched.shares[0], *side) * spec.width);
                let states = States::new(&hidden, spec.width);
                if look.against {
                    figures.extend(state_similarity::figures(&first[layer], &states, &directions));
                }
                if look.spectrum {
                    let parts = &mut scatters[recipe][layer];
                    let part = number % parts.len();
                    parts[part].merge(&states.scatter(subspace.as_deref()));
                }
                if recipe == 0 {
                    first.push(states);
                }
                pause().await;
            }
        }
    }
    for (layers, _) in scatters.iter().zip(&looks.of).filter(|(_, look)| look.spectrum) {
        for of in layers {
            for left_out in std::iter::once(None).chain((0..parts(texts.len())).map(Some)) {
                let mut whole = Scatter::none(narrow);
                of.iter().enumerate().filter(|(part, _)| Some(*part) != left_out).for_each(|(_, of)| whole.merge(of));
                figures.push(whole.entropy());
                pause().await;
            }
        }
    }
    Ok(figures)
}

/// What a study has shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Studied<'a> {
    study: &'a Study,
    spec: &'a Spec,
    /// Of each language.
    figures: Vec<Vec<f64>>,
}

impl<'a> Studied<'a> {
    /// Nothing yet.
    pub fn new(study: &'a Study, spec: &'a Spec) -> Studied<'a> {
        Studied { study, spec, figures: vec![Vec::new(); study.languages().len()] }
    }

    /// Takes in a language's figures.
    ///
    /// # Panics
    /// If there are more or fewer than it has.
    pub fn take(&mut self, language: usize, figures: &[f64]) {
        let looks = &self.study.looks;
        let spectra = looks.of.iter().filter(|look| look.spectrum).count();
        let of_texts = self.study.units * looks.before(looks.of.len(), self.spec);
        let of_spectra = spectra * self.spec.blocks.len() * (1 + parts(self.study.units));
        assert_eq!(figures.len(), of_texts + of_spectra, "figures of language {language}");
        self.figures[language] = figures.to_vec();
    }

    /// All figures of a text under a recipe.
    fn of(&self, recipe: usize, text: usize) -> &[f64] {
        let looks = &self.study.looks;
        let each = looks.before(looks.of.len(), self.spec);
        let (language, unit) = (text / self.study.units, text % self.study.units);
        let begins = unit * each + looks.before(recipe, self.spec);
        &self.figures[language][begins..][..looks.of_text(recipe, self.spec)]
    }

    /// Loss of each text in nats, summed over its scored tokens.
    pub fn nats(&self, recipe: usize) -> Vec<f64> {
        (0..self.study.texts.len()).map(|text| self.of(recipe, text)[0]).collect()
    }

    /// Σ ‖h_l‖ over the text's rows, for each layer.
    pub fn norms(&self, recipe: usize, text: usize) -> &[f64] {
        assert!(self.study.looks.of[recipe].taps.norms, "only what was asked for is looked up");
        &self.of(recipe, text)[1..][..self.spec.blocks.len()]
    }

    /// The mean of h_l over the text's rows.
    pub fn mean(&self, recipe: usize, text: usize, layer: usize) -> &[f64] {
        let taps = self.study.looks.of[recipe].taps;
        assert!(taps.means, "only what was asked for is looked up");
        let (of_taps, all) = (taps.figures(self.spec), self.spec.blocks.len() * self.spec.width);
        &self.of(recipe, text)[of_taps - all..][layer * self.spec.width..][..self.spec.width]
    }

    /// The states of a layer against those under the first recipe; [`state_similarity::FIGURES`].
    pub fn likeness(&self, recipe: usize, text: usize, layer: usize) -> &[f64] {
        let look = self.study.looks.of[recipe];
        assert!(look.against, "only what was asked for is looked up");
        &self.of(recipe, text)[look.taps.figures(self.spec)..][layer * state_similarity::FIGURES..]
            [..state_similarity::FIGURES]
    }

    /// Entropy in nats of the spectrum of a layer's states: over all texts of the language, then with each part left out.
    pub fn entropies(&self, recipe: usize, language: usize, layer: usize) -> &[f64] {
        let looks = &self.study.looks;
        assert!(looks.of[recipe].spectrum, "only what was asked for is looked up");
        let (each, layers) = (1 + parts(self.study.units), self.spec.blocks.len());
        let before = looks.of[..recipe].iter().filter(|look| look.spectrum).count();
        let begins = self.study.units * looks.before(looks.of.len(), self.spec) + (before * layers + layer) * each;
        &self.figures[language][begins..][..each]
    }
}

/// Runs a study on one device, language after language.
pub(super) async fn alone<'a, L: Lab>(lab: &'a L, study: &'a Study) -> Result<Studied<'a>, AnalysisError> {
    let device = &lab.model().device;
    let mut studied = Studied::new(study, &device.spec);
    let (each, total) = (study.units * study.recipes.len(), study.passes());
    for language in study.languages() {
        lab.tell(Progress { step: Step::Passes, done: language * each, total });
        let tokens = study.tokens(language);
        studied.take(language, &study_language(device, &study.recipes, &study.looks, &tokens, &async || ()).await?);
    }
    lab.tell(Progress { step: Step::Passes, done: total, total });
    Ok(studied)
}
