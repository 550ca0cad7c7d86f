//! What figures can say together: correlations, plain and partial, groups set against each other, what one row does to them, the
//! power there was, and p corrected for all tests of a named family.
//!
//! It needs neither a model nor texts: its configuration holds the figures.

mod check;
mod verdicts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AnalysisError, Needs,
    lab::{Lab, Progress, Step},
    languages::LEVEL,
    origin::Made,
};
use crate::math::{
    correlation::{Correlation, Draws, correlate},
    effect::{Effect, compare},
    influence::left_out,
    metrics,
    multiplicity::{Adjusted, adjust},
    power,
    regression::correlate_given,
    statistics::Interval,
};

pub use check::{FiguresError, MOST_COLUMNS, MOST_EARLIER, MOST_LETTERS, MOST_ROWS};
pub use verdicts::{Claim, Verdict};

/// Rows of a pair that are told, those that move r most.
pub const MOST_INFLUENTIAL: usize = 20;
/// Places of the curve of power.
const CURVE: usize = 32;

/// What to compute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsConfig")]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the tests that are corrected together are called.
    pub family: String,
    /// What each row is called; empty where rows are numbered.
    pub labels: Vec<String>,
    /// The figures; none where only power is asked for.
    pub columns: Vec<Column>,
    /// Each other column goes with this one; none for every pair of columns.
    pub target: Option<usize>,
    /// Columns that are held constant in the partial correlations.
    pub given: Vec<usize>,
    /// Two groups of rows, which are compared in every column.
    pub groups: Option<Groups>,
    /// Tests of the family that were made before.
    pub earlier: Vec<Earlier>,
    /// Below this a p rejects.
    pub alpha: f64,
    /// The true correlation that power is worked out for.
    pub rho: f64,
    /// Over so many pairs.
    pub pairs: usize,
    /// Power that is wanted, for the number of pairs that it needs.
    pub wanted: f64,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Shuffles behind each p.
    pub permutations: usize,
    /// Seed of both.
    pub seed: u64,
}

/// A column of figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsColumn")]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// One per row; none where a figure is missing.
    pub values: Vec<Option<f64>>,
}

/// Two groups of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsGroups")]
#[serde(deny_unknown_fields)]
pub struct Groups {
    /// What the first and the second are called.
    pub names: (String, String),
    /// For each row 1 or 2 for its group, 0 for neither.
    pub rows: Vec<u8>,
}

/// A test that was made before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsEarlier")]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// What was tested.
    pub name: String,
    /// Its p.
    pub p: f64,
}

/// A column in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsSummary")]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// Figures that are there.
    pub n: usize,
    /// Their mean; none of nothing.
    pub mean: Option<f64>,
    /// Their standard deviation, of a sample; none for fewer than two.
    pub deviation: Option<f64>,
    /// The least and the largest.
    pub span: Option<(f64, f64)>,
}

/// r without one row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsInfluence")]
pub struct Influence {
    /// Number of the row, from 0.
    pub row: usize,
    /// r of the others.
    pub r: f64,
}

/// A correlation with other columns held constant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsPartial")]
pub struct Partial {
    /// Rows that have all figures.
    pub n: usize,
    /// Partial r, with its BCa interval over rows.
    pub r: Interval,
    /// Two-sided permutation p of it: what is left of one column is shuffled.
    pub p: f64,
}

/// Two columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsPair")]
pub struct Pair {
    /// Numbers of the two columns.
    pub columns: (usize, usize),
    /// Rows that have both figures.
    pub n: usize,
    /// None for fewer than three rows, and where a column does not vary.
    pub found: Option<Correlation>,
    /// None where nothing is held constant, or nothing is left.
    pub partial: Option<Partial>,
    /// Least and largest r without one row.
    pub without_one: Option<(f64, f64)>,
    /// The rows that move r most, the first most, at most [`MOST_INFLUENTIAL`].
    pub influence: Vec<Influence>,
}

