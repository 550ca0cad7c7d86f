//! What any report knows of fairness, in one form.

use super::super::{
    Bits, Granularity, Interval, Resource, Rule, format, gateway as gateway_words, mitigation as mitigation_words,
    words,
};
use crate::{
    analysis::{
        Report, activation, causes, clipping,
        degradation::{Cost, Language},
        dial, family, gateway, language_clipping, languages, matrix, mitigation, redundancy, representation,
        rule_losses, screening, statistics, sweep, tokens, weights,
    },
    math::metrics,
};

/// The loss of a language.
pub struct Loss {
    /// English name.
    pub name: String,
    /// How much of it the model saw.
    pub resource: Resource,
    /// D(λ).
    pub degradation: Interval,
}

impl Loss {
    fn of(language: &Language, degradation: Interval) -> Loss {
        Loss { name: language.name.clone(), resource: language.resource, degradation }
    }
}

/// What is known.
#[derive(Default)]
pub struct Facts {
    /// What was measured, as the beginning of a sentence.
    pub question: String,
    /// At which width, as its end.
    pub bits: String,
    /// What was chosen, or found best.
    pub strategy: String,
    /// Under that strategy.
    pub losses: Vec<Loss>,
    /// Under that strategy.
    pub disparity: Option<Interval>,
    /// Under that strategy.
    pub ratio: Option<Interval>,
    /// Of each layer, where the run looked at them.
    pub kurtosis: Option<Vec<f64>>,
    /// Above it a layer is an outlier.
    pub threshold: f64,
    /// Variance over languages of the share of activation in outlier layers.
    pub variance: Option<f64>,
    /// What helped, where the run tried something.
    pub tried: Option<String>,
}

impl Facts {
    /// Of any report.
    pub fn of(report: &Report) -> Facts {
        let facts = match report {
            Report::Languages(report) => of_languages(report),
            Report::Weights(report) => of_weights(report),
            Report::Clipping(report) => of_clipping(report),
            Report::Activation(report) => of_activation(report),
            Report::Mitigation(report) => of_mitigation(report),
            Report::Dial(report) => of_dial(report),
            Report::Gateway(report) => of_gateway(report),
            Report::Redundancy(report) => of_redundancy(report),
            Report::Representation(report) => of_representation(report),
            Report::Statistics(report) => of_statistics(report),
            Report::Causes(report) => of_causes(report),
            Report::Family(report) => of_family(report),
            Report::Sweep(report) => of_sweep(report),
            Report::Screening(report) => of_screening(report),
            Report::Matrix(report) => of_matrix(report),
            Report::Tokens(report) => of_tokens(report),
        };
        Facts { threshold: if facts.threshold == 0.0 { weights::THRESHOLD } else { facts.threshold }, ..facts }
    }

    /// Layers above the threshold.
    pub fn outliers(&self) -> Vec<usize> {
        let all = self.kurtosis.iter().flatten().enumerate();
        all.filter(|(_, kurtosis)| **kurtosis > self.threshold).map(|(layer, _)| layer).collect()
    }

