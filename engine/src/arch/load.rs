//! From a folder to a model on a device.

use std::{cell::RefCell, collections::BTreeMap};

use super::{
    ArchError,
    layer_stats::StreamedStats,
    preview::Preview,
    tensor_reader::{TensorReader, mark},
    tensors::{Role, TensorSpec},
    weights::Device,
};
use crate::{
    backend::Backend,
    math::moments::Summary,
    model::{
        ModelError,
        card::Card,
        checkpoint::{Finished, Header, Progress, Shards, Tensor},
        config::{self, Config},
        files::Files,
        source::{self, DESCRIPTION_LIMIT, Ranged, Source, sha256},
        tokenizer::{self, Guarded},
    },
};

/// A model that can be run, with all that its folder says of it.
pub struct Opened<B: Backend> {
    /// What the caller calls it.
    pub name: String,
    /// Weights and spec.
    pub device: Device<B>,
    /// None where the folder has no tokenizer.json; then only token ids can be measured.
    pub tokenizer: Option<Guarded>,
    /// None where the folder has no card.json.
    pub card: Option<Card>,
    /// SHA-256 of config.json.
    pub config_sha256: String,
    /// Size and digest of the checkpoint.
    pub file: Finished,
    /// How its layers are spread, of a model that was looked through and is not held.
    pub layer_stats: Option<StreamedStats>,
}

impl<B: Backend> Opened<B> {
    /// The model by its files.
    pub fn files(&self) -> Files {
        Files {
            model_sha256: self.file.sha256.clone(),
            config_sha256: Some(self.config_sha256.clone()),
            tokenizer_sha256: self.tokenizer.as_ref().map(|tokenizer| tokenizer.sha256().to_string()),
            tokenizer_config_sha256: self.tokenizer.as_ref().and_then(Guarded::settings_sha256).map(str::to_string),
        }
    }
}

/// Looks on while a model streams in.
pub trait Watcher<B: Backend> {
    /// Config and headers are read and understood; tensors follow, unless this refuses them.
    fn begin(&mut self, _config: &str, _preview: &Preview) -> Result<(), ArchError> {
        Ok(())
    }
    /// Bytes so far.
    fn bytes(&mut self, _progress: Progress) {}
    /// Whether it looks at token tables of a model that is not held: else no more than a chunk of them is there at a time.
    fn takes_tables(&self) -> bool {
        false
    }
    /// Whether a model that is looked through is held all the same.
    fn holds(&self) -> bool {
        false
    }
    /// A tensor that the forward pass reads has the right shape.
    fn tensor(&mut self, _tensor: &TensorSpec, _values: &[f32]) -> Result<(), ArchError> {
        Ok(())
    }
    /// With the last tensor the matrices of its layer are all in, of a model that is not held.
    fn layer(&mut self, _layer: usize, _whole: &Summary) {}
}

impl<B: Backend> Watcher<B> for () {}

/// What a model folder says before its weights are read. Whoever has it knows that the model can be run, and that its weights are
/// laid out as they must be: a fault up to here costs no download, nor a model that is there already.
pub struct Described<B: Backend, R> {
    config: Vec<u8>,
    /// Without any tensor.
    device: Device<B>,
    tokenizer: Option<Guarded>,
    card: Option<Card>,
    checkpoint: Shards<R>,
    headers: Vec<Header>,
}

/// Reads the small files of a model folder, its tokenizer with `reader`, and the headers of its checkpoint.
pub async fn describe<B: Backend, S: Source>(
    backend: B,
    source: &S,
    reader: &tokenizer::Reader,
) -> Result<Described<B, S::Reader>, ArchError> {
    let config = source.read(config::FILE, DESCRIPTION_LIMIT).await?;
    let spec = super::spec(&Config::parse(&config)?)?;
    let tokenizer = match tokenizer::Files::read(source, spec.vocabulary).await? {
        Some(files) => Some(reader.read(files).await?),
        None => None,
    };
    let card = Card::read_if_there(source).await?;
    let checkpoint = Shards::open(source).await?;
    let device = Device::new(backend, spec);
    device.expect(checkpoint.headers())?;
    let headers = checkpoint.headers().cloned().collect();
    Ok(Described { config, device, tokenizer, card, checkpoint, headers })
}

/// Reads a model folder.
pub async fn open<B: Backend>(
    backend: B,
    source: &impl Source,
    name: &str,
    watcher: &mut impl Watcher<B>,
) -> Result<Opened<B>, ArchError> {
    describe(backend, source, &tokenizer::Reader::default()).await?.open(source, name, watcher).await
}

