//! The lab on the command line: the same functions as the page, on the same files.

use std::path::PathBuf;

use crate::{
    analysis::{
        AnalysisError,
        languages::{self, Report, Subject},
        passes::run_plan,
    },
    arch::load::{Opened, open},
    backend::{Backend, cpu::Cpu},
    model::{corpus::CorpusCard, source::Folder},
};

/// Anything that ends the program with a sentence.
pub type Failure = Box<dyn std::error::Error>;

/// Loads a model folder.
pub fn load(folder: PathBuf) -> Result<Opened<Cpu>, Failure> {
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(pollster::block_on(open(Cpu, &Folder::new(folder), &name, &mut ()))?)
}

/// Runs the Languages analysis on a loaded model with the corpora of a site folder (`public/` of this repository).
pub fn measure(
    model: &Opened<Cpu>,
    site: PathBuf,
    config: &languages::Config,
    progress: impl FnMut(usize, usize),
) -> Result<Report, Failure> {
    let site = Folder::new(site);
    pollster::block_on(async {
        let corpus = CorpusCard::read(&site, &config.corpus).await?;
        config.check(&corpus)?;
        let mut texts = Vec::new();
        for code in &config.languages {
            texts.push(corpus.texts(&site, code).await?);
        }
        let tokenizer = model.tokenizer.as_ref().ok_or("tokenizer.json: not found, so no text can be measured")?;
        let (plan, quantized) = languages::plan(config, &model.device, tokenizer, &texts, &async || ()).await?;
        let nats = run_plan(&model.device, &plan, progress, &async || ()).await.map_err(AnalysisError::from)?;
        let subject = Subject {
            model: &model.name,
            model_sha256: &model.file.sha256,
            card: model.card.as_ref(),
            corpus: &corpus,
        };
        let backend = model.device.backend.name();
        Ok(languages::assemble(config, &subject, backend, &plan, quantized, &nats)?)
    })
}

/// `fairbits run CONFIG.json --model FOLDER [--site FOLDER]`: prints the report as JSON.
pub fn main(arguments: &[String]) -> Result<(), Failure> {
    const USAGE: &str = "usage: fairbits run CONFIG.json --model FOLDER [--site FOLDER]   (prints the report as JSON)";
    let option = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1).map(PathBuf::from)
    };
    let (Some("run"), Some(config)) = (arguments.first().map(String::as_str), arguments.get(1)) else {
        return Err(USAGE.into());
    };
    let config = serde_json::from_slice(&std::fs::read(config).map_err(|error| format!("{config}: {error}"))?)
        .map_err(|error| format!("{config}: {error}"))?;
    let model = load(option("--model").ok_or(USAGE)?)?;
    let site = option("--site").unwrap_or_else(|| PathBuf::from("public"));
    let report = measure(&model, site, &config, |done, total| eprint!("\r{done} of {total}"))?;
    eprintln!("\r{}", model.name);
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}
