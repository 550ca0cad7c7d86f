//! Laws of every link.

use fairbits::{
    lab::{Config, Kind},
    model::{
        card::Card,
        corpus::CorpusCard,
        source::{Folder, Source},
    },
    share::{Figure, Link, MOST_FIGURES, Model, Place, Run, View, page},
};
use proptest::{collection::vec, option, prelude::*};
use ui::pages;

use super::{configs, folder, link, public, reports, small};

/// What the issue allows for any default-sized analysis.
const MOST_CHARACTERS: usize = 1_500;

fn any_link() -> impl Strategy<Value = Link> {
    let sha256 = || "[0-9a-f]{64}";
    let figure = || {
        let finite = || any::<f64>().prop_filter("finite", |x| x.is_finite());
        let bounds = option::of((finite(), finite()).prop_map(|(a, b)| (a.min(b), a.max(b))));
        ("[a-zA-Zκ÷√0-9 ]{1,40}", finite(), bounds).prop_map(|(name, value, bounds)| Figure { name, value, bounds })
    };
    let place = prop_oneof![
        "models/[a-zA-Z0-9_-]{1,30}".prop_map(Place::Site),
        "https?://[a-z]{1,20}(:[0-9]{2,4})?(/[a-zA-Z0-9_.%-]{1,20}){0,4}".prop_map(Place::Web),
    ];
    let model = ("[ -~]{1,40}", place, sha256(), option::of(sha256()), option::of(sha256()))
        .prop_map(|(name, place, checkpoint, config, tokenizer)| Model { name, place, checkpoint, config, tokenizer });
    let found = (option::of(sha256()), option::of(sha256()), vec(figure(), 0..=MOST_FIGURES));
    let backend = prop_oneof![Just("cpu"), Just("webgpu"), Just("webgpu, then cpu")];
    let view = (any::<bool>(), any::<bool>(), option::of("[a-z0-9-]{1,40}"));
    (configs::any_config(), model, found, "[0-9.]{1,10}", backend, view).prop_map(
        |(config, model, (corpus, digest, figures), version, backend, (bare, pinned, tour))| {
            let model = Some(model).filter(|_| config.kind().has_model());
            Link {
                view: View { bare, pinned, tour },
                run: Run { config, model, corpus, version, backend: backend.into(), digest, figures },
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Whatever was asked is read back as it was, from the fragment and from the whole address, whatever options stand beside.
    #[test]
    fn a_link_says_what_it_was_made_of(link in any_link()) {
        let text = link.to_string();
        prop_assume!(text.len() <= fairbits::share::MOST_CHARACTERS - 100);
        prop_assert!(text.bytes().all(|b| b.is_ascii_graphic()));
        prop_assert_eq!(&Link::parse(&text).unwrap(), &link);
        prop_assert_eq!(&Link::parse(&format!("https://example.org/lab/?x=1{text}&backend=cpu&workers=2")).unwrap(), &link);
    }
}

/// The page's own settings, 18 languages, a report's worth of figures with long decimals: still short enough to send.
#[test]
fn links_of_default_runs_are_short() {
    let site = Folder::new(public());
    let corpora = pollster::block_on(CorpusCard::read_all(&site)).unwrap();
    let card = pollster::block_on(Card::read_if_there(&site.folder("models/skew-skew"))).unwrap().unwrap();
    let small = link(&reports()[0]).run;
    let layers = card.kurtosis.len();
    for config in configs::of_the_page(&corpora, &card, layers) {
        let long = |at: usize| Figure {
            name: format!("disparity at point {at} 4 aciq_gaussian"),
            value: 0.1 + 1.0 / (3.0 + at as f64),
            bounds: Some((0.1 - 1.0 / (7.0 + at as f64), 0.7 + 1.0 / (11.0 + at as f64))),
        };
        let figures = (0..MOST_FIGURES).map(long).collect();
        let place = Place::parse(&format!("https://example.org/{}", "folder/".repeat(8))).unwrap();
        let kind = config.kind();
        let model = small.model.clone().filter(|_| kind.has_model()).map(|model| Model { place, ..model });
        let run = Run { config, figures, model, ..small.clone() };
        let view = View { bare: true, pinned: true, tour: Some("which-languages-pay".into()) };
        let text = Link { view, run }.to_string();
        println!("{kind:?}: {} characters", text.len());
        assert!(text.len() < MOST_CHARACTERS, "{kind:?}: {} characters", text.len());
    }
    assert_eq!(folder().file_name().unwrap(), "skew-skew");
}

#[test]
fn every_analysis_has_a_page_and_every_page_an_analysis() {
    // These put analyses together.
    let together = ["claims", "theory", "workshop"];
    let mut paths: Vec<&str> =
        pages::LAB.iter().map(|page| page.path).filter(|path| !together.contains(path)).collect();
    let mut own: Vec<&str> = Kind::ALL.iter().map(|kind| page(*kind)).collect();
    paths.sort_unstable();
    own.sort_unstable();
    assert_eq!(paths, own);
    let configs = small::configs();
    assert_eq!(configs.len(), Kind::ALL.len());
    for kind in Kind::ALL {
        let config = configs.iter().find(|config| config.kind() == *kind).expect("a small run of every analysis");
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        let json: Config = serde_json::from_value(serde_json::to_value(config).unwrap()).unwrap();
        assert_eq!(json, *config);
    }
}
