//! The Mitigation report: what each way of rounding costs whom, and what it saves.

use crate::report::chart::heat::{HeatCell, HeatMap, HeatRow};
use crate::report::chart::intervals::{IntervalChart, Point};
use crate::report::{Interval, format, rows::Rows, table::Table};

mod names;

use super::{Method, Report, Row};
pub use names::{explained, method, method_key, short};

/// Disparity of every method, in the order of the table.
pub fn chart(report: &Report) -> Option<IntervalChart> {
    let point = |row: &Row| {
        Some(Point {
            key: method_key(row.method).into(),
            label: short(row.method).into(),
            told: told(report, row),
            resource: None,
            interval: row.cost.disparity?,
        })
    };
    let points: Vec<Point> = report.rows.iter().filter_map(point).collect();
    let title = format!("Disparity of {} at {} bits, by method", report.origin.model, report.config.bits.get());
    (!points.is_empty()).then(|| IntervalChart {
        description: format!("{title}. {}", sentence(report)),
        title,
        decimals: format::common_decimals(points.iter().map(|point| &point.interval)),
        axis: "disparity: largest D − smallest D over seen languages".into(),
        points,
        references: Vec::new(),
        spread: None,
    })
}

fn told(report: &Report, row: &Row) -> String {
    let known = |of: Option<Interval>| of.map_or("not known".into(), |of| format::interval(&of));
    format!(
        "{}: disparity {}; mean D of low-resource languages {}, of high-resource {}; {} of {}",
        method(row.method),
        known(row.cost.disparity),
        known(row.cost.mean_low),
        known(row.cost.mean_high),
        format::bytes(row.bytes),
        format::bytes(report.bytes_full)
    )
}

/// One row per method.
pub fn table(report: &Report) -> Table {
    Rows::of("method", &report.rows, |row| method_key(row.method))
        .column("name", "Method", "How the blocks are rounded", |row| method(row.method))
        .column("disparity", "Disparity", "Largest D − smallest D over seen languages", |row| row.cost.disparity)
        .column("change", "Against absmax", "Disparity less that of absmax, paired over texts", |row| {
            row.change.map(|change| change.difference)
        })
        .column("mean_high", "D high", "Mean D of high-resource languages", |row| row.cost.mean_high)
        .column("mean_low", "D low", "Mean D of low-resource languages", |row| row.cost.mean_low)
        .column("ratio", "Low ÷ high", "Mean D of low-resource languages over that of high-resource ones", |row| {
            row.cost.ratio
        })
        .column("bytes", "Bytes", "Memory of the weights in use, scales included", |row| row.bytes)
        .column(
            "score",
            "FES",
            "√(efficiency × fairness): (1 − bytes ÷ f32 bytes) and 1 ÷ (1 + disparity)",
            |row| row.score,
        )
        .table()
}

/// Method × language: D(λ).
pub fn heat(report: &Report) -> HeatMap {
    let cell = |row: &Row, language: usize| {
        let (of, name) = (&row.cost.degradation[language], &report.languages[language].name);
        HeatCell {
            value: Some(of.value),
            shown: format::fixed(of.value, 2),
            told: format!("{}, {name}: D {}", method(row.method), format::interval(of)),
            flagged: false,
        }
    };
    let title = format!("Loss D(λ) of {} at {} bits, by method", report.origin.model, report.config.bits.get());
    HeatMap {
        description: format!("{title}. {}", sentence(report)),
        title,
        unit: "D".into(),
        across: "language".into(),
        columns: report.languages.iter().map(|language| language.code.clone()).collect(),
        rows: report
            .rows
            .iter()
            .map(|row| HeatRow {
                key: method_key(row.method).into(),
                label: short(row.method).into(),
                cells: (0..report.languages.len()).map(|language| cell(row, language)).collect(),
            })
            .collect(),
        flag: None,
    }
}

/// What the map is drawn from.
pub fn heat_table(report: &Report) -> Table {
    let pairs =
        report.rows.iter().flat_map(|row| row.cost.degradation.iter().zip(&report.languages).map(move |p| (row, p)));
    Rows::of("method", pairs, |(row, _)| method_key(row.method))
        .column("name", "Method", "How the blocks are rounded", |(row, _)| method(row.method))
        .column("language", "Language", "English name", |(_, (_, language))| language.name.clone())
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |(_, (loss, _))| **loss)
        .table()
}

