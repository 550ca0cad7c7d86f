//! Every symbol with its definition and its equation, once. Pages and the workshop show them where a symbol stands.
//!
//! To add one: a row in `entries.rs`. In text a symbol is marked by brackets, `… the kurtosis [κ] …`, by any of its names;
//! headings of tables and key figures that are a name of it have its note without more.

mod entries;
mod equation;

pub use entries::ENTRIES;
pub use equation::{EquationError, mathml};

/// A symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What it is called: the symbol first, then whatever else stands for it. No two entries share one.
    pub names: &'static [&'static str],
    /// What it is, in a few words.
    pub title: &'static str,
    /// Its definition, for somebody who has not met it.
    pub words: &'static str,
    /// The same as an equation, in the notation of [`mathml`].
    pub equation: &'static str,
}

impl Entry {
    /// The symbol.
    pub fn symbol(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// The equation as an element of MathML.
    pub fn mathml(&self) -> String {
        // A test reads every one of them.
        mathml(self.equation).unwrap_or_default()
    }
}

/// The entry of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.names.contains(&name))
}

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words.
    Words(&'a str),
    /// A name that was marked, with its entry.
    Term(&'a str, &'static Entry),
}

/// A text at its marks. What is marked and has no entry stays as it is, brackets and all.
pub fn split(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest, mut from) = (Vec::new(), text, 0);
    while let Some(open) = rest[from..].find('[').map(|at| from + at) {
        let marked = rest[open + 1..].find(']').map(|close| &rest[open + 1..open + 1 + close]);
        match marked.and_then(|name| Some((name, find(name)?))) {
            Some((name, entry)) => {
                if open > 0 {
                    pieces.push(Piece::Words(&rest[..open]));
                }
                pieces.push(Piece::Term(name, entry));
                rest = &rest[open + name.len() + 2..];
                from = 0;
            }
            None => from = open + 1,
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest));
    }
    pieces
}

/// A text without its marks.
pub fn plain(text: &str) -> String {
    split(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Words(words) => words,
            Piece::Term(name, _) => name,
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Marks of a text that have no entry.
    pub(crate) fn unknown(text: &str) -> Vec<&str> {
        let marks = text.split('[').skip(1).filter_map(|after| after.split_once(']')).map(|(name, _)| name);
        // Intervals and lists in brackets begin with a figure.
        let names =
            marks.filter(|name| !name.starts_with(|first: char| first.is_ascii_digit() || "−-".contains(first)));
        names.filter(|name| find(name).is_none()).collect()
    }

    #[test]
    fn every_entry_has_words_and_an_equation_and_a_name_of_its_own() {
        for (at, entry) in ENTRIES.iter().enumerate() {
            let Entry { names, title, words, equation } = entry;
            assert!(!names.is_empty() && names.iter().all(|name| !name.contains(['[', ']'])), "{entry:?}");
            assert!(!title.is_empty() && words.len() > 30 && words.ends_with('.'), "{names:?}");
            let written = mathml(equation).unwrap_or_else(|fault| panic!("{names:?}: {fault}"));
            assert!(written.starts_with("<math") && written.ends_with("</math>"), "{written}");
            for other in &ENTRIES[..at] {
                assert!(names.iter().all(|name| !other.names.contains(name)), "{names:?} and {:?}", other.names);
            }
        }
    }

    #[test]
    fn marks_are_found_and_brackets_that_are_none_stay() {
        let pieces = split("The kurtosis [κ] is 3 [2, 4] of [nothing].");
        assert_eq!(pieces.len(), 3);
        assert!(matches!(pieces[1], Piece::Term("κ", entry) if entry.title.contains("kurtosis")));
        assert_eq!(pieces[2], Piece::Words(" is 3 [2, 4] of [nothing]."));
        assert_eq!(plain("[κ] and [σ]"), "κ and σ");
        assert_eq!(split(""), []);
        assert_eq!(split("[["), [Piece::Words("[[")]);
    }

    /// Law: whatever a page marks has an entry.
    #[test]
    fn everything_that_is_marked_has_an_entry() {
        let marked = std::cell::Cell::new(0);
        let look = |place: &str, text: &str| {
            let found = split(text).iter().filter(|piece| matches!(piece, Piece::Term(..))).count();
            marked.set(marked.get() + found);
            assert_eq!(unknown(text), [""; 0], "{place}: {text}");
        };
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut sources = Vec::new();
        for folder in ["ui", "lab"] {
            collect(&root.join(folder), &mut sources);
        }
        for file in sources {
            let source = std::fs::read_to_string(&file).expect("text");
            for text in source.split("<Prose text=\"").skip(1).filter_map(|after| after.split_once("\"/>")) {
                look(&file.display().to_string(), text.0);
            }
            for name in source.split("<Term name=\"").skip(1).filter_map(|after| after.split_once('"')) {
                assert!(find(name.0).is_some(), "{}: {}", file.display(), name.0);
                marked.set(marked.get() + 1);
            }
        }
        let marked = marked.get();
        assert!(marked > 40, "only {marked} marks were found: does this test still read what pages write?");
    }
    fn collect(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("a file").path())
        {
            match entry.is_dir() {
                true => collect(&entry, found),
                false => found.push(entry),
            }
        }
    }
}
