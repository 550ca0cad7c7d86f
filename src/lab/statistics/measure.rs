//! The figures themselves, from the configuration alone.

use super::{
    CURVE, Column, Config, Contrast, Groups, Influence, MOST_INFLUENTIAL, Pair, Partial, Power, Report, Summary, Test,
    verdicts,
};
use crate::lab::{
    AnalysisError, Measuring,
    origin::Made,
    runner::{Lab, Progress, Step},
};
use crate::math::{
    correlation::correlate,
    effect::{Effect, compare},
    influence::left_out,
    metrics,
    multiplicity::adjust,
    power,
    regression::correlate_given,
};

impl Measuring for Config {
    async fn alone(&self, heard: &impl AsyncFn(Progress)) -> Option<Result<Report, AnalysisError>> {
        Some(compute(self, heard).await)
    }
}

/// The same with a model at hand, which it does not look at.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    let heard = async |progress| {
        lab.tell(progress);
        lab.pause().await;
    };
    compute(config, &heard).await
}

/// Everything, from the configuration alone. `heard` hears how far it is and is awaited between tests.
pub async fn compute(config: &Config, heard: &impl AsyncFn(Progress)) -> Result<Report, AnalysisError> {
    config.check()?;
    let asked = config.pairs_asked();
    let total = asked.len() + config.groups.as_ref().map_or(0, |_| config.columns.len()) + 1;
    let (mut pairs, mut contrasts) = (Vec::new(), Vec::new());
    for (x, y) in asked {
        heard(Progress { step: Step::Tests, done: pairs.len(), total }).await;
        pairs.push(pair(config, x, y));
    }
    if let Some(groups) = &config.groups {
        for column in 0..config.columns.len() {
            heard(Progress { step: Step::Tests, done: pairs.len() + column, total }).await;
            contrasts.push(Contrast { column, effect: contrast(config, groups, column) });
        }
    }
    heard(Progress { step: Step::Tests, done: total - 1, total }).await;
    let (tests, power) = (family(config, &pairs, &contrasts), powers(config));
    heard(Progress { step: Step::Tests, done: total, total }).await;
    Ok(Report {
        config: config.clone(),
        origin: Made::of_numbers(),
        columns: config.columns.iter().map(summary).collect(),
        verdicts: verdicts::all(&tests, config.alpha),
        pairs,
        contrasts,
        tests,
        power,
    })
}

fn summary(column: &Column) -> Summary {
    let values: Vec<f64> = column.values.iter().flatten().copied().collect();
    let n = values.len();
    let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    Summary {
        name: column.name.clone(),
        n,
        mean: metrics::mean(&values),
        deviation: (n > 1).then(|| libm::sqrt(metrics::variance(&values) * n as f64 / (n - 1) as f64)),
        span: (n > 0).then_some(ends),
    }
}

fn pair(config: &Config, x: usize, y: usize) -> Pair {
    let draws = config.draws();
    let (rows, figures) = config.complete(&[x, y]);
    let found = correlate(&figures[0], &figures[1], &draws);
    let partial = (!config.given.is_empty()).then(|| {
        let (rows, figures) = config.complete(&[&[x, y], &config.given[..]].concat());
        let given: Vec<&[f64]> = figures[2..].iter().map(Vec::as_slice).collect();
        let (r, p) = correlate_given(&figures[0], &figures[1], &given, &draws)?;
        Some(Partial { n: rows.len(), r, p })
    });
    let mut influence = Vec::new();
    if let Some(found) = &found {
        let without = rows.iter().zip(left_out(&figures[0], &figures[1]));
        influence.extend(without.filter_map(|(&row, r)| r.map(|r| Influence { row, r })));
        let moved = |of: &Influence| (of.r - found.pearson.value).abs();
        influence.sort_by(|a, b| moved(b).total_cmp(&moved(a)).then(a.row.cmp(&b.row)));
    }
    let ends =
        influence.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), of| (low.min(of.r), high.max(of.r)));
    let without_one = (!influence.is_empty()).then_some(ends);
    influence.truncate(MOST_INFLUENTIAL);
    Pair { columns: (x, y), n: rows.len(), found, partial: partial.flatten(), without_one, influence }
}

fn contrast(config: &Config, groups: &Groups, column: usize) -> Option<Effect> {
    let in_group = groups.rows.iter().zip(&config.columns[column].values).filter(|(group, _)| **group > 0);
    let both = in_group.filter_map(|(group, value)| value.map(|value| (value, *group == 1)));
    let (values, first): (Vec<f64>, Vec<bool>) = both.unzip();
    compare(&values, &first, &config.draws())
}

/// Every test made here with its name, and those made before, all corrected for their number.
fn family(config: &Config, pairs: &[Pair], contrasts: &[Contrast]) -> Vec<Test> {
    let mut made: Vec<(String, bool, f64)> = Vec::new();
    for Pair { columns, found, partial, .. } in pairs {
        let p = [found.map(|of| of.pearson_p), found.map(|of| of.spearman_p), partial.map(|of| of.p)];
        let known = config.names_of_pair(*columns).into_iter().zip(p);
        made.extend(known.filter_map(|(name, p)| p.map(|p| (name, true, p))));
    }
    for Contrast { column, effect } in contrasts {
        made.extend(config.name_of_contrast(*column).zip(*effect).map(|(name, effect)| (name, true, effect.p)));
    }
    made.extend(config.earlier.iter().map(|test| (test.name.clone(), false, test.p)));
    let p: Vec<f64> = made.iter().map(|(.., p)| *p).collect();
    made.into_iter().zip(adjust(&p)).map(|((name, here, p), adjusted)| Test { name, here, p, adjusted }).collect()
}

fn powers(config: &Config) -> Power {
    let Config { rho, pairs, alpha, wanted, .. } = *config;
    let needed = power::pairs_needed(rho, alpha, wanted);
    // From the fewest pairs to well beyond what was asked and what is needed, evenly in their logarithm.
    let furthest = (2 * pairs.max(needed.unwrap_or(0))).clamp(16, power::MOST_PAIRS) as f64;
    let least = power::LEAST_PAIRS as f64;
    let place = |at: usize| least * libm::pow(furthest / least, at as f64 / (CURVE - 1) as f64);
    let mut places: Vec<usize> = (0..CURVE).map(|at| libm::round(place(at)) as usize).collect();
    places.dedup();
    Power {
        critical: power::critical(pairs, alpha),
        exact: power::power(rho, pairs, alpha),
        fisher: power::fisher_power(rho, pairs, alpha),
        needed,
        curve: places.into_iter().map(|pairs| (pairs, power::power(rho, pairs, alpha))).collect(),
    }
}
