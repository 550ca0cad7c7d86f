//! What the Bits report says follows from its figures.

use super::sample::report;
use super::*;
use crate::report::chart::{Drawing, Ground};
use crate::report::table::Cell;

#[test]
fn the_sentence_has_both_ends_both_readings_and_the_fall() {
    let mut report = report();
    let said = sentence(&report, Rule::Absmax);
    assert!(said.starts_with("Under the rule “largest weight (absmax)”, disparity goes from 10.0 ["), "{said}");
    assert!(said.contains("at 2 bits to 0.0024"), "{said}");
    assert!(said.contains(
        "From 8 bits on it cannot be told from what equal languages would show by chance; it is above 0.020"
    ));
    assert!(said.contains("up to 4 bits (corrected for noise, surely up to 4 bits, perhaps up to 4 bits)"), "{said}");
    assert!(said.ends_with(
        "Each bit divides the squared error of the weights by 4.00 on average, where rate–distortion says 4."
    ));
    report.critical[0].equal = None;
    report.critical[0].emerges = None;
    let said = sentence(&report, Rule::Absmax);
    assert!(
        said.contains("At no width up to the widest can it be put down to chance; it is nowhere above 0.020"),
        "{said}"
    );
    report.outcomes.iter_mut().for_each(|outcome| outcome.cost.disparity = None);
    report.critical.clear();
    assert!(sentence(&report, Rule::Absmax).contains("fewer than two trained languages"));
    assert!(sentence(&report, Rule::Kurtosis).ends_with("nothing was measured."));
}

#[test]
fn every_language_and_width_is_a_dot_with_its_interval_and_a_row() {
    let report = report();
    let (chart, table) = (degradation_chart(&report, Rule::Optimal), degradation_table(&report, Rule::Optimal));
    assert_eq!((chart.dots.len(), table.keys.len(), table.heads.len()), (9, 9, 9));
    for (row, (dot, key)) in chart.dots.iter().zip(&table.keys).enumerate() {
        let cells = (table.cell(row, "bits"), table.cell(row, "degradation"));
        let (Cell::Count(bits), Cell::Figure(d)) = cells else { panic!("{cells:?}") };
        assert_eq!(dot.key, format!("{key}-{bits}"));
        assert_eq!((dot.at.1, dot.whisker), (d.value, Some((d.low, d.high))));
        assert!((dot.at.0 - *bits as f64).abs() < 0.25, "beside its width");
    }
    assert_eq!(chart.curves.len(), 1 + 3, "one for the unquantized model");
    assert!(chart.curves[1..].iter().all(|curve| curve.points.is_sorted()));
    let figure = chart.draw(700.0, Ground::Page);
    assert_eq!(figure.marks.len(), 3 + 9);
    assert!(figure.marks[0].told.starts_with("2 bits: D of Thai"), "{}", figure.marks[0].told);
    assert!(table.csv().starts_with(
        "language,name,resource,bits,degradation,degradation_low,degradation_high\r\neng,English,high,2,"
    ));
    assert_eq!(table.apart, [false, false, false, false, false, false, true, true, true]);
}

#[test]
fn error_falls_beside_the_law_and_disparity_beside_the_seeds_zero() {
    let mut report = report();
    let error = error_chart(&report);
    for curve in &error.curves {
        let drawn = |point: &&(f64, f64)| error.x.holds(point.0) && error.y.holds(point.1);
        assert_eq!(
            curve.points.iter().filter(drawn).count(),
            curve.points.len(),
            "{} is in the key alone",
            curve.label
        );
    }
    assert_eq!((error.dots.len(), error.curves.len()), (6, 3));
    let (law, optimal) = (&error.curves[0], &error.curves[2]);
    assert!(law.dashed && law.label.contains("rate–distortion"));
    // The sample's exact optimum lies on the law itself.
    for (bits, value) in optimal.points.iter().map(|(x, y)| (libm::round(*x), *y)) {
        assert!((libm::log2(value) + 2.0 * bits).abs() < 1e-9);
    }
    assert!((libm::log2(law.points[0].1) + 2.0 * law.points[0].0).abs() < 1e-9);
    let disparity = disparity_chart(&report).unwrap();
    assert!(disparity.dots.len() == 6 && disparity.curves[0].label.starts_with("0.020"));
    assert!(disparity.draw(390.0, Ground::File).svg.contains("<desc>Disparity of m by width. Under the rule"));
    report.outcomes[0].cost.disparity = None;
    assert!(disparity_chart(&report).is_none());
}

#[test]
fn tables_hold_every_width_and_the_unquantized_model() {
    let report = report();
    let table = widths_table(&report);
    assert_eq!(table.keys, ["absmax-2", "absmax-4", "absmax-8", "optimal-2", "optimal-4", "optimal-8", "unquantized"]);
    let Cell::Figure(log) = table.cell(3, "log2_error") else { panic!("no figure") };
    assert!((log.value - -4.0).abs() < 1e-9 && log.low < log.value);
    assert!(table.apart[6] && *table.cell(6, "bytes") == Cell::Count(3200));
    assert_eq!(slopes_table(&report).keys[..2], ["error-absmax", "degradation-absmax"]);
    assert_eq!(critical_table(&report).cell(0, "equal"), &Cell::Count(8));
    let verdicts = verdict_table(&report);
    assert_eq!(verdicts.keys[..3], ["P1-absmax", "P1-optimal", "I1-absmax"]);
    assert_eq!(verdicts.cell(0, "because"), &Cell::Text("Slope −2.0.".into()));
}

#[test]
fn footnotes_say_how_zero_is_judged() {
    let notes = footnotes(&report(), "article");
    assert!(
        notes[0].contains("bootstrap over articles, 200 resamples, seed 1, n = 2 articles per language"),
        "{}",
        notes[0]
    );
    assert!(notes[1].contains("over its 8 matrices"), "{}", notes[1]);
    assert!(notes.iter().any(|note| note.contains("holds 0 at no width")));
    assert!(notes.iter().any(|note| note.starts_with("Unseen languages")));
    assert!(notes.last().unwrap().starts_with("Computed by the cpu backend"));
    assert_eq!(file_stem(&report()), "fairbits-m-bits");
}
