//! Gateway: the laws of a ranking, a search that was stopped, and the D of every set of three layers against PyTorch
//! (`benches/gateway_loop.py`).

use fairbits::lab::rounding::Rounding;
use fairbits::lab::settings::{Resampling, Texts};
use fairbits::report::Measure;
use std::{cell::RefCell, collections::BTreeMap, path::Path};

use fairbits::{
    arch::{
        load::{Opened, open},
        walk::ProtectedPart,
    },
    backend::cpu::Cpu,
    lab::{
        self, AnalysisError,
        gateway::{Config, Picker, Report},
        hidden_states::{Studied, Study},
        plan::{Plan, Seen},
        runner::{Alone, Lab, Progress, Step},
        search::{Piece, Search},
    },
    math::{
        clipping::Rule,
        quantizer::{Bits, Granularity},
        sets::LayerSet,
    },
    model::source::{Folder, Memory, sha256},
};
use serde::Deserialize;

use super::{CODES, alone, languages, model};

pub fn config() -> Config {
    Config {
        texts: Texts { corpus: "test".into(), languages: CODES.map(String::from).to_vec(), units: 5 },
        quantizer: Rounding { bits: Bits::new(3).unwrap(), rule: Rule::Absmax, granularity: Granularity::Tensor },
        draws: Resampling { resamples: 100, seed: 1 },
        protects: ProtectedPart::Block,
        rounded_table: false,
        budgets: vec![0, 1, 2, 3],
        every: false,
        sweeps: true,
        others: true,
    }
}

fn run(config: &Config, lab: &impl Lab) -> Result<Report, Box<AnalysisError>> {
    let report = pollster::block_on(lab::run(&config.clone().into(), lab)).map_err(Box::new)?;
    Ok(<&Report>::try_from(&report).unwrap().clone())
}

fn report(config: &Config) -> Report {
    run(config, &alone(&model())).unwrap()
}

#[test]
fn every_set_is_there_once_and_all_protected_is_full_precision() {
    let report = report(&config());
    let mut sets: Vec<LayerSet> = report.rows.iter().map(|row| row.set).collect();
    sets.sort();
    sets.dedup();
    assert_eq!((sets.len(), report.rows.len(), report.sets), (8, 8, 8));
    let all = report.row(LayerSet::all(3)).unwrap();
    assert!(all.cost.degradation.iter().all(|of| (of.value, of.low, of.high) == (0.0, 0.0, 0.0)));
    assert_eq!(all.bytes, report.bytes_full);
    assert!(report.row(LayerSet::EMPTY).unwrap().cost.disparity.unwrap().value > 0.0);
    for pair in report.rows.windows(2).filter(|pair| pair[0].set.len() == pair[1].set.len()) {
        assert!(pair[0].cost.disparity.unwrap().value <= pair[1].cost.disparity.unwrap().value);
    }
}

/// With no layer protected it is what the Languages page measures, to the bit.
#[test]
fn nothing_protected_is_the_languages_report() {
    let found = report(&config());
    let none = found.row(LayerSet::EMPTY).unwrap();
    let Config { texts, quantizer, draws, .. } = config();
    let languages = super::report(&languages::Config { texts, quantizer, draws });
    let degradation: Vec<_> = languages.rows.iter().map(|row| row.degradation).collect();
    assert_eq!(
        (&none.cost.degradation, none.cost.disparity),
        (&degradation, languages.over(Measure::Degradation).disparity)
    );
    assert_eq!(none.bytes, languages.bytes_quantized);
}

/// Whatever else is searched, a set's figures are its own.
#[test]
fn one_budget_is_the_filtered_search_of_all() {
    let all = report(&config());
    for budget in 0..=3 {
        let some = report(&Config { budgets: vec![budget], sweeps: false, others: false, ..config() });
        assert_eq!(some.rows, all.of_size(budget).cloned().collect::<Vec<_>>());
        assert!(some.interactions.is_empty());
    }
}