/// Texts of each language by what they were taken for; none where no language was guessed.
pub fn confusion(report: &Report) -> Option<HeatMap> {
    let confusion = report.confusion.as_ref()?;
    let (right, all) = confusion.right();
    let cell = |own: usize, guess: usize| HeatCell {
        value: Some(f64::from(confusion.guesses[own][guess])),
        shown: confusion.guesses[own][guess].to_string(),
        told: format!(
            "{} of {} taken for {}",
            format::counted(u64::from(confusion.guesses[own][guess]), "text"),
            report.languages[own].name,
            report.languages[guess].name
        ),
        flagged: own == guess,
    };
    let title = format!("Which language each text was taken for: {right} of {all} rightly");
    let codes: Vec<String> = report.languages.iter().map(|language| language.code.clone()).collect();
    Some(HeatMap {
        description: format!("{title}."),
        title,
        unit: "texts".into(),
        across: "taken for".into(),
        rows: report
            .languages
            .iter()
            .enumerate()
            .map(|(own, language)| HeatRow {
                key: language.code.clone(),
                label: language.name.clone(),
                cells: (0..codes.len()).map(|guess| cell(own, guess)).collect(),
            })
            .collect(),
        columns: codes,
        flag: Some("taken for what it is".into()),
    })
}

/// What the confusion is drawn from.
pub fn confusion_table(report: &Report) -> Table {
    let guesses = report.confusion.iter().flat_map(|confusion| report.languages.iter().zip(&confusion.guesses));
    let pairs = guesses.flat_map(|(own, row)| report.languages.iter().zip(row).map(move |(guess, n)| (own, guess, *n)));
    Rows::of("language", pairs, |(own, ..)| own.code.clone())
        .column("name", "Language", "What the text is in", |(own, ..)| own.name.clone())
        .column("guess", "Taken for", "What it seemed to be in", |(_, guess, _)| guess.name.clone())
        .column("texts", "Texts", "How many", |(.., n)| u64::from(*n))
        .table()
}

