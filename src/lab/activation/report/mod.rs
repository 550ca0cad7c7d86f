//! The Activation report: who uses which layers, and whether that goes with the loss.

use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::table::Table;
use crate::report::{chance::Chance, format, labels, rows::Rows};

mod pairs;

use super::{Pair, Report, Row};
pub use pairs::{claim, correlation_sentence, correlations_table, pair_key, pair_title, scatter, scatter_table};

/// What a cell of the map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    /// ā_l, the share of a language's activation.
    Share,
    /// a_l, the mean norm itself.
    Norm,
}

impl Shade {
    /// Both.
    pub const ALL: [Shade; 2] = [Shade::Share, Shade::Norm];

    /// On the page and in files.
    pub fn key(self) -> &'static str {
        match self {
            Shade::Share => "share",
            Shade::Norm => "norm",
        }
    }

    /// In a list of choices.
    pub fn title(self) -> &'static str {
        match self {
            Shade::Share => "share of the language's activation, ā",
            Shade::Norm => "mean norm of the hidden states, a",
        }
    }

    fn of(self, row: &Row) -> &[f64] {
        match self {
            Shade::Share => &row.shares,
            Shade::Norm => &row.norms,
        }
    }
}

/// Language × layer.
pub fn heat(report: &Report, shade: Shade) -> HeatMap {
    let cell = |row: &Row, layer: usize| HeatCell {
        value: Some(shade.of(row)[layer]),
        shown: format::figure(shade.of(row)[layer]),
        told: format!(
            "{}, layer {}: mean norm a = {}, share ā = {}; the layer's κ is {}",
            row.language.name,
            report.origin.layer(layer),
            format::figure(row.norms[layer]),
            format::percent(row.shares[layer]),
            format::figure(report.layers[layer].kurtosis)
        ),
        flagged: report.layers[layer].outlier,
    };
    let title = format!("Who uses which layers of {}: {}", report.origin.model, shade.title());
    HeatMap {
        description: format!("{title}. {}", sentence(report)),
        title,
        unit: match shade {
            Shade::Share => "share ā of the activation".into(),
            Shade::Norm => "mean norm a".into(),
        },
        across: "layer".into(),
        columns: (0..report.layers.len()).map(|layer| report.origin.layer(layer)).collect(),
        rows: report
            .rows
            .iter()
            .map(|row| HeatRow {
                key: row.language.code.clone(),
                label: row.language.name.clone(),
                cells: (0..report.layers.len()).map(|layer| cell(row, layer)).collect(),
            })
            .collect(),
        flag: report
            .layers
            .iter()
            .any(|layer| layer.outlier)
            .then(|| format!("outlier layer, κ above {}", format::figure(report.config.threshold))),
    }
}

/// Every language and layer: what the map is drawn from.
pub fn heat_table(report: &Report) -> Table {
    let pairs = report.rows.iter().flat_map(|row| (0..report.layers.len()).map(move |layer| (row, layer)));
    Rows::named(pairs, |(row, _)| &row.language)
        .column("layer", "Layer", "Block", |(_, layer)| *layer)
        .column("norm", "a", "Mean norm of the hidden states after the layer", |(row, layer)| row.norms[*layer])
        .column("share", "ā", "The same over the sum of all layers", |(row, layer)| row.shares[*layer])
        .table()
}

/// One row per language.
pub fn languages_table(report: &Report) -> Table {
    Rows::of_languages(&report.rows, |row| &row.language)
        .column("tokens_seen", "Tokens seen", "Of this language in the training text", |row| row.language.tokens_seen)
        .column("kurtosis", "κ_eff", "Mean of the layers' κ, each by its share of the activation", |row| row.kurtosis)
        .column("reliance", "R̂", "Share of the activation in outlier layers", |row| row.reliance)
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |row| row.degradation)
        .table()
}

