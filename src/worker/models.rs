//! Models on their way to the coordinator: from the site, a hub, the web, or files of this device.

use std::{collections::BTreeMap, rc::Rc};

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::{Blob, Url};

use super::{
    coordinator::Coordinator, failure::Failure, leaving::Leaving, load::Streaming, opfs_cache::OpfsCache, pool::Pool,
    port::post_event, tokens, yield_now::now,
};
use crate::{
    arch::{
        load::{Opened, describe},
        preview::preview,
        tensors::{Part, TensorSpec},
    },
    backend::cpu::Cpu,
    lab::preview::fit,
    lab::rounding::Rounding,
    model::{
        hub::{self, Resolved},
        source::{Http, Ranged, blobs::Blobs, chosen::folder_of, fetch::Fetch},
        store::Cached,
    },
    protocol::{Event, How, LOCAL, Loaded, Previewed, Room},
    share::Place,
};

/// A model's files.
enum Files {
    /// Of the site; they are kept with the page.
    Own(Http<Fetch>),
    /// Of another place.
    Elsewhere(Http<Fetch>),
    /// Of this device.
    Here(Blobs),
}

/// Where a model is.
struct Found {
    files: Files,
    name: String,
    /// Where a hub has it, with its commit.
    place: Option<Place>,
}

/// What a model is, what it takes to load it, and what was loaded.
impl Coordinator {
    async fn find(&self, url: &str, hub: &str) -> Result<Found, Failure> {
        if url.starts_with(LOCAL) {
            return self.find_here();
        }
        if let Ok(Place::Hub(reference)) = Place::parse(url) {
            let Resolved { reference, source } = hub::resolve(hub, &reference, Fetch::uncached()).await?;
            let name = reference.name().to_string();
            return Ok(Found { files: Files::Elsewhere(source), name, place: Some(Place::Hub(reference)) });
        }
        let bad = |_| {
            Failure::told(
                format!("\"{url}\" is not the address of a folder"),
                "Type owner/name for a model of the hub, or a folder's address that begins with https://.",
            )
        };
        let folder = Url::new_with_base(url, &self.base()).map_err(bad)?.href();
        let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or(url).to_string();
        let files = match Place::parse(url) {
            Ok(Place::Site(_)) => Files::Own(Http::new(&folder, Fetch::default())),
            _ => Files::Elsewhere(Http::new(&folder, Fetch::uncached())),
        };
        Ok(Found { files, name, place: None })
    }

    fn find_here(&self) -> Result<Found, Failure> {
        let chosen = self.chosen();
        let paths: Vec<&String> = chosen.iter().map(|(path, _)| path).collect();
        let missing = || {
            let step = "Choose the model's folder, or all its files together.";
            Failure::told("there is no config.json among the files that were chosen", step)
        };
        let (name, own) = folder_of(&paths).ok_or_else(missing)?;
        let files: BTreeMap<String, Blob> = own.into_iter().map(|(name, at)| (name, chosen[at].1.clone())).collect();
        Ok(Found { files: Files::Here(Blobs::new(files)), name, place: None })
    }

    /// Where models from elsewhere are kept.
    fn cache(&self, model: &str) -> OpfsCache {
        let (scope, again) = (self.scope().clone(), self.scope().clone());
        let (unkept, name) = (self.unkept.clone(), model.to_string());
        unkept.take();
        let full = move |file: &str| {
            unkept.replace(Some(name.clone()));
            let sentence = format!("there is no room to keep {file} for the next visit; this run goes on from memory");
            post_event(&scope, &Event::Note { sentence });
        };
        let waiting = move || {
            let sentence =
                "another tab of this browser is reading this model; it goes on here when that is done".into();
            post_event(&again, &Event::Note { sentence });
        };
        OpfsCache::new(self.scope(), model, full, waiting)
    }

    /// What this device has for a model, with so many workers.
    fn room(&self, workers: usize) -> Room {
        // Browsers say it in gigabytes, rounded, and not more than a few.
        let gigabytes = Reflect::get(&self.scope().navigator(), &"deviceMemory".into()).ok();
        let memory = gigabytes.and_then(|gigabytes| gigabytes.as_f64()).map(|of| (of * f64::from(1 << 30)) as u64);
        Room { memory, workers }
    }

