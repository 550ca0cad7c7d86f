//! Time of a forward pass, every member running one sequence side by side.

use serde::Deserialize;
use web_sys::Url;

use super::{coordinator::Coordinator, failure::Failure, messages::Ask, yield_now::now};
use crate::{
    backend::{
        Backend,
        cpu::{Cpu, FUSED},
    },
    model::{
        ModelError,
        source::{Http, Source, fetch::Fetch},
    },
    protocol::{BenchResult, Event, How, USUAL_HUB},
    report::labels::OUR_FAULT,
};

/// The best of the rounds that fit in this time.
const MEASURE_MS: f64 = 4000.0;
/// At least this many rounds, however slow: a peer whose rounds take a second has as many in its time.
const FEWEST_ROUNDS: usize = 4;
/// Where a folder may keep the tokens to use.
const TOKENS_FILE: &str = "tokens.json";
/// A few thousand numbers.
const TOKENS_LIMIT: u64 = 1 << 20;
/// Spreads made-up tokens over the vocabulary; the peer's bench uses the same.
const STRIDE: usize = 7919;

#[derive(Deserialize)]
struct Tokens(Vec<u32>);

pub(super) async fn run(coordinator: &Coordinator, url: &str, tokens: usize) -> Result<(), Failure> {
    let (opened, _, pool) = coordinator.open(url, USUAL_HUB, How::Whole, None).await?;
    let pool = pool.ok_or_else(|| Failure::told("a model that is timed is held, and this one is not", OUR_FAULT))?;
    let spec = &opened.device.spec;
    if !(1..=spec.context).contains(&tokens) {
        let fault = format!("a sequence of {tokens} tokens was asked for, and this model reads 1 to {}", spec.context);
        return Err(Failure::told(fault, "Choose another number of tokens per sequence."));
    }
    let folder = Url::new_with_base(url, &coordinator.base()).map(|folder| folder.href()).unwrap_or_default();
    let given = Http::new(&folder, Fetch::default()).read_json::<Tokens>(TOKENS_FILE, TOKENS_LIMIT).await;
    let ids: Vec<u32> = match given {
        Ok(Tokens(ids)) if ids.len() >= tokens => ids[..tokens].to_vec(),
        Ok(_) | Err(ModelError::NotFound { .. }) => {
            (0..tokens).map(|i| (i * STRIDE % spec.vocabulary) as u32).collect()
        }
        Err(fault) => return Err(fault.into()),
    };

    // In exact mode, and in turns with it by fused products where there are any: the faster counts, both are told.
    let exact = pool.backend() == Cpu.name();
    let ways = if exact && Cpu.fused().is_some() { &[false, true][..] } else { &[false] };
    let (mut best, mut rounds, began) = ([f64::INFINITY; 2], 0, now());
    // The first round warms up and is not counted.
    while rounds <= FEWEST_ROUNDS || now() - began < MEASURE_MS * ways.len() as f64 {
        for (best, &fused) in best.iter_mut().zip(ways) {
            let start = now();
            pool.ask_all(|| Ask::Sequence { tokens: ids.clone(), fused }, Vec::new).await?;
            if rounds > 0 {
                *best = f64::min(*best, now() - start);
            }
        }
        rounds += 1;
    }
    coordinator.replicas.tell_profile(&pool).await?;
    let [usual, fused] = best.map(|best| best / pool.size() as f64);
    let milliseconds = f64::min(usual, fused);
    coordinator.tell(&Event::Bench(BenchResult {
        model: opened.name.clone(),
        backend: if fused < usual { FUSED } else { pool.backend() }.to_string(),
        exact_milliseconds: exact.then_some(usual),
        workers: pool.size(),
        tokens,
        milliseconds,
        tokens_per_second: 1000.0 * tokens as f64 / milliseconds,
        rounds: rounds - 1,
        gflops: 2.0 * spec.multiply_adds(tokens) as f64 / milliseconds / 1e6,
    }));
    Ok(())
}
