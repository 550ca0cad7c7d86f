//! How far a 95% interval from few texts can be trusted, measured: `tests/coverage.rs` draws texts from the shipped corpus again
//! and again, and counts how often the interval of D from a few holds the figure of all.

use super::format;

/// Texts of a draw, and per cent of the draws whose interval held the figure of all texts.
pub const MEASURED: [(usize, u32); 5] = [(2, 49), (3, 70), (8, 87), (15, 92), (30, 92)];
/// From this share on, an interval does what it says nearly enough.
const ENOUGH: u32 = 90;
/// Below this share, what intervals tell apart is no finding.
const SOME: u32 = 80;

/// How often intervals from so many texts hold, where that is clearly less than they say: the share for the last measured number
/// of texts that is not more.
fn falls_short(units: usize) -> Option<u32> {
    let known = MEASURED.into_iter().take_while(|(drawn, _)| *drawn <= units).last();
    known.map(|(_, share)| share).filter(|share| *share < ENOUGH)
}

/// What must be said beside a difference that rests on so many texts of each language, as a sentence.
pub fn caution(units: usize) -> Option<String> {
    let share = falls_short(units)?;
    let texts = format::counted(units as u64, "text");
    Some(if share < SOME {
        format!(
            "From {texts} of each language this is an impression, not a finding: intervals from so few hold about {share} \
             times in 100, not 95."
        )
    } else {
        format!("From {texts} of each language, intervals hold about {share} times in 100, not 95.")
    })
}

/// The whole measurement, as a note below figures that rest on so many texts; none where they do what they say.
pub fn note(units: usize, unit: &str) -> Option<String> {
    falls_short(units)?;
    let [first, rest @ ..] = MEASURED;
    let rest: Vec<String> = rest.iter().map(|(units, share)| format!("from {units} in {share}%")).collect();
    Some(format!(
        "Bootstrap intervals from few texts are too narrow. Measured on the default model and 30 articles in 18 languages, at 3 \
         and 4 bits: the 95% interval of D from {} held the figure of all 30 in {}% of the draws, {}. Read more {unit}s \
         before you build on a difference.",
        format::counted(first.0 as u64, "article"),
        first.1,
        rest.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_texts_are_warned_of_and_many_are_not() {
        let impression = "From 3 texts of each language this is an impression, not a finding: intervals from so few hold about 70 \
                          times in 100, not 95.";
        assert_eq!(caution(3).unwrap(), impression);
        assert!(caution(2).unwrap().contains("about 49 times"));
        assert!(caution(5).unwrap().contains("impression") && !caution(8).unwrap().contains("impression"));
        assert!(caution(14).unwrap().contains("about 87 times"));
        assert_eq!((caution(15), caution(30), note(64, "paragraph")), (None, None, None));
        let note = note(8, "paragraph").unwrap();
        assert!(
            note.contains(
                "from 2 articles held the figure of all 30 in 49% of the draws, from 3 in 70%, from 8 in 87%"
            ),
            "{note}"
        );
    }
}
