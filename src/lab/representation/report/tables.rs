//! Rows and columns of the Representation report.

use super::{LayerCell, Question, Report, Row, Shade, question, question_key};
use crate::lab::verdicts::{self, Ruled};
use crate::report::{rows::Rows, table::Table};

/// One row per language.
pub fn languages_table(report: &Report) -> Table {
    let lost = |own: Question| {
        let at = report.probes.iter().position(|probe| probe.question == own);
        move |row: &&Row| row.lost.get(at?).copied()
    };
    let explained = "Accuracy lost by probes trained anew, mean over layers";
    Rows::of_languages(&report.rows, |row| &row.language)
        .column("script", "Script", "As the corpus has it", |row| row.script.clone())
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |row| row.degradation)
        .column("moved", "Moved", "Sliced W₂ over the spread of the states, mean over layers", |row| row.moved)
        .column("lost_language", "Lost: language", explained, lost(Question::Language))
        .column("lost_script", "Lost: script", explained, lost(Question::Script))
        .column("lost_article", "Lost: article", explained, lost(Question::Article))
        .table()
}

/// Every language and layer with every measure: what the map and the lines are drawn from.
pub fn heat_table(report: &Report) -> Table {
    let pairs = report.rows.iter().flat_map(|row| row.layers.iter().enumerate().map(move |of| (row, of)));
    let of = |shade: Shade| move |(_, (_, cell)): &(&Row, (usize, &LayerCell))| shade.of(cell);
    let apart = "Cosine with the own translation less the mean with others";
    Rows::named(pairs, |(row, _)| &row.language)
        .column("layer", "Layer", "Block", |(_, (layer, _))| *layer)
        .column("sliced", "Sliced W₂", "Over the spread of the full-precision states", of(Shade::Sliced))
        .column("channels", "W₁ of channels", "Mean over channels, over the same spread", of(Shade::Channels))
        .column("cosine", "Cosine", "Mean over tokens", of(Shade::Cosine))
        .column("cka", "CKA", "Linear, unbiased", of(Shade::Cka))
        .column("entropy", "H full", "Bits", of(Shade::Entropy))
        .column("entropy_quantized", "H quantized", "Bits", of(Shade::EntropyQuantized))
        .column("found", "Found full", "Share of translations that find each other, both ways", of(Shade::Found))
        .column("found_quantized", "Found quantized", "The same, quantized", of(Shade::FoundQuantized))
        .column("margin", "Margin full", apart, of(Shade::Margin))
        .column("margin_quantized", "Margin quantized", "The same, quantized", of(Shade::MarginQuantized))
        .table()
}

/// One row per question and layer.
pub fn probes_table(report: &Report) -> Table {
    let pairs = report.probes.iter().flat_map(|probe| probe.layers.iter().enumerate().map(move |of| (probe, of)));
    Rows::of("probe", pairs, |(probe, (layer, _))| format!("{}-{layer}", question_key(probe.question)))
        .column("question", "Question", "What the probe is asked", |(probe, _)| question(probe.question))
        .column("layer", "Layer", "Block", |(_, (layer, _))| *layer)
        .column("full", "Full", "Right answers in full precision, mean over seen languages", |(_, (_, of))| of.full)
        .column("anew", "Quantized, anew", "Trained and asked on quantized states", |(_, (_, of))| of.anew)
        .column(
            "carried",
            "Quantized, carried",
            "Trained in full precision, asked on quantized states",
            |(_, (_, of))| of.carried,
        )
        .column("lost", "Lost", "Full less anew, paired", |(_, (_, of))| of.lost)
        .column("chance", "Chance", "1 over the number of answers", |(probe, _)| 1.0 / probe.classes.max(1) as f64)
        .table()
}

/// What the entropy chart is drawn from.
pub fn entropy_table(report: &Report) -> Table {
    let layers = report.spread.entropy.iter().zip(&report.spread.claimed).enumerate();
    Rows::of("row", layers, |(layer, _)| *layer)
        .column("layer", "Layer", "Block", |(layer, _)| *layer)
        .column("entropy", "H, bits", "Mean over seen languages", |(_, (entropy, _))| **entropy)
        .column(
            "claimed",
            "3L/4 less this",
            "Entropy after layer 3L/4 less that after this one",
            |(_, (_, claimed))| **claimed,
        )
        .table()
}

/// I2 to I4.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::plain(report.verdicts.iter().map(Ruled::from))
}
