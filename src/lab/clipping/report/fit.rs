//! The fit of f(κ, B) = c + d·ln(1 + κ) to the exact optima, beside the theory's.

use super::Report;
use crate::lab::clipping::{Tensor, log_kurtosis};
use crate::math::clipping::kurtosis_factor;
use crate::report::chart::lines::{Curve, Dot, LineChart};
use crate::report::chart::look::{Shape, Stroke};
use crate::report::chart::plane::{Axis, Growth};
use crate::report::progress::Step;
use crate::report::scope::Scope;
use crate::report::{Bits, Part, Rule, format, labels, rows::Rows, table::Table};

/// The theory's c_B and d_B at a bit-width: 2.5 and 0.3 at four, scaled as the rule scales them elsewhere.
pub fn seed_line(bits: Bits) -> (f64, f64) {
    let c = kurtosis_factor(0.0, bits);
    (c, kurtosis_factor(std::f64::consts::E - 1.0, bits) - c)
}

/// What the fit says, against the theory's.
pub fn fit_sentence(report: &Report) -> String {
    let Some(fit) = &report.fit else { return "All matrices have the same κ: no slope can be fitted.".into() };
    let (c, d) = seed_line(report.config.bits);
    let scaled = if report.config.bits.get() == 4 { "the theory's" } else { "the theory's, scaled from 4 bits:" };
    format!(
        "Over {}: α*/σ = c + d·ln(1 + κ) with c = {} and d = {}, residual {}σ (root mean square); {scaled} {} and {} leave {}σ.",
        labels::counted_step(Step::Tensors, report.tensors.len()),
        format::interval(&fit.c),
        format::interval(&fit.d),
        format::figure(fit.rms),
        format::figure(c),
        format::figure(d),
        format::figure(fit.seed_rms)
    )
}

/// α*/σ of every matrix against ln(1 + κ), with the fitted line and the theory's.
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
        line("the theory's f(κ, B)".into(), Stroke::Second, true, c, d),
    ];
    let heights =
        report.tensors.iter().map(best).chain(curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.1)));
    let y = Axis::fit("α*/σ of the exact optimum", Growth::Linear, heights);
    let part_look = |part: Part| match part {
        Part::Qkv | Part::Query | Part::CrossQuery | Part::In => Shape::Disc,
        Part::Key | Part::CrossKey | Part::Select => Shape::Ring,
        Part::Value | Part::CrossValue | Part::Step => Shape::Cross,
        Part::Out | Part::CrossOut | Part::ScanOut => Shape::Diamond,
        Part::Gate | Part::Up => Shape::Square,
        Part::Down => Shape::Triangle,
    };
    let dot = |(tensor, residual): (&Tensor, &f64)| Dot {
        key: Scope::Tensor(tensor.layer, tensor.part).key(),
        label: labels::part(tensor.part).into(),
        told: format!(
            "{}: κ {}, α*/σ {}, residual {}",
            Scope::Tensor(tensor.layer, tensor.part).title(),
            format::figure(tensor.kurtosis),
            format::figure(best(tensor)),
            format::figure(*residual)
        ),
        look: (part_look(tensor.part), Stroke::Muted),
        at: place(tensor),
        whisker: None,
        dropped: false,
    };
    let title = format!("Best threshold by kurtosis, {} at {} bits", report.origin.model, report.config.bits.get());
    Some(LineChart {
        cloud: Vec::new(),
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
    let scope = |tensor: &Tensor| Scope::Tensor(tensor.layer, tensor.part);
    let residual = |at: usize| report.fit.as_ref()?.residuals.get(at).copied();
    Rows::of("weights", report.tensors.iter().enumerate(), |(_, tensor)| scope(tensor).key())
        .column("name", "Weights", "Layer and matrix", |(_, tensor)| scope(tensor).title())
        .column("kurtosis", "κ", "Excess kurtosis", |(_, tensor)| tensor.kurtosis)
        .column("alpha_over_sigma", "α*/σ", "Exact optimum in σ", |(_, tensor)| {
            tensor.choice(Rule::Optimal).alpha_over_sigma
        })
        .column("seed", "f(κ, B)", "What the theory's formula gives", |(_, tensor)| {
            kurtosis_factor(tensor.kurtosis, report.config.bits)
        })
        .column("residual", "Residual", "α*/σ less the fitted line", |(at, _)| residual(*at))
        .table()
}