    /// The layer of the largest κ, with it.
    pub fn heaviest(&self) -> Option<(usize, f64)> {
        self.kurtosis.iter().flatten().copied().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Of a run that rounds all blocks alike.
    fn alike(question: &str, bits: Bits, rule: Rule, granularity: Granularity) -> Facts {
        Facts {
            question: question.into(),
            bits: width(bits.get()),
            strategy: rounding(rule, granularity),
            ..Facts::default()
        }
    }

    fn with_cost(self, languages: &[Language], cost: &Cost) -> Facts {
        let losses = languages.iter().zip(&cost.degradation).map(|(language, of)| Loss::of(language, *of)).collect();
        Facts { losses, disparity: cost.disparity, ratio: cost.ratio, ..self }
    }
}

/// To choose the one of least disparity; an unknown one is the largest.
fn disparity(cost: &Cost) -> f64 {
    cost.disparity.map_or(f64::INFINITY, |of| of.value)
}

fn width(bits: u8) -> String {
    format!("at {bits} bits")
}

fn rounding(rule: Rule, granularity: Granularity) -> String {
    format!("all blocks alike, threshold by {}, one grid per {}", words::rule(rule), words::granularity(granularity))
}

fn of_languages(report: &languages::Report) -> Facts {
    let config = &report.config;
    let loss =
        |row: &languages::Row| Loss { name: row.name.clone(), resource: row.resource, degradation: row.degradation };
    Facts {
        losses: report.rows.iter().map(loss).collect(),
        disparity: report.disparity,
        ratio: report.ratio,
        ..Facts::alike("Which languages pay", config.bits, config.rule, config.granularity)
    }
}

fn of_weights(report: &weights::Report) -> Facts {
    Facts {
        question: "How the weights are spread".into(),
        bits: "nothing quantized".into(),
        strategy: "none; the weights were only looked at".into(),
        kurtosis: Some(report.layers.iter().map(|layer| layer.spread.summary.kurtosis).collect()),
        threshold: report.config.threshold,
        ..Facts::default()
    }
}

/// One matrix says nothing of languages.
fn of_matrix(report: &matrix::Report) -> Facts {
    let config = &report.config;
    Facts::alike(&format!("What rounding does to {}", report.name), config.bits, config.rule, config.granularity)
}

/// One text is no sample: its losses are no estimate for a language.
fn of_tokens(report: &tokens::Report) -> Facts {
    let config = &report.config;
    Facts::alike(
        &format!("What each token of {} {} pays", report.unit, config.unit),
        config.bits,
        config.rule,
        config.granularity,
    )
}

fn of_clipping(report: &clipping::Report) -> Facts {
    let config = &report.config;
    let disparity = |loss: &&rule_losses::RuleLoss| loss.disparity.map_or(f64::INFINITY, |of| of.value);
    let best = report.losses.iter().min_by(|a, b| disparity(a).total_cmp(&disparity(b)));
    let losses = best.map_or_else(Vec::new, |best| {
        let loss = |(language, &degradation): (&language_clipping::Language, &Interval)| Loss {
            name: language.name.clone(),
            resource: language.resource,
            degradation,
        };
        report.languages.iter().zip(&best.degradation).map(loss).collect()
    });
    Facts {
        question: "Where the grid should end".into(),
        bits: width(config.bits.get()),
        strategy: best.map_or("none; only the error of the weights was measured".into(), |best| {
            format!("of all clipping rules the one of least disparity, {}", words::rule(best.rule))
        }),
        losses,
        disparity: best.and_then(|best| best.disparity),
        ..Facts::default()
    }
}

fn of_activation(report: &activation::Report) -> Facts {
    let config = &report.config;
    let loss = |row: &activation::Row| Loss::of(&row.language, row.degradation);
    let counted: Vec<f64> =
        report.rows.iter().filter(|row| row.language.counts()).map(|row| row.reliance.value).collect();
    Facts {
        losses: report.rows.iter().map(loss).collect(),
        disparity: report.spread.map(|spread| spread.disparity),
        kurtosis: Some(report.layers.iter().map(|layer| layer.kurtosis).collect()),
        threshold: config.threshold,
        variance: (counted.len() > 1).then(|| metrics::variance(&counted)),
        ..Facts::alike("Who uses which layers", config.bits, config.rule, config.granularity)
    }
}

fn of_mitigation(report: &mitigation::Report) -> Facts {
    let best = report.rows.iter().min_by(|a, b| disparity(&a.cost).total_cmp(&disparity(&b.cost)));
    let facts = Facts {
        question: "What helps".into(),
        bits: width(report.config.bits.get()),
        kurtosis: Some(report.kurtosis.clone()),
        threshold: report.config.threshold,
        ..Facts::default()
    };
    let Some(best) = best else { return Facts { strategy: "none was tried".into(), ..facts } };
    let (name, size) = (mitigation_words::method(best.method), format::bytes(best.bytes));
    let tried = best.change.map(|change| {
        format!(
            "{name} changes disparity by {} against absmax, paired over texts",
            format::interval(&change.difference)
        )
    });
    let strategy = format!(
        "of {} the one of least disparity, {name}, {size}",
        format::counted(report.rows.len() as u64, "method")
    );
    Facts { strategy, tried, ..facts }.with_cost(&report.languages, &best.cost)
}

fn of_dial(report: &dial::Report) -> Facts {
    let config = &report.config;
    let widths: Vec<String> = config.bits.iter().map(|bits| bits.get().to_string()).collect();
    let facts = Facts {
        question: "What heavier tails do".into(),
        bits: format!("at {} bits", widths.join(", ")),
        kurtosis: report.points.first().map(|point| point.kurtosis.clone()),
        threshold: config.threshold,
        ..Facts::default()
    };
    let Some(outcome) = report.outcomes.first() else { return facts };
    let strategy = format!(
        "{}, at the dial's first place, s = 2^{}",
        rounding(outcome.rule, config.granularity),
        report.points[outcome.point].exponent
    );
    Facts { strategy, bits: width(outcome.bits.get()), ..facts }.with_cost(&report.languages, &outcome.cost)
}

fn of_gateway(report: &gateway::Report) -> Facts {
    let config = &report.config;
    let facts = Facts {
        question: "Which layers to protect".into(),
        bits: width(config.bits.get()),
        kurtosis: Some(report.layers.iter().map(|layer| layer.kurtosis).collect()),
        ..Facts::default()
    };
    let best = report.rows.iter().filter(|row| config.budgets.contains(&row.set.len()));
    let Some(best) = best.min_by(|a, b| disparity(&a.cost).total_cmp(&disparity(&b.cost))) else {
        return Facts { strategy: "none was tried to its end".into(), ..facts };
    };
    let strategy = format!(
        "of {} the one of least disparity: layers {} in full precision, the others by {}, {}",
        format::counted(report.rows.len() as u64, "protection set"),
        gateway_words::named(best.set),
        words::rule(config.rule),
        format::bytes(best.bytes)
    );
    let tried = report
        .of_size(0)
        .next()
        .and_then(|none| none.cost.disparity)
        .map(|none| format!("without protection disparity is {}", format::interval(&none)));
    Facts { strategy, tried, ..facts }.with_cost(&report.languages, &best.cost)
}

fn of_redundancy(report: &redundancy::Report) -> Facts {
    let config = &report.config;
    let loss = |row: &redundancy::Row| Loss::of(&row.language, row.degradation);
    let ratio = report.ratios.iter().find(|of| of.error == redundancy::Error::Loss);
    Facts {
        losses: report.rows.iter().map(loss).collect(),
        ratio: ratio.map(|of| of.observed),
        kurtosis: Some(report.layers.iter().map(|layer| layer.kurtosis).collect()),
        threshold: config.threshold,
        ..Facts::alike("How much a language could lose", config.bits, config.rule, config.granularity)
    }
}

fn of_representation(report: &representation::Report) -> Facts {
    let config = &report.config;
    let loss = |row: &representation::Row| Loss::of(&row.language, row.degradation);
    Facts {
        losses: report.rows.iter().map(loss).collect(),
        ..Facts::alike("What happens to hidden states", config.bits, config.rule, config.granularity)
    }
}

fn of_statistics(report: &statistics::Report) -> Facts {
    Facts {
        question: format!("What figures can say together: {}", report.config.family),
        bits: "nothing quantized here".into(),
        strategy: format!("none; {} made of figures", format::counted(report.tests.len() as u64, "test")),
        ..Facts::default()
    }
}

fn of_causes(report: &causes::Report) -> Facts {
    let config = &report.config;
    let loss = |row: &causes::Row| Loss::of(&row.language, row.degradation);
    Facts {
        losses: report.rows.iter().map(loss).collect(),
        threshold: config.threshold,
        ..Facts::alike("What goes before a loss", config.bits, config.rule, config.granularity)
    }
}

/// Of the four models the one whose text and tokenizer are balanced.
fn of_family(report: &family::Report) -> Facts {
    let config = &report.config;
    let last = family::CELLS - 1;
    let loss = |row: &family::Row| Loss::of(&row.language, row.degradation.of[last]);
    let tried = report.disparity.map(|of| {
        format!(
            "balanced data changes disparity by {}, a balanced tokenizer by {}",
            format::interval(&of.effects.data),
            format::interval(&of.effects.tokenizer)
        )
    });
    Facts {
        question: "What data and tokenizer do".into(),
        bits: width(config.bits.get()),
        strategy: format!(
            "{}; the losses are those of {}, whose data and tokenizer are balanced",
            rounding(config.rule, config.granularity),
            config.models[last]
        ),
        losses: report.rows.iter().map(loss).collect(),
        disparity: report.disparity.map(|of| of.of[last]),
        tried,
        ..Facts::default()
    }
}

/// The narrowest width at which, and at every wider one, equal languages would show as much by chance; else the one of least
/// disparity.
fn of_sweep(report: &sweep::Report) -> Facts {
    let config = &report.config;
    let facts =
        Facts { question: "What each bit buys".into(), kurtosis: Some(report.kurtosis.clone()), ..Facts::default() };
    let equal = report.critical.iter().filter_map(|of| Some((of.equal?, of.rule))).min_by_key(|(bits, _)| *bits);
    let found = |(bits, rule)| report.outcomes.iter().find(|of| (of.bits, of.rule) == (bits, rule));
    let least = || report.outcomes.iter().min_by(|a, b| disparity(&a.cost).total_cmp(&disparity(&b.cost)));
    let (how, best) = match equal.and_then(found) {
        Some(best) => ("the narrowest from which on disparity may be chance", Some(best)),
        None => ("the one of least disparity", least()),
    };
    let Some(best) = best else { return Facts { strategy: "none was tried".into(), ..facts } };
    let strategy = format!(
        "of {} {how}; {}, {}",
        format::counted(report.outcomes.len() as u64, "rounding"),
        rounding(best.rule, config.granularity),
        format::bytes(best.bytes)
    );
    let tried = best
        .against_widest
        .map(|change| format!("disparity less that of the widest width is {}", format::interval(&change.difference)));
    Facts { strategy, tried, bits: width(best.bits.get()), ..facts }.with_cost(&report.languages, &best.cost)
}

fn of_screening(report: &screening::Report) -> Facts {
    let config = &report.config;
    let loss = |row: &screening::Row| Loss::of(&row.language, row.degradation);
    Facts {
        losses: report.rows.iter().map(loss).collect(),
        disparity: report.disparity,
        kurtosis: Some(report.layers.iter().map(|layer| layer.kurtosis).collect()),
        threshold: config.light,
        variance: report.variance.map(|of| of.value),
        ..Facts::alike("Whether to expect disparity", config.bits, config.rule, config.granularity)
    }
}
