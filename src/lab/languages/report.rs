//! The Languages report: chart, table, key figures, footnotes, exports.

use crate::report::chart::intervals::{IntervalChart, Point, Reference};
use crate::report::scale::{LOGARITHMIC_FROM, Spread};
use crate::report::table::{Cell, Head, Table};
use crate::report::{Interval, Resource, coverage, format, labels, rows::Rows};

use super::sentence;

use super::{Report, Row};

/// A figure for the top of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyFigure {
    /// Name in the page's `data-figure`.
    pub key: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it means.
    pub explained: &'static str,
    /// None where the languages chosen do not give it.
    pub value: Option<Interval>,
    /// Whose colour it bears.
    pub resource: Option<Resource>,
}

/// The figures of disparity, from the most general.
pub fn key_figures(report: &Report) -> [KeyFigure; 4] {
    [
        KeyFigure {
            key: "ratio",
            title: "Low ÷ high",
            explained: "mean D, low-resource ÷ high-resource",
            value: report.ratio,
            resource: None,
        },
        KeyFigure {
            key: "disparity",
            title: "Disparity",
            explained: "largest D − smallest D",
            value: report.disparity,
            resource: None,
        },
        KeyFigure {
            key: "mean_high",
            title: "High-resource",
            explained: "mean D",
            value: report.mean_high,
            resource: Some(Resource::High),
        },
        KeyFigure {
            key: "mean_low",
            title: "Low-resource",
            explained: "mean D",
            value: report.mean_low,
            resource: Some(Resource::Low),
        },
    ]
}

/// Rows as the chart has them: trained languages by loss, largest first, then unseen ones, also by loss.
fn by_loss(report: &Report) -> Vec<&Row> {
    let mut rows: Vec<&Row> = report.rows.iter().collect();
    rows.sort_by(|a, b| {
        let unseen = |row: &Row| row.resource == Resource::Unseen;
        unseen(a).cmp(&unseen(b)).then(b.degradation.value.total_cmp(&a.degradation.value))
    });
    rows
}

/// The sorted chart of D(λ).
pub fn chart(report: &Report) -> IntervalChart {
    let points: Vec<Point> = by_loss(report)
        .into_iter()
        .map(|row| Point {
            key: row.code.clone(),
            label: row.name.clone(),
            told: told(row),
            resource: Some(row.resource),
            interval: row.degradation,
        })
        .collect();
    let mean = |resource, interval: Option<Interval>| interval.map(|interval| Reference { resource, interval });
    let logarithmic = points.iter().any(|point| point.interval.high > LOGARITHMIC_FROM);
    IntervalChart {
        title: title(report),
        description: summary(report),
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        axis: axis(if logarithmic { Spread::Logarithmic } else { Spread::Linear }).into(),
        points,
        references: [mean(Resource::High, report.mean_high), mean(Resource::Low, report.mean_low)]
            .into_iter()
            .flatten()
            .collect(),
    }
}

/// A row's figures as a line.
fn told(row: &Row) -> String {
    let own = if row.endonym == row.name { String::new() } else { format!(" {}", row.endonym) };
    let seen =
        row.bytes_seen.filter(|seen| *seen > 0).map_or(String::new(), |seen| format!(", {} seen", format::bytes(seen)));
    format!(
        "{}{own} ({}{seen}): D {}; perplexity {} → {}; Δ bits per byte {}",
        row.name,
        labels::resource_long(row.resource),
        format::interval(&row.degradation),
        format::figure(row.perplexity_full.value),
        format::figure(row.perplexity_quantized.value),
        format::interval(&row.delta_bits_per_byte),
    )
}

/// The axis in words.
fn axis(spread: Spread) -> &'static str {
    match spread {
        Spread::Linear => "D = (PPL quantized − PPL full) ÷ PPL full",
        Spread::Logarithmic => "D, logarithmic in 1 + D = PPL quantized ÷ PPL full",
    }
}

/// One line that names what was measured.
pub fn title(report: &Report) -> String {
    format!(
        "Loss D(λ) of {} at {} bits, {}, one grid per {}",
        report.origin.model,
        report.config.quantizer.bits.get(),
        labels::rule(report.config.quantizer.rule),
        labels::granularity(report.config.quantizer.granularity)
    )
}

