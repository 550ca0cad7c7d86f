//! What charts and tables take for granted of each analysis' report: as many of everything as there must be.

use serde::Deserialize;
use serde_json::Value;

use super::ImportError;
use crate::{
    analysis::{
        Report, activation, causes, clipping,
        degradation::{Cost, Language},
        dial, family, gateway, languages, matrix, mitigation, redundancy, representation, screening, statistics, sweep,
        tokens, weights,
    },
    math::{clipping::Rule, grouping::Layout, mosaic::Mosaic, sets::MOST_LAYERS},
    report::words::rule_key,
};

/// Characters of a stranger's name of a rule that a sentence has.
const SHOWN_OF_RULE: usize = 40;

/// Whether the parts of a report belong together.
pub(super) fn check(report: &Report) -> Result<(), ImportError> {
    report.config().check().map_err(|fault| ImportError::Unfitting(fault.to_string()))?;
    match report {
        Report::Languages(report) => languages(report),
        Report::Weights(report) => weights(report),
        Report::Clipping(report) => clipping(report),
        Report::Activation(report) => activation(report),
        Report::Mitigation(report) => mitigation(report),
        Report::Dial(report) => dial(report),
        Report::Gateway(report) => gateway(report),
        Report::Redundancy(report) => redundancy(report),
        Report::Representation(report) => representation(report),
        Report::Statistics(report) => statistics(report),
        Report::Causes(report) => causes(report),
        Report::Family(report) => family(report),
        Report::Sweep(report) => sweep(report),
        Report::Screening(report) => screening(report),
        Report::Matrix(report) => matrix(report),
        Report::Tokens(report) => tokens(report),
    }
}

/// As many as there must be.
fn count(what: &str, came: usize, expected: usize) -> Result<(), ImportError> {
    match came == expected {
        true => Ok(()),
        false => Err(ImportError::Unfitting(format!("{what} should be {expected}, and there are {came}"))),
    }
}

/// A number that counts from 0.
fn below(what: &str, came: usize, bound: usize) -> Result<(), ImportError> {
    match came < bound {
        true => Ok(()),
        false => Err(ImportError::Unfitting(format!("{what} is {came}, and there are only {bound}"))),
    }
}

fn codes<'a>(asked: &[String], came: impl ExactSizeIterator<Item = &'a String>) -> Result<(), ImportError> {
    count("the languages", came.len(), asked.len())?;
    match asked.iter().eq(came) {
        true => Ok(()),
        false => Err(ImportError::Unfitting("its languages are not those that were asked for".into())),
    }
}

fn costs(cost: &Cost, languages: &[Language]) -> Result<(), ImportError> {
    count("the losses of a row", cost.degradation.len(), languages.len())
}

fn languages(report: &languages::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.rows.iter().map(|row| &row.code))
}

fn weights(report: &weights::Report) -> Result<(), ImportError> {
    for (number, layer) in report.layers.iter().enumerate() {
        count("the number of a layer", layer.layer, number)?;
    }
    report.tensors.iter().try_for_each(|tensor| below("the layer of a matrix", tensor.layer, report.layers.len()))
}

/// Of two figures of one rule nobody could tell which holds.
fn each_once(of: &str, rules: &[Rule]) -> Result<(), ImportError> {
    match rules.iter().enumerate().find(|(at, rule)| rules[..*at].contains(rule)) {
        Some((_, rule)) => Err(ImportError::Unfitting(format!("{of} has the rule {} twice", rule_key(*rule)))),
        None => Ok(()),
    }
}

/// Refuses a Clipping report with a rule that is not known here, by its name. It may be of a newer program, so it is told apart
/// from what is no report at all.
pub(super) fn known_rules(report: &Value) -> Result<(), ImportError> {
    if report["analysis"] != "clipping" {
        return Ok(());
    }
    fn list<'a>(of: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
        of[key].as_array().into_iter().flatten()
    }
    let choices = list(report, "tensors").flat_map(|tensor| list(tensor, "choices"));
    let mut rules = choices.chain(list(report, "losses")).map(|choice| &choice["rule"]);
    match rules.find(|rule| rule.is_string() && Rule::deserialize(*rule).is_err()).and_then(Value::as_str) {
        Some(name) => Err(ImportError::UnknownRule(name.chars().take(SHOWN_OF_RULE).collect())),
        None => Ok(()),
    }
}

