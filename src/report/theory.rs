//! The theory as `docs/theory` tells it: chapters of statements, read from a small part of Markdown.
//!
//! A chapter begins with `# Title`, a statement with `## ID · Title` or, where it has no id, with `## Title`, and the line above it
//! is `<a id="…"></a>`. Below stand paragraphs, lists of `- `, tables, and equations between `$$` on a line of their own, in the
//! notation of [`equation`](super::glossary::mathml). In a line `**strong**`, `` `symbols` `` and `[links](file.md#anchor)` are
//! marked.

use super::glossary::mathml;

/// Chapters in the order of the argument, as files in the folder `theory` call them.
pub const CHAPTERS: [&str; 12] = [
    "README",
    "redundancy",
    "clipping",
    "kurtosis",
    "conditions",
    "gateway",
    "assumptions",
    "causes",
    "information",
    "training",
    "score",
    "statistics",
];

/// What is wrong with a chapter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TheoryError {
    /// It does not begin with its title.
    #[error("a chapter begins with `# ` and its title")]
    Untitled,
    /// An equation that cannot be read.
    #[error("the equation `{0}` cannot be read: {1}")]
    Equation(String, String),
    /// Something that nothing closes.
    #[error("`{0}` has a mark that nothing closes")]
    Open(String),
}

/// Part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Plain words.
    Words(String),
    /// The head of a paragraph.
    Strong(String),
    /// A symbol.
    Symbol(String),
    /// To another statement.
    Link {
        /// What is shown.
        words: String,
        /// Its anchor, or its chapter's where it names none.
        anchor: String,
    },
}

/// What stands below one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Words.
    Paragraph(Vec<Inline>),
    /// Points.
    List(Vec<Vec<Inline>>),
    /// MathML.
    Equation(String),
    /// Cells of a head and of rows.
    Table(Vec<Vec<Vec<Inline>>>),
}

/// A statement, or what is told beside statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What links name.
    pub anchor: String,
    /// What the Claims page calls it; none where nothing is judged.
    pub id: Option<String>,
    /// In short.
    pub title: String,
    /// What is said.
    pub blocks: Vec<Block>,
}

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Its file's name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What stands before its statements.
    pub intro: Vec<Block>,
    /// Its statements.
    pub statements: Vec<Statement>,
}

/// The anchor of a chapter.
pub fn chapter_anchor(name: &str) -> String {
    format!("chapter-{name}")
}

/// The anchor of a claim: `t2a` of `T2a`, `k2-prime` of `K2′`.
pub fn anchor(id: &str) -> String {
    id.to_lowercase().replace('′', "-prime")
}

impl Chapter {
    /// Reads a chapter's file.
    pub fn read(name: &str, text: &str) -> Result<Chapter, TheoryError> {
        let mut lines = text.lines().peekable();
        let title = lines.next().and_then(|line| line.strip_prefix("# ")).ok_or(TheoryError::Untitled)?;
        let mut chapter =
            Chapter { name: name.into(), title: title.trim().into(), intro: Vec::new(), statements: Vec::new() };
        let (mut at, mut part) = (String::new(), Vec::new());
        for line in lines {
            if let Some(id) = line.strip_prefix("<a id=\"").and_then(|rest| rest.split_once('"')) {
                at = id.0.to_string();
            } else if let Some(heading) = line.strip_prefix("## ") {
                chapter.close(&part)?;
                part.clear();
                let (id, title) = match heading.split_once(" · ") {
                    Some((id, title)) => (Some(id.trim().to_string()), title),
                    None => (None, heading),
                };
                let statement =
                    Statement { anchor: std::mem::take(&mut at), id, title: title.trim().into(), blocks: Vec::new() };
                chapter.statements.push(statement);
            } else {
                part.push(line);
            }
        }
        chapter.close(&part)?;
        Ok(chapter)
    }

    /// Puts what was read below the last heading.
    fn close(&mut self, lines: &[&str]) -> Result<(), TheoryError> {
        let blocks = blocks(lines)?;
        match self.statements.last_mut() {
            Some(statement) => statement.blocks = blocks,
            None => self.intro = blocks,
        }
        Ok(())
    }
}

fn blocks(lines: &[&str]) -> Result<Vec<Block>, TheoryError> {
    lines.split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty()).map(block).collect()
}

/// Lines without an empty one between them.
fn block(lines: &[&str]) -> Result<Block, TheoryError> {
    let first = lines[0].trim();
    if let Some(equation) = first.strip_prefix("$$").and_then(|rest| rest.strip_suffix("$$")) {
        let equation = equation.trim();
        let fault = |fault: super::glossary::EquationError| TheoryError::Equation(equation.into(), fault.to_string());
        return mathml(equation).map(Block::Equation).map_err(fault);
    }
    if first.starts_with('|') {
        // The second row draws the line below the head.
        let rows = lines.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| {
            let cells = line.trim().trim_matches('|').split('|').map(|cell| inline(cell.trim()));
            cells.collect::<Result<Vec<_>, _>>()
        });
        return rows.collect::<Result<_, _>>().map(Block::Table);
    }
    if first.starts_with("- ") {
        let mut points: Vec<String> = Vec::new();
        for line in lines {
            match (line.trim().strip_prefix("- "), points.last_mut()) {
                (Some(point), _) => points.push(point.to_string()),
                (None, Some(last)) => *last += &format!(" {}", line.trim()),
                (None, None) => {}
            }
        }
        return points.iter().map(|point| inline(point)).collect::<Result<_, _>>().map(Block::List);
    }
    let joined: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    inline(&joined.join(" ")).map(Block::Paragraph)
}

