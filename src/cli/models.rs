//! A model from a folder or an address, on the CPU or on graphics hardware, and runs on it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Failure, bar::Bar};
use crate::{
    arch::{
        ArchError,
        load::{Described, Opened, describe, open},
    },
    backend::{
        Backend,
        choose::{Wanted, choose},
        cpu::Cpu,
    },
    lab::{
        self, Config, Needs, Report,
        gateway::{
            self,
            shards::{self, Part, Shard},
        },
        origin,
        runner::Alone,
    },
    model::{
        hub::{Reference, Resolved, resolve},
        source::{Folder, Http, Source, native::Client},
        tokenizer::Reader,
    },
    share::{Place, Run, Verdict, compare, mismatches},
};

/// On what is run.
pub struct Computing<'a> {
    /// Folder or address, where the person says.
    pub model: Option<&'a str>,
    /// Folder, where the link or report says.
    pub place: Option<Place>,
    /// Address of the hub.
    pub hub: &'a str,
    /// The site's folder.
    pub site: &'a Path,
    /// On graphics hardware.
    pub gpu: bool,
    /// How long the model's tokenizer may take for each thing that it is asked.
    pub patience: Duration,
}

/// Whether a folder need not be held: of its weights alone something is asked.
fn is_light(config: &Config) -> bool {
    config.needs() == Needs::Weights
}

/// What is done with a model once it is there.
trait Work {
    type Result;
    async fn on<B: Backend + Clone>(self, model: &Opened<B>, site: Folder) -> Result<Self::Result, Failure>;
}

impl Computing<'_> {
    /// Runs an analysis.
    pub fn run(&self, config: &Config) -> Result<Report, Failure> {
        match without_model(config) {
            Some(report) => report,
            None => self.of_site(config).with_model(Measure(config), is_light(config)),
        }
    }

    /// Runs a link again, unless it is clear from the files that it cannot be compared; then there is no report.
    pub fn verify(&self, run: &Run) -> Result<(Verdict, Option<Report>), Failure> {
        match without_model(&run.config) {
            Some(report) => report.map(|report| (compare(run, &report), Some(report))),
            None => self.of_site(&run.config).with_model(Verify(run), is_light(&run.config)),
        }
    }

    /// Walks one shard of a search.
    pub fn shard(&self, config: &Config, shard: Shard) -> Result<Part, Failure> {
        match config {
            Config::Gateway(config) => self.with_model(Walk(config, shard), false),
            other => Err(Failure::NoShards(other.kind().name())),
        }
    }

    /// Joins all shards of a search; each comes with the name of its file.
    pub fn merge(&self, parts: &[(String, Part)]) -> Result<Report, Failure> {
        self.with_model(Merge(parts), false)
    }

    /// With the first model that the settings name, where they name models of the site and nothing else says which.
    fn of_site(&self, config: &Config) -> Computing<'_> {
        let named = || match config {
            Config::Family(config) => Place::parse(&config.folder(0)).ok(),
            _ => None,
        };
        let Computing { model, hub, site, gpu, patience, .. } = *self;
        Computing { model, place: self.place.clone().or_else(named), hub, site, gpu, patience }
    }

    fn with_model<W: Work>(&self, work: W, light: bool) -> Result<W::Result, Failure> {
        pollster::block_on(async {
            match self.gpu {
                false => self.on_backend(Cpu, work, light).await,
                true => {
                    let choice = choose(Wanted::WebGpu, false, |_, _| ()).await;
                    // Nothing is computed in exact mode here, as it would be on the page.
                    let why = choice.why.trim_start_matches("exact mode; ").to_string();
                    self.on_backend(choice.gpu.ok_or(Failure::NoDevice(why))?, work, light).await
                }
            }
        })
    }

    async fn on_backend<B: Backend + Clone, W: Work>(
        &self,
        backend: B,
        work: W,
        light: bool,
    ) -> Result<W::Result, Failure> {
        let model = match (self.model, &self.place) {
            (Some(url), _) if url.starts_with("https://") => return Err(Failure::Encrypted(url.into())),
            (Some(url), _) if url.starts_with("http://") => {
                self.held(backend, &Http::new(url, Client::default()), name(url)).await?
            }
            (Some(folder), _) if Path::new(folder).exists() => self.on_disk(backend, folder.as_ref(), light).await?,
            (Some(text), _) => match Place::typed(text) {
                Ok(Place::Hub(reference)) => self.on_hub(backend, &reference).await?,
                _ => self.on_disk(backend, text.as_ref(), light).await?,
            },
            (None, Some(Place::Site(path))) => self.on_disk(backend, &self.site.join(path), light).await?,
            (None, Some(place @ (Place::Web(_) | Place::Hub(_)))) => return Err(Failure::OtherHost(place.to_string())),
            (None, None) => return Err(Failure::NoModel),
        };
        work.on(&model, Folder::new(self.site)).await
    }

    async fn on_hub<B: Backend>(&self, backend: B, reference: &Reference) -> Result<Opened<B>, Failure> {
        if self.hub.starts_with("https://") {
            return Err(Failure::Encrypted(self.hub.into()));
        }
        let Resolved { reference, source } =
            resolve(self.hub, reference, Client::default()).await.map_err(ArchError::from)?;
        eprintln!("{reference} of {}", self.hub);
        self.held(backend, &source, reference.name()).await
    }

    /// A folder on disk, held, or looked through where that is enough.
    async fn on_disk<B: Backend>(&self, backend: B, path: &Path, light: bool) -> Result<Opened<B>, Failure> {
        let (text, folder) = (path.to_string_lossy(), Folder::new(path));
        match light {
            true => Ok(self.described(backend, &folder).await?.look_through(&folder, name(&text), &mut ()).await?),
            false => self.held(backend, &folder, name(&text)).await,
        }
    }

    async fn held<B: Backend>(&self, backend: B, source: &impl Source, name: &str) -> Result<Opened<B>, Failure> {
        Ok(self.described(backend, source).await?.open(source, name, &mut ()).await?)
    }

    async fn described<B: Backend, S: Source>(
        &self,
        backend: B,
        source: &S,
    ) -> Result<Described<B, S::Reader>, ArchError> {
        describe(backend, source, &Reader::within(self.patience)).await
    }
}

