//! The Clipping report: MSE(α) with every rule, the fit of f(κ, B), and Theorem 2 per language.

use super::chart::heat::{HeatCell, HeatMap, HeatRow};
use super::chart::lines::{Curve, Dot, LineChart, Stop};
use super::chart::look::{Shape, Stroke};
use super::chart::plane::{Axis, Growth};
use super::scope::Scope;
use super::table::{Cell, Column, Head, Table};
use super::{Bits, Part, Resource, Rule, format, words};
use crate::analysis::clipping::{Error, Tensor, log_kurtosis};
use crate::analysis::lab::Step;
use crate::analysis::language_clipping::{Effective, Language};
use crate::math::clipping::kurtosis_factor;

pub use crate::analysis::clipping::{Config, Report};

/// A rule over several tensors: means by number of weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The rule.
    pub rule: Rule,
    /// α/σ.
    pub alpha_over_sigma: f64,
    /// MSE/σ² in its parts.
    pub error: Error,
}

fn mean<'a>(tensors: impl Iterator<Item = &'a Tensor> + Clone, of: impl Fn(&Tensor) -> f64) -> f64 {
    let weights: f64 = tensors.clone().map(|tensor| tensor.n as f64).sum();
    tensors.map(|tensor| tensor.n as f64 * of(tensor)).sum::<f64>() / weights.max(1.0)
}

fn inside(report: &Report, scope: Scope) -> impl Iterator<Item = &Tensor> + Clone {
    report.tensors.iter().filter(move |tensor| scope.holds(tensor.layer, tensor.part))
}

/// MSE/σ² at each of the report's places, over the matrices of a scope.
pub fn curve(report: &Report, scope: Scope) -> Vec<Error> {
    let part = |at: usize, of: fn(&Error) -> f64| mean(inside(report, scope), |tensor| of(&tensor.curve[at]));
    (0..report.places.len())
        .map(|at| Error { clipping: part(at, |error| error.clipping), rounding: part(at, |error| error.rounding) })
        .collect()
}

/// What every rule chooses and costs over the matrices of a scope, each matrix with its own α.
pub fn costs(report: &Report, scope: Scope) -> Vec<Cost> {
    let cost = |rule: Rule| {
        let of = |figure: fn(&crate::analysis::clipping::Choice) -> f64| {
            mean(inside(report, scope), |tensor| figure(tensor.choice(rule)))
        };
        Cost {
            rule,
            alpha_over_sigma: of(|choice| choice.alpha_over_sigma),
            error: Error { clipping: of(|c| c.error.clipping), rounding: of(|c| c.error.rounding) },
        }
    };
    Rule::ALL.map(cost).to_vec()
}

fn look(rule: Rule) -> (Shape, Stroke) {
    match rule {
        Rule::Absmax => (Shape::Square, Stroke::Ink),
        Rule::AciqGaussian => (Shape::Disc, Stroke::Third),
        Rule::AciqLaplace => (Shape::Triangle, Stroke::Third),
        Rule::Kurtosis => (Shape::Ring, Stroke::Ink),
        Rule::Optimal => (Shape::Diamond, Stroke::Ink),
    }
}

/// Figures below the least total error by more than this factor are not drawn: they add nothing to it.
const DEPTH: f64 = 300.0;

