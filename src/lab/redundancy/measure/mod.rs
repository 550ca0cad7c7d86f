//! How much a language could lose and still be understood: its redundancy R, measured in each way in which the theory defines it,
//! and whether the loss goes with 1/R (documents 000 and 001, theorem 1 and its corollary).

use super::{Config, Layer, Report, Row, verdicts};
use crate::lab::{
    AnalysisError, Measuring, degradation,
    draws::LEVEL,
    groups::Groups,
    hidden_states::{Look, Looks, Study, spectrum_width},
    layer_activation::layer_kurtosis,
    origin,
    overflow::refuse_texts,
    plan::{Plan, Taps},
    rounding::{self, layer_errors},
    runner::Lab,
    sample,
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::{
        jackknife,
        statistics::{Interval, bca},
    },
    model::card::Resource,
};

use draw::Measured;

mod baseline;
mod draw;
mod relations;

/// Losses in full precision, quantized, and with layers left out; the first is also what the study sees.
const FULL: usize = 0;
const QUANTIZED: usize = 1;
const WITHOUT: usize = 2;

impl Measuring for Config {}

/// Every text three times: in full precision with its norms and spectra, quantized, and with layers left out.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let spec = &lab.model().device.spec;
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let (left_out, above) = config.left_out(&kurtosis);
    let rounding = config.quantizer;
    let recipe = rounding::recipe(&rounding, lab).await?;
    let relative = layer_errors(&recipe, lab).await?;
    let without = Recipe { skipped: left_out.iter().copied().collect(), ..Recipe::default() };
    let full = Look { taps: Taps { norms: true, ..Taps::LOSSES }, spectrum: true, against: false };
    let study = Study {
        texts: reading.texts.clone(),
        units: reading.units,
        recipes: vec![Recipe::default()],
        looks: Looks { of: vec![full], directions: 0, seed: config.draws.seed },
    };
    let studied = lab.study(&study).await?;
    refuse_texts(lab, &Recipe::default(), &reading.texts, &studied.nats(FULL)).await?;
    let (mut plan, all) = (Plan::new(reading.texts.clone()), 0..reading.texts.len());
    let asked = [&recipe, &without].map(|recipe| plan.ask(recipe, all.clone(), Taps::LOSSES));
    let seen = lab.run(&plan).await?;
    let [quantized, shortened] = asked.map(|recipe| seen.all_nats(recipe, all.clone()));
    let nats = [studied.nats(FULL), quantized, shortened];

    let languages = degradation::languages(&config.texts.languages, &reading, lab.model().card.as_ref());
    let resources: Vec<Resource> = languages.iter().map(|language| language.resource).collect();
    let widest = libm::log2(spectrum_width(spec) as f64);
    let bits = |nats: f64| widest - nats / std::f64::consts::LN_2;
    let spectrum = |language: usize, layer: usize| -> Vec<f64> {
        studied.entropies(FULL, language, layer).iter().map(|nats| bits(*nats)).collect()
    };
    let spectra: Vec<Vec<Vec<f64>>> = (0..languages.len())
        .map(|language| (0..kurtosis.len()).map(|layer| spectrum(language, layer)).collect())
        .collect();
    let over_layers: Vec<Vec<f64>> = spectra.iter().map(|layers| jackknife::mean(layers.iter())).collect();
    let groups = Groups::new(&resources);
    let gap = spectrum_gap(&over_layers, &groups);
    let measured = Measured {
        reading: &reading,
        norms: (0..reading.texts.len()).map(|text| studied.norms(FULL, text).to_vec()).collect(),
        baseline: baseline::nats(config.baseline, &reading, spec),
        nats,
        relative: &relative,
        left_out: &left_out,
        spectrum: over_layers.iter().map(|of| of[0]).collect(),
        groups,
        bits: config.quantizer.bits,
    };
    let statistics = measured.all(&vec![1; config.texts.units]).len();
    let intervals =
        bca(config.texts.units, statistics, config.draws.resamples, LEVEL, config.draws.seed, |drawn, out| {
            out.copy_from_slice(&measured.all(drawn));
        });
    let mut read = draw::Reader::new(intervals);
    let rows: Vec<Row> = languages
        .into_iter()
        .zip(spectra.iter().zip(&over_layers))
        .map(|(language, (layers, whole))| {
            read.row(language, jackknife::of(whole), layers.iter().map(|of| jackknife::of(of)).collect())
        })
        .collect();
    let relations = relations::relations(&rows, &mut read, &config.draws(), config.quantizer.bits);
    let ratios = read.ratios(config.quantizer.bits, gap);
    let layer = |(layer, &kurtosis): (usize, &f64)| Layer {
        kurtosis,
        left_out: left_out.contains(&layer),
        relative_mse: relative[layer],
    };
    let layers: Vec<Layer> = kurtosis.iter().enumerate().map(layer).collect();
    Ok(Report {
        config: config.clone(),
        origin: origin::of(lab, Some(&reading)),
        above,
        widths: (spec.width, spectrum_width(spec)),
        verdicts: verdicts::all(&relations, &ratios),
        layers,
        rows,
        relations,
        ratios,
    })
}

/// R_HR − R_LR of [`Measure::Spectrum`]; a NaN where there is none of either.
fn spectrum_gap(over_layers: &[Vec<f64>], groups: &Groups) -> Interval {
    let [high, low] = [&groups.high, &groups.low].map(|of| jackknife::mean(of.iter().map(|&at| &over_layers[at])));
    jackknife::of(&jackknife::less(&high, &low))
}
