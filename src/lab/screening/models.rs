//! Several models side by side: what a screening leaves of each, and what they say together of P4 and M1 (document 004, sections 3.1
//! and 5.4).

use serde::{Deserialize, Serialize};

use super::{Mix, Report};
use crate::{
    arch::design::Design,
    lab::verdict::{Ruling, told},
    math::{
        clipping::Rule,
        correlation::spearman,
        quantizer::{Bits, Granularity},
        statistics::Interval,
    },
};

/// P4's bounds of r.
const HEAVY_R: f64 = -0.5;
const LIGHT_R: f64 = 0.3;

/// How heavy a model's tails are, by its largest κ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tails {
    /// Below the lower bound.
    Light,
    /// Between the bounds.
    Between,
    /// Above the upper bound.
    Heavy,
}

impl Tails {
    /// By the largest κ.
    pub fn of(max_kurtosis: f64, light: f64, heavy: f64) -> Tails {
        match max_kurtosis {
            kappa if kappa < light => Tails::Light,
            kappa if kappa > heavy => Tails::Heavy,
            _ => Tails::Between,
        }
    }
}

/// P4 for one model; none where it says nothing.
pub(super) fn usage_as_claimed(tails: Tails, r: &Interval) -> Option<Ruling> {
    match tails {
        Tails::Heavy => Some(Ruling::below(r, HEAVY_R)),
        Tails::Light => Some(Ruling::below(r, LIGHT_R).and(Ruling::above(r, -LIGHT_R))),
        Tails::Between => None,
    }
}

/// What was asked of a model: only what was asked alike is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Folder of the corpus.
    pub corpus: String,
    /// Texts of each language.
    pub units: usize,
    /// Bit-width.
    pub bits: Bits,
    /// Clipping rule.
    pub rule: Rule,
    /// How many weights share a threshold.
    pub granularity: Granularity,
}

/// A screened model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Its name.
    pub model: String,
    /// SHA-256 of its checkpoint.
    pub sha256: String,
    /// What it was computed on.
    pub backend: String,
    /// Whether the report came from a file, and nothing was computed here.
    pub from_file: bool,
    /// What was asked.
    pub setting: Setting,
    /// Seen languages that the figures are over.
    pub languages: usize,
    /// Its design.
    pub traits: Design,
    /// What it was trained on.
    pub mix: Option<Mix>,
    /// Largest κ of a layer.
    pub max_kurtosis: f64,
    /// Var of ā_outlier over languages.
    pub variance: Option<Interval>,
    /// max D − min D.
    pub disparity: Option<Interval>,
    /// The same less what noise adds.
    pub disparity_corrected: Option<Interval>,
    /// r(ā_outlier, D).
    pub r: Option<Interval>,
}

impl ModelEntry {
    /// Of a report.
    pub fn of(report: &Report, from_file: bool) -> ModelEntry {
        let config = &report.config;
        ModelEntry {
            model: report.origin.model.clone(),
            sha256: report.origin.files.model_sha256.clone(),
            backend: report.origin.backend.clone(),
            from_file,
            setting: Setting {
                corpus: config.texts.corpus.clone(),
                units: config.texts.units,
                bits: config.quantizer.bits,
                rule: config.quantizer.rule,
                granularity: config.quantizer.granularity,
            },
            languages: report.rows.iter().filter(|row| row.language.counts()).count(),
            traits: report.traits.clone(),
            mix: report.mix,
            max_kurtosis: report.max_kurtosis,
            variance: report.variance,
            disparity: report.disparity,
            disparity_corrected: report.disparity_corrected,
            r: report.correlation.map(|of| of.pearson),
        }
    }

    /// Whether the other is of the same model, asked the same.
    pub fn same(&self, other: &ModelEntry) -> bool {
        self.sha256 == other.sha256 && self.setting == other.setting
    }
}

/// A claim over several models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// max κ decides how strongly usage and loss go together.
    P4,
    /// The larger max κ, the larger the disparity.
    M1,
}

impl Claim {
    /// Both.
    pub const ALL: [Claim; 2] = [Claim::P4, Claim::M1];

    /// The rule by which models decide it together.
    pub fn rule(self) -> &'static str {
        match self {
            Claim::P4 => {
                "Over models that were asked the same: supported if at least one has heavy and one light tails, r(ā_outlier, D) of \
                 every model of heavy tails surely lies below −0.5, and of every model of light tails within ±0.3. Not supported if \
                 one surely does not."
            }
            Claim::M1 => {
                "Over models that were asked the same, light tails, those between the bounds, and heavy ones: supported if every \
                 model has surely more disparity (corrected for noise) than every one of a lighter class, their intervals not \
                 touching. Not supported if one has surely less."
            }
        }
    }
}

