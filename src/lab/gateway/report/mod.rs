//! The Gateway report: which layers to protect, out of every set of them, and what others would have protected.

use crate::report::{Interval, format, labels};

mod front;
mod layers;
mod names;
mod others;
mod ranking;
mod top;

use super::{Claim, Picker, Report, Row, ends, predicted};
pub use crate::arch::walk::ProtectedPart;
pub use crate::math::sets::{Branch, Family, LayerSet};
pub use front::{everything_table, front_chart, reach, within};
pub use layers::{Sweep, interactions, interactions_table, layers_table, sweep_chart, sweep_table};
pub use names::{PICKERS, PROTECTED_PARTS, claim, kept, named, picker, picker_explained, picker_key, set_key};
pub use others::{picks_table, verdict_table};
pub use ranking::{pairs, pairs_table, ranking_table};
pub use top::{TOP, top_heat, top_table};

/// The theory's budget.
const SEEDS_SIZE: usize = 3;

/// How many sets of a size there are.
fn sets_of(report: &Report, size: usize) -> u64 {
    u64::try_from(Family::new(report.layers.len(), [size]).count(Branch::ROOT)).unwrap_or(u64::MAX)
}

/// Sizes that can be ranked: those of the search which leave a choice, as far as a set of theirs is there.
pub fn sizes(report: &Report) -> Vec<usize> {
    let layers = report.layers.len();
    let swept = [1, 2, layers.saturating_sub(1)].into_iter().filter(|_| report.config.sweeps);
    let asked: std::collections::BTreeSet<usize> =
        report.config.sizes(report.layers.len()).into_iter().chain(swept).collect();
    let choice = |size: &usize| (1..layers).contains(size) && report.of_size(*size).next().is_some();
    asked.into_iter().filter(choice).collect()
}

/// The size that is shown first: the theory's where it was asked for, else the first that was.
pub fn first_size(report: &Report) -> Option<usize> {
    let sizes = sizes(report);
    let budgets = report.config.sizes(report.layers.len());
    let asked = |size: &usize| budgets.contains(size);
    let seeds = sizes.iter().copied().find(|size| *size == SEEDS_SIZE && asked(size));
    seeds.or(sizes.iter().copied().find(asked)).or(sizes.first().copied())
}

fn disparity(row: &Row) -> Option<f64> {
    row.cost.disparity.map(|of| of.value)
}

fn told_disparity(row: &Row) -> String {
    row.cost.disparity.map_or("not known".into(), |of| format::interval(&of))
}

/// A set and all its figures as a line.
fn told(report: &Report, row: &Row) -> String {
    let score = row.score.map(|of| format!(", FES {}", format::interval(&of))).unwrap_or_default();
    format!(
        "{}: disparity {}; {}, compression E = {}{score}",
        named(row.set),
        told_disparity(row),
        format::bytes(row.bytes),
        format::fixed(report.compression(row), 2)
    )
}

/// The smallest set, of any size, whose disparity is no further from that of the best set of a size than its interval goes.
pub fn cheapest(report: &Report, size: usize) -> Option<&Row> {
    let most = report.of_size(size).next()?.cost.disparity?.high;
    let near = report.rows.iter().filter(|row| disparity(row).is_some_and(|of| of <= most));
    near.min_by(|a, b| a.bytes.cmp(&b.bytes).then(disparity(a).unwrap_or(0.0).total_cmp(&disparity(b).unwrap_or(0.0))))
}

/// `88 of 312 sets so far`, for a search that has not come to its end.
pub fn so_far(report: &Report) -> Option<String> {
    let (there, all) = (format::count(report.rows.len() as u64), format::counted(report.sets as u64, "set"));
    (!report.whole()).then(|| format!("{there} of {all} so far"))
}

