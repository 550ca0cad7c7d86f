//! Where each analysis stands: measured, stale after a change, running, waiting. The navigation shows it.

use super::chosen::Chosen;
use super::{claim_choices, exercise_choices, quick};
use crate::lab::settings::Around;
use crate::protocol::{Config, Kind};
use crate::report::Card;
use crate::workshop::EXERCISES;

/// How an analysis stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It is being measured.
    Running,
    /// It waits for its turn.
    Queued,
    /// Its result was measured with other choices or on another model.
    Stale,
    /// Its result fits what is chosen.
    Done,
}

impl Freshness {
    /// As the page's elements call it.
    pub fn word(self) -> &'static str {
        match self {
            Freshness::Running => "running",
            Freshness::Queued => "queued",
            Freshness::Stale => "stale",
            Freshness::Done => "done",
        }
    }

    /// As a reader hears it, after the page's title.
    pub fn told(self) -> &'static str {
        match self {
            Freshness::Running => ", running",
            Freshness::Queued => ", waits for its turn",
            Freshness::Stale => ", measured before your last change",
            Freshness::Done => ", measured",
        }
    }
}

/// Who asked for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The person, on its own page or on the Claims page.
    Page,
    /// The page by itself.
    QuickLook,
    /// The workshop, with settings of its own.
    Exercise,
}

/// Whether a result with these settings is what somebody who has chosen so would get from whoever asked for it. Choices that make no
/// settings at all leave a result as it is.
pub fn fits(shown: &Config, chosen: &Chosen, around: &Around, card: Option<&Card>, by: By) -> bool {
    let kind = shown.kind();
    let same = |wanted: &Config| wanted == shown;
    match chosen.config(kind, around) {
        Err(_) => true,
        // Its page counts outlier layers anew for whatever threshold is chosen.
        Ok(_) if kind == Kind::Weights => true,
        Ok(_) if by == By::QuickLook => quick::config(chosen, around, card).as_ref().is_some_and(same),
        Ok(_) if by == By::Exercise => EXERCISES
            .iter()
            .filter(|exercise| exercise.kind == kind)
            .any(|exercise| exercise_choices::config(exercise, chosen, around).as_ref().is_ok_and(same)),
        Ok(wanted) => same(&wanted) || claim_choices::asked(chosen, kind, around, card).as_ref().is_ok_and(same),
    }
}

#[cfg(target_arch = "wasm32")]
pub use here::*;

#[cfg(target_arch = "wasm32")]
mod here {
    use leptos::prelude::*;

    use super::super::queue::Queue;
    use super::super::state::{Finished, Model, State};
    use super::*;

    /// How an analysis stands; none where nothing was measured yet.
    pub fn freshness(state: State, kind: Kind) -> Option<Freshness> {
        let under_way = state.running() || state.looking();
        if under_way && state.running_config.with(|config| config.as_ref().map(Config::kind)) == Some(kind) {
            return Some(Freshness::Running);
        }
        if state.queue.with(|queue| Queue::waiting(queue).any(|config| config.kind() == kind)) {
            return Some(Freshness::Queued);
        }
        let finished = state.finished(kind).filter(|finished| !finished.partial)?;
        Some(if is_current(state, &finished) { Freshness::Done } else { Freshness::Stale })
    }

    /// Analyses whose results no longer fit, in the order of the argument. What an exercise asked for is not among them: nobody
    /// chose anything on the page of that analysis, and the exercise itself asks for the run again.
    pub fn stale(state: State) -> Vec<Kind> {
        let of_exercise = |kind| state.finished(kind).is_some_and(|finished| by(state, &finished) == By::Exercise);
        let is_stale = |kind: &Kind| freshness(state, *kind) == Some(Freshness::Stale) && !of_exercise(*kind);
        Kind::ALL.iter().copied().filter(is_stale).collect()
    }

    fn by(state: State, finished: &Finished) -> By {
        match finished.id {
            id if state.is_quick(id) => By::QuickLook,
            id if state.answers.asked_for(id) => By::Exercise,
            _ => By::Page,
        }
    }

    fn is_current(state: State, finished: &Finished) -> bool {
        let of_model = match (finished.report.origin().model(), state.model.get()) {
            (Some(origin), Model::Loaded(loaded)) => origin.files == loaded.files,
            _ => true,
        };
        if finished.from_file || !of_model {
            return of_model;
        }
        let shown = finished.report.config();
        // A family of tests counts what was tested since.
        if shown.kind() == Kind::Statistics {
            return state.statistics().map_or(true, |wanted| Config::from(wanted) == shown);
        }
        let (by, card) = (by(state, finished), state.card());
        state.around(|around| fits(&shown, &state.settings.all(), around, card.as_ref(), by))
    }
}

#[cfg(test)]
mod tests {
    use super::super::chosen::tests::{around, corpora, of_languages};
    use super::*;
    use crate::lab::settings::{Resampling, Texts};

    fn choices() -> Chosen {
        of_languages(&["eng", "kor"])
    }

    /// Law: what a page, the Claims page or a quick look would measure now fits; after a change of what it depends on it does not,
    /// and a change of what it does not depend on leaves it.
    #[test]
    fn a_result_fits_until_what_it_depends_on_changes() {
        let (before, corpora) = (choices(), corpora());
        let (around, after) = (around(&corpora), choices().with(Texts::KEYS.units, 9));
        let fit = |shown: &Config, chosen: &Chosen| fits(shown, chosen, &around, None, By::Page);
        for kind in Kind::ALL {
            let of_page = before.config(*kind, &around).unwrap();
            let of_claims = claim_choices::asked(&before, *kind, &around, None).unwrap();
            assert!(fit(&of_page, &before) && fit(&of_claims, &before), "{kind:?}");
            let same = after.config(*kind, &around).unwrap() == of_page;
            assert_eq!(fit(&of_page, &after), same, "{kind:?}");
        }
        let looked = quick::config(&before, &around, None).unwrap();
        assert!(fits(&looked, &before, &around, None, By::QuickLook) && !fit(&looked, &before));
        let mut half = choices();
        half.put(Texts::KEYS.units.place, "".into());
        assert!(fit(&looked, &half), "half a number says nothing");
    }

    /// Law: what an exercise measured fits whatever is chosen on pages, as its settings are its own; only the languages are the
    /// person's.
    #[test]
    fn what_an_exercise_measured_fits_until_the_languages_change() {
        let corpora = corpora();
        let around = around(&corpora);
        let other = choices().with(Texts::KEYS.units, 9).with(Resampling::KEYS.seed, 5);
        let more = of_languages(&["eng", "kor", "tha"]);
        for exercise in EXERCISES {
            let shown = exercise_choices::config(exercise, &choices(), &around).unwrap();
            let fit = |chosen: &Chosen, by| fits(&shown, chosen, &around, None, by);
            assert!(fit(&choices(), By::Exercise) && fit(&other, By::Exercise), "{}", exercise.name);
            assert!(!fit(&more, By::Exercise) && !fit(&other, By::Page), "{}", exercise.name);
        }
    }
}
