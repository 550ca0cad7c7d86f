//! A page of text, as Markdown and as HTML. Every text is escaped: names come from files of strangers.

use crate::report::table::{Column, Table};

/// Title and what stands below it.
pub struct Page {
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A part of a page.
pub enum Block {
    Heading(&'static str),
    Text(String),
    List(Vec<String>),
    Table(Table),
    /// A sentence, and an address below it.
    Link(&'static str, String),
}

impl Page {
    /// GitHub's Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", in_markdown(&self.title));
        for block in &self.blocks {
            out.push('\n');
            match block {
                Block::Heading(text) => out.push_str(&format!("## {}\n", in_markdown(text))),
                Block::Text(text) => out.push_str(&format!("{}\n", in_markdown(text))),
                Block::List(items) => {
                    items.iter().for_each(|item| out.push_str(&format!("- {}\n", item_in_markdown(item))))
                }
                Block::Table(table) => {
                    let line = |of: &dyn Fn(&Column) -> String| {
                        let cells: Vec<String> = table.columns.iter().map(|column| in_markdown(&of(column))).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    out.push_str(&line(&|column| column.title.clone()));
                    out.push_str(&format!("|{}\n", "---|".repeat(table.columns.len())));
                    (0..table.keys.len()).for_each(|row| out.push_str(&line(&|column| column.cells[row].shown())));
                }
                // An address in angle brackets is shown as it is; what could end it is left out of addresses anyway.
                Block::Link(text, link) => out.push_str(&format!("{text}\n\n<{}>\n", address(link))),
            }
        }
        out
    }

    /// One file, nothing fetched, nothing run.
    pub fn html(&self) -> String {
        let title = in_html(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        for block in &self.blocks {
            match block {
                Block::Heading(text) => out.push_str(&format!("<h2>{}</h2>\n", in_html(text))),
                Block::Text(text) => out.push_str(&format!("<p>{}</p>\n", in_html(text))),
                Block::List(items) => {
                    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", item_in_html(item))).collect();
                    out.push_str(&format!("<ul>\n{items}</ul>\n"));
                }
                Block::Table(table) => {
                    let line = |tag: &str, of: &dyn Fn(&Column) -> String| {
                        let cell = |column: &Column| format!("<{tag}>{}</{tag}>", in_html(&of(column)));
                        format!("<tr>{}</tr>\n", table.columns.iter().map(cell).collect::<String>())
                    };
                    let row = |row: usize| line("td", &|column| column.cells[row].shown());
                    let (head, rows) = (
                        line("th", &|column| column.title.clone()),
                        (0..table.keys.len()).map(row).collect::<String>(),
                    );
                    out.push_str(&format!("<table>\n<thead>\n{head}</thead>\n<tbody>\n{rows}</tbody>\n</table>\n"));
                }
                Block::Link(text, link) => {
                    let (shown, link) = (in_html(link), address(link));
                    out.push_str(&format!(
                        "<p>{}</p>\n<p class=\"link\"><a href=\"{}\">{shown}</a></p>\n",
                        in_html(text),
                        in_html(&link)
                    ));
                }
            }
        }
        out.push_str("</body>\n</html>\n");
        out
    }
}

const STYLE: &str = "@page{margin:15mm}body{font:10.5pt/1.4 system-ui,sans-serif;max-width:46rem;margin:1rem auto;padding:0 1rem;\
    color:#111;background:#fff}h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1.05rem;margin:1rem 0 .3rem}p,ul{margin:.3rem 0}\
    table{border-collapse:collapse}th,td{text-align:left;padding:.1rem .8rem .1rem 0;border-bottom:1px solid #ccc;\
    font-variant-numeric:tabular-nums}li{list-style:none}ul{padding-left:0}.link{overflow-wrap:anywhere;font-size:.75rem}\
    @media print{body{margin:0;padding:0}}";

/// An item with its box, where it has one.
fn boxed(item: &str) -> (Option<bool>, &str) {
    match (item.strip_prefix("[x] "), item.strip_prefix("[ ] ")) {
        (Some(text), _) => (Some(true), text),
        (_, Some(text)) => (Some(false), text),
        _ => (None, item),
    }
}

fn item_in_markdown(item: &str) -> String {
    let (done, text) = boxed(item);
    let done = done.map_or("", |done| if done { "[x] " } else { "[ ] " });
    format!("{done}{}", in_markdown(text))
}

fn item_in_html(item: &str) -> String {
    let (done, text) = boxed(item);
    let done = done.map_or("", |done| if done { "☑ " } else { "☐ " });
    format!("{done}{}", in_html(text))
}

/// Only an address of the web or a fragment may be followed; anything else is shown as a fragment that leads nowhere.
fn address(link: &str) -> String {
    let known = ["https://", "http://", "#/"].iter().any(|start| link.starts_with(start));
    let plain = link.bytes().all(|b| b.is_ascii_graphic() && !b"<>\"'`\\".contains(&b));
    if known && plain { link.into() } else { "#".into() }
}

fn in_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A line of plain text: what Markdown or HTML would read otherwise is escaped.
fn in_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '$' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
