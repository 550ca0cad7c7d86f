//! The lab on the command line: the same functions as the page, on the same files, with the same digests.

mod bar;
mod error;
mod flags;
mod input;
mod models;

use std::{
    ffi::OsString,
    io::Write,
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook},
    path::PathBuf,
    process::ExitCode,
    sync::Mutex,
    time::Duration,
};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::{
    fairness,
    lab::{
        self, Config, Report,
        gateway::shards::Shard,
        origin::{Origin, VERSION},
    },
    model::{hub, tokenizer},
    share::{self, Link, Place, Verdict, View},
};
pub use error::Failure;
pub use input::Asked;
pub use models::{Computing, load, measure};

/// What a script can rely on.
const EXIT_CODES: &str = "Exit codes:
  0  done; with verify: reproduced, exactly or within the tolerance for figures outside exact mode
  1  verify: the figures differ
  2  verify: cannot be compared (another model, other texts, or another version)
  3  the command line, a link or a file cannot be used as it is
  4  the run failed";

/// Which languages pay when a language model is quantized: the lab on the command line.
#[derive(Parser)]
#[command(name = "fairbits", version = VERSION, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run what a link, a configuration or a report asks, and write the report as JSON
    Run {
        /// A link, or a file: a configuration or a report as JSON
        asked: String,
        #[command(flatten)]
        on: On,
        #[command(flatten)]
        output: Output,
        /// Walk only shard I of N, counted from 0, of a search over protection sets, and write what merge joins
        #[arg(long, value_name = "I/N")]
        shard: Option<Shard>,
    },
    /// Join all shards of a search into the report that one run would have given
    Merge {
        /// What run --shard wrote, all of them
        #[arg(required = true)]
        parts: Vec<PathBuf>,
        #[command(flatten)]
        on: On,
        #[command(flatten)]
        output: Output,
    },
    /// Run a link again, and say whether its figures are reproduced
    Verify {
        /// The link
        link: String,
        #[command(flatten)]
        on: On,
        /// Also write the report, as JSON
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print the link to a report
    Link {
        /// A report as JSON
        report: PathBuf,
        #[command(flatten)]
        to: To,
    },
    /// Write a one-page fairness report
    Report {
        /// A report as JSON
        report: PathBuf,
        /// As HTML, in one file that prints on a page
        #[arg(long)]
        html: bool,
        /// As Markdown; so it is without either
        #[arg(long, conflicts_with = "html")]
        markdown: bool,
        #[command(flatten)]
        to: To,
        #[command(flatten)]
        output: Output,
    },
    /// Print the JSON Schema of reports
    Schema,
}

/// On what is run.
#[derive(Args)]
struct On {
    /// The model's folder, its address (http), or its name on the hub, owner/name[@revision]. Without it, the folder of the
    /// site that the link or report names
    #[arg(long, value_name = "DIR|URL|OWNER/NAME")]
    model: Option<String>,
    /// Address of the hub, or of a mirror of it
    #[arg(long, value_name = "URL", default_value = hub::HOST)]
    hub: String,
    /// The site's folder, with its corpora and models
    #[arg(long, value_name = "DIR", default_value = "public")]
    site: PathBuf,
    /// What computes: cpu is exact mode
    #[arg(long, value_enum, default_value = "cpu")]
    backend: Backend,
    /// How long the model's tokenizer may take to be read, and to cut the texts of one language
    #[arg(long, value_name = "SECONDS", default_value_t = tokenizer::PATIENCE.as_secs())]
    patience: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Backend {
    Cpu,
    Wgpu,
}

/// What a link leads to.
#[derive(Args)]
struct To {
    /// Where others find the model: a folder of the site, or its address
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,
    /// How the page is to be shown: bare, pinned, tour-NAME, with full stops between them
    #[arg(long, default_value = "")]
    view: String,
    /// Address of the page, to stand before the link
    #[arg(long, value_name = "URL", default_value = "")]
    page: String,
}

impl To {
    fn link(&self, report: &Report) -> Result<String, Failure> {
        let named = |origin: &Origin| Place::catalog(&origin.model);
        let place = match &self.folder {
            Some(folder) => Some(Place::parse(folder)?),
            None => report.origin().model().map(named).transpose()?,
        };
        let link = Link::of(report, place, View::parse(&self.view)?)?;
        Ok(format!("{}{link}", self.page.trim_end_matches('#')))
    }
}

/// Where the result goes.
#[derive(Args)]
struct Output {
    /// File to write; standard output without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl On {
    fn computing(&self, place: Option<&Place>) -> Computing<'_> {
        let (model, site, gpu) = (self.model.as_deref(), &self.site, matches!(self.backend, Backend::Wgpu));
        let patience = Duration::from_secs(self.patience);
        Computing { model, place: place.cloned(), hub: &self.hub, site, gpu, patience }
    }
}

impl Output {
    fn write(&self, text: &str) -> Result<(), Failure> {
        match &self.out {
            Some(file) => std::fs::write(file, text).map_err(|fault| Failure::Output(file.clone(), fault)),
            None => std::io::stdout().write_all(text.as_bytes()).map_err(|fault| Failure::Output("-".into(), fault)),
        }
    }
}

