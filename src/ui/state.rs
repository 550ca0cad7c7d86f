//! What the page knows, as signals, and how each event of the engine changes it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;

use super::answers::Answers;
use super::browser;
use super::chosen::trained;
use super::consent::{self, Asking};
use super::links::{Opened, Stage};
use super::models::Models;
use super::offline::OfflineCopy;
use super::queue::Queue;
use super::route::Route;
use super::sheet::Sheet;
use super::store::Store;
use super::tests_made::TestsMade;
use crate::lab::preview;
use crate::lab::settings::{Around, Texts};
use crate::lab::statistics;
use crate::protocol::{BenchResult, Config, Event, Keeping, Kind, Profile, TensorLanded, USUAL_HUB, VERSION};
use crate::report::{Card, Catalog, CorpusCard, Summary, labels};
use crate::share::{Link, View};

use super::engine_state::Former;
pub use super::engine_state::{Engine, Finished, Model, NextModel, Run};

/// Under which name the hub's address is kept.
const HUB: &str = "fairbits-hub";

/// Reports that Back and Forward lead to without a run.
const REMEMBERED: usize = 12;

/// All signals of the page.
#[derive(Clone, Copy)]
pub struct State {
    /// Which page is shown.
    pub route: RwSignal<Route>,
    /// The worker.
    pub engine: RwSignal<Engine>,
    /// What failed last, as a sentence.
    pub error: RwSignal<Option<String>>,
    /// A restart, as a sentence.
    pub notice: RwSignal<Option<String>>,
    /// Whether the page works without a network.
    pub kept: RwSignal<OfflineCopy>,
    /// The engine should be at work, and does not answer.
    pub silent: RwSignal<bool>,
    /// What the site offers.
    pub catalog: RwSignal<Option<Arc<Catalog>>>,
    /// Texts to measure on.
    pub corpora: RwSignal<Arc<Vec<CorpusCard>>>,
    /// A host that the page may not fetch from yet.
    pub asking: RwSignal<Option<Asking>>,
    /// Address of a model that the person agreed to fetch just before this load of the page.
    pub agreed: StoredValue<Option<String>>,
    /// Address of the hub that models are looked for on.
    pub hub: RwSignal<String>,
    /// Folder asked for last; of a model of a hub, with its commit once that is known.
    pub model_url: RwSignal<Option<String>>,
    /// The model.
    pub model: RwSignal<Model>,
    /// The model before the one on its way: it stays where that one does not come.
    former: StoredValue<Option<Former>>,
    /// A model that did not come, while the sentence that says so stands there: its address and that sentence.
    lost: RwSignal<Option<(String, String)>>,
    /// A model that may be loaded next.
    pub ahead: RwSignal<NextModel>,
    /// What is kept in this browser.
    pub keeping: RwSignal<Keeping>,
    /// Weight matrices of each layer, as far as they are in.
    pub layers: RwSignal<Vec<Option<Summary>>>,
    /// Tensors in, and the last one's name and shape.
    pub landed: RwSignal<(usize, String)>,
    /// Model, corpus and whether there was a card when languages were last chosen by the page.
    chosen_for: RwSignal<Option<(Option<String>, String, bool)>>,
    /// What the person chose.
    pub settings: Store,
    /// What the bench of statistics was given.
    pub sheet: RwSignal<Sheet>,
    /// The run under way.
    pub run: RwSignal<Run>,
    /// What was run last.
    pub running_config: RwSignal<Option<Config>>,
    /// Numbers of the quick looks that the page took by itself. They give way to whatever the person runs.
    pub quick: RwSignal<BTreeSet<u64>>,
    /// Searches that were stopped on this model, and that would go on from their notes.
    pub begun: RwSignal<Vec<Config>>,
    /// Runs that wait.
    pub queue: RwSignal<Queue>,
    /// A link that was opened.
    pub opened: RwSignal<Option<Opened>>,
    /// How the page is to be shown.
    pub view: Memo<View>,
    /// Reports under their links, the newest last.
    remembered: RwSignal<Vec<(String, Finished)>>,
    /// Every test made since the page was opened.
    pub tests_made: RwSignal<TestsMade>,
    /// The last report of each analysis.
    finished: RwSignal<BTreeMap<Kind, Finished>>,
    /// What the workshop asked for.
    pub answers: Answers,
    /// Models that were screened, from visit to visit.
    pub models: Models,
    /// The Bench page's measurement is under way.
    pub measuring: RwSignal<bool>,
    /// Its result.
    pub bench: RwSignal<Option<BenchResult>>,
    /// Where the time of the last run or measurement went.
    pub profile: RwSignal<Option<Profile>>,
}

