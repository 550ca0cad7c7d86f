//! Reports of strangers: those of every analysis, changed. Links are in `hostile.rs`; what libFuzzer does for hours with the same
//! functions is in `fuzz/`.

use fairbits::{lab::json, math::rng::Rng};
use serde_json::{Value, json};

use super::{
    fuzz_report::report,
    mutations::{below, mutate},
    places::{changed, places},
    reports,
    survive::Target,
};

/// Cases of each analysis.
const CASES: usize = 60;
/// A report of these tests takes less than one, and what is made of it a few times that.
const REPORT: Target =
    Target { read: report, most_bytes: 256 << 20, begin: &["the file ", "the report ", "this is not a report"] };

fn strange() -> [Value; 12] {
    [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(1e99),
        json!("<b>\u{202e}&amp;"),
        json!("a".repeat(70_000)),
        json!([]),
        json!({}),
    ]
}

/// A list with its first item once more, an item less, or turned round: reports count their rows in several places.
fn reordered(value: &Value, rng: &mut Rng) -> Option<Value> {
    let mut list = value.as_array().filter(|list| !list.is_empty())?.clone();
    match below(rng, 3) {
        0 => list.push(list[0].clone()),
        1 => drop(list.pop()),
        _ => list.reverse(),
    }
    Some(list.into())
}

#[test]
fn no_report_breaks_the_program() {
    let (mut rng, mut cases) = (Rng::new(14), Vec::new());
    for made in reports() {
        let text = json(made);
        assert_eq!(report(text.as_bytes()), Ok(()));
        let good: Value = serde_json::from_str(&text).unwrap();
        let (name, places) = (good["analysis"].to_string(), places(&good));
        for case in 0..CASES {
            let place = &places[below(&mut rng, places.len())];
            let there = good.pointer(place).expect("a place that is there");
            let value = reordered(there, &mut rng).unwrap_or_else(|| strange()[below(&mut rng, 12)].clone());
            let shown: String = value.to_string().chars().take(60).collect();
            let mut bytes = changed(&good, place, value).to_string().into_bytes();
            let mut told = format!("{name}: {place} = {shown}");
            if case % 8 == 0 {
                bytes = text.clone().into_bytes();
                mutate(&mut bytes, &mut rng);
                told = format!("{name}, mutation {case}");
            }
            cases.push((told, bytes));
        }
    }
    let tried = cases.len();
    let good = REPORT.survives(cases);
    println!("{tried} reports, {good} of them read");
    assert!(tried > 900 && good > 100 && good < tried, "{good} of {tried}");
}