/// One row per layer.
pub fn layers_table(report: &Report) -> Table {
    let chance = |p: f64| Chance::new(p, report.config.permutations);
    Rows::of("layer", report.layers.iter().enumerate(), |(number, _)| *number)
        .column("number", "Layer", "Block", |(number, _)| *number)
        .column("kurtosis", "κ", "Excess kurtosis of its matrices as if they were one", |(_, layer)| layer.kurtosis)
        .column("outlier", "Outlier", "Whether κ lies above the threshold", |(_, layer)| layer.outlier)
        .column("norm_variance", "Var a", "Variance of the mean norm over seen languages", |(_, layer)| {
            layer.norm_variance
        })
        .column("share_variance", "Var ā", "Variance of the share over seen languages", |(_, layer)| {
            layer.share_variance
        })
        .column("r", "r(ā, D)", "Pearson's r of the share and the loss over seen languages", |(_, layer)| {
            layer.with_loss.map(|of| of.pearson)
        })
        .column(
            "p",
            "p",
            "Permutation p of r, two-sided; of as many layers, some will be small by chance",
            |(_, layer)| layer.with_loss.map(|of| chance(of.pearson_p)),
        )
        .table()
}

/// What was found, in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let by = |a: &&Row, b: &&Row| a.kurtosis.value.total_cmp(&b.kurtosis.value);
    let seen = || report.rows.iter().filter(|row| row.language.counts());
    let (Some(least), Some(most)) = (seen().min_by(by), seen().max_by(by)) else {
        return "None of these languages was seen in training.".into();
    };
    let apart = most.kurtosis.low > least.kurtosis.high;
    let spread = format!(
        "κ_eff runs from {} ({}) to {} ({}){}",
        format::interval(&least.kurtosis),
        least.language.name,
        format::interval(&most.kurtosis),
        most.language.name,
        if apart { "" } else { ", which their intervals do not tell apart" }
    );
    format!("{spread}. {}", correlation_sentence(report, Pair::KurtosisLoss))
}