impl State {
    /// Nothing known yet but the route.
    pub fn new(route: Route) -> State {
        let route = RwSignal::new(route);
        State {
            route,
            engine: RwSignal::new(Engine::Starting),
            error: RwSignal::new(None),
            notice: RwSignal::new(None),
            kept: RwSignal::new(OfflineCopy::Nothing),
            silent: RwSignal::new(false),
            catalog: RwSignal::new(None),
            corpora: RwSignal::new(Arc::new(Vec::new())),
            asking: RwSignal::new(None),
            agreed: StoredValue::new(consent::agreed()),
            hub: RwSignal::new(browser::kept(HUB).unwrap_or_else(|| USUAL_HUB.into())),
            model_url: RwSignal::new(None),
            model: RwSignal::new(Model::None),
            former: StoredValue::new(None),
            lost: RwSignal::new(None),
            ahead: RwSignal::new(NextModel::Nothing),
            keeping: RwSignal::new(Keeping::default()),
            layers: RwSignal::new(Vec::new()),
            landed: RwSignal::new((0, String::new())),
            chosen_for: RwSignal::new(None),
            settings: Store::default(),
            sheet: RwSignal::new(Sheet::default()),
            run: RwSignal::new(Run::Idle),
            running_config: RwSignal::new(None),
            quick: RwSignal::new(BTreeSet::new()),
            begun: RwSignal::new(Vec::new()),
            queue: RwSignal::new(Queue::default()),
            opened: RwSignal::new(None),
            view: Memo::new(move |_| route.with(Route::view)),
            remembered: RwSignal::new(Vec::new()),
            tests_made: RwSignal::new(TestsMade::default()),
            finished: RwSignal::new(BTreeMap::new()),
            answers: Answers::new(),
            models: Models::new(),
            measuring: RwSignal::new(false),
            bench: RwSignal::new(None),
            profile: RwSignal::new(None),
        }
    }

