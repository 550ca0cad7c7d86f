//! What each exercise of the workshop runs: small enough for a classroom's laptops.

use super::choices::Choices;
use super::dial_choices::{DialChoices, Layers, Stops};
use super::gateway_choices::GatewayChoices;
use crate::lab::mitigation::Method;
use crate::protocol::{Config, Kind};
use crate::report::{Bits, CorpusCard, Granularity, Rule};
use crate::workshop::Exercise;

/// Units of each language: enough for an interval that says something, few enough for half a minute.
const UNITS: usize = 6;
/// A search over single layers reads every text often.
const SEARCHED_UNITS: usize = 4;
/// As far as the dial is turned: 2^5.
const TURNED: usize = 5;

/// What the exercise runs with these languages, on a model of so many layers; or what is wrong, as a sentence. Everything but the
/// languages is the exercise's own, so that a class sees the same.
pub fn config(exercise: &Exercise, chosen: &Choices, corpora: &[CorpusCard], layers: usize) -> Result<Config, String> {
    let three = Bits::new(3).unwrap_or(Bits::ALL[0]);
    let own = Choices {
        languages: chosen.languages.clone(),
        units: if exercise.kind == Kind::Gateway { SEARCHED_UNITS } else { UNITS }.to_string(),
        bits: three,
        rule: Rule::Absmax,
        granularity: Granularity::Tensor,
        losses: true,
        methods: [Method::Absmax, Method::Aciq, Method::Optimal, Method::Channel, Method::Group, Method::Language]
            .into(),
        dial: DialChoices {
            furthest: TURNED,
            stops: Stops::Ends,
            layers: Layers::EverySecond,
            flatten: false,
            bits: [three].into(),
            rules: vec![Rule::Absmax],
            ..DialChoices::default()
        },
        gateway: GatewayChoices { budgets: [1].into(), sweeps: false, others: false, ..GatewayChoices::default() },
        ..Choices::default()
    };
    own.of_kind(exercise.kind, corpora, layers)
}

#[cfg(test)]
mod tests {
    use super::super::choices::tests::corpora;
    use super::*;
    use crate::workshop::EXERCISES;

    #[test]
    fn every_exercise_has_a_run_of_its_own_kind() {
        let chosen =
            Choices { languages: ["eng".to_string(), "kor".into()].into(), seed: "9".into(), ..Choices::default() };
        for exercise in EXERCISES {
            let config = config(exercise, &chosen, &corpora(), 12).unwrap();
            assert_eq!(config.kind(), exercise.kind, "{}", exercise.name);
            config.check().unwrap();
            let none = super::config(exercise, &Choices::default(), &corpora(), 12);
            assert!(none.is_err() || exercise.kind == Kind::Clipping, "{}", exercise.name);
        }
    }
}
