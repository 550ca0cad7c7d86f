//! Models side by side: designs, κ, and what was measured of each (document 004, sections 3.1 and 6.2).

use super::{ModelEntry, format, labels};
use crate::arch::design::{Design, Function, NormKind, Placement, PositionKind};
use crate::lab::screening::models::{Claim, Setting, across, comparable};
use crate::lab::verdicts::{self, Ruled};
use crate::report::rows::Rows;
use crate::report::table::{Cell, Table};

/// An activation function, with its gate.
fn activation(traits: &Design) -> String {
    let name = match traits.activation {
        Function::GeluTanh => "GELU (tanh)",
        Function::Gelu => "GELU",
        Function::Relu => "ReLU",
        Function::Silu => "SiLU",
    };
    if traits.gated { format!("{name}, gated") } else { name.into() }
}

/// Kind and place of the norms.
fn norm(traits: &Design) -> String {
    let kind = match traits.norm {
        NormKind::Layer => "layer norm",
        NormKind::Rms => "RMS norm",
        NormKind::None => "no norm",
    };
    let place = match traits.placement {
        Placement::Before => " before",
        Placement::After => " after",
        Placement::Around => " before, and of what is added",
        Placement::Nowhere => "",
    };
    format!("{kind}{place}")
}

fn positions(traits: &Design) -> String {
    let name = |places: &PositionKind| match places {
        PositionKind::Learned => "learned table",
        PositionKind::Sinusoidal => "sines",
        PositionKind::Rotary => "rotary",
        PositionKind::Slopes => "falling with distance (ALiBi)",
        PositionKind::Buckets => "learned by distance",
        PositionKind::Order => "none but the order",
    };
    traits.positions.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn heads(traits: &Design) -> String {
    match traits.key_heads == traits.heads {
        true => traits.heads.to_string(),
        false => format!("{} ({} for keys)", traits.heads, traits.key_heads),
    }
}

/// Every trait by its name: those in which two models differ can then be told.
fn named(traits: &Design) -> [(&'static str, String); 10] {
    [
        ("architecture", traits.architecture.clone()),
        ("depth", traits.layers.to_string()),
        ("width", traits.width.to_string()),
        ("inner width", traits.inner.to_string()),
        ("heads", heads(traits)),
        ("activation function", activation(traits)),
        ("norms", norm(traits)),
        ("norm's ε", traits.eps.to_string()),
        ("positions", positions(traits)),
        ("vocabulary", traits.vocabulary.to_string()),
    ]
}

/// What was asked, in words.
fn asked(setting: &Setting) -> String {
    format!(
        "{} bits, {}, one grid per {}, {} of each language from {}",
        setting.bits.get(),
        labels::rule(setting.rule),
        labels::granularity(setting.granularity),
        format::counted(setting.units as u64, "text"),
        setting.corpus
    )
}

/// One row per model and setting.
pub fn models_table(entries: &[ModelEntry]) -> Table {
    Rows::of("row", entries.iter().enumerate(), |(at, _)| format!("model-{at}"))
        .column("model", "Model", "Its name", |(_, of)| of.model.clone())
        .column("max_kurtosis", "Max κ", "Largest excess kurtosis of a layer", |(_, of)| of.max_kurtosis)
        .column("disparity_corrected", "Disparity", "Largest D − smallest D, corrected for noise", |(_, of)| {
            of.disparity_corrected
        })
        .column("r", "r(ā_outlier, D)", "Pearson's r over languages", |(_, of)| of.r)
        .column("variance", "Var[ā_outlier]", "Over seen languages", |(_, of)| of.variance.map(|of| of.value))
        .column("architecture", "Architecture", "model_type of its config", |(_, of)| of.traits.architecture.clone())
        .column("layers", "Depth", "Blocks", |(_, of)| of.traits.layers)
        .column("width", "Width", "Channels of the residual stream", |(_, of)| of.traits.width)
        .column("heads", "Heads", "Attention heads", |(_, of)| heads(&of.traits))
        .column("activation", "Activation", "Activation function of the blocks", |(_, of)| activation(&of.traits))
        .column("norm", "Norms", "Kind, and whether they stand before or after a sublayer", |(_, of)| norm(&of.traits))
        .column("eps", "ε", "Added to a norm's variance", |(_, of)| of.traits.eps)
        .column("positions", "Positions", "How the model knows places", |(_, of)| positions(&of.traits))
        .column("vocabulary", "Vocabulary", "Rows of the token table", |(_, of)| of.traits.vocabulary)
        .column("languages_seen", "Languages seen", "In training, where the card says", |(_, of)| {
            of.mix.map(|mix| mix.languages)
        })
        .column("largest_share", "Largest share", "Of the training text, the language that was seen most", |(_, of)| {
            of.mix.map(|mix| Cell::Share(mix.largest))
        })
        .column("asked", "Measured at", "Bits, rule, grids, texts", |(_, of)| asked(&of.setting))
        .column("languages", "Languages", "Seen languages that the figures are over", |(_, of)| of.languages)
        .column("backend", "Computed on", "And whether it came from a file", |(_, of)| {
            format!("{}{}", of.backend, if of.from_file { ", from a file" } else { "" })
        })
        .table()
}

/// What is compared, and in what the designs of these models differ; none for fewer than two.
pub fn comparison(entries: &[ModelEntry]) -> Option<String> {
    let (setting, models) = comparable(entries).filter(|(_, models)| models.len() > 1)?;
    let all: Vec<_> = models.iter().map(|entry| named(&entry.traits)).collect();
    let differ: Vec<&str> = (0..all[0].len())
        .filter(|&at| all.iter().any(|own| own[at].1 != all[0][at].1))
        .map(|at| all[0][at].0)
        .collect();
    let differ = match differ.is_empty() {
        true => "Their designs are the same in all that their configs say.".to_string(),
        false => format!("Their designs differ in {}.", differ.join(", ")),
    };
    Some(format!(
        "{} were asked the same ({}). {differ} What a config does not say, such as the optimizer or its weight decay, is not compared.",
        format::counted(models.len() as u64, "model"),
        asked(setting)
    ))
}

/// P4 and M1 over all models that can be compared.
pub fn across_table(entries: &[ModelEntry], light: f64, heavy: f64) -> Table {
    let title = |claim: Claim| match claim {
        Claim::P4 => "P4: max κ decides how use and loss go together",
        Claim::M1 => "M1: the larger max κ, the larger the disparity",
    };
    let ruled = across(entries, light, heavy).into_iter().map(|own| Ruled {
        key: format!("{:?}", own.claim),
        claim: title(own.claim).into(),
        ruling: own.ruling,
        because: own.because,
        rule: own.claim.rule(),
    });
    let mut table = verdicts::plain(ruled);
    // Several models speak here.
    for column in table.columns.iter_mut().filter(|column| column.key == "ruling") {
        column.explained = "What the models say of it together";
    }
    table
}