/// MSE(α) of a scope, split into its parts, with every rule marked.
pub fn chart(report: &Report, scope: Scope) -> LineChart {
    let (errors, costs) = (curve(report, scope), costs(report, scope));
    let totals = || errors.iter().map(Error::total).chain(costs.iter().map(|cost| cost.error.total()));
    let (least, most) = totals().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), total| (a.min(total), b.max(total)));
    let line = |label: &str, stroke, dashed, of: fn(&Error) -> f64| Curve {
        label: label.into(),
        stroke,
        dashed,
        points: report.places.iter().zip(&errors).map(|(place, error)| (*place, of(error))).collect(),
    };
    let parts = |error: &Error| {
        format!(
            "{} in all, of it {} clipping and {} rounding",
            format::small(error.total()),
            format::small(error.clipping),
            format::small(error.rounding)
        )
    };
    let stop = |(at, (place, error)): (usize, (&f64, &Error))| Stop {
        key: format!("place-{at}"),
        told: format!("α = {}σ: error over σ² {}", format::figure(*place), parts(error)),
        x: *place,
    };
    let dot = |cost: &Cost| Dot {
        key: words::rule_key(cost.rule).into(),
        label: words::rule(cost.rule).into(),
        told: format!(
            "{}: α = {}σ, error over σ² {}",
            words::rule(cost.rule),
            format::figure(cost.alpha_over_sigma),
            parts(&cost.error)
        ),
        look: look(cost.rule),
        at: (cost.alpha_over_sigma, cost.error.total()),
        dropped: true,
    };
    let places = (report.places[0], report.places[report.places.len() - 1]);
    let bits = report.config.bits.get();
    let title = format!("Error of {} at {bits} bits by clipping threshold, {}", report.model, scope.title());
    LineChart {
        description: format!("{title}. {}", sentence(report, scope)),
        title,
        x: Axis::new("clipping threshold α, in σ (logarithmic)", Growth::Logarithmic, places.0, places.1),
        y: Axis::fit("mean squared error ÷ σ² (logarithmic)", Growth::Logarithmic, [least / DEPTH, least, most]),
        curves: vec![
            line("both", Stroke::Ink, false, Error::total),
            line("clipping", Stroke::Second, true, |error| error.clipping),
            line("rounding", Stroke::First, true, |error| error.rounding),
        ],
        dots: costs.iter().map(dot).collect(),
        stops: report.places.iter().zip(&errors).enumerate().map(stop).collect(),
    }
}

/// The curve's figures.
pub fn curve_table(report: &Report, scope: Scope) -> Table {
    let errors = curve(report, scope);
    Table {
        columns: vec![
            Column::plain("alpha_over_sigma", "α/σ", "Clipping threshold in σ"),
            Column::plain("clipping", "Clipping", "Squared error of weights beyond α, over σ²"),
            Column::plain("rounding", "Rounding", "Squared error of the others, over σ²"),
            Column::plain("total", "Both", "Sum of the two"),
        ],
        of: "place",
        keys: (0..errors.len()).map(|at| at.to_string()).collect(),
        apart: Vec::new(),
        rows: report
            .places
            .iter()
            .zip(&errors)
            .map(|(place, error)| [*place, error.clipping, error.rounding, error.total()].map(Cell::Number).to_vec())
            .collect(),
    }
}

/// What every rule costs in a scope; with D(λ)'s disparity where it was measured.
pub fn rules_table(report: &Report, scope: Scope) -> Table {
    let costs = costs(report, scope);
    let best = costs.iter().find(|cost| cost.rule == Rule::Optimal).map_or(0.0, |cost| cost.error.total());
    let mut columns = vec![
        Column::plain("name", "Rule", "How the threshold is chosen"),
        Column::plain("alpha_over_sigma", "α/σ", "Clipping threshold in σ; a mean over matrices"),
        Column::plain("clipping", "Clipping", "Squared error of weights beyond α, over σ²"),
        Column::plain("rounding", "Rounding", "Squared error of the others, over σ²"),
        Column::plain("total", "Both", "Sum of the two"),
        Column::plain("excess", "÷ least", "Error over that of the exact optimum"),
    ];
    if !report.losses.is_empty() {
        columns.push(Column::measured("disparity", "Disparity", "Largest D − smallest D over trained languages"));
    }
    let row = |cost: &Cost| {
        let excess = if best > 0.0 { cost.error.total() / best } else { 1.0 };
        let figures = [cost.alpha_over_sigma, cost.error.clipping, cost.error.rounding, cost.error.total(), excess]
            .map(Cell::Number);
        let mut cells = vec![Cell::Text(words::rule(cost.rule).into())];
        cells.extend(figures);
        if let Some(loss) = report.losses.iter().find(|loss| loss.rule == cost.rule) {
            cells.push(loss.disparity.map_or(Cell::Missing, Cell::Figure));
        }
        cells
    };
    Table {
        columns,
        of: "rule",
        keys: costs.iter().map(|cost| words::rule_key(cost.rule).to_string()).collect(),
        apart: Vec::new(),
        rows: costs.iter().map(row).collect(),
    }
}

