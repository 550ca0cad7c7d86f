//! What the Dial report says follows from its figures.

use super::sample::{interval, report};
use super::*;
use crate::report::chart::{Drawing, Ground};
use crate::report::table::Cell;

fn pick(rule: Rule) -> Pick {
    Pick { bits: Bits::new(4).unwrap(), rule }
}

#[test]
fn the_proof_line_counts_bits_and_says_when_they_differ() {
    let mut report = report();
    assert_eq!(
        proof(&report),
        (
            true,
            "Full-precision losses: identical, 1,152 of 1,152 bits equal (3 turned models against the model as it is)."
                .into()
        )
    );
    report.points[2].proof.as_mut().unwrap().equal = 383;
    let (holds, said) = proof(&report);
    assert!(!holds && said.starts_with("Full-precision losses: not identical, 1,151 of 1,152 bits equal"), "{said}");
    assert!(said.contains("not due to the tails alone"));
    report.points.iter_mut().for_each(|point| point.proof = None);
    assert!(proof(&report).1.contains("nothing was turned"));
}

#[test]
fn the_sentence_claims_only_what_the_interval_of_the_difference_supports() {
    let mut report = report();
    let said = sentence(&report, pick(Rule::Absmax));
    let start = "At 4 bits under the rule “largest weight (absmax)”, heavier tails widen the disparity between languages: 0.0100 [0.0090, 0.0110] at max κ = 1.40 and ";
    assert!(said.starts_with(start), "{said}");
    assert!(
        said.contains("There Korean loses most, D = 608 [547, 669], and English least, 3.50 [3.15, 3.85]."),
        "{said}"
    );
    assert!(!said.contains("Thai"), "unseen languages stay out");
    assert!(
        said.ends_with("With the tails flattened again, max κ is 1.70 and disparity 0.0200 [0.0180, 0.0220]."),
        "{said}"
    );
    report.points[3].max_kurtosis = 1.3;
    let said = sentence(&report, pick(Rule::Absmax));
    assert!(said.contains("at max κ = 1.30, with the tails flattened again, and"), "{said}");
    assert_eq!(said.matches("flattened").count(), 1, "told once: {said}");
    let heaviest = report.outcomes.iter_mut().find(|outcome| outcome.point == 2).unwrap();
    heaviest.risen.as_mut().unwrap().difference = interval(0.1, 0.2);
    assert!(sentence(&report, pick(Rule::Absmax)).contains("heavier tails do not surely change"));
    let heaviest = report.outcomes.iter_mut().find(|outcome| outcome.point == 2).unwrap();
    heaviest.cost.degradation[0] = interval(600.0, 50.0);
    assert!(sentence(&report, pick(Rule::Absmax)).contains("but the two intervals overlap"));
    report.outcomes.iter_mut().for_each(|outcome| outcome.cost.disparity = None);
    assert!(sentence(&report, pick(Rule::Absmax)).contains("there is no disparity"));
}

#[test]
fn every_language_and_point_is_a_dot_with_its_interval_and_a_row() {
    let report = report();
    let (chart, table) =
        (degradation_chart(&report, pick(Rule::Optimal)), degradation_table(&report, pick(Rule::Optimal)));
    assert_eq!((chart.dots.len(), table.keys.len(), table.heads.len()), (12, 12, 12));
    let keys = report.languages.iter().flat_map(|of| (0..4).map(move |at| format!("{}-point-{at}", of.code)));
    for (row, key) in keys.enumerate() {
        let dot = chart.dots.iter().find(|dot| dot.key == key).unwrap();
        let cells = (table.cell(row, "degradation"), table.cell(row, "max_kurtosis"));
        let (Cell::Figure(d), Cell::Number(kappa)) = cells else { panic!("{cells:?}") };
        assert_eq!((dot.at.1, dot.whisker), (d.value, Some((d.low, d.high))));
        assert!((dot.at.0 / kappa - 1.0).abs() < 0.12, "{} beside {kappa}", dot.at.0);
    }
    let crossed = chart.dots.iter().filter(|dot| dot.label == "tails flattened again").count();
    assert_eq!(crossed, 3, "one per language");
    assert!(chart.dots[9..].iter().all(|dot| dot.key.ends_with("-point-3")), "the flattened ones are drawn last");
    // A line per language runs through the turned points in their order; one more shows the theory's bounds.
    assert_eq!(chart.curves.len(), 4);
    assert!(chart.curves[1..].iter().all(|curve| curve.points.len() == 3 && curve.points.is_sorted()));
    let figure = chart.draw(700.0, Ground::Page);
    assert_eq!(figure.marks.len(), 4 + 12);
    assert!(figure.marks[..4].windows(2).all(|pair| pair[0].at.0 <= pair[1].at.0), "read from left to right");
    assert!(figure.marks[3].told.contains("D of Thai 800, Korean 611, English 4.30"), "{}", figure.marks[3].told);
    assert!(table.csv().starts_with("language,name,resource,s,tails,max_kurtosis,degradation,degradation_low,"));
    assert!(table.csv().contains("kor,Korean,low,8,turned,56.9,0.02,"));
}

