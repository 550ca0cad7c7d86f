//! The lab on the command line: the same functions as the page, on the same files.

use std::path::PathBuf;

use crate::{
    analysis::{
        self, Config, Report,
        lab::{Alone, Progress},
    },
    arch::load::{Opened, open},
    backend::cpu::Cpu,
    model::source::Folder,
};

/// Anything that ends the program with a sentence.
pub type Failure = Box<dyn std::error::Error>;

/// Loads a model folder.
pub fn load(folder: PathBuf) -> Result<Opened<Cpu>, Failure> {
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(pollster::block_on(open(Cpu, &Folder::new(folder), &name, &mut ()))?)
}

/// Runs an analysis on a loaded model with the corpora of a site folder (`public/` of this repository).
pub fn measure(
    model: &Opened<Cpu>,
    site: PathBuf,
    config: &Config,
    progress: impl Fn(Progress),
) -> Result<Report, Failure> {
    let lab = Alone { model, site: Folder::new(site), progress };
    Ok(pollster::block_on(analysis::run(config, &lab))?)
}

/// A configuration, or a report, whose configuration is taken.
fn config(json: &[u8]) -> Result<Config, serde_json::Error> {
    serde_json::from_slice::<Report>(json).map(|report| report.config()).or_else(|_| serde_json::from_slice(json))
}

/// `fairbits run FILE.json --model FOLDER [--site FOLDER]`: prints the report as JSON.
pub fn main(arguments: &[String]) -> Result<(), Failure> {
    const USAGE: &str = "usage: fairbits run CONFIG_OR_REPORT.json --model FOLDER [--site FOLDER]\n\
                         Prints the report as JSON. A report is run again as it was.";
    let option = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1).map(PathBuf::from)
    };
    let (Some("run"), Some(file)) = (arguments.first().map(String::as_str), arguments.get(1)) else {
        return Err(USAGE.into());
    };
    let config = config(&std::fs::read(file).map_err(|error| format!("{file}: {error}"))?)
        .map_err(|error| format!("{file}: {error}"))?;
    let model = load(option("--model").ok_or(USAGE)?)?;
    let site = option("--site").unwrap_or_else(|| PathBuf::from("public"));
    let report = measure(&model, site, &config, |at| eprint!("\r{} of {} ", at.done, at.total))?;
    eprintln!("\r{}", model.name);
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}
