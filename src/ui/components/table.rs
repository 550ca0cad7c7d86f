//! A table that sorts by its headings.

use leptos::prelude::*;

use super::level_name;
use crate::report::table::{Cell, Table};
use crate::report::{format, languages::Report};

/// The report's table, sorted by `sorted_by`, largest first, until a heading is pressed.
#[component]
pub fn SortableTable(
    /// Rows and columns.
    table: Table,
    /// For endonyms and levels of the rows.
    report: std::sync::Arc<Report>,
    /// Column sorted by at first.
    sorted_by: usize,
) -> impl IntoView {
    let order = RwSignal::new((sorted_by, true));
    let columns = table.columns.clone();
    let press = move |column: usize, text: bool| {
        order.update(|(by, descending)| {
            // Names begin at A, figures at the largest.
            *descending = if *by == column { !*descending } else { !text };
            *by = column;
        });
    };
    let head = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let sort = move || match order.get() {
                (by, true) if by == at => "descending",
                (by, false) if by == at => "ascending",
                _ => "none",
            };
            view! {
                <th scope="col" aria-sort=sort data-figure=column.key>
                    <button type="button" title=column.explained on:click=move |_| press(at, at == 0)>
                        {column.title.clone()}<span class="arrow" aria-hidden="true"></span>
                    </button>
                </th>
            }
        })
        .collect_view();
    let decimals: Vec<usize> = (0..table.columns.len()).map(|column| table.decimals(column)).collect();
    let body = move || {
        let (by, descending) = order.get();
        table
            .order(by, descending)
            .into_iter()
            .map(|at| {
                let row = &report.rows[at];
                let cells = table.columns.iter().zip(&decimals).zip(&table.rows[at]).map(|((column, decimals), cell)| {
                    if column.key == "name" {
                        let own = (row.endonym != row.name).then(|| {
                            view! { <span class="own" lang=row.code.clone() dir=row.direction.clone()>{row.endonym.clone()}</span> }
                        });
                        view! { <th scope="row" data-figure="name">{row.name.clone()} " " {own}</th> }.into_any()
                    } else {
                        shown(column.key, cell, *decimals)
                    }
                });
                view! {
                    <tr data-language=row.code.clone() data-level=level_name(row.resource)>{cells.collect_view()}</tr>
                }
            })
            .collect_view()
    };
    view! {
        <div class="scroll" id="table" tabindex="0" role="region" aria-label="Figures of each language">
            <table class="figures">
                <caption class="unseen-text">"Figures of each language with 95% intervals; headings sort"</caption>
                <thead><tr>{head}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}

fn shown(key: &'static str, cell: &Cell, decimals: usize) -> AnyView {
    match cell {
        Cell::Text(text) => view! { <td data-figure=key>{text.clone()}</td> }.into_any(),
        Cell::Ranked(_, text) => {
            view! { <td data-figure=key><span class="swatch" aria-hidden="true"></span>{text.clone()}</td> }.into_any()
        }
        Cell::Count(count) if key == "bytes_seen" => {
            view! { <td class="figure" data-figure=key data-value=count.to_string()>{format::bytes(*count)}</td> }
                .into_any()
        }
        Cell::Count(count) => view! { <td class="figure" data-figure=key>{format::count(*count)}</td> }.into_any(),
        Cell::Figure(figure) => {
            let (value, bounds) = format::interval_parts_in_column(figure, decimals);
            view! {
                <td class="figure" data-figure=key data-value=figure.value.to_string()>
                    <span class="value">{value}</span>" "<span class="bounds">{bounds}</span>
                </td>
            }
            .into_any()
        }
        Cell::Missing => view! { <td class="figure" data-figure=key>"–"</td> }.into_any(),
    }
}