/// Document 002's and document 004's bounds with what was measured; none for fewer than two seen languages.
pub fn bounds(report: &Report) -> Option<String> {
    let spread = report.spread?;
    let most = report.layers.iter().map(|layer| layer.share_variance).fold(0.0, f64::max);
    let product = report
        .product
        .map_or_else(String::new, |product| format!(" K4's |r|·range R̂·range κ is {}.", format::small(product)));
    Some(format!(
        "Disparity is {} and √Var of κ_eff {}: K3 (disparity ≤ C·√Var) holds from C = {} on; document 002 puts C near 0.009.{product} \
         The largest Var of ā over languages is {}; condition C2 asks for more than 0.001.",
        format::interval(&spread.disparity),
        format::small(spread.deviation.value),
        format::interval(&spread.constant),
        format::small(most)
    ))
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    vec![
        format!(
            "D at {} bits, {}, one grid per {}; {} of each language from {}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus
        ),
        format!(
            "Intervals of κ_eff, R̂ and D: 95%, paired BCa bootstrap over texts. Intervals of r and ρ: over languages. {} \
             resamples, {} shuffles behind each p, seed {}.",
            format::count(config.draws.resamples as u64),
            format::count(config.permutations as u64),
            config.draws.seed
        ),
        "a is the mean Euclidean norm of the hidden states after a layer, over all scored tokens of a language; variances \
         over languages are of the population. Unseen languages are left out of every r."
            .into(),
        crate::lab::provenance(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-activation-{}bit", report.origin.model, report.config.quantizer.bits.get()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::activation::{Config, Layer, Spread};
    use crate::lab::degradation::Language;
    use crate::lab::rounding::Rounding;
    use crate::lab::settings::{Resampling, Texts};
    use crate::math::correlation::Correlation;
    use crate::report::chart::{Drawing, Ground};
    use crate::report::table::Cell;
    use crate::report::{Bits, Granularity, Interval, Resource, Rule};

    fn interval(value: f64, half: f64) -> Interval {
        Interval { value, low: value - half, high: value + half }
    }

    fn report(r: Interval) -> Report {
        let row = |code: &str, resource, kurtosis: f64| Row {
            language: Language {
                code: code.into(),
                name: code.to_uppercase(),
                endonym: code.into(),
                direction: "ltr".into(),
                resource,
                tokens_seen: Some(100),
            },
            norms: vec![1.0, 3.0],
            shares: vec![0.25, 0.75],
            kurtosis: interval(kurtosis, 0.1),
            reliance: interval(0.75, 0.01),
            degradation: interval(0.2 * kurtosis, 0.05),
        };
        let found = Correlation { n: 2, pearson: r, pearson_p: 0.04, spearman: r, spearman_p: 0.05 };
        let layer = |kurtosis: f64| Layer {
            kurtosis,
            outlier: kurtosis > 5.0,
            norm_variance: 0.1,
            share_variance: 0.002,
            with_loss: None,
        };
        Report {
            config: Config {
                texts: Texts {
                    corpus: "udhr".into(),
                    languages: vec!["eng".into(), "kor".into(), "xxx".into()],
                    units: 3,
                },
                quantizer: Rounding {
                    bits: Bits::new(3).unwrap(),
                    rule: Rule::Absmax,
                    granularity: Granularity::Tensor,
                },
                draws: Resampling { resamples: 100, seed: 1 },
                threshold: 5.0,
                permutations: 100,
            },
            origin: crate::lab::provenance::tests::origin("m"),
            layers: vec![layer(1.0), layer(9.0)],
            rows: vec![
                row("eng", Resource::High, 1.0),
                row("kor", Resource::Low, 2.0),
                row("xxx", Resource::Unseen, 9.0),
            ],
            correlations: vec![None, Some(found), Some(found), None],
            spread: Some(Spread {
                disparity: interval(0.2, 0.1),
                deviation: interval(0.5, 0.1),
                constant: interval(0.4, 0.1),
                range: interval(0.0, 0.0),
            }),
            product: None,
        }
    }

    #[test]
    fn r_is_told_from_zero_only_where_its_interval_is() {
        let told = |r| correlation_sentence(&report(r), Pair::KurtosisLoss);
        assert!(told(interval(0.6, 0.3)).contains("above 0"));
        assert!(told(interval(-0.6, 0.3)).contains("below 0"));
        assert!(told(interval(0.2, 0.3)).contains("not to be told from 0"));
        assert!(correlation_sentence(&report(interval(0.0, 0.1)), Pair::RelianceLoss).starts_with("There is no r of"));
    }

    /// Law: a p that no shuffle reached is told as a bound, in sentences and in cells, and is a number in files.
    #[test]
    fn a_p_that_no_shuffle_reached_is_a_bound() {
        let mut report = report(interval(0.6, 0.3));
        let least = 1.0 / 101.0;
        let found = report.correlations[1].as_mut().expect("an r");
        found.pearson_p = least;
        report.layers[1].with_loss = Some(*found);
        let told = correlation_sentence(&report, Pair::KurtosisLoss);
        assert!(told.contains("(permutation p < 1/100), above 0") && told.contains("(p = 0.0500)"), "{told}");
        let table = correlations_table(&report);
        let Cell::Chance(shown) = table.cell(1, "pearson_p") else { panic!("a p") };
        assert_eq!(shown.figure(), "< 1/100");
        assert!(layers_table(&report).csv().contains(&format!(",{least}\r\n")));
    }

    #[test]
    fn unseen_languages_are_on_the_map_and_in_no_scatter() {
        let report = report(interval(0.6, 0.3));
        assert_eq!(heat(&report, Shade::Share).draw(700.0, Ground::Page).marks.len(), 3 * 2);
        assert_eq!(scatter(&report, Pair::KurtosisLoss).unwrap().points.len(), 2);
        assert_eq!(scatter_table(&report, Pair::TokensReliance).cell(0, "x"), &Cell::Number(2.0));
        assert_eq!(languages_table(&report).apart, [false, false, true]);
        assert!(heat(&report, Shade::Norm).flag.unwrap().contains("κ above 5"));
    }

    #[test]
    fn bounds_are_told_with_their_figures() {
        let told = bounds(&report(interval(0.6, 0.3))).unwrap();
        assert!(told.contains("holds from C = 0.4") && told.contains("C2 asks for more than 0.001"), "{told}");
        assert!(!told.contains("K4"), "without an r of R̂ there is no product");
    }
}