    /// Says what a model is, before its weights are asked for.
    pub(super) async fn preview(&self, url: &str, hub: &str) -> Result<Previewed, Failure> {
        let Found { files, name, place } = self.find(url, hub).await?;
        let preview = match &files {
            Files::Own(source) | Files::Elsewhere(source) => preview(source).await?,
            Files::Here(source) => preview(source).await?,
        };
        let url = place.map_or_else(|| url.to_string(), |place| place.to_string());
        Ok(Previewed { url, name, preview, room: self.room(self.replicas.most_workers().await?) })
    }

    /// Streams a model into the coordinator and the pool, or past the coordinator.
    pub(super) async fn open(
        &self,
        url: &str,
        hub: &str,
        how: How,
        rounding: Option<Rounding>,
    ) -> Result<(Rc<Opened<Cpu>>, Option<Place>, Option<Rc<Pool>>), Failure> {
        let Found { files, name, place } = self.find(url, hub).await?;
        let (opened, pool) = match files {
            Files::Own(source) => self.stream_in(source, &name, how, rounding).await?,
            Files::Elsewhere(source) => {
                self.stream_in(Cached::new(source, self.cache(&name)), &name, how, rounding).await?
            }
            Files::Here(source) => self.stream_in(source, &name, how, rounding).await?,
        };
        Ok((opened, place, pool))
    }

    /// The model that is there leaves when the next one is described and fits, and comes back where that does not come whole.
    async fn stream_in(
        &self,
        source: impl Ranged + Clone + 'static,
        name: &str,
        how: How,
        rounding: Option<Rounding>,
    ) -> Result<(Rc<Opened<Cpu>>, Option<Rc<Pool>>), Failure> {
        let described = describe(Cpu, &source, &tokens::reader()).await?;
        let (preview, room) = (described.preview(), self.room(self.replicas.workers_for(how).await?));
        if !preview.fits(how, &room) {
            return Err(Failure::TooLarge(fit(&preview, &room)));
        }
        let leaving = Leaving::begin(&self.replicas);
        let pool = match how {
            How::Whole => Some(self.replicas.resized(None).await?),
            How::Fewer(workers) | How::Packed(workers) => Some(self.replicas.resized(Some(workers)).await?),
            How::Weights => {
                leaving.with_members();
                None
            }
        };
        let mut streaming = Streaming::new(self, pool.clone(), how, room, rounding);
        let mut opened = described.look_through(&source, name, &mut streaming).await?;
        let ahead = streaming.delivered().await?;
        self.replicas.lend(&mut opened);
        let opened = Rc::new(opened);
        self.replicas.keep(opened.clone(), ahead);
        leaving.for_good();
        Ok((opened, pool))
    }

    pub(super) async fn load(&self, url: &str, hub: &str, how: How, rounding: Option<Rounding>) -> Result<(), Failure> {
        let began = now();
        let (opened, found, _) = self.open(url, hub, how, rounding).await?;
        // Before the last word: a run may begin at once, and take the place of whatever is left of this.
        let unkept = self.unkept.borrow().is_some();
        if unkept {
            self.tell_kept(&[]).await;
        }
        let spec = &opened.device.spec;
        self.tell(&Event::Loaded(Box::new(Loaded {
            name: opened.name.clone(),
            architecture: spec.architecture.to_string(),
            layers: spec.blocks.len(),
            parts: Part::ALL.into_iter().filter(|part| spec.matrices().any(|(_, own, _)| own == *part)).collect(),
            width: spec.width,
            context: spec.context,
            vocabulary: spec.vocabulary,
            parameters: spec.tensors().iter().map(TensorSpec::values).sum(),
            bytes: opened.file.bytes,
            seconds: (now() - began) / 1000.0,
            files: opened.files(),
            found: found.map(|place| place.to_string()),
            card: opened.card.clone(),
            how,
        })));
        Ok(())
    }
}

/// Paths and files of a message: a path before each file.
pub(super) fn chosen_of(parts: &js_sys::Array) -> Vec<(String, Blob)> {
    let pairs = (1..parts.length()).step_by(2);
    pairs.filter_map(|at| Some((parts.get(at).as_string()?, parts.get(at + 1).dyn_into::<Blob>().ok()?))).collect()
}
