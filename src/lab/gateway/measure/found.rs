//! What is known of the sets so far: each one's cost, and its disparity in every draw, so that any of them are paired.

use std::collections::BTreeMap;

use super::{picks, verdicts};
use crate::lab::{
    AnalysisError,
    degradation::{Language, Losses, Measured},
    draws::LEVEL,
    gateway::{Config, Interaction, Layer, Pick, Report, Row, Verdict, by_disparity},
    origin,
    runner::Lab,
    sample::Reading,
    search::Search,
};
use crate::{
    arch::recipe::Recipe,
    math::{
        sets::{Branch, Family, LayerSet},
        statistics::{Interval, Resampled},
    },
};

/// The sets of a run.
pub(super) struct Found<'a> {
    pub config: &'a Config,
    pub layers: Vec<Layer>,
    pub family: Family,
    losses: Losses<'a>,
    /// Bytes with nothing protected, and what the protection of each layer adds.
    bytes: (u64, Vec<u64>),
    bytes_full: u64,
    measured: BTreeMap<LayerSet, Measured>,
    picks: Vec<Pick>,
    interactions: Vec<Interaction>,
    verdicts: Vec<Verdict>,
}

impl<'a> Found<'a> {
    /// Nothing yet.
    pub fn new(
        config: &'a Config,
        reading: &'a Reading,
        languages: &'a [Language],
        full: &'a [f64],
        layers: Vec<Layer>,
        (recipe, lab): (&Recipe, &impl Lab),
    ) -> Result<Found<'a>, AnalysisError> {
        let device = &lab.model().device;
        let none = device.bytes(recipe)?;
        let mut added = Vec::new();
        for layer in 0..layers.len() {
            let mut protected = recipe.clone();
            for (_, _, linear) in
                device.spec.matrices().filter(|(of, part, _)| *of == layer && config.protects.keeps(*part))
            {
                protected.tensors.remove(&linear.weight);
            }
            added.push(device.bytes(&protected)? - none);
        }
        Ok(Found {
            config,
            family: config.family(layers.len()),
            layers,
            losses: Losses { reading, languages, full, changed: &[] },
            bytes: (none, added),
            bytes_full: device.full().bytes(),
            measured: BTreeMap::new(),
            picks: Vec::new(),
            interactions: Vec::new(),
            verdicts: Vec::new(),
        })
    }

    /// Takes in a set, with the nats of all texts under it.
    pub fn take(&mut self, set: LayerSet, nats: &[f64]) -> Result<(), AnalysisError> {
        let measured = self.losses.one(nats, self.config.draws.resamples, self.config.draws.seed)?;
        self.measured.insert(set, measured);
        Ok(())
    }

    /// Whether a set is there.
    pub fn has(&self, set: LayerSet) -> bool {
        self.measured.contains_key(&set)
    }

    /// Disparity under a set that is there.
    pub fn disparity(&self, set: LayerSet) -> f64 {
        self.series(set)[0]
    }

    fn series(&self, set: LayerSet) -> &[f64] {
        &self.measured[&set].disparity
    }

    /// The sets of a size, best first, where all of them are there.
    pub fn ranking(&self, size: usize) -> Vec<LayerSet> {
        let mut sets = Family::new(self.layers.len(), [size]).sets(Branch::ROOT);
        if !sets.iter().all(|set| self.has(*set)) {
            return Vec::new();
        }
        sets.sort_by(|a, b| self.disparity(*a).total_cmp(&self.disparity(*b)).then(a.cmp(b)));
        sets
    }

    /// Some figure of the disparities of sets, in every draw.
    pub fn resampled<const N: usize>(&self, sets: [LayerSet; N], figure: impl Fn([f64; N]) -> f64) -> Resampled {
        let series = sets.map(|set| self.series(set));
        let draws = series.first().map_or(0, |series| series.len());
        let of = |draw: usize| figure(series.map(|series| series[draw]));
        Resampled::of(&(0..draws).map(of).collect::<Vec<_>>(), self.losses.reading.units)
    }

    /// Disparity of the first less that of the second.
    pub fn difference(&self, first: LayerSet, second: LayerSet) -> Interval {
        self.resampled([first, second], |[first, second]| first - second).bca(LEVEL)
    }

    /// The place of a set among others, 1 for the least disparity, with the quantiles of its place over resamples.
    pub fn rank(&self, set: LayerSet, among: &[LayerSet]) -> Interval {
        let own = self.series(set);
        let mut ranks = vec![1.0; own.len()];
        for other in among {
            for (rank, (own, other)) in ranks.iter_mut().zip(own.iter().zip(self.series(*other))) {
                *rank += f64::from(u8::from(other < own));
            }
        }
        Resampled::of(&ranks, self.losses.reading.units).percentile(LEVEL)
    }

    /// In what share of resamples the first `count` of a ranking all hold a set.
    pub fn share_of_top(&self, among: &[LayerSet], count: usize, held: LayerSet) -> f64 {
        let draws = among.first().map_or(0, |set| self.series(*set).len());
        let from = draws.min(1 + self.losses.reading.units);
        let holds = |draw: &usize| {
            let mut order: Vec<LayerSet> = among.to_vec();
            order.sort_by(|a, b| self.series(*a)[*draw].total_cmp(&self.series(*b)[*draw]));
            order.iter().take(count).all(|set| set.holds(held))
        };
        (from..draws).filter(holds).count() as f64 / (draws - from).max(1) as f64
    }

    /// What needs all sets: what others would have picked, interactions, verdicts.
    pub async fn finish(&mut self, search: &Search, lab: &impl Lab) -> Result<(), AnalysisError> {
        self.picks = picks::all(self, search, lab).await?;
        self.interactions = self.interactions();
        self.verdicts = verdicts::all(self);
        Ok(())
    }

    fn interactions(&self) -> Vec<Interaction> {
        let layers = self.layers.len();
        let pairs = (0..layers).flat_map(|i| (i + 1..layers).map(move |j| (i, j)));
        let of = |(i, j): (usize, usize)| {
            let [first, second] = [i, j].map(|layer| LayerSet::EMPTY.with(layer));
            let sets = [first.with(j), first, second, LayerSet::EMPTY];
            let there = self.config.sweeps && sets.iter().all(|set| self.has(*set));
            there.then(|| Interaction {
                layers: (i, j),
                excess: self.resampled(sets, |[both, first, second, none]| both - first - second + none).bca(LEVEL),
            })
        };
        pairs.filter_map(of).collect()
    }

    /// Memory under a set.
    fn bytes(&self, set: LayerSet) -> u64 {
        self.bytes.0 + set.layers().map(|layer| self.bytes.1[layer]).sum::<u64>()
    }

    /// The report as far as it goes.
    pub fn report(&self, lab: &impl Lab) -> Report {
        let row = |(&set, measured): (&LayerSet, &Measured)| {
            let (bytes, cost) = (self.bytes(set), measured.cost.clone());
            Row { set, bytes, score: cost.score(bytes, self.bytes_full), cost }
        };
        let mut rows: Vec<Row> = self.measured.iter().map(row).collect();
        rows.sort_by(|a, b| a.set.len().cmp(&b.set.len()).then(by_disparity(a, b)));
        Report {
            config: self.config.clone(),
            origin: origin::of(lab, Some(self.losses.reading)),
            languages: self.losses.languages.to_vec(),
            layers: self.layers.clone(),
            bytes_full: self.bytes_full,
            sets: usize::try_from(self.family.count(Branch::ROOT)).expect("checked against the most sets"),
            rows,
            picks: self.picks.clone(),
            interactions: self.interactions.clone(),
            verdicts: self.verdicts.clone(),
        }
    }
}
