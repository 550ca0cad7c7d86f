//! Every table of every analysis.

use std::{collections::BTreeSet, fs};

use fairbits::{
    lab::{
        Config, Report, activation, causes, clipping, dial, family, gateway, languages, matrix, mitigation, redundancy,
        representation, screening, statistics, sweep, tokens, weights,
    },
    math::{clipping::Rule, quantizer::Bits},
    report::{
        card,
        scope::Scope,
        table::{Cell, Table},
    },
};
use sha2::{Digest, Sha256};
use ui::ledger::Ledger;

use super::{reports, root, run, small};

/// Each with its name. An analysis that is not here does not compile.
fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    match report {
        Report::Languages(of) => vec![("languages", languages::table(of))],
        Report::Sweep(of) => vec![
            ("degradation", sweep::degradation_table(of, of.config.rules[0])),
            ("widths", sweep::widths_table(of)),
            ("slopes", sweep::slopes_table(of)),
            ("critical", sweep::critical_table(of)),
            ("verdicts", sweep::verdict_table(of)),
        ],
        Report::Tokens(of) => vec![("languages", tokens::table(of)), ("tokens", tokens::tokens_table(of))],
        Report::Weights(of) => {
            let summaries: Vec<_> = of.layers.iter().map(|layer| Some(layer.spread.summary)).collect();
            vec![
                ("weights", weights::table(of, of.config.threshold)),
                ("histogram", weights::histogram_table(of, Scope::Layer(1))),
                ("layers as they came in", card::layers_table(&summaries)),
            ]
        }
        Report::Matrix(of) => vec![("cells", matrix::table(of)), ("codes", matrix::codes_table(of))],
        Report::Clipping(of) => vec![
            ("curve", clipping::curve_table(of, Scope::Model)),
            ("rules", clipping::rules_table(of, Scope::Model)),
            ("losses", clipping::losses_table(of).expect("asked for")),
            ("fit", clipping::fit_table(of)),
            ("languages", clipping::languages_table(of)),
            ("effective", clipping::effective_table(of)),
        ],
        Report::Activation(of) => vec![
            ("heat", activation::heat_table(of)),
            ("languages", activation::languages_table(of)),
            ("layers", activation::layers_table(of)),
            ("scatter", activation::scatter_table(of, activation::Pair::TokensReliance)),
            ("correlations", activation::correlations_table(of)),
        ],
        Report::Redundancy(of) => {
            let pick = redundancy::Pick::all().next().expect("a pick");
            vec![
                ("languages", redundancy::languages_table(of)),
                ("layers", redundancy::layers_table(of)),
                ("relations", redundancy::relations_table(of)),
                ("ratios", redundancy::ratios_table(of)),
                ("verdicts", redundancy::verdict_table(of)),
                ("chart", redundancy::chart_table(of, pick)),
            ]
        }
        Report::Representation(of) => vec![
            ("languages", representation::languages_table(of)),
            ("heat", representation::heat_table(of)),
            ("probes", representation::probes_table(of)),
            ("entropy", representation::entropy_table(of)),
            ("verdicts", representation::verdict_table(of)),
        ],
        Report::Dial(of) => vec![
            ("degradation", dial::degradation_table(of, dial::Pick::all(of)[0])),
            ("disparity", dial::disparity_table(of, of.config.bits[0])),
            ("points", dial::points_table(of)),
            ("verdicts", dial::verdict_table(of)),
        ],
        Report::Mitigation(of) => vec![
            ("methods", mitigation::table(of)),
            ("heat", mitigation::heat_table(of)),
            ("confusion", mitigation::confusion_table(of)),
        ],
        Report::Gateway(of) => {
            let size = gateway::first_size(of).expect("a size");
            vec![
                ("ranking", gateway::ranking_table(of, size, None)),
                ("ranking with layer 1", gateway::ranking_table(of, size, Some(1))),
                ("pairs", gateway::pairs_table(of, size)),
                ("top", gateway::top_table(of, size)),
                ("everything", gateway::everything_table(of)),
                ("sweeps", gateway::sweep_table(of)),
                ("interactions", gateway::interactions_table(of)),
                ("layers", gateway::layers_table(of)),
                ("picks", gateway::picks_table(of, size)),
                ("verdicts", gateway::verdict_table(of)),
            ]
        }
        Report::Causes(of) => vec![
            ("languages", causes::table(of)),
            ("paths", causes::paths_table(of)),
            ("scatter", causes::scatter_table(of, causes::Pair::AlignmentLoss)),
            ("intervene", causes::intervene_table(of, &causes::Scm::SEED)),
            ("verdicts", causes::verdict_table(of)),
        ],
        Report::Family(of) => vec![
            ("languages", family::table(of)),
            ("over all", family::over_all_table(of)),
            ("verdicts", family::verdict_table(of)),
        ],
        Report::Screening(of) => {
            let entries = [screening::Entry::of(of, false), screening::Entry::of(of, true)];
            vec![
                ("languages", screening::languages_table(of)),
                ("layers", screening::layers_table(of)),
                ("verdicts", screening::verdict_table(of)),
                ("models", screening::models_table(&entries)),
                ("across", screening::across_table(&entries, of.config.light, of.config.heavy)),
            ]
        }
        Report::Statistics(of) => {
            let mut ledger = Ledger::default();
            ledger.take(1, report);
            vec![
                ("pairs", statistics::pairs_table(of)),
                ("scatter", statistics::scatter_table(of, &of.pairs[0])),
                ("influence", statistics::influence_table(of, &of.pairs[0])),
                ("contrasts", statistics::contrasts_table(of)),
                ("tests", statistics::tests_table(of)),
                ("columns", statistics::columns_table(of)),
                ("power", statistics::power_table(of)),
                ("verdicts", statistics::verdict_table(of)),
                ("ledger", ledger.table()),
            ]
        }
    }
}