/// What needs nothing but its settings; none for any other.
fn without_model(config: &Config) -> Option<Result<Report, Failure>> {
    let bar = Bar::new();
    let heard = async |at| bar.tell(at);
    pollster::block_on(lab::run_alone(config, &heard)).map(|report| Ok(report?))
}

/// The last part of a folder's path or address.
fn name(folder: &str) -> &str {
    folder.trim_end_matches('/').rsplit('/').next().unwrap_or(folder)
}

struct Measure<'a>(&'a Config);

impl Work for Measure<'_> {
    type Result = Report;

    async fn on<B: Backend + Clone>(self, model: &Opened<B>, site: Folder) -> Result<Report, Failure> {
        let bar = Bar::new();
        Ok(lab::run(self.0, &Alone { model, site, progress: &|at| bar.tell(at) }).await?)
    }
}

struct Walk<'a>(&'a gateway::Config, Shard);

impl Work for Walk<'_> {
    type Result = Part;

    async fn on<B: Backend + Clone>(self, model: &Opened<B>, site: Folder) -> Result<Part, Failure> {
        let bar = Bar::new();
        Ok(shards::shard(self.0, self.1, &Alone { model, site, progress: &|at| bar.tell(at) }).await?)
    }
}

struct Merge<'a>(&'a [(String, Part)]);

impl Work for Merge<'_> {
    type Result = Report;

    async fn on<B: Backend + Clone>(self, model: &Opened<B>, site: Folder) -> Result<Report, Failure> {
        let bar = Bar::new();
        Ok(shards::merge(self.0, &Alone { model, site, progress: &|at| bar.tell(at) }).await?.into())
    }
}

struct Verify<'a>(&'a Run);

impl Work for Verify<'_> {
    type Result = (Verdict, Option<Report>);

    async fn on<B: Backend + Clone>(self, model: &Opened<B>, site: Folder) -> Result<Self::Result, Failure> {
        let here = origin::of(&Alone { model, site: site.clone(), progress: &|_| () }, None);
        let which = mismatches(self.0, &here);
        if !which.is_empty() {
            return Ok((Verdict::CannotCompare { which }, None));
        }
        let report = Measure(&self.0.config).on(model, site).await?;
        Ok((compare(self.0, &report), Some(report)))
    }
}

/// Loads a model folder onto the CPU.
pub fn load(folder: PathBuf) -> Result<Opened<Cpu>, Failure> {
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(pollster::block_on(open(Cpu, &Folder::new(folder), &name, &mut ()))?)
}

/// Runs an analysis on a loaded model with the corpora of a site folder (`public/` of this repository).
pub fn measure(model: &Opened<Cpu>, site: PathBuf, config: &Config) -> Result<Report, Failure> {
    let lab = Alone { model, site: Folder::new(site), progress: &|_| () };
    Ok(pollster::block_on(lab::run(config, &lab))?)
}
