//! What a study shows is what passes show, and does not depend on who computes it.

use fairbits::{
    arch::{load::Opened, recipe::Recipe},
    backend::cpu::Cpu,
    lab::{
        hidden_states::{Look, Looks, Studied, Study, parts, study_language},
        plan::Taps,
        runner::Lab,
        state_similarity::{COSINES, HSIC_BOTH, HSIC_FIRST, ROWS, SLICED},
    },
};

use super::{CODES, UNITS, alone, model, named, plan};

fn study(model: &Opened<Cpu>) -> Study {
    let plan = plan(model);
    let look = Look { taps: Taps { norms: true, means: true, ..Taps::LOSSES }, against: true, spectrum: true };
    Study {
        texts: plan.texts().to_vec(),
        units: UNITS,
        recipes: plan.recipes().to_vec(),
        looks: Looks { of: vec![Look { against: false, ..look }, look], directions: 4, seed: 1 },
    }
}

/// Losses, norms and means are those of a plan, to the bit: a text does not feel the batch it is in.
#[test]
fn a_study_sees_what_a_plan_sees() {
    let model = model();
    let (plan, study, lab) = (plan(&model), study(&model), alone(&model));
    let (seen, studied) = (pollster::block_on(lab.run(&plan)).unwrap(), pollster::block_on(lab.study(&study)).unwrap());
    let width = model.device.spec.width;
    for recipe in 0..2 {
        assert_eq!(studied.nats(recipe), seen.all_nats(recipe, 0..plan.texts().len()));
        for text in 0..plan.texts().len() {
            assert_eq!(studied.norms(recipe, text), seen.norms(recipe, text));
            for (layer, mean) in seen.means(recipe, text).chunks_exact(width).enumerate() {
                assert_eq!(studied.mean(recipe, text, layer), mean);
            }
        }
    }
}

/// The same bits in any order of the languages, as workers would run them.
#[test]
fn the_order_of_languages_does_not_change_a_bit() {
    let model = model();
    let (study, device) = (study(&model), &model.device);
    let mut studied = Studied::new(&study, &device.spec);
    for language in study.languages().into_iter().rev() {
        let tokens = study.tokens(language);
        let figures = study_language(device, &study.recipes, &study.looks, &tokens, &async || ());
        studied.take(language, &pollster::block_on(figures).unwrap());
    }
    assert_eq!(pollster::block_on(alone(&model).study(&study)).unwrap(), studied);
}

/// The same weights twice are wholly alike; on every architecture states are compared row by row.
#[test]
fn states_are_like_themselves_on_every_architecture() {
    for name in ["gpt2-tiny", "gpt_neox-tiny", "xlm-roberta-tiny", "mt5-tiny", "mamba-tiny"] {
        let model = named(name);
        let study = Study { recipes: vec![Recipe::default(); 2], ..study(&model) };
        let lab = alone(&model);
        let studied = pollster::block_on(lab.study(&study)).unwrap();
        for text in 0..study.texts.len() {
            for layer in 0..model.device.spec.blocks.len() {
                let of = studied.likeness(1, text, layer);
                assert!((of[COSINES] - of[ROWS]).abs() < 1e-9 && of[ROWS] >= 1.0, "{name}: {of:?}");
                assert_eq!((of[SLICED], of[HSIC_BOTH]), (0.0, of[HSIC_FIRST]), "{name}");
            }
        }
        for language in 0..CODES.len() {
            let entropies = studied.entropies(0, language, 0);
            assert_eq!((entropies.len(), entropies), (1 + parts(UNITS), studied.entropies(1, language, 0)), "{name}");
            let most = libm::log(model.device.spec.width as f64);
            assert!(entropies.iter().all(|of| (0.0..=most).contains(of)), "{name}: {entropies:?}");
        }
    }
}