/// A report from before a rule was added has fewer rules than there are now, the same for every matrix.
fn clipping(report: &clipping::Report) -> Result<(), ImportError> {
    if report.places.is_empty() {
        return Err(ImportError::Unfitting("its curves have no places".into()));
    }
    let tensors = report.tensors.len();
    for tensor in &report.tensors {
        below("the layer of a matrix", tensor.layer, tensors)?;
        count("the places of a curve", tensor.curve.len(), report.places.len())?;
        let own: Vec<Rule> = tensor.choices.iter().map(|choice| choice.rule).collect();
        each_once("a matrix", &own)?;
        if !own.contains(&Rule::Optimal) {
            let what = format!("{} lacks the exact optimum, against which all rules are held", tensor.name);
            return Err(ImportError::Unfitting(what));
        }
        if let Some(other) = report.tensors[0].choices.iter().find(|choice| !own.contains(&choice.rule)) {
            let what = format!("{} lacks the rule {}, which other matrices have", tensor.name, rule_key(other.rule));
            return Err(ImportError::Unfitting(what));
        }
        count("the rules of a matrix", own.len(), report.tensors[0].choices.len())?;
    }
    if let Some(fit) = &report.fit {
        count("the residuals", fit.residuals.len(), tensors)?;
    }
    codes(&report.config.languages, report.languages.iter().map(|language| &language.code))?;
    for language in &report.languages {
        count("the matrices of a language", language.tensors.len(), tensors)?;
        count("the layers of a language", language.activation.len(), report.languages[0].activation.len())?;
    }
    each_once("the losses", &report.losses.iter().map(|loss| loss.rule).collect::<Vec<_>>())?;
    report.losses.iter().try_for_each(|loss| count("the losses", loss.degradation.len(), report.languages.len()))
}

fn activation(report: &activation::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    for row in &report.rows {
        count("the norms of a language", row.norms.len(), report.layers.len())?;
        count("the shares of a language", row.shares.len(), report.layers.len())?;
    }
    count("the correlations", report.correlations.len(), activation::Pair::ALL.len())
}

fn mitigation(report: &mitigation::Report) -> Result<(), ImportError> {
    let languages = report.languages.len();
    codes(&report.config.languages, report.languages.iter().map(|language| &language.code))?;
    report.rows.iter().try_for_each(|row| costs(&row.cost, &report.languages))?;
    report.outliers.iter().try_for_each(|&layer| below("an outlier layer", layer, report.kurtosis.len()))?;
    for row in report
        .confusion
        .iter()
        .flat_map(|confusion| [confusion.guesses.len()].into_iter().chain(confusion.guesses.iter().map(Vec::len)))
    {
        count("the guesses", row, languages)?;
    }
    Ok(())
}

fn dial(report: &dial::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.languages.iter().map(|language| &language.code))?;
    count("the shares of the turned layers", report.turned_share.len(), report.languages.len())?;
    let layers = report.points.first().map_or(0, |point| point.kurtosis.len());
    report.points.iter().try_for_each(|point| count("the layers of a point", point.kurtosis.len(), layers))?;
    for outcome in &report.outcomes {
        below("the point of an outcome", outcome.point, report.points.len())?;
        costs(&outcome.cost, &report.languages)?;
        if let Some(protected) = &outcome.protected {
            costs(&protected.cost, &report.languages)?;
            protected.layers.iter().try_for_each(|&layer| below("a protected layer", layer, layers))?;
        }
    }
    Ok(())
}

fn gateway(report: &gateway::Report) -> Result<(), ImportError> {
    let layers = report.layers.len();
    below("the number of layers", layers, MOST_LAYERS + 1)?;
    codes(&report.config.languages, report.languages.iter().map(|language| &language.code))?;
    below("the number of sets", report.rows.len(), gateway::MOST_SETS + 1)?;
    let sets = report.rows.iter().map(|row| row.set).chain(report.picks.iter().map(|pick| pick.set));
    for layer in sets.flat_map(|set| set.layers().last()) {
        below("a layer of a set", layer, layers)?;
    }
    for row in &report.rows {
        costs(&row.cost, &report.languages)?;
        if row.bytes == 0 {
            return Err(ImportError::Unfitting("a set of weights takes no bytes".into()));
        }
    }
    report.interactions.iter().try_for_each(|of| {
        below("the first layer of a pair", of.layers.0, of.layers.1)?;
        below("a layer of a pair", of.layers.1, layers)
    })
}

