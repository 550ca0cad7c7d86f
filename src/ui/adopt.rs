//! The way back: from a config, such as a link carries, to choices that make it.
//!
//! What the controls cannot say (stops of the dial that no setting gives, say) they leave as it was; a link runs the config
//! that it carries, whatever the controls show.

use super::choices::Choices;
use super::dial_choices::{DialChoices, Layers, Stops};
use super::gateway_choices::{GatewayChoices, MOST_LAYERS_FOR_ALL};
use super::statistics_choices::StatisticsChoices;
use crate::lab::{activation, clipping, dial, gateway, languages, mitigation};
use crate::protocol::Config;

impl Choices {
    /// Takes over a config for a model of so many layers.
    pub fn adopt(&mut self, config: &Config, layers: usize) {
        match config {
            Config::Languages(config) => {
                let languages::Config { corpus, languages, units, bits, rule, granularity, resamples, seed } = config;
                self.texts(corpus, languages, *units, *resamples, *seed);
                (self.bits, self.rule, self.granularity) = (*bits, *rule, *granularity);
            }
            Config::Weights(config) => self.threshold = config.threshold,
            Config::Clipping(config) => {
                let clipping::Config { bits, corpus, languages, units, reference, losses, resamples, seed } = config;
                self.texts(corpus, languages, *units, *resamples, *seed);
                (self.bits, self.losses) = (*bits, *losses);
                if !reference.is_empty() {
                    self.reference.clone_from(reference);
                }
            }
            Config::Activation(config) => {
                let activation::Config { corpus, languages, units, bits, rule, granularity, .. } = config;
                self.texts(corpus, languages, *units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (*bits, *rule, *granularity);
                self.threshold = config.threshold;
            }
            Config::Mitigation(config) => {
                let mitigation::Config { corpus, languages, units, bits, threshold, methods, own, resamples, seed } =
                    config;
                self.texts(corpus, languages, *units, *resamples, *seed);
                (self.bits, self.threshold) = (*bits, *threshold);
                self.methods = methods.iter().copied().collect();
                self.own.clone_from(own);
            }
            Config::Dial(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.granularity, self.threshold) = (config.granularity, config.threshold);
                self.dial.adopt(config, layers);
            }
            Config::Gateway(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                self.gateway.adopt(config, layers);
            }
            Config::Redundancy(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                (self.threshold, self.baseline) = (config.threshold, config.baseline);
                self.top = config.top.to_string();
            }
            Config::Representation(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                self.reference.clone_from(&config.reference);
            }
            Config::Causes(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                self.threshold = config.threshold;
                self.reference.clone_from(&config.reference);
                (self.quality, self.scm) = (config.quality, config.scm);
            }
            Config::Family(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                self.family.clone_from(&config.models);
            }
            Config::Statistics(config) => {
                self.resamples = config.resamples.to_string();
                self.seed = config.seed.to_string();
                self.statistics = StatisticsChoices::of(config);
            }
            Config::Sweep(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                self.granularity = config.granularity;
                self.sweep.adopt(config);
            }
            Config::Screening(config) => {
                self.texts(&config.corpus, &config.languages, config.units, config.resamples, config.seed);
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                self.screening.adopt(config);
            }
            Config::Matrix(config) => {
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
                self.matrix = (config.layer, config.part);
                (self.shown, self.window) = (config.shown, config.window);
            }
            Config::Tokens(config) => {
                self.corpus.clone_from(&config.corpus);
                self.languages = config.languages.iter().cloned().collect();
                self.unit = config.unit.to_string();
                (self.bits, self.rule, self.granularity) = (config.bits, config.rule, config.granularity);
            }
        }
    }

    /// Takes over what another look at the same thing changes. Which languages a text is looked at in is chosen for all pages,
    /// so a look that reads fewer of them does not take the others away.
    pub fn look_at(&mut self, config: &Config, layers: usize) {
        match config {
            Config::Tokens(config) if config.corpus == self.corpus => self.unit = config.unit.to_string(),
            Config::Tokens(_) => {}
            other => self.adopt(other, layers),
        }
    }

    fn texts(&mut self, corpus: &str, languages: &[String], units: usize, resamples: usize, seed: u64) {
        self.corpus = corpus.to_string();
        self.languages = languages.iter().cloned().collect();
        self.units = units.to_string();
        self.resamples = resamples.to_string();
        self.seed = seed.to_string();
    }
}

impl DialChoices {
    fn adopt(&mut self, config: &dial::Config, layers: usize) {
        let furthest = config.exponents.iter().copied().max().unwrap_or_default();
        self.furthest = furthest;
        let stops = Stops::ALL.iter().find(|(stops, ..)| stops.exponents(furthest) == config.exponents);
        if let Some((stops, ..)) = stops {
            self.stops = *stops;
        }
        self.layers = match config.layers.as_slice() {
            [] => Layers::All,
            listed if listed.iter().copied().eq((0..layers).step_by(2)) => Layers::EverySecond,
            listed => {
                self.listed = listed.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                Layers::Listed
            }
        };
        self.channels = config.channels.to_string();
        self.joints = config.joints.iter().copied().collect();
        self.channel_seed = config.channel_seed.to_string();
        self.flatten = config.flatten;
        self.bits = config.bits.iter().copied().collect();
        self.rules.clone_from(&config.rules);
        self.permutations = config.permutations.to_string();
    }
}

