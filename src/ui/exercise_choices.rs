//! What each exercise of the workshop runs: small enough for a classroom's laptops.

use super::chosen::Chosen;
use crate::lab::clipping;
use crate::lab::dial::{Layers, Stops};
use crate::lab::mitigation::Method;
use crate::lab::rounding::Rounding;
use crate::lab::settings::{Around, Texts};
use crate::protocol::{Config, Kind};
use crate::report::{Bits, Rule};
use crate::workshop::Exercise;

/// Units of each language: enough for an interval that says something, few enough for half a minute.
const UNITS: usize = 6;
/// A search over single layers reads every text often.
const SEARCHED_UNITS: usize = 4;
/// As far as the dial is turned: 2^5.
const TURNED: usize = 5;
/// What there is without knowing a language or a layer, and strategy A.
const METHODS: [Method; 6] =
    [Method::Absmax, Method::Aciq, Method::Optimal, Method::Channel, Method::Group, Method::Language];

/// What the exercise runs with these languages, or what is wrong, as a sentence. Everything but the languages is the exercise's own,
/// so that a class sees the same.
pub fn config(exercise: &Exercise, chosen: &Chosen, around: &Around) -> Result<Config, String> {
    let three = Bits::new(3).unwrap_or(Bits::ALL[0]);
    let units = if exercise.kind == Kind::Gateway { SEARCHED_UNITS } else { UNITS };
    let own = Chosen::default()
        .with(Texts::KEYS.languages, chosen.get(Texts::KEYS.languages))
        .with(Texts::KEYS.units, units)
        .with(Rounding::KEYS.bits, three)
        .with(clipping::Config::KEYS.losses, true);
    let mut asked = own.config(exercise.kind, around)?;
    match &mut asked {
        Config::Mitigation(own) => own.methods = METHODS.into(),
        Config::Dial(own) => {
            (own.furthest, own.stops, own.layers, own.flatten) = (TURNED, Stops::Ends, Layers::EverySecond, false);
            (own.bits, own.rules) = (vec![three], vec![Rule::Absmax]);
        }
        Config::Gateway(own) => (own.budgets, own.sweeps, own.others) = (vec![1], false, false),
        _ => {}
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::super::chosen::tests::{around, corpora, of_languages};
    use super::*;
    use crate::lab::settings::Resampling;
    use crate::workshop::EXERCISES;

    #[test]
    fn every_exercise_has_a_run_of_its_own_kind() {
        let (corpora, chosen) = (corpora(), of_languages(&["eng", "kor"]).with(Resampling::KEYS.seed, 9));
        for exercise in EXERCISES {
            let config = config(exercise, &chosen, &around(&corpora)).unwrap();
            assert_eq!(config.kind(), exercise.kind, "{}", exercise.name);
            config.check().unwrap();
            let none = super::config(exercise, &Chosen::default(), &around(&corpora));
            assert!(none.is_err() || exercise.kind == Kind::Clipping, "{}", exercise.name);
        }
    }
}