/// A column of both groups.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsContrast")]
pub struct Contrast {
    /// Number of the column.
    pub column: usize,
    /// None where a group has fewer than two figures, or they do not vary.
    pub effect: Option<Effect>,
}

/// A test of the family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsTest")]
pub struct Test {
    /// What was tested.
    pub name: String,
    /// Whether it was made here, or earlier.
    pub here: bool,
    /// Its p.
    pub p: f64,
    /// Corrected for all tests of the family.
    #[serde(flatten)]
    pub adjusted: Adjusted,
}

/// Power of a two-sided test of r.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsPower")]
pub struct Power {
    /// |r| that the test must pass.
    pub critical: f64,
    /// By the exact distribution of r.
    pub exact: f64,
    /// By Fisher's z, for comparison.
    pub fisher: f64,
    /// Fewest pairs with the power that is wanted; none up to 100,000.
    pub needed: Option<usize>,
    /// Pairs and exact power, ascending.
    pub curve: Vec<(usize, f64)>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StatisticsReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Made,
    /// In the order of the config.
    pub columns: Vec<Summary>,
    /// Every pair that was asked for.
    pub pairs: Vec<Pair>,
    /// Every column, where there are groups.
    pub contrasts: Vec<Contrast>,
    /// The whole family: the tests made here, then those made earlier.
    pub tests: Vec<Test>,
    /// As asked.
    pub power: Power,
    /// What this says of the seeds' claims.
    pub verdicts: Vec<Verdict>,
}

impl Config {
    /// Nothing but itself.
    pub fn needs(&self) -> Needs<'_> {
        Needs::Nothing
    }

    /// Pairs of columns, in the order of the report. What is held constant is no part of any.
    pub fn pairs_asked(&self) -> Vec<(usize, usize)> {
        let free: Vec<usize> = (0..self.columns.len()).filter(|at| !self.given.contains(at)).collect();
        match self.target {
            Some(target) => free.into_iter().filter(|at| *at != target).map(|at| (at, target)).collect(),
            None => free.iter().enumerate().flat_map(|(at, &x)| free[at + 1..].iter().map(move |&y| (x, y))).collect(),
        }
    }

    fn draws(&self) -> Draws {
        Draws { resamples: self.resamples, permutations: self.permutations, level: LEVEL, seed: self.seed }
    }

    /// The rows in which all of these columns have a figure, and the figures, column by column.
    fn complete(&self, columns: &[usize]) -> (Vec<usize>, Vec<Vec<f64>>) {
        let rows = self.columns.first().map_or(0, |column| column.values.len());
        let whole = |row: &usize| columns.iter().all(|&column| self.columns[column].values[*row].is_some());
        let rows: Vec<usize> = (0..rows).filter(whole).collect();
        let of = |&column: &usize| rows.iter().filter_map(|&row| self.columns[column].values[row]).collect();
        let figures = columns.iter().map(of).collect();
        (rows, figures)
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
    let name = |column: usize| config.columns[column].name.as_str();
    let mut made: Vec<(String, bool, f64)> = Vec::new();
    for Pair { columns: (x, y), found, partial, .. } in pairs {
        let both = format!("{} and {}", name(*x), name(*y));
        if let Some(found) = found {
            made.push((format!("r of {both}"), true, found.pearson_p));
            made.push((format!("ρ of {both}"), true, found.spearman_p));
        }
        if let Some(partial) = partial {
            let given: Vec<&str> = config.given.iter().map(|&at| name(at)).collect();
            made.push((format!("r of {both} given {}", given.join(", ")), true, partial.p));
        }
    }
    for Contrast { column, effect } in contrasts {
        if let (Some(effect), Some(Groups { names: (first, second), .. })) = (effect, &config.groups) {
            made.push((format!("{} of {first} and {second}", name(*column)), true, effect.p));
        }
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
