//! What each token pays: the loss of every token of one text, before and after rounding, in every language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Config;
use crate::lab::{
    AnalysisError,
    degradation::Language,
    origin::Origin,
    plan::{Plan, Taps},
    runner::Lab,
};
use crate::{
    arch::{recipe::Recipe, spec::Spec},
    model::{
        source::hex,
        tokenizer::{Besides, Cut},
    },
};

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TokensToken")]
pub struct Token {
    /// What it stands for; none where that is a part of a character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes in hexadecimal, where they are no text by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Its loss in nats: full precision, quantized. None where the model is not asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<(f64, f64)>,
}

/// The text in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TokensRow")]
pub struct Row {
    /// The language.
    pub language: Language,
    /// UTF-8 bytes of what is scored.
    pub bytes: u64,
    /// Tokens that are scored.
    pub scored: u64,
    /// Their loss in nats, full precision.
    pub full: f64,
    /// The same, quantized.
    pub quantized: f64,
    /// All tokens of the text, in its order.
    pub tokens: Vec<Token>,
}

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TokensReport")]
pub struct Report {
    /// What was asked.
    pub config: Config,
    /// Where the figures are from.
    #[serde(flatten)]
    pub origin: Origin,
    /// What a unit is called: `article`.
    pub unit: String,
    /// In the order of the config.
    pub rows: Vec<Row>,
}

impl Token {
    /// Of its bytes, with its losses.
    fn new(bytes: Vec<u8>, nats: Option<(f64, f64)>) -> Token {
        match String::from_utf8(bytes) {
            Ok(text) => Token { text: Some(text), bytes: None, nats },
            Err(part) => Token { text: None, bytes: Some(hex(part.as_bytes())), nats },
        }
    }
}

/// The text is run in full precision and quantized, as for any other analysis; only the sum is left out.
pub async fn run(config: &Config, lab: &impl Lab) -> Result<Report, AnalysisError> {
    config.check()?;
    let mut texts = Vec::new();
    let reading = config.sample().read_last(lab, |text| texts.push(text.to_string())).await?;
    let rounding = config.quantizer;
    let recipe = rounding.recipe(lab).await?;
    let all = 0..reading.texts.len();
    let mut plan = Plan::new(reading.texts.clone());
    let taps = Taps { tokens: true, ..Taps::LOSSES };
    let recipes = [&Recipe::default(), &recipe].map(|recipe| plan.ask(recipe, all.clone(), taps));
    let seen = lab.run(&plan).await?;
    let tokenizer = lab.model().tokenizer.as_ref().ok_or(AnalysisError::NoTokenizer)?;
    let Spec { scoring, context, .. } = lab.model().device.spec;
    let languages = Language::all(&config.languages, &reading, lab.model().card.as_ref());
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
    let origin = Origin::of(lab, Some(&reading));
    Ok(Report { config: config.clone(), origin, unit: reading.corpus.unit, rows })
}
