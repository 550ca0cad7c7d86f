//! The Claims page: what each of the theory's claims comes to in the reports that are there.
//!
//! A verdict is worked out from a report by a rule that stands beside it; none is typed in.

mod table;

pub use crate::lab::verdict::Ruling;
pub use table::{CLAIMS, Claim};

use crate::lab::{Kind, Report};
use crate::report::format;

/// What a report says of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Which analysis the report is of.
    pub kind: Kind,
    /// Under what: `at 3 bits`; empty where there is nothing to tell apart.
    pub under: String,
    /// How the claim fares.
    pub ruling: Ruling,
    /// The figures that decide, with their intervals.
    pub measured: String,
    /// The rule by which they do.
    pub rule: String,
}

/// All that the reports say of a claim. None where no report speaks of it yet.
pub fn judge<'a>(claim: &Claim, report: impl Fn(Kind) -> Option<&'a Report>) -> Vec<Judged> {
    claim.by.iter().filter_map(|&kind| report(kind)).flat_map(|report| of(claim.id, report)).collect()
}

/// What a report says of a claim.
fn of(id: &str, report: &Report) -> Vec<Judged> {
    let judged = |(under, (ruling, measured, rule))| Judged { kind: report.kind(), under, ruling, measured, rule };
    report.judge(id).into_iter().map(judged).collect()
}

/// What several verdicts come to: the one that all share, else undecided.
pub fn overall(judged: &[Judged]) -> Option<Ruling> {
    let first = judged.first()?.ruling;
    Some(if judged.iter().all(|own| own.ruling == first) { first } else { Ruling::Undecided })
}

/// A ruling in words.
pub fn ruling(of: Ruling) -> &'static str {
    match of {
        Ruling::Supported => "supported",
        Ruling::NotSupported => "not supported",
        Ruling::Undecided => "cannot be decided here",
    }
}

/// How many claims fare how, as a sentence.
pub fn tally(rulings: impl Iterator<Item = Option<Ruling>>) -> String {
    let mut counts = [0_u64; 4];
    for of in rulings {
        let at = match of {
            Some(Ruling::Supported) => 0,
            Some(Ruling::NotSupported) => 1,
            Some(Ruling::Undecided) => 2,
            None => 3,
        };
        counts[at] += 1;
    }
    let [supported, not, undecided, unmeasured] = counts;
    format!(
        "Of {}, {supported} are supported, {not} are not, {undecided} cannot be decided here, and {unmeasured} are not measured yet.",
        format::counted(counts.iter().sum(), "claim")
    )
}

/// On what a report was made: model, corpus, texts.
pub fn made_on(report: &Report) -> String {
    let origin = report.origin();
    let model = match (origin.model(), report) {
        (Some(origin), _) => {
            format!("{} ({}…)", origin.model, origin.files.short())
        }
        (None, Report::Family(report)) => report.config.models.join(", "),
        (None, _) => return "figures alone".into(),
    };
    match report.config().needs() {
        crate::lab::Needs::Texts(sample) => format!(
            "{model}, {} of each of {} from {}, {} backend",
            format::counted(sample.units as u64, "text"),
            format::counted(sample.languages.len() as u64, "language"),
            sample.corpus,
            origin.backend()
        ),
        _ => format!("{model}, its weights alone"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_is_there_once_and_is_measured_by_something() {
        for (at, claim) in CLAIMS.iter().enumerate() {
            assert!(CLAIMS[..at].iter().all(|other| other.id != claim.id), "{} is there twice", claim.id);
            assert!(!claim.by.is_empty(), "nothing measures {}", claim.id);
        }
    }

    #[test]
    fn a_claim_is_judged_by_the_reports_that_are_there() {
        let (gateway, dial) = (crate::lab::gateway::sample::report(usize::MAX), crate::lab::dial::sample::report());
        let reports = [Report::from(gateway), Report::from(dial)];
        let of = |id: &str| {
            let claim = CLAIMS.iter().find(|claim| claim.id == id).unwrap();
            judge(claim, |kind| reports.iter().find(|report| report.kind() == kind))
        };
        let [first] = &of("G1")[..] else { panic!("one budget, one verdict") };
        assert_eq!(
            (first.kind, first.ruling, first.under.as_str()),
            (Kind::Gateway, Ruling::NotSupported, "3 layers protected")
        );
        assert!(
            first.measured.starts_with("The best set with both") && first.rule.starts_with("For a budget of three")
        );
        assert!(of("K1").iter().all(|own| own.kind == Kind::Dial), "there is no report on activation");
        assert!(of("T2").is_empty());
    }

    #[test]
    fn verdicts_that_differ_decide_nothing() {
        let own =
            |ruling| Judged { kind: Kind::Dial, under: String::new(), ruling, measured: "x".into(), rule: "y".into() };
        assert_eq!(overall(&[]), None);
        assert_eq!(overall(&[own(Ruling::Supported)]), Some(Ruling::Supported));
        assert_eq!(overall(&[own(Ruling::Supported), own(Ruling::NotSupported)]), Some(Ruling::Undecided));
        let told = tally([None, Some(Ruling::Supported), Some(Ruling::Supported)].into_iter());
        assert!(told.starts_with("Of 3 claims, 2 are supported, 0 are not"), "{told}");
    }
}
