//! The Statistics report: how figures go together, what one row does to that, the power there was, and p corrected for all tests.

mod charts;
mod tables;

use crate::report::{chance::Chance, format};

use super::{Claim, Pair, Report};
pub use crate::math::power::{LEAST_PAIRS, MOST_PAIRS};
pub use charts::{coefficients_chart, influence_chart, power_chart, scatter};
pub use tables::{
    columns_table, contrasts_table, influence_table, pairs_table, power_table, scatter_table, tests_table,
    verdict_table,
};

/// The claim in short.
pub fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::X1 => "X1: power for |r| > 0.7 is about .85 at n = 12, and above .95 at n = 30",
        Claim::X2 => "X2: 217 tests ask Bonferroni for .00023; Benjamini–Hochberg is less strict",
    }
}

/// What a row is called.
pub fn row_name(report: &Report, row: usize) -> String {
    report.config.labels.get(row).cloned().unwrap_or_else(|| format!("row {}", row + 1))
}

/// What a pair of columns is called.
pub fn pair_name(report: &Report, pair: &Pair) -> String {
    let name = |column: usize| report.config.columns.get(column).map_or("", |column| &column.name);
    format!("{} and {}", name(pair.columns.0), name(pair.columns.1))
}

/// On the page and in files.
pub fn pair_key(pair: &Pair) -> String {
    format!("{}-{}", pair.columns.0, pair.columns.1)
}

/// What was found, in a sentence or two.
pub fn sentence(report: &Report) -> String {
    let tests = report.tests.len();
    if tests == 0 {
        return power_sentence(report);
    }
    let alpha = report.config.alpha;
    let rejected = |of: fn(&crate::math::multiplicity::Adjusted) -> f64| {
        report.tests.iter().filter(|test| of(&test.adjusted) <= alpha).count()
    };
    let alone = report.tests.iter().filter(|test| test.p <= alpha).count();
    let earlier = report.tests.iter().filter(|test| !test.here).count();
    let before = match earlier {
        0 => String::new(),
        earlier => format!(", {} of them made earlier", format::count(earlier as u64)),
    };
    let told = format!(
        "Of {} in the family “{}”{before}, {} a p of at most {alpha} taken alone; corrected for their number, {} by Bonferroni, \
         {} by Holm and {} by Benjamini–Hochberg.",
        format::counted(tests as u64, "test"),
        report.config.family,
        if alone == 1 { "1 has".to_string() } else { format!("{alone} have") },
        rejected(|of| of.bonferroni),
        rejected(|of| of.holm),
        rejected(|of| of.benjamini_hochberg),
    );
    match strongest(report) {
        Some(pair) => format!("{told} {}", pair_sentence(report, pair)),
        None => told,
    }
}

/// The pair whose r is furthest from 0.
fn strongest(report: &Report) -> Option<&Pair> {
    let size = |pair: &&Pair| pair.found.map_or(-1.0, |found| found.pearson.value.abs());
    report.pairs.iter().filter(|pair| pair.found.is_some()).max_by(|a, b| size(a).total_cmp(&size(b)))
}

/// r with its interval, what is left of it with others held constant, and what one row does to it.
pub fn pair_sentence(report: &Report, pair: &Pair) -> String {
    let name = pair_name(report, pair);
    let Some(found) = pair.found else {
        return format!(
            "There is no r of {name}: it needs at least three rows with both figures, and both must vary; here are {}.",
            format::counted(pair.n as u64, "row")
        );
    };
    let told = match (found.pearson.low > 0.0, found.pearson.high < 0.0) {
        (true, _) => "above 0",
        (_, true) => "below 0",
        _ => "not to be told from 0",
    };
    let chance = |p: f64| Chance::new(p, report.config.permutations).told();
    let mut sentence = format!(
        "r of {name} is {} over {} (permutation p {}), {told}; ρ is {} (p {}).",
        format::interval(&found.pearson),
        format::counted(found.n as u64, "row"),
        chance(found.pearson_p),
        format::interval(&found.spearman),
        chance(found.spearman_p),
    );
    if let Some(partial) = &pair.partial {
        let given: Vec<&str> = report.config.given.iter().map(|&at| report.config.columns[at].name.as_str()).collect();
        sentence += &format!(
            " With {} held constant it is {} (p {}).",
            given.join(", "),
            format::interval(&partial.r),
            chance(partial.p)
        );
    }
    if let (Some(first), Some((low, high))) = (pair.influence.first(), pair.without_one) {
        let turns = if low.signum() != high.signum() { ": one row decides its sign" } else { "" };
        sentence += &format!(
            " Without one row it lies between {} and {}{turns}; {} moves it most.",
            format::figure(low),
            format::figure(high),
            row_name(report, first.row)
        );
    }
    sentence
}

/// The power that was asked for.
pub fn power_sentence(report: &Report) -> String {
    let (config, power) = (&report.config, &report.power);
    let needed = match power.needed {
        Some(needed) => format!("For a power of {} it takes {} pairs.", config.wanted, format::count(needed as u64)),
        None => format!("A power of {} is not reached with {} pairs.", config.wanted, format::count(MOST_PAIRS as u64)),
    };
    format!(
        "Where the true correlation is {}, a two-sided test at α = {} over {} pairs finds it with probability {} (exact; Fisher's z \
         says {}): |r| must pass {}. {needed}",
        config.rho,
        config.alpha,
        format::count(config.pairs as u64),
        format::fixed(power.exact, 3),
        format::fixed(power.fisher, 3),
        format::fixed(power.critical, 3),
    )
}

/// What the figures rest on.
pub fn footnotes(report: &Report) -> Vec<String> {
    let config = &report.config;
    let mut notes = vec![
        format!(
            "Intervals of r, ρ, partial r and d by bootstrap: 95%, BCa over rows. p: two-sided, by shuffling. {} resamples, {} \
             shuffles, seed {}.",
            format::count(config.draws.resamples as u64),
            format::count(config.permutations as u64),
            config.draws.seed
        ),
        "A row with a missing figure is left out of the pairs that need it. The p of r and of ρ are two tests, and both are counted."
            .into(),
        "Power: the exact distribution of r where both figures are normal, integrated; it is not the power of the shuffles, which \
         comes near it."
            .into(),
    ];
    if config.groups.is_some() {
        notes.push(
            "d is the difference of two means over their pooled standard deviation, g the same less its bias in small groups. \
             Their first interval is exact for normal groups (noncentral t), the second is by bootstrap over rows, so that the \
             groups' sizes vary too."
                .into(),
        );
    }
    if !config.given.is_empty() {
        notes.push(
            "Partial r: both columns are fitted by those held constant (least squares), and what is left of them is correlated; for \
             its p what is left of one is shuffled."
                .into(),
        );
    }
    notes.push(crate::lab::made(&report.origin));
    notes
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("statistics-{}", report.config.family))
}
