//! Where a report's figures are from, in a sentence.

use super::origin::{Asked, InFront, Made, Origin};

/// Where the figures are from, as a footnote; and what the model was asked, where that is not the next token.
pub(crate) fn provenance(origin: &Origin) -> String {
    let Origin { model, files, in_front, backend, version, asked, encoder_layers, .. } = origin;
    let digest = files.short();
    let asked = match asked {
        Asked::Next => "",
        Asked::Masked => {
            " Losses are pseudo-losses: every token is masked once, one in seven of a text at a time as a fixed seed deals \
             them, and predicted from all others."
        }
        Asked::Continuation => {
            " Losses are those of the second half of a text, given the first; tokens and bytes are counted of that half."
        }
    };
    let in_front = match in_front {
        None => String::new(),
        Some(InFront::Nothing) => " Nothing stands before a text, so that its first token is not scored.".into(),
        Some(InFront::Token(token)) => format!(" Before each text stands {token}."),
    };
    let stacks = match encoder_layers {
        0 => String::new(),
        count => format!(" Layers e0 to e{} are the encoder's, d0 and on the decoder's.", count - 1),
    };
    format!(
        "Computed by the {backend} backend; model {model}, SHA-256 {digest}…; program version {version}.{in_front}{asked}{stacks}"
    )
}

/// The same where the report is not about one model.
pub(crate) fn made(Made { backend, version, .. }: &Made) -> String {
    format!("Computed by the {backend} backend; program version {version}.")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::arch::tensors::Part;
    use crate::lab::origin::Files;

    /// The matrices of a GPT-2 block.
    pub(crate) const PARTS: [Part; 4] = [Part::Qkv, Part::Out, Part::Up, Part::Down];

    /// Of a report that no lab made.
    pub(crate) fn origin(model: &str) -> Origin {
        Origin {
            model: model.into(),
            files: Files {
                model_sha256: "0123456789abcdef".into(),
                config_sha256: None,
                tokenizer_sha256: None,
                tokenizer_config_sha256: None,
            },
            corpus_sha256: None,
            in_front: None,
            backend: "cpu".into(),
            version: "0.1.0".into(),
            asked: Asked::Next,
            encoder_layers: 0,
        }
    }

    #[test]
    fn a_footnote_says_where_figures_are_from() {
        let told = "Computed by the cpu backend; model m, SHA-256 0123456789ab…; program version 0.1.0.";
        assert_eq!(provenance(&origin("m")), told);
        let mixed = provenance(&Origin { asked: Asked::Continuation, encoder_layers: 8, ..origin("m") });
        assert!(
            mixed.starts_with(told) && mixed.contains("second half of a text") && mixed.contains("e0 to e7"),
            "{mixed}"
        );
        let masked = provenance(&Origin { asked: Asked::Masked, ..origin("m") });
        assert!(masked.contains("masked once, one in seven") && !masked.contains("encoder"), "{masked}");
    }
}
