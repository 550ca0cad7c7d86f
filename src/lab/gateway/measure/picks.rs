//! What others would have protected: each method's set, its place among all, and what it loses.

use std::collections::BTreeMap;

use super::{found::Found, walk};
use crate::lab::{
    AnalysisError,
    effective_weights::inputs,
    gateway::{Layer, Pick, Picker, ends, predicted},
    layer_activation::{layer_kurtosis, mean_norms},
    plan::Seen,
    runner::Lab,
    sample::Reading,
    search::{Search, Walked},
};
use crate::{
    arch::{dial::Dial, recipe::Recipe},
    math::{
        moments::Moments,
        sets::{Family, LayerSet},
    },
};

/// What is known of each layer from the weights and from full precision.
pub(super) async fn layers(
    reading: &Reading,
    (seen, full): (&Seen, usize),
    recipe: &Recipe,
    lab: &impl Lab,
) -> Result<Vec<Layer>, AnalysisError> {
    let device = &lab.model().device;
    let languages = reading.texts.len() / reading.units;
    let once = vec![1; reading.units];
    let magnitudes: Vec<Vec<f64>> = (0..languages).map(|language| inputs(reading, seen, full, language)).collect();
    let norms: Vec<Vec<f64>> =
        (0..languages).map(|language| mean_norms(reading, seen, full, language, &once)).collect();
    let kurtosis = layer_kurtosis(&Dial::default(), lab).await?;
    let mean = |of: &dyn Fn(usize) -> f64| (0..languages).map(of).sum::<f64>() / languages as f64;
    let variance = |layer: usize| {
        let usual = mean(&|language| norms[language][layer]);
        mean(&|language| {
            let apart = norms[language][layer] / usual - 1.0;
            apart * apart
        })
    };
    let mut layers: Vec<Layer> = (0..kurtosis.len())
        .map(|layer| Layer { kurtosis: kurtosis[layer], output_error: 0.0, variance: variance(layer) })
        .collect();
    for ((layer, _, linear), (_, channels)) in device.spec.matrices().zip(device.spec.inputs()) {
        let Some(how) = recipe.tensors.get(&linear.weight) else { continue };
        let values = device.values(&linear.weight).await?;
        let sigma = Moments::of(&values).sigma();
        let mse = sigma * sigma * how.relative_mse(&values, linear.layout);
        let energy: f64 = channels
            .map(|channel| {
                let usual = mean(&|language| magnitudes[language][channel]);
                usual * usual
            })
            .sum();
        layers[layer].output_error += mse * energy * linear.layout.n as f64;
        lab.pause().await;
    }
    Ok(layers)
}

/// Every picker's choice for every budget. Greedy methods may ask for sets that were not walked yet.
pub(super) async fn all(found: &mut Found<'_>, search: &Search, lab: &impl Lab) -> Result<Vec<Pick>, AnalysisError> {
    let (layers, config) = (found.layers.len(), found.config);
    let sizes = config.sizes(layers);
    let budgets = || sizes.iter().copied().filter(|&budget| 0 < budget && budget < layers);
    let [mut forward, mut backward] = [BTreeMap::new(), BTreeMap::new()];
    if config.others {
        let (most, least) = (budgets().max().unwrap_or(0), budgets().min().unwrap_or(layers));
        forward = greedy(LayerSet::EMPTY, most, found, search, lab).await?;
        backward = greedy(LayerSet::all(layers), least, found, search, lab).await?;
    }
    let mut picks = Vec::new();
    for budget in budgets() {
        let ranking = found.ranking(budget);
        let Some(&best) = ranking.first() else { continue };
        let mut pick = |picker: Picker, set: Option<LayerSet>| {
            picks.extend(set.filter(|set| set.len() == budget).map(|set| Pick {
                picker,
                set,
                rank: found.rank(set, &ranking),
                among: ranking.len(),
                regret: found.difference(set, best),
            }));
        };
        pick(Picker::Predicted, predicted(layers));
        pick(Picker::Ends, ranking.iter().copied().find(|set| layers > 1 && set.holds(ends(layers))));
        if config.others {
            let most = |of: &dyn Fn(usize) -> f64| Some(greatest(layers, budget, of));
            let alone = |layer| LayerSet::EMPTY.with(layer);
            pick(Picker::Forward, forward.get(&budget).copied());
            pick(Picker::Backward, backward.get(&budget).copied());
            pick(Picker::Kurtosis, most(&|layer| found.layers[layer].kurtosis));
            pick(Picker::OutputError, most(&|layer| found.layers[layer].output_error));
            pick(Picker::Variance, most(&|layer| found.layers[layer].variance));
            pick(Picker::Additive, most(&|layer| -found.disparity(alone(layer))));
        }
    }
    Ok(picks)
}

/// The layers of the greatest figures; of equals the first.
fn greatest(layers: usize, count: usize, of: &dyn Fn(usize) -> f64) -> LayerSet {
    let mut order: Vec<usize> = (0..layers).collect();
    order.sort_by(|a, b| of(*b).total_cmp(&of(*a)));
    order.into_iter().take(count).collect()
}

/// From a set layer by layer to a size: the change of least disparity at each step. The set of each size on the way.
async fn greedy(
    start: LayerSet,
    size: usize,
    found: &mut Found<'_>,
    search: &Search,
    lab: &impl Lab,
) -> Result<BTreeMap<usize, LayerSet>, AnalysisError> {
    let layers = found.layers.len();
    let (mut set, mut path) = (start, BTreeMap::new());
    while set.len() != size {
        let next: Vec<LayerSet> = match set.len() < size {
            true => (0..layers).filter(|&layer| !set.contains(layer)).map(|layer| set.with(layer)).collect(),
            false => set.layers().map(|layer| set.without(layer)).collect(),
        };
        let new: Vec<LayerSet> = next.iter().copied().filter(|set| !found.has(*set)).collect();
        if !new.is_empty() {
            let search = Search { family: Family::named(layers, new), ..search.clone() };
            walk(&search, &mut Walked::new(search.texts.len()), found, lab).await?;
        }
        let better = |a: &LayerSet, b: &LayerSet| found.disparity(*a).total_cmp(&found.disparity(*b)).then(a.cmp(b));
        set = next.into_iter().min_by(better).expect("a set that is not of the size has a next one");
        path.insert(set.len(), set);
    }
    Ok(path)
}