    /// Takes in what the engine says.
    pub fn apply(self, event: Event) {
        match event {
            Event::Booted { version } | Event::Ready { version, .. } if version != VERSION => {
                self.engine.set(Engine::Stopped);
                self.fail(format!(
                    "This page is version {VERSION} and its engine is version {version}, an old copy that the browser \
                     kept: reload the page without cache (Ctrl+Shift+R)."
                ));
            }
            // The client answers the one, and waits for the other.
            Event::Booted { .. } | Event::Alive => {}
            // A new device after a lost one opens while the engine is ready; the notice will say so.
            Event::Opening { done, total } => {
                if !matches!(self.engine.get_untracked(), Engine::Ready { .. }) {
                    self.engine.set(Engine::Opening { done, total });
                }
            }
            Event::Ready { backend, why, workers, .. } => self.engine.set(Engine::Ready { backend, why, workers }),
            Event::Moved { sentence, backend, why, workers } => {
                self.notice.set(Some(labels::as_sentence(&sentence)));
                self.engine.set(Engine::Ready { backend, why, workers });
            }
            Event::Note { sentence } => self.notice.set(Some(labels::as_sentence(&sentence))),
            Event::Profile(profile) => self.profile.set(Some(profile)),
            Event::Catalog { catalog, corpora } => {
                self.catalog.set(Some(Arc::new(catalog)));
                self.corpora.set(Arc::new(corpora));
                self.choose_anew();
            }
            Event::Preview(Ok(previewed)) => self.ahead.set(NextModel::Told(Arc::new(previewed))),
            Event::Preview(Err(sentence)) => {
                self.ahead.set(NextModel::Nothing);
                self.error.set(Some(sentence));
            }
            Event::Kept(keeping) => self.keeping.set(keeping),
            Event::Loading { bytes, total, seconds } => self.model.set(Model::Loading { bytes, total, seconds }),
            Event::Tensor(tensor) => self.take_tensor(tensor),
            Event::Layer { layer, summary } => self.take_layer(layer, summary),
            Event::Loaded(loaded) => {
                if loaded.found.is_some() {
                    self.model_url.set(loaded.found.clone());
                }
                self.former.set_value(None);
                self.model.set(Model::Loaded(loaded.into()));
                self.choose_anew();
            }
            Event::Progress { id, progress, seconds, step_seconds } => {
                if matches!(self.run.get_untracked(), Run::Running { id: running, .. } if running == id) {
                    self.run.set(Run::Running { id, progress: Some(progress), seconds, step_seconds });
                }
            }
            Event::Partial { id, report, seconds } => {
                let report = Arc::new(*report);
                self.show(Finished { id, report, digest: None, seconds, partial: true, from_file: false });
            }
            Event::Finished { id, report, digest, seconds } => {
                // A quick look that gave way to another run may have ended all the same.
                let under_way = match self.run.get_untracked() {
                    Run::Running { id, .. } | Run::Cancelling { id } => Some(id),
                    Run::Idle => None,
                };
                if under_way.is_some_and(|own| own != id) {
                    return;
                }
                self.run.set(Run::Idle);
                let report = Arc::new(*report);
                self.tests_made.update(|ledger| ledger.take(id, &report));
                self.show(Finished { id, report, digest, seconds, partial: false, from_file: false });
            }
            Event::Begun { config, begun } => self.begun.update(|all| {
                all.retain(|known| *known != *config);
                all.extend(begun.then_some(*config));
            }),
            Event::Cancelled => {
                self.run.set(Run::Idle);
                if matches!(self.model.get_untracked(), Model::Loading { .. }) {
                    self.model.set(Model::None);
                }
            }
            Event::StillThere => self.take_back(),
            Event::Failed { message } => self.fail(message),
            Event::Bench(result) => {
                self.measuring.set(false);
                self.bench.set(Some(result));
            }
        }
    }

    /// Puts a report on the page of its analysis.
    pub fn show(self, finished: Finished) {
        self.models.record(&finished);
        self.answers.take(&finished);
        self.finished.update(|all| {
            all.insert(finished.report.kind(), finished);
        });
    }

    /// Shows a sentence and ends whatever was under way.
    pub fn fail(self, sentence: String) {
        self.run.set(Run::Idle);
        self.measuring.set(false);
        if matches!(self.model.get_untracked(), Model::Loading { .. }) {
            self.model.set(Model::Failed);
            self.lost.set(self.model_url.get_untracked().map(|url| (url, sentence.clone())));
        }
        self.error.set(Some(sentence));
    }

    /// Address of the model that did not come, where the sentence on show says that it did not.
    pub fn lost(self) -> Option<String> {
        let shown = self.error.get();
        self.lost.get().filter(|(_, sentence)| shown.as_ref() == Some(sentence)).map(|(url, _)| url)
    }

    /// Keeps a report under its link.
    pub fn remember(self, link: &Link, finished: Finished) {
        self.remembered.update(|all| {
            let link = link.to_string();
            all.retain(|(known, _)| *known != link);
            all.push((link, finished));
            if all.len() > REMEMBERED {
                all.remove(0);
            }
        });
    }