/// What helps and what does not, said only where an interval says so.
pub fn sentence(report: &Report) -> String {
    let bits = report.config.bits.get();
    let Some(base) = report.rows.iter().find(|row| row.method == Method::Absmax).and_then(|row| row.cost.disparity)
    else {
        return format!("At {bits} bits: disparity needs at least two languages seen in training.");
    };
    let changes = || report.rows.iter().filter_map(|row| Some((row, row.change?.difference)));
    let best = changes().filter(|(_, change)| change.high < 0.0).min_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let worse: Vec<&str> =
        changes().filter(|(_, change)| change.low > 0.0).map(|(row, _)| method(row.method)).collect();
    let first = format!("At {bits} bits, absmax has a disparity of {}.", format::interval(&base));
    let second = match best {
        Some((row, change)) => format!(
            "Of the methods that surely lower it, “{}” lowers it most: by {}.",
            method(row.method),
            format::interval(&Interval { value: -change.value, low: -change.high, high: -change.low })
        ),
        None => "No method surely lowers it.".into(),
    };
    let third = match &worse[..] {
        [] => String::new(),
        worse => format!(" Surely raised by: {}.", worse.join("; ")),
    };
    format!("{first} {second}{third}")
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let outliers = match &report.outliers[..] {
        [] => format!("No layer's κ lies above {}, so B changes nothing.", format::figure(config.threshold)),
        layers => format!(
            "Outlier layers, κ above {}: {}.",
            format::figure(config.threshold),
            layers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    vec![
        format!(
            "{} of each language from {}; intervals 95%, paired BCa bootstrap over texts, {} resamples, seed {}.",
            format::counted(config.texts.units as u64, "text"),
            config.texts.corpus,
            format::count(config.draws.resamples as u64),
            config.draws.seed
        ),
        outliers,
        "A and C clip at α*/σ of W ⊙ a for the language, times σ of W. They need a set of weights per language, or the full \
         weights to round anew; bytes are those of one set."
            .into(),
        "C guesses by the tokenizer's own statistics: naive Bayes over tokens, learned from the other texts of the run, never \
         from the text itself."
            .into(),
        format!(
            "FES = √(efficiency × fairness), efficiency = 1 − bytes ÷ {} (f32), fairness = 1 ÷ (1 + disparity).",
            format::bytes(report.bytes_full)
        ),
        format!(
            "Every text was run {} times on average: once in full precision, then once for each distinct set of weights.",
            format::fixed(report.passes, 1)
        ),
        crate::lab::provenance(&report.origin),
    ]
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-mitigation-{}bit", report.origin.model, report.config.bits.get()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::degradation::{Change, Cost, Language};
    use crate::lab::mitigation::{Config, Confusion};
    use crate::lab::settings::{Resampling, Texts};
    use crate::report::chart::{Drawing, Ground};
    use crate::report::{Bits, Resource};

    fn interval(value: f64, half: f64) -> Interval {
        Interval { value, low: value - half, high: value + half }
    }

    fn row(method: Method, disparity: f64, change: Option<Interval>) -> Row {
        let cost = Cost {
            degradation: vec![interval(0.1, 0.05), interval(0.1 + disparity, 0.05)],
            disparity: Some(interval(disparity, 0.05)),
            disparity_corrected: None,
            mean_high: None,
            mean_low: None,
            ratio: None,
        };
        let change = change.map(|difference| Change {
            difference,
            difference_corrected: difference,
            reduction: interval(0.5, 0.1),
        });
        Row { method, cost, bytes: 500, change, score: Some(interval(0.6, 0.1)) }
    }

    fn report(rows: Vec<Row>) -> Report {
        let language = |code: &str, resource| Language {
            code: code.into(),
            name: code.to_uppercase(),
            endonym: code.into(),
            direction: "ltr".into(),
            resource,
            tokens_seen: Some(10),
        };
        Report {
            config: Config {
                texts: Texts { corpus: "udhr".into(), languages: vec!["eng".into(), "kor".into()], units: 3 },
                draws: Resampling { resamples: 100, seed: 1 },
                bits: Bits::new(3).unwrap(),
                threshold: 5.0,
                methods: rows.iter().map(|row| row.method).collect(),
                own: Vec::new(),
            },
            origin: crate::lab::provenance::tests::origin("m"),
            languages: vec![language("eng", Resource::High), language("kor", Resource::Low)],
            kurtosis: vec![1.0],
            outliers: Vec::new(),
            bytes_full: 1000,
            rows,
            confusion: Some(Confusion { guesses: vec![vec![3, 0], vec![1, 2]] }),
            passes: 2.0,
        }
    }

    /// A method is said to help or to harm only where the whole interval of the difference lies on that side.
    #[test]
    fn only_what_the_interval_supports_is_said() {
        let base = || row(Method::Absmax, 0.4, None);
        let unsure = row(Method::Aciq, 0.3, Some(interval(-0.1, 0.2)));
        let told = sentence(&report(vec![base(), unsure.clone()]));
        assert!(told.ends_with("No method surely lowers it."), "{told}");
        let better = row(Method::Channel, 0.1, Some(interval(-0.3, 0.1)));
        let worse = row(Method::Optimal, 0.9, Some(interval(0.5, 0.1)));
        let told = sentence(&report(vec![base(), unsure, better, worse]));
        assert!(told.contains("“absmax per channel” lowers it most: by 0.3"), "{told}");
        assert!(told.ends_with("Surely raised by: least squared error."), "{told}");
    }

    #[test]
    fn every_method_has_a_name_a_row_and_a_mark() {
        let rows: Vec<Row> = Method::ALL.map(|method| row(method, 0.2, None)).to_vec();
        let report = report(rows);
        let keys: std::collections::BTreeSet<&str> = Method::ALL.map(method_key).into();
        assert_eq!(keys.len(), Method::ALL.len());
        for (method, own) in Method::ALL.into_iter().zip(table(&report).keys) {
            assert_eq!(serde_json::to_value(method).unwrap(), own.as_str(), "the key is the report's own name");
        }
        let marks = chart(&report).unwrap().draw(700.0, Ground::Page).marks;
        assert_eq!(marks.len(), Method::ALL.len());
        assert_eq!(heat_table(&report).keys.len(), 2 * Method::ALL.len());
        assert!(confusion(&report).unwrap().title.ends_with("5 of 6 rightly"));
        assert_eq!(confusion_table(&report).keys.len(), 4);
        assert!(footnotes(&report)[1].contains("B changes nothing"));
    }
}
