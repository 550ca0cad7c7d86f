//! The dial's figures, row by row, and what they say of the claims.

use super::{Pick, Point, Report, chance, outcomes, stand};
use crate::lab::dial::Claim;
use crate::lab::verdicts::{self, Ruled};
use crate::report::{Bits, labels, rows::Rows, table::Table};

/// Where the dial stood: s, whether flattened, and the largest κ.
fn standing<R>(rows: Rows<R>, point: impl Fn(&R) -> &Point) -> Rows<R> {
    rows.column("s", "s", "What the chosen channels were multiplied by", |row| 1u64 << point(row).exponent)
        .column("tails", "Tails", "As the dial left them, or flattened again", |row| match point(row).flattened {
            true => "flattened",
            false => "turned",
        })
        .column("max_kurtosis", "Max κ", "Largest excess kurtosis of a layer", |row| point(row).max_kurtosis)
}

/// Every language at every point under one rounding: what the chart of D(λ) is drawn from.
pub fn degradation_table(report: &Report, pick: Pick) -> Table {
    let languages = report.languages.iter().enumerate();
    let rows = languages.flat_map(|of| outcomes(report, pick).map(move |(point, outcome)| (of, point, outcome)));
    standing(Rows::of_languages(rows, |((_, language), ..)| *language), |(_, point, _)| point)
        .column("degradation", "D", "(PPL after − PPL before) ÷ PPL before", |((at, _), _, outcome)| {
            outcome.cost.degradation[*at]
        })
        .table()
}

/// Every rule at every point at one width: what the chart of disparity is drawn from.
pub fn disparity_table(report: &Report, bits: Bits) -> Table {
    let rows = report.config.rules.iter().flat_map(|&rule| outcomes(report, Pick { bits, rule }));
    let rows = Rows::of("point", rows, |(_, of)| format!("{}-point-{}", labels::rule_key(of.rule), of.point)).column(
        "rule",
        "Rule",
        "How the threshold is chosen",
        |(_, of)| labels::rule(of.rule),
    );
    standing(rows, |(point, _)| point)
        .column("disparity", "Disparity", "Largest D − smallest D over trained languages", |(_, of)| {
            of.cost.disparity
        })
        .column(
            "disparity_corrected",
            "Corrected",
            "Disparity less what noise alone adds, 2·θ̂ − mean θ*",
            |(_, of)| of.cost.disparity_corrected,
        )
        .column("risen", "Rise", "Disparity less that of the point of least κ, paired over texts", |(_, of)| {
            of.risen.map(|risen| risen.difference)
        })
        .column("mean_high", "High", "Mean D of high-resource languages", |(_, of)| of.cost.mean_high)
        .column("mean_low", "Low", "Mean D of low-resource languages", |(_, of)| of.cost.mean_low)
        .column(
            "protected",
            "8-bit outliers",
            "Disparity with 8 bits for outlier layers, where it was tried",
            |(_, of)| of.protected.as_ref()?.cost.disparity,
        )
        .table()
}

/// Every point: how far the tails went, and that full precision kept its bits.
pub fn points_table(report: &Report) -> Table {
    let outliers = |point: &Point| point.kurtosis.iter().filter(|kappa| **kappa > report.config.threshold).count();
    Rows::of("point", report.points.iter().enumerate(), |(at, _)| format!("point-{at}"))
        .column("stand", "Dial", "What the chosen channels were multiplied by", |(_, point)| stand(point))
        .column("max_kurtosis", "Max κ", "Largest excess kurtosis of a layer", |(_, point)| point.max_kurtosis)
        .column("outliers", "Outlier layers", "Layers whose κ lies above the threshold", |(_, point)| outliers(point))
        .column(
            "bits_equal",
            "Bits equal",
            "Bits of the full-precision losses that equal those of the model as it is",
            |(_, point)| point.proof.map(|proof| proof.equal),
        )
        .column("bits_compared", "Bits compared", "64 per text", |(_, point)| point.proof.map(|proof| proof.of))
        .table()
}

/// Every claim under every rounding, claim by claim.
pub fn verdict_table(report: &Report) -> Table {
    let of_claim = |own: Claim| report.verdicts.iter().filter(move |verdict| verdict.claim == own);
    let ruled = Claim::ALL.into_iter().flat_map(of_claim).map(|own| {
        let pick = Pick { bits: own.bits, rule: own.rule };
        (Ruled::from(own).with_chance(chance(report, own)).under(pick.key()), pick)
    });
    verdicts::table(ruled, |claims| {
        claims.column("bits", "Bits", "Bit-width", |(_, pick)| pick.bits).column(
            "rule",
            "Rule",
            "How the threshold is chosen",
            |(_, pick)| labels::rule(pick.rule),
        )
    })
}
