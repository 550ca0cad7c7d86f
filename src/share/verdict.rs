//! What a run of a link gave, held against what the link says.

use std::fmt;

use super::{digest, link::Run};
use crate::lab::{
    Report,
    headline::{self, Figure},
    origin::{Whence, figures as figures_of},
};

/// Largest relative difference that is put down to the rounding of WebGPU or of fused products. A device's kernels agree with the CPU's to 10⁻⁴
/// (`backend::choose`); a figure such as D is the small difference of two large ones, which costs up to one more digit.
pub const TOLERANCE: f64 = 1e-3;
/// Smaller figures are measured against this. D is a ratio of two perplexities, less one; WebGPU's perplexities agree with the
/// CPU's to 10⁻⁵, so D is known to 2·10⁻⁵ however small it is, and that is [`TOLERANCE`] of this.
const SMALL: f64 = 0.02;

/// What a repetition shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The digests are equal: the same report to the last bit.
    ReproducedExactly,
    /// One of the two was not computed in exact mode, and every figure of the link is there again within [`TOLERANCE`].
    WithinTolerance {
        /// Largest difference; see [`Difference::relative`].
        largest: f64,
    },
    /// It is not the same.
    Differs {
        /// Figures of the link that came out otherwise; empty where only what the link does not spell out differs.
        figures: Vec<Difference>,
    },
    /// Other files, other texts, another program or other settings: it would say nothing.
    CannotCompare {
        /// What is not the same.
        which: Vec<Mismatch>,
    },
}

/// A figure that came out otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// As the link has it.
    pub link: Figure,
    /// As it is here; none where the report does not have it.
    pub here: Option<Figure>,
}

/// Why two reports cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// Another analysis, or other settings.
    Settings,
    /// A file of the model, by its name.
    Model(&'static str),
    /// The texts.
    Corpus,
    /// The program, where its figures are of another revision.
    Version {
        /// That made the link.
        link: String,
        /// That ran it.
        here: String,
    },
}

/// Holds a report against a link.
pub fn compare(run: &Run, report: &Report) -> Verdict {
    compare_digested(run, report, digest(report).as_deref())
}

/// Holds a report whose [`digest`] is known against a link.
pub fn compare_digested(run: &Run, report: &Report, own: Option<&str>) -> Verdict {
    let origin = report.origin();
    let mut which = mismatches(run, origin);
    if run.config != report.config() {
        which.insert(0, Mismatch::Settings);
    }
    if !which.is_empty() {
        return Verdict::CannotCompare { which };
    }
    if own.is_some() && own == run.digest.as_deref() {
        return Verdict::ReproducedExactly;
    }
    if figures_of(origin.version()) != figures_of(&run.version) {
        which.push(Mismatch::Version { link: run.version.clone(), here: origin.version().to_string() });
        return Verdict::CannotCompare { which };
    }
    let exact = own.is_some() && run.digest.is_some();
    let here = headline::all(report);
    let difference = |link: &Figure| Difference {
        link: link.clone(),
        here: here.iter().find(|figure| figure.name == link.name).cloned(),
    };
    let all: Vec<Difference> = run.figures.iter().map(difference).collect();
    let largest = all.iter().map(Difference::relative).fold(0.0, f64::max);
    if !exact && largest <= TOLERANCE {
        return Verdict::WithinTolerance { largest };
    }
    let allowed = if exact { 0.0 } else { TOLERANCE };
    Verdict::Differs { figures: all.into_iter().filter(|one| one.relative() > allowed).collect() }
}

/// Files and texts that are not those of the link, which can be known before anything is run. One that either side says
/// nothing of is not held against it.
pub fn mismatches<'a>(run: &Run, origin: impl Into<Whence<'a>>) -> Vec<Mismatch> {
    let origin = origin.into();
    let differ = |link: Option<&String>, here: Option<&String>| {
        link.zip(here).is_some_and(|(link, here)| !link.eq_ignore_ascii_case(here))
    };
    let mut which = Vec::new();
    for (link, here) in run.model.iter().zip(origin.model()) {
        let files = [
            ("config.json", link.config.as_ref(), here.files.config_sha256.as_ref()),
            ("tokenizer.json", link.tokenizer.as_ref(), here.files.tokenizer_sha256.as_ref()),
            ("model.safetensors", Some(&link.checkpoint), Some(&here.files.model_sha256)),
        ];
        let others = files.into_iter().filter(|(_, link, here)| differ(*link, *here));
        which.extend(others.map(|(file, ..)| Mismatch::Model(file)));
    }
    if differ(run.corpus.as_ref(), origin.corpus_sha256()) {
        which.push(Mismatch::Corpus);
    }
    which
}

impl Difference {
    /// The largest difference of the figure and the ends of its interval, over the largest of the figure's size, its
    /// interval's width and 0.02: a figure near 0 is known only as well as its interval is narrow. Infinite where it is not there.
    pub fn relative(&self) -> f64 {
        let Some(here) = &self.here else { return f64::INFINITY };
        if self.link.bounds.is_some() != here.bounds.is_some() {
            return f64::INFINITY;
        }
        let width = |figure: &Figure| figure.bounds.map_or(0.0, |(low, high)| high - low);
        let scale =
            [self.link.value.abs(), here.value.abs(), width(&self.link), width(here)].into_iter().fold(SMALL, f64::max);
        let apart = self.link.numbers().zip(here.numbers()).map(|(link, here)| (link - here).abs()).fold(0.0, f64::max);
        apart / scale
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Settings => write!(f, "the settings"),
            Mismatch::Model(file) => write!(f, "the model's {file}"),
            Mismatch::Corpus => write!(f, "the texts"),
            Mismatch::Version { link, here } => write!(f, "the program (version {link} in the link, {here} here)"),
        }
    }
}

/// `disparity: 0.1234 in the link, 0.1235 here`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |figure: &Figure| match figure.bounds {
            Some((low, high)) => format!("{} [{low}, {high}]", figure.value),
            None => figure.value.to_string(),
        };
        let here = self.here.as_ref().map_or("not there".into(), told);
        write!(f, "{}: {} in the link, {here} here", self.link.name, told(&self.link))
    }
}

/// The first line says it, one line for each figure or mismatch follows.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::ReproducedExactly => write!(f, "Reproduced exactly: the digests of the reports are equal."),
            Verdict::WithinTolerance { largest } => {
                write!(
                    f,
                    "Reproduced within the tolerance for figures outside exact mode: the largest relative difference is {largest:.1e}."
                )
            }
            Verdict::Differs { figures } if figures.is_empty() => {
                write!(f, "Differs: the figures of the link are here again, but not all others of its report.")
            }
            Verdict::Differs { figures } => {
                write!(f, "Differs:")?;
                figures.iter().try_for_each(|figure| write!(f, "\n{figure}"))
            }
            Verdict::CannotCompare { which } => {
                let which: Vec<String> = which.iter().map(Mismatch::to_string).collect();
                write!(f, "Cannot be compared: {} are not those of the link.", which.join(", "))
            }
        }
    }
}