/// Of more languages, one unseen, and with all that the small ones leave out.
fn wide() -> Vec<Report> {
    let texts = languages::Config {
        languages: ["eng", "rus", "deu", "kor", "fin", "ell", "tha"].map(String::from).to_vec(),
        ..small::texts()
    };
    let mut configs: Vec<Config> = small::configs();
    configs.retain(|config| matches!(config, Config::Clipping(_) | Config::Dial(_) | Config::Mitigation(_)));
    configs.extend([
        Config::from(small::causes(texts.clone())),
        small::redundancy(texts.clone()).into(),
        small::representation(texts.clone()).into(),
        small::screening(texts.clone()).into(),
        small::sweep(texts.clone()).into(),
        small::gateway(small::texts()).into(),
    ]);
    for config in &mut configs {
        match config {
            Config::Clipping(of) => of.languages = texts.languages.clone(),
            Config::Dial(of) => {
                (of.languages, of.flatten, of.rules) =
                    (texts.languages.clone(), true, vec![Rule::Absmax, Rule::Optimal]);
            }
            Config::Mitigation(of) => {
                (of.languages, of.methods) = (texts.languages.clone(), mitigation::Method::ALL.to_vec())
            }
            Config::Sweep(of) => (of.bits, of.rules) = (Bits::ALL.to_vec(), vec![Rule::Absmax, Rule::Optimal]),
            Config::Gateway(of) => (of.budgets, of.sweeps, of.others) = (vec![2], true, true),
            _ => {}
        }
        if let Config::Mitigation(of) = config {
            of.methods.retain(|method| *method != mitigation::Method::Own);
        }
    }
    configs.iter().map(run).collect()
}

/// All that a page or a file can show of a table.
fn written(table: &Table) -> String {
    let mut lines = vec![table.of.to_string()];
    for column in &table.columns {
        lines.push(format!("{}|{}|{}|{}", column.key, column.title, column.explained, column.with_interval));
    }
    for (at, key) in table.keys.iter().enumerate() {
        let cells: Vec<&Cell> = table.columns.iter().map(|column| &column.cells[at]).collect();
        lines.push(format!("{key}|{cells:?}"));
    }
    lines.push(table.csv());
    lines.join("\n")
}

/// To write it anew: `FAIRBITS_TABLES=write cargo test --test share tables`.
#[test]
fn tables_are_as_they_were() {
    let mut lines = Vec::new();
    let wide = wide();
    let card = serde_json::from_str(&fs::read_to_string(root().join("public/models/skew-skew/card.json")).unwrap());
    let card = ("card", "languages", card::table(&card::rows(&card.unwrap(), &[])));
    let all = reports()
        .iter()
        .chain(&wide)
        .flat_map(|report| tables(report).into_iter().map(|(name, table)| (report.kind().name(), name, table)));
    for (kind, name, table) in all.chain([card]) {
        let written = written(&table);
        let digest =
            Sha256::digest(written.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
        lines.push(format!("{kind} {name}: {digest} {}", table.keys.len()));
    }
    let (path, told) = (root().join("tests/fixtures/tables.txt"), lines.join("\n") + "\n");
    if std::env::var("FAIRBITS_TABLES").is_ok() {
        fs::write(&path, &told).unwrap();
    }
    let kept = fs::read_to_string(path).unwrap();
    let wrong: BTreeSet<&str> = told.lines().filter(|line| !kept.lines().any(|other| other == *line)).collect();
    assert!(wrong.is_empty() && kept.len() == told.len(), "{wrong:#?}");
}
