//! The dial's figures, row by row, and what they say of the claims.

use super::{Pick, Point, Report, chance, outcomes, stand};
use crate::lab::dial::{Claim, Proof};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Head, Table};
use crate::report::{Bits, Resource, words};

/// Where the dial stood: s, whether flattened, and the largest κ.
fn stand_columns() -> [Column; 3] {
    [
        Column::plain("s", "s", "What the chosen channels were multiplied by"),
        Column::plain("tails", "Tails", "As the dial left them, or flattened again"),
        Column::plain("max_kurtosis", "Max κ", "Largest excess kurtosis of a layer"),
    ]
}

fn stand_cells(point: &Point) -> [Cell; 3] {
    let tails = if point.flattened { "flattened" } else { "turned" };
    [Cell::Count(1 << point.exponent), Cell::Text(tails.into()), Cell::Number(point.max_kurtosis)]
}

/// Every language at every point under one rounding: what the chart of D(λ) is drawn from.
pub fn degradation_table(report: &Report, pick: Pick) -> Table {
    let mut table = Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("resource", "Resource", "Third of the trained languages by bytes seen"),
        ],
        of: "language",
        ..Table::default()
    };
    table.columns.extend(stand_columns());
    table.columns.push(Column::measured("degradation", "D", "(PPL after − PPL before) ÷ PPL before"));
    for (at, language) in report.languages.iter().enumerate() {
        for (point, outcome) in outcomes(report, pick) {
            let mut row = vec![
                Cell::Text(language.name.clone()),
                Cell::Ranked(language.resource as u8, words::resource(language.resource).into()),
            ];
            row.extend(stand_cells(point));
            row.push(Cell::Figure(outcome.cost.degradation[at]));
            table.keys.push(language.code.clone());
            table.apart.push(language.resource == Resource::Unseen);
            table.rows.push(row);
        }
    }
    table
}

/// Own names and levels of the rows of [`degradation_table`].
pub fn heads(report: &Report) -> Vec<Head> {
    report.languages.iter().flat_map(|language| report.points.iter().map(move |_| Head::of(language))).collect()
}

/// Every rule at every point at one width: what the chart of disparity is drawn from.
pub fn disparity_table(report: &Report, bits: Bits) -> Table {
    let mut table = Table {
        columns: vec![Column::plain("rule", "Rule", "How the threshold is chosen")],
        of: "point",
        ..Table::default()
    };
    table.columns.extend(stand_columns());
    table.columns.extend([
        Column::measured("disparity", "Disparity", "Largest D − smallest D over trained languages"),
        Column::measured("disparity_corrected", "Corrected", "Disparity less what noise alone adds, 2·θ̂ − mean θ*"),
        Column::measured("risen", "Rise", "Disparity less that of the point of least κ, paired over texts"),
        Column::measured("mean_high", "High", "Mean D of high-resource languages"),
        Column::measured("mean_low", "Low", "Mean D of low-resource languages"),
        Column::measured("protected", "8-bit outliers", "Disparity with 8 bits for outlier layers, where it was tried"),
    ]);
    for &rule in &report.config.rules {
        for (point, outcome) in outcomes(report, Pick { bits, rule }) {
            let cost = &outcome.cost;
            let mut row = vec![Cell::Text(words::rule(rule).into())];
            row.extend(stand_cells(point));
            row.extend([
                Cell::known(cost.disparity),
                Cell::known(cost.disparity_corrected),
                Cell::known(outcome.risen.map(|risen| risen.difference)),
                Cell::known(cost.mean_high),
                Cell::known(cost.mean_low),
                Cell::known(outcome.protected.as_ref().and_then(|protected| protected.cost.disparity)),
            ]);
            table.keys.push(format!("{}-point-{}", words::rule_key(rule), outcome.point));
            table.rows.push(row);
        }
    }
    table
}

/// Every point: how far the tails went, and that full precision kept its bits.
pub fn points_table(report: &Report) -> Table {
    let row = |point: &Point| {
        let outliers = point.kurtosis.iter().filter(|kappa| **kappa > report.config.threshold).count();
        let bits = |of: fn(&Proof) -> u64| point.proof.as_ref().map_or(Cell::Missing, |proof| Cell::Count(of(proof)));
        vec![
            Cell::Text(stand(point)),
            Cell::Number(point.max_kurtosis),
            Cell::Count(outliers as u64),
            bits(|proof| proof.equal),
            bits(|proof| proof.of),
        ]
    };
    let columns = vec![
        Column::plain("stand", "Dial", "What the chosen channels were multiplied by"),
        Column::plain("max_kurtosis", "Max κ", "Largest excess kurtosis of a layer"),
        Column::plain("outliers", "Outlier layers", "Layers whose κ lies above the threshold"),
        Column::plain(
            "bits_equal",
            "Bits equal",
            "Bits of the full-precision losses that equal those of the model as it is",
        ),
        Column::plain("bits_compared", "Bits compared", "64 per text"),
    ];
    Table {
        columns,
        of: "point",
        keys: (0..report.points.len()).map(|at| format!("point-{at}")).collect(),
        apart: Vec::new(),
        rows: report.points.iter().map(row).collect(),
    }
}

/// Every claim under every rounding, claim by claim.
pub fn verdict_table(report: &Report) -> Table {
    let of_claim = |own: Claim| report.verdicts.iter().filter(move |verdict| verdict.claim == own);
    let ruled = Claim::ALL.into_iter().flat_map(of_claim).map(|own| {
        let cells = [Cell::Count(u64::from(own.bits.get())), Cell::Text(words::rule(own.rule).into())];
        Ruled::from(own).with_chance(chance(report, own)).under(Pick { bits: own.bits, rule: own.rule }.key(), cells)
    });
    let under =
        [Column::plain("bits", "Bits", "Bit-width"), Column::plain("rule", "Rule", "How the threshold is chosen")];
    verdicts::table(under, ruled)
}
