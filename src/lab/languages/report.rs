//! The Languages report: chart, table, key figures, footnotes, exports.

use crate::math::jackknife_t::Scale;
use crate::report::chart::intervals::{IntervalChart, Point, Reference};
use crate::report::scale::{LOGARITHMIC_FROM, Spread};
use crate::report::table::{Cell, Head, Table};
use crate::report::{Interval, Measure, Resource, chance::Chance, format, labels, rows::Rows};

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

/// The figures over all languages, from the most general.
pub fn key_figures(report: &Report, by: Measure) -> [KeyFigure; 5] {
    let over = report.over(by);
    let of = |key, title, explained, value, resource| KeyFigure { key, title, explained, value, resource };
    [
        of("ratio", "Low ÷ high", "mean loss, low-resource ÷ high-resource", over.ratio, None),
        of("spread", "τ", spread_explained(by), over.spread, None),
        of("disparity", "Disparity", "largest loss − smallest", over.disparity, None),
        of("mean_high", "High-resource", "mean loss", over.mean_high, Some(Resource::High)),
        of("mean_low", "Low-resource", "mean loss", over.mean_low, Some(Resource::Low)),
    ]
}

/// What τ is the standard deviation of.
fn spread_explained(by: Measure) -> &'static str {
    match by.spread_scale() {
        Scale::Plain | Scale::Root => "standard deviation between languages, chance taken off",
        Scale::Ratio => "standard deviation of ln(loss) between languages, chance taken off",
        Scale::Growth => "standard deviation of ln(1 + D) between languages, chance taken off",
    }
}

/// Rows as the chart has them: trained languages by loss, largest first, then unseen ones, also by loss.
fn by_loss(report: &Report, by: Measure) -> Vec<&Row> {
    let mut rows: Vec<&Row> = report.rows.iter().collect();
    rows.sort_by(|a, b| {
        let unseen = |row: &Row| row.resource == Resource::Unseen;
        unseen(a).cmp(&unseen(b)).then(b.lost(by).value.total_cmp(&a.lost(by).value))
    });
    rows
}

/// The sorted chart of what each language loses.
pub fn chart(report: &Report, by: Measure) -> IntervalChart {
    let points: Vec<Point> = by_loss(report, by)
        .into_iter()
        .map(|row| Point {
            key: row.code.clone(),
            label: row.name.clone(),
            told: told(row),
            resource: Some(row.resource),
            interval: row.lost(by),
        })
        .collect();
    let over = report.over(by);
    let mean = |resource, interval: Option<Interval>| interval.map(|interval| Reference { resource, interval });
    let far = points.iter().any(|point| point.interval.high > LOGARITHMIC_FROM);
    let spread = if far && by == Measure::Degradation { Spread::Logarithmic } else { Spread::Linear };
    IntervalChart {
        title: title(report, by),
        description: summary(report, by),
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        axis: axis(by, spread),
        spread: Some(spread),
        points,
        references: [mean(Resource::High, over.mean_high), mean(Resource::Low, over.mean_low)]
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
        "{}{own} ({}{seen}): KL {} bits per text, {} per token; flips {}; D {}; Δ bits per byte {}",
        row.name,
        labels::resource_long(row.resource),
        format::interval(&row.kl_per_text),
        format::interval(&row.kl_per_token),
        format::interval(&row.flips),
        format::interval(&row.degradation),
        format::interval(&row.delta_bits_per_byte),
    )
}

/// The axis in words.
fn axis(by: Measure, spread: Spread) -> String {
    match spread {
        Spread::Linear => by.axis().into(),
        Spread::Logarithmic => "D, logarithmic in 1 + D = PPL quantized ÷ PPL full".into(),
    }
}

/// One line that names what was measured.
pub fn title(report: &Report, by: Measure) -> String {
    format!(
        "Loss of {} at {} bits by {}, {}, one grid per {}",
        report.origin.model,
        report.config.quantizer.bits.get(),
        by.title(),
        labels::rule(report.config.quantizer.rule),
        labels::granularity(report.config.quantizer.granularity)
    )
}