/// Runs the program. A fault goes to standard error, one sentence, and after it what can be done about it.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let read = flags::with_analyses(Cli::command()).try_get_matches_from(arguments).and_then(|matches| {
        let analysis = flags::asked(&matches);
        analysis.map_or_else(
            || Cli::from_arg_matches(&matches).map(|cli| Wanted::Command(cli.command)),
            |of| Ok(Wanted::Analysis(of.map(Box::new))),
        )
    });
    let wanted = match read {
        Ok(wanted) => wanted,
        Err(told) => {
            // Also the way in which help is printed; nothing is left to do where that fails.
            let _ = told.print();
            return ExitCode::from(if told.use_stderr() { error::USAGE } else { 0 });
        }
    };
    // What is told of a panic is the sentence at the end, also of one in a thread that the program outlives.
    set_hook(Box::new(|panic| *LAST_PANIC.lock().unwrap_or_else(|held| held.into_inner()) = told(panic)));
    ExitCode::from(ended(|| match wanted {
        Wanted::Command(command) => run(command),
        Wanted::Analysis(flags) => {
            let flags::Flags { config, on, output } = *flags?;
            measured(&config, &on, None, &output)
        }
    }))
}

/// What the command line asks for.
enum Wanted {
    Command(Command),
    Analysis(Result<Box<flags::Flags>, Failure>),
}

/// Runs an analysis and writes its report.
fn measured(config: &Config, on: &On, place: Option<&Place>, output: &Output) -> Result<u8, Failure> {
    let report = on.computing(place).run(config)?;
    output.write(&format!("{}\n", lab::json(&report)))?;
    tell_digest(&report);
    Ok(0)
}

/// What the last panic said, and where it was.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn told(panic: &PanicHookInfo) -> String {
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    format!("{}{place}", panic.payload_as_str().unwrap_or("it panicked"))
}

/// The exit code of what is done; one of [`EXIT_CODES`], whatever happens in it.
fn ended(work: impl FnOnce() -> Result<u8, Failure>) -> u8 {
    let ending = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Failure::Broke(LAST_PANIC.lock().unwrap_or_else(|held| held.into_inner()).clone())));
    let failure = match ending {
        Ok(code) => return code,
        Err(failure) => failure,
    };
    // On a line of its own, for scripts that read the first.
    let step = failure.what_to_do();
    let line = if step.is_empty() { String::new() } else { format!("{step}\n") };
    // Who has closed standard error still reads the code.
    let _ = write!(std::io::stderr(), "{failure}\n{line}");
    failure.code()
}

fn run(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Run { asked, on, output, shard: Some(shard) } => {
            let asked = Asked::read(&asked)?;
            let part = on.computing(asked.place.as_ref()).shard(&asked.config, shard)?;
            output.write(&format!(
                "{}\n",
                serde_json::to_string(&part).expect("a part holds numbers and strings only")
            ))?;
            Ok(0)
        }
        Command::Merge { parts, on, output } => {
            let parts = parts.iter().map(|file| input::part(file)).collect::<Result<Vec<_>, _>>()?;
            let place = parts.first().and_then(|(_, part)| Place::catalog(&part.origin.model).ok());
            let report = on.computing(place.as_ref()).merge(&parts)?;
            output.write(&format!("{}\n", lab::json(&report)))?;
            tell_digest(&report);
            Ok(0)
        }
        Command::Run { asked, on, output, shard: None } => {
            let asked = Asked::read(&asked)?;
            measured(&asked.config, &on, asked.place.as_ref(), &output)
        }
        Command::Verify { link, on, out } => {
            let run = Link::parse(&link)?.run;
            let (verdict, report) = on.computing(run.model.as_ref().map(|model| &model.place)).verify(&run)?;
            if let (Some(report), Some(_)) = (&report, &out) {
                Output { out }.write(&format!("{}\n", lab::json(report)))?;
            }
            println!("{verdict}");
            Ok(match verdict {
                Verdict::ReproducedExactly | Verdict::WithinTolerance { .. } => 0,
                Verdict::Differs { .. } => 1,
                Verdict::CannotCompare { .. } => 2,
            })
        }
        Command::Schema => {
            print!("{}", lab::schema());
            Ok(0)
        }
        Command::Link { report, to } => {
            println!("{}", to.link(&input::report(&report)?)?);
            Ok(0)
        }
        Command::Report { report, html, markdown: _, to, output } => {
            let report = input::report(&report)?;
            let (link, write) = (to.link(&report)?, if html { fairness::html } else { fairness::markdown });
            output.write(&write(&report, Some(&link)))?;
            Ok(0)
        }
    }
}

fn tell_digest(report: &Report) {
    match share::digest(report) {
        Some(digest) => eprintln!("digest {digest}"),
        None => eprintln!("no digest: it is defined for --backend cpu only"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: the program ends with a code that its help names, also where a library below it panics.
    #[test]
    fn a_panic_ends_with_a_promised_code() {
        let codes = [ended(|| Ok(2)), ended(|| Err(Failure::NoModel)), ended(|| panic!("index out of bounds"))];
        assert_eq!(codes, [2, error::USAGE, 4]);
        assert!(codes.iter().all(|code| EXIT_CODES.contains(&format!("\n  {code}  "))));
    }
}
