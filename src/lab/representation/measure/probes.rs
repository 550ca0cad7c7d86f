//! What a linear probe reads off a text's mean state: its language, its script, which text it is. A text is never in both
//! training and test, and neither is what would give it away: its unit where the language is asked for, its language where
//! the unit is.

use std::collections::BTreeSet;

use super::{FULL, QUANTIZED};
use crate::lab::{
    hidden_states::Studied,
    representation::{Question, RIDGE},
    runner::Lab,
};
use crate::math::probe::{Examples, Probe};

/// A probe is trained on so many texts at most, evenly chosen: its cost grows with their cube.
const MOST_EXAMPLES: usize = 400;

/// Whether each answer was right: of probes in full precision, trained anew on quantized states, and carried over to them.
pub type Right = [Vec<f64>; 3];

/// All answers to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    pub question: Question,
    pub classes: usize,
    pub trained_on: usize,
    /// Of each layer and text: 1 or 0.
    pub layers: Vec<Right>,
    /// Of each text: right answers in full precision less those of probes trained anew, mean over layers.
    pub lost: Vec<f64>,
}

/// What each text is, for each question, and on which side it stands.
fn classes(question: Question, scripts: &[String], units: usize) -> Option<(Vec<usize>, Vec<bool>, usize)> {
    let texts = || (0..scripts.len()).flat_map(|language| (0..units).map(move |unit| (language, unit)));
    let known: Vec<&String> = scripts.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let script = |language: usize| known.iter().position(|own| **own == scripts[language]).unwrap_or(0);
    let (classes, count): (Vec<usize>, usize) = match question {
        Question::Language => (texts().map(|(language, _)| language).collect(), scripts.len()),
        Question::Script => (texts().map(|(language, _)| script(language)).collect(), known.len()),
        Question::Article => (texts().map(|(_, unit)| unit).collect(), units),
    };
    let even = texts().map(|(language, unit)| if question == Question::Article { language } else { unit } % 2 == 0);
    let even: Vec<bool> = even.collect();
    // Both sides must have something, and a question with one answer asks nothing.
    (count > 1 && even.contains(&false)).then_some((classes, even, count))
}

/// Asks every question of every layer.
pub async fn ask(
    studied: &Studied<'_>,
    scripts: &[String],
    units: usize,
    layers: usize,
    lab: &impl Lab,
) -> Vec<Answers> {
    let asked: Vec<_> = Question::ALL
        .into_iter()
        .filter_map(|question| classes(question, scripts, units).map(|of| (question, of)))
        .collect();
    let mut answers = Vec::new();
    for (question, (classes, even, count)) in &asked {
        let (mut of_layers, mut trained_on) = (Vec::new(), 0);
        for layer in 0..layers {
            let states = |recipe: usize| -> Vec<Vec<f64>> {
                (0..classes.len()).map(|text| studied.mean(recipe, text, layer).to_vec()).collect()
            };
            let (right, most) = both_ways([&states(FULL), &states(QUANTIZED)], classes, even, *count);
            of_layers.push(right);
            trained_on = most.max(trained_on);
            lab.pause().await;
        }
        let lost = |text: usize| {
            let of = |[full, anew, _]: &Right| full[text] - anew[text];
            of_layers.iter().map(of).sum::<f64>() / layers as f64
        };
        let lost = (0..classes.len()).map(lost).collect();
        answers.push(Answers { question: *question, classes: *count, trained_on, lost, layers: of_layers });
    }
    answers
}

/// Trains on one side and asks the other, both ways. States are those of all texts in full precision and quantized.
fn both_ways(states: [&Vec<Vec<f64>>; 2], classes: &[usize], even: &[bool], count: usize) -> (Right, usize) {
    let mut right: Right = std::array::from_fn(|_| vec![0.0; classes.len()]);
    let mut most = 0;
    for side in [true, false] {
        let train: Vec<usize> = (0..classes.len()).filter(|&text| even[text] == side).collect();
        let step = train.len().div_ceil(MOST_EXAMPLES).max(1);
        let train: Vec<usize> = train.into_iter().step_by(step).collect();
        most = most.max(train.len());
        let of: Vec<usize> = train.iter().map(|&text| classes[text]).collect();
        let probes = states.map(|states| {
            let features: Vec<Vec<f64>> = train.iter().map(|&text| states[text].clone()).collect();
            Probe::train(Examples { features: &features, classes: &of }, count, RIDGE)
        });
        for text in (0..classes.len()).filter(|&text| even[text] != side) {
            let asked = [(FULL, FULL), (QUANTIZED, QUANTIZED), (FULL, QUANTIZED)];
            for (right, (probe, on)) in right.iter_mut().zip(asked) {
                // States that do not vary tell nothing.
                let guess = probes[probe].as_ref().map(|probe| probe.guess(&states[on][text]));
                right[text] = f64::from(guess == Some(classes[text]));
            }
        }
    }
    (right, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_give_the_answer_away_is_on_one_side() {
        let scripts = ["Latn", "Cyrl", "Latn"].map(String::from);
        let (of, even, count) = classes(Question::Language, &scripts, 4).unwrap();
        assert_eq!((&of[..5], count), (&[0, 0, 0, 0, 1][..], 3));
        assert_eq!(even[..5], [true, false, true, false, true], "by unit");
        let (of, _, count) = classes(Question::Script, &scripts, 4).unwrap();
        assert_eq!((of[0], of[4], of[8], count), (1, 0, 1, 2));
        let (of, even, count) = classes(Question::Article, &scripts, 4).unwrap();
        assert_eq!((&of[..5], count), (&[0, 1, 2, 3, 0][..], 4));
        assert_eq!((even[0], even[3], even[4], even[8]), (true, true, false, true), "by language");
        assert!(classes(Question::Script, &scripts[..1], 4).is_none(), "one script asks nothing");
        assert!(classes(Question::Language, &scripts, 1).is_none(), "one unit cannot be split");
    }
}