/// What the ranking of a size says.
pub fn sentence(report: &Report, size: usize) -> String {
    let so_far = so_far(report).map(|text| format!("{text}; the ranking can still change. ")).unwrap_or_default();
    let (rows, all) = (report.of_size(size).count() as u64, sets_of(report, size));
    let of_layers = format!("of {}", format::counted(size as u64, "layer"));
    let Some(best) = report.of_size(size).next() else {
        return format!("{so_far}No set {of_layers} has been evaluated yet.");
    };
    let among = if rows == all {
        format!("Of all {} {of_layers}", format::counted(all, "set"))
    } else {
        format!("Of {} {of_layers} that are there, out of {}", format::counted(rows, "set"), format::count(all))
    };
    let counted = report.languages.iter().filter(|language| language.counts()).count() as u64;
    let over = format!(
        "{} × {}",
        format::counted(counted, "language"),
        format::counted(report.config.texts.units as u64, "text")
    );
    let bits = report.config.quantizer.bits.get();
    let first = format!(
        "{among}, {} in full precision leaves the least disparity at {bits} bits: {} over {over}.",
        named(best.set),
        told_disparity(best)
    );
    let none =
        report.row(LayerSet::EMPTY).map(|row| format!(" With no layer protected it is {}.", told_disparity(row)));
    [Some(format!("{so_far}{first}")), none, expected(report, size), saved(report, size)]
        .into_iter()
        .flatten()
        .collect()
}

/// Where the theory's set stands, or the best one with the first and the last layer.
fn expected(report: &Report, size: usize) -> Option<String> {
    let layers = report.layers.len();
    let seeds = predicted(layers).filter(|set| set.len() == size);
    let held = report.of_size(size).find(|row| row.set.holds(ends(layers))).map(|row| row.set);
    let (set, called) = match seeds {
        Some(set) => (set, "The theory's set"),
        None => (held.filter(|_| size > 1)?, "The best set with the first and the last layer,"),
    };
    let place = report.of_size(size).position(|row| row.set == set)?;
    let row = report.of_size(size).nth(place)?;
    let pick = report.picks.iter().find(|pick| pick.set == set);
    let place = match pick {
        Some(pick) => {
            let Interval { value, low, high } = pick.rank;
            format!("number {value:.0} [{low:.0}, {high:.0}]")
        }
        None => format!("number {} for now", place + 1),
    };
    Some(format!(" {called} {} is {place} with {}.", named(set), told_disparity(row)))
}

/// What a smaller set within the interval of the best would save.
fn saved(report: &Report, size: usize) -> Option<String> {
    let (best, cheap) = (report.of_size(size).next()?, cheapest(report, size)?);
    Some(if cheap.bytes < best.bytes {
        format!(
            " Within the interval of that least disparity, the smallest set is {}: {} at E = {} instead of {}.",
            named(cheap.set),
            told_disparity(cheap),
            format::fixed(report.compression(cheap), 2),
            format::fixed(report.compression(best), 2)
        )
    } else {
        " No smaller set has a disparity within the interval of that one.".into()
    })
}

/// What the figures rest on.
pub fn footnotes(report: &Report, unit: &str) -> Vec<String> {
    let config = &report.config;
    let table = if config.rounded_table { "rounded too, under every set" } else { "in full precision under every set" };
    let mut notes = vec![
        format!(
            "Rounded to {} bits by the rule “{}”, one grid per {}: the weight matrices of the blocks. Of a protected layer {} \
             stays in full precision. The token table, which is also the head, is {table}.",
            config.quantizer.bits.get(),
            labels::rule(config.quantizer.rule),
            labels::granularity(config.quantizer.granularity),
            kept(config.protects)
        ),
        format!(
            "Brackets are 95% intervals: paired BCa bootstrap over {unit}s, {}, seed {}, n = {} per language. Places have the \
             quantiles of the same resamples.",
            format::counted(config.draws.resamples as u64, "resample"),
            config.draws.seed,
            format::counted(config.texts.units as u64, unit)
        ),
        "The best of many sets is best partly by luck: its interval is of that set on these texts and does not pay for the \
         choice, so on other texts its disparity is likely higher. Regret is measured against it and is likely lower there."
            .into(),
        "Disparity is the largest D less the smallest over languages seen in training, D = (PPL after − PPL before) ÷ PPL \
         before. Noise can only widen it."
            .into(),
        format!(
            "E = {} (f32) ÷ bytes. FES = √(efficiency × fairness), efficiency = 1 − 1 ÷ E, fairness = 1 ÷ (1 + disparity).",
            format::bytes(report.bytes_full)
        ),
    ];
    if report.rows.len() > report.sets {
        notes.push(format!(
            "{} were evaluated besides the {} asked for, on the ways of the greedy methods.",
            format::counted((report.rows.len() - report.sets) as u64, "set"),
            format::count(report.sets as u64)
        ));
    }
    notes.push(crate::lab::provenance(&report.origin));
    notes
}

/// Stem of the files that are saved.
pub fn file_stem(report: &Report) -> String {
    crate::report::file_stem(&format!("{}-gateway-{}bit", report.origin.model, report.config.quantizer.bits.get()))
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
