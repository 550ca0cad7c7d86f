//! The page.
//!
//! It sees the engine through [`crate::protocol`] and a report through [`crate::report`], never weights. What needs no
//! browser (routes, choices, time left) is compiled and tested everywhere; the rest is for the browser only.
//!
//! # Names that tests may rely on
//!
//! | selector | holds |
//! |---|---|
//! | `#status` | backend in use, why, and the number of workers; `data-state` is `starting`, `ready`, `late` or `stopped` |
//! | `#asking`, `#allow`, `#allow-not`, `#allowed` | a host that the page may not fetch from yet; those it may, with a button each |
//! | `#error` | one sentence (`role=alert`), empty while nothing failed; `#retry` and `#dismiss` stand beside it |
//! | `#notice` | a sentence about a restart of the engine; `#restart` beside it where the engine has fallen silent |
//! | `#kept` | whether the page works without a network; `data-state` is `nothing`, `all` or `newer`; `#newer` takes a new version |
//! | `#model` | the model panel; `data-state` is `none`, `loading`, `loaded` or `failed` |
//! | `#model-picker`, `#model-url`, `#hub`, `#model-load`, `#load-cancel`, `#commit` | choice of a model, one typed in, the hub's address, Load, Cancel, a hub's commit |
//! | `#preview`, `#load-whole`, `#load-packed`, `#load-weights`, `#load-not`, `#evict`, `#make-room`, `#looked-through`, `#held-packed`, `#preview-no-tokenizer`, `#no-tokenizer` | a model before it is loaded: what it is, the ways to load it, room to keep it; that it was looked through, or is held packed, or has no tokenizer |
//! | `#folder`, `#files`, `#drop`, `#kept-models` | files of this device; models that are kept in this browser |
//! | `#load-progress`, `#load-progress-text` | progress bar and words of a load |
//! | `#layers td[data-layer=N][data-figure=kurtosis \| sigma \| beyond_3 \| beyond_6]` | a layer, empty until a tensor is in |
//! | `input[name=corpus][value=…]` | corpus |
//! | `input[name=language][value=<code>]` | a language; `#languages-trained`, `#languages-none` choose many |
//! | `#units`, `#resamples`, `#seed` | numbers |
//! | `input[name=bits][value=2…8]`, `#rule`, `#granularity` | quantization |
//! | `#run`, `#cancel`, `#progress`, `#progress-text`, `#run-hint` | a run |
//! | `nav a[data-state=done \| stale \| running \| queued]`, `#way`, `#rerun-all`, `#resume`, `#clear-queue` | how each page stands; what runs, waits and is stale |
//! | `#stale`, `#rerun`, `#notify`, `#forget-settings` | a result that no longer fits what is chosen; a word at the end of a run; kept settings |
//! | `#quick`, with `input[name=quick-bits]` | the result is a quick look: the page takes it by itself, and anew after a change |
//! | `#result` | there is a report; `data-run` is its number |
//! | `#sentence`, `#caution`, `#disagreement`, `#measure`, `#key-figures [data-figure=ratio \| spread \| disparity \| mean_high \| mean_low \| size]` | result on top |
//! | `#measures-table`, `#shifts-table` | every measure over all languages; how the right token's probability changes |
//! | `#chart [data-key=<code>]` | a point of the chart; `#chart-readout` says what is under the pointer or in focus |
//! | `#table th[data-figure]`, `tr[data-language]`, `td[data-figure=degradation]`, … | the table; keys as in the CSV |
//! | `#<chart> [data-key]`, `#<chart>-readout`, `#<chart>-svg`, `#<chart>-csv` | `heat` and `histogram` of `#/weights`; `curve`, `heat` and `fit` of `#/clipping` |
//! | `#threshold`, `#metric`, `#scope`, `#part`, `#reference`, `#losses` | choices of these pages; `#scope` takes `model`, `layer-2`, `layer-2-qkv`, … |
//! | `#table`, `#rules`, `#losses-table` with `tr[data-row]`, `td[data-figure][data-value]` | their tables |
//! | `#/dial`: `#furthest`, `#stops`, `#channels`, `#layers-choice`, `#listed`, `input[name=joints]`, `#channel-seed`, `#flatten`, `input[name=bits]`, `input[name=rules]`, `#permutations` | choices of the dial |
//! | `#/dial`: `#proof` (`data-holds`), `#pick`, `#width`, charts `losses` and `disparity`, tables `table`, `disparity-table`, `points`, `verdicts` | its result |
//! | `#/gateway`: `#protects`, `#rounded-table`, `input[name=budgets]`, `#every`, `#sweeps`, `#others` | choices of the search |
//! | `#/gateway`: `#result[data-state=partial \| whole]`, `#size`, `#holds`, `#least`, `#within`, charts `pairs`, `top`, `front`, `only`, `all-but`, `interactions`, tables `table`, `top-table`, `sweeps-table`, `picks`, `verdicts`, `layers-table` | its result, also before the search is at its end |
//! | `#/statistics`: `#data`, `#data-file`, `#data-report`, `#data-fault`, `input[name=columns]`, `#target`, `input[name=given]`, `#group-column`, `#group-first`, `#group-second`, `#family`, `input[name=ledger]`, `#alpha`, `#rho`, `#pairs`, `#wanted` | choices of the bench |
//! | `#/statistics`: `#pair`, charts `coefficients`, `scatter`, `influence`, `power`, tables `pairs-table`, `contrasts`, `tests`, `columns-table`, `verdicts`, and `ledger` before any run | its result |
//! | `#/bits`: `input[name=bits]`, `input[name=rules]`, `#rule`, charts `losses`, `mse`, `disparity`, tables `table`, `widths`, `slopes`, `critical`, `verdicts` | the bit sweep |
//! | `#/screening`: `#light`, `#heavy`, `#variance`, `#safe`, `#branch`, `#checklist`, charts `kurtosis`, `scatter`, tables `table`, `layers-table`, `verdicts` | one model |
//! | `#/screening`: `#models`, `#across`, `#comparison`, `#forget`, `#forget-all` | all models that were screened in this browser |
//! | `#/matrix`: `#layer`, `#part`, `#shown`, `#matrix-figures [data-figure]`, `#inside-bits-2…8`, `#whole-matrix`, `#pictures`, `#picture-full \| -quantized \| -difference`, `#pictures-readout`, `#pictures-png`, `#pictures-csv`, chart `codes` | one matrix; on `#/weights` in `#inside`, after a click on `#heat` |
//! | `#/tokens`: `#unit`, `#texts [data-language] .tokens [data-at]`, `#tokens-readout`, `#tokens-csv`, `#unit-before`, `#unit-after`, `#table` | one text, token by token; on `#/` in `#inside`, after a click on `[data-unit]` |
//! | `.term`, `.note-card[role=tooltip]` | a symbol, and its note while it is shown |
//! | `#<chart>-svg`, `#<chart>-png`, `#<chart>-csv`, `#<table>-csv`, `#download-json` | exports |
//! | `#came`, `#share-link`, `#share-copy`, `#share-bare`, `#share-pinned`, `#import` | how a result came about, its link, a saved report |
//! | `#opened` | a link that was opened; `data-state` is `asking`, `waiting`, `running`, `done` or `stopped`; `#open-run`, `#verdict`, `#differences` |
//! | `#report-details`, `pre#report-json` | the report as JSON, once the details are opened |
//! | `#profile tr[data-kernel=<stem>] td[data-figure=milliseconds]` | time of a kernel, with `profile=1` in the link |
//! | `#/claims`: `#run-all`, `#queue`, `#tally`, `#claim-<id>[data-ruling=open \| supported \| not-supported \| undecided]` | the claims |
//! | `#/workshop`: `#stand`, `#prediction input`, `#run`, `#found`, `#finding`, `#agrees`, `#teacher` | an exercise |
//! | `pre#bench` | the Bench page's result as JSON, empty until there is one |

pub mod chosen;
pub mod claim_choices;
pub mod consent;
pub mod cost_estimate;
pub mod eta;
pub mod exercise_choices;
pub mod freshness;
pub mod pages;
pub mod queue;
pub mod quick;
pub mod route;
pub mod sheet;
pub mod tests_made;

#[cfg(target_arch = "wasm32")]
mod answers;
#[cfg(target_arch = "wasm32")]
pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(target_arch = "wasm32")]
pub mod client;
#[cfg(target_arch = "wasm32")]
pub mod components;
#[cfg(target_arch = "wasm32")]
mod dropped;
#[cfg(target_arch = "wasm32")]
mod engine_state;
#[cfg(target_arch = "wasm32")]
pub mod links;
#[cfg(target_arch = "wasm32")]
pub mod models;
#[cfg(target_arch = "wasm32")]
pub mod notifications;
#[cfg(target_arch = "wasm32")]
pub mod offline;
#[cfg(target_arch = "wasm32")]
pub mod settings;
#[cfg(target_arch = "wasm32")]
pub mod state;
#[cfg(target_arch = "wasm32")]
pub mod store;

#[cfg(target_arch = "wasm32")]
use fairbits::fairness;
use fairbits::{claims, lab, protocol, report, share, workshop};
