//! Every table of every analysis.

use std::fs;

use fairbits::{
    lab::{
        Kind, Report, activation, causes, clipping, dial, family, gateway, languages, matrix, mitigation, redundancy,
        representation, screening, statistics, sweep, tokens, weights,
    },
    report::{card, scope::Scope, table::Table},
};
use ui::tests_made::TestsMade;

use super::{reports, root};

/// Each with its name. An analysis that is not here does not compile.
fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    match report {
        Report::Languages(of) => vec![
            ("languages", languages::table(of)),
            ("measures", languages::measures_table(of)),
            ("shifts", languages::shifts_table(of)),
            ("card", card::table(&[])),
        ],
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
            let entries = [screening::ModelEntry::of(of, false), screening::ModelEntry::of(of, true)];
            vec![
                ("languages", screening::languages_table(of)),
                ("layers", screening::layers_table(of)),
                ("verdicts", screening::verdict_table(of)),
                ("models", screening::models_table(&entries)),
                ("across", screening::across_table(&entries, of.config.light, of.config.heavy)),
            ]
        }
        Report::Statistics(of) => {
            let mut ledger = TestsMade::default();
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

/// Tables that an analysis declares, as they are called.
fn declared(kind: Kind) -> Vec<String> {
    let folder = root().join("src/lab").join(kind.name());
    let report = fs::read_dir(folder.join("report")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let sources = report.chain([folder.join("report.rs")]).filter_map(|file| fs::read_to_string(file).ok());
    let source = sources.collect::<Vec<String>>().join("\n");
    let names = source.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('(').next());
    names.filter(|name| name.ends_with("table")).map(|name| format!("{}::{name}(", kind.name())).collect()
}

#[test]
fn every_table_is_walked() {
    for table in Kind::ALL.iter().flat_map(|kind| declared(*kind)) {
        assert!(include_str!("tables.rs").contains(&table), "{table} is not among those that are checked");
    }
}

/// Law: whoever reads a file of the lab finds each of its columns by a name that is its own, and the same as ever.
/// To write the names anew: `FAIRBITS_TABLES=write cargo test --test share columns`.
#[test]
fn columns_have_names_of_their_own_that_stay() {
    let mut told = String::new();
    for report in reports() {
        for (name, table) in tables(report) {
            let (kind, csv) = (report.kind().name(), table.csv());
            let names = csv.lines().next().unwrap();
            let all: Vec<&str> = names.split(',').collect();
            assert!(all.iter().enumerate().all(|(at, name)| !all[..at].contains(name)), "{kind}, {name}: {names}");
            assert!(table.columns.iter().all(|column| column.cells.len() == table.keys.len()), "{kind}, {name}");
            told += &format!("{kind}, {name}: {names}\n");
        }
    }
    let path = root().join("tests/fixtures/tables.txt");
    if std::env::var("FAIRBITS_TABLES").is_ok() {
        fs::write(&path, &told).unwrap();
    }
    assert!(
        told == fs::read_to_string(path).unwrap(),
        "columns are named otherwise than tests/fixtures/tables.txt has it"
    );
}
