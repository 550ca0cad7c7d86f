//! The sweep's figures, row by row, and what they say of the claims.

use super::{Bits, Interval, Outcome, Report, Resource, Rule, measure, measure_key, words};
use crate::lab::sweep::{Claim, Critical, LAW, Slope};
use crate::lab::verdicts::{self, Ruled};
use crate::report::table::{Cell, Column, Head, Table};

fn bits(bits: Bits) -> Cell {
    Cell::Count(u64::from(bits.get()))
}

/// It rises with the figure, so the ends keep their places; BCa follows any such change of scale.
fn log2(of: &Interval) -> Interval {
    Interval { value: libm::log2(of.value), low: libm::log2(of.low), high: libm::log2(of.high) }
}

fn rule_column() -> Column {
    Column::plain("rule", "Rule", "How the threshold is chosen")
}

/// Every language at every width under one rule: what the chart of D(λ) is drawn from.
pub fn degradation_table(report: &Report, rule: Rule) -> Table {
    let mut table = Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("resource", "Resource", "Third of the trained languages by bytes seen"),
            Column::plain("bits", "Bits", "Bits per weight"),
            Column::measured("degradation", "D", "(PPL after − PPL before) ÷ PPL before"),
        ],
        of: "language",
        ..Table::default()
    };
    for (at, language) in report.languages.iter().enumerate() {
        for outcome in report.of_rule(rule) {
            table.keys.push(language.code.clone());
            table.apart.push(language.resource == Resource::Unseen);
            table.rows.push(vec![
                Cell::Text(language.name.clone()),
                Cell::Ranked(language.resource as u8, words::resource(language.resource).into()),
                bits(outcome.bits),
                Cell::Figure(outcome.cost.degradation[at]),
            ]);
        }
    }
    table
}

/// Own names and levels of the rows of [`degradation_table`].
pub fn heads(report: &Report, rule: Rule) -> Vec<Head> {
    let widths = report.of_rule(rule).count();
    report.languages.iter().flat_map(|language| vec![Head::of(language); widths]).collect()
}

/// Every width under every rule, and the unquantized model: what the charts of error and disparity are drawn from.
pub fn widths_table(report: &Report) -> Table {
    let row = |outcome: &Outcome| {
        vec![
            Cell::Text(words::rule(outcome.rule).into()),
            bits(outcome.bits),
            Cell::known(outcome.cost.disparity),
            Cell::known(outcome.cost.disparity_corrected),
            outcome.chance.map_or(Cell::Missing, Cell::Number),
            Cell::known(outcome.against_widest.map(|change| change.difference)),
            Cell::known(outcome.mean),
            Cell::known(outcome.cost.mean_high),
            Cell::known(outcome.cost.mean_low),
            Cell::Number(outcome.error.value),
            Cell::Figure(log2(&outcome.error)),
            Cell::Count(outcome.bytes),
        ]
    };
    let nothing = || Cell::Figure(Interval::point(0.0));
    let mut unquantized = vec![Cell::Text("unquantized".into()), Cell::Count(32), nothing(), nothing(), Cell::Missing];
    unquantized.extend([Cell::Missing, nothing(), nothing(), nothing(), Cell::Number(0.0), Cell::Missing]);
    unquantized.push(Cell::Count(report.bytes_full));
    let key = |outcome: &Outcome| format!("{}-{}", words::rule_key(outcome.rule), outcome.bits.get());
    Table {
        columns: vec![
            rule_column(),
            Column::plain("bits", "Bits", "Bits per weight"),
            Column::measured("disparity", "Disparity", "Largest D − smallest D over trained languages"),
            Column::measured("disparity_corrected", "Corrected", "Disparity less what noise alone adds, 2·θ̂ − mean θ*"),
            Column::plain(
                "chance",
                "Chance",
                "How often languages that lose the same would lie as far apart by noise alone",
            ),
            Column::measured("against_widest", "Rise", "Disparity less that of the widest width, paired over texts"),
            Column::measured("mean_degradation", "Mean D", "Over trained languages"),
            Column::measured("mean_high", "High", "Mean D of high-resource languages"),
            Column::measured("mean_low", "Low", "Mean D of low-resource languages"),
            Column::plain("error", "Squared error", "Of the weights, over their variance"),
            Column::measured("log2_error", "log₂ of it", "Rate–distortion says −2B; the interval is over matrices"),
            Column::plain("bytes", "Bytes", "Memory of all weights, scales included"),
        ],
        of: "width",
        keys: report.outcomes.iter().map(key).chain(["unquantized".into()]).collect(),
        apart: report.outcomes.iter().map(|_| false).chain([true]).collect(),
        rows: report.outcomes.iter().map(row).chain([unquantized]).collect(),
    }
}

fn widths(of: &[Bits]) -> String {
    let each: Vec<String> = of.iter().map(|bits| bits.get().to_string()).collect();
    each.join(", ")
}

/// Every slope, beside the law's and the grid's.
pub fn slopes_table(report: &Report) -> Table {
    let row = |slope: &Slope| {
        vec![
            Cell::Text(measure(slope.measure).into()),
            Cell::Text(words::rule(slope.rule).into()),
            Cell::known(slope.slope),
            Cell::Number(LAW),
            slope.grid.map_or(Cell::Missing, Cell::Number),
            Cell::Text(widths(&slope.bits)),
        ]
    };
    Table {
        columns: vec![
            Column::plain("measure", "What falls", "log₂ of it is taken"),
            rule_column(),
            Column::measured("slope", "Slope per bit", "log₂ of the figure against the width, least squares"),
            Column::plain("law", "Rate–distortion", "Slope of σ²·2^(−2B)"),
            Column::plain("grid", "Grid's step", "Slope of 1/(2^(B−1) − 1)² over the same widths"),
            Column::plain("widths", "Widths", "Those at which the figure's interval lies above 0"),
        ],
        of: "row",
        keys: report
            .slopes
            .iter()
            .map(|slope| format!("{}-{}", measure_key(slope.measure), words::rule_key(slope.rule)))
            .collect(),
        apart: Vec::new(),
        rows: report.slopes.iter().map(row).collect(),
    }
}

/// B* under every rule.
pub fn critical_table(report: &Report) -> Table {
    let known = |of: Option<Bits>| of.map_or(Cell::Missing, bits);
    let row = |critical: &Critical| {
        vec![
            Cell::Text(words::rule(critical.rule).into()),
            known(critical.equal),
            known(critical.emerges),
            known(critical.surely),
            known(critical.maybe),
        ]
    };
    Table {
        columns: vec![
            rule_column(),
            Column::plain(
                "equal",
                "Equal from",
                "Narrowest width from which on equal languages would show as much by chance",
            ),
            Column::plain("emerges", "Theory's B*", "Widest width at which disparity is above 0.020"),
            Column::plain("surely", "Surely", "Widest at which it surely is, corrected for noise"),
            Column::plain("maybe", "Perhaps", "Widest at which it may be, corrected for noise"),
        ],
        of: "row",
        keys: report.critical.iter().map(|critical| words::rule_key(critical.rule).into()).collect(),
        apart: Vec::new(),
        rows: report.critical.iter().map(row).collect(),
    }
}

/// Every claim under every rule, claim by claim.
pub fn verdict_table(report: &Report) -> Table {
    let of_claim = |own: Claim| report.verdicts.iter().filter(move |verdict| verdict.claim == own);
    let ruled = Claim::ALL
        .into_iter()
        .flat_map(of_claim)
        .map(|own| Ruled::from(own).under(words::rule_key(own.rule), [Cell::Text(words::rule(own.rule).into())]));
    verdicts::table([rule_column()], ruled)
}
