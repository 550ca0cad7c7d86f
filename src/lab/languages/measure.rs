//! Which languages pay: what each loses, by every measure, with intervals that hold for few texts too.

use super::{Config, OverAll, PERCENTILES, Report, Row, Shift};
use crate::lab::{
    AnalysisError, Measuring,
    draws::LEVEL,
    groups::Groups,
    origin::{self, Origin},
    plan::{Plan, Taps, Text},
    rounding::{self, TensorRow},
    runner::Lab,
    sample::{self, Reading},
};
use crate::{
    arch::recipe::Recipe,
    math::{
        jackknife_t::{Jackknife, Scale, between, range},
        metrics,
        range_test::Equality,
        statistics::{Interval, each_draw},
    },
    model::card::{Card, Resource},
    report::Measure,
};

impl Measuring for Config {}

/// Every text in full precision and quantized, and the report of it.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let reading = sample::read(config.texts.sample(), lab).await?;
    let rounding = config.quantizer;
    let recipe = rounding::recipe(&rounding, lab).await?;
    let tensors = rounding::rows(&recipe, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let tokens = Taps { tokens: true, ..Taps::LOSSES };
    let asked = [(Recipe::default(), tokens), (recipe.clone(), Taps { divergence: true, ..tokens })];
    let [full, rounded] = asked.map(|(recipe, taps)| plan.ask(&recipe, all.clone(), taps));
    let seen = lab.run(&plan).await?;
    let lost: Vec<Lost> = all
        .map(|text| {
            let (divergence, flips) = seen.divergence(rounded, text).unwrap_or((f64::NAN, f64::NAN));
            let shifts = metrics::shifts(seen.tokens(full, text), seen.tokens(rounded, text));
            Lost { full: seen.nats(full, text), quantized: seen.nats(rounded, text), divergence, flips, shifts }
        })
        .collect();
    let device = &lab.model().device;
    let quantized = Quantized { tensors, bytes_full: device.full().bytes(), bytes_quantized: device.bytes(&recipe)? };
    assemble(config, (&origin::of(lab, Some(&reading)), lab.model().card.as_ref()), &reading, quantized, &lost)
}

/// What is known of the weights and the report repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// Each quantized tensor.
    pub tensors: Vec<TensorRow>,
    /// Bytes of all tensors in f32.
    pub bytes_full: u64,
    /// Bytes with the recipe applied.
    pub bytes_quantized: u64,
}

/// What a text loses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lost {
    /// Nats in full precision.
    pub full: f64,
    /// Nats under the rounded weights.
    pub quantized: f64,
    /// KL, in nats, over its tokens.
    pub divergence: f64,
    /// Tokens at which another becomes the most likely one.
    pub flips: f64,
    /// Δp of each token.
    pub shifts: Vec<f64>,
}

/// Sums over units of one language.
#[derive(Clone, Default)]
struct Totals {
    full: f64,
    quantized: f64,
    divergence: f64,
    flips: f64,
    shift: f64,
    shift_squares: f64,
    tokens: u64,
    bytes: u64,
    units: u32,
}

impl Totals {
    fn of(text: &Text, lost: &Lost) -> Totals {
        Totals {
            full: lost.full,
            quantized: lost.quantized,
            divergence: lost.divergence,
            flips: lost.flips,
            shift: lost.shifts.iter().sum(),
            shift_squares: lost.shifts.iter().map(|shift| shift * shift).sum(),
            tokens: text.scored as u64,
            bytes: text.bytes,
            units: 1,
        }
    }

    fn add(&mut self, times: u32, text: &Totals) {
        let by = f64::from(times);
        self.full += by * text.full;
        self.quantized += by * text.quantized;
        self.divergence += by * text.divergence;
        self.flips += by * text.flips;
        self.shift += by * text.shift;
        self.shift_squares += by * text.shift_squares;
        self.tokens += u64::from(times) * text.tokens;
        self.bytes += u64::from(times) * text.bytes;
        self.units += times;
    }

    /// What is lost, by a measure.
    fn lost(&self, by: Measure) -> f64 {
        let (kl, tokens) = (metrics::bits(self.divergence), self.tokens as f64);
        match by {
            Measure::Text => kl / f64::from(self.units),
            Measure::Token => kl / tokens,
            Measure::Byte => kl / self.bytes as f64,
            Measure::Flips => self.flips / tokens,
            Measure::Loss => metrics::delta_bits_per_byte(self.full, self.quantized, self.bytes),
            Measure::Degradation => metrics::degradation(self.full, self.quantized, self.tokens),
        }
    }
}

