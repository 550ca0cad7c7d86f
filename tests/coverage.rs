//! Whether a 95% interval holds 95 times in 100. The 30 articles of each language are taken for all there is; a few are drawn
//! from them again and again, each time with the interval of D that the lab would show for these few, and it is counted how often
//! that interval holds D of all 30. What the page says of few texts (`report::coverage`) are these counts.

use std::{path::Path, thread};

use fairbits::{
    arch::{load::open, passes::run_texts, recipe::Recipe, weights::Device},
    backend::cpu::Cpu,
    lab::rounding::Rounding,
    math::{
        clipping::Rule,
        metrics::degradation,
        quantizer::{Bits, Granularity},
        rng::Rng,
        statistics::bca,
    },
    model::{catalog::Catalog, corpus::CorpusCard, source::Folder, tokenizer::Besides},
    report::coverage::MEASURED,
};
use pollster::block_on;

/// Draws of each language at each width.
const DRAWS: u64 = 40;
const RESAMPLES: usize = 500;
/// Languages are shared out to so many.
const THREADS: usize = 2;

/// Nats in full precision and quantized, and tokens scored, of one article.
#[derive(Clone, Copy)]
struct Text(f64, f64, u64);

/// D of texts, each counted so many times.
fn loss(texts: impl Iterator<Item = (u32, Text)>) -> f64 {
    let (full, quantized, tokens) = texts.fold((0.0, 0.0, 0), |sum, (times, text)| {
        let of = f64::from(times);
        (sum.0 + of * text.0, sum.1 + of * text.1, sum.2 + u64::from(times) * text.2)
    });
    degradation(full, quantized, tokens)
}

async fn rounded(device: &Device<Cpu>, bits: Bits) -> Recipe {
    let rounding = Rounding { bits, rule: Rule::Absmax, granularity: Granularity::Tensor };
    let mut recipe = Recipe::default();
    for (name, _, layout) in device.matrices() {
        let values = device.values(&name).await.unwrap();
        recipe.tensors.insert(name, rounding.of(&values, layout));
    }
    recipe
}

/// How often intervals held, for each number of texts of [`MEASURED`], over the trained languages whose place leaves `rest`.
fn held(rest: usize) -> (u32, [u32; MEASURED.len()]) {
    let public = Path::new(env!("CARGO_MANIFEST_DIR")).join("public");
    let site = Folder::new(public.clone());
    let catalog = block_on(Catalog::read(&site)).unwrap();
    let card = catalog.models.iter().find(|card| card.name == catalog.default).unwrap();
    let folder = Folder::new(public.join("models").join(&card.name));
    let model = block_on(open(Cpu, &folder, &card.name, &mut ())).unwrap();
    let tokenizer = model.tokenizer.as_ref().unwrap();
    let corpus = block_on(CorpusCard::read(&site, "udhr")).unwrap();
    let weights = [3, 4].map(|bits| {
        let recipe = block_on(rounded(&model.device, Bits::new(bits).unwrap()));
        block_on(model.device.apply(&recipe)).unwrap()
    });
    let (mut drawn, mut held) = (0, [0; MEASURED.len()]);
    let seen = corpus.languages.iter().filter(|language| card.bytes_seen(&language.code) > 0);
    for (place, language) in seen.enumerate().filter(|(place, _)| place % THREADS == rest) {
        let mut rng = Rng::stream(1, place as u64);
        let texts = block_on(corpus.texts(&site, &language.code)).unwrap();
        let cut = block_on(tokenizer.cut(texts.units, Besides::Nothing)).unwrap();
        let tokens: Vec<Vec<u32>> =
            cut.into_iter().map(|text| tokenizer.text_start().into_iter().chain(text.ids).collect()).collect();
        let nats = |weights| block_on(run_texts(&model.device, weights, &tokens, &async || ())).unwrap();
        let full = nats(model.device.full());
        for weights in &weights {
            let quantized = nats(weights);
            let text = |i: usize| Text(full[i], quantized[i], tokens[i].len() as u64 - 1);
            let all: Vec<Text> = (0..tokens.len()).map(text).collect();
            let truth = loss(all.iter().map(|text| (1, *text)));
            for draw in 0..DRAWS {
                drawn += 1;
                for ((units, _), held) in MEASURED.iter().zip(&mut held) {
                    let few: Vec<Text> = (0..*units).map(|_| all[rng.below(all.len() as u32) as usize]).collect();
                    let interval = bca(*units, 1, RESAMPLES, 0.95, draw, |times, out| {
                        out[0] = loss(times.iter().copied().zip(few.iter().copied()));
                    });
                    *held += u32::from(interval[0].low <= truth && truth <= interval[0].high);
                }
            }
        }
    }
    (drawn, held)
}

#[test]
fn intervals_hold_as_often_as_the_page_says() {
    let parts = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|rest| scope.spawn(move || held(rest))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let drawn: u32 = parts.iter().map(|(drawn, _)| drawn).sum();
    let shares = MEASURED.map(|(units, _)| units);
    let shares: Vec<(usize, u32)> = shares
        .into_iter()
        .enumerate()
        .map(|(at, units)| {
            let held: u32 = parts.iter().map(|(_, held)| held[at]).sum();
            (units, (100.0 * f64::from(held) / f64::from(drawn)).round() as u32)
        })
        .collect();
    println!("{drawn} draws; texts and per cent held: {shares:?}");
    assert_eq!(shares, MEASURED);
}
