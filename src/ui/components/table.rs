//! A table that sorts by its headings.

use leptos::prelude::*;

use super::level_name;
use super::save::{Stem, save};
use super::term::Noted;
use crate::report::table::{Cell, Column, Table};
use crate::report::{format, glossary, labels};
use crate::state::State;

/// A table, sorted by a column until a heading is pressed. The first column names the rows.
#[component]
pub fn SortableTable(
    /// Id of the table.
    id: &'static str,
    /// What it shows, for screen readers.
    label: &'static str,
    /// Rows and columns.
    table: Table,
    /// Key of the column sorted by at first, and whether from the largest; none leaves the rows as they come.
    #[prop(optional_no_strip)]
    sorted_by: Option<(&'static str, bool)>,
    /// Rows shown until the person asks for all of them; none shows all.
    #[prop(optional_no_strip)]
    most: Option<usize>,
    /// What its file is named after the report's stem; its id where nothing is said.
    #[prop(optional_no_strip)]
    part: Option<String>,
) -> impl IntoView {
    let file = use_context::<Stem>().map(|Stem(stem)| {
        let state: State = expect_context();
        let name = format!("{stem}-{}.csv", part.as_deref().unwrap_or(id));
        let csv = table.clone();
        view! {
            <button id=format!("{id}-csv") type="button" on:click=move |_| {
                save(state, &name, "text/csv;charset=utf-8", &csv.csv());
            }>"Table as CSV"</button>
        }
    });
    let order = RwSignal::new(sorted_by.unwrap_or_default());
    let press = move |key: &'static str, text: bool| {
        order.update(|(by, descending)| {
            // Names begin at A, figures at the largest.
            *descending = if *by == key { !*descending } else { !text };
            *by = key;
        });
    };
    let head = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let (key, explained, heading) = (column.key, column.explained, column.title.clone());
            let in_words = column.cells.iter().any(|cell| matches!(cell, Cell::Text(_)));
            let sort = move || match order.get() {
                (by, true) if by == key => "descending",
                (by, false) if by == key => "ascending",
                _ => "none",
            };
            // What has a note of its own needs no second one from the browser.
            let entry = glossary::find(&heading);
            let title = entry.is_none().then_some(explained);
            let note = format!("{id}-{key}-note");
            view! {
                <th scope="col" class:words=in_words aria-sort=sort data-figure=key>
                    <Noted entry here=explained id=note.clone()>
                        <button type="button" title=title aria-describedby=entry.map(|_| note) on:click=move |_| press(key, at == 0)>
                            {heading}<span class="arrow" aria-hidden="true"></span>
                        </button>
                    </Noted>
                </th>
            }
        })
        .collect_view();
    let decimals: Vec<usize> = table.columns.iter().map(Column::decimals).collect();
    let count = table.keys.len();
    let all = RwSignal::new(most.is_none_or(|most| count <= most));
    let body = move || {
        let (by, descending) = order.get();
        let count = if all.get() { count } else { most.unwrap_or(count) };
        let rows = table.order(by, descending).into_iter().take(count);
        rows            .map(|at| {
                let (key, head) = (table.keys[at].clone(), table.heads.get(at));
                let cells = table.columns.iter().zip(&decimals).enumerate();
                let cells = cells.map(|(number, (column, decimals))| match (number, &column.cells[at]) {
                    (0, Cell::Text(name)) => {
                        let own = head.filter(|head| head.endonym != *name).map(|head| {
                            view! { <span class="own" lang=labels::tag(&key).to_string() dir=head.direction.clone()>{head.endonym.clone()}</span> }
                        });
                        view! { <th scope="row" data-figure=column.key>{name.clone()} " " {own}</th> }.into_any()
                    }
                    (_, cell) => shown(column.key, cell, *decimals),
                });
                let cells = cells.collect_view();
                view! {
                    <tr data-row=key.clone() data-language=head.map(|_| key.clone()) data-level=head.map(|head| level_name(head.level))>{cells}</tr>
                }
            })
            .collect_view()
    };
    view! {
        <div class="scroll" id=id tabindex="0" role="region" aria-label=label>
            <table class="figures">
                <caption class="unseen-text">{label} "; headings sort"</caption>
                <thead><tr>{head}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
        <div class="row files">
            <Show when=move || !all.get()>
                <button id=format!("{id}-all") class="quiet" type="button" on:click=move |_| all.set(true)>
                    {format!("Show all {} rows", format::count(count as u64))}
                </button>
            </Show>
            {file}
        </div>
    }
}

fn shown(key: &'static str, cell: &Cell, decimals: usize) -> AnyView {
    let value = (*cell != Cell::Missing).then(|| cell.written());
    match cell {
        Cell::Text(text) => view! { <td class="words" data-figure=key>{text.clone()}</td> }.into_any(),
        Cell::Ranked(_, text) => {
            view! { <td data-figure=key><span class="swatch" aria-hidden="true"></span>{text.clone()}</td> }.into_any()
        }
        Cell::Figure(figure) => {
            let (shown, bounds) = format::interval_parts_in_column(figure, decimals);
            view! {
                <td class="figure" data-figure=key data-value=value>
                    <span class="value">{shown}</span>" "<span class="bounds">{bounds}</span>
                </td>
            }
            .into_any()
        }
        other => view! { <td class="figure" data-figure=key data-value=value>{other.shown()}</td> }.into_any(),
    }
}