impl GatewayChoices {
    fn adopt(&mut self, config: &gateway::Config, layers: usize) {
        self.kept = config.kept;
        self.table = config.table;
        self.every = (1..=MOST_LAYERS_FOR_ALL).contains(&layers) && config.budgets.iter().copied().eq(0..=layers);
        if !self.every {
            self.budgets = config.budgets.iter().copied().collect();
        }
        self.sweeps = config.sweeps;
        self.others = config.others;
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::corpora;
    use super::super::screening_choices::ScreeningChoices;
    use super::super::sweep_choices::SweepChoices;
    use super::*;
    use crate::lab::dial::Joint;
    use crate::report::{Bits, CorpusCard, Granularity, Rule};

    const LAYERS: usize = 12;

    /// Nothing as it is by default.
    fn unusual() -> Choices {
        Choices {
            languages: ["kor".to_string(), "tha".into()].into(),
            units: "5".into(),
            bits: Bits::ALL[4],
            rule: Rule::Optimal,
            granularity: Granularity::Channel,
            resamples: "300".into(),
            seed: "77".into(),
            threshold: 1.5,
            reference: "tha".into(),
            losses: true,
            dial: DialChoices {
                furthest: 7,
                stops: Stops::EverySecond,
                channels: "3".into(),
                layers: Layers::Listed,
                listed: "1, 2, 5".into(),
                joints: Joint::ALL.into_iter().take(1).collect(),
                channel_seed: "9".into(),
                flatten: false,
                bits: Bits::ALL.into_iter().take(2).collect(),
                rules: vec![Rule::Kurtosis],
                permutations: "200".into(),
            },
            gateway: GatewayChoices {
                table: true,
                budgets: [1, 4].into(),
                sweeps: false,
                others: false,
                ..GatewayChoices::default()
            },
            methods: mitigation::Method::ALL.into_iter().take(4).collect(),
            statistics: super::super::statistics_choices::tests::unusual(),
            quality: crate::lab::causes::Quality::SingleTokenWords,
            scm: crate::lab::causes::Scm { beta1: 0.5, beta2: 0.25, gamma: 2.0, noise: 0.3 },
            family: ["a", "b", "c", "d"].map(String::from),
            own: vec![Some(Bits::ALL[1]); LAYERS],
            top: "2".into(),
            baseline: crate::lab::redundancy::Baseline::Uniform,
            sweep: SweepChoices { bits: [Bits::ALL[1], Bits::ALL[5]].into(), rules: vec![Rule::Kurtosis] },
            screening: ScreeningChoices {
                light: "2.5".into(),
                heavy: "17".into(),
                variance: "0.0001".into(),
                safe: Bits::ALL[4],
            },
            matrix: (7, crate::report::Part::Out),
            shown: crate::lab::matrix::Shown::Mean,
            window: Some(crate::lab::matrix::Window { inputs: (3, 9), outputs: (0, 4) }),
            unit: "4".into(),
            ..Choices::default()
        }
    }

    fn configs(choices: &Choices, corpora: &[CorpusCard]) -> Vec<Config> {
        vec![
            choices.config(corpora).unwrap().into(),
            choices.weights().into(),
            choices.clipping(corpora).unwrap().into(),
            choices.activation(corpora).unwrap().into(),
            choices.mitigation(corpora, LAYERS).unwrap().into(),
            choices.dial(corpora, LAYERS).unwrap().into(),
            choices.gateway(corpora, LAYERS).unwrap().into(),
            choices.redundancy(corpora, LAYERS).unwrap().into(),
            choices.representation(corpora).unwrap().into(),
            choices.statistics(Vec::new()).unwrap().into(),
            choices.causes(corpora).unwrap().into(),
            choices.family(corpora).unwrap().into(),
            choices.sweep(corpora).unwrap().into(),
            choices.screening(corpora).unwrap().into(),
            choices.matrix().into(),
            choices.tokens(corpora).unwrap().into(),
        ]
    }

    /// Law: a look inside takes no language away, nor any other choice but which text it is.
    #[test]
    fn a_look_into_a_text_keeps_what_is_chosen() {
        let chosen = Choices { languages: ["eng", "kor", "tha"].map(String::from).into(), ..unusual() };
        let mut after = chosen.clone();
        let mut look = chosen.tokens(&corpora()).unwrap();
        (look.languages, look.unit) = (vec!["kor".into()], 9);
        after.look_at(&look.clone().into(), LAYERS);
        assert_eq!(after, Choices { unit: "9".into(), ..chosen.clone() });
        look.corpus = "help".into();
        let mut after = chosen.clone();
        after.look_at(&look.into(), LAYERS);
        assert_eq!(after, chosen, "the number of a text of another corpus");
    }

    /// Law: what a page makes of its choices leads back to choices that make the same.
    #[test]
    fn a_config_leads_back_to_itself_on_every_page() {
        let corpora = corpora();
        let every = |choices: Choices| Choices {
            gateway: GatewayChoices { every: true, ..choices.gateway.clone() },
            dial: DialChoices { layers: Layers::EverySecond, stops: Stops::Ends, ..choices.dial.clone() },
            ..choices
        };
        for choices in [unusual(), every(unusual())] {
            for (at, config) in configs(&choices, &corpora).into_iter().enumerate() {
                let mut adopted = Choices::default();
                adopted.adopt(&config, LAYERS);
                if adopted.languages.is_empty() {
                    adopted.languages = choices.languages.clone();
                }
                assert_eq!(configs(&adopted, &corpora)[at], config);
            }
        }
    }
}
