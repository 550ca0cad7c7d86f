//! What quantization does to the hidden states themselves: how far each layer's states move, for each language; whether
//! translations of one text still lie beside each other; and what a linear probe can still read off (document 003).

use super::{Config, Report, verdicts};
use crate::lab::{
    AnalysisError, Measuring, degradation,
    groups::Groups,
    hidden_states::{Look, Looks, Study, parts, spectrum_width},
    origin,
    overflow::refuse_texts,
    plan::Taps,
    rounding,
    runner::Lab,
    sample,
};
use crate::{arch::recipe::Recipe, math::jackknife, model::card::Resource};

use draw::Measured;

mod alignment;
mod draw;
mod probes;

/// In full precision and quantized.
const FULL: usize = 0;
const QUANTIZED: usize = 1;
const BOTH: [usize; 2] = [FULL, QUANTIZED];

impl Measuring for Config {}

/// Every text twice, in full precision and quantized, with all hidden states of both.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let spec = &lab.model().device.spec;
    let rounding = config.quantizer;
    let full = Look { taps: Taps { means: true, ..Taps::LOSSES }, against: false, spectrum: true };
    let study = Study {
        texts: reading.texts.clone(),
        units: reading.units,
        recipes: vec![Recipe::default(), rounding::recipe(&rounding, lab).await?],
        looks: Looks {
            of: vec![full, Look { against: true, ..full }],
            directions: config.directions,
            seed: config.draws.seed,
        },
    };
    let studied = lab.study(&study).await?;
    let nats = BOTH.map(|recipe| studied.nats(recipe));
    for (recipe, nats) in study.recipes.iter().zip(&nats) {
        refuse_texts(lab, recipe, &reading.texts, nats).await?;
    }

    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let resources: Vec<Resource> = languages.iter().map(|language| language.resource).collect();
    let scripts: Vec<String> = (config.texts.languages.iter())
        .map(|code| reading.corpus.language(code).map(|of| of.script.clone()))
        .collect::<Result<_, _>>()?;
    let reference = config.texts.languages.iter().position(|code| *code == config.reference);
    let layers = spec.blocks.len();
    let probes = probes::ask(&studied, &scripts, reading.units, layers, lab).await;
    let measured = Measured {
        reading: &reading,
        likeness: alignment::likeness(&studied, reading.texts.len(), layers),
        nats: &nats,
        layers,
        alignments: alignment::all(&studied, languages.len(), reading.units, layers, reference.unwrap_or(0)),
        probes: &probes,
        groups: Groups::new(&resources),
        config,
    };
    lab.pause().await;
    let entropy = |recipe: usize, language: usize, layer: usize| in_bits(studied.entropies(recipe, language, layer));
    let mut rows = Vec::new();
    for (number, (language, script)) in languages.into_iter().zip(scripts).enumerate() {
        let entropies = |layer: usize| BOTH.map(|recipe| jackknife::of(&entropy(recipe, number, layer)));
        rows.push(measured.row(number, language, script, entropies));
        lab.pause().await;
    }
    let spectrum = |layer: usize| {
        let of_languages = measured.groups.counted.iter().map(|&language| entropy(FULL, language, layer));
        jackknife::mean(of_languages.collect::<Vec<_>>().iter())
    };
    let spectra: Vec<Vec<f64>> = (0..layers).map(spectrum).collect();
    let spread = measured.spread(&spectra);
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        widths: (spec.width, spectrum_width(spec)),
        parts: parts(reading.units),
        probes: measured.probed(),
        verdicts: verdicts::all(&spread, layers, spec.encoder_layers() > 0),
        rows,
        spread,
    })
}

fn in_bits(nats: &[f64]) -> Vec<f64> {
    nats.iter().map(|nats| nats / std::f64::consts::LN_2).collect()
}