/// Changes of a probability.
const SHIFTS: [f64; 2] = [-1.0, 1.0];

/// Without what a figure cannot be.
fn bounded(interval: Interval, [least, most]: [f64; 2]) -> Interval {
    Interval { low: interval.low.max(least), high: interval.high.min(most), ..interval }
}

/// A figure over all units, then over all but each.
type Series = Vec<f64>;

/// The report, from what every text loses.
pub fn assemble(
    config: &Config,
    (origin, card): (&Origin, Option<&Card>),
    reading: &Reading,
    quantized: Quantized,
    lost: &[Lost],
) -> Result<Report, AnalysisError> {
    for (which, of) in [("full-precision", Lost::full_nats as fn(&Lost) -> f64), ("quantized", Lost::quantized_nats)] {
        reading.finite(which, &lost.iter().map(of).collect::<Vec<f64>>())?;
    }
    let codes = &config.texts.languages;
    let resources: Vec<Resource> = codes.iter().map(|code| Resource::of(card, code)).collect();
    let groups = Groups::new(&resources);
    let of_texts: Vec<Totals> = reading.texts.iter().zip(lost).map(|(text, lost)| Totals::of(text, lost)).collect();
    let totals_of = |language: usize, drawn: &[u32]| {
        let mut totals = Totals::default();
        for text in reading.of_language(language) {
            let times = drawn[reading.texts[text].unit];
            if times > 0 {
                totals.add(times, &of_texts[text]);
            }
        }
        totals
    };
    // Every unit once, then each left out.
    let mut drawn: Vec<Vec<u32>> = Vec::new();
    each_draw(config.texts.units, 0, config.draws.seed, |draw| drawn.push(draw.to_vec()));
    let totals: Vec<Vec<Totals>> =
        (0..codes.len()).map(|language| drawn.iter().map(|draw| totals_of(language, draw)).collect()).collect();
    let by_measure: Vec<Vec<Series>> = Measure::ALL
        .into_iter()
        .map(|measure| totals.iter().map(|of| of.iter().map(|totals| totals.lost(measure)).collect()).collect())
        .collect();
    let jackknife = Jackknife::new(config.texts.units, LEVEL);

    let rows = codes.iter().enumerate().map(|(i, code)| {
        let of = reading.corpus.languages.iter().find(|language| language.code == *code);
        let of = of.expect("the config was checked against this corpus");
        let series = |figure: &dyn Fn(&Totals) -> f64| totals[i].iter().map(figure).collect::<Series>();
        let figure = |scale: Scale, figure: &dyn Fn(&Totals) -> f64| jackknife.interval(&series(figure), scale);
        let lost_by = |measure: Measure| {
            let at = Measure::ALL.iter().position(|of| *of == measure).expect("it is one of them");
            bounded(jackknife.interval(&by_measure[at][i], measure.scale()), measure.bounds())
        };
        Row {
            code: code.clone(),
            name: of.name.clone(),
            endonym: of.endonym.clone(),
            direction: of.direction.clone(),
            resource: resources[i],
            bytes_seen: card.map(|card| card.bytes_seen(code)),
            units: config.texts.units,
            bytes: totals[i][0].bytes,
            tokens: totals[i][0].tokens,
            perplexity_full: figure(Scale::Ratio, &|of| metrics::perplexity(of.full, of.tokens)),
            perplexity_quantized: figure(Scale::Ratio, &|of| metrics::perplexity(of.quantized, of.tokens)),
            degradation: lost_by(Measure::Degradation),
            bits_per_byte_full: figure(Scale::Ratio, &|of| metrics::bits_per_byte(of.full, of.bytes)),
            delta_bits_per_byte: lost_by(Measure::Loss),
            kl_per_text: lost_by(Measure::Text),
            kl_per_token: lost_by(Measure::Token),
            kl_per_byte: lost_by(Measure::Byte),
            flips: lost_by(Measure::Flips),
            shift: Shift {
                mean: bounded(figure(Scale::Plain, &|of| of.shift / of.tokens as f64), SHIFTS),
                rms: bounded(figure(Scale::Ratio, &|of| libm::sqrt(of.shift_squares / of.tokens as f64)), SHIFTS),
                percentiles: percentiles_of(reading, lost, &drawn, i, jackknife),
            },
        }
    });
    Ok(Report {
        rows: rows.collect(),
        over_all: over_all(config, &groups, &by_measure, totals_of),
        config: config.clone(),
        origin: origin.clone(),
        bytes_full: quantized.bytes_full,
        bytes_quantized: quantized.bytes_quantized,
        tensors: quantized.tensors,
    })
}