fn redundancy(report: &redundancy::Report) -> Result<(), ImportError> {
    let layers = report.layers.len();
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    for row in &report.rows {
        count("the ways of measuring redundancy", row.redundancy.len(), redundancy::Measure::ALL.len())?;
        count("the spectra of a language", row.spectrum.len(), layers)?;
    }
    let excess = report.relations.iter().flat_map(|of| &of.bounds);
    excess.clone().try_for_each(|bound| count("the languages at a bound", bound.excess.len(), report.rows.len()))
}

fn representation(report: &representation::Report) -> Result<(), ImportError> {
    let layers = report.rows.first().map_or(0, |row| row.layers.len());
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    for row in &report.rows {
        count("the layers of a language", row.layers.len(), layers)?;
        count("the probes of a language", row.lost.len(), report.probes.len())?;
    }
    report.probes.iter().try_for_each(|probe| count("the layers of a probe", probe.layers.len(), layers))?;
    for of in [&report.spread.entropy, &report.spread.claimed].into_iter().filter(|of| !of.is_empty()) {
        count("the entropies of layers", of.len(), layers)?;
    }
    count("the entropies over languages", report.spread.claimed.len(), report.spread.entropy.len())
}

fn causes(report: &causes::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    below("the number of outlier layers", report.outliers.len(), MOST_LAYERS + 1)
}

fn family(report: &family::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    count("the models", report.models.len(), family::CELLS)
}

fn statistics(report: &statistics::Report) -> Result<(), ImportError> {
    let config = &report.config;
    let (columns, rows) = (config.columns.len(), config.columns.first().map_or(0, |column| column.values.len()));
    count("the columns", report.columns.len(), columns)?;
    let asked = config.pairs_asked();
    count("the pairs", report.pairs.len(), asked.len())?;
    for (pair, asked) in report.pairs.iter().zip(asked) {
        if pair.columns != asked {
            return Err(ImportError::Unfitting("its pairs of columns are not those that were asked for".into()));
        }
        pair.influence.iter().try_for_each(|of| below("a row", of.row, rows))?;
    }
    count("the contrasts", report.contrasts.len(), if config.groups.is_some() { columns } else { 0 })?;
    report.contrasts.iter().try_for_each(|contrast| below("a column", contrast.column, columns))?;
    below("the number of tests", report.tests.len(), 3 * report.pairs.len() + columns + config.earlier.len() + 1)?;
    below("the places of the curve", report.power.curve.len(), 1_000)
}

fn sweep(report: &sweep::Report) -> Result<(), ImportError> {
    let config = &report.config;
    codes(&config.languages, report.languages.iter().map(|language| &language.code))?;
    let mut widths = config.bits.clone();
    widths.sort_unstable();
    let asked = config.rules.iter().flat_map(|&rule| widths.iter().map(move |&bits| (rule, bits)));
    if !report.outcomes.iter().map(|outcome| (outcome.rule, outcome.bits)).eq(asked) {
        return Err(ImportError::Unfitting("its widths and rules are not those that were asked for".into()));
    }
    report.outcomes.iter().try_for_each(|outcome| costs(&outcome.cost, &report.languages))?;
    count("the slopes", report.slopes.len(), config.rules.len() * sweep::Measure::ALL.len())
}

fn screening(report: &screening::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    if report.layers.is_empty() {
        return Err(ImportError::Unfitting("it has no layers".into()));
    }
    count("the conditions", report.conditions.len(), 3)
}

fn matrix(report: &matrix::Report) -> Result<(), ImportError> {
    let (rows, columns) = report.size;
    let layout = Layout { k: report.channels.0, n: report.channels.1, transposed: false };
    if !report.window.is_of(layout) || report.mosaic() != Mosaic::new(report.window, matrix::MOST_CELLS) {
        return Err(ImportError::Unfitting("its cells are not those of its window".into()));
    }
    for cells in [&report.full, &report.quantized, &report.difference] {
        count("the cells", cells.len(), rows * columns)?;
    }
    count("the codes", report.codes.len(), 2 * report.config.bits.levels() as usize + 1)
}

fn tokens(report: &tokens::Report) -> Result<(), ImportError> {
    codes(&report.config.languages, report.rows.iter().map(|row| &row.language.code))?;
    for row in &report.rows {
        let asked = row.tokens.iter().filter(|token| token.nats.is_some()).count();
        count("the scored tokens of a language", asked, row.scored as usize)?;
        if !matches!(row.language.direction.as_str(), "ltr" | "rtl") {
            return Err(ImportError::Unfitting("a language is written neither from left nor from right".into()));
        }
    }
    Ok(())
}