/// D(λ) of every language under every rule; none where it was not asked for.
pub fn losses_table(report: &Report) -> Option<Table> {
    let first = report.losses.first()?;
    let mut columns = vec![Column::plain("name", "Language", "English name")];
    columns.extend(report.losses.iter().map(|loss| {
        Column::measured(
            words::rule_key(loss.rule),
            words::rule(loss.rule),
            "D = (PPL after − PPL before) ÷ PPL before",
        )
    }));
    let row = |at: usize| {
        let mut cells = vec![Cell::Text(report.languages[at].name.clone())];
        cells.extend(report.losses.iter().map(|loss| Cell::Figure(loss.degradation[at])));
        cells
    };
    Some(Table {
        columns,
        of: "language",
        keys: report.languages.iter().map(|language| language.code.clone()).collect(),
        apart: report.languages.iter().map(|language| language.resource == Resource::Unseen).collect(),
        rows: (0..first.degradation.len()).map(row).collect(),
    })
}

/// What the rules cost, in a sentence.
pub fn sentence(report: &Report, scope: Scope) -> String {
    let costs = costs(report, scope);
    let (bits, least) = (report.config.bits.get(), costs.iter().find(|cost| cost.rule == Rule::Optimal));
    let Some(least) = least.filter(|least| least.error.total() > 0.0) else {
        return format!("At {bits} bits nothing is lost in {}.", scope.title());
    };
    let times = |cost: &Cost| format::figure(cost.error.total() / least.error.total());
    let others: Vec<String> = costs
        .iter()
        .filter(|cost| cost.rule != Rule::Optimal)
        .map(|cost| {
            format!("{} {} times at {}σ", words::rule(cost.rule), times(cost), format::figure(cost.alpha_over_sigma))
        })
        .collect();
    format!(
        "At {bits} bits the least error in {} is at α = {}σ. Each rule's error against it: {}.",
        scope.title(),
        format::figure(least.alpha_over_sigma),
        others.join("; ")
    )
}

/// The seed's c_B and d_B at a bit-width: 2.5 and 0.3 at four, scaled as the rule scales them elsewhere.
pub fn seed_line(bits: Bits) -> (f64, f64) {
    let c = kurtosis_factor(0.0, bits);
    (c, kurtosis_factor(std::f64::consts::E - 1.0, bits) - c)
}

/// What the fit says, against the seed.
pub fn fit_sentence(report: &Report) -> String {
    let Some(fit) = &report.fit else { return "All matrices have the same κ: no slope can be fitted.".into() };
    let (c, d) = seed_line(report.config.bits);
    let scaled = if report.config.bits.get() == 4 { "the seed's" } else { "the seed's, scaled from 4 bits:" };
    format!(
        "Over {}: α*/σ = c + d·ln(1 + κ) with c = {} and d = {}, residual {}σ (root mean square); {scaled} {} and {} leave {}σ.",
        words::counted_step(Step::Tensors, report.tensors.len()),
        format::interval(&fit.c),
        format::interval(&fit.d),
        format::figure(fit.rms),
        format::figure(c),
        format::figure(d),
        format::figure(fit.seed_rms)
    )
}

/// α*/σ of every matrix against ln(1 + κ), with the fitted line and the seed's.
pub fn fit_chart(report: &Report) -> Option<LineChart> {
    let fit = report.fit.as_ref()?;
    let best = |tensor: &Tensor| tensor.choice(Rule::Optimal).alpha_over_sigma;
    let place = |tensor: &Tensor| (log_kurtosis(tensor.kurtosis), best(tensor));
    let ends: Vec<f64> = report.tensors.iter().map(|tensor| place(tensor).0).collect();
    let x = Axis::fit("ln(1 + κ), no unit", Growth::Linear, ends.iter().copied().chain([0.0]));
    let most = ends.iter().copied().fold(0.0, f64::max);
    let (c, d) = seed_line(report.config.bits);
    let line = |label: String, stroke, dashed, c: f64, d: f64| Curve {
        label,
        stroke,
        dashed,
        points: vec![(0.0, c), (most, c + d * most)],
    };
    let curves = vec![
        line("fit".into(), Stroke::First, false, fit.c.value, fit.d.value),
        line("the seed's f(κ, B)".into(), Stroke::Second, true, c, d),
    ];
    let heights =
        report.tensors.iter().map(best).chain(curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.1)));
    let y = Axis::fit("α*/σ of the exact optimum", Growth::Linear, heights);
    let part_look = |part: Part| match part {
        Part::Qkv => Shape::Disc,
        Part::Out => Shape::Diamond,
        Part::Up => Shape::Square,
        Part::Down => Shape::Triangle,
    };
    let dot = |(tensor, residual): (&Tensor, &f64)| Dot {
        key: Scope::Tensor(tensor.layer, tensor.part).key(),
        label: words::part(tensor.part).into(),
        told: format!(
            "{}: κ {}, α*/σ {}, residual {}",
            Scope::Tensor(tensor.layer, tensor.part).title(),
            format::figure(tensor.kurtosis),
            format::figure(best(tensor)),
            format::figure(*residual)
        ),
        look: (part_look(tensor.part), Stroke::Muted),
        at: place(tensor),
        dropped: false,
    };
    let title = format!("Best threshold by kurtosis, {} at {} bits", report.model, report.config.bits.get());
    Some(LineChart {
        description: format!("{title}. {}", fit_sentence(report)),
        title,
        x,
        y,
        curves,
        dots: report.tensors.iter().zip(&fit.residuals).map(dot).collect(),
        stops: Vec::new(),
    })
}

