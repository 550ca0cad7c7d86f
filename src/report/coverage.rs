//! How far a 95% interval from few texts can be trusted, measured: `tests/coverage.rs` draws texts from the shipped corpus again
//! and again, and counts how often the interval of D from a few holds the figure of all.

use super::format;

/// Texts of a draw, and per cent of the draws whose interval held the figure of all texts.
pub const MEASURED: [(usize, u32); 4] = [(3, 70), (8, 88), (15, 90), (30, 93)];
/// From this share on, an interval does what it says nearly enough.
const ENOUGH: u32 = 90;

/// What is known of intervals from so many texts: the last measured number of them that is not more.
fn known(units: usize) -> Option<(usize, u32)> {
    MEASURED.into_iter().take_while(|(drawn, _)| *drawn <= units).last()
}

/// Where intervals from so many texts are clearly too narrow: how often they hold, after the number of texts.
pub fn warning(units: usize) -> Option<String> {
    let (_, share) = known(units).or(MEASURED.first().copied()).filter(|(_, share)| *share < ENOUGH)?;
    Some(format!("from so few, a 95% interval holds the figure of all texts only about {share} times in 100"))
}

/// The whole measurement, as a note below figures.
pub fn note(unit: &str) -> String {
    let [first, rest @ ..] = MEASURED;
    let rest: Vec<String> = rest.iter().map(|(units, share)| format!("from {units} in {share}%")).collect();
    format!(
        "Bootstrap intervals from few texts are too narrow. Measured on the default model and 30 articles in 18 languages, at 3 \
         and 4 bits: the 95% interval of D from {} held the figure of all 30 in {}% of the draws, {}. Read more {unit}s \
         before you build on a difference.",
        format::counted(first.0 as u64, "article"),
        first.1,
        rest.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_texts_are_warned_of_and_many_are_not() {
        assert!(warning(2).unwrap().contains("about 70 times"), "fewer than ever measured are no better");
        assert!(warning(5).unwrap().contains("about 70 times") && warning(8).unwrap().contains("about 88 times"));
        assert_eq!((warning(15), warning(30), warning(64)), (None, None, None));
        assert!(
            note("paragraph").contains("from 3 articles held the figure of all 30 in 70% of the draws, from 8 in 88%")
        );
    }
}