#[test]
fn every_rule_and_point_is_a_dot_and_a_row() {
    let mut report = report();
    let bits = report.config.bits[0];
    let (chart, table) = (disparity_chart(&report, bits).unwrap(), disparity_table(&report, bits));
    assert_eq!((chart.dots.len(), table.keys.len()), (8, 8));
    for key in &table.keys {
        assert!(chart.dots.iter().any(|dot| dot.key == *key), "{key}");
    }
    assert!(chart.curves.iter().any(|curve| curve.label.starts_with("0.020")), "what the theory calls zero");
    assert!(chart.draw(390.0, Ground::File).svg.contains("<desc>Disparity of m by largest κ, 4 bits. At 4 bits"));
    report.outcomes[0].cost.disparity = None;
    assert!(disparity_chart(&report, bits).is_none());
}

#[test]
fn a_model_flatter_than_a_gaussian_still_has_an_axis() {
    let mut report = report();
    report.points[0].max_kurtosis = -0.3;
    let figure = degradation_chart(&report, pick(Rule::Absmax)).draw(700.0, Ground::Page);
    assert!(figure.marks.iter().all(|mark| mark.at.0.is_finite() && mark.at.1.is_finite()));
    assert!(figure.svg.contains("max κ over layers") && !figure.svg.contains("max κ over layers (log"));
}

#[test]
fn verdicts_stand_claim_by_claim_with_their_rules() {
    let report = report();
    let table = verdict_table(&report);
    assert_eq!(table.keys[..3], ["C1-4bit-absmax", "C1-4bit-optimal", "K1-4bit-absmax"]);
    assert_eq!(table.cell(0, "ruling"), &Cell::Text("supported".into()));
    assert_eq!(table.cell(0, "because"), &Cell::Text("r = −0.5, which decides.".into()));
    let Cell::Text(rule) = table.cell(0, "decided_by") else { panic!("words") };
    assert!(rule.contains("corrected"), "C1 says what is done about noise: {rule}");
    let points = points_table(&report);
    assert_eq!(points.cell(1, "outliers"), &Cell::Count(1), "one layer above the threshold");
    assert_eq!(points.cell(3, "stand"), &Cell::Text("s = 32, flattened again".into()));
    assert_eq!(points.cell(0, "bits_equal"), &Cell::Missing, "the model as it is has nothing to be compared with");
}

#[test]
fn footnotes_say_what_was_turned() {
    let notes = footnotes(&report(), "article");
    assert!(notes[0].starts_with(
        "Turned: 1 channel of each joint (norm and q, k, v; values and attention out; norm and MLP up) in layers 0,"
    ));
    assert!(notes.iter().any(|note| note.contains("bootstrap over articles, 200 resamples")));
    assert!(notes.last().unwrap().starts_with("Computed by the cpu backend"));
    assert_eq!(file_stem(&report()), "fairbits-m-dial");
    assert_eq!(Pick::all(&report()).iter().map(|pick| pick.key()).collect::<Vec<_>>(), ["4bit-absmax", "4bit-optimal"]);
}
