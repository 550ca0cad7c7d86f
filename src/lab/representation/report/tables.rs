//! Rows and columns of the Representation report.

use super::{LayerCell, Probed, Question, Report, Row, Shade, question, question_key};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Head, Table};

/// One row per language.
pub fn languages_table(report: &Report) -> Table {
    let lost = |row: &Row, own: Question| {
        let at = report.probes.iter().position(|probe| probe.question == own);
        Cell::known(at.and_then(|at| row.lost.get(at).copied()))
    };
    let cells = |row: &Row| {
        let mut cells = vec![Cell::Text(row.script.clone()), Cell::Figure(row.degradation), Cell::known(row.moved)];
        cells.extend(Question::ALL.map(|own| lost(row, own)));
        cells
    };
    let columns = [
        Column::plain("script", "Script", "As the corpus has it"),
        Column::measured("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full"),
        Column::measured("moved", "Moved", "Sliced W₂ over the spread of the states, mean over layers"),
        Column::measured("lost_language", "Lost: language", "Accuracy lost by probes trained anew, mean over layers"),
        Column::measured("lost_script", "Lost: script", "Accuracy lost by probes trained anew, mean over layers"),
        Column::measured("lost_article", "Lost: article", "Accuracy lost by probes trained anew, mean over layers"),
    ];
    Table::of_languages(&report.rows, |row| &row.language, columns, cells)
}

/// Own names and levels of the languages.
pub fn heads(report: &Report) -> Vec<Head> {
    report.rows.iter().map(|row| Head::of(&row.language)).collect()
}

/// Every language and layer with every measure: what the map and the lines are drawn from.
pub fn heat_table(report: &Report) -> Table {
    let pairs = || report.rows.iter().flat_map(|row| row.layers.iter().enumerate().map(move |of| (row, of)));
    let cells = |(row, (layer, cell)): (&Row, (usize, &LayerCell))| {
        let mut cells = vec![Cell::Text(row.language.name.clone()), Cell::Count(layer as u64)];
        cells.extend(Shade::ALL.map(|shade| Cell::known(shade.of(cell))));
        cells
    };
    Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("layer", "Layer", "Block"),
            Column::measured("sliced", "Sliced W₂", "Over the spread of the full-precision states"),
            Column::measured("channels", "W₁ of channels", "Mean over channels, over the same spread"),
            Column::measured("cosine", "Cosine", "Mean over tokens"),
            Column::measured("cka", "CKA", "Linear, unbiased"),
            Column::measured("entropy", "H full", "Bits"),
            Column::measured("entropy_quantized", "H quantized", "Bits"),
            Column::measured("found", "Found full", "Share of translations that find each other, both ways"),
            Column::measured("found_quantized", "Found quantized", "The same, quantized"),
            Column::measured("margin", "Margin full", "Cosine with the own translation less the mean with others"),
            Column::measured("margin_quantized", "Margin quantized", "The same, quantized"),
        ],
        of: "language",
        keys: pairs().map(|(row, _)| row.language.code.clone()).collect(),
        apart: Vec::new(),
        rows: pairs().map(cells).collect(),
    }
}

/// One row per question and layer.
pub fn probes_table(report: &Report) -> Table {
    let pairs = || report.probes.iter().flat_map(|probe| (0..probe.layers.len()).map(move |layer| (probe, layer)));
    let cells = |(probe, layer): (&Probed, usize)| {
        let of = probe.layers[layer];
        let mut cells = vec![Cell::Text(question(probe.question).into()), Cell::Count(layer as u64)];
        cells.extend([of.full, of.anew, of.carried, of.lost].map(Cell::Figure));
        cells.push(Cell::Number(1.0 / probe.classes.max(1) as f64));
        cells
    };
    Table {
        columns: vec![
            Column::plain("question", "Question", "What the probe is asked"),
            Column::plain("layer", "Layer", "Block"),
            Column::measured("full", "Full", "Right answers in full precision, mean over seen languages"),
            Column::measured("anew", "Quantized, anew", "Trained and asked on quantized states"),
            Column::measured("carried", "Quantized, carried", "Trained in full precision, asked on quantized states"),
            Column::measured("lost", "Lost", "Full less anew, paired"),
            Column::plain("chance", "Chance", "1 over the number of answers"),
        ],
        of: "probe",
        keys: pairs().map(|(probe, layer)| format!("{}-{layer}", question_key(probe.question))).collect(),
        apart: Vec::new(),
        rows: pairs().map(cells).collect(),
    }
}

/// What the entropy chart is drawn from.
pub fn entropy_table(report: &Report) -> Table {
    let layers = || report.spread.entropy.iter().zip(&report.spread.claimed).enumerate();
    Table {
        columns: vec![
            Column::plain("layer", "Layer", "Block"),
            Column::measured("entropy", "H, bits", "Mean over seen languages"),
            Column::measured("claimed", "3L/4 less this", "Entropy after layer 3L/4 less that after this one"),
        ],
        of: "row",
        keys: layers().map(|(layer, _)| layer.to_string()).collect(),
        apart: Vec::new(),
        rows: layers()
            .map(|(layer, (entropy, claimed))| {
                vec![Cell::Count(layer as u64), Cell::Figure(*entropy), Cell::Figure(*claimed)]
            })
            .collect(),
    }
}

/// I2 to I4.
pub fn verdict_table(report: &Report) -> Table {
    verdicts::table([], report.verdicts.iter().map(Ruled::from))
}