#[test]
fn what_is_kept_and_whether_the_table_is_rounded_are_choices() {
    let of = |protects, rounded_table| report(&Config { protects, rounded_table, ..config() });
    let [block, attention, mlp] =
        [ProtectedPart::Block, ProtectedPart::Attention, ProtectedPart::Mlp].map(|kept| of(kept, false));
    let all = LayerSet::all(3);
    let saved = |report: &Report| report.bytes_full - report.row(all).unwrap().bytes;
    assert_eq!(saved(&block), 0);
    // What attention alone leaves rounded is what the MLP alone protects.
    let none = report(&config()).row(LayerSet::EMPTY).unwrap().bytes;
    assert_eq!(saved(&attention) + saved(&mlp), block.bytes_full - none);
    assert!(attention.row(all).unwrap().cost.disparity.unwrap().value > 0.0);
    assert_ne!(attention.row(all).unwrap().cost, mlp.row(all).unwrap().cost);
    let table = of(ProtectedPart::Block, true);
    assert!(table.row(all).unwrap().cost.disparity.unwrap().value > 0.0, "the table is rounded under every set");
    assert!(table.row(all).unwrap().bytes < table.bytes_full);
}

#[test]
fn picks_have_the_rank_and_the_regret_of_their_set() {
    let report = report(&config());
    for pick in &report.picks {
        let of_size: Vec<_> = report.of_size(pick.set.len()).collect();
        let row = of_size.iter().position(|row| row.set == pick.set).unwrap();
        assert_eq!((pick.rank.value, pick.among), (1.0 + row as f64, of_size.len()), "{pick:?}");
        let best = of_size[0].cost.disparity.unwrap().value;
        assert_eq!(pick.regret.value, of_size[row].cost.disparity.unwrap().value - best);
        assert!(1.0 <= pick.rank.low && pick.rank.high <= of_size.len() as f64);
    }
    let of = |picker: Picker, size: usize| {
        report.picks.iter().find(|pick| pick.picker == picker && pick.set.len() == size).unwrap().set
    };
    // One layer: forward and the additive model have nothing to go wrong with. Two of three: nor has backward.
    let best = |size| report.of_size(size).next().unwrap().set;
    assert_eq!([of(Picker::Forward, 1), of(Picker::Additive, 1), of(Picker::Backward, 2)], [best(1), best(1), best(2)]);
    let heaviest = (0..3).max_by(|&a, &b| report.layers[a].kurtosis.total_cmp(&report.layers[b].kurtosis)).unwrap();
    assert_eq!(of(Picker::Kurtosis, 1), LayerSet::EMPTY.with(heaviest));
    assert_eq!(of(Picker::Ends, 2), [0, 2].into_iter().collect());
}

#[test]
fn interactions_are_what_does_not_add_up() {
    let report = report(&config());
    let of = |layers: &[usize]| report.row(layers.iter().copied().collect()).unwrap().cost.disparity.unwrap().value;
    assert_eq!(report.interactions.len(), 3);
    for interaction in &report.interactions {
        let (i, j) = interaction.layers;
        let excess = of(&[i, j]) - of(&[i]) - of(&[j]) + of(&[]);
        assert!((interaction.excess.value - excess).abs() < 1e-12);
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let refused = |config: Config| run(&config, &alone(&model())).unwrap_err().to_string();
    let told = refused(Config { budgets: vec![4], ..config() });
    assert_eq!(told, "a budget of protected layers is 4; it must be between 0 and 3");
    let told =
        refused(Config { texts: Texts { languages: vec!["aaa".into(), "xxx".into()], ..config().texts }, ..config() });
    assert!(told.starts_with("choose at least two languages that the model has seen"), "{told}");
    assert!(refused(Config { budgets: Vec::new(), ..config() }).starts_with("the number of budgets is 0"));
}

/// A lab that is stopped after some pieces, and keeps notes that outlive it.
struct Stopped<'a> {
    inner: Alone<'a, Cpu, Memory>,
    notes: &'a RefCell<Vec<u8>>,
    /// Pieces that it walks before it is stopped.
    patience: usize,
    walked: RefCell<usize>,
    shown: RefCell<Vec<usize>>,
    /// Pieces that were done when the walk began.
    first: RefCell<Option<usize>>,
}