/// The chart in words, for those who do not see it.
pub fn summary(report: &Report, by: Measure) -> String {
    let rows: Vec<String> = by_loss(report, by)
        .into_iter()
        .map(|row| format!("{} ({}) {}", row.name, labels::resource(row.resource), format::interval(&row.lost(by))))
        .collect();
    format!("{}. Largest loss first: {}. {}", title(report, by), rows.join("; "), sentence::of(report, by))
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
        .column(SORTED_BY, "KL/text", "Bits lost on a text that every language has", |row| row.kl_per_text)
        .column("kl_per_token", "KL/token", "Bits lost per token", |row| row.kl_per_token)
        .column("kl_per_byte", "KL/byte", "Bits lost per UTF-8 byte", |row| row.kl_per_byte)
        .column("flips", "Flips", "Share of tokens whose most likely successor is another", |row| row.flips)
        .column("perplexity_full", "PPL before", "Perplexity per token, full precision", |row| row.perplexity_full)
        .column("perplexity_quantized", "PPL after", "Perplexity per token, quantized", |row| row.perplexity_quantized)
        .column("degradation", "D", "(PPL after − PPL before) ÷ PPL before", |row| row.degradation)
        .column("delta_bits_per_byte", "Δ bits/byte", "Bits per UTF-8 byte, after − before", |row| {
            row.delta_bits_per_byte
        })
        .column("bits_per_byte_full", "Bits/byte before", "Bits per UTF-8 byte, full precision", |row| {
            row.bits_per_byte_full
        })
        .table()
}

/// Key of the table's column that the page sorts by at first.
pub const SORTED_BY: &str = "kl_per_text";

/// How the probability of the right token changes, the rows in the order of the config.
pub fn shifts_table(report: &Report) -> Table {
    let [p1, p5, p50, p95, p99] = [0, 1, 2, 3, 4];
    let of = |at: usize| move |row: &&Row| row.shift.percentiles[at];
    Rows::named(&report.rows, |row| *row)
        .column("shift", "Mean Δp", "Mean change of the right token's probability", |row| row.shift.mean)
        .column("shift_rms", "RMS Δp", "Root mean square of it", |row| row.shift.rms)
        .column("shift_1", "1%", "One token in 100 loses more", of(p1))
        .column("shift_5", "5%", "Five tokens in 100 lose more", of(p5))
        .column("shift_50", "50%", "The middle", of(p50))
        .column("shift_95", "95%", "Five tokens in 100 gain more", of(p95))
        .column("shift_99", "99%", "One token in 100 gains more", of(p99))
        .table()
}

