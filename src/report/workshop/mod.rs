//! The workshop: six exercises, each a question, a prediction, a run, and what was found against what the seeds say.

mod exercises;
mod found;

pub use exercises::{EXERCISES, Exercise};

use crate::analysis::{Kind, Report};

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

    #[test]
    fn a_finding_answers_the_prediction() {
        let report = Report::from(crate::report::languages::sample::report());
        let first = &EXERCISES[0];
        let finding = first.found(&report).expect("the exercise is about languages");
        assert!(finding.answer < first.answers.len() && finding.sentence.ends_with('.'), "{finding:?}");
        assert_ne!(judged(finding.answer, &finding), judged(finding.answer + 1, &finding));
        assert_eq!(EXERCISES[3].found(&report), None, "a report of another analysis says nothing");
    }
}
