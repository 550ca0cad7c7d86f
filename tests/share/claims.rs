//! Claims against small runs of every analysis.

use fairbits::{
    claims::{CLAIMS, judge, made_on},
    lab::Kind,
};

use super::reports;

/// Each claim is spoken of by the reports that the table names, with figures and a rule. Verdicts on sets of three layers need
/// a search that is not small.
#[test]
fn every_claim_is_judged_by_what_measures_it() {
    for claim in CLAIMS {
        for kind in claim.by.iter().filter(|kind| **kind != Kind::Gateway) {
            let judged = judge(claim, |asked| reports().iter().find(|report| report.kind() == asked && asked == *kind));
            assert!(!judged.is_empty(), "{kind:?} says nothing of {}", claim.id);
            for own in judged {
                assert!(own.measured.ends_with('.') && own.rule.ends_with('.'), "{}: {own:?}", claim.id);
                assert_eq!(own.kind, *kind);
            }
        }
    }
}

#[test]
fn a_claim_says_what_it_was_measured_on() {
    let told: Vec<String> = reports().iter().map(made_on).collect();
    assert!(
        told[0].starts_with("skew-skew (")
            && told[0].ends_with("2 texts of each of 3 languages from udhr, cpu backend"),
        "{told:?}"
    );
    assert!(told[1].ends_with("its weights alone"), "{told:?}");
}