/// The fit's figures.
pub fn fit_table(report: &Report) -> Table {
    let residuals = report.fit.iter().flat_map(|fit| &fit.residuals).map(|residual| Cell::Number(*residual));
    let residuals = residuals.chain(std::iter::repeat(Cell::Missing));
    Table {
        columns: vec![
            Column::plain("name", "Weights", "Layer and matrix"),
            Column::plain("kurtosis", "κ", "Excess kurtosis"),
            Column::plain("alpha_over_sigma", "α*/σ", "Exact optimum in σ"),
            Column::plain("seed", "f(κ, B)", "What the seed's formula gives"),
            Column::plain("residual", "Residual", "α*/σ less the fitted line"),
        ],
        of: "weights",
        keys: report.tensors.iter().map(|tensor| Scope::Tensor(tensor.layer, tensor.part).key()).collect(),
        apart: Vec::new(),
        rows: report
            .tensors
            .iter()
            .zip(residuals)
            .map(|(tensor, residual)| {
                vec![
                    Cell::Text(Scope::Tensor(tensor.layer, tensor.part).title()),
                    Cell::Number(tensor.kurtosis),
                    Cell::Number(tensor.choice(Rule::Optimal).alpha_over_sigma),
                    Cell::Number(kurtosis_factor(tensor.kurtosis, report.config.bits)),
                    residual,
                ]
            })
            .collect(),
    }
}

/// A language's figure over the matrices of a scope: mean by number of weights.
pub fn effective(report: &Report, language: &Language, scope: Scope, of: impl Fn(&Effective) -> f64) -> f64 {
    let pairs = || report.tensors.iter().zip(&language.tensors).filter(|(t, _)| scope.holds(t.layer, t.part));
    let weights: f64 = pairs().map(|(tensor, _)| tensor.n as f64).sum();
    pairs().map(|(tensor, own)| tensor.n as f64 * of(own)).sum::<f64>() / weights.max(1.0)
}

/// How much more a language loses at the reference's threshold than at its own: error over error, less one.
fn excess(report: &Report, language: &Language, scope: Scope, at: fn(&Effective) -> f64) -> f64 {
    let own = effective(report, language, scope, |of| of.error);
    if own > 0.0 { effective(report, language, scope, at) / own - 1.0 } else { 0.0 }
}

/// Language × layer: α*_ℓ/σ_ℓ of the effective weights, of one part of each block or of the whole.
pub fn heat(report: &Report, part: Option<Part>) -> HeatMap {
    let layers = report.tensors.iter().map(|tensor| tensor.layer + 1).max().unwrap_or(0);
    let cell = |language: &Language, layer: usize| {
        let scope = part.map_or(Scope::Layer(layer), |part| Scope::Tensor(layer, part));
        let figure = |of: fn(&Effective) -> f64| effective(report, language, scope, of);
        let alpha = figure(Effective::alpha_over_sigma);
        HeatCell {
            value: Some(alpha),
            shown: format::fixed(alpha, 2),
            told: format!(
                "{}, {}: α*/σ {} (effective weights), κ {}; at the reference's α {} more error, at its α/σ {} more",
                language.name,
                scope.title(),
                format::figure(alpha),
                format::figure(figure(|of| of.kurtosis)),
                format::percent(excess(report, language, scope, |of| of.error_at_reference)),
                format::percent(excess(report, language, scope, |of| of.error_at_reference_shape))
            ),
            flagged: false,
        }
    };
    let of = part.map_or("all matrices", words::part);
    let title = format!("Best threshold per language, {} at {} bits, {of}", report.model, report.config.bits.get());
    HeatMap {
        description: format!("{title}. {}", languages_sentence(report)),
        title,
        unit: "α*/σ of W ⊙ a".into(),
        across: "layer".into(),
        columns: (0..layers).map(|layer| layer.to_string()).collect(),
        rows: report
            .languages
            .iter()
            .map(|language| HeatRow {
                key: language.code.clone(),
                label: language.name.clone(),
                cells: (0..layers).map(|layer| cell(language, layer)).collect(),
            })
            .collect(),
        flag: None,
    }
}

