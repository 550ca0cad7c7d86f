use super::sample::{LAYERS, disparity, report, set};
use super::*;
use crate::report::chart::{Drawing, Ground};
use crate::report::table::Cell;

/// 1 + 6 + 15 + 20 + 6 + 1.
const ALL: usize = 49;

#[test]
fn a_search_that_goes_on_says_how_far_it_is() {
    let part = report(30);
    assert!(!part.whole());
    let told = sentence(&part, 3);
    assert!(told.starts_with("30 of 49 sets so far; the ranking can still change. "), "{told}");
    assert!(told.contains("out of 20") && !told.contains("Of all"), "{told}");
    assert_eq!(so_far(&report(ALL)), None);
    assert_eq!(
        sentence(&report(0), 3),
        "0 of 49 sets so far; the ranking can still change. No set of 3 layers has been evaluated yet."
    );
    // Nothing that needs all sets stands in its way.
    assert!(
        interactions(&part).is_none() && verdict_table(&part).keys.is_empty() && picks_table(&part, 3).keys.is_empty()
    );
    assert!(front_chart(&report(0)).is_none() && first_size(&report(0)).is_none());
}

#[test]
fn the_sentence_names_the_best_the_seeds_and_what_is_smaller() {
    let told = sentence(&report(ALL), 3);
    assert!(told.starts_with("Of all 20 sets of 3 layers, {0, 2, 5} in full precision leaves the least"), "{told}");
    assert!(told.contains("at 3 bits: 0.44 [0.32, 0.56] over 2 languages × 4 texts."), "{told}");
    assert!(told.contains("With no layer protected it is 1.00 [0.88, 1.12]."), "{told}");
    assert!(told.contains("The theory's set {0, 4, 5} is number 8 [5, 12] with 0.69"), "{told}");
    // 0.44 + 0.12 reaches 0.50, which two layers do.
    assert!(
        told.contains("the smallest set is {0, 2}: 0.50") && told.ends_with("at E = 3.33 instead of 3.08."),
        "{told}"
    );
    let told = sentence(&report(ALL), 2);
    assert!(told.contains("The best set with the first and the last layer, {0, 5} is number 6 for now"), "{told}");
}

#[test]
fn a_filter_keeps_places() {
    let report = report(ALL);
    let all = ranking_table(&report, 3, None);
    assert_eq!((all.keys.len(), all.keys[0].as_str()), (20, "0-2-5"));
    let held = ranking_table(&report, 3, Some(1));
    assert_eq!(held.keys.len(), 10);
    assert!(held.keys.iter().all(|key| key.split('-').any(|layer| layer == "1")), "{:?}", held.keys);
    let place = |key: &str| all.keys.iter().position(|other| other == key).expect("in the whole ranking");
    for (row, key) in held.keys.iter().enumerate() {
        assert_eq!(held.cell(row, "place"), &Cell::Count(place(key) as u64 + 1));
    }
    let known = |key: &str| all.cell(place(key), "known_for").clone();
    assert_eq!(known("0-2-5"), Cell::Text("least disparity; additive model".into()));
    assert_eq!(known("0-4-5"), Cell::Text("the theory's set".into()));
    assert_eq!(
        ranking_table(&report, 2, None).cell(0, "known_for"),
        &Cell::Text("least disparity; smallest within the best one's interval".into())
    );
}

#[test]
fn a_pair_shows_the_best_set_that_holds_both() {
    let report = report(ALL);
    let map = pairs(&report, 3);
    for i in 0..LAYERS {
        for j in 0..LAYERS {
            let third = |k: &usize| *k != i && *k != j;
            let best = match i == j {
                true => (0..LAYERS)
                    .flat_map(|a| (0..LAYERS).map(move |b| set(&[i, a, b])))
                    .filter(|set| set.len() == 3)
                    .map(disparity)
                    .fold(f64::INFINITY, f64::min),
                false => (0..LAYERS).filter(third).map(|k| disparity(set(&[i, j, k]))).fold(f64::INFINITY, f64::min),
            };
            let cell = &map.rows[i].cells[j];
            assert!((cell.value.unwrap() - best).abs() < 1e-12, "{i}, {j}: {}", cell.told);
            assert_eq!(cell.flagged, [0, 4, 5].contains(&i) && [0, 4, 5].contains(&j), "{i}, {j}");
        }
    }
    assert_eq!(pairs_table(&report, 3).keys.len(), LAYERS * (LAYERS + 1) / 2);
    assert_eq!(pairs(&report, 2).flag.as_deref(), Some("first and last layer, {0, 5}"));
    assert_eq!(pairs(&self::report(0), 3).rows[0].cells[1].value, None);
}

