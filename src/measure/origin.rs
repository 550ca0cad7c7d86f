//! Where the figures of a run are from.

pub use reports::lab::origin::*;

use super::{runner::Lab, sample::Reading};
use crate::{arch::load::Opened, backend::Backend};

/// Of what this lab computes on these texts.
pub fn of(lab: &impl Lab, texts: Option<&Reading>) -> Origin {
    Origin {
        corpus_sha256: texts.map(|texts| texts.sha256.clone()),
        in_front: texts.map(|texts| texts.in_front.clone()),
        ..without_texts(lab.model(), lab.computed_on())
    }
}

/// Of what is computed on this model alone.
pub fn without_texts<B: Backend>(model: &Opened<B>, backend: String) -> Origin {
    Origin {
        model: model.name.clone(),
        files: model.files(),
        corpus_sha256: None,
        in_front: None,
        backend,
        version: VERSION.to_string(),
        asked: model.device.spec.scoring.asked(),
        encoder_layers: model.device.spec.encoder_layers(),
    }
}