/// The two definitions side by side, one row per language.
pub fn languages_table(report: &Report) -> Table {
    let row = |language: &Language| {
        let figure = |of: fn(&Effective) -> f64| Cell::Number(effective(report, language, Scope::Model, of));
        let more = |at: fn(&Effective) -> f64| Cell::Number(excess(report, language, Scope::Model, at));
        vec![
            Cell::Text(language.name.clone()),
            Cell::Ranked(language.resource as u8, words::resource(language.resource).into()),
            figure(|of| of.kurtosis),
            figure(Effective::alpha_over_sigma),
            more(|of| of.error_at_reference),
            more(|of| of.error_at_reference_shape),
            Cell::Figure(language.kurtosis),
            Cell::Number(language.factor),
        ]
    };
    Table {
        columns: vec![
            Column::plain("name", "Language", "English name"),
            Column::plain("resource", "Resource", "Third of the trained languages by bytes seen"),
            Column::plain(
                "kurtosis",
                "κ of W ⊙ a",
                "Seed 000: excess kurtosis of the effective weights, mean over matrices",
            ),
            Column::plain(
                "alpha_over_sigma",
                "α*/σ",
                "Seed 000: argmin MSE of the effective weights over their σ, mean",
            ),
            Column::plain("excess", "Excess at α", "Error at the reference's α over that at the own α*, less one"),
            Column::plain("excess_shape", "Excess at α/σ", "The same where only α/σ is taken over from the reference"),
            Column::measured("kurtosis_effective", "κ_eff", "Seed 002: mean of the layers' κ, by activation"),
            Column::plain("factor", "f(κ_eff, B)", "Seed 002: the threshold that the formula gives, in σ"),
        ],
        of: "language",
        keys: report.languages.iter().map(|language| language.code.clone()).collect(),
        apart: report.languages.iter().map(|language| language.resource == Resource::Unseen).collect(),
        rows: report.languages.iter().map(row).collect(),
    }
}

/// Every language and matrix: what the heat map is drawn from.
pub fn effective_table(report: &Report) -> Table {
    let pairs = || report.languages.iter().flat_map(|l| report.tensors.iter().zip(&l.tensors).map(move |p| (l, p)));
    let row = |(language, (tensor, own)): (&Language, (&Tensor, &Effective))| {
        let figures = [own.sigma, own.kurtosis, own.alpha, own.alpha_over_sigma(), own.error, own.error_at_reference];
        let mut cells = vec![
            Cell::Count(tensor.layer as u64),
            Cell::Text(words::part_key(tensor.part).into()),
            Cell::Text(language.name.clone()),
        ];
        cells.extend(figures.into_iter().chain([own.error_at_reference_shape]).map(Cell::Number));
        cells
    };
    Table {
        columns: vec![
            Column::plain("layer", "Layer", "Block"),
            Column::plain("part", "Matrix", "Which of the block's matrices"),
            Column::plain("name", "Language", "English name"),
            Column::plain("sigma", "σ", "Of the effective weights"),
            Column::plain("kurtosis", "κ", "Of the effective weights"),
            Column::plain("alpha", "α*", "argmin MSE"),
            Column::plain("alpha_over_sigma", "α*/σ", "In σ of the effective weights"),
            Column::plain("error", "Error", "MSE at α* over σ²"),
            Column::plain("error_at_reference", "At reference α", "MSE at the reference's α* over σ²"),
            Column::plain("error_at_reference_shape", "At reference α/σ", "MSE at the reference's α*/σ over σ²"),
        ],
        of: "language",
        keys: pairs().map(|(language, _)| language.code.clone()).collect(),
        apart: Vec::new(),
        rows: pairs().map(row).collect(),
    }
}