#[test]
fn a_layer_is_counted_in_the_top_of_the_ranking() {
    let report = report(ALL);
    let table = top_table(&report, 3);
    // Of 20 sets the best 1% and 5% are one, {0, 2, 5}, and the best 10% two, with {0, 2, 4}.
    let shares = |layer: usize| {
        ["top_1", "top_5", "top_10", "chance"].map(|key| match table.cell(layer, key) {
            Cell::Share(share) => *share,
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(shares(2), [1.0, 1.0, 1.0, 0.5]);
    assert_eq!(shares(5), [1.0, 1.0, 0.5, 0.5]);
    assert_eq!(shares(4), [0.0, 0.0, 0.5, 0.5]);
    assert_eq!(shares(1), [0.0, 0.0, 0.0, 0.5]);
    let heat = top_heat(&report, 3);
    assert_eq!(heat.rows[2].label, "best 10% (2)");
    assert_eq!(heat.rows[2].cells[4].value, Some(0.5));
    assert_eq!(table.cell(3, "layer"), &Cell::Count(3));
}

#[test]
fn the_front_and_the_constraint() {
    let report = report(ALL);
    let chart = front_chart(&report).expect("sets are there");
    assert_eq!(chart.cloud.len(), ALL);
    let keys: Vec<&str> = chart.dots.iter().map(|dot| dot.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "front-none",
            "front-2",
            "front-0-2",
            "front-0-2-5",
            "front-0-2-3-4-5",
            "front-0-1-2-3-4-5",
            "seeds-0-4-5",
            "best-0-2-5"
        ]
    );
    assert_eq!(chart.stops.len(), 6, "a memory for each size");
    assert!(
        chart.stops[3].told.starts_with("20 sets of 1.3 kB: the best is {0, 2, 5} with 0.44"),
        "{}",
        chart.stops[3].told
    );
    let marks = chart.draw(700.0, Ground::Page).marks;
    assert_eq!(marks.len(), chart.dots.len() + chart.stops.len());
    assert_eq!(everything_table(&report).keys.len(), ALL);
    let (low, high) = reach(&report).unwrap();
    assert_eq!((low, high), (4000.0 / 1600.0, 4.0));
    // 4000 ÷ 1300 is 3.08: three layers are too many for 3.1, two are not.
    assert!(
        within(&report, 3.1).starts_with("22 of 49 sets evaluated have E ≥ 3.10, at most 1.3 kB. Of these the least")
    );
    assert!(within(&report, 3.1).contains("that of {0, 2}: disparity 0.50"), "{}", within(&report, 3.1));
    assert!(within(&report, low).contains("that of {0, 1, 2, 3, 4, 5}"));
    assert!(within(&report, 9.0).starts_with("0 of 49"));
}

#[test]
fn sweeps_and_interactions() {
    let report = report(ALL);
    let only = sweep_chart(&report, Sweep::Only).expect("swept");
    assert_eq!((only.points.len(), only.points[0].label.as_str()), (1 + LAYERS, "no layer"));
    assert!((only.points[3].interval.value - 0.7).abs() < 1e-12, "layer 2 alone");
    assert_eq!(only.points[1].label, "layer 0 (theory)");
    let all_but = sweep_chart(&report, Sweep::AllBut).expect("swept");
    assert!((all_but.points[3].interval.value - disparity(set(&[0, 1, 3, 4, 5]))).abs() < 1e-12, "all but layer 2");
    assert_eq!(sweep_table(&report).keys.len(), LAYERS);
    let map = interactions(&report).expect("swept");
    assert_eq!(map.rows[2].cells[0].value, map.rows[0].cells[2].value);
    assert!(map.rows[0].cells[2].flagged && !map.rows[1].cells[3].flagged);
    assert!(map.rows[0].cells[2].told.ends_with("together they surely help more than the sum"));
    assert_eq!(map.rows[4].cells[4].value, None);
    assert_eq!(interactions_table(&report).keys, ["0-2", "1-3"]);
    assert_eq!(layers_table(&report).keys.len(), LAYERS);
}

#[test]
fn pickers_and_claims_have_the_names_of_the_report() {
    for own in PICKERS {
        assert_eq!(serde_json::to_value(own).unwrap(), picker_key(own), "the key is the report's own name");
    }
    let table = picks_table(&report(ALL), 3);
    assert_eq!(table.keys, ["predicted", "additive"], "in the order of the page");
    assert_eq!(table.cell(0, "places"), &Cell::Text("5 to 12 of 20".into()));
    assert!(picks_table(&report(ALL), 2).keys.is_empty());
    let verdicts = verdict_table(&report(ALL));
    assert_eq!(verdicts.keys, ["G1-3"]);
    assert_eq!(verdicts.cell(0, "ruling"), &Cell::Text("not supported".into()));
    for (own, key, _) in PROTECTED_PARTS {
        assert_eq!(serde_json::to_value(own).unwrap(), key);
    }
    assert_eq!((sizes(&report(ALL)), first_size(&report(ALL))), (vec![1, 2, 3, 5], Some(3)));
    assert_eq!(file_stem(&report(ALL)), "fairbits-m-gateway-3bit");
    assert!(footnotes(&report(ALL), "article")[0].contains("in full precision under every set"));
}