/// The chart in words, for those who do not see it.
pub fn summary(report: &Report) -> String {
    let rows: Vec<String> = by_loss(report)
        .into_iter()
        .map(|row| format!("{} ({}) {}", row.name, labels::resource(row.resource), format::interval(&row.degradation)))
        .collect();
    format!("{}. Largest loss first: {}. {}", title(report), rows.join("; "), sentence::of(report))
}

impl From<&Row> for Head {
    fn from(row: &Row) -> Head {
        let Row { code, name, endonym, direction, resource: level, .. } = row.clone();
        Head { code, name, endonym, direction, level }
    }
}

/// The table, rows in the order of the config.
pub fn table(report: &Report) -> Table {
    Rows::of_languages(&report.rows, |row| *row)
        .column("bytes_seen", "Seen", "Bytes of this language in the training text", |row| {
            row.bytes_seen.map(Cell::Bytes)
        })
        .column("units", "n", "Texts measured", |row| row.units)
        .column("perplexity_full", "PPL before", "Perplexity per token, full precision", |row| row.perplexity_full)
        .column("perplexity_quantized", "PPL after", "Perplexity per token, quantized", |row| row.perplexity_quantized)
        .column(SORTED_BY, "D", "(PPL after − PPL before) ÷ PPL before", |row| row.degradation)
        .column("delta_bits_per_byte", "Δ bits/byte", "Bits per UTF-8 byte, after − before", |row| {
            row.delta_bits_per_byte
        })
        .column("bits_per_byte_full", "Bits/byte before", "Bits per UTF-8 byte, full precision", |row| {
            row.bits_per_byte_full
        })
        .table()
}

/// Key of the table's column that the page sorts by at first.
pub const SORTED_BY: &str = "degradation";

/// Weights before and after: `3.2 MB → 0.6 MB`, `5.3 times smaller`.
pub fn size(report: &Report) -> (String, String) {
    let sizes = format!("{} → {}", format::bytes(report.bytes_full), format::bytes(report.bytes_quantized));
    let times = report.bytes_full as f64 / report.bytes_quantized.max(1) as f64;
    (sizes, format!("{} times smaller", format::fixed(times, 1)))
}

/// How the figures came about, one sentence each.
pub fn footnotes(report: &Report, unit: &str) -> Vec<String> {
    let config = &report.config;
    let mut notes = vec![
        format!(
            "Brackets are 95% intervals: paired BCa bootstrap over {unit}s, {}, seed {}, n = {} per language.",
            format::counted(config.draws.resamples as u64, "resample"),
            config.draws.seed,
            format::counted(config.texts.units as u64, unit)
        ),
        "Quantized: the weight matrices of the blocks. Embeddings, output head and norms stay f32.".into(),
        crate::lab::provenance(&report.origin),
        "Perplexities of different languages are not comparable, because the tokenizer cuts each differently. D compares \
         a language with itself, and bits per byte do not depend on the tokenizer."
            .into(),
    ];
    if let Some(note) = coverage::note(config.texts.units, unit) {
        notes.insert(1, note);
    }
    if report.rows.iter().any(|row| row.resource == Resource::Unseen) {
        notes.push(
            "Unseen languages were not in the training text; their D is noise and stays out of the disparity figures."
                .into(),
        );
    }
    notes
}

/// The report as JSON, indented, with the name of its analysis.
pub fn json(report: &Report) -> String {
    crate::lab::json(&report.clone().into())
}

/// `fairbits-m12-udhr-3bit`: how exported files begin.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!(
        "{}-{}-{}bit",
        report.origin.model,
        report.config.texts.corpus,
        report.config.quantizer.bits.get()
    ))
}

/// A small report for the tests of this layer.
#[cfg(test)]
pub mod sample {
    use crate::lab::languages::{Config, Report, Row};
    use crate::lab::rounding::Rounding;
    use crate::lab::settings::{Resampling, Texts};
    use crate::report::*;

    /// Shorter than the struct.
    pub fn interval(value: f64, low: f64, high: f64) -> Interval {
        Interval { value, low, high }
    }