/// What Theorem 2 finds, in a sentence or two.
pub fn languages_sentence(report: &Report) -> String {
    let alpha = |language: &&Language| effective(report, language, Scope::Model, Effective::alpha_over_sigma);
    let by_alpha = |a: &&Language, b: &&Language| alpha(a).total_cmp(&alpha(b));
    let (Some(most), Some(least)) =
        (report.languages.iter().max_by(by_alpha), report.languages.iter().min_by(by_alpha))
    else {
        return "No languages were chosen.".into();
    };
    let shape = |language: &Language| excess(report, language, Scope::Model, |of| of.error_at_reference_shape);
    let dearest = report.languages.iter().map(shape).fold(0.0, f64::max);
    let reference = report.languages.iter().find(|language| language.code == report.config.reference);
    format!(
        "The best threshold of the effective weights is widest for {} ({}σ) and narrowest for {} ({}σ). Taking {}'s α/σ \
         for every language costs at most {} more error.",
        most.name,
        format::figure(alpha(&most)),
        least.name,
        format::figure(alpha(&least)),
        reference.map_or(report.config.reference.as_str(), |language| language.name.as_str()),
        format::percent(dearest)
    )
}

/// Own names and levels of the languages.
pub fn heads(report: &Report) -> Vec<Head> {
    let head = |language: &Language| Head {
        endonym: language.endonym.clone(),
        direction: language.direction.clone(),
        level: language.resource,
    };
    report.languages.iter().map(head).collect()
}

/// How the figures came about.
pub fn footnotes(report: &Report) -> Vec<String> {
    let levels = report.config.bits.levels();
    let mut notes = vec![
        format!(
            "Measured on the weights themselves on the grid that is used: {} values from −α to α. Published ACIQ thresholds \
             assume {} cells, so they lie above the optimum of this grid.",
            2 * levels + 1,
            1u32 << report.config.bits.get()
        ),
        "For a layer or the model every matrix has its own σ and α: lines and dots are means by number of weights. The \
         exact optimum's dot can lie below the line, because each matrix chooses for itself."
            .into(),
    ];
    if !report.languages.is_empty() {
        notes.push(
            "a of a weight is the mean absolute input of the weight's input channel over the language's text, divided by \
             that of the matrix's busiest channel, so that it lies in [0, 1]. The seed leaves a open; this is our reading. \
             Because each language is scaled by its own busiest channel, α itself carries that scale: “excess at α/σ” does not."
                .into(),
        );
        notes.push(
            "Seed 000 looks at each matrix's weights as a language uses them; seed 002 averages the layers' κ by how \
             strongly a language activates each layer. They need not agree, and both are shown."
                .into(),
        );
    }
    notes.push(super::provenance(&report.model, &report.model_sha256, &report.backend, &report.version));
    notes
}