/// What the models say of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Which.
    pub claim: Claim,
    /// How it fares.
    pub ruling: Ruling,
    /// The figures that decide, as a sentence.
    pub because: String,
}

/// The setting under which most models were screened, of equals the last; with one entry per model, the last of each.
pub fn comparable(entries: &[ModelEntry]) -> Option<(&Setting, Vec<&ModelEntry>)> {
    let of_setting = |setting: &Setting| {
        let mut kept: Vec<&ModelEntry> = Vec::new();
        for entry in entries.iter().rev().filter(|entry| entry.setting == *setting) {
            if !kept.iter().any(|known| known.sha256 == entry.sha256) {
                kept.push(entry);
            }
        }
        kept.sort_by(|a, b| a.max_kurtosis.total_cmp(&b.max_kurtosis));
        kept
    };
    let all = entries.iter().map(|entry| (&entry.setting, of_setting(&entry.setting)));
    all.max_by_key(|(_, kept)| kept.len())
}

/// Both claims over all models that can be compared, by the bounds of light and heavy tails.
pub fn across(entries: &[ModelEntry], light: f64, heavy: f64) -> Vec<Verdict> {
    let models = comparable(entries).map_or_else(Vec::new, |(_, models)| models);
    let tails = |entry: &ModelEntry| Tails::of(entry.max_kurtosis, light, heavy);
    let verdict = |claim: Claim| {
        let (ruling, because) = match claim {
            Claim::P4 => usage_goes_with_loss(&models, tails),
            Claim::M1 => disparity_follows_tails(&models, tails),
        };
        Verdict { claim, ruling, because }
    };
    Claim::ALL.map(verdict).to_vec()
}

fn usage_goes_with_loss(models: &[&ModelEntry], tails: impl Fn(&ModelEntry) -> Tails) -> (Ruling, String) {
    let (mut ruling, mut said, mut classes) = (Ruling::Supported, Vec::new(), Vec::new());
    for entry in models {
        let Some((r, own)) = entry.r.and_then(|r| Some((r, usage_as_claimed(tails(entry), &r)?))) else { continue };
        ruling = ruling.and(own);
        classes.push(tails(entry));
        said.push(format!("{}: max κ {:.1}, r {}", entry.model, entry.max_kurtosis, told(&r)));
    }
    let both = classes.contains(&Tails::Light) && classes.contains(&Tails::Heavy);
    match (said.is_empty(), both) {
        (true, _) => (Ruling::Undecided, "no model has light or heavy tails and an r".into()),
        (false, true) => (ruling, said.join("; ")),
        (false, false) => {
            let one_sided = if ruling == Ruling::NotSupported { ruling } else { Ruling::Undecided };
            (one_sided, format!("{}; only one of light and heavy tails is there", said.join("; ")))
        }
    }
}

fn disparity_follows_tails(models: &[&ModelEntry], tails: impl Fn(&ModelEntry) -> Tails) -> (Ruling, String) {
    let known: Vec<(&ModelEntry, Interval)> =
        models.iter().filter_map(|entry| Some((*entry, entry.disparity_corrected?))).collect();
    let said: Vec<String> = known
        .iter()
        .map(|(entry, disparity)| {
            format!("{}: max κ {:.1}, disparity {}", entry.model, entry.max_kurtosis, told(disparity))
        })
        .collect();
    let (mut ruling, mut pairs) = (Ruling::Supported, 0);
    for (heavier, more) in &known {
        for (_, less) in known.iter().filter(|(lighter, _)| tails(lighter) < tails(heavier)) {
            let own = match () {
                () if more.low > less.high => Ruling::Supported,
                () if more.high < less.low => Ruling::NotSupported,
                () => Ruling::Undecided,
            };
            ruling = ruling.and(own);
            pairs += 1;
        }
    }
    if pairs == 0 {
        let why = "there are no two models of different classes of tails with a disparity";
        let said: Vec<String> = said.into_iter().chain([why.into()]).collect();
        return (Ruling::Undecided, said.join("; "));
    }
    let (x, y): (Vec<f64>, Vec<f64>) = known.iter().map(|(entry, of)| (entry.max_kurtosis, of.value)).unzip();
    let order = spearman(&x, &y).map_or(String::new(), |rho| {
        format!("; rank correlation of max κ and disparity ρ = {rho:.2} over {} models", x.len())
    });
    (ruling, format!("{}{}", said.join("; "), order.replace('-', "−")))
}

#[cfg(test)]
pub(crate) mod tests;
