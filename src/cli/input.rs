//! What the program is asked: a link, or a file.

use std::path::Path;

use super::Failure;
use crate::{
    lab::import,
    lab::{Config, Report, gateway::shards::Part},
    share::{Link, Place},
};

/// What is to be run, and where its model lies, where that is said.
pub struct Asked {
    /// What to measure.
    pub config: Config,
    /// None for a configuration, which names no model.
    pub place: Option<Place>,
}

impl Asked {
    /// From a link, or from a file with a configuration or a report.
    pub fn read(text: &str) -> Result<Asked, Failure> {
        if text.contains("run=") {
            let run = Link::parse(text)?.run;
            return Ok(Asked { config: run.config, place: run.model.map(|model| model.place) });
        }
        let bytes = bytes(Path::new(text))?;
        if let Ok(config) = serde_json::from_slice(&bytes) {
            return Ok(Asked { config, place: None });
        }
        let report = import(&bytes).map_err(|fault| Failure::input(text, fault))?;
        let place = report.origin().model().and_then(|origin| Place::catalog(&origin.model).ok());
        Ok(Asked { config: report.config(), place })
    }
}

/// A report's file.
pub(super) fn report(file: &Path) -> Result<Report, Failure> {
    import(&bytes(file)?).map_err(|fault| Failure::input(file.display(), fault))
}

/// What one shard of a search wrote, with its file's name.
pub(super) fn part(file: &Path) -> Result<(String, Part), Failure> {
    let part = serde_json::from_slice(&bytes(file)?).map_err(|fault| Failure::input(file.display(), fault))?;
    Ok((file.display().to_string(), part))
}

fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file).map_err(|fault| Failure::input(file.display(), fault))
}