    /// Shows the report of a link again, where it is still there, and says whether it is.
    pub fn recall(self, link: &Link) -> bool {
        let link = link.to_string();
        let known = self.remembered.with_untracked(|all| all.iter().find(|(known, _)| *known == link).cloned());
        if let Some((_, finished)) = &known {
            self.show(finished.clone());
            self.adopt(&finished.report.config());
        }
        known.is_some()
    }

    /// The last run of an analysis that finished.
    pub fn finished(self, kind: Kind) -> Option<Finished> {
        self.finished.with(|all| all.get(&kind).cloned())
    }

    /// Takes over settings, such as a link carries.
    pub fn adopt(self, config: &Config) {
        self.settings.adopt(config);
        if let Config::Statistics(config) = config {
            self.sheet.set(Sheet::of(config));
        }
    }

    /// What a page knows when it asks.
    pub fn around<T>(self, of: impl FnOnce(&Around) -> T) -> T {
        let layers = self.layer_count();
        self.corpora.with(|corpora| of(&Around { corpora, layers }))
    }

    /// What the bench of statistics is asked, in a family with every test that this visit has made; or what is wrong with the
    /// choices, as a sentence.
    pub fn statistics(self) -> Result<statistics::Config, String> {
        let Config::Statistics(chosen) = self.around(|around| self.settings.config(Kind::Statistics, around))? else {
            return Err(String::new());
        };
        let sheet = self.sheet.get();
        let settings = sheet.config(chosen, Vec::new())?;
        let earlier = self.tests_made.with(|ledger| ledger.earlier(&sheet.left_out, Some(&settings)));
        sheet.config(settings, earlier)
    }

    /// What the page of an analysis would run, or what is wrong with the choices, as a sentence.
    pub fn wanted(self, kind: Kind) -> Result<Config, String> {
        match kind {
            Kind::Statistics => self.statistics().map(Config::from),
            _ => self.around(|around| self.settings.config(kind, around)),
        }
    }

    /// Settings that can be run on the model that is loaded, or why they cannot, as a sentence.
    pub fn allowed(self, config: Config) -> Result<Config, String> {
        match self.model.get() {
            Model::Loaded(loaded) => preview::refusal(&config, loaded.how, &loaded.files).map_or(Ok(config), Err),
            _ => Ok(config),
        }
    }

    /// Whether the run of this number came to its end.
    pub fn has_finished(self, id: u64) -> bool {
        self.finished.with(|all| all.values().any(|finished| finished.id == id && !finished.partial))
    }

    /// The model before the one that did not come is shown again. Where a third is on its way already, that one is waited for.
    fn take_back(self) {
        if !matches!(self.model.get_untracked(), Model::None | Model::Failed) {
            return;
        }
        if let Some(Former { url, loaded, layers, landed }) = self.former.try_update_value(Option::take).flatten() {
            // A link that waited for the one that did not come must not run on the other.
            let waits =
                |opened: &&mut Opened| opened.stage == Stage::Waiting && opened.link.run.config.kind().has_model();
            self.opened.update(|opened| {
                if let Some(opened) = opened.as_mut().filter(waits) {
                    opened.stage = Stage::Stopped;
                }
            });
            self.model_url.set(url);
            self.layers.set(layers);
            self.landed.set(landed);
            self.model.set(Model::Loaded(loaded));
        }
    }

    /// A new engine has no model.
    pub fn begin_engine(self) {
        self.former.set_value(None);
        self.engine.set(Engine::Starting);
        self.model.set(Model::None);
        self.run.set(Run::Idle);
        self.measuring.set(false);
    }

    /// A model is on its way from `url`.
    pub fn begin_load(self, url: &str) {
        if let Model::Loaded(loaded) = self.model.get_untracked() {
            let (url, layers) = (self.model_url.get_untracked(), self.layers.get_untracked());
            self.former.set_value(Some(Former { url, loaded, layers, landed: self.landed.get_untracked() }));
        }
        self.error.set(None);
        self.ahead.set(NextModel::Nothing);
        // A load takes the place of a run.
        self.run.set(Run::Idle);
        self.begun.set(Vec::new());
        self.model_url.set(Some(url.to_string()));
        self.layers.set(Vec::new());
        self.landed.set((0, String::new()));
        self.model.set(Model::Loading { bytes: 0, total: None, seconds: 0.0 });
    }