impl Lost {
    fn full_nats(&self) -> f64 {
        self.full
    }

    fn quantized_nats(&self) -> f64 {
        self.quantized
    }
}

/// Percentiles of Δp over a language's tokens.
fn percentiles_of(
    reading: &Reading,
    lost: &[Lost],
    drawn: &[Vec<u32>],
    language: usize,
    jackknife: Jackknife,
) -> [Interval; 5] {
    let of_draw = |draw: &Vec<u32>| {
        let texts = reading.of_language(language).filter(|text| draw[reading.texts[*text].unit] > 0);
        let shifts: Vec<f64> = texts.flat_map(|text| lost[text].shifts.iter().copied()).collect();
        metrics::percentiles(&shifts, PERCENTILES)
    };
    let series: Vec<[f64; 5]> = drawn.iter().map(of_draw).collect();
    std::array::from_fn(|at| {
        bounded(jackknife.interval(&series.iter().map(|of| of[at]).collect::<Series>(), Scale::Plain), SHIFTS)
    })
}

/// Each measure over the languages that the model has seen.
fn over_all(
    config: &Config,
    groups: &Groups,
    by_measure: &[Vec<Series>],
    totals_of: impl Fn(usize, &[u32]) -> Totals,
) -> Vec<OverAll> {
    let (units, counted) = (config.texts.units, &groups.counted);
    let equal = equal(config, groups, by_measure, totals_of);
    let jackknife = Jackknife::new(units, LEVEL);
    let together = Jackknife::together(units, LEVEL, counted.len());
    Measure::ALL
        .into_iter()
        .zip(by_measure)
        .zip(equal)
        .map(|((measure, series), equal)| {
            let mean_of = |group: &[usize]| -> Option<Series> {
                let places = 0..series.first()?.len();
                let mean = |place| metrics::mean(&group.iter().map(|&at| series[at][place]).collect::<Vec<f64>>());
                places.map(mean).collect()
            };
            let of_measure = |interval| bounded(interval, measure.bounds());
            let (high, low) = (mean_of(&groups.high), mean_of(&groups.low));
            let ratio = high.as_ref().zip(low.as_ref()).map(|(high, low)| {
                let of: Series = high.iter().zip(low).map(|(high, low)| low / high).collect();
                jackknife.interval(&of, Scale::Ratio)
            });
            // To nothing lost there is no ratio.
            let ratio = ratio.filter(|ratio| ratio.value.is_finite());
            let figures: Vec<Interval> =
                counted.iter().map(|&at| of_measure(together.interval(&series[at], measure.scale()))).collect();
            let own: Vec<Series> = counted.iter().map(|&at| series[at].clone()).collect();
            OverAll {
                measure,
                disparity: range(&figures),
                spread: between(&own, measure.spread_scale(), LEVEL).map(|between| between.tau),
                equal,
                ratio,
                mean_high: high.map(|high| of_measure(jackknife.interval(&high, measure.scale()))),
                mean_low: low.map(|low| of_measure(jackknife.interval(&low, measure.scale()))),
            }
        })
        .collect()
}

/// How often equal languages would lie as far apart, by each measure.
fn equal(
    config: &Config,
    groups: &Groups,
    by_measure: &[Vec<Series>],
    totals_of: impl Fn(usize, &[u32]) -> Totals,
) -> Vec<Option<f64>> {
    let of = |series: &Vec<Series>| groups.counted.iter().map(|&at| series[at][0]).collect::<Vec<f64>>();
    let mut tests: Vec<Option<Equality>> = by_measure.iter().map(|series| Equality::new(&of(series))).collect();
    let mut draws = 0;
    each_draw(config.texts.units, config.draws.resamples, config.draws.seed, |drawn| {
        draws += 1;
        // The first are every unit once, and each left out.
        if draws > 1 + config.texts.units {
            let totals: Vec<Totals> = groups.counted.iter().map(|&at| totals_of(at, drawn)).collect();
            for (test, measure) in tests.iter_mut().zip(Measure::ALL) {
                if let Some(test) = test {
                    test.see(&totals.iter().map(|of| of.lost(measure)).collect::<Vec<f64>>());
                }
            }
        }
    });
    tests.iter().map(|test| test.as_ref().and_then(Equality::p)).collect()
}
