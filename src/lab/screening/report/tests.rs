//! What the Screening report says follows from its figures.

use super::sample::report;
use super::*;
use crate::lab::screening::models::tests::entry;
use crate::report::chart::{Drawing, Ground};
use crate::report::table::Cell;

#[test]
fn the_sentence_says_what_is_expected_what_was_measured_and_r() {
    let mut report = report();
    let said = sentence(&report);
    assert!(
        said.starts_with(
            "By document 004's conditions no disparity is to be expected here. Not met: C1, outlier layers exist; C2, activation varies."
        ),
        "{said}"
    );
    assert!(said.contains("Measured at 4 bits: disparity 0.12") && said.contains("corrected for noise 0.11"), "{said}");
    assert!(
        said.contains("the heaviest layers, none being an outlier layer,") && said.contains("r = 0.2 [−0.2, 0.6]"),
        "{said}"
    );
    report.conditions.iter_mut().for_each(|condition| condition.met = Some(true));
    assert!(sentence(&report).contains("disparity is to be expected here: all three are met"));
    report.conditions[1].met = None;
    (report.correlation, report.disparity) = (None, None);
    let said = sentence(&report);
    assert!(
        said.contains("do not decide") && said.contains("There is no r") && said.contains("fewer than two"),
        "{said}"
    );
}

#[test]
fn the_branch_and_the_checklist_follow_the_bounds() {
    let mut report = report();
    // What was measured decides, whatever max κ is.
    let said = branch(&report);
    assert!(said.starts_with("Measured: disparity, corrected for noise, is 0.11"), "{said}");
    assert!(said.contains("above 0.020. Protect: 8 bits"), "{said}");
    assert!(said.contains("would have said: max κ = 2.83 is below 5.00. Quantize as usual"), "{said}");
    assert_eq!(decided(&report), Advice::Protect);
    for (low, high, expected) in
        [(0.001, 0.01, Advice::Standard), (0.001, 0.5, Advice::Evaluate), (0.3, 0.5, Advice::Protect)]
    {
        report.disparity_corrected = Some(Interval { value: low, low, high });
        assert_eq!(decided(&report), expected);
    }
    report.disparity_corrected = None;
    assert_eq!(
        branch(&report),
        "The theory's rule: max κ = 2.83 is below 5.00. Quantize as usual; no special handling."
    );
    let list = checklist(&report);
    assert_eq!(
        list.iter().map(|(caution, _)| *caution).collect::<Vec<_>>(),
        [None, Some(false), None, Some(false), Some(false)]
    );
    assert!(list[1].1.contains("It is 2.83, in layer 1: no."), "{}", list[1].1);
    assert!(list[3].1.contains("surely not above it"), "{}", list[3].1);
    report.max_kurtosis = 164.0;
    report.conditions[1].met = Some(true);
    let list = checklist(&report);
    assert_eq!((list[1].0, list[3].0, list[4].0), (Some(true), Some(true), Some(true)));
    assert!(list[4].1.starts_with("Consider calibration"));
}

#[test]
fn charts_and_tables_hold_every_layer_and_language() {
    let mut report = report();
    let chart = kurtosis_chart(&report);
    assert_eq!(chart.draw(700.0, Ground::Page).marks.len(), 3);
    assert_eq!(chart.curves.len(), 1, "50 lies far above every κ");
    assert!(chart.dots[1].told.contains("standing in"), "{}", chart.dots[1].told);
    assert_eq!(layers_table(&report).cell(1, "outlier"), &Cell::Text("stands in".into()));
    let points = scatter(&report).unwrap();
    assert_eq!(points.points.iter().map(|point| point.key.as_str()).collect::<Vec<_>>(), ["eng", "kor"], "seen ones");
    assert_eq!(languages_table(&report).heads.len(), 3);
    let verdicts = verdict_table(&report);
    assert_eq!(verdicts.keys, ["condition-C1", "condition-C2", "condition-C3", "C1", "C2", "C3", "P4", "M1"]);
    assert_eq!(verdicts.cell(0, "ruling"), &Cell::Text("not met".into()));
    assert_eq!(verdicts.cell(3, "ruling"), &Cell::Text("not supported".into()));
    report.layers[0].kurtosis = -0.3;
    report.layers[2].kurtosis = 80.0;
    let chart = kurtosis_chart(&report);
    assert_eq!(chart.curves.len(), 2);
    assert!(chart.draw(390.0, Ground::File).svg.contains("κ of each layer"));
}

#[test]
fn models_stand_side_by_side_with_what_differs() {
    let mut entries =
        vec![entry("bloom", 164.0, (0.018, 0.022), (-0.93, -0.65)), entry("xglm", 1.9, (0.001, 0.004), (-0.2, 0.25))];
    entries[1].traits.layers = 24;
    entries[1].traits.positions = vec![crate::arch::design::PositionKind::Sinusoidal];
    let table = models_table(&entries);
    assert_eq!(table.keys, ["model-0", "model-1"]);
    assert!(
        table.csv().contains("GELU (tanh)")
            && table.csv().contains("layer norm before")
            && table.csv().contains("sines")
    );
    let said = comparison(&entries).unwrap();
    assert!(
        said.starts_with(
            "2 models were asked the same (4 bits, largest weight (absmax), one grid per weight matrix, 8 texts"
        ),
        "{said}"
    );
    assert!(said.contains("Their designs differ in depth, positions."), "{said}");
    let verdicts = across_table(&entries, 5.0, 50.0);
    assert_eq!(verdicts.keys, ["P4", "M1"]);
    assert_eq!(verdicts.cell(0, "ruling"), &Cell::Text("supported".into()));
    assert_eq!(comparison(&entries[..1]), None);
    entries[1].setting.units = 2;
    assert_eq!(comparison(&entries), None, "asked otherwise");
}

#[test]
fn footnotes_say_which_layers_are_meant() {
    let mut report = report();
    assert!(footnotes(&report)[0].contains("heaviest eighth of the layers instead (1)"), "{}", footnotes(&report)[0]);
    report.stand_in = false;
    assert_eq!(footnotes(&report)[0], "Outlier layers, with κ above 5.00: 1.");
    assert!(footnotes(&report).last().unwrap().starts_with("Computed by the cpu backend"));
    assert_eq!(file_stem(&report), "fairbits-m-screening-4bit");
}