/// Looks through a model folder without holding it; see [`Described::look_through`].
pub async fn look_through<B: Backend>(
    backend: B,
    source: &(impl Ranged + Clone + 'static),
    name: &str,
    watcher: &mut impl Watcher<B>,
) -> Result<Opened<B>, ArchError> {
    describe(backend, source, &tokenizer::Reader::default()).await?.look_through(source, name, watcher).await
}

impl<B: Backend, R: source::Reader> Described<B, R> {
    /// What the model is and needs.
    pub fn preview(&self) -> Preview {
        Preview::of(&self.device, &self.headers, self.tokenizer.is_some())
    }

    /// Reads the weights too.
    pub async fn open<S: Source<Reader = R>>(
        self,
        source: &S,
        name: &str,
        watcher: &mut impl Watcher<B>,
    ) -> Result<Opened<B>, ArchError> {
        let watcher = RefCell::new(watcher);
        let on_tensor = |device: &mut Device<B>, spec: &TensorSpec, tensor: Tensor| {
            device.insert(&tensor.name, &tensor.shape, &tensor.data)?;
            watcher.borrow_mut().tensor(spec, &tensor.data)
        };
        self.stream_in(source, name, &|_| true, &watcher, on_tensor).await.map(|(opened, _)| opened)
    }

    /// Looks through the folder that was described, without holding the model: weight matrices stream by, and the spread of each
    /// layer is taken. Matrices and token tables are read again where they are asked for, one at a time, also by a pass; whatever
    /// else there is is small and held.
    pub async fn look_through<S: Ranged<Reader = R> + Clone + 'static>(
        self,
        source: &S,
        name: &str,
        watcher: &mut impl Watcher<B>,
    ) -> Result<Opened<B>, ArchError> {
        let watcher = RefCell::new(watcher);
        let (mut layer_stats, mut marks) = (None, BTreeMap::new());
        let (tables, holds) = (watcher.borrow().takes_tables(), watcher.borrow().holds());
        let wanted = |spec: &TensorSpec| tables || holds || !matches!(spec.role, Role::Table { .. });
        let on_tensor = |device: &mut Device<B>, spec: &TensorSpec, tensor: Tensor| {
            watcher.borrow_mut().tensor(spec, &tensor.data)?;
            if holds || !spec.role.is_large() {
                device.insert(&tensor.name, &tensor.shape, &tensor.data)?;
            }
            if spec.role.is_large() {
                marks.insert(spec.name.clone(), mark(&tensor.data));
            }
            if let Role::Matrix { layer, .. } = spec.role {
                let layer_stats = layer_stats.get_or_insert_with(|| StreamedStats::new(&device.spec));
                if let Some(whole) = layer_stats.take(&spec.name, tensor.data) {
                    watcher.borrow_mut().layer(layer, &whole.whole.summary);
                }
            }
            Ok(())
        };
        let (mut opened, headers) = self.stream_in(source, name, &wanted, &watcher, on_tensor).await?;
        opened.layer_stats = layer_stats;
        if !holds {
            let reader = TensorReader::from_files(source.clone(), headers, &opened.device.spec, marks);
            opened.device.reads(reader);
        }
        Ok(opened)
    }

    /// Reads the weights and hands on the tensors that the forward pass reads, of those that are `wanted`.
    async fn stream_in<S: Source<Reader = R>>(
        self,
        source: &S,
        name: &str,
        wanted: &dyn Fn(&TensorSpec) -> bool,
        watcher: &RefCell<&mut impl Watcher<B>>,
        mut on_tensor: impl FnMut(&mut Device<B>, &TensorSpec, Tensor) -> Result<(), ArchError>,
    ) -> Result<(Opened<B>, Vec<Header>), ArchError> {
        let preview = self.preview();
        let Described { config, mut device, tokenizer, card, checkpoint, headers } = self;
        let entries = headers.iter().flat_map(Header::entries);
        let specs: BTreeMap<String, TensorSpec> = entries
            .filter_map(|entry| {
                Some((entry.name.clone(), device.wants(&entry.name).filter(|spec| wanted(spec))?.clone()))
            })
            .collect();
        // In the order of the forward pass.
        let places: BTreeMap<String, usize> =
            device.spec.tensors().into_iter().enumerate().map(|(place, tensor)| (tensor.name, place)).collect();
        watcher.borrow_mut().begin(&String::from_utf8_lossy(&config), &preview)?;
        let take = |tensor: Tensor| match specs.get(&tensor.name) {
            Some(spec) => on_tensor(&mut device, spec, tensor),
            None => Ok(()),
        };
        let on_bytes = |progress| watcher.borrow_mut().bytes(progress);
        let on_file = |file: &str, Finished { sha256, .. }: &Finished| {
            source::check_digest(file, "the place it comes from", source.digest(file), sha256)?;
            card.as_ref().map_or(Ok(()), |card| card.check_file(file, sha256)).map_err(ArchError::from)
        };
        // Dropping the future ends the download, so nothing needs to ask for a cancel here.
        let rank = |name: &str| places.get(&specs.get(name)?.name).copied();
        let streamed = checkpoint.stream_some(&rank, || false, on_bytes, take, on_file).await;
        if let Err(ArchError::Config(ModelError::WrongDigest { file, .. })) = &streamed {
            source.forget(file).await;
        }
        let (file, config_sha256) = (streamed?, sha256(&config));
        let opened = Opened { name: name.to_string(), device, tokenizer, card, config_sha256, file, layer_stats: None };
        Ok((opened, headers))
    }
}
