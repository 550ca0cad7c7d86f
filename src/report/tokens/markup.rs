//! A text with its tokens as elements. A page of many languages has thousands of tokens: they are written as text at once, and
//! who points at one is found by its number.

use std::ops::Range;

use super::{Row, Token, token_lost};
use crate::report::chart::diverging::Diverging;

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

/// The text of a language. A token has its number in `data-at` and its colour's step in `data-tint`; one that is a part of a
/// character is a stripe behind it.
pub fn html(row: &Row, scale: &Diverging) -> String {
    let tint = |token: &Token| match token_lost(token) {
        Some(lost) => format!("data-tint=\"{}\"", scale.step(lost)),
        None => "data-tint=\"none\"".into(),
    };
    let mut out = String::new();
    for Group { text, tokens } in groups(&row.tokens) {
        let text = escaped(&text);
        match tokens.len() {
            1 => {
                let at = tokens.start;
                out.push_str(&format!(
                    "<span class=\"token\" tabindex=\"-1\" data-at=\"{at}\" {}>{text}</span>",
                    tint(&row.tokens[at])
                ));
            }
            _ => {
                out.push_str("<span class=\"split\"><span class=\"stripes\">");
                for at in tokens {
                    out.push_str(&format!(
                        "<span class=\"token\" tabindex=\"-1\" data-at=\"{at}\" {}></span>",
                        tint(&row.tokens[at])
                    ));
                }
                out.push_str(&format!("</span><span class=\"whole\">{text}</span></span>"));
            }
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
