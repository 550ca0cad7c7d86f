//! The sweep's figures, row by row, and what they say of the claims.

use super::{Bits, Interval, Outcome, Report, Rule, labels, measure, measure_key};
use crate::lab::sweep::{Claim, Critical, LAW, Slope};
use crate::lab::verdicts::{self, Ruled};
use crate::report::{rows::Rows, table::Table};

/// It rises with the figure, so the ends keep their places; BCa follows any such change of scale.
fn log2(of: Interval) -> Interval {
    Interval { value: libm::log2(of.value), low: libm::log2(of.low), high: libm::log2(of.high) }
}

/// How the threshold is chosen, in each of these tables.
fn ruled<R>(rows: Rows<R>, rule: impl Fn(&R) -> &'static str) -> Rows<R> {
    rows.column("rule", "Rule", "How the threshold is chosen", rule)
}

/// Every language at every width under one rule: what the chart of D(λ) is drawn from.
pub fn degradation_table(report: &Report, rule: Rule) -> Table {
    let languages = report.languages.iter().enumerate();
    let rows = languages.flat_map(|(at, language)| report.of_rule(rule).map(move |outcome| (language, at, outcome)));
    Rows::of_languages(rows, |(language, ..)| *language)
        .column("bits", "Bits", "Bits per weight", |(.., outcome)| outcome.bits)
        .column("degradation", "D", "(PPL after − PPL before) ÷ PPL before", |(_, at, outcome)| {
            outcome.cost.degradation[*at]
        })
        .table()
}

/// Every width under every rule, and the unquantized model: what the charts of error and disparity are drawn from.
pub fn widths_table(report: &Report) -> Table {
    // Of the unquantized model, which is no outcome, D and the error are 0 by definition.
    let nothing = || Some(Interval::point(0.0));
    let known = |of: fn(&Outcome) -> Option<Interval>| move |own: &Option<&Outcome>| own.map_or_else(nothing, of);
    let rows = report.outcomes.iter().map(Some).chain([None]);
    let key = |own: &Option<&Outcome>| match own {
        Some(own) => format!("{}-{}", labels::rule_key(own.rule), own.bits.get()),
        None => "unquantized".into(),
    };
    ruled(Rows::of("width", rows, key), |own| own.map_or("unquantized", |own| labels::rule(own.rule)))
        .apart(Option::is_none)
        .column("bits", "Bits", "Bits per weight", |own| own.map_or(32, |own| u64::from(own.bits.get())))
        .column(
            "disparity",
            "Disparity",
            "Largest D − smallest D over trained languages",
            known(|own| own.cost.disparity),
        )
        .column(
            "disparity_corrected",
            "Corrected",
            "Disparity less what noise alone adds, 2·θ̂ − mean θ*",
            known(|own| own.cost.disparity_corrected),
        )
        .column(
            "chance",
            "Chance",
            "How often languages that lose the same would lie as far apart by noise alone",
            |own| own.and_then(|own| own.chance),
        )
        .column("against_widest", "Rise", "Disparity less that of the widest width, paired over texts", |own| {
            own.and_then(|own| Some(own.against_widest?.difference))
        })
        .column("mean_degradation", "Mean D", "Over trained languages", known(|own| own.mean))
        .column("mean_high", "High", "Mean D of high-resource languages", known(|own| own.cost.mean_high))
        .column("mean_low", "Low", "Mean D of low-resource languages", known(|own| own.cost.mean_low))
        .column("error", "Squared error", "Of the weights, over their variance", |own| {
            own.map_or(0.0, |own| own.error.value)
        })
        .column("log2_error", "log₂ of it", "Rate–distortion says −2B; the interval is over matrices", |own| {
            own.map(|own| log2(own.error))
        })
        .column("bytes", "Bytes", "Memory of all weights, scales included", |own| {
            own.map_or(report.bytes_full, |own| own.bytes)
        })
        .table()
}

/// Every slope, beside the law's and the grid's.
pub fn slopes_table(report: &Report) -> Table {
    let key = |slope: &&Slope| format!("{}-{}", measure_key(slope.measure), labels::rule_key(slope.rule));
    let widths = |of: &[Bits]| of.iter().map(|bits| bits.get().to_string()).collect::<Vec<_>>().join(", ");
    let fallen =
        Rows::of("row", &report.slopes, key)
            .column("measure", "What falls", "log₂ of it is taken", |slope| measure(slope.measure));
    ruled(fallen, |slope| labels::rule(slope.rule))
        .column("slope", "Slope per bit", "log₂ of the figure against the width, least squares", |slope| slope.slope)
        .column("law", "Rate–distortion", "Slope of σ²·2^(−2B)", |_| LAW)
        .column("grid", "Grid's step", "Slope of 1/(2^(B−1) − 1)² over the same widths", |slope| slope.grid)
        .column("widths", "Widths", "Those at which the figure's interval lies above 0", |slope| widths(&slope.bits))
        .table()
}

/// B* under every rule.
pub fn critical_table(report: &Report) -> Table {
    let rules = Rows::of("row", &report.critical, |critical: &&Critical| labels::rule_key(critical.rule));
    ruled(rules, |critical| labels::rule(critical.rule))
        .column(
            "equal",
            "Equal from",
            "Narrowest width from which on equal languages would show as much by chance",
            |critical| critical.equal,
        )
        .column("emerges", "Theory's B*", "Widest width at which disparity is above 0.020", |critical| critical.emerges)
        .column("surely", "Surely", "Widest at which it surely is, corrected for noise", |critical| critical.surely)
        .column("maybe", "Perhaps", "Widest at which it may be, corrected for noise", |critical| critical.maybe)
        .table()
}

/// Every claim under every rule, claim by claim.
pub fn verdict_table(report: &Report) -> Table {
    let of_claim = |own: Claim| report.verdicts.iter().filter(move |verdict| verdict.claim == own);
    let all = Claim::ALL.into_iter().flat_map(of_claim);
    let verdicts = all.map(|own| (Ruled::from(own).under(labels::rule_key(own.rule)), own.rule));
    verdicts::table(verdicts, |claims| ruled(claims, |(_, rule)| labels::rule(*rule)))
}
