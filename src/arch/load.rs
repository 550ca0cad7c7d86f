//! From a folder to a model on a device.

use super::{ArchError, spec::Spec, tensors::TensorSpec, weights::Device};
use crate::{
    backend::Backend,
    model::{
        ModelError,
        card::Card,
        checkpoint::{Finished, Progress, Shards, Tensor},
        config::{self, Config},
        source::{self, DESCRIPTION_LIMIT, Source, sha256},
        tokenizer::Tokenizer,
    },
};

/// A model that can be run, with all that its folder says of it.
pub struct Opened<B: Backend> {
    /// What the caller calls it.
    pub name: String,
    /// Weights and spec.
    pub device: Device<B>,
    /// None where the folder has no tokenizer.json; then only token ids can be measured.
    pub tokenizer: Option<Tokenizer>,
    /// None where the folder has no card.json.
    pub card: Option<Card>,
    /// SHA-256 of config.json.
    pub config_sha256: String,
    /// Size and digest of the checkpoint.
    pub file: Finished,
}

/// Looks on while a model streams in.
pub trait Watcher<B: Backend> {
    /// The config is read and understood; tensors follow.
    fn begin(&mut self, _config: &str, _spec: &Spec) {}
    /// Bytes so far.
    fn bytes(&mut self, _progress: Progress) {}
    /// A tensor that the forward pass reads has the right shape and is on the device.
    fn tensor(&mut self, _tensor: &Tensor, _spec: &TensorSpec, _device: &Device<B>) {}
}

impl<B: Backend> Watcher<B> for () {}

/// Reads a model folder. Small files come first, so that a fault in them costs no download.
pub async fn open<B: Backend>(
    backend: B,
    source: &impl Source,
    name: &str,
    watcher: &mut impl Watcher<B>,
) -> Result<Opened<B>, ArchError> {
    let text = source.read(config::FILE, DESCRIPTION_LIMIT).await?;
    let config = Config::parse(&text)?;
    let spec = super::spec(&config)?;
    let tokenizer = match Tokenizer::read(source, &config, spec.vocabulary).await {
        Ok(tokenizer) => Some(tokenizer),
        Err(ModelError::NotFound { .. }) => None,
        Err(fault) => return Err(fault.into()),
    };
    let card = Card::read_if_there(source).await?;
    let checkpoint = Shards::open(source).await?;
    let mut device = Device::new(backend, spec);
    device.expect(checkpoint.headers())?;
    watcher.begin(&String::from_utf8_lossy(&text), &device.spec);
    let watcher = std::cell::RefCell::new(watcher);
    let on_tensor = |tensor: Tensor| {
        if let Some(spec) = device.wants(&tensor.name).cloned() {
            device.insert(&tensor.name, &tensor.shape, &tensor.data)?;
            watcher.borrow_mut().tensor(&tensor, &spec, &device);
        }
        Ok::<(), ArchError>(())
    };
    let on_bytes = |progress| watcher.borrow_mut().bytes(progress);
    let on_file = |file: &str, Finished { sha256, .. }: &Finished| {
        source::check_digest(source, file, sha256)?;
        card.as_ref().map_or(Ok(()), |card| card.check_file(file, sha256)).map_err(ArchError::from)
    };
    // Dropping the future ends the download, so nothing needs to ask for a cancel here.
    let file = checkpoint.stream(|| false, on_bytes, on_tensor, on_file).await?;
    Ok(Opened { name: name.to_string(), device, tokenizer, card, config_sha256: sha256(&text), file })
}