/// Every measure over all languages.
pub fn measures_table(report: &Report) -> Table {
    Rows::of("measure", &report.over_all, |over| over.measure.key())
        .column("loss_by", "Loss by", "Ways to say what a language loses", |over| over.measure.title())
        .column("ratio", "Low ÷ high", "Mean loss, low-resource ÷ high-resource", |over| over.ratio)
        .column("mean_low", "Low", "Mean over low-resource languages", |over| over.mean_low)
        .column("mean_high", "High", "Mean over high-resource languages", |over| over.mean_high)
        .column(
            "spread",
            "τ",
            "Standard deviation between languages (of KL: of its logarithm), chance taken off",
            |over| over.spread,
        )
        .column("disparity", "Disparity", "Largest − smallest", |over| over.disparity)
        .column("equal", "p equal", "How often equal languages would lie as far apart", |over| {
            over.equal.map(|p| Chance::new(p, report.config.draws.resamples))
        })
        .table()
}

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
            "Brackets are 95% intervals: each {unit} is left out once, and Student's t with {} degrees of freedom (the jackknife), n = {} per \
             language; they hold from two {unit}s on. Those of the disparity hold together for all languages. p equal: {}, \
             seed {}.",
            config.texts.units.saturating_sub(1),
            format::counted(config.texts.units as u64, unit),
            format::counted(config.draws.resamples as u64, "resample"),
            config.draws.seed,
        ),
        "KL is how many bits a reader loses who trusts the rounded model in place of full precision. Every language has the \
         same texts, so KL per text compares what is lost on the same content; per token it depends on how the tokenizer \
         cuts a language, per byte on its script. D counts what happens to be guessed better as a gain."
            .into(),
        "Quantized: the weight matrices of the blocks. Embeddings, output head and norms stay f32.".into(),
        crate::lab::provenance(&report.origin),
        "Perplexities of different languages are not comparable, because the tokenizer cuts each differently. D compares \
         a language with itself, and bits per byte do not depend on the tokenizer."
            .into(),
    ];
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
    use crate::lab::languages::{Config, OverAll, Report, Row, Shift};
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
            kl_per_text: interval(200.0, 160.0, 245.0).times(degradation.value),
            kl_per_token: interval(2.0, 1.6, 2.4).times(degradation.value),
            kl_per_byte: interval(0.7, 0.6, 0.8).times(degradation.value),
            flips: interval(1.0, 0.9, 1.1).times(degradation.value),
            shift: Shift {
                mean: interval(-0.01, -0.02, 0.0),
                rms: interval(0.05, 0.04, 0.06),
                percentiles: [-0.2, -0.1, 0.0, 0.05, 0.1].map(|at| interval(at, at - 0.01, at + 0.01)),
            },
        }
    }

    trait Times {
        fn times(self, by: f64) -> Interval;
    }

    impl Times for Interval {
        fn times(self, by: f64) -> Interval {
            interval(self.value * by, self.low * by, self.high * by)
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
            over_all: Measure::ALL
                .map(|measure| OverAll {
                    measure,
                    disparity: Some(interval(0.12, 0.07, 0.18)),
                    spread: Some(interval(0.08, 0.05, 0.13)),
                    equal: Some(0.004),
                    ratio: Some(interval(3.0, 2.0, 4.4)),
                    mean_high: Some(interval(0.06, 0.04, 0.08)),
                    mean_low: Some(interval(0.18, 0.12, 0.25)),
                })
                .into(),
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

    #[test]
    fn the_chart_puts_unseen_languages_apart() {
        let keys: Vec<String> =
            chart(&report(), Measure::Degradation).points.into_iter().map(|point| point.key).collect();
        assert_eq!(keys, ["kor", "eng", "tha"]);
    }

    #[test]
    fn the_axis_is_called_what_the_scale_is() {
        let mut report = report();
        let drawn = |report: &Report| {
            let chart = chart(report, Measure::Degradation);
            let spread = chart.scale(0.0, 600.0).spread;
            assert_eq!(chart.axis, axis(Measure::Degradation, spread));
            spread
        };
        assert_eq!(drawn(&report), Spread::Logarithmic);
        report.rows.pop();
        assert_eq!(drawn(&report), Spread::Linear);
        assert_eq!(chart(&report, Measure::Text).scale(0.0, 600.0).spread, Spread::Linear, "bits are bits");
    }

    #[test]
    fn csv_has_every_figure_with_its_ends() {
        let csv = table(&report()).csv();
        assert!(
            csv.starts_with("language,name,resource,bytes_seen,units,kl_per_text,kl_per_text_low,kl_per_text_high,")
        );
        assert!(
            csv.contains("kor,Korean,low,300000,8,36,")
                && csv.contains(",30,25,36,34,28,41,0.18,0.12,0.25,0.05,0.03,0.07,2.1,1.9,2.3\r\n")
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
        assert!(
            notes[0].contains("Student's t with 7 degrees of freedom (the jackknife), n = 8 articles"),
            "{}",
            notes[0]
        );
        assert!(notes.last().unwrap().starts_with("Unseen languages"));
        assert!(
            summary(&report, Measure::Degradation)
                .contains("Largest loss first: Korean (low) 0.18 [0.12, 0.25]; English (high)")
        );
    }
}