    /// Models are looked for on another hub from now on, here and the next time; on the usual one where nothing is said.
    pub fn use_hub(self, address: &str) {
        let address = address.trim().trim_end_matches('/');
        browser::keep(HUB, address);
        self.hub.set(if address.is_empty() { USUAL_HUB } else { address }.into());
    }

    /// The card of the model that is loaded or on its way.
    pub fn card(self) -> Option<Card> {
        if let Model::Loaded(loaded) = self.model.get()
            && loaded.card.is_some()
        {
            return loaded.card.clone();
        }
        let url = self.model_url.get()?;
        let name = url.trim_end_matches('/').rsplit('/').next()?.to_string();
        self.catalog.get()?.models.iter().find(|card| card.name == name).cloned()
    }

    /// Layers of the model; 0 until it is in.
    pub fn layer_count(self) -> usize {
        match self.model.get() {
            Model::Loaded(loaded) => loaded.layers,
            _ => 0,
        }
    }

    /// The corpus chosen.
    pub fn corpus(self) -> Option<CorpusCard> {
        let name = self.settings.get(Texts::KEYS.corpus);
        self.corpora.get().iter().find(|corpus| corpus.name == name).cloned()
    }

    /// Chooses every language that the model was trained on and the corpus holds.
    pub fn choose_trained(self) {
        untrack(|| {
            let corpora = self.corpora.get();
            let chosen = self.settings.get(Texts::KEYS.corpus);
            if !corpora.iter().any(|corpus| corpus.name == chosen)
                && let Some(first) = corpora.first()
            {
                self.settings.set(Texts::KEYS.corpus, first.name.clone());
            }
            if let Some(corpus) = self.corpus() {
                let languages = trained(&corpus, self.card().as_ref()).into_iter().collect();
                self.settings.set(Texts::KEYS.languages, languages);
            }
        });
    }

    /// [`State::choose_trained`] for another model or corpus; what the person chose for the same ones stays.
    fn choose_anew(self) {
        let key = untrack(|| {
            let corpus = self.settings.get(Texts::KEYS.corpus);
            (self.model_url.get(), corpus, self.card().is_some())
        });
        if self.chosen_for.get_untracked().as_ref() != Some(&key) {
            self.chosen_for.set(Some(key));
            self.choose_trained();
        }
    }

    /// The run under way is one that the person asked for.
    pub fn running(self) -> bool {
        match self.run.get() {
            Run::Idle => false,
            Run::Running { id, .. } => !self.is_quick(id),
            Run::Cancelling { .. } => true,
        }
    }

    /// The run of this number is a quick look.
    pub fn is_quick(self, id: u64) -> bool {
        self.quick.with(|quick| quick.contains(&id))
    }

    /// A quick look is under way.
    pub fn looking(self) -> bool {
        matches!(self.run.get(), Run::Running { id, .. } if self.is_quick(id))
    }

    /// Something is under way in the engine.
    pub fn busy(self) -> bool {
        !matches!(self.run.get(), Run::Idle)
            || matches!(self.model.get(), Model::Loading { .. })
            || self.measuring.get()
    }

    fn take_tensor(self, tensor: TensorLanded) {
        let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
        self.landed.update(|(count, last)| {
            *count += 1;
            *last = format!("{} ({})", tensor.name, shape.join(" × "));
        });
    }

    fn take_layer(self, layer: usize, summary: Summary) {
        self.layers.update(|layers| {
            if layers.len() <= layer {
                layers.resize(layer + 1, None);
            }
            layers[layer] = Some(summary);
        });
    }
}
