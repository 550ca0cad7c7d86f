//! A text with its tokens as elements. A page of many languages has thousands of tokens: they are written as text at once, and
//! who points at one is found by its number.

use std::ops::Range;

use super::{Row, Token, token_lost};
use crate::report::chart::diverging::{Diverging, STEPS, UNDER_TEXT};

/// Tokens that are text only together: one token, or several that share a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they stand for.
    pub text: String,
    /// Their numbers.
    pub tokens: Range<usize>,
}

/// The tokens of a text in groups: as few tokens to each as make whole characters.
pub fn groups(tokens: &[Token]) -> Vec<Group> {
    let (mut all, mut open): (Vec<Group>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut first = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &token.text {
            // Bytes that were never completed, as no tokenizer leaves them.
            Some(_) if !open.is_empty() => {
                all.push(Group { text: String::from_utf8_lossy(&open).into_owned(), tokens: first..at });
                open.clear();
            }
            _ => {}
        }
        if let Some(text) = &token.text {
            all.push(Group { text: text.clone(), tokens: at..at + 1 });
            first = at + 1;
            continue;
        }
        open.extend(unhex(token.bytes.as_deref().unwrap_or_default()));
        if let Ok(text) = str::from_utf8(&open) {
            all.push(Group { text: text.into(), tokens: first..at + 1 });
            open.clear();
            first = at + 1;
        }
    }
    if !open.is_empty() {
        all.push(Group { text: String::from_utf8_lossy(&open).into_owned(), tokens: first..tokens.len() });
    }
    all
}

fn unhex(digits: &str) -> Vec<u8> {
    let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..digits.len()).step_by(2).filter_map(pair).collect()
}

/// The text of a language, group after group. A group has the number of its first token in `data-at`; one of a single token its
/// colour's step in `data-tint`, one of several theirs in `data-tints`. Letters must join across groups, so that nothing but
/// the text may stand in them.
pub fn html(row: &Row, scale: &Diverging) -> String {
    let tint = |at: usize| match token_lost(&row.tokens[at]) {
        Some(lost) => scale.step(lost).to_string(),
        None => "none".into(),
    };
    let mut out = String::new();
    for Group { text, tokens } in groups(&row.tokens) {
        let (at, text) = (tokens.start, escaped(&text));
        let tints = tokens.clone().map(tint).collect::<Vec<_>>().join(" ");
        let name = if tokens.len() == 1 { "data-tint" } else { "data-tints" };
        out.push_str(&format!(
            "<span class=\"token\" tabindex=\"-1\" data-at=\"{at}\" data-count=\"{}\" {name}=\"{tints}\">{text}</span>",
            tokens.len()
        ));
    }
    out
}

/// Steps from which on a line repeats the sign for eyes and prints without colours, above what is cheaper and below what costs
/// more; the style sheet's rules for `data-tint` do the same.
const LINED: i8 = 2;

/// How much of its colour a step has, as the style sheet's rules for `data-tint` say; none for 0.
fn colour(step: i8) -> String {
    let (name, share) =
        (if step < 0 { "--below" } else { "--above" }, UNDER_TEXT * f64::from(step.abs()) / f64::from(STEPS));
    format!("color-mix(in srgb, var({name}) {}%, transparent)", libm::round(100.0 * share))
}

/// The background of a group of several tokens: a stripe for each, in the direction of the text.
pub fn stripes(tints: &str, from_right: bool) -> String {
    let steps: Vec<i8> = tints.split(' ').map(|step| step.parse().unwrap_or(0)).collect();
    let each = 100.0 / steps.len().max(1) as f64;
    let gradient = |colour: &dyn Fn(i8) -> String| {
        let stripe =
            |(at, step): (usize, &i8)| format!("{} {}% {}%", colour(*step), each * at as f64, each * (at + 1) as f64);
        let stops: Vec<String> = steps.iter().enumerate().map(stripe).collect();
        format!("linear-gradient(to {}, {})", if from_right { "left" } else { "right" }, stops.join(", "))
    };
    let line = |lined: &dyn Fn(i8) -> bool, colour: &str| {
        gradient(&|step| if lined(step) { format!("var({colour})") } else { "transparent".into() })
    };
    let (above, below) = (line(&|step| step <= -LINED, "--below"), line(&|step| step >= LINED, "--above"));
    format!("{above} top / 100% 2px no-repeat, {below} bottom / 100% 2px no-repeat, {}", gradient(&colour))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
