//! What each token pays: the loss of every token of one text, before and after rounding, in every language.

use super::{Config, Report, Row, Token};
use crate::lab::{
    AnalysisError, Measuring, degradation, origin,
    plan::{Plan, Taps},
    rounding,
    runner::Lab,
    sample,
};
use crate::{
    arch::{recipe::Recipe, spec::Spec},
    model::tokenizer::{Besides, Cut},
};

impl Measuring for Config {}

/// The text is run in full precision and quantized, as for any other analysis; only the sum is left out.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let mut texts = Vec::new();
    let reading = sample::read_last(config.sample(), lab, |text| texts.push(text.to_string())).await?;
    let rounding = config.quantizer;
    let recipe = rounding::recipe(&rounding, lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let taps = Taps { tokens: true, ..Taps::LOSSES };
    let recipes = [&Recipe::default(), &recipe].map(|recipe| plan.ask(recipe, all.clone(), taps));
    let seen = lab.run(&plan).await?;
    let tokenizer = lab.model().tokenizer.as_ref().ok_or(AnalysisError::NoTokenizer)?;
    let Spec { scoring, context, .. } = lab.model().device.spec;
    let languages = degradation::languages(&config.languages, &reading, lab.model().card.as_ref());
    let cut = tokenizer.cut(texts, Besides::Pieces).await?;
    let mut rows = Vec::new();
    for ((number, language), (text, Cut { pieces, .. })) in
        languages.into_iter().enumerate().zip(reading.texts.iter().zip(cut))
    {
        // The token that stands before a text is no part of it.
        let before = text.tokens.len() - pieces.len().min(text.tokens.len());
        let mut nats = vec![None; text.tokens.len()];
        let order = scoring.order(text.tokens.len(), context);
        let [full, quantized] = recipes.map(|recipe| seen.tokens(recipe, number));
        for (place, losses) in order.into_iter().zip(full.iter().copied().zip(quantized.iter().copied())) {
            nats[place] = Some(losses);
        }
        rows.push(Row {
            language,
            bytes: text.bytes,
            scored: text.scored as u64,
            full: seen.nats(recipes[0], number),
            quantized: seen.nats(recipes[1], number),
            tokens: pieces
                .into_iter()
                .zip(nats.into_iter().skip(before))
                .map(|(piece, nats)| Token::new(piece, nats))
                .collect(),
        });
    }
    let origin = origin::of(lab, Some(&reading));
    Ok(Report { config: config.clone(), origin, unit: reading.corpus.unit, rows })
}