/// `fairbits-m12-clipping-4bit`.
pub fn file_stem(report: &Report) -> String {
    super::file_stem(&format!("{}-clipping-{}bit", report.model, report.config.bits.get()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::clipping::{Choice, Fit};
    use crate::analysis::rule_losses::RuleLoss;
    use crate::report::Interval;
    use crate::report::chart::{Drawing, Ground};

    fn interval(value: f64) -> Interval {
        Interval { value, low: value - 0.1, high: value + 0.1 }
    }

    fn tensor(layer: usize, part: Part, n: u64, scale: f64) -> Tensor {
        let error = |clipping: f64, rounding: f64| Error { clipping: clipping * scale, rounding: rounding * scale };
        let choice = |(at, rule): (usize, Rule)| {
            // The exact optimum comes last and costs least.
            Choice { rule, alpha_over_sigma: 4.0 - at as f64 * 0.4, error: error(0.0, 0.05 - 0.01 * at as f64) }
        };
        Tensor {
            name: format!("h.{layer}.{part:?}"),
            layer,
            part,
            n,
            sigma: 0.1,
            kurtosis: scale,
            choices: Rule::ALL.into_iter().enumerate().map(choice).collect(),
            curve: vec![error(0.5, 0.001), error(0.1, 0.01), error(0.0, 0.1)],
        }
    }

    fn report() -> Report {
        let tensors: Vec<Tensor> = (0..2)
            .flat_map(|layer| Part::ALL.map(|part| tensor(layer, part, 100 * (layer as u64 + 1), 1.0 + layer as f64)))
            .collect();
        let language = |code: &str, name: &str, alpha: f64| Language {
            code: code.into(),
            name: name.into(),
            endonym: name.into(),
            direction: "ltr".into(),
            resource: Resource::High,
            rows: 9,
            activation: vec![0.5, 0.5],
            kurtosis: interval(1.5),
            factor: 2.7,
            tensors: tensors
                .iter()
                .map(|_| Effective {
                    sigma: 0.1,
                    kurtosis: 3.0,
                    alpha: alpha * 0.1,
                    error: 0.02,
                    error_at_reference: 0.03,
                    error_at_reference_shape: if code == "eng" { 0.02 } else { 0.021 },
                })
                .collect(),
        };
        let loss =
            |rule| RuleLoss { rule, degradation: vec![interval(0.3), interval(0.5)], disparity: Some(interval(0.2)) };
        Report {
            config: Config {
                bits: Bits::new(4).expect("4 is a bit-width"),
                corpus: "udhr".into(),
                languages: vec!["eng".into(), "kor".into()],
                units: 2,
                reference: "eng".into(),
                losses: true,
                resamples: 100,
                seed: 1,
            },
            model: "m".into(),
            model_sha256: "0123456789abcdef".into(),
            backend: "cpu".into(),
            version: "0".into(),
            places: vec![1.0, 2.0, 4.0],
            fit: Some(Fit { c: interval(2.4), d: interval(0.2), residuals: vec![0.1; 8], rms: 0.1, seed_rms: 0.3 }),
            languages: vec![language("eng", "English", 2.5), language("kor", "Korean", 3.0)],
            losses: Rule::ALL.map(loss).to_vec(),
            tensors,
        }
    }

    #[test]
    fn a_scope_is_the_mean_by_number_of_weights() {
        let report = report();
        // Layer 0: four matrices of 100 weights at scale 1; layer 1: of 200 at scale 2.
        let model = curve(&report, Scope::Model);
        assert!((model[0].clipping - 0.5 * (400.0 + 2.0 * 800.0) / 1200.0).abs() < 1e-12);
        assert_eq!(curve(&report, Scope::Tensor(1, Part::Up)), report.tensors[6].curve);
        let best = costs(&report, Scope::Layer(0)).pop().unwrap();
        assert!(best.rule == Rule::Optimal && (best.error.total() - 0.01).abs() < 1e-12);
        assert!((best.alpha_over_sigma - 2.4).abs() < 1e-12);
    }

    #[test]
    fn every_rule_is_a_dot_and_a_row() {
        let report = report();
        let (figure, table) =
            (chart(&report, Scope::Model).draw(700.0, Ground::Page), rules_table(&report, Scope::Model));
        for key in ["absmax", "aciq_gaussian", "aciq_laplace", "kurtosis", "optimal"] {
            assert!(
                figure.marks.iter().any(|mark| mark.key == key) && table.keys.iter().any(|own| own == key),
                "{key}"
            );
        }
        assert_eq!(figure.marks.len(), 3 + 5);
        assert!(table.csv().starts_with("rule,name,alpha_over_sigma,clipping,rounding,total,excess,disparity,"));
        assert!(sentence(&report, Scope::Model).contains("absmax) 5.00 times at 4.00σ"));
        assert_eq!(losses_table(&report).unwrap().rows.len(), 2);
    }

    #[test]
    fn languages_against_the_reference() {
        let report = report();
        let said = languages_sentence(&report);
        assert!(said.contains("widest for Korean (3.00σ) and narrowest for English (2.50σ)"), "{said}");
        assert!(said.contains("Taking English's α/σ for every language costs at most 5.00% more error"), "{said}");
        let map = heat(&report, None);
        assert_eq!((map.rows.len(), map.columns.len()), (2, 2));
        assert!((map.rows[1].cells[0].value.unwrap() - 3.0).abs() < 1e-12);
        assert_eq!(effective_table(&report).rows.len(), 16);
        assert_eq!(languages_table(&report).columns.len(), languages_table(&report).rows[0].len());
    }

    #[test]
    fn the_fit_stands_beside_the_seed() {
        let report = report();
        let (c, d) = seed_line(report.config.bits);
        assert!((c - 2.5).abs() < 1e-12 && (d - 0.3).abs() < 1e-12);
        let said = fit_sentence(&report);
        assert!(said.contains("Over 8 matrices") && said.contains("the seed's 2.50 and 0.300 leave 0.300σ"), "{said}");
        assert_eq!(fit_chart(&report).unwrap().dots.len(), 8);
        assert!(fit_table(&report).csv().lines().count() == 9);
    }
}
