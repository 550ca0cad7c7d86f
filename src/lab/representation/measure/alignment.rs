//! Where texts lie: against themselves under other weights, and beside their translations, of which each text of a language
//! looks for its own among the reference's.

use super::{BOTH, QUANTIZED};
use crate::lab::{
    hidden_states::Studied,
    state_similarity::{FIGURES, cosine},
};

/// How like quantized states are to full-precision ones, by text and layer (texts, layers).
pub fn likeness(studied: &Studied<'_>, texts: usize, layers: usize) -> Vec<[f64; FIGURES]> {
    let one = |text: usize, layer: usize| {
        let figures = studied.likeness(QUANTIZED, text, layer);
        std::array::from_fn(|at| figures[at])
    };
    (0..texts).flat_map(|text| (0..layers).map(move |layer| one(text, layer))).collect()
}

/// What one text finds, under one set of weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Finds {
    /// 1 where the nearest text of the reference is its own translation.
    pub found: f64,
    /// The same from the reference's side.
    pub found_back: f64,
    /// Cosine with the own translation less the mean with the others, both ways.
    pub margin: f64,
}

/// By language, layer, set of weights and unit; none for the reference, and for fewer than two units.
pub type Alignments = Vec<Option<Vec<[Vec<Finds>; 2]>>>;

/// All languages against the reference.
pub fn all(studied: &Studied<'_>, languages: usize, units: usize, layers: usize, reference: usize) -> Alignments {
    let one = |language: usize, layer: usize| {
        BOTH.map(|recipe| {
            let mean = |language: usize, unit: usize| studied.mean(recipe, language * units + unit, layer);
            let cosines =
                |unit: usize| (0..units).map(move |other| cosine(mean(language, unit), mean(reference, other)));
            finds(&(0..units).flat_map(cosines).collect::<Vec<f64>>(), units)
        })
    };
    let of = |language: usize| {
        (language != reference && units > 1).then(|| (0..layers).map(|layer| one(language, layer)).collect())
    };
    (0..languages).map(of).collect()
}

/// From the cosines of every unit of a language (rows) with every unit of the reference (columns). Of equals the first is
/// nearest.
pub fn finds(cosines: &[f64], units: usize) -> Vec<Finds> {
    let nearest = |figures: &mut dyn Iterator<Item = f64>| {
        let best = figures
            .enumerate()
            .fold((0, f64::NEG_INFINITY), |best, (at, of)| if of > best.1 { (at, of) } else { best });
        best.0
    };
    let one = |unit: usize| {
        let row = || cosines[unit * units..(unit + 1) * units].iter().copied();
        let column = || cosines.iter().skip(unit).step_by(units).copied();
        let own = cosines[unit * units + unit];
        let others = (row().sum::<f64>() + column().sum::<f64>() - 2.0 * own) / (2 * (units - 1)) as f64;
        Finds {
            found: f64::from(nearest(&mut row()) == unit),
            found_back: f64::from(nearest(&mut column()) == unit),
            margin: own - others,
        }
    };
    (0..units).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_finds_what_lies_nearest() {
        // Unit 0 finds itself; unit 1 is nearer to 0; back, 0 is found by 1.
        let found = finds(&[0.9, 0.1, 0.95, 0.5], 2);
        assert_eq!((found[0].found, found[1].found), (1.0, 0.0));
        assert_eq!((found[0].found_back, found[1].found_back), (0.0, 1.0));
        assert!((found[0].margin - (0.9 - (0.1 + 0.95) / 2.0)).abs() < 1e-15);
    }
}
