//! A one-page fairness report of any run, for people who decide: who loses how much, at which width, with what, and the
//! checklist of document 004, section 7, as far as the run has its figures; where it has not, that is said.

mod checklist;
mod page;

use crate::report::{format, rows::Rows};
use crate::{
    lab::{
        Report,
        facts::{self, Facts},
        origin::Whence,
    },
    math::statistics::Interval,
};
use page::{Block, Page};

/// As Markdown. `link` leads to the run.
pub fn markdown(report: &Report, link: Option<&str>) -> String {
    page(report, link).markdown()
}

/// As one HTML file that needs nothing else and prints on a page.
pub fn html(report: &Report, link: Option<&str>) -> String {
    page(report, link).html()
}

fn page(report: &Report, link: Option<&str>) -> Page {
    let (facts, origin) = (Facts::of(report), report.origin());
    let mut blocks = vec![
        Block::Text(format!("{}, {}.", facts.question, facts.bits)),
        Block::Text(format!("Strategy: {}.", facts.strategy)),
        Block::Heading("Losses per language"),
    ];
    blocks.extend(losses(&facts));
    blocks.push(Block::Heading("Layers"));
    blocks.extend(layers(&facts));
    blocks.push(Block::Heading("Checklist (document 004, section 7)"));
    blocks.push(Block::List(checklist::items(&facts)));
    blocks.push(Block::Heading("Where this is from"));
    blocks.push(Block::Text(match origin {
        Whence::Model(origin) => crate::lab::provenance(origin),
        Whence::Made(made) => crate::lab::made(made),
    }));
    blocks.push(match link {
        Some(link) => Block::Link("This link runs it again and compares:", link.into()),
        None => Block::Text("No link was made of this report.".into()),
    });
    let of = origin.model().map_or("no one model", |origin| &origin.model);
    Page { title: format!("Fairness report: {of}"), blocks }
}

fn losses(facts: &Facts) -> Vec<Block> {
    if facts.losses.is_empty() {
        return vec![Block::Text("This run measured no loss of a language. The Languages analysis does.".into())];
    }
    let mut losses: Vec<_> = facts.losses.iter().collect();
    losses.sort_by(|a, b| b.degradation.value.total_cmp(&a.degradation.value));
    let parts = |loss: &&facts::Loss| format::interval_parts(&loss.degradation);
    let table = Rows::of("language", losses, |loss| loss.name.clone())
        .column("name", "Language", "English name", |loss| loss.name.clone())
        .column("resource", "Resource", "Third of the trained languages by bytes seen", |loss| loss.resource)
        .column("degradation", "D", "(PPL quantized − PPL full) ÷ PPL full", |loss| parts(loss).0)
        .column("interval", "95% interval", "Of D", |loss| parts(loss).1)
        .table();
    let over_all = vec![
        told("Disparity, largest D − smallest D", facts.disparity, "fewer than two languages that the model has seen"),
        told("Mean D of low- ÷ high-resource languages", facts.ratio, "this run does not give it"),
    ];
    vec![Block::Table(table), Block::List(over_all)]
}

fn told(what: &str, figure: Option<Interval>, otherwise: &str) -> String {
    figure.map_or_else(|| format!("{what}: none; {otherwise}."), |of| format!("{what}: {}.", format::interval(&of)))
}

fn layers(facts: &Facts) -> Vec<Block> {
    let Some(kurtosis) = &facts.kurtosis else {
        return vec![Block::Text("This run did not look at the layers' weights. The Weights analysis does.".into())];
    };
    let all: Vec<String> = kurtosis
        .iter()
        .enumerate()
        .map(|(layer, kurtosis)| format!("{layer}: {}", format::figure(*kurtosis)))
        .collect();
    let outliers = facts.outliers();
    let named: Vec<String> = outliers.iter().map(usize::to_string).collect();
    let named = if named.is_empty() { "none".into() } else { named.join(", ") };
    vec![Block::List(vec![
        format!("Excess kurtosis κ of each layer: {}.", all.join("; ")),
        format!("Outlier layers, κ above {}: {named}.", format::figure(facts.threshold)),
    ])]
}

#[cfg(test)]
mod tests;