    fn row(code: &str, name: &str, resource: Resource, bytes_seen: u64, degradation: Interval) -> Row {
        Row {
            code: code.into(),
            name: name.into(),
            endonym: name.into(),
            direction: "ltr".into(),
            resource,
            bytes_seen: Some(bytes_seen),
            units: 8,
            bytes: 2000,
            tokens: 600,
            perplexity_full: interval(30.0, 25.0, 36.0),
            perplexity_quantized: interval(34.0, 28.0, 41.0),
            degradation,
            bits_per_byte_full: interval(2.1, 1.9, 2.3),
            delta_bits_per_byte: interval(0.05, 0.03, 0.07),
        }
    }

    /// English high, Korean low, Thai unseen.
    pub fn report() -> Report {
        Report {
            config: Config {
                texts: Texts {
                    corpus: "udhr".into(),
                    languages: vec!["eng".into(), "kor".into(), "tha".into()],
                    units: 8,
                },
                quantizer: Rounding {
                    bits: Bits::new(3).expect("3 is a bit-width"),
                    rule: Rule::Absmax,
                    granularity: Granularity::Tensor,
                },
                draws: Resampling { resamples: 2000, seed: 1 },
            },
            origin: crate::lab::provenance::tests::origin("m12"),
            rows: vec![
                row("eng", "English", Resource::High, 4_000_000, interval(0.06, 0.04, 0.08)),
                row("kor", "Korean", Resource::Low, 300_000, interval(0.18, 0.12, 0.25)),
                row("tha", "Thai", Resource::Unseen, 0, interval(0.9, 0.2, 2.5)),
            ],
            disparity: Some(interval(0.12, 0.07, 0.18)),
            ratio: Some(interval(3.0, 2.0, 4.4)),
            mean_high: Some(interval(0.06, 0.04, 0.08)),
            mean_low: Some(interval(0.18, 0.12, 0.25)),
            bytes_full: 12_800_000,
            bytes_quantized: 3_200_000,
            tensors: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample::report;
    use super::*;
    use crate::lab::settings::Texts;

    #[test]
    fn the_chart_puts_unseen_languages_apart() {
        let keys: Vec<String> = chart(&report()).points.into_iter().map(|point| point.key).collect();
        assert_eq!(keys, ["kor", "eng", "tha"]);
    }

    #[test]
    fn the_axis_is_called_what_the_scale_is() {
        let mut report = report();
        let drawn = |report: &Report| {
            let chart = chart(report);
            let spread = chart.scale(0.0, 600.0).spread;
            assert_eq!(chart.axis, axis(spread));
            spread
        };
        assert_eq!(drawn(&report), Spread::Logarithmic);
        report.rows.pop();
        assert_eq!(drawn(&report), Spread::Linear);
    }

    #[test]
    fn csv_has_every_figure_with_its_ends() {
        let csv = table(&report()).csv();
        assert!(csv.starts_with("language,name,resource,bytes_seen,units,perplexity_full,perplexity_full_low,"));
        assert!(
            csv.contains("kor,Korean,low,300000,8,30,25,36,34,28,41,0.18,0.12,0.25,0.05,0.03,0.07,2.1,1.9,2.3\r\n")
        );
    }

    #[test]
    fn json_reads_back_to_the_same_report() {
        assert_eq!(serde_json::from_str::<Report>(&json(&report())).unwrap(), report());
    }

    #[test]
    fn words_around_the_figures() {
        let report = report();
        assert_eq!(size(&report), ("12.8 MB → 3.2 MB".into(), "4.0 times smaller".into()));
        assert_eq!(file_stem(&report), "fairbits-m12-udhr-3bit");
        let notes = footnotes(&report, "article");
        assert!(notes[0].contains("paired BCa bootstrap over articles, 2,000 resamples, seed 1, n = 8 articles"));
        assert!(
            notes[1].starts_with("Bootstrap intervals from few texts are too narrow")
                && notes[1].contains("more articles")
        );
        assert!(notes.last().unwrap().starts_with("Unseen languages"));
        let many = crate::lab::languages::Config {
            texts: Texts { units: 30, ..report.config.clone().texts },
            ..report.config.clone()
        };
        assert!(!footnotes(&Report { config: many, ..report.clone() }, "article")[1].contains("too narrow"));
        assert!(summary(&report).contains("Largest loss first: Korean (low) 0.18 [0.12, 0.25]; English (high)"));
    }
}
