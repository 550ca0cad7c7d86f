//! Equations from a short notation into MathML, which every browser draws by itself.
//!
//! `x_i`, `x^2`, `x_{i}^{2}`: below and above. `\frac{a}{b}`, `\sqrt{a}`, `\hat{a}`, `\bar{a}`, `\text{words}`; `\{` and `\}` are braces. Letters of the
//! Latin alphabet that stand together are one name (`PPL`, `max`), any other letter is a name of its own.

use std::iter::Peekable;
use std::str::Chars;

/// What is wrong with an equation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EquationError {
    /// A brace that nothing closes, or that closes nothing.
    #[error("a brace of the equation has no partner")]
    Brace,
    /// A word after `\` that is none of those above.
    #[error("`\\{0}` is no word of this notation")]
    Word(String),
    /// What stands above comes before what stands below, or twice.
    #[error("what stands below comes before what stands above, each once")]
    Order,
    /// Something is missing after `_`, `^` or a word.
    #[error("something is missing after `{0}`")]
    Missing(String),
}

/// The equation as a `<math>` element that stands on a line of its own.
pub fn mathml(equation: &str) -> Result<String, EquationError> {
    let mut reader = Reader { rest: equation.chars().peekable() };
    let row = reader.row(false)?;
    Ok(format!("<math display=\"block\"><mrow>{row}</mrow></math>"))
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    /// Everything up to the end, or to the brace that closes it.
    fn row(&mut self, inside: bool) -> Result<String, EquationError> {
        let mut out = String::new();
        loop {
            match self.rest.peek() {
                None if inside => return Err(EquationError::Brace),
                None => return Ok(out),
                Some('}') if inside => {
                    self.rest.next();
                    return Ok(out);
                }
                Some('}') => return Err(EquationError::Brace),
                Some(' ') => drop(self.rest.next()),
                Some(_) => out.push_str(&self.scripted()?),
            }
        }
    }

    /// An atom with what stands below and above it.
    fn scripted(&mut self) -> Result<String, EquationError> {
        let base = self.atom()?;
        let (below, above) = (self.script('_')?, self.script('^')?);
        if matches!(self.rest.peek(), Some('_' | '^')) {
            return Err(EquationError::Order);
        }
        Ok(match (below, above) {
            (None, None) => base,
            (Some(below), None) => format!("<msub>{base}{below}</msub>"),
            (None, Some(above)) => format!("<msup>{base}{above}</msup>"),
            (Some(below), Some(above)) => format!("<msubsup>{base}{below}{above}</msubsup>"),
        })
    }

    fn script(&mut self, mark: char) -> Result<Option<String>, EquationError> {
        if self.rest.next_if_eq(&mark).is_none() {
            return Ok(None);
        }
        match self.rest.peek() {
            None | Some('}' | ' ' | '_' | '^') => Err(EquationError::Missing(mark.into())),
            Some(_) => self.atom().map(Some),
        }
    }

    /// One element.
    fn atom(&mut self) -> Result<String, EquationError> {
        let Some(first) = self.rest.next() else { return Err(EquationError::Missing("the end".into())) };
        Ok(match first {
            '{' => format!("<mrow>{}</mrow>", self.row(true)?),
            '\\' => return self.word(),
            c if c.is_ascii_digit() => format!("<mn>{c}{}</mn>", self.run(|c| c.is_ascii_digit() || c == '.')),
            c if c.is_ascii_alphabetic() => {
                let name = format!("{c}{}", self.run(|c| c.is_ascii_alphabetic()));
                format!("<mi>{name}</mi>")
            }
            c if c.is_alphabetic() && c != 'Σ' => format!("<mi>{c}</mi>"),
            '<' => "<mo>&lt;</mo>".into(),
            '>' => "<mo>&gt;</mo>".into(),
            '&' => "<mo>&amp;</mo>".into(),
            c => format!("<mo>{c}</mo>"),
        })
    }

    fn run(&mut self, of: impl Fn(char) -> bool) -> String {
        std::iter::from_fn(|| self.rest.next_if(|c| of(*c))).collect()
    }

    fn word(&mut self) -> Result<String, EquationError> {
        if let Some(brace) = self.rest.next_if(|c| matches!(c, '{' | '}')) {
            return Ok(format!("<mo>{brace}</mo>"));
        }
        let word = self.run(|c| c.is_ascii_alphabetic());
        Ok(match word.as_str() {
            "frac" => format!("<mfrac>{}{}</mfrac>", self.group(&word)?, self.group(&word)?),
            "sqrt" => format!("<msqrt>{}</msqrt>", self.group(&word)?),
            "hat" => format!("<mover>{}<mo>^</mo></mover>", self.group(&word)?),
            "bar" => format!("<mover>{}<mo>¯</mo></mover>", self.group(&word)?),
            "text" => {
                if self.rest.next() != Some('{') {
                    return Err(EquationError::Missing(word));
                }
                let words = self.run(|c| c != '}');
                self.rest.next().ok_or(EquationError::Brace)?;
                format!("<mtext>{}</mtext>", words.replace('&', "&amp;").replace('<', "&lt;"))
            }
            _ => return Err(EquationError::Word(word)),
        })
    }

    fn group(&mut self, after: &str) -> Result<String, EquationError> {
        match self.rest.next() {
            Some('{') => Ok(format!("<mrow>{}</mrow>", self.row(true)?)),
            _ => Err(EquationError::Missing(after.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Children that an element of MathML must have; none where any number will do.
    fn children(name: &str) -> Option<usize> {
        match name {
            "mfrac" | "msub" | "msup" | "mover" => Some(2),
            "msubsup" => Some(3),
            _ => None,
        }
    }

    /// Reads a text as XML and says what is wrong with it.
    fn well_formed(text: &str) -> Result<(), String> {
        // Name and children so far, of each element that is open.
        let (mut open, mut rest): (Vec<(String, usize)>, &str) = (vec![("".into(), 0)], text);
        while let Some(at) = rest.find('<') {
            let tag = &rest[at + 1..at + rest[at..].find('>').ok_or("an open tag")?];
            rest = &rest[at + tag.len() + 2..];
            if let Some(name) = tag.strip_prefix('/') {
                let (own, held) = open.pop().ok_or("too many ends")?;
                if own != name || children(name).is_some_and(|ought| ought != held) {
                    return Err(format!("</{name}> ends <{own}> of {held}"));
                }
            } else {
                open.last_mut().ok_or("nothing open")?.1 += 1;
                open.push((tag.split(' ').next().unwrap_or_default().into(), 0));
            }
        }
        if open.len() == 1 && open[0].1 == 1 { Ok(()) } else { Err(format!("{open:?}")) }
    }

    #[test]
    fn equations_become_mathml() {
        let written = mathml("D(λ) = \\frac{PPL_q − 1.5}{x_i^2}").unwrap();
        let row = "<mi>D</mi><mo>(</mo><mi>λ</mi><mo>)</mo><mo>=</mo><mfrac><mrow><msub><mi>PPL</mi><mi>q</mi></msub>\
                   <mo>−</mo><mn>1.5</mn></mrow><mrow><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></mrow></mfrac>";
        assert_eq!(written, format!("<math display=\"block\"><mrow>{row}</mrow></math>"));
        assert_eq!(mathml("\\hat{R} < 1").unwrap().matches("&lt;").count(), 1);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(mathml("{a"), Err(EquationError::Brace));
        assert_eq!(mathml("a}"), Err(EquationError::Brace));
        assert_eq!(mathml("\\root{a}"), Err(EquationError::Word("root".into())));
        assert_eq!(mathml("\\frac{a}"), Err(EquationError::Missing("frac".into())));
        assert_eq!(mathml("a_"), Err(EquationError::Missing("_".into())));
        assert_eq!(mathml("a^2_i"), Err(EquationError::Order));
    }

    #[test]
    fn every_equation_of_the_glossary_is_well_formed() {
        for entry in super::super::ENTRIES {
            let written = mathml(entry.equation).unwrap();
            well_formed(&written).unwrap_or_else(|fault| panic!("{:?}: {fault}\n{written}", entry.names));
        }
        assert!(well_formed("<mfrac><mi>a</mi></mfrac>").is_err() && well_formed("<a><b></a></b>").is_err());
    }

    proptest! {
        /// Whatever is read is well-formed, or refused.
        #[test]
        fn whatever_is_read_is_well_formed(equation in "[a-zλΣ0-9+<&_^{}\\\\ ]{0,30}|(\\\\frac\\{[a-z_^{}]{0,6}\\}\\{[a-z]{0,3}\\}){1,3}") {
            if let Ok(written) = mathml(&equation) {
                prop_assert_eq!(well_formed(&written), Ok(()), "{}", written);
            }
        }
    }
}
