//! The workshop: six exercises, each a question, a prediction, a run, and what was found against what the theory says.

mod exercises;
mod found;

pub use exercises::{EXERCISES, Exercise};

use crate::lab::{Kind, Report};

/// What a run says of an exercise's question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The answer that the figures support, as an index into [`Exercise::answers`].
    pub answer: usize,
    /// The figures, as a sentence.
    pub sentence: String,
}

impl Exercise {
    /// The exercise of this name.
    pub fn named(name: &str) -> Option<&'static Exercise> {
        EXERCISES.iter().find(|exercise| exercise.name == name)
    }

    /// What a report says; none where it is of another analysis, or lacks what the question needs.
    pub fn found(&self, report: &Report) -> Option<Finding> {
        if report.kind() != self.kind {
            return None;
        }
        let (answer, sentence) = found::of(self, report)?;
        Some(Finding { answer, sentence })
    }
}

/// How far somebody is with an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stand {
    /// What was predicted, as an index into [`Exercise::answers`].
    pub predicted: usize,
    /// What a run then found.
    pub found: Option<usize>,
}

/// How far somebody is with each exercise, by its name.
pub type Stands = std::collections::BTreeMap<&'static str, Stand>;

/// Reads what [`written`] wrote: `who-pays=0:2 heavy-tails=2`. What does not read so is left out.
pub fn read(text: &str) -> Stands {
    let one = |pair: &str| {
        let (name, rest) = pair.split_once('=')?;
        let exercise = Exercise::named(name)?;
        let answer = |text: &str| text.parse().ok().filter(|answer| *answer < exercise.answers.len());
        let (predicted, found) =
            rest.split_once(':').map_or((rest, None), |(predicted, found)| (predicted, Some(found)));
        Some((exercise.name, Stand { predicted: answer(predicted)?, found: found.and_then(answer) }))
    };
    text.split(' ').filter_map(one).collect()
}

/// As it is kept.
pub fn written(stands: &Stands) -> String {
    let one = |(name, Stand { predicted, found }): (&&str, &Stand)| match found {
        Some(found) => format!("{name}={predicted}:{found}"),
        None => format!("{name}={predicted}"),
    };
    stands.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// How far somebody is with an exercise, after its title.
pub fn stand_told(stand: Option<&Stand>) -> &'static str {
    match stand {
        None => "",
        Some(Stand { found: None, .. }) => "predicted",
        Some(Stand { predicted, found: Some(found) }) if predicted == found => "done, as predicted",
        Some(_) => "done, otherwise than predicted",
    }
}

/// What the prediction came to, as a sentence.
pub fn judged(predicted: usize, finding: &Finding) -> &'static str {
    if predicted == finding.answer {
        "Your prediction agrees with this run."
    } else {
        "This run says otherwise than you predicted."
    }
}

/// Analyses that the exercises run.
pub fn runs() -> impl Iterator<Item = Kind> {
    EXERCISES.iter().map(|exercise| exercise.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exercise_can_be_named_in_a_link_and_answered() {
        for (at, exercise) in EXERCISES.iter().enumerate() {
            assert!(EXERCISES[..at].iter().all(|other| other.name != exercise.name));
            assert_eq!(Exercise::named(exercise.name), Some(exercise));
            assert!(exercise.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            assert!((2..=6).contains(&exercise.answers.len()), "{}", exercise.name);
            assert!(exercise.question.ends_with('?'), "{}", exercise.question);
        }
        assert_eq!(EXERCISES.len(), 6);
        assert_eq!(Exercise::named("nothing"), None);
    }

    /// Law: whatever an exercise marks has an entry in the glossary.
    #[test]
    fn everything_that_an_exercise_marks_has_an_entry() {
        use crate::report::glossary::{Piece, split, tests::unknown};
        let mut marked = 0;
        for exercise in EXERCISES {
            for text in exercise.background.iter().chain([&exercise.question, &exercise.theory, &exercise.next]) {
                marked += split(text).iter().filter(|piece| matches!(piece, Piece::Term(..))).count();
                assert_eq!(unknown(text), [""; 0], "{}: {text}", exercise.name);
            }
        }
        assert!(marked > 10, "only {marked} marks were found");
    }

    #[test]
    fn progress_is_kept_and_what_does_not_read_is_left_out() {
        let text = "heavy-tails=2 who-pays=0:2";
        let stands = read(text);
        assert_eq!(written(&stands), text);
        assert_eq!(stands["who-pays"], Stand { predicted: 0, found: Some(2) });
        let told = ["heavy-tails", "who-pays", "what-helps"].map(|name| stand_told(stands.get(name)));
        assert_eq!(told, ["predicted", "done, otherwise than predicted", ""]);
        assert_eq!(read("who-pays=9 nothing=1 x what-helps=1:99 where-to-clip=a:1"), read("what-helps=1"));
    }

    #[test]
    fn a_finding_answers_the_prediction() {
        let report = Report::from(crate::lab::languages::sample::report());
        let first = &EXERCISES[0];
        let finding = first.found(&report).expect("the exercise is about languages");
        assert!(finding.answer < first.answers.len() && finding.sentence.ends_with('.'), "{finding:?}");
        assert_ne!(judged(finding.answer, &finding), judged(finding.answer + 1, &finding));
        assert_eq!(EXERCISES[3].found(&report), None, "a report of another analysis says nothing");
    }
}