fn inline(text: &str) -> Result<Vec<Inline>, TheoryError> {
    let (mut found, mut words, mut rest) = (Vec::new(), String::new(), text);
    let open = || TheoryError::Open(text.chars().take(80).collect());
    while let Some(next) = rest.chars().next() {
        let marked = if let Some(strong) = rest.strip_prefix("**") {
            let (inside, after) = strong.split_once("**").ok_or_else(open)?;
            Some((Inline::Strong(inside.into()), after))
        } else if let Some(symbol) = rest.strip_prefix('`') {
            let (inside, after) = symbol.split_once('`').ok_or_else(open)?;
            Some((Inline::Symbol(inside.into()), after))
        } else {
            link(rest)
        };
        match marked {
            Some((part, after)) => {
                if !words.is_empty() {
                    found.push(Inline::Words(std::mem::take(&mut words)));
                }
                found.push(part);
                rest = after;
            }
            None => {
                words.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    if !words.is_empty() {
        found.push(Inline::Words(words));
    }
    Ok(found)
}

/// `[words](file.md#anchor)` at the beginning. Brackets that are no link are words: intervals stand in such.
fn link(text: &str) -> Option<(Inline, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    if words.contains(['[', ']']) {
        return None;
    }
    let (target, after) = rest.split_once(')')?;
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let anchor = if anchor.is_empty() { chapter_anchor(file.trim_end_matches(".md")) } else { anchor.into() };
    Some((Inline::Link { words: words.into(), anchor }, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all() -> Vec<Chapter> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/theory");
        let files = std::fs::read_dir(&folder).expect("the theory").count();
        assert_eq!(files, CHAPTERS.len(), "every file of {} is a chapter", folder.display());
        let read = |name: &&str| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.md"))).expect("a chapter");
            Chapter::read(name, &text).unwrap_or_else(|fault| panic!("{name}: {fault}"))
        };
        CHAPTERS.iter().map(read).collect()
    }

    fn parts(blocks: &[Block]) -> Vec<&Inline> {
        let mut found = Vec::new();
        for block in blocks {
            match block {
                Block::Paragraph(parts) => found.extend(parts),
                Block::List(points) => found.extend(points.iter().flatten()),
                Block::Table(rows) => found.extend(rows.iter().flatten().flatten()),
                Block::Equation(_) => {}
            }
        }
        found
    }

    /// Law: every chapter can be read, every statement is named once, says where it is from, and every link leads somewhere.
    #[test]
    fn every_chapter_reads_and_every_link_leads_to_a_statement() {
        let chapters = all();
        let mut anchors: BTreeSet<String> = CHAPTERS.map(chapter_anchor).into();
        for statement in chapters.iter().flat_map(|chapter| &chapter.statements) {
            assert!(!statement.anchor.is_empty(), "{} has no anchor", statement.title);
            assert!(anchors.insert(statement.anchor.clone()), "{} stands twice", statement.anchor);
            if let Some(id) = &statement.id {
                assert_eq!(statement.anchor, anchor(id));
                let first = parts(&statement.blocks[..1]);
                assert!(matches!(first[0], Inline::Words(words) if words.starts_with("Source: document")), "{id}");
                let said = parts(&statement.blocks);
                assert!(said.iter().any(|part| **part == Inline::Strong("How the lab tests it.".into())), "{id}");
            }
        }
        let blocks = chapters.iter().flat_map(|chapter| {
            let own = chapter.statements.iter().flat_map(|statement| parts(&statement.blocks));
            parts(&chapter.intro).into_iter().chain(own)
        });
        let mut links = 0;
        for part in blocks {
            if let Inline::Link { words, anchor } = part {
                assert!(anchors.contains(anchor), "[{words}] leads to {anchor}, which is nowhere");
                links += 1;
            }
        }
        assert!(links > 100, "only {links} links were read");
    }

    #[test]
    fn marks_and_blocks_are_told_apart() {
        let text = "# T\n\nOne `κ` of [0, 1]\nand **two** [T1](redundancy.md#t1).\n\n<a id=\"x1\"></a>\n## X1 · First\n\n- a\n- b\n  c\n\n\
                    $$ x_i $$\n\n| a | b |\n|---|---|\n| c | d |\n";
        let chapter = Chapter::read("t", text).unwrap();
        let words = |words: &str| Inline::Words(words.into());
        let link = Inline::Link { words: "T1".into(), anchor: "t1".into() };
        let symbol = Inline::Symbol("κ".into());
        let intro = vec![
            words("One "),
            symbol,
            words(" of [0, 1] and "),
            Inline::Strong("two".into()),
            words(" "),
            link,
            words("."),
        ];
        assert_eq!(chapter.intro, [Block::Paragraph(intro)]);
        let [statement] = &chapter.statements[..] else { panic!("one statement") };
        assert_eq!((statement.id.as_deref(), &statement.title[..], &statement.anchor[..]), (Some("X1"), "First", "x1"));
        assert_eq!(statement.blocks[0], Block::List(vec![vec![words("a")], vec![words("b c")]]));
        assert!(matches!(&statement.blocks[1], Block::Equation(drawn) if drawn.starts_with("<math")));
        let cell = |text: &str| vec![words(text)];
        assert_eq!(statement.blocks[2], Block::Table(vec![vec![cell("a"), cell("b")], vec![cell("c"), cell("d")]]));
        assert_eq!(Chapter::read("t", "no title"), Err(TheoryError::Untitled));
        assert!(matches!(Chapter::read("t", "# T\n\n**open"), Err(TheoryError::Open(_))));
        assert!(matches!(Chapter::read("t", "# T\n\n$$ \\frac{a} $$"), Err(TheoryError::Equation(..))));
        assert_eq!(anchor("K2′"), "k2-prime");
    }
}