impl Lab for Stopped<'_> {
    type Backend = Cpu;
    type Site = Memory;

    fn model(&self) -> &Opened<Cpu> {
        self.inner.model()
    }

    fn site(&self) -> &Memory {
        self.inner.site()
    }

    fn tell(&self, progress: Progress) {
        if progress.step == Step::Sets {
            self.first.borrow_mut().get_or_insert(progress.done);
        }
    }

    async fn pause(&self) {}

    async fn run_jobs(&self, plan: &Plan) -> Result<Seen, AnalysisError> {
        self.inner.run_jobs(plan).await
    }

    async fn walk(
        &self,
        search: &Search,
        pieces: Vec<Piece>,
        heard: &mut impl FnMut(&Piece, &[f64]),
    ) -> Result<(), AnalysisError> {
        for piece in pieces {
            if *self.walked.borrow() == self.patience {
                return Err(AnalysisError::Cancelled);
            }
            *self.walked.borrow_mut() += 1;
            self.inner.walk(search, vec![piece], heard).await?;
        }
        Ok(())
    }

    async fn study<'a>(&'a self, study: &'a Study) -> Result<Studied<'a>, AnalysisError> {
        self.inner.study(study).await
    }

    fn show(&self, report: lab::Report) {
        self.shown.borrow_mut().push(<&Report>::try_from(&report).unwrap().rows.len());
    }

    async fn recall(&self, _: &str) -> Vec<u8> {
        self.notes.borrow().clone()
    }

    fn note(&self, bytes: &[u8]) {
        self.notes.borrow_mut().extend(bytes);
    }

    fn forget(&self) {
        self.notes.borrow_mut().clear();
    }
}

#[test]
fn a_stopped_search_goes_on_where_it_stopped() {
    let (model, notes) = (model(), RefCell::new(Vec::new()));
    let config = Config { others: false, ..config() };
    let whole = run(&config, &alone(&model)).unwrap();
    let attempt = |patience| {
        let lab = Stopped {
            inner: alone(&model),
            notes: &notes,
            patience,
            walked: RefCell::new(0),
            shown: RefCell::default(),
            first: RefCell::new(None),
        };
        let result = run(&config, &lab);
        (result, *lab.walked.borrow(), lab.first.borrow().unwrap(), lab.shown.take())
    };
    let pieces = config.texts.languages.len() * config.texts.units;
    let (stopped, walked, ..) = attempt(7);
    assert!(matches!(*stopped.unwrap_err(), AnalysisError::Cancelled));
    // The last record is torn, as if the machine had gone off while it was written.
    let length = notes.borrow().len();
    notes.borrow_mut().truncate(length - 3);
    let (stopped, again, first, _) = attempt(5);
    assert!(matches!(*stopped.unwrap_err(), AnalysisError::Cancelled));
    assert_eq!((walked, again, first), (7, 5, 6), "six whole records are not walked again");
    let (report, rest, _, shown) = attempt(usize::MAX);
    assert_eq!(report.unwrap(), whole);
    assert_eq!(
        6 + 5 + rest,
        pieces,
        "six whole records of the first attempt and five of the second were not walked again"
    );
    assert_eq!(shown, [whole.rows.len()]);
    assert!(notes.borrow().is_empty(), "a search that has come to its end leaves nothing");
}

#[derive(Deserialize)]
struct Golden {
    files: BTreeMap<String, String>,
    languages: Vec<String>,
    units: usize,
    bits: u8,
    sets: Vec<LayerSet>,
    degradation: Vec<Vec<f64>>,
}

/// Of the fourteen languages, which are all in the golden, those that this test has time for: every set of both.
const COMPARED: [&str; 2] = ["eng", "hin"];

#[test]
fn every_set_of_three_agrees_with_pytorch() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden: Golden = serde_json::from_str(include_str!("../fixtures/gateway.json")).unwrap();
    for (file, digest) in &golden.files {
        assert_eq!(
            sha256(&std::fs::read(root.join(file)).unwrap()),
            *digest,
            "{file} has changed since the golden was made"
        );
    }
    let folder = golden.files.keys().find_map(|file| file.strip_suffix("/model.safetensors")).unwrap();
    let model = pollster::block_on(open(Cpu, &Folder::new(root.join(folder)), "default", &mut ())).unwrap();
    let lab = Alone { model: &model, site: Folder::new(root.join("public")), progress: &|_| () };
    let config = Config {
        texts: Texts { corpus: "udhr".into(), languages: COMPARED.map(String::from).to_vec(), units: golden.units },
        quantizer: Rounding { bits: Bits::new(golden.bits).unwrap(), ..config().quantizer },
        budgets: vec![3],
        sweeps: false,
        others: false,
        ..config()
    };
    let report = run(&config, &lab).unwrap();
    assert_eq!((report.rows.len(), golden.sets.len()), (220, 220));
    for (set, expected) in golden.sets.iter().zip(&golden.degradation) {
        let row = report.row(*set).unwrap();
        for (code, of) in COMPARED.iter().zip(&row.cost.degradation) {
            let expected = expected[golden.languages.iter().position(|known| known == code).unwrap()];
            assert!((of.value - expected).abs() <= 1e-4, "{set:?}, {code}: {} is not {expected}", of.value);
        }
    }
}
