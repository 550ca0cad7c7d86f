//! The theory: every statement that the lab tests, in our own words. The text is a file of the site for each chapter.

use leptos::prelude::*;

use crate::browser;
use crate::claims::CLAIMS;
use crate::report::theory::{Block, CHAPTERS, Chapter, Inline, Statement, chapter_anchor};

/// A section for those who read the files: the page has an index of its own.
const INDEX: &str = "index";

/// The page `#/theory`; `#/theory?at=t1` shows a statement.
pub fn view() -> AnyView {
    let chapters = RwSignal::new(None::<Result<Vec<Chapter>, String>>);
    let gone = StoredValue::new(false);
    on_cleanup(move || gone.set_value(true));
    leptos::task::spawn_local(async move {
        let read = read().await;
        if gone.try_get_value() == Some(false) {
            chapters.set(Some(read));
        }
    });
    // Once it is there.
    Effect::new(move |_| {
        if chapters.with(|read| matches!(read, Some(Ok(_))))
            && let Some(at) = browser::asked_for()
        {
            browser::next_frame(move || browser::show(&element(&at)));
        }
    });
    view! {
        <h1 class="unseen-text">"The theory"</h1>
        {move || match chapters.get() {
            None => view! { <p class="note" role="status">"The theory is on its way."</p> }.into_any(),
            Some(Err(sentence)) => view! { <section class="panel"><p role="alert">{sentence}</p></section> }.into_any(),
            Some(Ok(chapters)) => view! { <Theory chapters/> }.into_any(),
        }}
    }
    .into_any()
}

/// Every chapter, or what is wrong, as a sentence.
async fn read() -> Result<Vec<Chapter>, String> {
    let mut chapters = Vec::new();
    for name in CHAPTERS {
        let file = format!("theory/{name}.md");
        let text = browser::file_of_the_site(&file).await;
        let text = text.ok_or_else(|| format!("{file} did not come. Check the network, then reload the page."))?;
        chapters.push(Chapter::read(name, &text).map_err(|fault| format!("{file} cannot be read: {fault}."))?);
    }
    Ok(chapters)
}

/// Id of a statement's or a chapter's element.
fn element(anchor: &str) -> String {
    format!("theory-{anchor}")
}

/// To a statement on this page, also where the page is there already.
fn to(anchor: String, words: String) -> impl IntoView {
    let fragment = format!("#/theory?at={anchor}");
    let go = {
        let fragment = fragment.clone();
        move |ev: leptos::ev::MouseEvent| {
            if !(ev.ctrl_key() || ev.meta_key() || ev.shift_key()) {
                ev.prevent_default();
                browser::step(&fragment);
                browser::show(&element(&anchor));
            }
        }
    };
    view! { <a href=fragment on:click=go>{words}</a> }
}

#[component]
fn Theory(chapters: Vec<Chapter>) -> impl IntoView {
    let index = chapters.iter().map(|chapter| {
        let ids = chapter.statements.iter().filter_map(|statement| {
            let id = statement.id.clone()?;
            Some(view! { <li>{to(statement.anchor.clone(), id)} " " {statement.title.clone()}</li> })
        });
        let ids: Vec<_> = ids.collect();
        let own = (!ids.is_empty()).then(|| view! { <ul>{ids}</ul> });
        view! { <li>{to(chapter_anchor(&chapter.name), chapter.title.clone())}{own}</li> }
    });
    let index: Vec<_> = index.collect();
    view! {
        <div class="theory">
            <nav class="panel" aria-label="Statements"><ul>{index}</ul></nav>
            <div class="read">{chapters.into_iter().map(chapter_view).collect_view()}</div>
        </div>
    }
}

fn chapter_view(chapter: Chapter) -> impl IntoView {
    let id = element(&chapter_anchor(&chapter.name));
    let heading = format!("{id}-heading");
    let labelled = heading.clone();
    view! {
        <section id=id class="panel chapter" tabindex="-1" aria-labelledby=labelled>
            <h2 id=heading>{chapter.title}</h2>
            {chapter.intro.into_iter().map(block_view).collect_view()}
            {chapter.statements.into_iter().filter(|statement| statement.anchor != INDEX).map(statement_view).collect_view()}
        </section>
    }
}

fn statement_view(statement: Statement) -> impl IntoView {
    let id = element(&statement.anchor);
    let judged = statement.id.as_deref().filter(|id| CLAIMS.iter().any(|claim| claim.id == *id));
    let judged = judged
        .map(|id| view! { <p class="note"><a href=format!("#/claims?at={id}")>"What was measured of it"</a></p> });
    view! {
        <article id=id class="statement" tabindex="-1">
            <h3>{statement.id.map(|id| view! { <span class="claim-id">{id}</span> " " })}{statement.title}</h3>
            {statement.blocks.into_iter().map(block_view).collect_view()}
            {judged}
        </article>
    }
}

fn block_view(block: Block) -> AnyView {
    match block {
        Block::Paragraph(parts) => {
            let source = matches!(parts.first(), Some(Inline::Words(words)) if words.starts_with("Source: "));
            view! { <p class:note=source>{inline(parts)}</p> }.into_any()
        }
        Block::List(points) => {
            let points = points.into_iter().map(|parts| view! { <li>{inline(parts)}</li> }).collect_view();
            view! { <ul>{points}</ul> }.into_any()
        }
        // Made by our own notation, which escapes what it does not know.
        Block::Equation(drawn) => view! { <div class="equation" tabindex="0" inner_html=drawn></div> }.into_any(),
        Block::Table(rows) => {
            let mut rows = rows.into_iter();
            let head = rows.next().unwrap_or_default();
            let head = head.into_iter().map(|cell| view! { <th scope="col">{inline(cell)}</th> }).collect_view();
            let row = |cells: Vec<Vec<Inline>>| {
                let cells = cells.into_iter().map(|cell| view! { <td>{inline(cell)}</td> }).collect_view();
                view! { <tr>{cells}</tr> }
            };
            view! {
                <div class="wide" tabindex="0" role="group" aria-label="Table">
                    <table><thead><tr>{head}</tr></thead><tbody>{rows.map(row).collect_view()}</tbody></table>
                </div>
            }
            .into_any()
        }
    }
}

fn inline(parts: Vec<Inline>) -> impl IntoView {
    let part = |part| match part {
        Inline::Words(words) => words.into_any(),
        Inline::Strong(words) => view! { <strong>{words}</strong> }.into_any(),
        Inline::Symbol(symbol) => view! { <span class="symbol">{symbol}</span> }.into_any(),
        Inline::Link { words, anchor } => to(anchor, words).into_any(),
    };
    parts.into_iter().map(part).collect_view()
}
